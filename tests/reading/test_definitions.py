"""Readings by definitions that are not in the catalog: fragments, instances, filters, the newer gang form, odd ones."""

from __future__ import annotations

import pickle

import pytest

from wmap.definition import load
from wmap.errors import InputError
from wmap.reading import compile_plan, read

HEAD = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: x-io-thing-v1}
spec:
  structureDefinition:
    rootComponent:
      name: thing
      kind: {group: x.io, version: v1, kind: Thing}
      scaleDefinition: {replicasPath: .spec.copies, minReplicasPath: .spec.minCopies, maxReplicasPath: .spec.maxCopies}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        conditionsDefinition: {path: .status.conditions, typeFieldName: kind, statusFieldName: state, reasonFieldName: why, messageFieldName: text}
        statusMappings:
          running: [{byPhase: Up}, {byExpression: {expression: .status.x.y, expectedResult: '5'}}]
          failed: [{byConditions: [{type: Bad, status: 'True', reason: Broken}]}]
"""
PARTS = HEAD + """\
    childComponents:
    - name: part
      ownerRef: thing
      specDefinition:
        fragmentedPodSpecDefinition: {resourcesPath: '.spec.parts[]?.resources', imagePath: '.spec.parts[]?.image', schedulerNamePath: '.spec.parts[]? | .scheduler'}
      instanceIdPath: .spec.parts[]?.name
      scaleDefinition: {replicasPath: '.spec.parts[]? | (.replicas // 1)'}
      podSelector:
        componentInstanceSelector: {idPath: .metadata.labels.part}
        replicaSelector: {keyPath: .metadata.labels.copy}
  optimizationInstructions: {gangScheduling: {podGroups: [{name: g, members: [{componentName: part, groupByKeyPaths: [.metadata.labels.part, .metadata.labels.copy], filters: ['.metadata.labels.gang == "yes"']}]}]}}
"""  # fmt: skip
OBJECT = {
    "apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": "t", "uid": "u", "namespace": "n"},
    "spec": {"copies": 3, "minCopies": 1, "maxCopies": 5, "parts": [{"name": "a", "replicas": 2, "image": "i", "scheduler": "kai",
             "resources": {"limits": {"amd.com/gpu": 1}}}, {"name": "b"}]},
}  # fmt: skip


def _plan(text):
    result = load(text)
    assert result.definition is not None, result.findings
    return compile_plan(result.definition)


def test_fragments_and_ancestors_are_read():
    """3 copies of (2 of a with a GPU each, 1 of b) are 9 pods and 6 GPUs, from 3 to 15."""
    reading = read(_plan(PARTS), OBJECT)
    assert (reading.totals.pods, reading.totals.gpus, reading.totals.min_pods, reading.totals.max_pods) == (9, 6, 3, 15)
    first = reading.components[1].instances[0]
    assert (
        first.id,
        first.replicas,
        first.pods,
        first.min_pods,
        first.max_pods,
        first.shape.images,
        first.shape.scheduler_name,
    ) == ("a", 2, 6, 2, 10, ("i",), "kai")
    assert [(g.instance, g.min_pods, g.min_gpus, g.count) for g in reading.gangs] == [("a", 2, 2, 3), ("b", 1, 0, 3)]
    assert pickle.loads(pickle.dumps(reading)) == reading  # noqa: S301  # our own bytes


def _pod(name, owner=None, **labels):
    references = [] if owner is None else [{"controller": True, **owner}]
    return {"metadata": {"name": name, "labels": labels, "ownerReferences": references}}


def test_pods_of_instances_and_copies_form_gangs():
    """A pod is in the gang of its keys if the filters hold; a pod that the workload does not own is unmatched."""
    mine = {"apiVersion": "x.io/v1", "kind": "Thing", "name": "t", "uid": "u"}
    pods = [
        _pod("p1", mine, part="a", copy="0", gang="yes"),
        _pod("p2", mine, part="a", copy="0"),
        _pod("p3", {**mine, "uid": "v"}, part="a"),
        _pod("p4", {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "t-1"}, part="a"),
        _pod("p5", {"apiVersion": "v1", "kind": "Pod", "name": "p1"}, part="b", copy="0", gang="yes"),
        _pod("p6", part="c"),
        _pod("p7"),
        _pod("p8", part="a", gang="yes"),
        {"metadata": {"name": "p9", "namespace": "other", "labels": {"part": "a"}}},
    ]
    reading = read(_plan(PARTS), OBJECT, pods)
    assert [p.name for p in reading.attribution.pods] == ["p1", "p2", "p5", "p8"]
    assert [u.name for u in reading.attribution.unmatched] == ["p3", "p4", "p6", "p7", "p9"]
    assert reading.attribution.groups == (("g", ("a", "0"), 1, 1), ("g", ("b", "0"), 1, 0))
    assert [w.code for w in reading.warnings] == ["gang-key-missing"]
    assert reading.components[1].instances[0].replica_groups == ("0",)


@pytest.mark.parametrize(
    ("status", "phase", "reason", "codes"),
    [
        ({"phase": "Up"}, "Running", None, []),
        ({"x": {"y": 5}}, "Running", None, []),
        ({"x": 5}, "Undefined", None, ["matcher-raised"]),
        ({"phase": 5}, "Undefined", None, ["bad-value"]),
        ({"conditions": "x"}, "Undefined", None, ["bad-value"]),
        (
            {"conditions": [{"kind": "Bad", "state": "True", "why": "Broken", "text": "oh"}, 5]},
            "Failed",
            "Broken",
            ["bad-value"],
        ),
        ({"conditions": [{"kind": "Bad", "state": "True", "why": "Other"}]}, "Undefined", None, []),
        ({"phase": "Up", "conditions": [{"kind": "Bad", "state": "True", "why": "Broken"}]}, "Failed", "Broken", []),
        ("odd", "Undefined", None, ["path-raised", "matcher-raised"]),
    ],
)
def test_the_status_is_read_as_far_as_it_goes(status, phase, reason, codes):
    """Phase, conditions with other field names and expressions are matched; what is odd leaves a warning."""
    reading = read(_plan(PARTS), {**OBJECT, "status": status})
    assert (reading.status.phase, reading.status.reason) == (phase, reason)
    assert {w.code for w in reading.warnings} == set(codes)


NEW_FORM = (
    PARTS[: PARTS.index("  optimizationInstructions")]
    + "  optimizationInstructions: {gangScheduling: {podGroup: {name: all%s}}}\n"
)


@pytest.mark.parametrize(
    ("more", "component", "pods"), [("", "thing", 3), (", subGroups: [{componentName: part}]", "part", 3)]
)  # fmt: skip
def test_the_newer_gang_form_is_one_gang(more, component, pods):
    """The newer form is one gang of the workload; its subgroups are subtrees, of which ancestors do not count."""
    (gang,) = read(_plan(NEW_FORM % more), OBJECT).gangs
    assert (gang.component, gang.min_pods, gang.count) == (component, pods, 1)


SPEC = (
    HEAD
    + """\
    childComponents:
    - {name: part, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod, metadataPath: .spec.meta}}
"""
)


@pytest.mark.parametrize(
    ("spec", "pods"), [({"pod": {"containers": []}}, 1), ({}, None), ({"pod": {}, "copies": 0}, 0), ({"pod": 5}, 1)]
)
def test_without_a_leaf_scale_each_instance_is_one_pod(spec, pods):
    """A leaf without a scale counts 1; an absent one is not there; an ancestor of 0 gives 0."""
    reading = read(_plan(SPEC), {**OBJECT, "spec": spec})
    assert [i.pods for i in reading.components[1].instances] == ([] if pods is None else [pods])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".status.phase", ".status.("),
        ("ownerRef: thing", "ownerRef: nothing"),
        ("componentName: part", "componentName: none"),
    ],
)
def test_a_broken_definition_is_said_before_it_reads(old, new):
    """A definition that cannot be compiled is an error with the place."""
    with pytest.raises(InputError) as caught:
        _plan(PARTS.replace(old, new, 1))
    assert "x-io-thing-v1:" in caught.value.message
