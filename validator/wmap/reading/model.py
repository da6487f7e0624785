"""A reading: what a definition makes of one object, and where given of its pods.

All of it is immutable, typed and picklable; ``Reading.to_dict`` is the JSON output (``schemas/describe.schema.json``).
Named tuples, because thousands are made a second and a frozen dataclass costs three times as much to make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wmap.definition.model import Kind

SCHEMA_VERSION = 1

made = tuple.__new__
"""``made(InstanceReading, (...))``: half the time of ``InstanceReading(...)``, for what there are thousands of."""


class Warned(NamedTuple):
    """A warning of a reading: code, one sentence, and what it is about."""

    code: str
    message: str
    component: str | None = None
    expression: str | None = None


class Workload(NamedTuple):
    """Which object was read. Namespace and name are None where the object has none."""

    api_version: str
    kind: str
    namespace: str | None
    name: str | None


class StatusReading(NamedTuple):
    """The phase, all statuses that matched (in the order of precedence), reason and message of the condition."""

    phase: str
    matched: tuple[str, ...]
    reason: str | None
    message: str | None


class Claim(NamedTuple):
    """A resource claim (DRA) of a pod: its name in the pod, what it is made of, and how many containers use it."""

    name: str
    source: str | None
    count: int  # type: ignore[assignment]  # the field's word, though tuples have a method of that name


class PodShape(NamedTuple):
    """What one pod of an instance asks for, and what can be read from its template.

    ``requests`` and ``limits`` are effective pod resources, name to quantity in units of 10^-9
    (``wmap.reading.quantity``).
    """

    requests: Mapping[str, int]
    limits: Mapping[str, int]
    claims: tuple[Claim, ...]
    images: tuple[str, ...]
    scheduler_name: str | None
    priority_class_name: str | None


class InstanceReading(NamedTuple):
    """One instance of a leaf component.

    ``replicas`` is the leaf's own scale (None where the definition gives none), ``pods`` what the whole workload has of
    it. ``ready`` and ``replica_groups`` are None where no pods were given.
    """

    id: str | None
    replicas: int | None
    pods: int
    min_pods: int
    max_pods: int | None
    gpus: int
    shape: PodShape
    ready: int | None
    replica_groups: tuple[str, ...] | None


class ComponentReading(NamedTuple):
    """A component and its instances; an owner without pods of its own, or a component that is absent, has none."""

    name: str
    owner: str | None
    kind: Kind | None
    instances: tuple[InstanceReading, ...]


class Totals(NamedTuple):
    """Sums over the workload. Requests are quantities in units of 10^-9."""

    pods: int
    min_pods: int
    max_pods: int | None
    gpus: int
    min_gpus: int
    accelerators: Mapping[str, int]
    requests: Mapping[str, int]
    min_requests: Mapping[str, int]


class GangReading(NamedTuple):
    """One size of gang. ``count`` is None where the keys do not follow from the tree."""

    pod_group: str
    component: str
    instance: str | None
    min_pods: int
    min_gpus: int
    pods: int
    gpus: int
    count: int | None  # type: ignore[assignment]  # the field's word, though tuples have a method of that name


class AttributedPod(NamedTuple):
    """A pod and where it belongs. ``gang`` holds the key values of its gang."""

    name: str
    component: str
    instance: str | None
    replica_group: str | None
    gang: tuple[str, ...]


class UnmatchedPod(NamedTuple):
    """A pod that belongs to no component, and why."""

    name: str
    reason: str


class GangGroup(NamedTuple):
    """An actual gang: its key values, how many pods it has, and how many it still lacks."""

    pod_group: str
    keys: tuple[str, ...]
    pods: int
    lacks: int


class Attribution(NamedTuple):
    """What was made of the pods."""

    pods: tuple[AttributedPod, ...]
    unmatched: tuple[UnmatchedPod, ...]
    groups: tuple[GangGroup, ...]


class SuspendReading(NamedTuple):
    """Whether the definition can suspend, and whether the object is suspended (by spec)."""

    supported: bool
    suspended: bool


class Reading(NamedTuple):
    """What a definition makes of one object."""

    definition: str
    origin: str
    workload: Workload
    status: StatusReading
    components: tuple[ComponentReading, ...]
    totals: Totals
    gangs: tuple[GangReading, ...]
    attribution: Attribution | None
    suspend: SuspendReading
    warnings: tuple[Warned, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document of ``wmap describe -o json``: plain JSON values, quantities in canonical form."""
        from wmap.reading.output import to_dict  # noqa: PLC0415  # output imports this module

        return to_dict(self)
