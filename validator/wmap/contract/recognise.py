"""Core types recognised by structure: where a tree is a PodTemplateSpec, a Container, ..., and where it differs from it.

What comes out is exact: the core type, less what the tree lacks of it, with what the tree says differently, is the tree. A tree
that lacks much of a core type (a revision of Knative is no pod) is written out instead.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from wmap.contract import kubernetes
from wmap.contract.model import Facts
from wmap.contract.tree import Node, count

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 0.7
"""The part of a core type's fields that a tree must have to be one."""

_MARKS: dict[str, tuple[str, ...]] = {
    "PodTemplateSpec": ("metadata", "spec"),
    "JobTemplateSpec": ("metadata", "spec"),
    "PersistentVolumeClaimTemplate": ("metadata", "spec"),
    "JobSpec": ("template", "backoffLimit", "completions", "parallelism"),
    "PodSpec": ("containers", "initContainers", "nodeSelector", "restartPolicy", "tolerations", "volumes"),
    "Container": ("name", "image", "command", "args", "env", "resources", "volumeMounts"),
    "ObjectMeta": ("annotations", "labels", "name"),
    "Affinity": ("nodeAffinity", "podAffinity", "podAntiAffinity"),
    "NodeAffinity": (
        "preferredDuringSchedulingIgnoredDuringExecution",
        "requiredDuringSchedulingIgnoredDuringExecution",
    ),
    "PodAffinity": (
        "preferredDuringSchedulingIgnoredDuringExecution",
        "requiredDuringSchedulingIgnoredDuringExecution",
    ),
    "PodAntiAffinity": (
        "preferredDuringSchedulingIgnoredDuringExecution",
        "requiredDuringSchedulingIgnoredDuringExecution",
    ),
    "Probe": ("exec", "httpGet", "tcpSocket", "periodSeconds"),
    "Lifecycle": ("postStart", "preStop"),
    "SecurityContext": ("capabilities", "privileged", "runAsUser"),
    "PodSecurityContext": ("fsGroup", "runAsUser", "supplementalGroups"),
    "Volume": ("name", "configMap", "emptyDir", "persistentVolumeClaim", "secret"),
    "VolumeMount": ("mountPath", "name", "readOnly", "subPath"),
    "EnvVar": ("name", "value", "valueFrom"),
    "EnvFromSource": ("configMapRef", "prefix", "secretRef"),
    "ResourceRequirements": ("limits", "requests"),
    "Toleration": ("effect", "key", "operator", "tolerationSeconds", "value"),
    "TopologySpreadConstraint": ("maxSkew", "topologyKey", "whenUnsatisfiable"),
    "LabelSelector": ("matchExpressions", "matchLabels"),
    "Condition": ("lastTransitionTime", "message", "reason", "status", "type"),
    "ObjectReference": ("apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"),
    "PersistentVolumeClaimSpec": ("accessModes", "resources", "storageClassName", "volumeName"),
    "ServiceSpec": ("clusterIP", "ports", "selector", "type"),
    "ServiceStatus": ("conditions", "loadBalancer"),
    "JobStatus": ("active", "succeeded", "failed", "startTime", "completionTime", "conditions"),
    "HorizontalPodAutoscalerBehavior": ("scaleDown", "scaleUp"),
    "MetricSpec": ("type", "resource", "pods", "object"),
}
"""Core types that are looked for, and the fields without which a tree is none."""

_OWN_TYPE = {
    "PodTemplateSpec": "PodSpec",
    "JobTemplateSpec": "JobSpec",
    "PersistentVolumeClaimTemplate": "PersistentVolumeClaimSpec",
}
"""Core types whose ``spec`` must be another one."""

_MATTERS = tuple(
    name
    for name in Facts.__dataclass_fields__
    if name not in ("format", "pattern", "list_type", "list_keys", "map_type", "ref", "lacks", "closed", "unique_items")
)


class Recognised:
    """The facts of a tree by path, core types as references, for one version of Kubernetes."""

    def __init__(self, version: str) -> None:
        self.version = version

    def facts(self, node: Node, path: str = "") -> dict[str, Facts]:
        """The facts by path, what is below core types left out."""
        found: dict[str, Facts] = {}
        self._write(node, path, found)
        return found

    def _write(self, node: Node, path: str, found: dict[str, Facts], *, closed: bool = False) -> None:
        if node.facts.ref is None:
            best = self.named(node) if len(node.named) > 1 else None
            if best is not None:
                name, lacks, own = best
                found[path] = replace(node.facts, type=None, ref=name, lacks=tuple(sorted(lacks)), closed=closed)
                self._own(own, path, found)
                return
        found[path] = replace(node.facts, closed=True) if closed else node.facts
        for suffix, child in node.below():
            self._write(child, path + suffix, found)

    def _own(self, own: dict[str, tuple[Node, bool]], path: str, found: dict[str, Facts]) -> None:
        for relative, (node, deep) in own.items():
            if deep:
                self._write(node, path + relative, found, closed=True)
            else:
                found[path + relative] = node.facts

    def named(self, node: Node) -> tuple[str, list[str], dict[str, tuple[Node, bool]]] | None:
        """The core type that a tree is, what it lacks of it (paths), and what it says differently: the node by its path, and
        whether all that is below it differs. None where it is no core type.
        """
        best = None
        least = float(count(node))
        for name in self._candidates(node):
            lacks, own = difference(node, kubernetes.whole(self.version, name))
            cost = 1 + len(lacks) / 4 + sum(count(n) if deep else 1 for n, deep in own.values())
            if cost < least or (name in _OWN_TYPE and best is None and cost <= least):
                best, least = (name, lacks, own), cost
        return best

    def _candidates(self, node: Node) -> Iterator[str]:
        names = node.named.keys()
        for name, marks in _MARKS.items():
            if all(mark in names for mark in marks) and self._fits(node, name):
                yield name

    def _fits(self, node: Node, name: str) -> bool:
        fields = _fields(self.version, name)
        if fields is None:
            return False
        names = node.named.keys()
        if name == "ObjectMeta":
            return names <= fields
        if name in _OWN_TYPE:
            spec = node.named["spec"]
            return (
                names <= fields
                and all(m in spec.named for m in _MARKS[_OWN_TYPE[name]])
                and self._fits(spec, _OWN_TYPE[name])
            )
        shared = len(names & fields)
        if name == "Condition":
            # the older ones of each framework lack observedGeneration, or have a time more
            return shared >= 5 and len(names - fields) <= 1
        if len(fields) < 6 and names - fields:
            return False
        if name not in ("PodSpec", "Container") and len(names - fields) > len(fields) / 4:
            return False
        return shared >= LEAST * len(fields)


@cache
def _fields(version: str, name: str) -> frozenset[str] | None:
    if name not in kubernetes.types(version):
        return None
    return frozenset(kubernetes.whole(version, name).named)


def difference(node: Node, core: Node) -> tuple[list[str], dict[str, tuple[Node, bool]]]:
    """What a tree lacks of a core type, and what it says differently (see ``Recognised.named``)."""
    lacks: list[str] = []
    own: dict[str, tuple[Node, bool]] = {}
    _compare(node, core, "", lacks, own)
    return lacks, own


def _compare(node: Node, core: Node, path: str, lacks: list[str], own: dict[str, tuple[Node, bool]]) -> None:
    other = (
        node.facts.ref is not None
        or node.facts.type != core.facts.type
        or (node.items is None) != (core.items is None)
        or (node.values is None) != (core.values is None)
        or (bool(core.named) and not node.named)
    )
    if path and other:
        own[path] = (node, True)
        return
    if path and _differs(node.facts, core.facts):
        own[path] = (node, False)
    here = dict(node.below())
    there = dict(core.below())
    for suffix, child in here.items():
        if suffix in there:
            _compare(child, there[suffix], path + suffix, lacks, own)
        else:
            own[path + suffix] = (child, True)
    lacks += [path + suffix for suffix in there if suffix not in here]


def _differs(facts: Facts, core: Facts) -> bool:
    return any(getattr(facts, name) != getattr(core, name) for name in _MATTERS)


def places(node: Node, name: str, version: str) -> Iterator[Node]:
    """The outermost places of a tree that are a core type of this name, for one version of Kubernetes."""
    recognised = Recognised(version)
    if all(m in node.named for m in _MARKS[name]) and recognised._fits(node, name):  # noqa: SLF001  # of this module
        yield node
        return
    for _, child in node.below():
        yield from places(child, name, version)


def nearest(trees: list[Node]) -> str:
    """The version of Kubernetes whose pods differ least from those of the trees; the newest where there are none, or several."""
    versions = kubernetes.versions()
    for name in ("PodSpec", "Container"):
        found = next((p for tree in trees for p in places(tree, name, versions[len(versions) // 2])), None)
        if found is not None:
            return min(reversed(versions), key=lambda version: _cost(found, version, name))
    return versions[-1]


def _cost(node: Node, version: str, name: str) -> int:
    lacks, own = difference(node, kubernetes.whole(version, name))
    return len(lacks) + len(own)
