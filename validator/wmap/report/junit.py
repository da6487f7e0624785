"""The result of a validation as JUnit XML: one test case for each definition and level."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from wmap.findings import Severity
from wmap.report.neutral import plain, xml
from wmap.report.since import since_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.check.run import Result
    from wmap.findings import Finding


def as_junit(result: Result) -> str:
    """A suite for each level that ran or did not; errors are failures, other findings are the output of the case."""
    names = sorted(
        {f.definition or f.file or "?" for f in result.findings}
        | {n.definition for n in result.not_run if n.definition}
    )
    names = sorted({*names, *result.names})
    suites: list[str] = []
    total = failed = skipped = 0
    for level in dict.fromkeys((*result.levels, *(n.level for n in result.not_run))):
        cases: list[str] = []
        failures = missing = 0
        for name in names:
            reason = next((n.reason for n in result.not_run if n.level == level and n.definition in (name, None)), None)
            mine = [f for f in result.findings if f.level == level and (f.definition or f.file or "?") == name]
            body, bad = _body(mine, [f for f in mine if f.severity is Severity.ERROR and result.counts(f)], reason)
            failures += bad
            missing += reason is not None and not mine
            cases.append(f"    <testcase classname={_attribute(f'wmap.{level}')} name={_attribute(name)}{body}")
        total, failed, skipped = total + len(cases), failed + failures, skipped + missing
        suites.append(
            f'  <testsuite name={_attribute(f"wmap.{level}")} tests="{len(cases)}" failures="{failures}" errors="0" skipped="{missing}">\n'
            + "\n".join(cases)
            + "\n  </testsuite>"
        )
    head = f'<testsuites name="wmap" tests="{total}" failures="{failed}" errors="0">'
    if result.since is not None:
        text = escape(xml("\n".join(since_lines(result)), 100_000))
        suites.append(f'  <testsuite name="wmap.since" tests="0"><system-out>{text}</system-out></testsuite>')
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join([head, *suites, "</testsuites>"]) + "\n"


def _body(found: Sequence[Finding], wrong: Sequence[Finding], reason: str | None) -> tuple[str, int]:
    """What stands in a test case, and whether it failed."""
    if not found:
        return ("/>" if reason is None else f"><skipped message={_attribute(reason)}/></testcase>"), 0
    rest = [f for f in found if f not in wrong]
    parts = []
    if wrong:
        text = "\n".join(_line(f) for f in wrong)
        parts.append(
            f"<failure type={_attribute(wrong[0].code)} message={_attribute(wrong[0].message)}>{escape(text)}</failure>"
        )
    if rest:
        parts.append(f"<system-out>{escape(chr(10).join(_line(f) for f in rest))}</system-out>")
    return ">" + "".join(parts) + "</testcase>", 1 if wrong else 0


def _line(f: Finding) -> str:
    place = f"{f.file or ''}:{f.span.line}:{f.span.column}" if f.span else f.file or ""
    which = f" (at {', '.join(f.releases)})" if f.releases else ""
    hint = f" - {f.hint}" if f.hint else ""
    old = " (old)" if f.old else ""
    return xml(plain(f"{place}: {f.severity} {f.code} {f.name}{old}: {f.message}{which}{hint}"))


def _attribute(text: str) -> str:
    return quoteattr(xml(plain(text, 500)))
