"""The model of a definition: the public format (``run.ai/v1alpha1``, kind Karta), field by field, with positions.

Every leaf of the format is a string; here it is a ``Text``, which knows its place in the file. A model is only made of
a document that satisfies ``schemas/definition.schema.json``. All of it is frozen and picklable.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from wmap.expr import Expression, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wmap.definition.source import Mark
    from wmap.findings import Span


class Status(StrEnum):
    """The statuses of the format, spelt as in the format; ``value`` is the key below ``statusMappings``."""

    INITIALIZING = "initializing"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    DEGRADED = "degraded"
    SUSPENDED = "suspended"
    SUSPENDING = "suspending"
    RESUMING = "resuming"

    @property
    def phase(self) -> str:
        """The spelling in outputs: ``Running``."""
        return self.value.capitalize()


@dataclass(frozen=True, slots=True)
class Text:
    """A string of the document: its value, its dotted field path, and where it stands."""

    value: str
    field: str
    mark: Mark = dataclasses.field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.value

    @property
    def expression(self) -> Expression:
        """The string parsed as an expression of the definition's language.

        Raises:
            ExpressionError: it is none, or none that may be used.
        """
        return parse(self.value)

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The place of ``value[start:end]`` in the file, also in quoted, folded and literal scalars."""
        return self.mark.span(start, len(self.value) if end is None else end)


@dataclass(frozen=True, slots=True)
class Kind:
    """Group, version and kind. The group is empty for core kinds."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """``group/version``, or the version alone for core kinds."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @classmethod
    def of(cls, api_version: str, kind: str) -> Kind:
        """Make one from ``apiVersion`` and ``kind`` of an object."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"


class Fragment(StrEnum):
    """The paths of a ``fragmentedPodSpecDefinition``; ``value`` is the name in the format."""

    SCHEDULER_NAME = "schedulerNamePath"
    LABELS = "labelsPath"
    ANNOTATIONS = "annotationsPath"
    RESOURCES = "resourcesPath"
    RESOURCE_CLAIMS = "resourceClaimsPath"
    POD_AFFINITY = "podAffinityPath"
    NODE_AFFINITY = "nodeAffinityPath"
    CONTAINERS = "containersPath"
    CONTAINER = "containerPath"
    PRIORITY_CLASS_NAME = "priorityClassNamePath"
    IMAGE = "imagePath"


@dataclass(frozen=True, slots=True)
class SpecDefinition:
    """Where the pods of a leaf are described: exactly one of template, pod spec (with metadata), fragments."""

    pod_template: Text | None = None
    pod_spec: Text | None = None
    metadata: Text | None = None
    fragments: Mapping[Fragment, Text] | None = None


@dataclass(frozen=True, slots=True)
class ScaleDefinition:
    """Integers per instance, per replica of the owner; on a leaf the unit is pods."""

    replicas: Text | None = None
    min_replicas: Text | None = None
    max_replicas: Text | None = None


@dataclass(frozen=True, slots=True)
class TypeSelector:
    """Which pods belong to a component: a key path, with or without a value, and labels."""

    key: Text | None = None
    value: Text | None = None
    match_labels: Mapping[str, Text] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PodSelector:
    """Evaluated on one pod: its component, its instance, its replica group."""

    component_type: TypeSelector | None = None
    instance_id: Text | None = None
    replica_key: Text | None = None


@dataclass(frozen=True, slots=True)
class ConditionsDefinition:
    """Where the conditions are, and what their fields are called (defaults filled in)."""

    path: Text
    type_field: str = "type"
    status_field: str = "status"
    message_field: str = "message"
    reason_field: str = "reason"
    declared: frozenset[str] = frozenset()
    """The names of the fields that the document wrote out: ``typeFieldName``, ..."""


@dataclass(frozen=True, slots=True)
class ConditionMatcher:
    """One condition: its type and, where given, its status and reason."""

    type: Text
    status: Text | None = None
    reason: Text | None = None


@dataclass(frozen=True, slots=True)
class ExpressionMatcher:
    """An expression and the text that its first result must have."""

    expression: Text
    expected_result: Text


@dataclass(frozen=True, slots=True)
class Matcher:
    """One alternative of a mapping: all that is given must hold."""

    field: str
    mark: Mark = dataclasses.field(compare=False, repr=False)
    phase: Text | None = None
    conditions: tuple[ConditionMatcher, ...] = ()
    expression: ExpressionMatcher | None = None


@dataclass(frozen=True, slots=True)
class StatusDefinition:
    """Where phase and conditions are, and which of them mean which status."""

    phase: Text | None
    conditions: ConditionsDefinition | None
    mappings: Mapping[Status, tuple[Matcher, ...]]


@dataclass(frozen=True, slots=True)
class SuspendAction:
    """A value (JSON text) that is written at a path."""

    path: Text
    value: Text


@dataclass(frozen=True, slots=True)
class SuspendDefinition:
    """How the workload is suspended and resumed."""

    suspend: tuple[SuspendAction, ...]
    resume: tuple[SuspendAction, ...]


@dataclass(frozen=True, slots=True)
class Component:
    """A node of the definition's tree. ``field`` is its dotted path, the root's ``owner`` is None."""

    name: Text
    field: str
    mark: Mark = dataclasses.field(compare=False, repr=False)
    kind: Kind | None = None
    owner: Text | None = None
    spec: SpecDefinition | None = None
    scale: ScaleDefinition | None = None
    instance_id: Text | None = None
    selector: PodSelector | None = None
    status: StatusDefinition | None = None
    suspend: SuspendDefinition | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether it owns pods: it has a ``specDefinition``."""
        return self.spec is not None


@dataclass(frozen=True, slots=True)
class Topology:
    """Topology constraints of a gang or subgroup."""

    name: Text
    required_level: Text
    preferred_level: Text


@dataclass(frozen=True, slots=True)
class GangMember:
    """A member of an old-form pod group."""

    component: Text
    group_by: tuple[Text, ...] = ()
    filters: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class PodGroup:
    """An entry of the old form ``podGroups[]``."""

    name: Text
    members: tuple[GangMember, ...]


@dataclass(frozen=True, slots=True)
class SubGroup:
    """A subgroup of the new form."""

    component: Text
    topology: Topology | None = None


@dataclass(frozen=True, slots=True)
class WorkloadPodGroup:
    """The new form ``podGroup``: one gang for the workload."""

    name: Text
    topology: Topology | None = None
    sub_groups: tuple[SubGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition of the catalog.

    ``file`` is the path as it was given (or None), ``pod_groups`` the old form, ``pod_group`` the new form; where both
    are there, the new form is used.
    """

    name: Text
    root: Component
    children: tuple[Component, ...] = ()
    additional_child_kinds: tuple[Kind, ...] = ()
    pod_group: WorkloadPodGroup | None = None
    pod_groups: tuple[PodGroup, ...] = ()
    file: str | None = dataclasses.field(default=None, compare=False)

    @property
    def components(self) -> tuple[Component, ...]:
        """All components in document order, the root first."""
        return (self.root, *self.children)

    @property
    def kind(self) -> Kind:
        """The kind that the definition reads."""
        if self.root.kind is None:  # reading refuses it, a lint rule reports it
            msg = "a definition's root has a kind"
            raise ValueError(msg)
        return self.root.kind

    def component(self, name: str) -> Component | None:
        """The component of that name, or None."""
        return next((c for c in self.components if c.name.value == name), None)

    def ancestors(self, component: Component) -> Iterator[Component]:
        """The owners of a component, nearest first, the root last; a cycle or a missing owner ends it."""
        seen = {component.name.value}
        while component.owner is not None:
            owner = self.component(component.owner.value)
            if owner is None or owner.name.value in seen:
                return
            seen.add(owner.name.value)
            yield owner
            component = owner
