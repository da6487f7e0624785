"""Rules about instances and scales. L3xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Text

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
    "Consumers join them by position: another collection, or a filter in one of them, gives pods to the wrong instance.",
    bad=_GROUPS % (_IDS, _EACH, ".spec.pools[]? | (.replicas // 1)", _SELECTOR),
    good=_GROUPS % (_IDS, _EACH, ".spec.groups[]? | (.replicas // 1)", _SELECTOR),
)
def instances_misaligned(context: Context) -> Iterator[Found]:
    """A path over another collection than the ids'."""
    for component in context.leaves:
        ids = context.parsed(component.instance_id)
        if ids is None:
            continue
        for text in _per_instance(component):
            expression = context.parsed(text)
            if expression is not None and ids.iterates and expression.iterates != ids.iterates:
                yield (
                    text,
                    "it iterates another collection than instanceIdPath",
                    "iterate the same: one result for each id",
                    None,
                )


@rule(
    "L303",
    "several-without-ids",
    Severity.ERROR,
    "A component without instanceIdPath gives one result a path.",
    "Consumers fail with `instance ids count (1) does not match results count`.",
    bad=_GROUPS % ("", _EACH, ".spec.replicas", ""),
    good=_GROUPS % ("", ".spec.template", ".spec.replicas // 1", ""),
)
def several_without_ids(context: Context) -> Iterator[Found]:
    """A path that may give none, or several."""
    for component in context.leaves:
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
    "Where one leaf has a scale, its siblings have one too.",
    "A leaf without a scale counts 0 pods as soon as another has one.",
    source="the scheduler's pod grouper: a leaf whose replicas are absent counts 0 where a scale is declared somewhere",
    bad=_TWO % "",
    good=_TWO % ", scaleDefinition: {replicasPath: 'if .spec.head == null then null else 1 end'}",
)
def mixed_scale(context: Context) -> Iterator[Found]:
    """A leaf without replicasPath beside one with it."""
    leaves = context.leaves
    if any(c.scale is not None and c.scale.replicas is not None for c in leaves):
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


def _per_instance(component: Component) -> Iterator[Text]:
    """The paths that are joined with the ids by position."""
    spec, scale = component.spec, component.scale
    if spec is not None:
        texts = (spec.pod_template, spec.pod_spec, spec.metadata, *(spec.fragments or {}).values())
        yield from (t for t in texts if t is not None)
    if scale is not None:
        yield from (t for t in (scale.replicas, scale.min_replicas, scale.max_replicas) if t is not None)
