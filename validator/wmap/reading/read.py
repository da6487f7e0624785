"""Read one object: definition + object (+ pods) -> reading."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from wmap.expr import MISSING, EvaluationError
from wmap.reading.gangs import read_gangs
from wmap.reading.model import (
    Attribution,
    ComponentReading,
    InstanceReading,
    Reading,
    StatusReading,
    SuspendReading,
    Totals,
    Warned,
    Workload,
    made,
)
from wmap.reading.pods import PodCounts, attribute
from wmap.reading.quantity import NANO
from wmap.reading.requests import gpus_of, is_accelerator
from wmap.reading.status import UNDEFINED, read_status
from wmap.reading.tree import Scaled, Tree, factors, read_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.reading.plan import ComponentPlan, Plan


def read(plan: Plan, obj: Any, pods: Sequence[Any] | None = None, origin: str = "catalog") -> Reading:
    """Read one object with a compiled definition.

    Args:
        plan: the definition, made ready by ``compile_plan``.
        obj: the workload as JSON values.
        pods: the pods to attribute; None where they are not known.
        origin: where the definition came from, for the output.

    Never raises on an object: what cannot be read leaves a warning.
    """
    collects = gc.isenabled()
    try:
        return _read(plan, obj, pods, origin)
    finally:
        if collects and not gc.isenabled():
            gc.enable()  # paused where there are many instances


def _read(plan: Plan, obj: Any, pods: Sequence[Any] | None, origin: str) -> Reading:
    warnings: list[Warned] = []
    status = (
        read_status(plan.definition, plan.status, obj, warnings)
        if plan.status
        else StatusReading(UNDEFINED, (), None, None)
    )
    tree = read_tree(plan, obj, warnings)
    attribution: Attribution | None = None
    counts: PodCounts | None = None
    if pods is not None:
        attribution, counts = attribute(plan, tree, obj, pods, warnings)
    components = tuple(
        [
            ComponentReading(c.name, c.owner, c.kind, _instances(plan, tree, c, counts) if c.is_leaf else ())
            for c in plan.components
        ]
    )
    totals = _totals(components)
    if counts is not None and status.phase == "Running":
        there = sum(counts.ready.values()) + sum(counts.succeeded.values())
        if there < totals.pods:
            text = f"the status says Running, but of {totals.pods} pods {there} are ready or have succeeded"
            warnings.append(Warned("pods-disagree", text))
    metadata = obj.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    namespace, name = metadata.get("namespace"), metadata.get("name")
    workload = Workload(
        str(obj.get("apiVersion", "")),
        str(obj.get("kind", "")),
        namespace if isinstance(namespace, str) else None,
        name if isinstance(name, str) else None,
    )
    gangs = read_gangs(plan, tree) if plan.members else ()
    suspend = _suspend(plan, obj, warnings)
    plan.admitted.warn(obj, warnings)
    warned = tuple(dict.fromkeys(warnings)) if warnings else ()
    # by position: by name costs a tenth of a reading
    return Reading(plan.name, origin, workload, status, components, totals, gangs, attribution, suspend, warned)


def _instances(
    plan: Plan, tree: Tree, component: ComponentPlan, counts: PodCounts | None
) -> tuple[InstanceReading, ...]:
    scaled = tree.instances[component.index]
    if not scaled:
        return ()
    now, least, most, bounded = factors(tree, component) if component.ancestors else (1, 1, 1, False)
    absent = 0 if plan.leaf_scale else 1
    result = []
    for instance in scaled:
        replicas = absent if instance.replicas is None else instance.replicas
        pods = replicas * now
        minimum = replicas if instance.min_replicas is None else instance.min_replicas
        maximum: int | None = None
        if instance.max_replicas is not None or bounded:
            maximum = (replicas if instance.max_replicas is None else instance.max_replicas) * most
        ready, groups = _seen(component, instance, counts) if counts is not None else (None, None)
        result.append(
            made(
                InstanceReading,
                (
                    instance.id,
                    instance.replicas,
                    pods,
                    minimum * least,
                    maximum,
                    pods * instance.gpus_per_pod,
                    instance.shape,
                    ready,
                    groups,
                ),
            )
        )
    return tuple(result)


def _seen(component: ComponentPlan, instance: Scaled, counts: PodCounts) -> tuple[int, tuple[str, ...] | None]:
    key = (component.index, instance.id)
    groups = None if component.pod_replica is None else tuple(counts.groups.get(key, ()))
    return counts.ready.get(key, 0), groups


def _totals(components: tuple[ComponentReading, ...]) -> Totals:
    pods = min_pods = max_pods = 0
    bounded = False
    least_is_now = True
    requests: dict[str, int] = {}
    for component in components:
        for _, _, now, low, high, _, shape, _, _ in component.instances:
            pods += now
            min_pods += low
            if low != now:
                least_is_now = False
            if high is None:
                max_pods += now
            else:
                max_pods += high
                bounded = True
            for name, quantity in shape[0].items():
                requests[name] = requests.get(name, 0) + quantity * now
    least = requests
    if not least_is_now:
        least = {}
        for component in components:
            for instance in component.instances:
                for name, quantity in instance.shape.requests.items():
                    least[name] = least.get(name, 0) + quantity * instance.min_pods
    accelerators = {name: -(-quantity // NANO) for name, quantity in requests.items() if is_accelerator(name)}
    gpus = gpus_of(requests)
    return Totals(
        pods,
        min_pods,
        max_pods if bounded else None,
        gpus,
        gpus if least is requests else gpus_of(least),
        accelerators,
        requests,
        least,
    )


def _suspend(plan: Plan, obj: Any, warnings: list[Warned]) -> SuspendReading:
    if not plan.suspend:
        return SuspendReading(supported=False, suspended=False)
    suspended = True
    for expression, value in plan.suspend:
        try:
            found = expression.first(obj)
        except EvaluationError as error:
            warnings.append(Warned("path-raised", f"the suspend path raises: {error.message}", None, expression.text))
            found = MISSING
        suspended = suspended and type(found) is type(value) and found == value
    return SuspendReading(supported=True, suspended=suspended)
