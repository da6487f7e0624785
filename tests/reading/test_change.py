"""Change, suspend and resume: what is asked for changes, and nothing else."""

from __future__ import annotations

import copy

import pytest

from wmap import Catalog
from wmap.errors import CallError
from wmap.reading.change import ChangeError
from wmap.reading.patch import apply_merge_patch, json_patch, merge_patch
from wmap.reading.settings import parse_settings


def _template(**spec):
    return {"spec": {"containers": [{"name": "main", "image": "a"}, {"name": "side", "image": "b"}], **spec}}


JOBSET = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "js"},
    "spec": {"replicatedJobs": [{"name": n, "replicas": 1, "template": {"spec": {"template": _template()}}} for n in ("a", "b")]},
}  # fmt: skip
LWS = {
    "apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "l"},
    "spec": {"leaderWorkerTemplate": {"size": 2, "workerTemplate": _template()}},
}  # fmt: skip


@pytest.fixture(scope="module")
def catalog():
    """The catalog of the package."""
    return Catalog.load()


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("schedulerName", "kai", ("spec", "schedulerName")),
        ("priorityClassName", "high", ("spec", "priorityClassName")),
        ("label.a/b", "x", ("metadata", "labels", "a/b")),
        ("annotation.c", "y", ("metadata", "annotations", "c")),
        ("image", "new", ("spec", "containers", 0, "image")),
        ("image.side", "new", ("spec", "containers", 1, "image")),
        ("limit.nvidia.com/gpu", "8", ("spec", "containers", 0, "resources", "limits", "nvidia.com/gpu")),
        ("request.side/cpu", "2", ("spec", "containers", 1, "resources", "requests", "cpu")),
        ("nodeAffinity", {"x": 1}, ("spec", "affinity", "nodeAffinity")),
    ],
)
def test_a_setting_changes_its_place_alone(catalog, key, value, place):
    """One place of one instance has the value; all else, and the given object, stay as they were."""
    before = copy.deepcopy(JOBSET)
    changed = catalog.change(JOBSET, component="replicatedjob", instance="b", settings={key: value})
    assert before == JOBSET
    expected = copy.deepcopy(JOBSET)
    target = expected["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]
    for step in place[:-1]:
        target = target[step] if isinstance(step, int) else target.setdefault(step, {})
    target[place[-1]] = value
    assert changed == expected


def test_without_an_instance_all_are_changed(catalog):
    """A change of a component reaches each of its instances."""
    changed = catalog.change(JOBSET, component="replicatedjob", settings={"schedulerName": "kai"})
    assert [i.shape.scheduler_name for i in catalog.read(changed).components[1].instances] == ["kai", "kai"]


@pytest.mark.parametrize(
    ("obj", "call", "error", "words"),
    [
        (JOBSET, {"component": "nope", "settings": {"image": "x"}}, CallError, "replicatedjob"),
        (JOBSET, {"component": "jobset", "settings": {"image": "x"}}, CallError, "replicatedjob"),
        (JOBSET, {"component": "replicatedjob", "instance": "c", "settings": {"image": "x"}}, ChangeError, "a, b"),
        (JOBSET, {"component": "replicatedjob", "settings": {"imge": "x"}}, CallError, "image"),
        (JOBSET, {"component": "replicatedjob", "settings": {"image.none": "x"}}, ChangeError, "main, side"),
        (JOBSET, {"component": "replicatedjob", "settings": {"limit.cpu": "lots"}}, CallError, "lots"),
        (JOBSET, {"component": "replicatedjob", "settings": {"nodeAffinity": "x"}}, CallError, "object"),
        (LWS, {"component": "leader", "settings": {"image": "x"}}, ChangeError, "one template"),
        (LWS, {"component": "worker", "instance": "0", "settings": {"image": "x"}}, CallError, "no instances"),
    ],
)  # fmt: skip
def test_what_cannot_be_expressed_is_an_error(catalog, obj, call, error, words):
    """A change that the definition cannot express is refused, and says why."""
    with pytest.raises(error) as caught:
        catalog.change(obj, **call)
    assert words in str(caught.value)


def test_a_template_of_leader_and_workers_is_changed_for_both(catalog):
    """Without a leader template both are made from one: named together they are changed together."""
    changed = catalog.change(LWS, component=("leader", "worker"), settings={"schedulerName": "kai"})
    assert merge_patch(LWS, changed) == {
        "spec": {"leaderWorkerTemplate": {"workerTemplate": {"spec": {"schedulerName": "kai"}}}}
    }
    assert [c.instances[0].shape.scheduler_name for c in catalog.read(changed).components[2:]] == ["kai", "kai"]


def test_suspend_then_resume_restores_the_reading(catalog):
    """A suspended workload says so, and reads as before once resumed."""
    suspended = catalog.suspend(JOBSET)
    assert suspended["spec"]["suspend"] is True
    assert catalog.read(suspended).suspend.suspended
    assert catalog.read(catalog.resume(suspended)) == catalog.read(JOBSET)


def test_a_kind_without_suspension_says_so(catalog):
    """The definition of LeaderWorkerSet has no suspend actions."""
    with pytest.raises(ChangeError, match="has no way to suspend a LeaderWorkerSet"):
        catalog.suspend(LWS)


@pytest.mark.parametrize("pairs", [("image",), ("image=a", "image=b"), ("nodeAffinity={",), ("x=1",)])
def test_a_wrong_setting_is_refused(pairs):
    """Settings are KEY=VALUE, once each, of known keys."""
    with pytest.raises(CallError):
        parse_settings(pairs)


def test_patches_make_the_new_of_the_old(catalog):
    """The merge patch gives the changed object, and the JSON patch tests the entries it goes into, and what it replaces."""
    changed = catalog.change(
        JOBSET, component="replicatedjob", instance="a", settings={"image": "x", "label.a/b_c": "y"}
    )
    assert apply_merge_patch(JOBSET, merge_patch(JOBSET, changed)) == changed
    operations = json_patch(JOBSET, changed)
    assert [o["op"] for o in operations] == ["test", "test", "test", "replace", "add"]
    assert json_patch({"a/b": 1, "c": True}, {"c": 1}) == [
        {"op": "test", "path": "/a~1b", "value": 1},
        {"op": "remove", "path": "/a~1b"},
        {"op": "test", "path": "/c", "value": True},
        {"op": "replace", "path": "/c", "value": 1},
    ]


PREDICTOR = {
    "apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "m"},
    "spec": {"predictor": {"model": {"image": "a"}, "containers": [{"name": "side", "image": "b"}]}},
}  # fmt: skip


def test_the_pieces_of_the_main_container_come_before_the_list_of_all(catalog):
    """Where image and resources have paths of their own they are written, also where the list of containers is made up."""
    settings = {"image": "x", "limit.nvidia.com/gpu": "2"}
    changed = catalog.change(PREDICTOR, component="predictor", settings=settings)
    assert merge_patch(PREDICTOR, changed) == {
        "spec": {"predictor": {"model": {"image": "x", "resources": {"limits": {"nvidia.com/gpu": "2"}}}}}
    }
    with pytest.raises(ChangeError, match="addresses no place"):
        catalog.change(PREDICTOR, component="predictor", settings={"image.side": "x"})


def test_pieces_of_a_component_that_is_not_there_are_not_written(catalog):
    """A change does not make a component that the object does not have."""
    with pytest.raises(ChangeError, match="has no transformer"):
        catalog.change(PREDICTOR, component="transformer", settings={"schedulerName": "kai"})
