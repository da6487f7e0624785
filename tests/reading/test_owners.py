"""Whose a pod is: the label with the name of the workload, where its owners do not tell."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.catalog import Definitions
from wmap.reading.owners import NAME_LABELS

KINDS = {(d.kind.group, d.kind.kind): d.kind for d in Definitions().all()}


@pytest.mark.parametrize("group_kind", sorted(NAME_LABELS))
@pytest.mark.parametrize("owners", [None, [{"apiVersion": "x.io/v1", "kind": "Other", "name": "a-b"}]])
def test_a_label_with_the_name_of_another_workload_keeps_a_pod_away(group_kind, owners):
    """The pod of a-b is none of a, whatever its owners are called."""
    kind, label = KINDS[group_kind], NAME_LABELS[group_kind]
    obj = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "a"}}
    pod = {"metadata": {"name": "p", "labels": {label: "a-b"}, "ownerReferences": owners}}
    (unmatched,) = Catalog.load().read(obj, [pod]).attribution.unmatched
    assert unmatched.reason == f"its label {label} says that it is of a-b"


def test_an_owner_of_the_kind_itself_is_more_than_a_label():
    """A pod that the workload controls is its own, whatever somebody wrote into its labels."""
    obj = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a", "uid": "1"}}
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "a", "uid": "1", "controller": True}
    labels = {"training.kubeflow.org/job-name": "b", "training.kubeflow.org/replica-type": "worker"}
    pod = {"metadata": {"name": "p", "labels": labels, "ownerReferences": [owner]}}
    assert [p.component for p in Catalog.load().read(obj, [pod]).attribution.pods] == ["worker"]


def test_a_name_that_is_too_long_for_a_label_tells_nothing():
    """Operators cut such a name, each in its own way."""
    obj = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a" * 70}}
    pod = {"metadata": {"name": "p", "labels": {"jobset.sigs.k8s.io/jobset-name": "a" * 63}}}
    (unmatched,) = Catalog.load().read(obj, [pod]).attribution.unmatched
    assert "says that it is of" not in unmatched.reason
