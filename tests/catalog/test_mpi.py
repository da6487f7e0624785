"""MPIJob of the catalog, on samples of upstream worked out by hand and over every state of its suspension."""

from __future__ import annotations

import itertools

import pytest

from wmap import Catalog
from wmap.reading.objects import read_objects


@pytest.mark.upstream
@pytest.mark.parametrize("sample", ["pi_pi", "pi_pi-intel"])
def test_samples_take_the_pods_that_the_operator_makes(upstream, sample):
    """A launcher and 2 workers of CPUs alone are 3 pods in one gang, whatever the MPI implementation."""
    (obj,) = [
        o.value for o in read_objects([upstream / "mpi-operator" / "samples" / f"examples_v2beta1_{sample}.yaml"])
    ]
    reading = Catalog.load().read(obj)
    assert (reading.totals.pods, reading.totals.gpus, [g.min_pods for g in reading.gangs]) == (3, 0, [3])


@pytest.mark.parametrize(
    ("suspend", "condition", "active"), list(itertools.product([True, False, None], ["True", "False"], [0, 1]))
)
def test_suspension_follows_spec_condition_and_launcher(suspend, condition, active):
    """The spec says where it goes, the condition and the launcher's pods how far it is."""
    conditions = [
        {"type": "Created", "status": "True"}, {"type": "Suspended", "status": condition}, {"type": "Running", "status": "False"},
    ]  # fmt: skip
    status = {
        "conditions": conditions,
        "replicaStatuses": {"Launcher": {"active": active} if active else {}, "Worker": {}},
    }
    obj = {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "x"},
        "spec": {"runPolicy": {"suspend": suspend}, "mpiReplicaSpecs": {"Launcher": {}}}, "status": status,
    }  # fmt: skip
    if suspend is not True:
        wanted = "Resuming"
    elif condition == "True" and not active:
        wanted = "Suspended"
    else:
        wanted = "Suspending"
    assert Catalog.load().read(obj).status.matched == (wanted,)


@pytest.mark.parametrize(
    "reason",
    ["DeadlineExceeded", "BackoffLimitExceeded/", "BackoffLimitExceeded/Error", "MPIJobFailed", "MPIJobEvicted"],
)
@pytest.mark.parametrize("over", [True, False])
def test_a_failure_is_final_unless_it_is_an_eviction_under_way(reason, over):
    """With a completionTime every failure is final; without one an eviction is not."""
    obj = {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "x"}, "spec": {},
        "status": {"conditions": [{"type": "Failed", "status": "True", "reason": reason}]},
    }  # fmt: skip
    if over:
        obj["status"]["completionTime"] = "2026-01-01T00:00:00Z"
    wanted = "Degraded" if reason == "MPIJobEvicted" and not over else "Failed"
    assert Catalog.load().read(obj).status.matched == (wanted,)
