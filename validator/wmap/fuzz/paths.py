"""P1 and P6: no path raises, and every path means what it means to libjq."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from wmap.expr import BudgetExceeded, EvaluationError
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXACT = 2**53
"""Beyond it libjq counts in floating point, and what it gives is said to differ (rule ``not-portable``)."""


def no_path_raises(case: Case) -> Iterator[Violation]:
    """No path raises on an object that the contract admits, and no object at all makes a reading raise.

    A path that raises makes consumers drop the whole component with its status: pods are missing from the gang, the
    workload has no phase.
    """
    try:
        _ = case.reading
    except Exception as error:  # noqa: BLE001  # whatever it is, a reading never raises
        yield Violation("P1", f"reading raises {type(error).__name__}: {error}", about=type(error).__name__)
        return
    if case.refusal is not None:
        return
    for text, expression in case.target.texts:
        try:
            expression.evaluate(case.obj)
        except EvaluationError as error:
            yield Violation("P1", f"raises: {error.message}", text, error.part)


def means_what_libjq_says(case: Case) -> Iterator[Violation]:
    """Every path gives on every object what libjq gives, maps read in key order.

    The catalog and its consumers must mean the same by a definition: a difference is a pod count that is right here and
    wrong in the scheduler.
    """
    document = json.dumps(case.obj, sort_keys=True)
    for text, expression in case.target.texts:
        ours: list[Any]
        try:
            ours, failed = expression.evaluate(case.obj), False
        except BudgetExceeded:
            continue
        except EvaluationError as error:
            ours, failed = error.results, True
        theirs, they_failed = _libjq(text.value, document)
        if failed != they_failed or (not _same(ours, theirs) and not _is_large(ours)):
            here, there = _shown(ours, failed=failed), _shown(theirs, failed=they_failed)
            yield Violation("P6", f"gives {here} here, and {there} in libjq", text)


@cache
def _program(text: str) -> Any:
    import jq  # noqa: PLC0415  # part of the extra

    return jq.compile(text)


def _libjq(program: str, document: str) -> tuple[list[Any], bool]:
    found: list[Any] = []
    try:
        found.extend(iter(_program(program).input_text(document)))
    except ValueError:
        return found, True
    return found, False


def _same(ours: list[Any], theirs: list[Any]) -> bool:
    return json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True) or _equal(ours, theirs)


def _equal(ours: Any, theirs: Any) -> bool:
    """Equality of JSON values, where 2.0 is 2 and true is not 1."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_equal(v, theirs[k]) for k, v in ours.items())
    return isinstance(ours, bool) == isinstance(theirs, bool) and bool(ours == theirs)


def _is_large(values: Any) -> bool:
    if isinstance(values, list):
        return any(_is_large(v) for v in values)
    if isinstance(values, dict):
        return any(_is_large(v) for v in values.values())
    return isinstance(values, int | float) and abs(values) >= _EXACT


def _shown(values: list[Any], *, failed: bool) -> str:
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return f"{text[:120]}{' ...' if len(text) > 120 else ''}{' and an error' if failed else ''}"  # a line


P1 = Property(
    rule_of(
        "P1", "path-raises", no_path_raises, bad(".spec.replicatedJobs[]?.name", ".spec.replicatedJobs[].name"), GOOD
    ),
    no_path_raises,
)
P6 = Property(
    rule_of(
        "P6",
        "differs-from-libjq",
        means_what_libjq_says,
        bad("'any(.status.replicatedJobsStatus[]?; .ready > 0)'", '"try (.metadata | .[0]) catch ."'),
        GOOD,
    ),
    means_what_libjq_says,
)
