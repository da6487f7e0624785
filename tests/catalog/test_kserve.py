"""KServe: what its sheets and samples say of pods, and what changes and stops do."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.reading.objects import read_objects

# the end of a sample's file name -> pods, GPUs, worked out from the manifests
SAMPLES = {
    "autoscaling_autoscale_gpu": (1, 1), "transformer_collocation_collocation": (1, 0), "kafka_mnist_kafka": (2, 0), "torchserve_v2_mnist_gpu": (1, 1),
    "explanation_alibi_moviesentiment_moviesentiment2": (2, 0), "v1beta1_rollout_canary": (1, 0), "fluid_fluid-isvc": (1, 1),
    "dp-ep-deepseek-r1-gpu-naive": (3, 16), "dp-ep-deepseek-r1-pd-gpu-p-deepep-ht-d-deepep-ht": (5, 32),
    "llm-inference-service-pd-qwen2-7b-gpu": (4, 3), "inference_pd_disaggregation-1": (3, 3), "inference_prefix_cache-1": (3, 2),
}  # fmt: skip


@pytest.mark.upstream
@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_samples_have_the_pods_and_gpus_worked_out_for_them(upstream, sample):
    """The samples read the pods and GPUs that follow from them by hand."""
    (file,) = (upstream / "kserve" / "samples").glob(f"*{sample}.yaml")
    (obj,) = read_objects([file])
    totals = Catalog.load().read(obj.value).totals
    assert (totals.pods, totals.gpus) == SAMPLES[sample]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
def test_both_versions_of_a_language_model_mean_the_same(version):
    """The two versions of LLMInferenceService have the same fields, and read alike."""
    spec = {"model": {"uri": "u"}, "worker": {}, "parallelism": {"data": 8, "dataLocal": 2}, "prefill": {"replicas": 2}}
    obj = {
        "apiVersion": f"serving.kserve.io/{version}",
        "kind": "LLMInferenceService",
        "metadata": {"name": "x"},
        "spec": spec,
    }
    reading = Catalog.load().read(obj)
    assert (reading.totals.pods, [g.min_pods for g in reading.gangs]) == (6, [4])


@pytest.mark.parametrize(
    ("version", "kind"), [("v1beta1", "InferenceService"), ("v1alpha1", "LLMInferenceService"), ("v1alpha2", "LLMInferenceService")]
)  # fmt: skip
def test_stop_and_resume_are_an_annotation(version, kind):
    """Suspending writes the annotation that stops, resuming takes it back; neither touches the spec."""
    catalog = Catalog.load()
    obj = {
        "apiVersion": f"serving.kserve.io/{version}",
        "kind": kind,
        "metadata": {"name": "x"},
        "spec": {"predictor": {}},
    }
    stopped = catalog.suspend(obj)
    assert stopped["metadata"]["annotations"] == {"serving.kserve.io/stop": "true"}
    assert catalog.read(stopped).suspend.suspended
    resumed = catalog.resume(stopped)
    assert not catalog.read(resumed).suspend.suspended
    assert resumed["spec"] == obj["spec"]
