"""RayJob and RayService of the catalog, on samples of upstream worked out by hand."""

from __future__ import annotations

import pytest

from wmap import Catalog
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
@pytest.mark.parametrize("value", ["", None, "Unheard"])
def test_a_status_that_no_release_writes_raises_nothing(field, value):
    """An empty, null or unknown word in the status of a RayJob reads without a warning."""
    obj = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "x"}, "spec": {}, "status": {field: value}}
    assert Catalog.load().read(obj).warnings == ()
