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


def test_hugepages_of_the_pod_are_its_limit():
    """A pod-level limit of hugepages is the request whatever the containers ask for: they cannot be overcommitted."""
    inner = _container({"hugepages-2Mi": "4Mi"}, {"hugepages-2Mi": "4Mi"})
    spec = {"containers": [inner], "resources": {"limits": {"hugepages-2Mi": "8Mi"}}}
    assert _requests(spec) == ({"hugepages-2Mi": "8Mi"}, [])


def test_pod_level_requests_and_overhead_are_both_counted():
    """Overhead (1/4 CPU) comes on top of what stands for the whole pod (3), also beside a sidecar and an init container."""
    spec = {
        "containers": [_container({"cpu": "1"})],
        "initContainers": [_container({"cpu": "1"}, restartPolicy="Always"), _container({"cpu": "9"})],
        "resources": {"requests": {"cpu": "3"}, "limits": {"cpu": "4"}},
        "overhead": {"cpu": "250m"},
    }
    said = []
    shape = pod_shape(spec, said.append)
    assert (quantities(shape.requests), quantities(shape.limits), said) == ({"cpu": "3250m"}, {"cpu": "4250m"}, [])


def test_two_sidecars_and_inits_between_them():
    """Inits run beside the sidecars before them: max(1 + 2 containers, 1 + 5, 1 + 2 + 3) is 6; without the last, too."""
    inits = [
        _container({"cpu": "1"}, restartPolicy="Always"),
        _container({"cpu": "5"}),
        _container({"cpu": "2"}, restartPolicy="Always"),
        _container({"cpu": "3"}),
    ]
    assert _requests({"containers": [_container({"cpu": "1"})], "initContainers": inits})[0] == {"cpu": "6"}
    assert _requests({"containers": [_container({"cpu": "4"})], "initContainers": inits})[0] == {"cpu": "7"}


def test_claims_are_counted_by_container_and_odd_ones_are_said():
    """Init containers count as users; a claim without a source has none; claims that are no list are said, and ignored."""
    spec = {
        "containers": [{"resources": {"claims": [{"name": "gpu"}]}}, {"resources": {"claims": 5}}, {"resources": {"claims": [{}]}}],
        "initContainers": [{"resources": {"claims": [{"name": "gpu", "request": "r"}]}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}, {"name": "net"}, {"resourceClaimName": "x"}],
    }  # fmt: skip
    said = []
    claims = pod_shape(spec, said.append).claims
    assert [tuple(c) for c in claims] == [("gpu", "t", 2), ("net", None, 0)]
    assert said == ["claims is no list: ignored"]


def test_limits_and_names_of_every_kind_of_container_are_read():
    """Limits of inits are maximised like requests, an absent amount is none, and images are listed once."""
    spec = {
        "containers": [_container(None, {"cpu": "1"}, image="a"), _container({"memory": None}, image="a"), {"image": 5}],
        "initContainers": [_container(None, {"cpu": "2", "x.io/y": 1}, image="b")],
    }  # fmt: skip
    shape = pod_shape(spec, lambda _: None)
    assert (quantities(shape.limits), shape.images) == ({"cpu": "2", "x.io/y": "1"}, ("a", "b"))


def test_limits_of_containers_are_summed_and_pod_level_takes_no_other_resource():
    """Two limits of 1 are 2; a pod-level limit of an extended resource is none."""
    spec = {
        "containers": [_container(None, {"cpu": "1"}), _container(None, {"cpu": "1"})],
        "resources": {"limits": {"x.io/y": 3}},
    }
    assert quantities(pod_shape(spec, lambda _: None).limits) == {"cpu": "2"}
