"""Level ``fixture``: read the object of a fixture, and compare with what was worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.check.registry import rule_by_code
from wmap.definition.validate import check_shape
from wmap.definition.yamlio import DEFINITION_LIMITS, Marked, YamlProblem, decode, read_marked
from wmap.findings import Finding, Span
from wmap.reading.patch import apply_merge_patch, same
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wmap.reading.plan import Plan


def check_fixture(file: Path, plan: Plan) -> Iterator[Finding]:
    """Run one fixture; a finding for each difference, at the place of the expectation."""
    name = str(file)
    try:
        document = read_marked(decode(file.read_bytes(), file=name, limits=DEFINITION_LIMITS), file=name)
    except YamlProblem as problem:
        yield _found(
            "F002", problem.problem, name, plan, Span(problem.line or 1, problem.column or 1, problem.line or 1, 1)
        )
        return
    if document is None:
        yield _found("F002", "the fixture is empty", name, plan, Span(1, 1, 1, 1))
        return
    shape = check_shape(document, "fixture", file=name)
    for finding in shape:
        yield _found("F002", finding.message, name, plan, finding.span, finding.field)
    if shape:
        return
    obj, pods = document.value["object"], document.value.get("pods")
    if (obj.get("apiVersion"), obj.get("kind")) != (plan.kind.api_version, plan.kind.kind):
        yield _found(
            "F002", f"the object is no {plan.kind}", name, plan, _entry(document, "object").mark.whole, "object"
        )
        return
    if "expect" in document.value:
        yield from _compare(_entry(document, "expect"), obj, pods, plan, name, "expect")
    for i, step in enumerate(_entry(document, "steps").items if "steps" in document.value else ()):
        obj = apply_merge_patch(obj, step.value.get("patch", {}))
        if "status" in step.value:
            obj = {**obj, "status": step.value["status"]}
        pods = step.value.get("pods", pods)
        yield from _compare(_entry(step, "expect"), obj, pods, plan, name, f"steps[{i}].expect")


def _entry(document: Marked, key: str) -> Marked:
    assert document.entries is not None  # noqa: S101  # the schema says that it is a map
    return document.entries[key][1]


def _compare(expect: Marked, obj: Any, pods: Any, plan: Plan, file: str, where: str) -> Iterator[Finding]:
    got = read(plan, obj, pods).to_dict()
    for place, span, message in differences(expect, got, where):
        yield _found("F001", f"{place}: {message}", file, plan, span, place)


def differences(expect: Marked, got: Any, where: str) -> Iterator[tuple[str, Span, str]]:
    """Where a document differs from what is expected of it: maps are subsets, lists equal in length, values the same."""
    if expect.entries is not None and isinstance(expect.value, dict):
        if not isinstance(got, dict):
            yield where, expect.mark.whole, f"expected a map, got {got!r}"
            return
        for key, (mark, value) in expect.entries.items():
            if key not in got:
                yield f"{where}.{key}", mark.whole, f"there is no such value; there are {', '.join(got)}"
            else:
                yield from differences(value, got[key], f"{where}.{key}")
    elif isinstance(expect.value, list):
        if not isinstance(got, list) or len(got) != len(expect.items):
            shown = f"{len(got)} entries: {got!r:.200}" if isinstance(got, list) else repr(got)
            yield where, expect.mark.whole, f"expected {len(expect.items)} entries, got {shown}"
            return
        for i, (item, found) in enumerate(zip(expect.items, got, strict=True)):
            yield from differences(item, found, f"{where}[{i}]")
    elif not same(expect.value, got):
        yield where, expect.mark.whole, f"expected {expect.value!r}, got {got!r}"


def _found(code: str, message: str, file: str, plan: Plan, span: Span | None, field: str | None = None) -> Finding:
    rule = rule_by_code(code)
    return Finding(rule.code, rule.name, rule.level, rule.severity, message, None, plan.name, file, span, field)


__all__ = ["check_fixture", "differences"]
