"""A reading as plain JSON values: the document of ``describe -o json``, described by ``schemas/describe.schema.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.reading.model import SCHEMA_VERSION
from wmap.reading.quantity import format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wmap.reading.model import Attribution, InstanceReading, Reading


def to_dict(reading: Reading) -> dict[str, Any]:
    """The reading as a JSON document; quantities are texts in canonical form, sorted by name."""
    totals = reading.totals
    return {
        "schemaVersion": SCHEMA_VERSION,
        "definition": {"name": reading.definition, "origin": reading.origin},
        "workload": {
            "apiVersion": reading.workload.api_version,
            "kind": reading.workload.kind,
            "namespace": reading.workload.namespace,
            "name": reading.workload.name,
        },
        "status": {
            "phase": reading.status.phase,
            "matched": list(reading.status.matched),
            "reason": reading.status.reason,
            "message": reading.status.message,
        },
        "components": [
            {
                "name": c.name,
                "owner": c.owner,
                "kind": None
                if c.kind is None
                else {"group": c.kind.group, "version": c.kind.version, "kind": c.kind.kind},
                "instances": [_instance(i) for i in c.instances],
            }
            for c in reading.components
        ],
        "totals": {
            "pods": totals.pods,
            "minPods": totals.min_pods,
            "maxPods": totals.max_pods,
            "gpus": totals.gpus,
            "minGpus": totals.min_gpus,
            "accelerators": dict(sorted(totals.accelerators.items())),
            "requests": quantities(totals.requests),
            "minRequests": quantities(totals.min_requests),
        },
        "gangs": [
            {
                "podGroup": g.pod_group,
                "component": g.component,
                "instance": g.instance,
                "minPods": g.min_pods,
                "minGpus": g.min_gpus,
                "pods": g.pods,
                "gpus": g.gpus,
                "count": g.count,
            }
            for g in reading.gangs
        ],
        "attribution": None if reading.attribution is None else _attribution(reading.attribution),
        "suspend": {"supported": reading.suspend.supported, "suspended": reading.suspend.suspended},
        "warnings": [
            {"code": w.code, "message": w.message, "component": w.component, "expression": w.expression}
            for w in reading.warnings
        ],
    }


def quantities(amounts: Mapping[str, int]) -> dict[str, str]:
    """Quantities in canonical form, sorted by name."""
    return {name: format_quantity(name, amounts[name]) for name in sorted(amounts)}


def _instance(instance: InstanceReading) -> dict[str, Any]:
    shape = instance.shape
    return {
        "id": instance.id,
        "replicas": instance.replicas,
        "pods": instance.pods,
        "minPods": instance.min_pods,
        "maxPods": instance.max_pods,
        "gpus": instance.gpus,
        "podRequests": quantities(shape.requests),
        "podLimits": quantities(shape.limits),
        "claims": [{"name": c.name, "source": c.source, "count": c.count} for c in shape.claims],
        "images": list(shape.images),
        "schedulerName": shape.scheduler_name,
        "priorityClassName": shape.priority_class_name,
        "ready": instance.ready,
        "replicaGroups": None if instance.replica_groups is None else list(instance.replica_groups),
    }


def _attribution(attribution: Attribution) -> dict[str, Any]:
    return {
        "pods": [
            {
                "name": p.name,
                "component": p.component,
                "instance": p.instance,
                "replicaGroup": p.replica_group,
                "gang": list(p.gang),
            }
            for p in attribution.pods
        ],
        "unmatched": [{"name": p.name, "reason": p.reason} for p in attribution.unmatched],
        "groups": [
            {"podGroup": g.pod_group, "keys": list(g.keys), "pods": g.pods, "lacks": g.lacks}
            for g in attribution.groups
        ],
    }
