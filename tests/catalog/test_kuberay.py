"""RayJob and RayService of the catalog, on samples of upstream worked out by hand."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.reading.change import ChangeError
from wmap.reading.objects import read_objects

# sample -> pods, GPUs, pods of a gang: head, workers and, with K8sJobMode, the pod that submits outside of the gang
JOBS = {
    "ray-job.use-existing-raycluster": (1, 0, 0), "ray-job.interactive-mode": (2, 0, 2), "ray-job.light-weight-submitter": (3, 0, 2),
    "ray-job.pytorch-image-classifier": (6, 4, 5), "ray-job.pytorch-mnist": (4, 0, 2),
}  # fmt: skip
SERVICES = {
    "ray-service.deepseek": (3, 16, 3), "ray-service.incremental-upgrade": (1, 0, 1), "ray-service.llm-serve": (2, 4, 2),
}  # fmt: skip


@pytest.mark.upstream
@pytest.mark.parametrize(("sample", "wanted"), sorted({**JOBS, **SERVICES}.items()))
def test_samples_take_the_pods_that_the_operator_makes(upstream, sample, wanted):
    """Pods, GPUs and the gang of a sample are those that the operator would make of it."""
    files = sorted((upstream / "kuberay" / "samples").glob(f"ray*operator_*{sample}.yaml")) or sorted(
        (upstream / "kuberay" / "samples").glob(f"*{sample}.yaml")
    )
    (obj,) = [o.value for o in read_objects(files) if o.value["kind"] in {"RayJob", "RayService"}]
    reading = Catalog.load().read(obj)
    gang = next((g.min_pods for g in reading.gangs), 0)
    assert (reading.totals.pods, reading.totals.gpus, gang) == wanted


@pytest.mark.parametrize("field", ["jobDeploymentStatus", "jobStatus"])
@pytest.mark.parametrize("value", ["", None])
def test_an_empty_status_raises_nothing(field, value):
    """An empty or null word in the status of a RayJob reads without a warning."""
    obj = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "x"}, "spec": {}, "status": {field: value}}
    assert Catalog.load().read(obj).warnings == ()


def test_a_deployment_status_that_no_release_writes_is_undefined_and_warned_of():
    """A word that neither a mapping nor a release of KubeRay has gives no phase, and is named."""
    obj = {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "status": {"jobDeploymentStatus": "Frobnicate", "jobStatus": "RUNNING"},
    }
    reading = Catalog.load().read(obj)
    assert reading.status.phase == "Undefined"
    assert [(w.code, w.message) for w in reading.warnings] == [
        ("unknown-status", "no mapping knows what the status says: .status.jobDeploymentStatus is 'Frobnicate'")
    ]


@pytest.mark.parametrize(
    "spec", [{}, {"shutdownAfterJobFinishes": True, "clusterSelector": {"ray.io/cluster": "other"}}]
)
def test_a_rayjob_that_suspending_would_break_is_refused(spec):
    """KubeRay takes suspend only with shutdownAfterJobFinishes and without clusterSelector; else the job is invalid for good."""
    obj = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "x"}, "spec": spec}
    with pytest.raises(ChangeError, match="this RayJob cannot be suspended as it is"):
        Catalog.load().suspend(obj)


def test_a_rayjob_whose_cluster_ends_with_it_is_suspended():
    """With shutdownAfterJobFinishes the operator takes it, and what is suspended already stays as it is."""
    obj = {"apiVersion": "ray.io/v1", "kind": "RayJob", "spec": {"shutdownAfterJobFinishes": True}}
    catalog = Catalog.load()
    suspended = catalog.suspend(obj)
    assert suspended["spec"] == {"shutdownAfterJobFinishes": True, "suspend": True}
    assert catalog.read(suspended).suspend.suspended
    bare = {"apiVersion": "ray.io/v1", "kind": "RayJob", "spec": {"suspend": True}}
    assert catalog.suspend(bare) == bare


def test_a_rayservice_is_not_suspended_by_this_definition():
    """The field came with v1.7.0, which is none of the supported releases: that is said, not that there is none."""
    with pytest.raises(ChangeError, match="the definition ray-io-rayservice-v1 has no way to suspend a RayService"):
        Catalog.load().suspend({"apiVersion": "ray.io/v1", "kind": "RayService", "spec": {}})
