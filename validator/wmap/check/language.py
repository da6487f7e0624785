"""Rules about single expressions: do they parse, may they be used, can they be assigned to, do all readers agree. L2xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, expressions, rule
from wmap.expr import ExpressionError, PitfallKind, Refusal
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

_PHASE = "spec: {structureDefinition: {rootComponent: {statusDefinition: {phaseDefinition: {path: '%s'}}}}}"
_TEMPLATE = "spec: {structureDefinition: {childComponents: [{name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: '%s'}}]}}"
_REPLICAS = """
spec: {structureDefinition: {childComponents: [{name: worker, ownerRef: job, instanceIdPath: '.spec.groups[]?.name',
  specDefinition: {podTemplateSpecPath: '.spec.groups[]?.template'}, scaleDefinition: {replicasPath: '%s'},
  podSelector: {componentInstanceSelector: {idPath: .metadata.labels.group}}}]}}
"""


def _refused(context: Context, refusals: tuple[Refusal, ...]) -> Iterator[Found]:
    for text, _ in expressions(context.definition):
        try:
            _ = text.expression
        except ExpressionError as error:
            if error.refusal in refusals:
                yield text, error.message, error.hint, error.part


@rule(
    "L201",
    "expression-syntax",
    Severity.ERROR,
    "Every path is an expression that parses.",
    "Consumers fail on the whole component where a path does not parse.",
    source="the public library of the format: extraction of a component is all or nothing",
    bad=_PHASE % ".status.[",
    good=_PHASE % ".status.phase",
)
def expression_syntax(context: Context) -> Iterator[Found]:
    """A syntax error, or an expression that is too large or too deep."""
    yield from _refused(context, (Refusal.SYNTAX, Refusal.SIZE))


@rule(
    "L202",
    "expression-policy",
    Severity.ERROR,
    "Expressions are pure, bounded reads.",
    "Consumers refuse assignment, recursion and loops as unsafe; a definition comes from a stranger.",
    source="the public library of the format refuses what is unsafe; the language here is a list of allowed builtins",
    bad=_PHASE % "[..] | first",
    good=_PHASE % ".status.phase",
)
def expression_policy(context: Context) -> Iterator[Found]:
    """Something that the policy refuses."""
    yield from _refused(context, (Refusal.POLICY,))


@rule(
    "L203",
    "default-outside-iteration",
    Severity.ERROR,
    "A default stands inside the iteration.",
    "`.groups[].replicas // 1` gives the values that are there and drops the others, so counts shift to the wrong "
    "instance; `.groups[] | (.replicas // 1)` gives one value each.",
    source="jq's // yields all truthy values of its left side, and the right side only if there is none",
    bad=_REPLICAS % ".spec.groups[]?.replicas // 1",
    good=_REPLICAS % ".spec.groups[]? | (.replicas // 1)",
)
def default_outside_iteration(context: Context) -> Iterator[Found]:
    """``a[] // b``."""
    for text, _ in expressions(context.definition):
        expression = context.parsed(text)
        if expression is not None:
            for part in expression.defaults_outside_iteration:
                yield (
                    text,
                    "the default drops entries: it applies to all of them together",
                    "write .items[] | (.field // default)",
                    part,
                )


@rule(
    "L204",
    "not-assignable",
    Severity.ERROR,
    "A path that consumers write through is a valid path.",
    "Pod templates and suspend fields are changed at `path(<expression>)`; a computed value has no place.",
    source="the public library of the format writes along path(<expression>)",
    bad=_TEMPLATE % "{spec: .spec.pod}",
    good=_TEMPLATE % ".spec.template",
)
def not_assignable(context: Context) -> Iterator[Found]:
    """An expression that has no place in the object."""
    for text, assigned in expressions(context.definition):
        expression = context.parsed(text) if assigned else None
        if expression is not None and expression.not_assignable is not None:
            part, why = expression.not_assignable
            yield text, f"it cannot be written through: {why}", "address the value itself: fields, [], select, //", part


@rule(
    "L205",
    "not-portable",
    Severity.WARNING,
    "jq and gojq read an expression alike.",
    "Consumers evaluate with gojq, others with jq; where they differ the definition means two things.",
    source="gojq and libjq, compared on generated programs and documents",
    bad=_PHASE % ".status.phase | . + 12345678901234567890",
    good=_PHASE % ".status.phase",
)
def not_portable(context: Context) -> Iterator[Found]:
    """What the two readers differ on."""
    for text, _ in expressions(context.definition):
        expression = context.parsed(text)
        if expression is not None:
            for found in expression.not_portable:
                yield text, found.message, found.hint, found.part


def _fallen(context: Context, kind: PitfallKind) -> Iterator[Found]:
    for text, _ in expressions(context.definition):
        expression = context.parsed(text)
        if expression is not None:
            yield from ((text, p.message, p.hint, p.part) for p in expression.pitfalls if p.kind is kind)


@rule(
    "L206",
    "decided-condition",
    Severity.ERROR,
    "What a condition compares can turn out both ways.",
    "`a != 1 or a != 2` holds for every a: one branch is never taken, and what it said of its objects is never read.",
    source="the meaning of and, or and null: below a value that is null everything is null",
    bad=_PHASE % 'if .status.state == null and .status.state == "" then "starting" else .status.state end',
    good=_PHASE % 'if .status.state == null or .status.state == "" then "starting" else .status.state end',
)
def decided_condition(context: Context) -> Iterator[Found]:
    """Comparisons of one value, joined so that they always or never hold."""
    yield from _fallen(context, PitfallKind.DECIDED)


@rule(
    "L207",
    "absent-is-not-false",
    Severity.WARNING,
    "A switch that is off is `!= true`, not `== false`.",
    "A field that is left out is null, which is not false: the common way to say no is missed.",
    source="jq: null == false is false; the API server leaves out what was not given",
    bad=_PHASE % 'if .spec.suspend == false then "on" else "off" end',
    good=_PHASE % 'if .spec.suspend != true then "on" else "off" end',
)
def absent_is_not_false(context: Context) -> Iterator[Found]:
    """A field compared with false."""
    yield from _fallen(context, PitfallKind.ABSENT_IS_NOT_FALSE)


@rule(
    "L208",
    "one-entry",
    Severity.WARNING,
    "What is asked of a list is asked of all its entries.",
    "Conditions come in any order, and an operator inserts new ones: the entry that is first today is another one tomorrow.",
    source="the API conventions of Kubernetes: conditions are a map by type",
    bad=_PHASE % ".status.conditions[0].type",
    good=_PHASE % '[.status.conditions[]? | select(.status == "True") | .type] | first',
)
def one_entry(context: Context) -> Iterator[Found]:
    """A condition by its number, or any and all over one entry."""
    yield from _fallen(context, PitfallKind.ONE_ENTRY)
