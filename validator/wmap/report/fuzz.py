"""What fuzzing found: the property, the place, the smallest manifest as YAML, and the call that repeats it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.run import Result
from wmap.findings import Level, Severity
from wmap.report.data import dump
from wmap.report.findings import FORMATS as OF_FINDINGS
from wmap.report.neutral import plain

if TYPE_CHECKING:
    from wmap.fuzz import Found, FuzzResult

FORMATS = tuple(OF_FINDINGS)


def as_result(fuzzed: FuzzResult) -> Result:
    """The findings as those of a validation, for the reporters of ``wmap validate``."""
    names = tuple(sorted(o.name for o in fuzzed.outcomes))
    findings = tuple(f.finding for f in fuzzed.found)
    return Result(len(names), 0, (Level.FUZZ,), findings, tuple(fuzzed.all_not_run), names)


def render(fuzzed: FuzzResult, form: str) -> str:
    """The result in one of ``FORMATS``."""
    return as_text(fuzzed) if form == "text" else OF_FINDINGS[form](as_result(fuzzed))


def as_text(fuzzed: FuzzResult) -> str:
    """One finding a paragraph with its manifest; then what did not run, and the sums."""
    parts = [_paragraph(f) for f in fuzzed.found]
    parts += [
        f"not run: {n.level}{f' of {n.definition}' if n.definition else ''}: {n.reason}\n" for n in fuzzed.all_not_run
    ]
    found = len(fuzzed.found)
    stopped = "interrupted: " if fuzzed.interrupted else ""
    parts.append(
        f"{stopped}{len(fuzzed.outcomes)} definition{'' if len(fuzzed.outcomes) == 1 else 's'}, "
        f"{fuzzed.objects} objects: {found} finding{'' if found == 1 else 's'}\n"
    )
    return "".join(parts)


def _paragraph(found: Found) -> str:
    f = found.finding
    place = f"{f.file or f.definition}" + (f":{f.span.line}:{f.span.column}" if f.span is not None else "")
    lines = [f"{place}: {Severity.ERROR} {f.code} {f.name}: {plain(f.message)} (at {found.release}; {found.origin})"]
    if f.expression is not None:
        lines += ["  expression:", *(f"    {plain(line)}" for line in f.expression.splitlines())]
    lines += ["  object:", *_yaml(found.obj)]
    if found.pods:
        lines += ["  pods:", *_yaml(list(found.pods))]
    lines.append(f"  again: {found.repeat}")
    return "\n".join(lines) + "\n"


def _yaml(document: object) -> list[str]:
    return [f"    {line}" for line in dump(document, "yaml").decode("utf-8", "replace").splitlines()]
