"""The kinds of Kubernetes in the catalog, against the API server's defaults."""

from __future__ import annotations

import itertools

import pytest

from wmap import Catalog

TEMPLATE = {"spec": {"containers": [{"name": "main", "image": "img:1"}]}}


def pods_at_a_time(parallelism: int | None, completions: int | None) -> int:
    """What the API server's defaults and the Job controller make of both: the active pods of a new Job."""
    if parallelism is None and completions is None:
        parallelism, completions = 1, 1
    if parallelism is None:
        parallelism = 1
    return parallelism if completions is None else min(parallelism, completions)


@pytest.mark.parametrize(("parallelism", "completions"), list(itertools.product([None, 0, 1, 3], repeat=2)))
def test_a_job_takes_the_pods_that_run_at_a_time(parallelism, completions):
    """A Job, alone or of a CronJob, takes the lesser of parallelism and completions, with the API server's defaults."""
    spec = {"parallelism": parallelism, "completions": completions, "template": TEMPLATE}
    catalog = Catalog.load()
    job = catalog.read({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "spec": spec})
    cron = catalog.read(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "x"},
            "spec": {"jobTemplate": {"spec": spec}},
        }
    )
    wanted = pods_at_a_time(parallelism, completions)
    assert (job.totals.pods, cron.totals.pods) == (wanted, wanted)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
@pytest.mark.parametrize(("replicas", "wanted"), [(None, 1), (0, 0), (1, 1), (7, 7)])
def test_replicas_are_pods_and_1_when_missing(kind, replicas, wanted):
    """A Deployment and a StatefulSet take their replicas, 0 included, and 1 where nothing is said; there is no gang."""
    obj = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "x"},
        "spec": {"replicas": replicas, "template": TEMPLATE},
    }
    reading = Catalog.load().read(obj)
    assert (reading.totals.pods, reading.gangs) == (wanted, ())


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("Complete", "SuccessCriteriaMet", "Completed"),
        ("Failed", "FailureTarget", "Failed"),
        ("Complete", "Failed", "Failed"),
    ],
)
def test_a_job_has_one_end(first, second, wanted):
    """Whichever two conditions of an end are True, in either order, the Job has one terminal phase."""
    for types in ((first, second), (second, first)):
        conditions = [{"type": t, "status": "True"} for t in types]
        obj = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "x"},
            "spec": {},
            "status": {"conditions": conditions},
        }
        assert Catalog.load().read(obj).status.matched == (wanted,)
