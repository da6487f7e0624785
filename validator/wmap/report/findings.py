"""The result of a validation as text and as JSON."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.definition.source import Source
from wmap.definition.yamlio import DEFINITION_LIMITS, YamlProblem, decode
from wmap.findings import Severity
from wmap.report.github import as_github
from wmap.report.junit import as_junit
from wmap.report.neutral import lines as neutral_lines
from wmap.report.neutral import plain
from wmap.report.sarif import as_sarif
from wmap.report.since import since_document, since_lines
from wmap.report.summary import as_markdown

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.check.run import Result
    from wmap.findings import Finding


def as_text(result: Result) -> str:
    """One finding a paragraph: place, severity, code and name, message, the piece of the file, hint; then the sums."""
    lines: list[str] = []
    for f in result.findings:
        place = f.file or f.definition or ""
        if f.span is not None:
            place += f":{f.span.line}:{f.span.column}"
        which = f" (at {', '.join(f.releases)})" if f.releases else ""
        old = " (old)" if f.old else ""
        lines.append(f"{place}: {f.severity} {f.code} {f.name}{old}: {plain(f.message)}{which}")
        lines += _excerpt(f)
        if f.hint:
            lines.append("  hint: " + neutral_lines(f.hint).replace("\n", "\n        "))
    lines += [f"not run: {n.level}{' of ' + n.definition if n.definition else ''}: {n.reason}" for n in result.not_run]
    lines += since_lines(result)
    sums = []
    for severity in Severity:
        found = [f for f in result.findings if f.severity is severity]
        before = sum(f.old for f in found)
        sums.append(_many(len(found), str(severity)) + (f" ({before} old)" if before else ""))
    lines.append(
        f"{_many(result.definitions, 'definition')}: {', '.join(sums)}"
        f" (levels {', '.join(result.levels)}; {_many(result.fixtures, 'fixture')})"
    )
    return "\n".join(lines) + "\n"


def as_json(result: Result) -> str:
    """The document of ``schemas/validate.schema.json``; ``since`` is there where only what was changed was judged."""
    import orjson  # noqa: PLC0415  # only for JSON

    document = {
        "schemaVersion": 1,
        "summary": {
            "definitions": result.definitions,
            **{f"{s}s": sum(f.severity is s for f in result.findings) for s in Severity},
        },
        "notRun": [{"level": str(n.level), "definition": n.definition, "reason": n.reason} for n in result.not_run],
        "findings": [_finding(f) for f in result.findings],
        **({} if result.since is None else {"since": since_document(result.since)}),
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


FORMATS: dict[str, Callable[[Result], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "junit": as_junit,
    "github": as_github,
    "markdown": as_markdown,
}
"""The formats of ``-o``."""


_MOST = 10_000
"""Characters of one text in JSON."""


def _text(text: str | None) -> str | None:
    return None if text is None else neutral_lines(text, _MOST)


def _finding(f: Finding) -> dict[str, Any]:
    span = f.span
    return {
        "code": f.code,
        "name": f.name,
        "level": str(f.level),
        "severity": str(f.severity),
        "message": _text(f.message),
        "hint": _text(f.hint),
        "fingerprint": f.fingerprint,
        "definition": _text(f.definition),
        "file": _text(f.file),
        "line": span.line if span else None,
        "column": span.column if span else None,
        "endLine": span.end_line if span else None,
        "endColumn": span.end_column if span else None,
        "field": _text(f.field),
        "expression": _text(f.expression),
        "releases": list(f.releases),
        "old": f.old,
    }


def _excerpt(f: Finding) -> list[str]:
    """The line of the file, with the wrong piece underlined."""
    if f.file is None or f.span is None:
        return []
    try:
        file = Path(f.file)
        line = _source(file, file.stat().st_mtime_ns).line(f.span.line)
    except (OSError, YamlProblem):
        return []
    if not line or len(line) > 200:
        return []
    end = f.span.end_column if f.span.end_line == f.span.line else len(line) + 1
    return [f"  {plain(line, 400)}", f"  {' ' * (f.span.column - 1)}{'^' * max(1, end - f.span.column)}"]


@lru_cache(maxsize=8)
def _source(file: Path, _changed: int) -> Source:
    return Source(decode(file.read_bytes(), file=str(file), limits=DEFINITION_LIMITS))


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
