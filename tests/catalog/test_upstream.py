"""The catalog on what upstream ships: its samples, and recordings of its operators."""

from __future__ import annotations

from pathlib import Path

import pytest

from wmap import Catalog
from wmap.catalog import Definitions
from wmap.definition.yamlio import read_documents
from wmap.errors import InputError
from wmap.reading.objects import read_objects
from wmap.reading.patch import apply_merge_patch

ALL = Definitions().all()
KINDS = {(d.kind.api_version, d.kind.kind) for d in ALL}
DEFINITIONS = [d.name.value for d in ALL]
# name of the sample's object -> pods, accelerators, worked out from the manifests
KNOWN = {
    "raycluster-tpu-v4-multihost": (3, {"google.com/tpu": 8}), "raycluster-autoscaler": (1, {}), "verl-cluster": (1, {"nvidia.com/gpu": 4}),
    "leaderworkerset-sample": (12, None), "multiple-depends-on": (6, {}), "elastic-example-echo": (2, {}),
    "pytorch-dist-mnist-gloo": (2, {"nvidia.com/gpu": 2}), "llamacpp-llama3-8b-instruct-bartowski-q5km": (5, {}),
}  # fmt: skip


@pytest.mark.upstream
def test_every_sample_reads_without_a_warning(upstream):
    """Each sample manifest of a kind of the catalog reads Initializing, without a warning, with the pods worked out for it."""
    catalog = Catalog.load()
    seen = set()
    for file in sorted(upstream.glob("*/samples/*.yaml")):
        try:
            objects = [o.value for o in read_objects([file]) if (o.value["apiVersion"], o.value["kind"]) in KINDS]
        except InputError:
            continue  # templates of Helm and the like are no YAML
        for obj in objects:
            reading = catalog.read(obj)
            assert (reading.warnings, reading.status.phase) == ((), "Initializing"), file.name
            assert reading.totals.pods > 0, file.name
            if reading.workload.name in KNOWN:
                pods, accelerators = KNOWN[reading.workload.name]
                assert reading.totals.pods == pods, file.name
                assert accelerators is None or reading.totals.accelerators == accelerators, file.name
                seen.add(reading.workload.name)
    assert seen == set(KNOWN)


# framework, a piece of the sample's file name, kind, pods and GPUs, worked out from the manifests by the operators' rules
NUMBERS = [
    ("dynamo", "vllm_deploy_disagg_kvbm_2p2d", "DynamoGraphDeployment", 5, 4),
    ("dynamo", "disagg-16gpu_deploy", "DynamoGraphDeployment", 5, 32),
    ("kserve", "transformer_collocation_collocation", "InferenceService", 1, 0),
    ("kserve", "torchserve_v2_mnist_gpu", "InferenceService", 1, 1),
    ("kserve", "autoscale_gpu", "InferenceService", 1, 1),
    ("kserve", "rollout_canary", "InferenceService", 1, 0),
    ("jobset", "multiple-depends-on", "JobSet", 6, 0),
    ("lws", "leaderworkerset_tpu", "LeaderWorkerSet", 12, 0),
    ("lws", "llamacpp_k8s_lws", "LeaderWorkerSet", 5, 0),
    ("kserve", "dp-ep-deepseek-r1-gpu-naive", "LLMInferenceService", 3, 16),
    ("kserve", "pd-gpu-p-deepep-ht-d-deepep-ht", "LLMInferenceService", 5, 32),
    ("kserve", "pd-qwen2-7b-gpu", "LLMInferenceService", 4, 3),
    ("milvus-operator", "milvus_cluster_mixcoord", "Milvus", 5, 0),
    ("milvus-operator", "samples_hpa", "Milvus", 5, 0),
    ("mpi-operator", "pi_pi", "MPIJob", 3, 0),
    ("nim-operator", "caching_ngc_nimcache", "NIMCache", 1, 0),
    ("nim-operator", "multi-node-nimservice", "NIMService", 2, 16),
    ("grove", "simple_simple1", "PodCliqueSet", 9, 0),
    ("grove", "complete-inference-pipeline", "PodCliqueSet", 11, 0),
    ("kuberay", "tpu-v4-multihost", "RayCluster", 3, 0),
    ("kuberay", "autoscaler-v2", "RayCluster", 1, 0),
    ("kuberay", "ray-cluster.verl", "RayCluster", 1, 4),
    ("kuberay", "ray-cluster.kai-scheduler", "RayCluster", 3, 0),
    ("kuberay", "ray-job.interactive-mode", "RayJob", 2, 0),
    ("kuberay", "ray-job.use-existing-raycluster", "RayJob", 1, 0),
    ("kuberay", "ray-job.pytorch-image-classifier", "RayJob", 6, 4),
    ("kuberay", "ray-service.deepseek", "RayService", 3, 16),
    ("kuberay", "ray-service.incremental-upgrade", "RayService", 1, 0),
    ("kuberay", "ray-service.llm-serve", "RayService", 2, 4),
    ("trainer", "lammps-train-job", "TrainJob", 2, 0),
]


@pytest.mark.upstream
@pytest.mark.parametrize(("framework", "piece", "kind", "pods", "gpus"), NUMBERS, ids=str)
def test_samples_have_the_numbers_that_their_operators_make(upstream, framework, piece, kind, pods, gpus):
    """Pods and GPUs of a sample are those that its operator creates."""
    catalog, seen = Catalog.load(), 0
    for file in sorted((upstream / framework / "samples").glob(f"*{piece}*.y*ml")):
        for found in read_objects([file]):
            if (found.value.get("apiVersion"), found.value.get("kind")) in KINDS and found.value["kind"] == kind:
                totals = catalog.read(found.value).totals
                assert (totals.pods, totals.gpus) == (pods, gpus), file.name
                seen += 1
    assert seen


@pytest.mark.upstream
def test_recordings_read_the_phase_that_they_are_labelled_with(upstream):
    """Each step of a recording of a real operator reads as it was labelled; Undefined asserts nothing."""
    catalog = Catalog.load()
    steps = 0
    for file in sorted((upstream / "recordings").glob("*/*.yaml")):
        if file.parent.name not in DEFINITIONS:
            continue
        ((recording, _),) = read_documents(file.read_text())
        obj = recording["object"]
        for i, step in enumerate(recording["steps"]):
            obj = apply_merge_patch(obj, step.get("patch", {}))
            obj = {**obj, "status": step.get("status", obj.get("status"))}
            reading = catalog.read(obj)
            where = (file.parent.name, file.name, i)
            # an operator writes its zero value, which the enumeration of the newest releases lacks
            zero = {".status.state is ''"} if (step.get("status") or {}).get("state") == "" else set()
            assert {w.message.partition(",")[0] for w in reading.warnings} == zero, where
            if step.get("state", "Undefined") != "Undefined":
                assert reading.status.phase == step["state"], where
                steps += 1
    assert steps > 30


((OBSERVED, _),) = read_documents((Path(__file__).parent / "observed.yaml").read_text())
ELSEWHERE = {"knative-serving", "nim-operator-nimservice"}
"""Their phases stand beside the other tests of these frameworks."""


@pytest.mark.upstream
@pytest.mark.parametrize(
    ("operator", "flow"), [(operator, flow) for operator, flows in OBSERVED.items() for flow in flows], ids=str
)
def test_observed_flows_read_the_phases_thought_out_for_them(upstream, operator, flow):
    """Each step of what a real operator wrote reads the phase written down for it, that alone, and without a warning."""
    ((doc, _),) = read_documents((upstream / "observed" / operator / f"{flow}.yaml").read_text())
    obj, catalog = doc["object"], Catalog.load()
    wanted = [phase for count, phase, _ in OBSERVED[operator][flow] for _ in range(count)]
    assert len(wanted) == len(doc["steps"])
    for i, (step, phase) in enumerate(zip(doc["steps"], wanted, strict=True)):
        obj = apply_merge_patch(obj, step.get("patch", {}))
        obj = {**obj, "status": step.get("status", obj.get("status"))}
        reading = catalog.read(obj)
        assert (reading.status.matched, reading.warnings) == ((phase,), ()), (i, step.get("at"))


@pytest.mark.upstream
def test_every_observed_flow_of_these_kinds_is_thought_out(upstream):
    """No flow of a kind of the catalog is left out."""
    for folder in sorted((upstream / "observed").iterdir()):
        for file in sorted(folder.glob("*.yaml")):
            ((flow, _),) = read_documents(file.read_text())
            if (flow["object"]["apiVersion"], flow["object"]["kind"]) in KINDS and folder.name not in ELSEWHERE:
                assert file.stem in OBSERVED[folder.name], file.name


MUTATIONS = [
    {"spec": None}, {"status": {}}, {"status": {"conditions": []}}, {"status": {"conditions": [{"type": "X"}]}}, {"spec": {"replicatedJobs": None}},
    {"spec": {"workerGroupSpecs": None, "headGroupSpec": None}}, {"spec": {"pytorchReplicaSpecs": None}}, {"spec": {"leaderWorkerTemplate": None}},
]  # fmt: skip


@pytest.mark.parametrize(("version", "kind"), sorted(KINDS))
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_absent_and_empty_parts_are_normal_input(version, kind, mutation):
    """An object without a spec, a status or its parts reads 0 pods, without a warning."""
    obj = apply_merge_patch({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": {}}, mutation)
    reading = Catalog.load().read(obj)
    # a Milvus without any field is one process
    pods = 1 if kind == "Milvus" and obj.get("spec") is not None else 0
    assert (reading.totals.pods, reading.warnings) == (pods, ())


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"replicatedJobs": [{"name": "a", "replicas": "2"}]}, "bad-replicas"), ({"replicatedJobs": [{"name": 5}]}, "id-not-string"),
        ({"replicatedJobs": [{"name": "a"}, {"name": "a"}]}, "duplicate-id"), ({"replicatedJobs": [{"name": "a", "replicas": 1.5}]}, "bad-replicas"),
        ({"replicatedJobs": [{"name": str(i)} for i in range(1200)]}, "too-many-results"), ({"replicatedJobs": [{}]}, "id-not-string"),
        ({"replicatedJobs": [{"name": "a", "template": {"spec": {"template": "x"}}}]}, "bad-value"),
    ],
)  # fmt: skip
def test_where_a_consumer_fails_there_is_a_warning(spec, code):
    """An object on which consumers fail is read as far as it goes, with a warning that says so."""
    reading = Catalog.load().read(
        {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "x"}, "spec": spec}
    )
    assert code in {w.code for w in reading.warnings}
    assert len(reading.components[1].instances) == len(spec["replicatedJobs"])
