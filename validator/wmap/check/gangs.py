"""Rules about gangs. L6xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Text

_GANG = "spec: {optimizationInstructions: {gangScheduling: {podGroups: %s}}}"
_NEW = "spec: {optimizationInstructions: {gangScheduling: {podGroup: {name: job, subGroups: %s}}}}"
_KEYED = _GANG % "[{name: job, members: [{componentName: worker, groupByKeyPaths: ['%s']}]}]"
_GOOD = _GANG % "[{name: job, members: [{componentName: job}]}]"
_GOOD_KEY = _KEYED % ".metadata.labels.group"


def _members(context: Context) -> list[Text]:
    """The component names of the members of both forms."""
    definition = context.definition
    members = [m.component for g in definition.pod_groups for m in g.members]
    return members + ([s.component for s in definition.pod_group.sub_groups] if definition.pod_group else [])


@rule(
    "L601",
    "unknown-member",
    Severity.ERROR,
    "The members of a gang are components.",
    "A member that does not exist groups no pod, and its gang is never admitted.",
    source="the format: componentName names a component",
    bad=_GANG % "[{name: job, members: [{componentName: jab}]}]",
    good=_GOOD,
)
def unknown_member(context: Context) -> Iterator[Found]:
    """A component that does not exist."""
    names = [c.name.value for c in context.definition.components]
    for name in _members(context):
        if name.value not in names:
            yield name, f"there is no component {name}", f"there are: {', '.join(names)}", None


@rule(
    "L602",
    "same-keys",
    Severity.ERROR,
    "No two members have the same keys, also in two pod groups.",
    "Their pods form one gang that is given two different minimums, depending on the pod that comes first.",
    source="the scheduler's pod grouper: the name of a pod group is no part of the gang's name, its key values are",
    bad=_GANG % "[{name: job, members: [{componentName: job}, {componentName: worker}]}]",
    good=_GOOD,
)
def same_keys(context: Context) -> Iterator[Found]:
    """Equal keys, or none, in two members."""
    seen: dict[tuple[str, ...], str] = {}
    if context.definition.pod_group is not None:
        return
    for group in context.definition.pod_groups:
        for member in group.members:
            keys = tuple(sorted(e.normal if (e := context.parsed(k)) else k.value for k in member.group_by))
            if keys in seen:
                yield (
                    member.component,
                    f"{member.component} has the same keys as {seen[keys]}",
                    "name their common owner as the only member",
                    None,
                )
            seen.setdefault(keys, f"{member.component} in {group.name}")


@rule(
    "L603",
    "member-without-pods",
    Severity.ERROR,
    "A member of a gang has pods, of its own or below it.",
    "The minimum of a gang without pods is 0.",
    source="the scheduler's pod grouper: the minimum is the size of the member's subtree, and must not be 0",
    bad="""
spec: {structureDefinition: {childComponents: [
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.template}}, {name: none, ownerRef: job}]},
  optimizationInstructions: {gangScheduling: {podGroups: [{name: job, members: [{componentName: none}]}]}}}
""",
    good=_GOOD,
)
def member_without_pods(context: Context) -> Iterator[Found]:
    """No leaf in its subtree; for a gang of the whole workload, no leaf at all."""
    definition = context.definition
    holding = {c.name.value for c in context.leaves}
    holding |= {owner.name.value for c in context.leaves for owner in definition.ancestors(c)}
    for name in _members(context):
        if definition.component(name.value) is not None and name.value not in holding:
            yield name, f"no component at or below {name} owns pods", "name a component with pods below it", None
    whole = definition.pod_group
    if whole is not None and not whole.sub_groups and not holding:
        yield whole.name, "no component owns pods, so there is nothing to gang", "give a leaf a specDefinition", None


@rule(
    "L604",
    "gang-value-several",
    Severity.WARNING,
    "Each key and each filter of a member gives one value.",
    "A pod for which one gives none, or several, is in no gang.",
    source="the public library of the format: exactly one result, not null and not empty; a filter must be true",
    bad=_KEYED % ".metadata.labels[]?",
    good=_GOOD_KEY,
)
def gang_value_several(context: Context) -> Iterator[Found]:
    """None, or several results on a pod."""
    for member in (m for g in context.definition.pod_groups for m in g.members):
        for text in (*member.group_by, *member.filters):
            expression = context.parsed(text)
            if expression is not None and not expression.single:
                yield text, "it may give no result, or several, on one pod", "address one label", None


@rule(
    "L605",
    "constant-key",
    Severity.WARNING,
    "A key, or a filter, depends on the pod.",
    "A constant is the same for all pods: it divides nothing.",
    source="the scheduler's pod grouper: a gang's name is made of the workload and the values of the keys",
    bad=_KEYED % '"all"',
    good=_GOOD_KEY,
)
def constant_key(context: Context) -> Iterator[Found]:
    """An expression that reads nothing of the pod."""
    for member in (m for g in context.definition.pod_groups for m in g.members):
        for text in (*member.group_by, *member.filters):
            expression = context.parsed(text)
            if expression is not None and not expression.reads:
                yield text, "it reads nothing of the pod", "leave it out, or read a label", None


@rule(
    "L606",
    "both-gang-forms",
    Severity.WARNING,
    "Gangs are given in one form: podGroup, or podGroups.",
    "Where both are present the new one is used, and the old one says something that does not hold.",
    source="the scheduler's pod grouper",
    bad="""
spec: {optimizationInstructions: {gangScheduling: {
  podGroup: {name: job}, podGroups: [{name: job, members: [{componentName: job}]}]}}}
""",
    good=_GOOD,
)
def both_gang_forms(context: Context) -> Iterator[Found]:
    """The old form beside the new."""
    definition = context.definition
    if definition.pod_group is not None and definition.pod_groups:
        yield definition.pod_groups[0].name, "podGroups is not used: podGroup is there", "leave one of them out", None


@rule(
    "L607",
    "nested-subgroups",
    Severity.ERROR,
    "No subgroup lies within another.",
    "The minimum of a subgroup is its whole subtree, so pods of both are asked for twice.",
    source="the scheduler's pod grouper: a subgroup's minimum is the size of its component's subtree",
    bad=_NEW % "[{componentName: job}, {componentName: worker}]",
    good=_NEW % "[{componentName: worker}]",
)
def nested_subgroups(context: Context) -> Iterator[Found]:
    """A subgroup of a component that another subgroup's component owns."""
    definition = context.definition
    groups = definition.pod_group.sub_groups if definition.pod_group else ()
    names = {g.component.value for g in groups}
    for group in groups:
        component = definition.component(group.component.value)
        for owner in definition.ancestors(component) if component is not None else ():
            if owner.name.value in names:
                yield (
                    group.component,
                    f"{group.component} lies within the subgroup {owner.name}",
                    "keep the leaves, or their owner",
                    None,
                )
                break


@rule(
    "L608",
    "key-of-one-pod",
    Severity.ERROR,
    "The key of a gang is one that several pods share.",
    "By a name or a uid each pod is a gang of its own: the gang never gets the pods that it waits for.",
    source="the API of Kubernetes: names and uids of pods are unique",
    bad=_KEYED % ".metadata.name",
    good=_GOOD_KEY,
)
def key_of_one_pod(context: Context) -> Iterator[Found]:
    """A name, a uid, or what generated the name."""
    for group in context.definition.pod_groups:
        for member in group.members:
            for key in member.group_by:
                expression = context.parsed(key)
                if expression is not None and any(p in _UNIQUE for p in expression.reads):
                    hint = "group by a label that the operator writes on all pods of the gang"
                    yield key, f"{key.value:.60} is another one for each pod", hint, None


_UNIQUE = {("metadata", "name"), ("metadata", "uid"), ("status", "podIP"), ("spec", "hostname")}


def _covered(context: Context) -> set[str]:
    """The leaves that some gang asks for."""
    definition = context.definition
    whole = definition.pod_group is not None and not definition.pod_group.sub_groups
    members = {m.value for m in _members(context)}
    return {
        c.name.value
        for c in context.leaves
        if whole or members & {c.name.value, *(owner.name.value for owner in definition.ancestors(c))}
    }


@rule(
    "L609",
    "no-gang",
    Severity.WARNING,
    "A workload of several components or instances says which pods are scheduled together.",
    "Without a gang each pod is admitted by itself: two workloads that each hold half of the nodes wait for each other for ever. Where"
    " the pods do work alone, an ignore says so.",
    source="the scheduler's pod grouper: without podGroups each pod is a gang of one",
    bad="""
spec: {structureDefinition: {childComponents: [
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.workers}},
  {name: leader, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.leader}}]}}
""",
    good=_GOOD,
)
def no_gang(context: Context) -> Iterator[Found]:
    """Several leaves, or a leaf with instances, and no gang at all."""
    several = len(context.leaves) > 1 or any(c.instance_id is not None for c in context.leaves)
    if several and not _members(context) and context.definition.pod_group is None:
        yield context.definition.name, "no gang: each pod is scheduled by itself", "give gangScheduling", None


@rule(
    "L610",
    "pods-in-no-gang",
    Severity.WARNING,
    "Where some pods of a workload are in a gang, all are.",
    "The others are admitted one by one: the gang starts and waits for them, or they hold the nodes that it needs. Where that is meant, an"
    " ignore says so.",
    source="the scheduler's pod grouper: a pod of no member is a gang of one",
    bad="""
spec: {structureDefinition: {childComponents: [
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.workers}},
  {name: leader, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.leader}}]},
  optimizationInstructions: {gangScheduling: {podGroups: [{name: job, members: [{componentName: worker}]}]}}}
""",
    good=_GOOD,
)
def pods_in_no_gang(context: Context) -> Iterator[Found]:
    """A leaf that no member covers, beside one that a member does."""
    covered = _covered(context)
    for component in context.leaves:
        if covered and component.name.value not in covered:
            name = component.name
            yield name, f"no gang asks for the pods of {name}", "name it, or its owner, as a member", None
