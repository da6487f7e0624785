"""What holds of every reading and every change, on drawn objects of three kinds."""

from __future__ import annotations

import copy
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from tests.reading.test_patch import applied

from wmap import Catalog
from wmap.reading.change import change, resume, suspend
from wmap.reading.patch import apply_merge_patch, json_patch, merge_patch

CATALOG = Catalog.load()
CPU = st.sampled_from(["1", "500m", "2", 3])
GPU = st.integers(0, 8)
NAMES = st.lists(st.sampled_from(["a", "b", "head", "x-1"]), max_size=3, unique=True)


@st.composite
def templates(draw):
    """A pod template of one or two containers."""
    containers = [{"name": "main", "image": "i", "resources": {"requests": {"cpu": draw(CPU)}}}]
    if draw(st.booleans()):
        containers[0]["resources"]["limits"] = {"nvidia.com/gpu": draw(GPU)}
    if draw(st.booleans()):
        containers.append({"name": "side"})
    template = {"spec": {"containers": containers}}
    if draw(st.booleans()):
        template["metadata"] = {"labels": {"team": "t"}}
    return template


def _counted(draw, **fields):
    """A map with these counts, each there or not."""
    return {name: draw(st.integers(0, most)) for name, most in fields.items() if draw(st.booleans())}


@st.composite
def jobsets(draw):
    """A JobSet of up to three groups."""
    jobs = [
        {"name": n, **_counted(draw, replicas=3), "template": {"spec": {**_counted(draw, parallelism=4), "template": draw(templates())}}}
        for n in draw(NAMES)
    ]  # fmt: skip
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "w"}, "spec": {"replicatedJobs": jobs}}  # fmt: skip


@st.composite
def rayclusters(draw):
    """A RayCluster with up to three groups of workers."""
    groups = [
        {"groupName": n, "template": draw(templates()), **_counted(draw, replicas=4, minReplicas=2, maxReplicas=6, numOfHosts=2)}
        for n in draw(NAMES)
    ]  # fmt: skip
    spec = {"headGroupSpec": {"template": draw(templates())}, "workerGroupSpecs": groups}
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "w"}, "spec": spec}


@st.composite
def leaderworkersets(draw):
    """A LeaderWorkerSet, with a template for the leader or without."""
    inner = {"size": draw(st.integers(1, 4)), "workerTemplate": draw(templates())}
    if draw(st.booleans()):
        inner["leaderTemplate"] = draw(templates())
    spec = {**_counted(draw, replicas=3), "leaderWorkerTemplate": inner}
    return {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "w"}, "spec": spec}  # fmt: skip


OBJECTS = st.one_of(jobsets(), rayclusters(), leaderworkersets())
UNITS = {"": 1, "m": Fraction(1, 1000), "k": 1000}


def _number(quantity):
    """A quantity of CPUs or GPUs as an exact number."""
    digits = quantity.rstrip("mk")
    return int(digits) * UNITS[quantity[len(digits) :]]


def _instances(document):
    return [i for c in document["components"] for i in c["instances"]]


@given(OBJECTS)
def test_totals_are_the_sums_of_their_parts(obj):
    """Pods, GPUs and requests of the workload are those of its instances, now and at the minimum."""
    document = CATALOG.read(obj).to_dict()
    totals, instances = document["totals"], _instances(document)
    assert totals["pods"] == sum(i["pods"] for i in instances)
    assert totals["minPods"] == sum(i["minPods"] for i in instances)
    assert totals["gpus"] == sum(i["gpus"] for i in instances)
    if totals["maxPods"] is None:
        assert all(i["maxPods"] is None for i in instances)
    else:
        assert totals["maxPods"] == sum(i["pods"] if i["maxPods"] is None else i["maxPods"] for i in instances)
    for total, count in (("requests", "pods"), ("minRequests", "minPods")):
        for name in ("cpu", "nvidia.com/gpu"):
            parts = sum(_number(i["podRequests"].get(name, "0")) * i[count] for i in instances)
            assert _number(totals[total].get(name, "0")) == parts


SETTINGS = st.sampled_from(
    [
        ("schedulerName", "kai", ("schedulerName",), "kai"),
        ("priorityClassName", "high", ("priorityClassName",), "high"),
        ("image", "new", ("images",), None),
        ("request.memory", "2Gi", ("podRequests", "memory"), "2Gi"),
        ("limit.nvidia.com/gpu", "9", ("podLimits", "nvidia.com/gpu"), "9"),
        ("label.a/b", "x", None, None),
    ]
)


@given(OBJECTS, st.data())
def test_a_change_is_read_back_and_nothing_else_differs(obj, data):
    """The instance that was changed reads the new value, all that has not to do with it reads as before."""
    before = CATALOG.read(obj).to_dict()
    places = [
        (c["name"], i["id"])
        for c in before["components"]
        for i in c["instances"]
        # one template for two components cannot be changed for one of them
        if not ("leaderWorkerTemplate" in obj["spec"] and "leaderTemplate" not in obj["spec"]["leaderWorkerTemplate"])
    ]
    if not places:
        return
    component, instance = data.draw(st.sampled_from(places))
    key, value, field, shown = data.draw(SETTINGS)
    given_object = copy.deepcopy(obj)
    changed = change(CATALOG.definition_for(obj), obj, component=component, instance=instance, settings={key: value})
    assert obj == given_object
    after = CATALOG.read(changed).to_dict()
    for old, new in zip(before["components"], after["components"], strict=True):
        for was, now in zip(old["instances"], new["instances"], strict=True):
            if (old["name"], was["id"]) != (component, instance):
                assert now == was
            elif field == ("images",):
                assert now["images"] == ["new"]
                assert {**now, "images": was["images"]} == was
            elif field is None:
                assert now == was
            else:
                found = now
                for step in field:
                    found = found[step]
                assert found == shown
    assert after["status"] == before["status"]
    assert [g["pods"] for g in after["gangs"]] == [g["pods"] for g in before["gangs"]]
    assert apply_merge_patch(obj, merge_patch(obj, changed)) == changed
    operations = json_patch(obj, changed)
    assert applied(obj, operations) == changed
    # one setting of one instance is one place: parents that are made with it are added at once
    assert len([o for o in operations if o["op"] != "test"]) == 1


@given(st.one_of(jobsets(), rayclusters()))
def test_suspend_then_resume_restores_the_reading(obj):
    """Suspended, the workload takes what it took; resumed, it reads as before; patches give both."""
    definition = CATALOG.definition_for(obj)
    before = CATALOG.read(obj)
    stopped = suspend(definition, obj)
    reading = CATALOG.read(stopped)
    assert reading.suspend.suspended
    assert reading.totals == before.totals
    started = resume(definition, stopped)
    after = CATALOG.read(started)
    assert (after.components, after.totals, after.gangs, after.status) == (
        before.components,
        before.totals,
        before.gangs,
        before.status,
    )
    assert not after.suspend.suspended
    for old, new in ((obj, stopped), (stopped, started)):
        assert apply_merge_patch(old, merge_patch(old, new)) == new
        assert applied(old, json_patch(old, new)) == new
