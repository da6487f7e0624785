"""Rules about what expressions can give, and what is waited for: results of mappings, values of selectors. C114, C115, C120 and C121."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.judged import Judged, on_pod
from wmap.check.rule import Found, rule
from wmap.expr.static import ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING
from wmap.findings import Level, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import ExpressionMatcher
    from wmap.expr.static import Shape

_STATUS = "spec: {structureDefinition: {rootComponent: {statusDefinition: {statusMappings: %s}}}}"
_SELECT = """spec: {structureDefinition: {childComponents: [{name: job, ownerRef: jobset, instanceIdPath: '.spec.replicatedJobs[]?.name',
  specDefinition: {podTemplateSpecPath: '.spec.replicatedJobs[]?.template.spec.template'}, podSelector: {componentTypeSelector:
  {keyPath: 'if .metadata.labels["jobset.sigs.k8s.io/jobset-name"] == null then "other" else "job" end', value: %s},
  componentInstanceSelector: {idPath: '.metadata.labels["jobset.sigs.k8s.io/replicatedjob-name"]'}}}]}}"""
_LIFE = """if .spec.suspend == true then "suspended" else "starting" end"""
_TWO = _STATUS % (
    "{suspended: [{byExpression: {expression: &life '" + _LIFE + "', expectedResult: %s}}],"
    " initializing: [{byExpression: {expression: *life, expectedResult: starting}}]}"
)


def _matchers(context: Judged) -> Iterator[ExpressionMatcher]:
    for c in context.definition.components:
        if c.status is not None:
            for matchers in c.status.mappings.values():
                yield from (m.expression for m in matchers if m.expression is not None)


def may_give(shape: Shape, text: str) -> bool:
    """Whether a value of the shape may be this text, as ``tostring`` makes it."""
    if shape.unknown:
        return True
    known = None if shape.literals is None else {_text(v) for v in shape.literals}
    kinds = shape.kinds
    return (
        bool(kinds & NULL and text == "null")
        or bool(kinds & BOOLEAN and text in ("true", "false") and (known is None or text in known))
        or bool(kinds & STRING and (known is None or text in known))
        or bool(kinds & NUMBER and (text in known if known is not None else text.lstrip("-")[:1].isdigit()))
        or bool(kinds & (ARRAY | OBJECT) and text[:1] in ("[", "{"))
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@rule(
    "C114",
    "impossible-result",
    Severity.ERROR,
    "The result that a mapping waits for is one that its expression can give.",
    "The status is never read: a failed workload that is never Failed hides an outage.",
    source="the types of the release, and the words that stand in the expression",
    bad=_TWO % "suspend",
    good=_TWO % "suspended",
    level=Level.CONTRACT,
)
def impossible_result(context: Judged) -> Iterator[Found]:
    """No value that the expression gives is this text."""
    for matcher in _matchers(context):
        typed = context.typing(matcher.expression)
        wanted = matcher.expected_result
        if typed is None or may_give(typed.shape, wanted.value):
            continue
        words = sorted(_text(v) for v in typed.shape.literals or ())
        shown = f"it gives {', '.join(words[:12])}" if words else f"it gives {' or '.join(typed.shape.types)}"
        yield wanted, f"the expression never gives {wanted.value:.60}", shown, None


@rule(
    "C115",
    "unexpected-result",
    Severity.WARNING,
    "Each word that an expression of mappings gives is one that some mapping waits for.",
    "An object for which it gives another word has no status by it; mostly a mapping was forgotten. Give null, or nothing, where that is"
    " meant.",
    source="the words that stand in the expression",
    bad=_STATUS % ("{suspended: [{byExpression: {expression: '" + _LIFE + "', expectedResult: suspended}}]}"),
    good=_TWO % "suspended",
    level=Level.CONTRACT,
)
def unexpected_result(context: Judged) -> Iterator[Found]:
    """A text among the results that no matcher with this expression waits for."""
    waited: dict[str, set[str]] = {}
    first: dict[str, ExpressionMatcher] = {}
    for matcher in _matchers(context):
        text = matcher.expression.value
        waited.setdefault(text, set()).add(matcher.expected_result.value)
        first.setdefault(text, matcher)
    for text, matcher in first.items():
        typed = context.typing(matcher.expression)
        if typed is None or typed.shape.unknown or typed.shape.literals is None:
            continue
        words = {v for v in typed.shape.literals if isinstance(v, str) and v}
        for word in sorted(words - waited[text]):
            yield (
                matcher.expression,
                f"no mapping waits for the result {word:.60}",
                "add a mapping, or give null there",
                None,
            )


@rule(
    "C120",
    "impossible-value",
    Severity.WARNING,
    "The value that a selector waits for is one that the operator writes, or that its expression gives.",
    "No pod is ever of the component: its pods count as missing, and the gang waits for ever.",
    source="the words that stand in the expression, and the constants of the operator's source at the release",
    bad=_SELECT % "jobs",
    good=_SELECT % "job",
    level=Level.CONTRACT,
)
def impossible_value(context: Judged) -> Iterator[Found]:
    """An expression that never gives it, or a label whose value no constant of the source has."""
    known = context.vocabulary.by_value
    for c in context.definition.components:
        selector = c.selector.component_type if c.selector is not None else None
        if selector is None or selector.key is None or selector.value is None:
            continue
        typed, value = context.typing(selector.key), selector.value.value
        if typed is None:
            continue
        if typed.shape.literals is not None and not typed.shape.unknown:
            if not may_give(typed.shape, value):
                shown = ", ".join(sorted(_text(v) for v in typed.shape.literals))
                yield selector.value, f"keyPath never gives {value:.60}", f"it gives {shown}", None
        elif known and not value.isdigit() and value not in known:
            yield (
                selector.value,
                f"the source of the release has no constant {value:.60}",
                "look at what the operator writes",
                None,
            )


@rule(
    "C121",
    "unordered",
    Severity.WARNING,
    "A comparison weighs values of one kind, which are there.",
    "Across kinds jq orders null before false, true, numbers, texts, lists and objects: `.spec.items > 0` holds for every list, and a count"
    " that is not written yet is less than any.",
    source="the types of the release, and jq's order of all values",
    bad=_STATUS
    % (
        '{suspended: [{byExpression: {expression: \'if .spec.replicatedJobs > 0 then "full" else "empty" end\','
        " expectedResult: full}}]}"
    ),
    good=_STATUS
    % (
        '{suspended: [{byExpression: {expression: \'if (.spec.replicatedJobs | length) > 0 then "full" else "empty" end\','
        " expectedResult: full}}]}"
    ),
    level=Level.CONTRACT,
)
def unordered(context: Judged) -> Iterator[Found]:
    """Two kinds that have nothing in common, or an order in which null may stand."""
    for text, _ in context.texts:
        typed = context.typing(text)
        if typed is not None and not on_pod(text):
            yield from ((text, u.message, u.hint, u.part) for u in typed.unordered)
