"""Pod attribution: which component, instance, replica group and gang each pod belongs to.

As consumers do it: with one leaf every pod is its; with more, the first leaf in document order whose type selector
matches. A pod that the object does not own, where owner references tell, is unmatched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.expr import EvaluationError, Expression
from wmap.reading.gangs import member_minimum
from wmap.reading.model import AttributedPod, Attribution, GangGroup, UnmatchedPod, Warned
from wmap.reading.owners import Owners
from wmap.reading.status import to_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wmap.reading.plan import ComponentPlan, Plan
    from wmap.reading.tree import Tree


class PodCounts(NamedTuple):
    """By (component index, instance id): ready pods, finished pods, and the replica groups in order of appearance."""

    ready: dict[tuple[int, str | None], int]
    succeeded: dict[tuple[int, str | None], int]
    groups: dict[tuple[int, str | None], dict[str, None]]


def attribute(
    plan: Plan, tree: Tree, obj: Any, pods: Sequence[Any], warnings: list[Warned]
) -> tuple[Attribution, PodCounts]:
    """Attribute each pod, in the order given."""
    attributed: list[AttributedPod] = []
    unmatched: list[UnmatchedPod] = []
    counts = PodCounts({}, {}, {})
    gangs: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    ids = [frozenset(i.id for i in instances) for instances in tree.instances]
    owners = Owners(plan, obj, pods)
    several: dict[str, int] = {}
    minimums: dict[tuple[int, int, str | None], int] = {}
    by_member: dict[int, int] = {}
    for position, pod in enumerate(pods):
        metadata = pod.get("metadata") if isinstance(pod, dict) else None
        metadata = metadata if isinstance(metadata, dict) else {}
        name = metadata.get("name") or metadata.get("generateName") or f"pod {position + 1}"
        reason = owners.foreign(metadata) if isinstance(pod, dict) else "it is no object"
        if reason is None:
            found = _component(plan, pod, metadata, several)
            if isinstance(found, str):
                reason = found
        if reason is not None:
            unmatched.append(UnmatchedPod(str(name), reason))
            continue
        assert not isinstance(found, str)  # noqa: S101  # said by reason
        component = found
        instance: str | None = None
        if component.pod_instance is not None:
            value = _one(component.pod_instance, pod)
            if value is None or value not in ids[component.index]:
                what = (
                    "no instance id"
                    if value is None
                    else f"the instance id {value!r}, which the workload does not have"
                )
                unmatched.append(UnmatchedPod(str(name), f"it is of {component.name}, but has {what}"))
                continue
            instance = value
        replica = _one(component.pod_replica, pod) if component.pod_replica is not None else None
        key = (component.index, instance)
        status = pod.get("status")
        status = status if isinstance(status, dict) else {}
        leaving = metadata.get("deletionTimestamp") is not None
        finished = status.get("phase") in ("Succeeded", "Failed")
        if not leaving and not finished and _ready(status):
            counts.ready[key] = counts.ready.get(key, 0) + 1
        if status.get("phase") == "Succeeded":
            counts.succeeded[key] = counts.succeeded.get(key, 0) + 1
        if replica is not None:
            counts.groups.setdefault(key, {})[replica] = None
        gang: tuple[str, ...] = ()
        index = _member(plan, component, pod)
        if index is not None:
            member = plan.members[index]
            values = [_one(k, pod) for k in member.keys]
            if any(v is None for v in values):
                missing = member.keys[values.index(None)].text
                text = f"pod {name} has no single value for a key of its gang {member.pod_group!r}: consumers fail here"
                warnings.append(Warned("gang-key-missing", text, component.name, missing))
            else:
                gang = tuple(str(v) for v in values)
                minimum = minimums.get((index, *key))
                if minimum is None:
                    minimum = minimums[(index, *key)] = member_minimum(plan, tree, member, component, instance)
                entry = gangs.setdefault((member.pod_group, gang), [0, minimum])
                here = not leaving and not finished
                entry[0] += here
                by_member[index] = by_member.get(index, 0) + here
        attributed.append(AttributedPod(str(name), component.name, instance, replica, gang))
    for text, times in several.items():
        warnings.append(Warned("pod-ambiguous", f"{times} pod(s) match {text}: the first is taken"))
    groups = tuple(
        GangGroup(
            pod_group,
            keys,
            there,
            _lacking(plan, tree, by_member) if plan.members[0].new_form else max(0, minimum - there),
        )
        for (pod_group, keys), (there, minimum) in sorted(gangs.items(), key=lambda g: (g[0][0], _natural(g[0][1])))
    )
    return Attribution(tuple(attributed), tuple(unmatched), groups), counts


def _lacking(plan: Plan, tree: Tree, there: Mapping[int, int]) -> int:
    """How many pods the one gang of the newer form lacks: each subgroup has a minimum of its own."""
    minimums = [member_minimum(plan, tree, m, plan.components[m.component], None) for m in plan.members]
    return sum(max(0, minimum - there.get(i, 0)) for i, minimum in enumerate(minimums))


def _natural(keys: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, int(k), k) if k.isdecimal() and k.isascii() and len(k) < 20 else (1, 0, k) for k in keys)


def _ready(status: Mapping[str, Any]) -> bool:
    conditions = status.get("conditions")
    return isinstance(conditions, list) and any(
        isinstance(c, dict) and c.get("type") == "Ready" and c.get("status") == "True" for c in conditions
    )


def _component(plan: Plan, pod: Any, metadata: Mapping[str, Any], several: dict[str, int]) -> ComponentPlan | str:
    leaves = plan.leaves
    if len(leaves) == 1:
        return leaves[0]
    found: ComponentPlan | None = None
    for leaf in leaves:
        if not leaf.has_type_selector or not _selected(leaf, pod, metadata):
            continue
        if found is None:
            found = leaf
        else:
            text = f"both {found.name} and {leaf.name}"
            several[text] = several.get(text, 0) + 1
            break
    return found if found is not None else "no component's selector matches it"


def _selected(leaf: ComponentPlan, pod: Any, metadata: Mapping[str, Any]) -> bool:
    if leaf.pod_labels:
        labels = metadata.get("labels")
        if not isinstance(labels, dict) or any(labels.get(k) != v for k, v in leaf.pod_labels):
            return False
    if leaf.pod_key is None:
        return True
    try:
        results = leaf.pod_key.evaluate(pod)
    except EvaluationError:
        return False
    if leaf.pod_key_has_value:
        return True in results if len(results) == 1 else any(r is True for r in results)
    return any(r is not None for r in results)


def _one(expression: Expression, pod: Any) -> str | None:
    """The one result as text, None where there is not exactly one, or it is null or empty."""
    try:
        results = expression.evaluate(pod)
    except EvaluationError:
        return None
    if len(results) != 1 or results[0] is None or results[0] == "":
        return None
    value = results[0]
    return value if isinstance(value, str) else to_text(value)


def _member(plan: Plan, component: ComponentPlan, pod: Any) -> int | None:
    """The index of the effective member: of the component itself first, then of each owner upwards."""
    for i in (component.index, *component.ancestors):
        for position, member in enumerate(plan.members):
            if member.component == i and all(_holds(f, pod) for f in member.filters):
                return position
    return None


def _holds(expression: Expression, pod: Any) -> bool:
    try:
        results = expression.evaluate(pod)
    except EvaluationError:
        return False
    return len(results) == 1 and results[0] is True
