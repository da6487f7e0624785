"""Rules about status definitions. L5xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.definition.model import Status
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Matcher, StatusDefinition

_STATUS = "spec: {structureDefinition: {rootComponent: {statusDefinition: %s}}}"
_NAMES = "typeFieldName: type, statusFieldName: status, reasonFieldName: reason, messageFieldName: message"
_CONDITIONS = "conditionsDefinition: {path: .status.conditions, %s}" % _NAMES  # noqa: UP031  # braces all over
_FAILED = "{statusMappings: {failed: [{byConditions: [{type: Failed, status: 'True'}]}], %s}}"
_GOOD = _STATUS % (_FAILED % "completed: [{byConditions: [{type: Succeeded, status: 'True'}]}]")


def _statuses(context: Context) -> Iterator[StatusDefinition]:
    yield from (c.status for c in context.definition.components if c.status is not None)


def _key(matcher: Matcher) -> tuple[object, ...]:
    """What a matcher asks for: equal for matchers that mean the same."""
    return (
        matcher.phase.value if matcher.phase else None,
        frozenset((c.type.value, c.status and c.status.value, c.reason and c.reason.value) for c in matcher.conditions),
        (matcher.expression.expression.value, matcher.expression.expected_result.value) if matcher.expression else None,
    )


@rule(
    "L501",
    "definition-unused",
    Severity.WARNING,
    "A phase or conditions definition is used by some matcher.",
    "One that no matcher looks at is a leftover, or a mapping is missing.",
    bad=_STATUS % "{phaseDefinition: {path: .status.phase}}",
    good=_GOOD,
)
def definition_unused(context: Context) -> Iterator[Found]:
    """Nobody looks at it."""
    for status in _statuses(context):
        matchers = [m for ms in status.mappings.values() for m in ms]
        if status.phase is not None and not any(m.phase for m in matchers):
            yield status.phase, "no matcher looks at the phase", "add byPhase, or leave phaseDefinition out", None
        if status.conditions is not None and not any(m.conditions for m in matchers):
            yield (
                status.conditions.path,
                "no matcher looks at the conditions",
                "add byConditions, or leave conditionsDefinition out",
                None,
            )


@rule(
    "L502",
    "matcher-without-definition",
    Severity.ERROR,
    "byPhase needs a phaseDefinition, byConditions a conditionsDefinition.",
    "Without it the matcher never matches.",
    bad=_STATUS % "{statusMappings: {running: [{byPhase: Running}]}}",
    good=_GOOD,
)
def matcher_without_definition(context: Context) -> Iterator[Found]:
    """A matcher that has nothing to look at."""
    for status in _statuses(context):
        for matchers in status.mappings.values():
            for m in matchers:
                if m.phase is not None and status.phase is None:
                    yield m.phase, "there is no phaseDefinition to look at", "add phaseDefinition.path", None
                if m.conditions and status.conditions is None:
                    yield (
                        m.conditions[0].type,
                        "there is no conditionsDefinition to look at",
                        "add conditionsDefinition.path",
                        None,
                    )


@rule(
    "L503",
    "same-matcher-twice",
    Severity.ERROR,
    "No two statuses have the same matcher.",
    "Both would match at once; which one a screen shows is chance.",
    bad=_STATUS % (_FAILED % "completed: [{byConditions: [{type: Failed, status: 'True'}]}]"),
    good=_GOOD,
)
def same_matcher_twice(context: Context) -> Iterator[Found]:
    """The same matcher in two statuses, or twice in one."""
    for status in _statuses(context):
        seen: dict[tuple[object, ...], Status] = {}
        for name, matchers in status.mappings.items():
            for m in matchers:
                text = m.phase or (m.conditions[0].type if m.conditions else None)
                if text is None and m.expression is not None:
                    text = m.expression.expression
                if text is None:
                    continue
                key = _key(m)
                if key in seen:
                    yield text, f"{name} has a matcher that {seen[key]} has", "keep it in one of them", None
                seen.setdefault(key, name)


@rule(
    "L504",
    "contradictory-matcher",
    Severity.ERROR,
    "A matcher does not ask one condition for two statuses or reasons.",
    "All that it gives must hold, so it never matches.",
    bad=_STATUS
    % "{statusMappings: {running: [{byConditions: [{type: Ready, status: 'True'}, {type: Ready, status: 'False'}]}]}}",
    good=_GOOD,
)
def contradictory_matcher(context: Context) -> Iterator[Found]:
    """One condition type, two wishes."""
    for status in _statuses(context):
        for matchers in status.mappings.values():
            for m in matchers:
                seen: dict[str, tuple[str | None, str | None]] = {}
                for c in m.conditions:
                    wish = (c.status.value if c.status else None, c.reason.value if c.reason else None)
                    before = seen.setdefault(c.type.value, wish)
                    if any(a is not None and b is not None and a != b for a, b in zip(before, wish, strict=True)):
                        yield (
                            c.type,
                            f"{c.type} is asked for two things at once",
                            "make two matchers of it: they are ORed",
                            None,
                        )


@rule(
    "L505",
    "empty-matcher",
    Severity.ERROR,
    "A matcher asks for something.",
    "An empty one matches nothing, or everything, depending on the reader.",
    bad=_STATUS % "{statusMappings: {running: [{byConditions: []}]}}",
    good=_GOOD,
)
def empty_matcher(context: Context) -> Iterator[Found]:
    """Nothing in it."""
    for component in context.definition.components:
        for name, matchers in (component.status.mappings if component.status else {}).items():
            for m in matchers:
                if m.phase is None and not m.conditions and m.expression is None:
                    yield (
                        component.name,
                        f"a matcher of {name} is empty",
                        "add byPhase, byConditions or byExpression",
                        None,
                    )


@rule(
    "L506",
    "condition-by-presence",
    Severity.WARNING,
    "A condition is asked for its status or its reason.",
    "Conditions are kept with status False long after they held; presence alone says little.",
    bad=_STATUS % "{statusMappings: {running: [{byConditions: [{type: Ready}]}]}}",
    good=_GOOD,
)
def condition_by_presence(context: Context) -> Iterator[Found]:
    """Neither status nor reason, and no expression beside it that decides."""
    for status in _statuses(context):
        for matchers in status.mappings.values():
            for m in matchers:
                for c in m.conditions if m.expression is None else ():
                    if c.status is None and c.reason is None:
                        yield c.type, f"{c.type} matches by presence, whatever its status", "add status or reason", None


@rule(
    "L507",
    "condition-field-names",
    Severity.WARNING,
    "The names of the condition fields are written out.",
    "Readers of the format before mid-2026 have no defaults for them.",
    bad=_STATUS % "{conditionsDefinition: {path: .status.conditions, typeFieldName: null}}",
    good=_GOOD,
)
def condition_field_names(context: Context) -> Iterator[Found]:
    """A name that is left to its default."""
    wanted = ("typeFieldName", "statusFieldName", "reasonFieldName", "messageFieldName")
    for status in _statuses(context):
        missing = [n for n in wanted if status.conditions is not None and n not in status.conditions.declared]
        if missing and status.conditions is not None:
            yield status.conditions.path, f"{', '.join(missing)} is left to its default", "write it out", None


@rule(
    "L508",
    "expected-result-quote",
    Severity.ERROR,
    "expectedResult has neither a quote nor a backslash.",
    "It is put into an expression as text.",
    bad=_STATUS % """{statusMappings: {running: [{byExpression: {expression: .status.x, expectedResult: 'a"b'}}]}}""",
    good=_STATUS % "{statusMappings: {running: [{byExpression: {expression: .status.x, expectedResult: ab}}]}}",
)
def expected_result_quote(context: Context) -> Iterator[Found]:
    """A quote or a backslash."""
    for status in _statuses(context):
        for matchers in status.mappings.values():
            for m in matchers:
                if m.expression is not None and any(c in m.expression.expected_result.value for c in '"\\'):
                    yield (
                        m.expression.expected_result,
                        "it breaks the expression that it is put into",
                        "leave quotes and backslashes out",
                        None,
                    )


@rule(
    "L509",
    "expression-several-results",
    Severity.WARNING,
    "byExpression gives one value.",
    "Only the first result is looked at, and none is no match.",
    bad=_STATUS
    % "{statusMappings: {running: [{byExpression: {expression: '.status.items[].state', expectedResult: up}}]}}",
    good=_STATUS
    % "{statusMappings: {running: [{byExpression: {expression: 'any(.status.items[]?; .state == \"up\")', expectedResult: 'true'}}]}}",
)
def expression_several_results(context: Context) -> Iterator[Found]:
    """None, or several results."""
    for status in _statuses(context):
        for matchers in status.mappings.values():
            for m in matchers:
                expression = context.parsed(m.expression.expression) if m.expression else None
                if m.expression is not None and expression is not None and not expression.single:
                    yield (
                        m.expression.expression,
                        "it may give no result, or several",
                        "use any(...), all(...) or first(...)",
                        None,
                    )
