"""What one pod asks for; the expected numbers are worked out by hand from the scheduler's rules."""

from __future__ import annotations

import pytest

from wmap.reading.output import quantities
from wmap.reading.requests import fragment_shape, is_accelerator, pod_shape


def _container(requests=None, limits=None, **more):
    return {
        "name": "c",
        "resources": {k: v for k, v in (("requests", requests), ("limits", limits)) if v is not None},
        **more,
    }


def _requests(spec):
    said = []
    return quantities(pod_shape(spec, said.append).requests), said


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"containers": [_container({"cpu": "1"}), _container({"cpu": "500m", "memory": "1Gi"})]}, {"cpu": "1500m", "memory": "1Gi"}),
        ({"containers": [_container(None, {"nvidia.com/gpu": 4})]}, {"nvidia.com/gpu": "4"}),
        ({"containers": [_container({"cpu": "1"}, {"cpu": "2", "memory": "1Gi"})]}, {"cpu": "1", "memory": "1Gi"}),
        ({"containers": [_container({"cpu": "1"})], "initContainers": [_container({"cpu": "3"})]}, {"cpu": "3"}),
        ({"containers": [_container({"cpu": "1"})], "initContainers": [_container({"cpu": "2"}, restartPolicy="Always")]}, {"cpu": "3"}),
        # the sidecar (1) runs while the second init container (4) does: 5, more than 1 + 2 afterwards
        ({"containers": [_container({"cpu": "2"})], "initContainers": [_container({"cpu": "1"}, restartPolicy="Always"), _container({"cpu": "4"})]}, {"cpu": "5"}),
        # an init container before the sidecar runs alone: max(4, 1 + 2)
        ({"containers": [_container({"cpu": "2"})], "initContainers": [_container({"cpu": "4"}), _container({"cpu": "1"}, restartPolicy="Always")]}, {"cpu": "4"}),
        ({"containers": [_container({"cpu": "1"})], "overhead": {"cpu": "250m"}}, {"cpu": "1250m"}),
        ({"containers": [_container({"cpu": "1", "x.io/y": 1})], "resources": {"requests": {"cpu": "3", "x.io/y": 9}}}, {"cpu": "3", "x.io/y": "1"}),
        ({"containers": [_container({"cpu": "1"})], "resources": {"limits": {"cpu": "3", "memory": "2Gi"}}}, {"cpu": "1", "memory": "2Gi"}),
        ({"containers": [_container({"nvidia.com/mig-1g.5gb": 2})]}, {"nvidia.com/mig-1g.5gb": "2"}),
        ({}, {}),
        ({"containers": None, "initContainers": None}, {}),
    ],
)  # fmt: skip
def test_effective_requests_follow_the_scheduler(spec, expected):
    """Containers are summed, inits maximised, sidecars run beside both, pod-level and overhead come on top."""
    assert _requests(spec) == (expected, [])


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": "x"}, {"containers": [1, {"resources": "x"}]}, {"containers": [{"resources": {"requests": {"cpu": "abc"}}}]},
        {"containers": [{"resources": {"requests": [1]}}]}, {"containers": [], "resources": 1}, "x", {"containers": [_container({"cpu": True})]},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_and_ignored(spec):
    """An odd pod spec never raises; each thing that is ignored is said."""
    requests, said = _requests(spec)
    assert requests == {}
    assert said


def test_claims_images_and_names_are_read():
    """Resource claims are counted by the containers that use them; images are in order, without repetition."""
    spec = {
        "schedulerName": "kai",
        "priorityClassName": "high",
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}, {"name": "idle", "resourceClaimName": "mine"}],
        "containers": [{"image": "a", "resources": {"claims": [{"name": "gpu"}]}}, {"image": "a"}, {"image": "b", "resources": {"claims": [{"name": "gpu"}]}}],
        "initContainers": [{"image": "i"}],
    }  # fmt: skip
    shape = pod_shape(spec, pytest.fail)
    assert shape.claims == (("gpu", "one", 2), ("idle", "mine", 0))
    assert (shape.images, shape.scheduler_name, shape.priority_class_name) == (("a", "b", "i"), "kai", "high")


def test_fragments_describe_the_main_container():
    """Pieces of a pod are read like a pod of one container; with containers they are the first's."""
    fragments = {"resourcesPath": {"limits": {"nvidia.com/gpu": 2}}, "imagePath": "img", "schedulerNamePath": "kai"}
    shape = fragment_shape(fragments, pytest.fail)
    assert (quantities(shape.requests), shape.images, shape.scheduler_name) == (
        {"nvidia.com/gpu": "2"},
        ("img",),
        "kai",
    )
    more = fragment_shape(
        {"containersPath": [_container({"cpu": 1}), _container({"cpu": 2})], "resourcesPath": {"requests": {"cpu": 5}}},
        pytest.fail,
    )
    assert quantities(more.requests) == {"cpu": "7"}
    assert quantities(fragment_shape({"containerPath": _container({"cpu": 1})}, pytest.fail).requests) == {"cpu": "1"}


def test_accelerators_are_told_by_name():
    """GPUs, TPUs, Neuron and MIG slices are accelerators; cpu and memory are not."""
    assert all(
        is_accelerator(n)
        for n in ("nvidia.com/gpu", "google.com/tpu", "aws.amazon.com/neuron", "nvidia.com/mig-1g.5gb")
    )
    assert not any(is_accelerator(n) for n in ("cpu", "memory", "rdma/hca"))
