"""Attribution: selectors of every form, several that match, readiness, and owners."""

from __future__ import annotations

import pytest
from tests.reading.thing import definition, thing

from wmap.reading import compile_plan, read

TWO = definition("""\
    - name: leader
      ownerRef: thing
      kind: {group: apps, version: v1, kind: StatefulSet}
      specDefinition: {podSpecPath: .spec.leader}
      podSelector: {componentTypeSelector: {matchLabels: {role: leader}}}
    - name: worker
      ownerRef: thing
      specDefinition: {podSpecPath: .spec.worker}
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels.role', value: worker}}
    - name: helper
      ownerRef: thing
      specDefinition: {podSpecPath: .spec.helper}
      podSelector: {componentTypeSelector: {keyPath: '.metadata.annotations.helper'}}
    - name: shy
      ownerRef: thing
      specDefinition: {podSpecPath: .spec.helper}
""")
OBJECT = thing({"leader": {}, "worker": {}, "helper": {}}, status={"phase": "Up"})


def _pod(name, labels=None, annotations=None, owner=None, **more):
    metadata = {"name": name, "namespace": "n", "labels": labels, "annotations": annotations}
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, **more}


def _read(*pods, obj=OBJECT, made=TWO):
    return read(compile_plan(made), obj, list(pods))


@pytest.mark.parametrize(
    ("pod", "component"),
    [
        (_pod("p", {"role": "leader"}), "leader"),
        (_pod("p", {"role": "worker"}), "worker"),
        (_pod("p", {"role": "other"}), None),
        (_pod("p", {}, {"helper": "yes"}), "helper"),
        (_pod("p", {}, {"helper": None}), None),
        (_pod("p", "odd"), None),
        (_pod("p"), None),
    ],
)
def test_the_first_leaf_whose_selector_matches_takes_the_pod(pod, component):
    """Labels, a value at a path, and presence at a path select; a leaf without a selector never does."""
    attribution = _read(pod).attribution
    assert [p.component for p in attribution.pods] == ([] if component is None else [component])
    assert len(attribution.unmatched) == (component is None)


def test_a_pod_that_two_leaves_select_is_the_first_ones():
    """The first leaf in document order takes it, and a warning says so once for all such pods."""
    both = [_pod(f"p{i}", {"role": "worker"}, {"helper": "x"}) for i in range(2)]
    reading = _read(*both)
    assert [p.component for p in reading.attribution.pods] == ["worker", "worker"]
    (warning,) = (w for w in reading.warnings if w.code == "pod-ambiguous")
    assert "2 pod(s) match both worker and helper" in warning.message


READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


@pytest.mark.parametrize(
    ("pod", "ready"),
    [
        (_pod("p", {"role": "leader"}, status=READY), 1),
        (_pod("p", {"role": "leader"}, status={**READY, "phase": "Failed"}), 0),
        (_pod("p", {"role": "leader"}, status={"conditions": "odd"}), 0),
        (_pod("p", {"role": "leader"}, status="odd"), 0),
        (_pod("p", {"role": "leader"}), 0),
    ],
)
def test_a_pod_counts_as_ready_by_its_condition(pod, ready):
    """A pod is ready while its condition says so and it has not ended."""
    reading = _read(pod)
    assert reading.components[1].instances[0].ready == ready


def test_a_pod_that_is_being_deleted_is_not_ready():
    """A terminating pod is attributed, but no longer counts."""
    pod = _pod("p", {"role": "leader"}, status=READY)
    pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    reading = _read(pod)
    assert (len(reading.attribution.pods), reading.components[1].instances[0].ready) == (1, 0)


def test_what_is_no_pod_is_said():
    """Something without metadata is unmatched under its number."""
    assert [u.name for u in _read(5, {}).attribution.unmatched] == ["pod 1", "pod 2"]


LONG = "a-workload-whose-name-is-so-long-that-an-operator-cuts-it"


@pytest.mark.parametrize(
    ("name", "owner", "mine"),
    [
        ("t", {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "t"}, True),
        ("t", {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "t-leader"}, True),
        ("t", {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "tea"}, False),
        ("t", {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "t-x"}, False),
        (LONG, {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": LONG[:45] + "-7f3a"}, True),
        (LONG, {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "a-workload"}, False),
        ("t", "odd", True),
        ("t", {"apiVersion": "x.io/v2", "kind": "Thing", "name": "t"}, True),
        ("t", {"apiVersion": "x.io/v1", "kind": "Thing", "name": "u"}, False),
    ],
)
def test_owners_tell_whose_a_pod_is(name, owner, mine):
    """A pod is the workload's if its owner is, or is of a kind in between that is named after it."""
    obj = thing({"leader": {}})
    obj["metadata"] = {**obj["metadata"], "name": name}
    attribution = _read(_pod("p", {"role": "leader"}, owner=owner), obj=obj).attribution
    assert len(attribution.pods) == mine


def test_selectors_that_raise_or_give_nothing_do_not_match():
    """A pod on which a selector, an id or a filter raises is unmatched, or in no gang; nothing raises."""
    made = definition(
        """\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.parts[]?.pod'}
      instanceIdPath: .spec.parts[]?.name
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels.a.b'}, componentInstanceSelector: {idPath: '.metadata.labels.part[]'}}
    - name: other
      ownerRef: thing
      specDefinition: {podSpecPath: .spec.other}
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels.o', value: 'o'}}
""",
        more="""\
  optimizationInstructions: {gangScheduling: {podGroups: [{name: g, members: [{componentName: other, filters: ['.metadata.labels.o.x']}]}]}}
""",
    )
    obj = thing({"parts": [{"name": "a", "pod": {}}], "other": {}})
    attribution = _read(
        _pod("p", {"a": "text"}), _pod("q", {"a": {"b": 1}, "part": "a"}), _pod("r", {"o": "o"}), obj=obj, made=made
    ).attribution
    assert [u.name for u in attribution.unmatched] == ["p", "q"]
    assert [(p.name, p.component, p.gang) for p in attribution.pods] == [("r", "other", ())]
    assert attribution.groups == ()


def test_what_is_no_object_is_no_pod():
    """Among the pods a value that is no object is unmatched, also where one leaf takes every pod."""
    plan = compile_plan(definition("    - {name: p, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}}\n"))
    attribution = read(plan, thing({"pod": {}}), [5, None]).attribution
    assert [tuple(u) for u in attribution.unmatched] == [("pod 1", "it is no object"), ("pod 2", "it is no object")]


def test_a_pod_that_has_succeeded_is_there():
    """Of two pods one is ready and one has succeeded: nothing disagrees with Running; one that failed is missing."""
    children = "    - {name: p, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}, scaleDefinition: {replicasPath: .spec.n}}\n"
    plan = compile_plan(definition(children))
    obj = thing({"pod": {}, "n": 2}, status={"phase": "Up"})
    ready = {"metadata": {"name": "a"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    for phase, codes in (("Succeeded", []), ("Failed", ["pods-disagree"])):
        reading = read(plan, obj, [ready, {"metadata": {"name": "b"}, "status": {"phase": phase}}])
        assert [w.code for w in reading.warnings] == codes
        assert reading.components[1].instances[0].ready == 1


def test_an_attribution_is_plain_json():
    """The document lists each pod with its place, each that is unmatched with the reason, and the groups."""
    plan = compile_plan(definition("    - {name: p, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}}\n"))
    document = read(plan, thing({"pod": {}}), [{"metadata": {"name": "a"}}, 5]).to_dict()
    assert document["attribution"] == {
        "pods": [{"name": "a", "component": "p", "instance": None, "replicaGroup": None, "gang": []}],
        "unmatched": [{"name": "pod 2", "reason": "it is no object"}],
        "groups": [],
    }


def test_an_empty_namespace_is_one_that_is_not_known():
    """Of a workload whose namespace is empty, a pod in any namespace may be; of one in another namespace, none is."""
    pod = _pod("p", labels={"role": "leader"})
    for namespace, matched in (("", 1), ("n", 1), ("other", 0)):
        obj = {**OBJECT, "metadata": {"name": "t", "namespace": namespace}}
        assert len(_read(pod, obj=obj).attribution.pods) == matched
