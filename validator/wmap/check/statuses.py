"""Rules about status definitions. L5xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.definition.model import Status, Text
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import ConditionMatcher, Matcher, StatusDefinition

_STATUS = "spec: {structureDefinition: {rootComponent: {statusDefinition: %s}}}"
_NAMES = "typeFieldName: type, statusFieldName: status, reasonFieldName: reason, messageFieldName: message"
_CONDITIONS = "conditionsDefinition: {path: .status.conditions, %s}" % _NAMES  # noqa: UP031  # braces all over
_FAILED = "{statusMappings: {failed: [{byConditions: [{type: Failed, status: 'True'}]}], %s}}"
_GOOD = _STATUS % (_FAILED % "completed: [{byConditions: [{type: Succeeded, status: 'True'}]}]")


def _statuses(context: Context) -> Iterator[StatusDefinition]:
    yield from (c.status for c in context.definition.components if c.status is not None)


_Asked = tuple[str | None, frozenset[tuple[str, str | None, str | None]], tuple[str, str] | None]


def _key(matcher: Matcher) -> _Asked:
    """What a matcher asks for: equal for matchers that mean the same."""
    return (
        matcher.phase.value if matcher.phase else None,
        frozenset(_wish(c) for c in matcher.conditions),
        (matcher.expression.expression.value, matcher.expression.expected_result.value) if matcher.expression else None,
    )


def _wish(condition: ConditionMatcher) -> tuple[str, str | None, str | None]:
    """Type, status and reason that are asked for."""
    status, reason = condition.status, condition.reason
    return condition.type.value, status.value if status else None, reason.value if reason else None


@rule(
    "L501",
    "definition-unused",
    Severity.WARNING,
    "A phase or conditions definition is used by some matcher.",
    "One that no matcher looks at is a leftover, or a mapping is missing.",
    source="this catalog: a definition says nothing that has no effect",
    bad=_STATUS % "{statusMappings: {running: [{byExpression: {expression: .status.x, expectedResult: a}}]}}",
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
    source="the public library of the format: a matcher without its definition fails",
    bad=_STATUS % "{phaseDefinition: null, statusMappings: {running: [{byPhase: Running}]}}",
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
    source="the public library of the format reports every status that matches",
    bad=_STATUS % (_FAILED % "completed: [{byConditions: [{type: Failed, status: 'True'}]}]"),
    good=_GOOD,
)
def same_matcher_twice(context: Context) -> Iterator[Found]:
    """The same matcher in two statuses, or twice in one."""
    for status in _statuses(context):
        seen: dict[_Asked, Status] = {}
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
    source="the public library of the format: the conditions of one matcher are ANDed",
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
                    wish = _wish(c)[1:]
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
    source="the format: several kinds in one matcher are ANDed, and at least one is there",
    bad=_STATUS % "{statusMappings: {running: [{byConditions: []}]}}",
    good=_GOOD,
)
def empty_matcher(context: Context) -> Iterator[Found]:
    """Nothing in it."""
    for status in _statuses(context):
        for name, matchers in status.mappings.items():
            for m in matchers:
                if m.phase is None and not m.conditions and m.expression is None:
                    hint = "add byPhase, byConditions or byExpression"
                    yield Text("", m.field, m.mark), f"a matcher of {name} is empty", hint, None


@rule(
    "L506",
    "condition-by-presence",
    Severity.WARNING,
    "A condition is asked for its status or its reason.",
    "Conditions are kept with status False long after they held; presence alone says little.",
    source="the format asks for at least one of status and reason",
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
    source="the public library of the format got defaults for these names in mid-2026",
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
    source='the public library of the format evaluates the text (<expression>) | tostring == "<expectedResult>"',
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
    "byExpression, the phase and the conditions path give one value.",
    "Only the first result is looked at, and none is no match.",
    source="the public library of the format takes the first result",
    bad=_STATUS
    % "{statusMappings: {running: [{byExpression: {expression: '.status.items[].state', expectedResult: up}}]}}",
    good=_STATUS
    % "{statusMappings: {running: [{byExpression: {expression: 'any(.status.items[]?; .state == \"up\")', expectedResult: 'true'}}]}}",
)
def expression_several_results(context: Context) -> Iterator[Found]:
    """None, or several results."""
    for status in _statuses(context):
        texts = [m.expression.expression for ms in status.mappings.values() for m in ms if m.expression is not None]
        texts += [status.conditions.path] if status.conditions is not None else []
        texts += [status.phase] if status.phase is not None else []
        for text in texts:
            expression = context.parsed(text)
            if expression is not None and not expression.single:
                yield text, "it may give no result, or several", "use any(...), all(...) or the list itself", None


@rule(
    "L510",
    "reason-without-field-name",
    Severity.ERROR,
    "Where a matcher asks for a reason, reasonFieldName is written out.",
    "Readers without a default for it never find a reason, so the matcher never matches.",
    source="the public library of the format got defaults for these names in mid-2026",
    bad=_STATUS
    % """{conditionsDefinition: {path: .status.conditions, reasonFieldName: null},
  statusMappings: {completed: [{byConditions: [{type: Done, reason: Finished}]}]}}""",
    good=_STATUS % "{statusMappings: {completed: [{byConditions: [{type: Done, reason: Finished}]}]}}",
)
def reason_without_field_name(context: Context) -> Iterator[Found]:
    """A reason, and no name of the field that holds it."""
    for status in _statuses(context):
        if status.conditions is None or "reasonFieldName" in status.conditions.declared:
            continue
        for m in (m for matchers in status.mappings.values() for m in matchers):
            for c in m.conditions:
                if c.reason is not None:
                    hint = "add conditionsDefinition.reasonFieldName"
                    yield c.reason, "a reason is asked for, but reasonFieldName is not written out", hint, None


@rule(
    "L511",
    "completed-and-failed",
    Severity.ERROR,
    "No object is completed and failed at once.",
    "Every status that matches is reported; two terminal ones contradict each other.",
    source="the public library of the format reports every status that matches",
    bad=_STATUS
    % (_FAILED % "completed: [{byConditions: [{type: Failed, status: 'True'}, {type: Done, status: 'True'}]}]"),
    good=_STATUS
    % (_FAILED % "completed: [{byConditions: [{type: Failed, status: 'False'}, {type: Done, status: 'True'}]}]"),
)
def completed_and_failed(context: Context) -> Iterator[Found]:
    """A matcher of one that asks for all that a matcher of the other asks for, and more."""
    for status in _statuses(context):
        for name, other in ((Status.COMPLETED, Status.FAILED), (Status.FAILED, Status.COMPLETED)):
            for m in status.mappings.get(name, ()):
                if any(_narrower(m, wide) for wide in status.mappings.get(other, ())):
                    hint = "ask for something that tells them apart"
                    yield Text("", m.field, m.mark), f"whenever this matches, {other} matches too", hint, None


def _narrower(matcher: Matcher, wide: Matcher) -> bool:
    """Whether ``matcher`` asks for all that ``wide`` asks for, and more. Equal ones have a rule of their own."""
    if _key(matcher) == _key(wide) or _key(wide) == (None, frozenset(), None):
        return False
    phase, conditions, expression = _key(matcher)
    other_phase, asked, other_expression = _key(wide)
    return (
        other_phase in (None, phase)
        and other_expression in (None, expression)
        and all(
            any(t == kind and s in (None, state) and r in (None, reason) for kind, state, reason in conditions)
            for t, s, r in asked
        )
    )


@rule(
    "L512",
    "condition-status-value",
    Severity.WARNING,
    "The status of a condition is True, False or Unknown.",
    "Conditions of Kubernetes have no other, so the matcher never matches.",
    source="Kubernetes: metav1.Condition, ConditionStatus",
    bad=_STATUS % "{statusMappings: {completed: [{byConditions: [{type: Done, status: 'true'}]}]}}",
    good=_STATUS % "{statusMappings: {completed: [{byConditions: [{type: Done, status: 'True'}]}]}}",
)
def condition_status_value(context: Context) -> Iterator[Found]:
    """Another word."""
    for status in _statuses(context):
        for m in (m for matchers in status.mappings.values() for m in matchers):
            for c in m.conditions:
                if c.status is not None and c.status.value not in ("True", "False", "Unknown"):
                    yield c.status, f"no condition has the status {c.status.value!r}", "write 'True' or 'False'", None


_WORDS = {
    "failed": Status.FAILED,
    "failure": Status.FAILED,
    "complete": Status.COMPLETED,
    "completed": Status.COMPLETED,
    "succeeded": Status.COMPLETED,
    "suspended": Status.SUSPENDED,
    "suspending": Status.SUSPENDING,
    "resuming": Status.RESUMING,
    "running": Status.RUNNING,
    "degraded": Status.DEGRADED,
    "initializing": Status.INITIALIZING,
}


def _means(word: str) -> Status | None:
    """The status that a word names, at its end: ``RayClusterSuspended``."""
    return next((s for name, s in _WORDS.items() if word.lower().endswith(name)), None)


@rule(
    "L513",
    "says-the-opposite",
    Severity.ERROR,
    "A status is not told by a word for another one, or by one of its own that is False.",
    "Two mappings that were exchanged read a failed workload as running, and nobody looks at it.",
    source="the words themselves: conditions, phases and results of expressions are called by what they mean",
    bad=_STATUS % "{statusMappings: {running: [{byExpression: {expression: .status.x, expectedResult: failed}}]}}",
    good=_STATUS % "{statusMappings: {failed: [{byExpression: {expression: .status.x, expectedResult: failed}}]}}",
)
def says_the_opposite(context: Context) -> Iterator[Found]:
    """A matcher of nothing else than a word that means another status, or that its own word is False."""
    for status in _statuses(context):
        for name, matchers in status.mappings.items():
            for matcher in matchers:
                for text, asked in _told_by(matcher):
                    means = _means(text.value)
                    if means is not None and (means is name) is not asked and (asked or means is name):
                        is_ = "that it is not" if not asked else "as it is"
                        yield (
                            text,
                            f"{name} is told by {text.value}, {is_}",
                            "exchange the mappings, or ask for the other",
                            None,
                        )


def _told_by(matcher: Matcher) -> Iterator[tuple[Text, bool]]:
    """The one word that a matcher looks for, and whether it must hold; nothing where it looks for more."""
    if matcher.expression is not None and not matcher.conditions and matcher.phase is None:
        yield matcher.expression.expected_result, True
    elif matcher.phase is not None and not matcher.conditions and matcher.expression is None:
        yield matcher.phase, True
    elif len(matcher.conditions) == 1 and matcher.phase is None and matcher.expression is None:
        (condition,) = matcher.conditions
        if condition.status is not None and condition.reason is None and condition.status.value in ("True", "False"):
            yield condition.type, condition.status.value == "True"
