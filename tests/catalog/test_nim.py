"""NIM operator: what the sheets of its samples say, and each step of what the operator wrote."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.definition.yamlio import read_documents
from wmap.reading.change import ChangeError
from wmap.reading.objects import read_objects

# the end of a sample's file name -> pods at the least, now, at the most, and GPUs now
SAMPLES = {
    "multi-node-nimservice-2": (2, 2, None, 16), "standalone_full_llm-2": (1, 1, 2, 1), "kserve_standard_llm-2": (1, 1, 3, 1),
    "caching_ngc_nimcache": (1, 1, None, 0), "multi-node-nimservice-rdma-1": (1, 1, None, 0),
}  # fmt: skip
# a missing cache is an error of the operator's own work; a rollout that waits is a start
PHASES = {
    "nimcache-missing": ["Initializing", "Failed"],
    "pods-running": ["Initializing", "Initializing", "Initializing", "Running"],
}


@pytest.mark.upstream
@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_samples_have_the_pods_and_gpus_worked_out_for_them(upstream, sample):
    """The samples read the pods and GPUs that follow from them by hand."""
    (file,) = (upstream / "nim-operator" / "samples").glob(f"*{sample}.yaml")
    (obj,) = read_objects([file])
    totals = Catalog.load().read(obj.value).totals
    assert (totals.min_pods, totals.pods, totals.max_pods, totals.gpus) == SAMPLES[sample]


@pytest.mark.upstream
@pytest.mark.parametrize("flow", sorted(PHASES))
def test_observed_flows_read_the_phases_thought_out_for_them(upstream, flow):
    """Each step of an observed flow reads the phase written down for it."""
    ((doc, _),) = read_documents((upstream / "observed" / "nim-operator-nimservice" / f"{flow}.yaml").read_text())
    obj, phases = doc["object"], []
    for step in doc["steps"]:
        obj = {**obj, "status": step.get("status", obj.get("status"))}
        phases.append(Catalog.load().read(obj).status.phase)
    assert phases == PHASES[flow]


def test_the_image_of_a_service_is_read_and_not_written():
    """The image is two fields of the object, so a change of it is refused and changes nothing."""
    obj = {
        "apiVersion": "apps.nvidia.com/v1alpha1", "kind": "NIMService", "metadata": {"name": "x"},
        "spec": {"image": {"repository": "r", "tag": "t"}},
    }  # fmt: skip
    with pytest.raises(ChangeError):
        Catalog.load().change(obj, component="server", settings={"image": "r:u"})
