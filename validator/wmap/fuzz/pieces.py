"""The pieces that objects are made of: small, real and valid pod templates, and values of each kind, simplest first.

Nothing here is changed after it is made: objects share pieces.
"""

from __future__ import annotations

from typing import Any

RESOURCES: tuple[Any, ...] = (
    {},
    {"requests": {"cpu": "1"}},
    {"limits": {"nvidia.com/gpu": 1}},
    {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "2Gi", "nvidia.com/gpu": "2"}},
    {"limits": {"amd.com/gpu": 4}, "requests": {"amd.com/gpu": 4}},
    {"claims": [{"name": "gpu"}]},
)
CONTAINERS: tuple[Any, ...] = (
    {"name": "main", "image": "img:1"},
    *({"name": "main", "image": "img:1", "resources": r} for r in RESOURCES[1:]),
    {"name": "main"},
)
SIDECAR = {"name": "side", "image": "side:1", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}}
POD_SPECS: tuple[Any, ...] = (
    {"containers": [CONTAINERS[0]]},
    *({"containers": [c]} for c in CONTAINERS[1:]),
    {"containers": [CONTAINERS[2], {"name": "second", "image": "img:2", "resources": RESOURCES[3]}]},
    {"containers": [CONTAINERS[0]], "schedulerName": "kai-scheduler", "priorityClassName": "high"},
    {"containers": [CONTAINERS[2]], "initContainers": [SIDECAR, {"name": "init", "resources": RESOURCES[1]}]},
    {"containers": [CONTAINERS[0]], "nodeSelector": {"a.b/c": "d"}, "affinity": {"podAffinity": {}}},
    {
        "containers": [CONTAINERS[5]],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}],
        "overhead": {"cpu": "250m"},
    },
)
METADATA: tuple[Any, ...] = (
    {},
    {"labels": {"app": "a"}},
    {"labels": {'a.b/c"d': "ü"}, "annotations": {"note": "x" * 300}},
    {"labels": None},
)
POD_TEMPLATES: tuple[Any, ...] = (
    *({"spec": spec} for spec in POD_SPECS),
    *({"metadata": m, "spec": POD_SPECS[1]} for m in METADATA[:3]),
)
TERM = {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}
NODE_AFFINITY: tuple[Any, ...] = (
    {},
    {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}},
)
POD_AFFINITY: tuple[Any, ...] = (
    {},
    {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {}}]},
)
CORE: dict[str, tuple[Any, ...]] = {
    "ResourceRequirements": RESOURCES,
    "Container": CONTAINERS,
    "PodSpec": POD_SPECS,
    "PodTemplateSpec": POD_TEMPLATES,
    "ObjectMeta": METADATA,
    "NodeAffinity": NODE_AFFINITY,
    "PodAffinity": POD_AFFINITY,
    "Affinity": ({}, {"nodeAffinity": NODE_AFFINITY[1]}, {"podAffinity": POD_AFFINITY[1]}),
}
"""Values of core types by name."""

TEXTS: tuple[str, ...] = ("a", "b", "head", "w-0", "a.b", "ü名", "x" * 63, 'q"u/o.t', "")
"""Names and other texts."""
PATTERNED: tuple[str, ...] = (
    "1",
    "100m",
    "1Gi",
    "1h",
    "10s",
    "v1",
    "A",
    "http://a",
    "a/b",
    "a:b",
    "aa",
    "example.com/a",
)
"""What texts that must match a pattern are looked for in, after the others."""
TIMES: tuple[str, ...] = ("2024-01-01T00:00:00Z", "2024-01-01T00:10:00Z")
COUNTS: tuple[int, ...] = (1, 0, 2, 3, 1, 2, 4, 0, 8, 1, 2, 7, 100, 1000)
"""Whole numbers; those that are likely stand there several times."""
QUANTITIES: tuple[Any, ...] = (1, "2", "500m", "1Gi", 0, "0", "1e3")
ANYTHING: tuple[Any, ...] = ({}, 1, "a", {"a": {"b": "c"}}, True, [], ["a"], [{"a": 1}])
"""What stands where a contract does not say."""
MAP_KEYS: tuple[str, ...] = ("a", "b", "head", "a.b/c", 'd"e', "ü", "x" * 63)
RESOURCE_NAMES: tuple[str, ...] = ("cpu", "memory", "nvidia.com/gpu", "amd.com/gpu", "ephemeral-storage")
STATES: tuple[str, ...] = ("True", "False", "Unknown")
UNKNOWN_FIELD = "xUnknown"
"""A field that no contract names."""
NAMES: tuple[str, ...] = ("w", "a-b.c", "n" * 63, "w0")
"""Names of workloads."""
MANY = 1_000
"""How many entries an array has now and then: one more than consumers take."""
