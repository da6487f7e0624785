"""Core types and core kinds of Kubernetes: their trees, from the OpenAPI definitions that the package kubernetes-validate has.

That package is needed to build contracts, not to read them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from wmap.contract.model import Facts
from wmap.contract.releases import in_order
from wmap.contract.tree import Node, facts_of
from wmap.errors import EnvironmentFailure

_CORE = "io.k8s.api.core.v1."
_BATCH = "io.k8s.api.batch.v1."
_APPS = "io.k8s.api.apps.v1."
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_SCALING = "io.k8s.api.autoscaling.v2."

_CORE_NAMES = (
    "Affinity", "Container", "ContainerPort", "ContainerStatus", "EnvFromSource", "EnvVar", "EnvVarSource",
    "EphemeralContainer", "Lifecycle", "LifecycleHandler", "LocalObjectReference", "NodeAffinity", "NodeSelector",
    "NodeSelectorTerm", "ObjectReference", "PersistentVolumeClaimSpec", "PersistentVolumeClaimStatus",
    "PersistentVolumeClaimTemplate", "PodAffinity", "PodAffinityTerm", "PodAntiAffinity", "PodResourceClaim",
    "PodSecurityContext", "PodSpec", "PodStatus", "PodTemplateSpec", "Probe", "ResourceRequirements",
    "SecurityContext", "ServicePort", "ServiceSpec", "ServiceStatus", "Toleration", "TopologySpreadConstraint",
    "Volume", "VolumeMount", "VolumeDevice", "VolumeResourceRequirements",
)  # fmt: skip

TYPES: dict[str, str] = {
    **{name: _CORE + name for name in _CORE_NAMES},
    **{name: _BATCH + name for name in ("JobTemplateSpec", "JobSpec", "JobStatus", "CronJobSpec", "PodFailurePolicy")},
    **{name: _APPS + name for name in ("DeploymentSpec", "DeploymentStatus", "StatefulSetSpec", "StatefulSetStatus")},
    **{name: _META + name for name in ("Condition", "LabelSelector", "ObjectMeta", "OwnerReference")},
    **{name: _SCALING + name for name in ("HorizontalPodAutoscalerBehavior", "MetricSpec", "MetricStatus")},
}
"""Core types by the name that contracts refer to them with."""

KINDS: dict[tuple[str, str, str], str] = {
    ("", "v1", "Pod"): _CORE + "Pod",
    ("", "v1", "Service"): _CORE + "Service",
    ("", "v1", "PersistentVolumeClaim"): _CORE + "PersistentVolumeClaim",
    ("batch", "v1", "Job"): _BATCH + "Job",
    ("batch", "v1", "CronJob"): _BATCH + "CronJob",
    ("apps", "v1", "Deployment"): _APPS + "Deployment",
    ("apps", "v1", "StatefulSet"): _APPS + "StatefulSet",
}
"""Core kinds that have a contract of their own."""

_NAMES = {definition: name for name, definition in TYPES.items()}
_OPAQUE = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": Facts(type="int-or-string"),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": Facts(type="int-or-string"),
    _META + "FieldsV1": Facts(type="object", preserve=True),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": Facts(type="object", preserve=True),
}
REPOSITORY = "https://github.com/kubernetes/kubernetes"


def _folder() -> Path:
    try:
        import kubernetes_validate  # type: ignore[import-untyped]  # noqa: PLC0415  # only where contracts are built
    except ImportError as error:
        raise EnvironmentFailure(
            "the core types of Kubernetes are not at hand: the package kubernetes-validate is not installed",
            hint="install it next to wmap (it is in the dependency group dev)",
        ) from error
    return Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"


def versions() -> list[str]:
    """The versions of Kubernetes that the package knows, oldest first.

    Raises:
        EnvironmentFailure: the package is not installed.
    """
    return in_order(p.name.removesuffix("-local") for p in _folder().glob("*-local"))


def source(version: str) -> Path:
    """The file that the core types of a version are read from."""
    return _folder() / f"{version}-local" / "_definitions.json"


@cache
def _definitions(version: str) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(source(version).read_bytes())["$defs"]
    return found


@cache
def types(version: str) -> dict[str, Node]:
    """The tree of each core type that the version has; places of other core types are references."""
    return types_of(_definitions(version))


def types_of(has: dict[str, Any]) -> dict[str, Node]:
    """The tree of each core type of some OpenAPI definitions; places of other core types are references."""
    return {name: _tree(has, definition, refs=True) for name, definition in TYPES.items() if definition in has}


@cache
def whole(version: str, name: str) -> Node:
    """The tree of a core type with everything in it, references followed."""
    return _tree(_definitions(version), TYPES[name], refs=False)


def kinds(version: str) -> dict[tuple[str, str, str], Node]:
    """The tree of each core kind that the version has."""
    return kinds_of(_definitions(version))


def kinds_of(has: dict[str, Any]) -> dict[tuple[str, str, str], Node]:
    """The tree of each core kind of some OpenAPI definitions."""
    return {kind: _tree(has, d, refs=True) for kind, d in KINDS.items() if d in has}


def _tree(has: dict[str, Any], definition: str, *, refs: bool) -> Node:
    def place(schema: dict[str, Any]) -> Node:
        target = schema.get("$ref", "").rpartition("/")[2]
        if target in _OPAQUE:
            return Node(_OPAQUE[target])
        if refs and target in _NAMES:
            return Node(Facts(ref=_NAMES[target]))
        return structure(has[target] if target else schema)

    def structure(schema: dict[str, Any]) -> Node:
        said = {k: v for k, v in schema.items() if k not in ("type", "enum")}
        kind = schema.get("type", "object" if "properties" in schema else None)
        # null stands in these types for a field left out: the API server drops it
        said["type"] = next((t for t in kind if t != "null"), None) if isinstance(kind, list) else kind
        if "enum" in schema:
            said["enum"] = [v for v in schema["enum"] if v is not None]
        node = Node(facts_of(said))
        for name, part in schema.get("properties", {}).items():
            child = place(part)
            if name in schema.get("required", ()):
                child.facts = replace(child.facts, required=True)
            node.named[name] = child
        if isinstance(schema.get("items"), dict):
            node.items = place(schema["items"])
        if isinstance(schema.get("additionalProperties"), dict):
            node.values = place(schema["additionalProperties"])
        return node

    return structure(has[definition])
