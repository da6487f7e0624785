"""Rules about components: names, owners, kinds, the form of their pods. L1xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Definition

_CHILD = """
spec: {structureDefinition: {childComponents: [
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.template}%s}]}}
"""


@rule(
    "L101",
    "duplicate-component",
    Severity.ERROR,
    "Component names are unique.",
    "Owners, gangs and pods refer to a component by its name.",
    source="the format's validator: names are the keys of its index of components",
    bad="""
spec: {structureDefinition: {childComponents: [
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.template}},
  {name: worker, ownerRef: job}]}}
""",
    good=_CHILD % "",
)
def duplicate_component(context: Context) -> Iterator[Found]:
    """A name that an earlier component has."""
    seen: set[str] = set()
    for component in context.definition.components:
        if component.name.value in seen:
            yield component.name, f"a second component is called {component.name}", "give it a name of its own", None
        seen.add(component.name.value)


@rule(
    "L102",
    "unknown-owner",
    Severity.ERROR,
    "Every owner exists, and the owners lead to the root.",
    "A component that hangs in the air, or owns itself, is counted nowhere.",
    source="the format's validator: owner references exist and have no cycle",
    bad=_CHILD.replace("ownerRef: job", "ownerRef: jab") % "",
    good=_CHILD % "",
)
def unknown_owner(context: Context) -> Iterator[Found]:
    """An owner that does not exist, or a circle."""
    definition = context.definition
    names = [c.name.value for c in definition.components]
    for component, owner in ((c, c.owner) for c in definition.components if c.owner is not None):
        if owner.value not in names:
            yield owner, f"there is no component {owner}", f"there are: {', '.join(names)}", None
        elif _in_a_circle(definition, component):
            yield owner, f"{component.name} is owned in a circle", "let the owners lead to the root", None


def _in_a_circle(definition: Definition, component: Component) -> bool:
    """Whether the owners of a component lead back to it."""
    seen = {component.name.value}
    current: Component | None = component
    while current is not None and current.owner is not None:
        if current.owner.value == component.name.value:
            return True
        if current.owner.value in seen:
            return False
        seen.add(current.owner.value)
        current = definition.component(current.owner.value)
    return False


@rule(
    "L103",
    "pod-definition-form",
    Severity.ERROR,
    "Pods are described in exactly one form: a template, a pod spec (with metadata), or fragments.",
    "Consumers take one form and fail on two or none; metadataPath goes with podSpecPath only.",
    source="the format's validator: the forms exclude each other",
    bad=_CHILD.replace(
        "podTemplateSpecPath: .spec.template", "podTemplateSpecPath: .spec.template, podSpecPath: .spec.pod"
    )
    % "",
    good=_CHILD % "",
)
def pod_definition_form(context: Context) -> Iterator[Found]:
    """Two forms, none, or metadata beside another form."""
    for component, spec in ((c, c.spec) for c in context.definition.components if c.spec is not None):
        forms = [n for n, f in (("podTemplateSpecPath", spec.pod_template), ("podSpecPath", spec.pod_spec),
                 ("fragmentedPodSpecDefinition", spec.fragments)) if f]  # fmt: skip
        if len(forms) != 1:
            what = " and ".join(forms) if forms else "no form"
            yield component.name, f"the pods of {component.name} are described by {what}", "keep exactly one", None
        elif spec.metadata is not None and spec.pod_spec is None:
            yield spec.metadata, "metadataPath goes with podSpecPath only", "leave it out", None


@rule(
    "L104",
    "root-without-status",
    Severity.ERROR,
    "The root has a status definition.",
    "Without it every object reads Undefined, and the format's own validator refuses the definition.",
    source="the format's validator",
    bad="spec: {structureDefinition: {rootComponent: {statusDefinition: null}}}",
    good="spec: {}",
)
def root_without_status(context: Context) -> Iterator[Found]:
    """No status definition."""
    root = context.definition.root
    if root.status is None:
        yield (
            root.name,
            f"{root.name} has no statusDefinition",
            "add conditionsDefinition or phaseDefinition, and statusMappings",
            None,
        )


@rule(
    "L105",
    "root-kind",
    Severity.ERROR,
    "The root has a kind, in a group; only Pod may have none.",
    "The kind says which objects the definition reads; the format's validator refuses an empty group on the root.",
    source="the format's validator: only kind Pod may have an empty group",
    bad="spec: {structureDefinition: {rootComponent: {kind: null}}}",
    good="spec: {}",
)
def root_kind(context: Context) -> Iterator[Found]:
    """No kind, or an empty group."""
    root = context.definition.root
    if root.kind is None:
        yield root.name, f"{root.name} has no kind", "add kind: {group, version, kind}", None
    elif not root.kind.group and root.kind.kind != "Pod":
        yield (
            context.at(f"{root.field}.kind.group"),
            f"{root.kind.kind} has no group",
            "only Pod may be without one on the root",
            None,
        )


@rule(
    "L106",
    "child-kind-twice",
    Severity.WARNING,
    "additionalChildKinds names no kind that a component has.",
    "Consumers would count the same objects twice.",
    source="the format: these are the kinds that are managed but not modelled",
    bad="""
spec: {structureDefinition: {additionalChildKinds: [{group: batch, version: v1, kind: Job}], childComponents: [
  {name: worker, ownerRef: job, kind: {group: batch, version: v1, kind: Job}}]}}
""",
    good=_CHILD % "",
)
def child_kind_twice(context: Context) -> Iterator[Found]:
    """A kind that a component has as well."""
    definition = context.definition
    mine = {(c.kind.group, c.kind.kind): c for c in definition.components if c.kind is not None}
    for i, kind in enumerate(definition.additional_child_kinds):
        component = mine.get((kind.group, kind.kind))
        if component is not None:
            yield (
                context.at(f"spec.structureDefinition.additionalChildKinds[{i}].kind"),
                f"{kind.kind} is the kind of {component.name} already",
                "leave it out here",
                None,
            )


_CORE = frozenset({
    "Binding", "ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume",
    "PersistentVolumeClaim", "Pod", "PodTemplate", "ReplicationController", "ResourceQuota", "Secret", "Service",
    "ServiceAccount",
})  # fmt: skip


@rule(
    "L107",
    "no-core-kind",
    Severity.ERROR,
    "Only core kinds have an empty group.",
    "Objects of a kind that does not exist are never found.",
    source="Kubernetes: the kinds of the core API, v1",
    bad=_CHILD.replace("ownerRef: job", "ownerRef: job, kind: {group: '', version: v1, kind: StatefulSet}") % "",
    good=_CHILD.replace("ownerRef: job", "ownerRef: job, kind: {group: apps, version: v1, kind: StatefulSet}") % "",
)
def no_core_kind(context: Context) -> Iterator[Found]:
    """An empty group, and a kind that the core API does not have. The root has a rule of its own."""
    definition = context.definition
    kinds = [(c.kind, f"{c.field}.kind.group") for c in definition.children if c.kind is not None]
    kinds += [
        (kind, f"spec.structureDefinition.additionalChildKinds[{i}].group")
        for i, kind in enumerate(definition.additional_child_kinds)
    ]
    for kind, field in kinds:
        if not kind.group and kind.kind not in _CORE:
            yield context.at(field), f"the core API has no kind {kind.kind}", "write the group of the kind", None
