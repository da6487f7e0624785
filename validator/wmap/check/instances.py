"""Rules about instances and scales. L3xx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.check.rule import Context, Found, rule
from wmap.expr import EvaluationError, Step
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Text
    from wmap.expr import Expression

_GROUPS = """
spec: {structureDefinition: {childComponents: [{name: worker, ownerRef: job%s,
  specDefinition: {podTemplateSpecPath: '%s'}, scaleDefinition: {replicasPath: '%s'}%s}]}}
"""
_IDS = ", instanceIdPath: '.spec.groups[]?.name'"
_SELECTOR = ", podSelector: {componentInstanceSelector: {idPath: .metadata.labels.group}}"
_EACH = ".spec.groups[]?.template"
_TWO = """
spec: {structureDefinition: {childComponents: [
  {name: head, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.head},
   podSelector: {componentTypeSelector: {keyPath: .metadata.labels.role, value: head}}%s},
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.worker}, scaleDefinition: {replicasPath: .spec.workers},
   podSelector: {componentTypeSelector: {keyPath: .metadata.labels.role, value: worker}}}]}}
"""


@rule(
    "L301",
    "instance-selector-pair",
    Severity.ERROR,
    "instanceIdPath and componentInstanceSelector come together.",
    "Without the selector no pod finds its instance; without the ids no instance is there.",
    source="the format's validator",
    bad=_GROUPS % (_IDS, _EACH, ".spec.groups[]? | (.replicas // 1)", ""),
    good=_GROUPS % (_IDS, _EACH, ".spec.groups[]? | (.replicas // 1)", _SELECTOR),
)
def instance_selector_pair(context: Context) -> Iterator[Found]:
    """One without the other."""
    for component in context.definition.components:
        selector = component.selector.instance_id if component.selector else None
        if component.instance_id is not None and selector is None:
            yield (
                component.instance_id,
                "there are instances, but no componentInstanceSelector",
                "add podSelector.componentInstanceSelector.idPath",
                None,
            )
        elif selector is not None and component.instance_id is None:
            yield selector, "there is a componentInstanceSelector, but no instanceIdPath", "add instanceIdPath", None


@rule(
    "L302",
    "instances-misaligned",
    Severity.ERROR,
    "Ids, pods and scales iterate the same collection.",
    "Consumers join them by position: another collection gives pods to the wrong instance.",
    source="the public library of the format zips the results of each path with the ids",
    bad=_GROUPS % (_IDS, _EACH, ".spec.pools[]? | (.replicas // 1)", _SELECTOR),
    good=_GROUPS % (_IDS, _EACH, ".spec.groups[]? | (.replicas // 1)", _SELECTOR),
)
def instances_misaligned(context: Context) -> Iterator[Found]:
    """A path over another collection than the ids'. What the text does not tell (``keys[]``) is left to evaluation."""
    for component in context.definition.components:
        ids = context.parsed(component.instance_id)
        if ids is None or not _told(ids):
            continue
        for text in _per_instance(component):
            expression = context.parsed(text)
            if expression is not None and _told(expression) and expression.iterates != ids.iterates:
                yield (
                    text,
                    "it iterates another collection than instanceIdPath",
                    "iterate the same: one result for each id",
                    None,
                )


def _told(expression: Expression) -> bool:
    """Whether the text tells how many results there are: one, or one for each entry of named collections."""
    if not expression.iterates:
        return expression.single
    return not any(step is Step.DYNAMIC for path in expression.iterates for step in path)


@rule(
    "L303",
    "several-without-ids",
    Severity.ERROR,
    "A component without instanceIdPath gives one result a path.",
    "Consumers fail with `instance ids count (1) does not match results count`.",
    source="the public library of the format: without ids there is one instance, and each path must give one result",
    bad=_GROUPS % ("", _EACH, ".spec.replicas", ""),
    good=_GROUPS % ("", ".spec.template", ".spec.replicas // 1", ""),
)
def several_without_ids(context: Context) -> Iterator[Found]:
    """A path that may give none, or several."""
    for component in context.definition.components:
        if component.instance_id is not None:
            continue
        for text in _per_instance(component):
            expression = context.parsed(text)
            if expression is not None and not expression.single:
                yield (
                    text,
                    "it may give no result, or several, and there is no instanceIdPath",
                    "give null where the field is absent, or add instanceIdPath",
                    None,
                )


@rule(
    "L304",
    "mixed-scale",
    Severity.ERROR,
    "Where one component has a scale, every leaf has one.",
    "A leaf without a scale counts 0 pods as soon as another component has one.",
    source="the scheduler's pod grouper: a leaf whose replicas are absent counts 0 where a scale is declared somewhere",
    bad=_TWO % "",
    good=_TWO % ", scaleDefinition: {replicasPath: 'if .spec.head == null then null else 1 end'}",
)
def mixed_scale(context: Context) -> Iterator[Found]:
    """A leaf without replicasPath beside one with it."""
    leaves = context.leaves
    if any(c.scale is not None and c.scale.replicas is not None for c in context.definition.components):
        for component in leaves:
            if component.scale is None or component.scale.replicas is None:
                yield (
                    component.name,
                    f"{component.name} has no replicasPath, while other components have one: it counts 0 pods",
                    "add scaleDefinition.replicasPath",
                    None,
                )


@rule(
    "L305",
    "scaled-owner-with-instances",
    Severity.WARNING,
    "An owner with instances has no scale.",
    "It multiplies the sum of its instances, so every pod below is counted once for each of them.",
    source="the scheduler's pod grouper: scale of a component = the sum over its instances",
    bad=(_GROUPS % (_IDS, _EACH, ".spec.groups[]? | (.replicas // 1)", _SELECTOR)).replace(
        "}]}}", "}, {name: pod, ownerRef: worker}]}}"
    ),
    good=_GROUPS % (_IDS, _EACH, ".spec.groups[]? | (.replicas // 1)", _SELECTOR),
)
def scaled_owner_with_instances(context: Context) -> Iterator[Found]:
    """An owner that has both."""
    owners = {c.owner.value for c in context.definition.children if c.owner is not None}
    for component in context.definition.components:
        if component.name.value in owners and component.instance_id is not None and component.scale is not None:
            yield (
                component.name,
                f"{component.name} owns components and has instances and a scale",
                "compute the count at the leaf",
                None,
            )


@rule(
    "L306",
    "conjured-pods",
    Severity.WARNING,
    "A component that the object does not have has no scale.",
    "A default that applies to what is absent conjures pods: one of several components may well be absent.",
    source="the scheduler's pod grouper counts the scale of a component whether or not its pods are described",
    bad=_TWO % ", scaleDefinition: {replicasPath: .spec.head.replicas // 1}",
    good=_TWO
    % ", scaleDefinition: {replicasPath: 'if .spec.head == null then null else (.spec.head.replicas // 1) end'}",
)
def conjured_pods(context: Context) -> Iterator[Found]:
    """Replicas on an object that has nothing at all, in a definition with several leaves."""
    leaves = context.leaves
    for component in leaves if len(leaves) > 1 else ():
        replicas = context.parsed(component.scale.replicas) if component.scale else None
        if component.instance_id is not None or component.scale is None or replicas is None:
            continue
        described = [v for text in _pods(component) if (e := context.parsed(text)) for v in _on_nothing(e)]
        counts = [v for v in _on_nothing(replicas) if isinstance(v, int | float) and not isinstance(v, bool) and v > 0]
        if component.scale.replicas is not None and counts and all(v is None for v in described):
            yield (
                component.scale.replicas,
                f"an object without {component.name} gets {counts[0]} of its pods",
                "write if <the component> == null then null else ... end",
                None,
            )


def _on_nothing(expression: Expression) -> list[Any]:
    """The results on an object without fields, none where it raises."""
    try:
        return expression.evaluate({})
    except EvaluationError:
        return []


def _pods(component: Component) -> Iterator[Text]:
    """The paths that describe the pods of a component."""
    spec = component.spec
    if spec is not None:
        texts = (spec.pod_template, spec.pod_spec, spec.metadata, *(spec.fragments or {}).values())
        yield from (t for t in texts if t is not None)


def _per_instance(component: Component) -> Iterator[Text]:
    """The paths that are joined with the ids by position."""
    yield from _pods(component)
    scale = component.scale
    if scale is not None:
        yield from (t for t in (scale.replicas, scale.min_replicas, scale.max_replicas) if t is not None)


@rule(
    "L307",
    "bounds-exchanged",
    Severity.WARNING,
    "The minimum is read from what is called a minimum, the maximum from what is called a maximum.",
    "Exchanged, a gang waits for the most pods that there may ever be, and an autoscaler's room is read as its floor.",
    source="the names of the fields themselves",
    bad=_GROUPS
    % ("", ".spec.template", ".spec.replicas', minReplicasPath: '.spec.max', maxReplicasPath: '.spec.min", ""),
    good=_GROUPS
    % ("", ".spec.template", ".spec.replicas', minReplicasPath: '.spec.min', maxReplicasPath: '.spec.max", ""),
)
def bounds_exchanged(context: Context) -> Iterator[Found]:
    """A minimum that reads fields called max alone, or the other way; replicas that read a minimum alone."""
    for c in context.definition.components:
        scale = c.scale
        if scale is None:
            continue
        for text, wrong, right in ((scale.min_replicas, "max", "min"), (scale.max_replicas, "min", "max")):
            expression = context.parsed(text)
            if text is None or expression is None:
                continue
            names = {n.lower() for n in _last(context, text)}
            if any(wrong in n for n in names) and not any(right in n for n in names):
                yield text, f"the {right}imum reads what is called a {wrong}imum", "exchange the two paths", None
        if scale.min_replicas is not None and {"replicas"} <= _last(context, scale.min_replicas) - _last(
            context, scale.replicas
        ):
            message = "the minimum reads a field called replicas, the replicas do not"
            yield scale.min_replicas, message, "exchange the two paths", None


def _last(context: Context, text: Text | None) -> set[str]:
    """The names of the fields that a path reads."""
    expression = context.parsed(text)
    return {p[-1] for p in expression.reads if isinstance(p[-1], str)} if expression is not None else set()
