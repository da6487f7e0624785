"""P4: one terminal status at most, and nothing that has no meaning changes the reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.definition.model import Status
from wmap.expr import EvaluationError, get_at, set_at
from wmap.fuzz import pieces
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, rule_of
from wmap.fuzz.target import TERMINAL
from wmap.reading.read import read

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from wmap.expr import Path
    from wmap.fuzz.target import Target
    from wmap.fuzz.tree import Node
    from wmap.reading.model import Reading


def status_is_stable(case: Case) -> Iterator[Violation]:
    """At most one terminal status matches; the order of conditions and of map keys, and unknown fields, change nothing.

    A workload that is shown as completed and failed at once is taken for either; an order that matters makes the phase
    flicker between two reads of one object.
    """
    target, before = case.target, case.reading
    terminal = [m for m in before.status.matched if m in TERMINAL]
    if len(terminal) > 1 and not _says_both(case):
        yield Violation("P4", "Completed and Failed match at once", about="terminal")
    # one of the two for each object: a reading costs more than drawing another one
    if case.twist % 2:
        second = ("the order of map keys", _shuffled_keys(case.obj, case.choices("keys")))
    else:
        second = ("unknown fields", _with_unknown_fields(target, case.obj))
    for what, other in (("the order of the conditions", _shuffled_conditions(case)), second):
        if other is None:
            continue
        after = read(target.plan, other)
        difference = _difference(before, after, reasons=not what.endswith("conditions"))
        if difference is not None:
            yield Violation("P4", f"{what} changes {difference}", about=what)


def _says_both(case: Case) -> bool:
    """Whether the object itself holds what Completed and what Failed look for, one of each being a condition or a phase."""
    return all(any(_holds(case, status)) for status in (Status.COMPLETED, Status.FAILED))


def _holds(case: Case, status: Status) -> Iterator[bool]:
    plan = case.target.plan.status
    if plan is None or plan.conditions is None:
        return
    type_field, status_field, _, _ = plan.fields
    try:
        found = plan.conditions.first(case.obj)
    except EvaluationError:
        return
    there = {
        (c.get(type_field), c.get(status_field))
        for c in (found if isinstance(found, list) else ())
        if isinstance(c, dict)
    }
    for name, matchers in plan.mappings:
        if name == status.phase:
            yield from (any((k, s) in there for k, s, _ in m.conditions) for m in matchers)


def _shuffled_conditions(case: Case) -> Any:
    plan = case.target.plan.status
    if plan is None or plan.conditions is None or plan.conditions.not_assignable is not None:
        return None
    try:
        places = plan.conditions.paths(case.obj)
    except EvaluationError:
        return None
    found = get_at(case.obj, places[0]) if places else None
    if not isinstance(found, list) or len(found) < 2:  # an order has two
        return None
    kinds = [repr(c.get(plan.fields[0])) if isinstance(c, dict) else "" for c in found]
    if len(set(kinds)) < len(kinds):
        return None  # of two conditions of one type the last counts
    turned = [*found[1:], found[0]] if case.twist % 3 else found[::-1]
    return set_at(case.obj, places[0], turned)


def _shuffled_keys(value: Any, choices: random.Random) -> Any:
    if isinstance(value, list):
        return [_shuffled_keys(v, choices) for v in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    choices.shuffle(keys)
    return {k: _shuffled_keys(value[k], choices) for k in keys}


def _with_unknown_fields(target: Target, obj: Any) -> Any:
    """The object with a field that no contract names in each object that has named fields, and is no map."""
    return _added(target.root, obj, ())


def _added(field: Node | None, value: Any, at: Path) -> Any:
    if field is None or field.preserve:
        return value
    if isinstance(value, list):
        return [_added(field.items, v, at) for v in value]
    if not isinstance(value, dict):
        return value
    if field.values is not None:
        return {k: _added(field.child(k), v, at) for k, v in value.items()}
    made = {k: _added(field.named(k), v, at) for k, v in value.items()}
    if made and next(field.children(), None) is not None:
        made[pieces.UNKNOWN_FIELD] = {"a": [1]}
    return made


def _difference(before: Reading, after: Reading, *, reasons: bool) -> str | None:
    if before.status != after.status and (reasons or before.status[:2] != after.status[:2]):
        return f"the status: {before.status.phase} becomes {after.status.phase}"
    for name in ("components", "totals", "gangs", "suspend"):
        if getattr(before, name) != getattr(after, name):
            return f"the {name}"
    return None


P4 = Property(
    rule_of(
        "P4",
        "status-not-stable",
        status_is_stable,
        bad(
            'failed: [{byConditions: [{type: Failed, status: "True"}]}]',
            "failed: [{byExpression: {expression: '.status.conditions[-1].type // \"\"', expectedResult: Failed}}]",
        ),
        GOOD,
    ),
    status_is_stable,
)
