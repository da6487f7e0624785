"""The semantic diff of a catalog as text, JSON and Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wmap.registry.differences import Semantic, What
from wmap.report.neutral import code, lines, markdown, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wmap.registry.diff import Diff
    from wmap.registry.differences import Change, EntryChanges, FrameworkChanges
    from wmap.registry.readings import Readings

SCHEMA_VERSION = 1
_SIGNS = {Semantic.MAJOR: "!", Semantic.MINOR: "+", Semantic.PATCH: "~"}
_MOST = 10_000
_LONG = 160
"""Characters of a text that is shown whole where it is compared with another one."""
_CONTEXT = 10
"""Words and the gaps between them that are shown on either side of what differs."""


def document(found: Diff) -> dict[str, Any]:
    """The document of ``schemas/catalog-diff.schema.json``."""
    differences = found.differences
    return {
        "schemaVersion": SCHEMA_VERSION,
        "before": lines(differences.before, _MOST),
        "after": lines(differences.after, _MOST),
        "level": _level(differences.level),
        "entries": [entry_document(e) for e in differences.entries],
        "frameworks": [framework_document(f) for f in differences.frameworks],
        "readings": None if found.readings is None else [_readings(r) for r in found.readings],
    }


def entry_document(entry: EntryChanges) -> dict[str, Any]:
    """One entry of the document."""
    return {
        "name": lines(entry.name, _MOST),
        "previous": _text(entry.previous),
        "status": str(entry.status),
        "level": _level(entry.level),
        "before": _text(entry.before_path),
        "after": _text(entry.after_path),
        "changes": [_change(c) for c in entry.changes],
    }


def framework_document(framework: FrameworkChanges) -> dict[str, Any]:
    """One framework of the document."""
    return {
        "name": lines(framework.name, _MOST),
        "level": _level(framework.level),
        "changes": [_change(c) for c in framework.changes],
    }


def _level(level: Semantic | None) -> str | None:
    return None if level is None else str(level)


def _text(text: str | None) -> str | None:
    return None if text is None else lines(text, _MOST)


def _change(change: Change) -> dict[str, Any]:
    return {
        "what": str(change.what),
        "level": str(change.level),
        "path": lines(change.path, _MOST),
        "before": _text(change.before),
        "after": _text(change.after),
        "why": lines(change.why, _MOST),
    }


def _readings(readings: Readings) -> dict[str, Any]:
    first = readings.first
    return {
        "name": lines(readings.name, _MOST),
        "fixtures": readings.fixtures,
        "drawn": readings.drawn,
        "different": readings.different,
        "first": None
        if first is None
        else dict(zip(("path", "before", "after", "origin"), (lines(x, _MOST) for x in first), strict=True)),
        "notRun": [lines(x, _MOST) for x in readings.not_run],
    }


def as_json(found: Diff) -> str:
    """As JSON."""
    import orjson  # noqa: PLC0415  # only for JSON

    return orjson.dumps(document(found), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def as_text(found: Diff) -> str:
    """An entry a paragraph: its level, its changes with what stood there and what stands there now, and how it reads."""
    differences = found.differences
    means = str(differences.level) if differences.level else "no difference in meaning"
    out = [plain(f"{differences.before} -> {differences.after}: {means}")]
    readings = {r.name: r for r in found.readings or ()}
    for entry in differences.entries:
        called = f" (was {entry.previous})" if entry.previous else ""
        out += ["", plain(f"{entry.level} {entry.name}{called}: {entry.status}")]
        out += [f"  {line}" for c in _grouped(entry.changes) for line in _lines(*c)]
        if entry.name in readings:
            out.append(f"  {_read(readings.pop(entry.name))}")
    for framework in differences.frameworks:
        out += ["", plain(f"{framework.level} {framework.name}/framework.yaml")]
        out += [f"  {line}" for c in _grouped(framework.changes) for line in _lines(*c)]
    if readings:
        out.append("")
        out += [plain(f"{name} only looks different; {_read(r)}") for name, r in readings.items()]
    return "\n".join(out) + "\n"


def _grouped(changes: tuple[Change, ...]) -> Iterator[tuple[Change, list[str]]]:
    """Changes that read the same at several places (an alias in the file), told once with all places."""
    places: dict[tuple[Any, ...], dict[str, None]] = {}
    firsts: dict[tuple[Any, ...], Change] = {}
    for c in changes:
        key = (c.what, c.level, *differing(c.before, c.after), c.why)
        places.setdefault(key, {})[c.path] = None
        firsts.setdefault(key, c)
    for key, change in firsts.items():
        yield change, list(places[key])


def _lines(change: Change, places: list[str]) -> Iterator[str]:
    for place in places[:-1]:
        yield plain(f"{_SIGNS[change.level]} {change.what} {place}")
    said = "ERROR IN THE COMPARISON " if change.what is What.READINGS else ""
    yield plain(f"{_SIGNS[change.level]} {said}{change.what} {places[-1]}".rstrip() + f": {change.why}")
    before, after = differing(change.before, change.after)
    if before is not None:
        yield f"    - {plain(before, 300)}"
    if after is not None:
        yield f"    + {plain(after, 300)}"


def differing(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Two texts for people: where both are long, what differs of them with some words around it."""
    if before is None or after is None or max(len(before), len(after)) <= _LONG:
        return before, after
    one, other = (re.split(r"(\s+)", t) for t in (before, after))
    start = _alike(one, other)
    end = _alike(one[start:][::-1], other[start:][::-1])
    return tuple(_around(words, start, len(words) - end) for words in (one, other))  # type: ignore[return-value]


def _alike(one: list[str], other: list[str]) -> int:
    """How many words two texts begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _around(words: list[str], start: int, end: int) -> str:
    first, last = max(start - _CONTEXT, 0), min(end + _CONTEXT, len(words))
    text = "".join(words[first:last]).strip()
    return f"{'... ' if first else ''}{text}{' ...' if last < len(words) else ''}"


def _read(readings: Readings) -> str:
    total = readings.fixtures + readings.drawn
    said = f"readings: {readings.different} of {total} objects differ ({readings.fixtures} of fixtures, {readings.drawn} drawn)"
    if readings.first is not None:
        path, before, after, origin = readings.first
        said += f"; first at {path}: {before} -> {after} ({origin})"
    if readings.not_run:
        said += f"; not run: {'; '.join(readings.not_run)}"
    return plain(said, 600)


def as_markdown(found: Diff) -> str:
    """For a pull request or a changelog."""
    differences = found.differences
    title = f"## {markdown(differences.before)} to {markdown(differences.after)}: "
    out = [title + (f"{differences.level}" if differences.level else "no difference in meaning"), ""]
    readings = {r.name: r for r in found.readings or ()}
    for level in reversed(Semantic):
        for entry in (e for e in differences.entries if e.level is level):
            called = f" (was {code(entry.previous)})" if entry.previous else ""
            out += [f"### {level.capitalize()}: {code(entry.name)}{called} {entry.status}", ""]
            out += rows(entry.changes)
            if entry.name in readings:
                out.append(f"- {markdown(_read(readings[entry.name]))}")
            out.append("")
        for framework in (f for f in differences.frameworks if f.level is level):
            out += [f"### {level.capitalize()}: framework {code(framework.name)}", ""]
            out += [*rows(framework.changes), ""]
    return "\n".join(out).rstrip("\n") + "\n"


def rows(changes: tuple[Change, ...]) -> list[str]:
    """One item of a Markdown list for each change, alike ones together."""
    return [_row(*c) for c in _grouped(changes)]


def _row(change: Change, places: list[str]) -> str:
    where = ", ".join(code(p) for p in places if p)
    said = "**error in the comparison** " if change.what is What.READINGS else ""
    texts = [code(t) for t in differing(change.before, change.after) if t]
    shown = f" ({' to '.join(texts)})" if texts else ""
    return f"- {said}{change.level}: {change.what}{where and f' {where}'}: {markdown(change.why)}{shown}"


FORMATS: dict[str, Callable[[Diff], str]] = {"text": as_text, "json": as_json, "markdown": as_markdown}
"""The formats of ``wmap catalog diff -o``."""
