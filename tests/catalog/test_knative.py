"""Knative Service: what the sheets of its samples say, and each step of what the operator wrote."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.definition.yamlio import read_documents
from wmap.reading.objects import read_objects
from wmap.reading.patch import apply_merge_patch

# each step as someone who runs Knative would call it: an update serves from the older revision until the ingress is
# configured anew, which looks like a first start
PHASES = {
    "image-pull-error": ["Initializing", "Initializing"],
    "pods-not-ready": ["Initializing", "Initializing"],
    "ready-then-new-revision": [*["Initializing"] * 4, *["Running"] * 6, "Initializing", "Running"],
}


@pytest.mark.upstream
@pytest.mark.parametrize("flow", sorted(PHASES))
def test_observed_flows_read_the_phases_thought_out_for_them(upstream, flow):
    """Each step of an observed flow reads the phase written down for it."""
    ((doc, _),) = read_documents((upstream / "observed" / "knative-serving" / f"{flow}.yaml").read_text())
    obj, phases = doc["object"], []
    for step in doc["steps"]:
        obj = apply_merge_patch(obj, step.get("patch", {}))
        obj = {**obj, "status": step.get("status", obj.get("status"))}
        phases.append(Catalog.load().read(obj).status.phase)
    assert phases == PHASES[flow]


@pytest.mark.upstream
def test_a_benchmark_of_upstream_has_fifty_to_a_hundred_pods(upstream):
    """The older spelling of the annotations is read: minScale 50 and maxScale 100."""
    (file,) = (upstream / "knative-serving" / "samples").glob("*rollout-probe-setup-activator-direct-lin.yaml")
    (obj,) = read_objects([file])
    totals = Catalog.load().read(obj.value).totals
    assert (totals.pods, totals.min_pods, totals.max_pods) == (50, 50, 100)
