"""A cluster run as text, JSON, JUnit XML and Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from wmap.cluster.outcome import Result, Step
from wmap.findings import Severity
from wmap.report.neutral import code, lines, markdown, plain, xml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wmap.cluster.outcome import Outcome
    from wmap.cluster.provider import Facts
    from wmap.findings import Finding

SCHEMA_VERSION = 1
_MOST = 10_000


def progress(outcome: Outcome) -> str:
    """One line of an outcome, for people who wait."""
    took = f" ({outcome.seconds:.1f} s)" if outcome.seconds >= 1 else ""
    said = outcome.reason or "; ".join(f"{f.code} {f.message}" for f in outcome.findings)
    return plain(f"{outcome.result} {outcome.step} {outcome.subject}{took}" + (f": {said}" if said else ""), 300)


def as_text(outcomes: Sequence[Outcome], facts: Facts) -> str:
    """What is wrong, what did not run and why, and a line for each definition with what passed."""
    out: list[str] = []
    for o in outcomes:
        for f in o.findings:
            place = f"{f.file}:{f.span.line}:{f.span.column}: " if f.file and f.span else ""
            out.append(plain(f"{place}{f.severity} {f.code} {f.name}: {f.message} ({o.step} of {_of(o)})", 1_000))
        if o.result is Result.FAILED and not o.findings:
            out.append(plain(f"error: {o.step} of {o.subject}: {o.reason}", 1_000))
    missing = _not_run(outcomes)
    out += [plain(f"not run: {step} of {who}: {why}", 500) for (step, why), who in missing]
    if out:
        out.append("")
    out += [plain(f"{_name(key):<70} {_counted(number)}") for key, number in _table(outcomes).items()]
    total: Counter[Result] = Counter(o.result for o in outcomes)
    out += ["", plain(f"{facts.provider}, Kubernetes {facts.version}: {_sums(total)}")]
    return "\n".join(out) + "\n"


def _of(o: Outcome) -> str:
    s = o.subject
    return f"{s.framework} {s.release}"


def _name(key: tuple[str, str, str]) -> str:
    framework, release, definition = key
    return f"{framework} {release} {definition}".rstrip()


def _counted(number: Counter[tuple[Step, Result]]) -> str:
    parts = []
    for step in Step:
        own = {r: number[step, r] for r in Result if number[step, r]}
        if not own:
            continue
        failed, missing = own.get(Result.FAILED, 0), own.get(Result.NOT_RUN, 0)
        said = str(own.get(Result.PASSED, 0))
        said += f" ({failed} FAILED)" if failed else ""
        said += f" ({missing} not run)" if missing else ""
        parts.append(f"{step} {said}")
    return ", ".join(parts)


def _table(outcomes: Sequence[Outcome]) -> dict[tuple[str, str, str], Counter[tuple[Step, Result]]]:
    found: dict[tuple[str, str, str], Counter[tuple[Step, Result]]] = {}
    for o in outcomes:
        key = (o.subject.framework, o.subject.release, o.subject.definition)
        found.setdefault(key, Counter())[o.step, o.result] += 1
    return found


def _not_run(outcomes: Sequence[Outcome]) -> list[tuple[tuple[Step, str], str]]:
    """By step and reason: at what. A reason that names an object differs for each, and is cut before its name."""
    found: dict[tuple[Step, str], list[str]] = {}
    for o in outcomes:
        if o.result is Result.NOT_RUN:
            found.setdefault((o.step, o.reason or ""), []).append(str(o.subject))
    return [(key, who[0] + (f" and {len(who) - 1} more" if len(who) > 1 else "")) for key, who in found.items()]


def _sums(total: Counter[Result]) -> str:
    return ", ".join(f"{total[r]} {r}" for r in Result)


def as_json(outcomes: Sequence[Outcome], facts: Facts) -> str:
    """The document of ``schemas/cluster-run.schema.json``."""
    import orjson  # noqa: PLC0415  # only for JSON

    document = {
        "schemaVersion": SCHEMA_VERSION,
        "provider": facts.provider,
        "kubernetes": facts.version,
        "outcomes": [_document(o) for o in outcomes],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _document(o: Outcome) -> dict[str, Any]:
    s = o.subject
    return {
        "framework": lines(s.framework, _MOST),
        "release": lines(s.release, _MOST),
        "definition": lines(s.definition, _MOST) or None,
        "file": lines(s.file, _MOST) or None,
        "where": lines(s.where, _MOST) or None,
        "step": str(o.step),
        "result": str(o.result).replace(" ", "-"),
        "reason": None if o.reason is None else lines(o.reason, _MOST),
        "seconds": round(o.seconds, 3),
        "findings": [_finding(f) for f in o.findings],
    }


def _finding(f: Finding) -> dict[str, Any]:
    return {
        "code": f.code,
        "name": f.name,
        "severity": str(f.severity),
        "message": lines(f.message, _MOST),
        "file": None if f.file is None else lines(f.file, _MOST),
        "line": f.span.line if f.span else None,
        "column": f.span.column if f.span else None,
        "field": None if f.field is None else lines(f.field, _MOST),
    }


def as_junit(outcomes: Sequence[Outcome], facts: Facts) -> str:
    """A suite for each framework and release, a case for each step of each fixture."""
    suites: dict[str, list[Outcome]] = {}
    for o in outcomes:
        suites.setdefault(f"{o.subject.framework} {o.subject.release}", []).append(o)
    body = []
    for name, own in suites.items():
        number = Counter(o.result for o in own)
        took = sum(o.seconds for o in own)
        head = (
            f'  <testsuite name={_attribute(name)} tests="{len(own)}" failures="{number[Result.FAILED]}" errors="0" '
            f'skipped="{number[Result.NOT_RUN]}" time="{took:.3f}">'
        )
        body.append("\n".join([head, *(f"    {_case(o)}" for o in own), "  </testsuite>"]))
    failed = sum(o.result is Result.FAILED for o in outcomes)
    title = _attribute(f"wmap cluster run: {facts.provider}, Kubernetes {facts.version}")
    head = f'<testsuites name={title} tests="{len(outcomes)}" failures="{failed}" errors="0">'
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join([head, *body, "</testsuites>"]) + "\n"


def _case(o: Outcome) -> str:
    s = o.subject
    named = " ".join(x for x in (str(o.step), s.file.rpartition("/")[2], s.where) if x)
    head = (
        f'<testcase classname={_attribute(s.definition or s.framework)} name={_attribute(named)} time="{o.seconds:.3f}"'
    )
    if o.result is Result.NOT_RUN:
        return f"{head}><skipped message={_attribute(o.reason or '')}/></testcase>"
    if o.result is Result.FAILED:
        first = o.findings[0] if o.findings else None
        message = first.message if first is not None else o.reason or ""
        text = "\n".join(f"{f.code} {f.name}: {f.message}" for f in o.findings) or message
        return (
            f"{head}><failure type={_attribute(first.code if first else str(o.step))} message={_attribute(message)}>"
            f"{escape(xml(text, _MOST))}</failure></testcase>"
        )
    return f"{head}/>"


def _attribute(text: str) -> str:
    return quoteattr(xml(plain(text, 500)))


def as_markdown(outcomes: Sequence[Outcome], facts: Facts) -> str:
    """For a job summary: a table of the definitions, and what is wrong below it."""
    total = Counter(o.result for o in outcomes)
    out = [f"## Cluster run: {facts.provider}, Kubernetes {markdown(facts.version)}", "", f"{_sums(total)}.", ""]
    out += ["| framework | release | definition | " + " | ".join(Step) + " |", "| --- " * (3 + len(Step)) + "|"]
    for (framework, release, definition), number in _table(outcomes).items():
        cells = [_cell(step, number) for step in Step]
        out.append(
            f"| {markdown(framework)} | {markdown(release)} | {code(definition) if definition else ''} | {' | '.join(cells)} |"
        )
    wrong = list(_wrong(outcomes))
    if wrong:
        out += ["", "### What is wrong", "", *wrong]
    missing = _not_run(outcomes)
    if missing:
        out += ["", f"<details><summary>not run: {len(missing)} reasons</summary>", ""]
        out += [f"- {step} of {markdown(who)}: {markdown(why)}" for (step, why), who in missing]
        out += ["", "</details>"]
    return "\n".join(out) + "\n"


def _cell(step: Step, number: Counter[tuple[Step, Result]]) -> str:
    passed, failed, missing = (number[step, r] for r in (Result.PASSED, Result.FAILED, Result.NOT_RUN))
    if not passed + failed + missing:
        return ""
    return f"**{failed} of {passed + failed} failed**" if failed else f"{passed}" if passed else "not run"


def _wrong(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for o in outcomes:
        for f in o.findings:
            place = f" at {code(f'{f.file}:{f.span.line}')}" if f.file and f.span else ""
            yield f"- {f.code} {markdown(f.message)} ({o.step} of {markdown(str(o.subject))}){place}"
        if o.result is Result.FAILED and not o.findings:
            yield f"- {o.step} of {markdown(str(o.subject))}: {markdown(o.reason or '')}"


def worst(outcomes: Sequence[Outcome]) -> Severity | None:
    """The worst that was found; a failure without a finding is an error."""
    found = [f.severity for o in outcomes for f in o.findings]
    found += [Severity.ERROR for o in outcomes if o.result is Result.FAILED and not o.findings]
    return max(found, key=lambda s: s.rank, default=None)


FORMATS: dict[str, Callable[[Sequence[Outcome], Facts], str]] = {
    "text": as_text,
    "json": as_json,
    "junit": as_junit,
    "markdown": as_markdown,
}
"""The formats of ``wmap cluster run -o``."""
