"""``# wmap: ignore[L205] because ...``: silences a finding at its place, with a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wmap.check.registry import rule_by_code, rules
from wmap.definition.load import comments
from wmap.findings import Finding, Level, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.definition.source import Source

_FORM = re.compile(r"#\s*wmap:\s*ignore\b\s*(?:\[([^\]]*)\])?\s*(.*)")
_REASON = re.compile(r"because\s+\S")


@dataclass(slots=True)
class _Ignore:
    codes: tuple[str, ...]
    lines: tuple[int, ...]
    span: Span
    used: bool = False


def apply_ignores(findings: Iterable[Finding], source: Source, definition: str | None) -> list[Finding]:
    """The findings that no comment silences, and those about the comments themselves."""
    known = {r.code for r in rules() if r.level is Level.LINT}
    kept: list[Finding] = []
    ignores: list[_Ignore] = []
    lines = source.text.split("\n")
    for line, column, text in comments(source):
        match = _FORM.match(text)
        if match is None:
            continue
        span = Span(line, column, line, column + len(text))
        codes = tuple(c.strip() for c in (match.group(1) or "").split(",") if c.strip())
        unknown = [c for c in codes if c not in known]
        if not codes or unknown:
            what = f"{', '.join(unknown)} is no rule of level lint" if unknown else "it names no rule"
            kept.append(_about("L902", f"the ignore is not taken: {what}", source, span, definition))
        elif not _REASON.match(match.group(2)):
            kept.append(_about("L902", "the ignore is not taken: it gives no reason", source, span, definition))
        else:
            ignores.append(_Ignore(codes, _reach(lines, line), span))
    for finding in findings:
        silenced = False
        for ignore in ignores:
            if finding.code in ignore.codes and finding.span is not None and finding.span.line in ignore.lines:
                ignore.used = silenced = True
        if not silenced:
            kept.append(finding)
    kept += [_about("L901", "the ignore silences nothing", source, i.span, definition) for i in ignores if not i.used]
    return kept


def _reach(lines: list[str], line: int) -> tuple[int, ...]:
    """The comment's own line, and where it stands alone the next line that is no comment, with a block scalar of it."""
    if not lines[line - 1].lstrip().startswith("#"):
        return (line,)
    following = line
    while following < len(lines) and lines[following].lstrip().startswith("#"):
        following += 1
    reach = [line, following + 1]
    first = lines[following] if following < len(lines) else ""
    if re.search(r"[|>][-+0-9]*\s*$", first):
        indent = len(first) - len(first.lstrip(" -"))
        end = following + 1
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
            end += 1
            reach.append(end)
    return tuple(reach)


def _about(code: str, message: str, source: Source, span: Span, definition: str | None) -> Finding:
    rule = rule_by_code(code)
    hint = "write # wmap: ignore[CODE] because ..." if code == "L902" else "take it out"
    return Finding(rule.code, rule.name, rule.level, rule.severity, message, hint, definition, source.file, span)
