"""Grove, Milvus and Dynamo on upstream's samples, with pods and GPUs worked out by hand from the manifests."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.reading.objects import read_objects

# by file: the pods and GPUs of each of its objects that the catalog reads
SAMPLES = {
    # two cliques of its own, 3 and 2, and a group of 2 and 2
    "grove/samples/operator_samples_simple_simple1-1.yaml": [(9, 0)],
    # two cliques of its own, and two groups of 1 and 4, 1 and 2
    "grove/samples/operator_samples_user-guide_01_core-concepts_complete-inference-pipeline-1.yaml": [(11, 0)],
    # mixCoord, proxy, dataNode, queryNode, streamingNode of the default image
    "milvus-operator/samples/config_samples_milvus_cluster_mixcoord.yaml": [(5, 0)],
    "milvus-operator/samples/config_samples_milvus_cluster_cdc.yaml": [(6, 0)],
    "milvus-operator/samples/config_samples_hpa.yaml": [(5, 0)],
    # a frontend, and 2 nodes of 8 GPUs for each of two
    "dynamo/samples/recipes_deepseek-r1_sglang_disagg-16gpu_deploy.yaml": [(5, 32)],
    # a frontend, one node, and 8 nodes of 4 GPUs
    "dynamo/samples/recipes_deepseek-r1_trtllm_disagg_wide_ep_gb200_deploy-3.yaml": [(10, 36)],
    # 2 nodes of a memory service, an engine and its shadow, and a frontend; GPUs are counted where limits name them (docs/limits.md)
    "dynamo/samples/deploy_operator_samples_dgd-gms-failover.yaml": [(7, 6)],
    "dynamo/samples/deploy_operator_samples_v1beta1_dgd-gms-failover.yaml": [(7, 6)],
}


@pytest.mark.upstream
@pytest.mark.parametrize(("file", "wanted"), sorted(SAMPLES.items()))
def test_samples_take_the_pods_that_the_operator_makes(upstream, file, wanted):
    """Pods and GPUs of a sample are those that the operator would make of it."""
    kinds = {"PodCliqueSet", "Milvus", "DynamoGraphDeployment"}
    objects = [o.value for o in read_objects([upstream / file]) if o.value["kind"] in kinds]
    readings = list(Catalog.load().read_many(objects))
    assert [(r.totals.pods, r.totals.gpus) for r in readings] == wanted


def test_the_pods_of_a_scaled_gang_are_not_in_the_base_gang():
    """A further replica of a scaling group is a gang of its own in Grove: here it is in none, and the base gang is not too large."""
    spec = {
        "replicas": 1,
        "template": {
            "cliques": [{"name": "a", "spec": {"replicas": 2, "podSpec": {"containers": []}}}],
            "podCliqueScalingGroups": [{"name": "g", "cliqueNames": ["a"], "replicas": 3, "minAvailable": 1}],
        },
    }
    obj = {"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet", "metadata": {"name": "s"}, "spec": spec}
    reading = Catalog.load().read(obj)
    assert (reading.totals.pods, [g.min_pods for g in reading.gangs]) == (6, [2])
