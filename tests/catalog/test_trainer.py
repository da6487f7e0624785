"""TrainJob of the catalog, on samples of upstream worked out by hand and over every pair of Jobs."""

from __future__ import annotations

import itertools

import pytest

from wmap import Catalog
from wmap.reading.objects import read_objects

# states of a Job as JobSet counts them
STATES = {
    "waiting": {"active": 0, "ready": 0, "succeeded": 0, "failed": 0}, "starting": {"active": 1, "ready": 0, "succeeded": 0, "failed": 0},
    "ready": {"active": 1, "ready": 1, "succeeded": 0, "failed": 0}, "done": {"active": 0, "ready": 0, "succeeded": 1, "failed": 0},
    "failed": {"active": 0, "ready": 0, "succeeded": 0, "failed": 1},
}  # fmt: skip


@pytest.mark.upstream
@pytest.mark.parametrize(("sample", "nodes"), [("flux-interactive", 4), ("lammps-train-job", 2)])
def test_samples_take_the_nodes_that_they_ask_for(upstream, sample, nodes):
    """Nodes are pods, processes of a node are not, and all nodes are one gang."""
    file = upstream / "trainer" / "samples" / f"examples_flux_{sample}.yaml"
    (obj,) = [o.value for o in read_objects([file]) if o.value["kind"] == "TrainJob"]
    reading = Catalog.load().read(obj)
    assert (reading.totals.pods, reading.totals.gpus, [g.min_pods for g in reading.gangs]) == (nodes, 0, [nodes])


@pytest.mark.parametrize(("first", "second"), list(itertools.product(STATES, STATES)))
def test_a_job_runs_when_every_part_is_ready_or_done(first, second):
    """Two Jobs run together when each is ready or done; one that failed makes it Degraded, else it is starting."""
    jobs = [{"name": "node", **STATES[first]}, {"name": "dataset-initializer", **STATES[second]}]
    obj = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "x"},
        "spec": {"runtimeRef": {"name": "r"}}, "status": {"jobsStatus": jobs},
    }  # fmt: skip
    if "failed" in {first, second}:
        wanted = "Degraded"
    elif {first, second} <= {"ready", "done"}:
        wanted = "Running"
    else:
        wanted = "Initializing"
    for status in (jobs, jobs[::-1]):  # the order is JobSet's own
        obj["status"]["jobsStatus"] = status
        assert Catalog.load().read(obj).status.matched == (wanted,)
