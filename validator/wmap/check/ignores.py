"""``# wmap: ignore[L205] because ...``: silences a finding at its place, with a reason. L9xx."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wmap.check.rule import Rule
from wmap.check.shapes import RIGHT
from wmap.definition.load import comments
from wmap.findings import Finding, Level, Severity, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.definition.source import Source

_SOURCE = "this catalog: an exception is said where it is made, with its reason"
_HARMLESS = "phaseDefinition: {path: .status.phase}"
_DIFFERS = "phaseDefinition: {path: .status.phase | . + 12345678901234567890}"

UNUSED_IGNORE = Rule(
    "L901",
    "unused-ignore",
    Level.LINT,
    Severity.WARNING,
    "An ignore silences something.",
    "One that silences nothing hides the next finding at its place.",
    _SOURCE,
    RIGHT.replace(_HARMLESS, f"{_HARMLESS}  # wmap: ignore[L205] because the number is a sentinel"),
    RIGHT.replace(_HARMLESS, f"{_DIFFERS}  # wmap: ignore[L205] because the number is a sentinel"),
)
BAD_IGNORE = Rule(
    "L902",
    "bad-ignore",
    Level.LINT,
    Severity.ERROR,
    "An ignore names rules of level lint or contract and gives a reason.",
    "`# wmap: ignore[L205] because ...` at the line of the finding, or the line above it; a broken shape is never ignored.",
    _SOURCE,
    RIGHT.replace(_HARMLESS, f"{_DIFFERS}  # wmap: ignore[L205]"),
    RIGHT.replace(_HARMLESS, f"{_DIFFERS}  # wmap: ignore[L205] because the number is a sentinel"),
)

_FORM = re.compile(r"#\s*wmap:\s*ignore\b\s*(?:\[([^\]]*)\])?\s*(.*)")
_REASON = re.compile(r"because\s+\S")


@dataclass(slots=True)
class _Ignore:
    codes: tuple[str, ...]
    lines: range
    span: Span
    used: set[str] = field(default_factory=set)


def apply_ignores(
    findings: Iterable[Finding],
    source: Source,
    definition: str | None,
    known: Iterable[str],
    *,
    ran: Iterable[str] | None = None,
    bad: bool = True,
) -> list[Finding]:
    """The findings that no comment silences, and those about the comments themselves.

    ``known`` are the codes that may be ignored, ``ran`` those of the level that gave these findings (by default all): an
    ignore of another level may still be used there. ``bad``: say which comments are not taken.
    """
    known = set(known)
    looked_for = known if ran is None else set(ran)
    kept: list[Finding] = []
    refused: list[Finding] = []
    scalars: list[tuple[int, int]] | None = None
    ignores: list[_Ignore] = []
    for line, column, text in comments(source):
        match = _FORM.match(text)
        if match is None:
            continue
        span = Span(line, column, line, column + len(text))
        codes = tuple(c.strip() for c in (match.group(1) or "").split(",") if c.strip())
        unknown = [c for c in codes if c not in known]
        if not codes or unknown:
            what = f"{', '.join(unknown)} is no rule of level lint or contract" if unknown else "it names no rule"
            refused.append(_about(BAD_IGNORE, f"the ignore is not taken: {what}", source, span, definition))
        elif not _REASON.match(match.group(2)):
            refused.append(_about(BAD_IGNORE, "the ignore is not taken: it gives no reason", source, span, definition))
        else:
            if scalars is None:
                scalars = list(_scalars(source))
            ignores.append(_Ignore(codes, _reach(source, line, scalars), span))
    for finding in findings:
        silenced = False
        for ignore in ignores:
            if finding.code in ignore.codes and finding.span is not None and finding.span.line in ignore.lines:
                ignore.used.add(finding.code)
                silenced = True
        if not silenced:
            kept.append(finding)
    for ignore in ignores:
        unused = [c for c in ignore.codes if c in looked_for and c not in ignore.used]
        if unused:
            message = f"the ignore of {', '.join(unused)} silences nothing"
            kept.append(_about(UNUSED_IGNORE, message, source, ignore.span, definition))
    return [*(refused if bad else ()), *kept]


def _reach(source: Source, line: int, scalars: Iterable[tuple[int, int]]) -> range:
    """The lines that a comment speaks of: its own, or where it stands alone the next that is no comment.

    A scalar that begins on that line belongs to it to its end.
    """
    target = line
    while target < source.count and source.line(target).lstrip().startswith("#"):
        target += 1
    last = max((end for begin, end in scalars if begin == target), default=target)
    return range(target, max(target, last) + 1)


def _scalars(source: Source) -> Iterable[tuple[int, int]]:
    """The first and the last line of each scalar of more than one line."""
    import yaml  # noqa: PLC0415  # only where there is an ignore

    for event in yaml.parse(source.text, Loader=getattr(yaml, "CLoader", yaml.Loader)):
        begin, end = event.start_mark, event.end_mark
        if isinstance(event, yaml.ScalarEvent) and begin is not None and end is not None and end.line > begin.line:
            # the end of a block scalar is the beginning of the line behind it
            yield begin.line + 1, end.line + (1 if end.column else 0)


def _about(rule: Rule, message: str, source: Source, span: Span, definition: str | None) -> Finding:
    hint = "write # wmap: ignore[CODE] because ..." if rule is BAD_IGNORE else "take it out"
    return Finding(rule.code, rule.name, rule.level, rule.severity, message, hint, definition, source.file, span)
