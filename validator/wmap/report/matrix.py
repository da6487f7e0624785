"""The support matrix as text, JSON and Markdown."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wmap.check.matrix import Support

_HEAD = """\
# Support

Which definition holds for which upstream release of which the contracts are stored. `ok`: every path, condition and phase that the
definition reads is there, or the definition reads what takes its place; `broken`: something is missing, named below the table;
`-`: the release does not serve the kind in this version. Releases in **bold** are those that `framework.yaml` calls supported.

Made by `wmap catalog matrix -o markdown`; do not edit it.
"""


def as_text(cells: Sequence[Support]) -> str:
    """A line for each definition and release."""
    width = max((len(c.definition) for c in cells), default=0)
    lines = []
    for c in cells:
        star = "*" if c.supported else " "
        lines.append(f"{c.definition:{width}} {star}{c.release:20} {c.cell}")
        lines += [f"{'':{width}}    {r}" for r in c.reasons]
    return "\n".join([*lines, "* called supported by framework.yaml"]) + "\n"


def as_json(cells: Sequence[Support]) -> str:
    """The document of ``wmap catalog matrix -o json``."""
    import orjson  # noqa: PLC0415  # only for JSON

    rows = [
        {
            "definition": c.definition,
            "framework": c.framework,
            "release": c.release,
            "cell": str(c.cell),
            "supported": c.supported,
            "reasons": list(c.reasons),
        }
        for c in cells
    ]
    return orjson.dumps(
        {"schemaVersion": 1, "matrix": rows}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    ).decode()


def as_markdown(cells: Sequence[Support]) -> str:
    """A table for each framework, and below it what is broken."""
    parts = [_HEAD]
    for framework, group in groupby(cells, key=lambda c: c.framework):
        rows = list(group)
        releases = list(dict.fromkeys(c.release for c in rows))
        bold = {c.release for c in rows if c.supported}
        parts.append(f"## {framework}\n")
        heads = [f"**{r}**" if r in bold else r for r in releases]
        parts.append("| definition | " + " | ".join(heads) + " |")
        parts.append("| --- |" + " --- |" * len(releases))
        for definition, mine in groupby(rows, key=lambda c: c.definition):
            by = {c.release: c for c in mine}
            shown = [{"ok": "ok", "broken": "broken", "not served": "-"}[by[r].cell] for r in releases]
            parts.append(f"| `{definition}` | " + " | ".join(shown) + " |")
        parts.append("")
        broken = [c for c in rows if c.reasons]
        parts += [f"* `{c.definition}` at {c.release}: {'; '.join(c.reasons)}" for c in broken]
        if broken:
            parts.append("")
    return "\n".join(parts)


FORMATS: dict[str, Callable[[Sequence[Support]], str]] = {"text": as_text, "json": as_json, "markdown": as_markdown}
"""The formats of ``-o``."""
