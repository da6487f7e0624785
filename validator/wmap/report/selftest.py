"""The selftest as text, JSON and Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from wmap.findings import Level
from wmap.fuzz.selftest.run import CAUGHT, EARLY
from wmap.report.neutral import code, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.fuzz.selftest.judge import Verdict
    from wmap.fuzz.selftest.run import SelftestResult

LEVELS = (Level.SCHEMA, Level.LINT, Level.CONTRACT, Level.FIXTURE, Level.FUZZ)


def as_text(result: SelftestResult) -> str:
    """How many mutants each level caught, by operator; then the survivors, each with what it changes; then the sums."""
    rows = _rows(result)
    width = max((len(name) for name, _ in rows), default=0)
    lines = [f"{'':{width}}  mutants  " + "  ".join(f"{level:>8}" for level in LEVELS) + "  survived"]
    for name, counts in rows:
        cells = [*(counts[level] for level in LEVELS), counts[None]]
        lines.append(f"{name:{width}}  {sum(counts.values()):7}  " + "  ".join(f"{n or '':>8}" for n in cells))
    lines += [
        f"survived: {v.definition}: {v.operator} at {plain(v.place, 160)}: it changes {plain(v.changes or '', 120)}, where no level looks"
        for v in result.survivors
    ]
    lines += _sums(result)
    return "\n".join(lines) + "\n"


def as_json(result: SelftestResult) -> str:
    """The document of ``wmap selftest -o json``."""
    import orjson  # noqa: PLC0415  # only for JSON

    changing = len(result.changing)
    document: dict[str, Any] = {
        "schemaVersion": 1,
        "summary": {
            "definitions": result.definitions,
            "operators": len({v.operator for v in result.verdicts}),
            "mutants": len(result.verdicts),
            "changing": changing,
            "caught": changing - len(result.survivors),
            "caughtShare": round(result.caught, 4),
            "earlyShare": round(result.early, 4),
            "levels": {str(level): result.levels[level] for level in LEVELS},
            "good": result.good,
            "interrupted": result.interrupted,
        },
        "mutants": [
            {
                "definition": v.definition, "operator": v.operator, "place": v.place, "changes": v.changes,
                "caught": None if v.caught is None else str(v.caught), "code": v.code,
            }
            for v in result.verdicts
        ],
    }  # fmt: skip
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def as_markdown(result: SelftestResult) -> str:
    """The same as tables."""
    parts = ["# Selftest\n", *_sums(result), "", "| broken by | mutants | " + " | ".join(LEVELS) + " | survived |"]
    parts.append("| --- |" + " --- |" * (len(LEVELS) + 2))
    for name, counts in _rows(result):
        cells = [*(counts[level] for level in LEVELS), counts[None]]
        parts.append(f"| {name} | {sum(counts.values())} | " + " | ".join(str(n or "") for n in cells) + " |")
    if result.survivors:
        parts += ["", "| survivor | broken by | at | changes |", "| --- | --- | --- | --- |"]
        parts += [
            f"| {code(v.definition)} | {v.operator} | {code(v.place)} | {code(v.changes or '')} |"
            for v in result.survivors
        ]
    return "\n".join(parts) + "\n"


def _rows(result: SelftestResult) -> list[tuple[str, Counter[Level | None]]]:
    found: dict[str, list[Verdict]] = {}
    for v in result.changing:
        found.setdefault(v.operator, []).append(v)
    return [(name, Counter(v.caught for v in verdicts)) for name, verdicts in sorted(found.items())]


def _sums(result: SelftestResult) -> list[str]:
    changing, alike = len(result.changing), len(result.verdicts) - len(result.changing)
    stopped = "interrupted: " if result.interrupted else ""
    counted = f"{stopped}{result.definitions} definitions, {len(result.verdicts)} mutants"
    return [
        f"{counted}: {changing} change what a consumer sees, {alike} change nothing that was read",
        f"caught: {result.caught:.1%} (wanted: {CAUGHT:.0%}); before the fixtures: {result.early:.1%} (wanted: {EARLY:.0%})",
    ]


FORMATS: dict[str, Callable[[SelftestResult], str]] = {"text": as_text, "json": as_json, "markdown": as_markdown}
"""The formats of ``-o``."""
