"""Whose a pod is: by namespace, owner references, and the label in which an operator writes the name of the workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wmap.reading.plan import Plan

NAME_LABELS = {
    ("grove.io", "PodCliqueSet"): "app.kubernetes.io/part-of",
    ("jobset.x-k8s.io", "JobSet"): "jobset.sigs.k8s.io/jobset-name",
    ("kubeflow.org", "MPIJob"): "training.kubeflow.org/job-name",
    ("kubeflow.org", "PyTorchJob"): "training.kubeflow.org/job-name",
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): "leaderworkerset.sigs.k8s.io/name",
    ("milvus.io", "Milvus"): "app.kubernetes.io/instance",
    ("nvidia.com", "DynamoGraphDeployment"): "nvidia.com/dynamo-graph-deployment-name",
    ("serving.knative.dev", "Service"): "serving.knative.dev/service",
    ("serving.kserve.io", "InferenceService"): "serving.kserve.io/inferenceservice",
    ("trainer.kubeflow.org", "TrainJob"): "jobset.sigs.k8s.io/jobset-name",
}
"""By group and kind, the label of pods in which the operator writes the name of the workload, where no user can write another.

The format has no place for it: its selectors do not see the workload."""
_LONGEST = 63


class Owners:
    """Whether a pod is foreign, as far as namespaces and owner references tell.

    A pod knows its controller only: where that is of the workload's own kind, uid (else name) decides. Where it is another
    pod of those given, that pod's owner decides. Where it is a kind in between (a Job, a StatefulSet), the kind
    must be one that the definition knows, and its name must begin with the workload's: every operator names what it
    makes so, and cuts only names that are too long. A label in which the operator writes the workload's name tells more: where it
    holds another, the pod is foreign.
    """

    _CERTAIN = 40

    def __init__(self, plan: Plan, obj: Any, pods: Sequence[Any]) -> None:
        metadata = obj.get("metadata") if isinstance(obj, dict) else None
        metadata = metadata if isinstance(metadata, dict) else {}
        self.uid = metadata.get("uid")
        self.name = metadata.get("name")
        self.namespace = metadata.get("namespace")
        self.kind = plan.kind
        self.label = NAME_LABELS.get((plan.kind.group, plan.kind.kind))
        definition = plan.definition
        self.between = {(c.kind.group, c.kind.kind) for c in definition.components if c.kind} | {
            (k.group, k.kind) for k in definition.additional_child_kinds
        }
        self.pods = {
            m["name"]: m
            for m in (p.get("metadata") for p in pods if isinstance(p, dict))
            if isinstance(m, dict) and isinstance(m.get("name"), str)
        }

    def foreign(self, metadata: Mapping[str, Any], depth: int = 0) -> str | None:
        """Why the pod is not the workload's, or None."""
        namespace = metadata.get("namespace")
        if namespace and self.namespace and namespace != self.namespace:  # an empty one is not known
            return f"it is in the namespace {namespace}, the workload in {self.namespace}"
        if (self.kind.group, self.kind.kind) == ("", "Pod"):
            return None if self._same(metadata) else "it is another pod"
        references = metadata.get("ownerReferences")
        references = references if isinstance(references, list) else []
        owner = next((r for r in references if isinstance(r, dict) and r.get("controller") is True), None)
        owner = owner or next((r for r in references if isinstance(r, dict)), None)
        if owner is None:
            return self._labelled(metadata)
        group, _, _ = str(owner.get("apiVersion", "")).rpartition("/")
        kind, name = str(owner.get("kind", "")), str(owner.get("name", ""))
        if (group, kind) == (self.kind.group, self.kind.kind):
            return None if self._same(owner) else f"it is owned by another {kind}, {name}"
        labelled = self._labelled(metadata)
        if labelled is not None:
            return labelled
        if (group, kind) == ("", "Pod") and name in self.pods and depth < 8:
            return self.foreign(self.pods[name], depth + 1)
        if (group, kind) not in self.between:
            return f"it is owned by the {kind} {name}, a kind that is no part of a {self.kind.kind}"
        if isinstance(self.name, str) and self.name and not _begins(name, self.name, self._CERTAIN):
            return f"it is owned by the {kind} {name}, which is not of {self.name}"
        return None

    def _labelled(self, metadata: Mapping[str, Any]) -> str | None:
        """Why the labels say that the pod is not the workload's, or None."""
        labels = metadata.get("labels")
        found = labels.get(self.label) if self.label is not None and isinstance(labels, dict) else None
        known = isinstance(self.name, str) and 0 < len(self.name) <= _LONGEST  # a longer one cannot be a label's value
        if known and isinstance(found, str) and found and found != self.name:
            return f"its label {self.label} says that it is of {found}"
        return None

    def _same(self, named: Mapping[str, Any]) -> bool:
        """Whether a reference, or a pod's metadata, names the workload: by uid where both have one, else by name."""
        uid = named.get("uid")
        return uid == self.uid if self.uid and uid else str(named.get("name", "")) == str(self.name or "")


def _begins(name: str, prefix: str, certain: int) -> bool:
    if len(prefix) > certain:
        return name.startswith(prefix[:certain])
    return name == prefix or name.startswith(f"{prefix}-")
