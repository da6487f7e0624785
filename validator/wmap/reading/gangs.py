"""The gangs of a workload, with the sizes that the consumers of a definition compute.

The size of a subtree is scale(C) x the sum over its children, where a missing or zero factor is left out; scale(C) is the
sum over its instances of the minimum if that is above 0, else the replicas. Ancestors of the member do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.reading.model import GangReading
from wmap.reading.tree import NO_SCALE, factors

if TYPE_CHECKING:
    from wmap.reading.plan import ComponentPlan, MemberPlan, Plan
    from wmap.reading.tree import Scaled, Tree


_Size = tuple[int, int, int, int]
"""What a subtree takes: pods and GPUs at the minimum as consumers compute it, pods and GPUs now."""


def read_gangs(plan: Plan, tree: Tree) -> tuple[GangReading, ...]:
    """One row for each size of gang: the member's subtree, or each of its instances where it is a leaf with ids.

    A member that the object does not have gives no row.
    """
    rows: list[GangReading] = []
    for member in plan.members:
        component = plan.components[member.component]
        count = _count(plan, tree, member, component)
        if component.is_leaf and component.ids is not None and not member.new_form:
            for instance in tree.instances[component.index]:
                size = _leaf_size(plan, (instance,))
                rows.append(GangReading(member.pod_group, component.name, instance.id, *size, count))
        elif _has_pods(plan, tree, component):
            rows.append(GangReading(member.pod_group, component.name, None, *_size(plan, tree, component), count))
    return tuple(rows)


def _has_pods(plan: Plan, tree: Tree, component: ComponentPlan) -> bool:
    """Whether the object has the component, or one below it: what it does not have is no gang."""
    return bool(tree.instances[component.index]) or any(
        _has_pods(plan, tree, plan.components[child]) for child in component.children
    )


def member_minimum(plan: Plan, tree: Tree, member: MemberPlan, component: ComponentPlan, instance: str | None) -> int:
    """The minimum of the gang that a pod of ``component`` and ``instance`` is in, by this member."""
    effective = plan.components[member.component]
    if effective.index == component.index and component.ids is not None and not member.new_form:
        mine = tuple(i for i in tree.instances[component.index] if i.id == instance)
        return _leaf_size(plan, mine)[0]
    return _size(plan, tree, effective)[0]


def _size(plan: Plan, tree: Tree, component: ComponentPlan) -> _Size:
    own = tree.instances[component.index]
    if component.is_leaf and not component.children:
        return _leaf_size(plan, own)
    min_pods = min_gpus = pods = gpus = 0
    for child in component.children:
        below = _size(plan, tree, plan.components[child])
        min_pods += below[0]
        min_gpus += below[1]
        pods += below[2]
        gpus += below[3]
    if component.is_leaf:
        least, _, now, _ = _leaf_size(plan, own)
        sized, least = least > 0, least or 1
    else:
        scale = tree.scales[component.index]
        if scale is NO_SCALE:
            return min_pods, min_gpus, pods, gpus
        sized = bool(scale.min_replicas or scale.replicas)
        least = scale.min_replicas or scale.replicas or 1
        now = 1 if scale.replicas is None else scale.replicas
    if not min_pods:
        # a zero factor is left out, so the scale alone is the size
        return least if sized else 0, 0, pods * now, gpus * now
    return min_pods * least, min_gpus * least, pods * now, gpus * now


def _leaf_size(plan: Plan, instances: tuple[Scaled, ...]) -> _Size:
    min_pods = min_gpus = pods = gpus = 0
    absent = 0 if plan.any_scale else 1
    for _, replicas, minimum, _, _, gpus_per_pod in instances:
        now = absent if replicas is None else replicas
        least = minimum or now
        min_pods += least
        min_gpus += least * gpus_per_pod
        pods += now
        gpus += now * gpus_per_pod
    return min_pods, min_gpus, pods, gpus


def _count(plan: Plan, tree: Tree, member: MemberPlan, component: ComponentPlan) -> int | None:
    """How many gangs of this size there are: 1 without keys, else the product of the ancestors' scales.

    None where the keys do not follow from the tree: they follow where each is the replica selector of the member or of
    an ancestor, or the member's own instance id, and where the replica selector is among them if there is more than one
    replica group.
    """
    if not member.keys:
        return 1
    now = factors(tree, component)[0]
    replica_keys = {
        c.pod_replica.normal
        for c in (component, *(plan.components[a] for a in component.ancestors))
        if c.pod_replica is not None
    }
    below = [plan.components[c] for c in component.children]
    while below:
        child = below.pop()
        if child.pod_replica is not None:
            replica_keys.add(child.pod_replica.normal)
        below.extend(plan.components[c] for c in child.children)
    known = set(replica_keys)
    if component.pod_instance is not None:
        known.add(component.pod_instance.normal)
    keys = {key.normal for key in member.keys}
    if not keys <= known:
        return None
    if now > 1 and not keys & replica_keys:
        return None
    return now
