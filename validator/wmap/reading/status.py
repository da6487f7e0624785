"""The status of an object: every mapping is evaluated, the phase is the first in the order of precedence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr import MISSING, EvaluationError, Expression, parse
from wmap.reading.model import StatusReading, Warned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.definition.model import Definition
    from wmap.reading.plan import MatcherPlan, StatusPlan

UNDEFINED = "Undefined"


def read_status(definition: Definition, plan: StatusPlan, obj: Any, warnings: list[Warned]) -> StatusReading:
    """Read the phase of the object.

    A mapping matches when one of its matchers does; a matcher when all that it gives holds. A matcher that raises
    does not match and leaves a warning. Reason and message are of the first condition, in document order, that the
    matcher which gave the phase looked at.
    """
    by_type, conditions = _conditions(plan, obj, warnings)
    if plan.decides is not None and not by_type:
        decider, by_result = plan.decides
        matches = by_result.get(_result(decider, obj, warnings), ())
        if not matches:
            _warn_of_words(definition, plan, obj, None, matches, warnings)
        return StatusReading(matches[0] if matches else UNDEFINED, matches, None, None)
    phase_text = _phase(plan.phase, obj, warnings) if plan.phase is not None else None
    matched: list[str] = []
    seen: dict[str, str | None] = {}
    winner: MatcherPlan | None = None
    for name, matchers in plan.mappings:
        for matcher in matchers:
            if matcher.conditions:
                if not by_type:
                    continue  # a condition that is absent matches nothing
            elif matcher.phase is None and matcher.expression is not None:
                result = seen.get(matcher.expression.text, MISSING)
                if result is not MISSING and result != matcher.expected:
                    continue  # evaluated before, and it said something else
            if _matches(matcher, obj, by_type, phase_text, plan, seen, warnings):
                matched.append(name)
                if winner is None:
                    winner = matcher
                break
    if not matched or phase_text not in plan.phases:
        _warn_of_words(definition, plan, obj, None if phase_text in plan.phases else phase_text, matched, warnings)
    reason = message = None
    if winner is not None and winner.conditions:
        looked_at = {kind for kind, _, _ in winner.conditions}
        type_field, _, reason_field, message_field = plan.fields
        # of two conditions of one type the last was looked at
        condition = next(c for c in conditions if c[type_field] in looked_at and by_type[c[type_field]] is c)
        reason, message = _text(condition.get(reason_field)), _text(condition.get(message_field))
    return StatusReading(matched[0] if matched else UNDEFINED, tuple(matched), reason, message)


def _warn_of_words(
    definition: Definition,
    plan: StatusPlan,
    obj: Any,
    phase: str | None,
    matched: Sequence[str],
    warnings: list[Warned],
) -> None:
    from wmap.reading.words import warn_of_words  # noqa: PLC0415  # seldom

    warn_of_words(definition, plan, obj, phase, undefined=not matched, warnings=warnings)


def _conditions(
    plan: StatusPlan, obj: Any, warnings: list[Warned]
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    if plan.conditions is None:
        return {}, []
    try:
        found = plan.conditions.first(obj)
    except EvaluationError as error:
        warnings.append(
            Warned("path-raised", f"the conditions cannot be read: {error.message}", None, plan.conditions.text)
        )
        return {}, []
    if not found or found is MISSING:
        return {}, []
    type_field = plan.fields[0]
    if not isinstance(found, list):
        text = f"the conditions are {_kind(found)}, not an array: ignored"
        warnings.append(Warned("bad-value", text, None, plan.conditions.text))
        return {}, []
    conditions = [c for c in found if isinstance(c, dict) and isinstance(c.get(type_field), str)]
    if len(conditions) != len(found):
        text = f"{len(found) - len(conditions)} of {len(found)} conditions have no {type_field}: ignored"
        warnings.append(Warned("bad-value", text, None, plan.conditions.text))
    return {c[type_field]: c for c in conditions}, conditions


def _phase(expression: Expression, obj: Any, warnings: list[Warned]) -> str | None:
    try:
        found = expression.first(obj)
    except EvaluationError as error:
        warnings.append(Warned("path-raised", f"the phase cannot be read: {error.message}", None, expression.text))
        return None
    if found is None or found is MISSING:
        return None
    if not isinstance(found, str):
        warnings.append(
            Warned("bad-value", f"the phase is {_kind(found)}, not a string: ignored", None, expression.text)
        )
        return None
    return found


def _matches(
    matcher: MatcherPlan,
    obj: Any,
    by_type: dict[str, dict[str, Any]],
    phase: str | None,
    plan: StatusPlan,
    seen: dict[str, str | None],
    warnings: list[Warned],
) -> bool:
    if matcher.phase is not None and matcher.phase != phase:
        return False
    _, status_field, reason_field, _ = plan.fields
    for kind, status, reason in matcher.conditions:
        condition = by_type.get(kind)
        if condition is None:
            return False
        if status is not None and condition.get(status_field) != status:
            return False
        if reason is not None and condition.get(reason_field) != reason:
            return False
    if matcher.expression is None:
        return not matcher.empty
    text = matcher.expression.text
    if text not in seen:
        # definitions tell several phases by one expression: it is evaluated once
        seen[text] = _result(matcher, obj, warnings)
    return seen[text] == matcher.expected


def _result(matcher: MatcherPlan, obj: Any, warnings: list[Warned]) -> str | None:
    """The first result of a matcher's expression as text; None where there is none, or it raised."""
    assert matcher.expression is not None  # noqa: S101  # asked for where there is one
    try:
        result = matcher.expression.first(obj)
    except EvaluationError as error:
        text = f"{matcher.field} raised, so it does not match: {error.message}"
        warnings.append(Warned("matcher-raised", text, None, matcher.expression.text))
        return None
    return None if result is MISSING else to_text(result)


def to_text(value: Any) -> str:
    """``tostring``: a string as it is, anything else as JSON."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return value
    text: str = parse("tostring").first(value)
    return text


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _kind(value: Any) -> str:
    name: str = parse("type").first(value)
    return f"an {name}" if name[0] in "ao" else f"a {name}"
