"""The result of a validation as Markdown: a job summary, or a comment on a pull request."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from wmap.findings import Severity
from wmap.report.neutral import code, markdown
from wmap.report.since import since_markdown

if TYPE_CHECKING:
    from wmap.check.run import Result
    from wmap.findings import Finding

MOST_BYTES = 60_000
"""GitHub takes little more in a comment."""


def as_markdown(result: Result) -> str:
    """What is wrong, with the place, why, and what to do; details folded, under 60 KB."""
    number = {s: sum(f.severity is s and result.counts(f) for f in result.findings) for s in Severity}
    verdict = "passes" if not number[Severity.ERROR] else "does not pass"
    sums = ", ".join(_many(number[s], str(s)) for s in Severity)
    levels = f"levels {', '.join(result.levels)}; {_many(result.fixtures, 'fixture')}"
    parts = [f"## The catalog {verdict}\n", f"{_many(result.definitions, 'definition')}: {sums} ({levels})\n"]
    for severity in (Severity.ERROR, Severity.WARNING):
        found = [f for f in result.findings if f.severity is severity and result.counts(f)]
        if found:
            parts.append(f"### {severity.capitalize()}s\n")
            parts += [
                _definition(name, list(group))
                for name, group in groupby(found, key=lambda f: f.definition or f.file or "?")
            ]
    infos = [f for f in result.findings if f.severity is Severity.INFO and result.counts(f)]
    if infos:
        rows = "".join(_row(f) for f in infos)
        parts.append(f"<details><summary>{_many(len(infos), 'info')}</summary>\n\n{rows}\n</details>\n")
    old = [f for f in result.findings if not result.counts(f)]
    if old:
        said = f"{_many(len(old), 'finding')} that {'were' if len(old) > 1 else 'was'} there before, not counted"
        rows = "".join(map(_row, old))
        parts.append(f"<details><summary>{said}</summary>\n\n{rows}\n</details>\n")
    if result.since is not None:
        parts.insert(2, since_markdown(result))
    if result.not_run:
        rows = "".join(
            f"* {n.level} {code(n.definition) if n.definition else ''}: {markdown(n.reason)}\n" for n in result.not_run
        )
        parts.append(f"### Not run\n\n{rows}")
    return _cut(parts)


def _definition(name: str, found: list[Finding]) -> str:
    return f"**{markdown(name)}**\n\n" + "".join(_row(f) for f in found) + "\n"


def _row(f: Finding) -> str:
    place = f" at {code(f'{f.file}:{f.span.line}')}" if f.file and f.span else ""
    which = f" (at {', '.join(map(markdown, f.releases))})" if f.releases else ""
    wrong = f"\n  {code(f.expression)}" if f.expression else ""
    hint = f"\n  What to do: {markdown(f.hint)}" if f.hint else ""
    return f"* {f.code} {markdown(f.message)}{which}{place}{wrong}{hint}\n"


def _cut(parts: list[str]) -> str:
    """As many parts as fit; says that there is more."""
    text, size = [], 0
    for part in parts:
        size += len(part.encode()) + 1
        if size > MOST_BYTES - 200:
            text.append("\nThere is more than fits here: `wmap validate` shows all of it.\n")
            break
        text.append(part)
    return "\n".join(text)


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
