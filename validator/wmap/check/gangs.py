"""Rules about gangs and suspension. L6xx, L7xx."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

_GANG = "spec: {optimizationInstructions: {gangScheduling: {podGroups: %s}}}"
_GOOD = _GANG % "[{name: job, members: [{componentName: job}]}]"
_SUSPEND = """
spec: {structureDefinition: {rootComponent: {suspendDefinition: {
  suspendActions: [{path: .spec.suspend, value: '%s'}], resumeActions: [{path: .spec.suspend, value: '%s'}]}}}}
"""


@rule(
    "L601",
    "unknown-member",
    Severity.ERROR,
    "The members of a gang are components.",
    "A member that does not exist groups no pod, and its gang is never admitted.",
    bad=_GANG % "[{name: job, members: [{componentName: jab}]}]",
    good=_GOOD,
)
def unknown_member(context: Context) -> Iterator[Found]:
    """A component that does not exist."""
    definition = context.definition
    names = [c.name.value for c in definition.components]
    members = [m.component for g in definition.pod_groups for m in g.members]
    members += [s.component for s in definition.pod_group.sub_groups] if definition.pod_group else []
    for name in members:
        if name.value not in names:
            yield name, f"there is no component {name}", f"there are: {', '.join(names)}", None


@rule(
    "L602",
    "same-keys",
    Severity.ERROR,
    "No two members have the same keys.",
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
            seen.setdefault(keys, member.component.value)


@rule(
    "L603",
    "member-without-pods",
    Severity.ERROR,
    "A member of a gang has pods, of its own or below it.",
    "The minimum of a gang without pods is 0.",
    bad="""
spec: {structureDefinition: {childComponents: [
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.template}}, {name: none, ownerRef: job}]},
  optimizationInstructions: {gangScheduling: {podGroups: [{name: job, members: [{componentName: none}]}]}}}
""",
    good=_GOOD,
)
def member_without_pods(context: Context) -> Iterator[Found]:
    """No leaf in its subtree."""
    definition = context.definition
    holding = {c.name.value for c in context.leaves}
    holding |= {owner.name.value for c in context.leaves for owner in definition.ancestors(c)}
    members = [m.component for g in definition.pod_groups for m in g.members]
    members += [s.component for s in definition.pod_group.sub_groups] if definition.pod_group else []
    for name in members:
        if definition.component(name.value) is not None and name.value not in holding:
            yield name, f"no component at or below {name} owns pods", "name a component with pods below it", None


@rule(
    "L701",
    "suspend-value",
    Severity.ERROR,
    "The values of suspend and resume actions are JSON.",
    "Consumers decode them before they write.",
    bad=_SUSPEND % ("yes", "false"),
    good=_SUSPEND % ("true", "false"),
)
def suspend_value(context: Context) -> Iterator[Found]:
    """Not JSON."""
    for component in context.definition.components:
        if component.suspend is None:
            continue
        for action in (*component.suspend.suspend, *component.suspend.resume):
            try:
                json.loads(action.value.value)
            except ValueError:
                yield (
                    action.value,
                    f"{action.value.value} is not JSON",
                    'write "true", "false", "0" or "\\"text\\""',
                    None,
                )


@rule(
    "L702",
    "resume-like-suspend",
    Severity.ERROR,
    "Resuming writes something else than suspending.",
    "The same value at the same path cannot do both.",
    bad=_SUSPEND % ("true", "true"),
    good=_SUSPEND % ("true", "false"),
)
def resume_like_suspend(context: Context) -> Iterator[Found]:
    """The same actions."""
    for component in context.definition.components:
        if component.suspend is None:
            continue
        suspend = {(a.path.value, a.value.value) for a in component.suspend.suspend}
        for action in component.suspend.resume:
            if (action.path.value, action.value.value) in suspend:
                yield (
                    action.value,
                    "resuming writes what suspending writes",
                    "write the value of a running workload",
                    None,
                )
