"""Rules about components: names, owners, kinds, the form of their pods. L1xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    bad=_CHILD.replace("ownerRef: job", "ownerRef: jab") % "",
    good=_CHILD % "",
)
def unknown_owner(context: Context) -> Iterator[Found]:
    """An owner that does not exist, or a cycle."""
    definition = context.definition
    names = [c.name.value for c in definition.components]
    for component in definition.children:
        if component.owner is None:
            continue
        if component.owner.value not in names:
            yield component.owner, f"there is no component {component.owner}", f"there are: {', '.join(names)}", None
            continue
        chain = [owner.name.value for owner in definition.ancestors(component)]
        if not chain or chain[-1] != definition.root.name.value:
            broken = next((c for c in definition.components if c.name.value == (chain or names)[-1]), component)
            if broken.owner is None or broken.owner.value in (*chain, component.name.value):
                yield component.owner, f"{component.name} is owned in a circle", "let the owners lead to the root", None


@rule(
    "L103",
    "pod-definition-form",
    Severity.ERROR,
    "Pods are described in exactly one form: a template, a pod spec (with metadata), or fragments.",
    "Consumers take one form and fail on two or none; metadataPath goes with podSpecPath only.",
    bad=_CHILD.replace(
        "podTemplateSpecPath: .spec.template", "podTemplateSpecPath: .spec.template, podSpecPath: .spec.pod"
    )
    % "",
    good=_CHILD % "",
)
def pod_definition_form(context: Context) -> Iterator[Found]:
    """Two forms, none, or metadata beside another form."""
    for component in context.leaves:
        spec = component.spec
        if spec is None:
            continue
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
    bad="spec: {structureDefinition: {rootComponent: {kind: null}}}",
    good="spec: {}",
)
def root_kind(context: Context) -> Iterator[Found]:
    """No kind, or an empty group."""
    root = context.definition.root
    if root.kind is None:
        yield root.name, f"{root.name} has no kind", "add kind: {group, version, kind}", None
    elif not root.kind.group and root.kind.kind != "Pod":
        yield root.name, f"{root.kind.kind} has no group", "only Pod may be without one on the root", None


@rule(
    "L106",
    "child-kind-twice",
    Severity.WARNING,
    "additionalChildKinds names no kind that a component has.",
    "Consumers would count the same objects twice.",
    bad="""
spec: {structureDefinition: {additionalChildKinds: [{group: batch, version: v1, kind: Job}], childComponents: [
  {name: worker, ownerRef: job, kind: {group: batch, version: v1, kind: Job}}]}}
""",
    good=_CHILD % "",
)
def child_kind_twice(context: Context) -> Iterator[Found]:
    """A kind that a component has as well."""
    definition = context.definition
    mine = {c.kind: c for c in definition.components if c.kind is not None}
    for kind in definition.additional_child_kinds:
        if kind in mine:
            component = mine[kind]
            yield (
                component.name,
                f"{kind} is the kind of {component.name} and stands in additionalChildKinds too",
                "leave it out there",
                None,
            )
