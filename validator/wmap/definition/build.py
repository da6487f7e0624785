"""From a document with places to the model. The document must have the shape that the schema describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.definition.model import (
    Component,
    ConditionMatcher,
    ConditionsDefinition,
    Definition,
    ExpressionMatcher,
    Fragment,
    GangMember,
    Kind,
    Matcher,
    PodGroup,
    PodSelector,
    ScaleDefinition,
    SpecDefinition,
    Status,
    StatusDefinition,
    SubGroup,
    SuspendAction,
    SuspendDefinition,
    Text,
    Topology,
    TypeSelector,
    WorkloadPodGroup,
)
from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.yamlio import Marked


class _Node:
    """A map or list of the document together with its dotted path."""

    def __init__(self, marked: Marked, path: str) -> None:
        self.marked = marked
        self.path = path

    def child(self, key: str) -> _Node | None:
        entries = self.marked.entries
        if entries is None:
            raise self.broken("a map is wanted here")
        found = entries.get(key)
        if found is None or found[1].value is None:
            return None
        return _Node(found[1], f"{self.path}.{key}" if self.path else key)

    def need(self, key: str) -> _Node:
        found = self.child(key)
        if found is None:
            raise self.broken(f"{key} is missing")
        return found

    def text(self, key: str) -> Text | None:
        found = self.child(key)
        return None if found is None else found.as_text()

    def need_text(self, key: str) -> Text:
        return self.need(key).as_text()

    def as_text(self) -> Text:
        if not isinstance(self.marked.value, str):
            raise self.broken("a text is wanted here")
        return Text(self.marked.value, self.path, self.marked.mark)

    def list(self, key: str) -> Iterator[_Node]:
        found = self.child(key)
        if found is None:
            return
        if not isinstance(found.marked.value, list):
            raise found.broken("a list is wanted here")
        for i, item in enumerate(found.marked.items):
            yield _Node(item, f"{found.path}[{i}]")

    def texts(self, key: str) -> dict[str, Text]:
        found = self.child(key)
        if found is None:
            return {}
        if found.marked.entries is None:
            raise found.broken("a map is wanted here")
        return {k: _Node(m, f"{found.path}.{k}").as_text() for k, (_, m) in found.marked.entries.items()}

    def broken(self, message: str) -> InputError:
        mark = self.marked.mark
        where = f"{mark.source.file or 'the definition'}:{mark.line}"
        return InputError(
            f"{where}: {self.path or 'the document'}: {message}", hint="wmap validate says all that is wrong with it"
        )


def build(document: Marked, *, file: str | None = None) -> Definition:
    """Make the model of a document.

    Raises:
        InputError: the document has not the shape of a definition.
    """
    top = _Node(document, "")
    spec = top.need("spec")
    structure = spec.need("structureDefinition")
    optimization = spec.child("optimizationInstructions")
    gang = optimization.child("gangScheduling") if optimization else None
    group = gang.child("podGroup") if gang else None
    return Definition(
        name=top.need("metadata").need_text("name"),
        root=_component(structure.need("rootComponent")),
        children=tuple(_component(n) for n in structure.list("childComponents")),
        additional_child_kinds=tuple(_kind(n) for n in structure.list("additionalChildKinds")),
        pod_group=_workload_group(group) if group else None,
        pod_groups=tuple(_pod_group(n) for n in gang.list("podGroups")) if gang else (),
        file=file,
    )


def _kind(node: _Node) -> Kind:
    group = node.text("group")
    return Kind(group.value if group else "", node.need_text("version").value, node.need_text("kind").value)


def _component(node: _Node) -> Component:
    kind, spec, scale = node.child("kind"), node.child("specDefinition"), node.child("scaleDefinition")
    selector, status, suspend = (
        node.child("podSelector"),
        node.child("statusDefinition"),
        node.child("suspendDefinition"),
    )
    return Component(
        name=node.need_text("name"),
        field=node.path,
        mark=node.marked.mark,
        kind=_kind(kind) if kind else None,
        owner=node.text("ownerRef"),
        spec=_spec(spec) if spec else None,
        scale=ScaleDefinition(scale.text("replicasPath"), scale.text("minReplicasPath"), scale.text("maxReplicasPath"))
        if scale
        else None,
        instance_id=node.text("instanceIdPath"),
        selector=_selector(selector) if selector else None,
        status=_status(status) if status else None,
        suspend=SuspendDefinition(_actions(suspend, "suspendActions"), _actions(suspend, "resumeActions"))
        if suspend
        else None,
    )


def _spec(node: _Node) -> SpecDefinition:
    fragments = node.child("fragmentedPodSpecDefinition")
    return SpecDefinition(
        pod_template=node.text("podTemplateSpecPath"),
        pod_spec=node.text("podSpecPath"),
        metadata=node.text("metadataPath"),
        fragments={f: t for f in Fragment if (t := fragments.text(f.value)) is not None} if fragments else None,
    )


def _selector(node: _Node) -> PodSelector:
    kind, instance, replica = (
        node.child("componentTypeSelector"),
        node.child("componentInstanceSelector"),
        node.child("replicaSelector"),
    )
    return PodSelector(
        component_type=TypeSelector(kind.text("keyPath"), kind.text("value"), kind.texts("matchLabels"))
        if kind
        else None,
        instance_id=instance.need_text("idPath") if instance else None,
        replica_key=replica.need_text("keyPath") if replica else None,
    )


_FIELDS = ("typeFieldName", "statusFieldName", "messageFieldName", "reasonFieldName")


def _status(node: _Node) -> StatusDefinition:
    phase, conditions = node.child("phaseDefinition"), node.child("conditionsDefinition")
    definition = None
    if conditions is not None:
        names = {f: t.value for f in _FIELDS if (t := conditions.text(f)) is not None}
        definition = ConditionsDefinition(
            conditions.need_text("path"),
            names.get("typeFieldName", "type"),
            names.get("statusFieldName", "status"),
            names.get("messageFieldName", "message"),
            names.get("reasonFieldName", "reason"),
            frozenset(names),
        )
    mappings = node.need("statusMappings")
    return StatusDefinition(
        phase=phase.need_text("path") if phase else None,
        conditions=definition,
        mappings={
            s: tuple(_matcher(n) for n in mappings.list(s.value)) for s in Status if mappings.child(s.value) is not None
        },
    )


def _matcher(node: _Node) -> Matcher:
    expression = node.child("byExpression")
    return Matcher(
        field=node.path,
        mark=node.marked.mark,
        phase=node.text("byPhase"),
        conditions=tuple(
            ConditionMatcher(c.need_text("type"), c.text("status"), c.text("reason")) for c in node.list("byConditions")
        ),
        expression=ExpressionMatcher(expression.need_text("expression"), expression.need_text("expectedResult"))
        if expression
        else None,
    )


def _actions(node: _Node, key: str) -> tuple[SuspendAction, ...]:
    return tuple(SuspendAction(n.need_text("path"), n.need_text("value")) for n in node.list(key))


def _topology(node: _Node) -> Topology | None:
    found = node.child("topology")
    if found is None:
        return None
    return Topology(
        found.need_text("topologyName"),
        found.need_text("requiredTopologyLevel"),
        found.need_text("preferredTopologyLevel"),
    )


def _workload_group(node: _Node) -> WorkloadPodGroup:
    return WorkloadPodGroup(
        node.need_text("name"),
        _topology(node),
        tuple(SubGroup(n.need_text("componentName"), _topology(n)) for n in node.list("subGroups")),
    )


def _pod_group(node: _Node) -> PodGroup:
    return PodGroup(
        node.need_text("name"),
        tuple(
            GangMember(
                n.need_text("componentName"),
                tuple(k.as_text() for k in n.list("groupByKeyPaths")),
                tuple(k.as_text() for k in n.list("filters")),
            )
            for n in node.list("members")
        ),
    )
