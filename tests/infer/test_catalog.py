"""The expressions of the catalog over extracts of the contracts, written by hand: no false alarm."""

from __future__ import annotations

import pytest
import yaml

from wmap.contract import Contract, Facts
from wmap.expr import parse
from wmap.infer import typing

OBJECT, TEXT, COUNT, FLAG = Facts("object"), Facts("string"), Facts("integer"), Facts("boolean")
CONDITIONS = {
    ".status": OBJECT, ".status.conditions": Facts("array"), ".status.conditions[]": OBJECT,
    **{f".status.conditions[].{k}": Facts("string", required=k in ("type", "status")) for k in ("type", "status", "reason")},
}  # fmt: skip
TREES = {
    "JobSet": {
        ".spec": OBJECT, ".spec.suspend": FLAG, ".spec.replicatedJobs": Facts("array"), ".spec.replicatedJobs[]": OBJECT,
        ".spec.replicatedJobs[].name": Facts("string", required=True), ".spec.replicatedJobs[].replicas": COUNT,
        ".spec.replicatedJobs[].template": Facts("object", required=True), ".spec.replicatedJobs[].template.spec": OBJECT,
        ".spec.replicatedJobs[].template.spec.template": Facts("object", required=True),
        ".spec.replicatedJobs[].template.spec.parallelism": COUNT, ".spec.replicatedJobs[].template.spec.completions": COUNT,
        ".status.restarts": COUNT, ".status.terminalState": Facts("string"), ".status.replicatedJobsStatus": Facts("array"), ".status.replicatedJobsStatus[]": OBJECT,
        ".status.replicatedJobsStatus[].name": Facts("string", required=True),
        **{f".status.replicatedJobsStatus[].{k}": Facts("integer", required=True) for k in ("active", "ready", "succeeded", "failed", "suspended")},
    },
    "RayCluster": {
        ".spec": OBJECT, ".spec.suspend": FLAG, ".spec.headGroupSpec": Facts("object", required=True),
        ".spec.headGroupSpec.template": Facts("object", required=True), ".spec.workerGroupSpecs": Facts("array"),
        ".spec.workerGroupSpecs[]": OBJECT, ".spec.workerGroupSpecs[].groupName": Facts("string", required=True),
        ".spec.workerGroupSpecs[].template": Facts("object", required=True), ".spec.workerGroupSpecs[].suspend": FLAG,
        **{f".spec.workerGroupSpecs[].{k}": COUNT for k in ("replicas", "minReplicas", "maxReplicas", "numOfHosts")},
        **{f".status.{k}": COUNT for k in ("readyWorkerReplicas", "availableWorkerReplicas", "desiredWorkerReplicas")},
        ".status.state": TEXT,
    },
}  # fmt: skip
W = {
    "podTemplateSpecPath",
    "replicasPath",
    "minReplicasPath",
    "maxReplicasPath",
    "instanceIdPath",
    "path",
    "expression",
}
OLD = {"ReplicatedJobsStatus"}  # a spelling of old releases, which the definition reads beside the new one


def _expressions(node):
    """The expressions on the workload, with the fields they stand in."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in W and isinstance(value, str):
                yield key, value
            else:
                yield from _expressions(value)
    elif isinstance(node, list):
        for item in node:
            yield from _expressions(item)


def _of(repository, kind):
    for file in sorted((repository / "catalog").glob("*/*.yaml")):
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
        if (
            found.get("kind") == "Karta"
            and found["spec"]["structureDefinition"]["rootComponent"]["kind"]["kind"] == kind
        ):
            return dict.fromkeys(_expressions(found))
    return {}


@pytest.mark.parametrize("kind", sorted(TREES))
def test_the_catalog_is_typed_without_a_false_alarm(repository, kind):
    """Every expression of a definition is known not to raise, and reads no field that the contract lacks."""
    root = Contract("f", "r", "g", "v1", kind, {"": OBJECT, **CONDITIONS, **TREES[kind]}, core=lambda _: None).root
    found = _of(repository, kind)
    assert found
    for key, text in found:
        typed = typing(parse(text), root)
        assert typed.raises == (), text
        assert {u.key for u in typed.unknown_fields} <= OLD, text
        if key.endswith("eplicasPath"):
            assert set(typed.shape.types) <= {"number", "null"}, text
        if key == "expression":
            assert typed.single, text
            assert set(typed.shape.types) <= {"string", "null"}, text
