"""The result of a validation as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap._version import __version__
from wmap.check import rules
from wmap.fuzz.properties import fuzz_rules
from wmap.report.neutral import lines, plain
from wmap.report.since import since_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.check.rule import Rule
    from wmap.check.run import Result
    from wmap.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 25_000
"""As many as code scanning takes of a run; the worst come first."""
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(result: Result, root: Path | None = None) -> str:
    """One run with its rules, results and what did not run. Paths are relative to ``root`` (by default: here)."""
    import orjson  # noqa: PLC0415  # only for JSON

    known = (*rules(), *fuzz_rules())
    index = {rule.code: i for i, rule in enumerate(known)}
    findings = sorted(result.findings, key=lambda f: -f.severity.rank)
    run: dict[str, Any] = {
        "tool": {"driver": _driver(known)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "the root of the repository"}}},
        "results": [_result(f, index, (root or Path.cwd()).resolve(), result) for f in findings[:MOST_RESULTS]],
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "note",
                        "message": {"text": plain(f"not run: {n.level} {n.definition or ''}: {n.reason}")},
                    }
                    for n in result.not_run
                ]
                + [{"level": "note", "message": {"text": line}} for line in since_lines(result)]
                + _cut(len(findings)),
            }
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _cut(number: int) -> list[dict[str, Any]]:
    if number <= MOST_RESULTS:
        return []
    text = f"{number - MOST_RESULTS} further findings are left out: {MOST_RESULTS} are taken of a run"
    return [{"level": "warning", "message": {"text": text}}]


def _driver(known: Sequence[Rule]) -> dict[str, Any]:
    return {
        "name": "wmap",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule.code,
                "name": "".join(part.capitalize() for part in rule.name.split("-")),
                "shortDescription": {"text": rule.summary},
                "fullDescription": {"text": f"{rule.summary} {rule.rationale}"},
                "help": {"text": f"{rule.rationale}\nSource: {rule.source}\n`wmap rule {rule.code}` shows examples."},
                "defaultConfiguration": {"level": _LEVELS[rule.severity]},
                "properties": {"tags": [str(rule.level)]},
            }
            for rule in known
        ],
    }


def _result(f: Finding, index: dict[str, int], root: Path, result: Result) -> dict[str, Any]:
    text = plain(f.message) + (f" (at {', '.join(f.releases)})" if f.releases else "")
    found: dict[str, Any] = {
        "ruleId": f.code,
        "level": _LEVELS[f.severity],
        "message": {"text": f"{text}\n{lines(f.hint)}" if f.hint else text},
        "partialFingerprints": {"wmap/v1": f.fingerprint},
        "locations": [_location(f, root)] if f.file else [],
    }
    if f.code in index:
        found["ruleIndex"] = index[f.code]
    if f.old:
        found["baselineState"] = "unchanged"
    elif result.since is not None:
        found["baselineState"] = "new"
    if not result.counts(f):
        found["suppressions"] = [{"kind": "external", "justification": "it was there before"}]
    return found


def _location(f: Finding, root: Path) -> dict[str, Any]:
    path = Path(f.file or "")
    with contextlib.suppress(ValueError):
        path = path.resolve().relative_to(root)
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if not path.is_absolute():
        place["artifactLocation"]["uriBaseId"] = "ROOT"
    if f.span is not None:
        place["region"] = {
            "startLine": f.span.line,
            "startColumn": f.span.column,
            "endLine": f.span.end_line,
            "endColumn": f.span.end_column,
        }
    logical = [{"fullyQualifiedName": plain(f.field)}] if f.field else []
    return {"physicalLocation": place, **({"logicalLocations": logical} if logical else {})}


def _uri(path: Path) -> str:
    from urllib.parse import quote  # noqa: PLC0415  # only for this format

    return quote(path.as_posix().encode("utf-8", "surrogateescape"))
