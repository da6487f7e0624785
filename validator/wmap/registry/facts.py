"""What a definition says, apart from how it is written: facts by path, each with what a change of it means to consumers.

Expressions are compared by their canonical text, which those share that provably mean the same on every input; values of suspend actions
as JSON, what has no order as a set. Where the canonical texts of two expressions differ they may still mean the same: they count as
different, because nobody can know.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.expr import ExpressionError, parse
from wmap.registry.differences import Semantic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wmap.definition.model import Component, Definition, Matcher, SuspendAction, Text, Topology

MAJOR, MINOR, PATCH = Semantic.MAJOR, Semantic.MINOR, Semantic.PATCH


@dataclass(frozen=True, slots=True)
class Meaning:
    """What it means where a fact comes, goes, or is another."""

    added: Semantic
    removed: Semantic
    changed: Semantic
    why: str


KIND = Meaning(MAJOR, MAJOR, MAJOR, "other objects are read")
CHILD_KIND = Meaning(MINOR, MAJOR, MAJOR, "the kind of the component is another")
OWNER = Meaning(MAJOR, MAJOR, MAJOR, "the component counts below another one")
PODS = Meaning(MINOR, MAJOR, MAJOR, "pods may be read from another place")
LEAF = Meaning(MAJOR, MAJOR, MAJOR, "the component begins or ceases to own pods")
UNIT = Meaning(MAJOR, MAJOR, MAJOR, "pods may be counted otherwise")
MOST = Meaning(MINOR, MAJOR, MAJOR, "the largest count may be another")
NAMING = Meaning(MAJOR, MAJOR, MAJOR, "instances may have other names")
SELECTOR = Meaning(MINOR, MAJOR, MAJOR, "pods may belong to other components, instances or replicas")
LOOKED = Meaning(MINOR, MAJOR, MAJOR, "the status is looked up elsewhere")
MAPPING = Meaning(MINOR, MAJOR, MAJOR, "objects may have another status")
WRITTEN_OUT = Meaning(PATCH, PATCH, PATCH, "what was the default is written out, or no more")
SUSPEND = Meaning(MINOR, MAJOR, MAJOR, "suspending or resuming writes something else")
MANAGED = Meaning(MINOR, MAJOR, MAJOR, "other kinds are known to be managed")
GANG = Meaning(MINOR, MAJOR, MAJOR, "gangs are others")
GANG_KEY = Meaning(MAJOR, MAJOR, MAJOR, "pods may be put into other gangs")
TOPOLOGY = Meaning(MINOR, MAJOR, MAJOR, "gangs are placed otherwise")

STRUCTURE = "spec.structureDefinition"
GANGS = "spec.optimizationInstructions.gangScheduling"


class Fact(NamedTuple):
    """One thing that a definition says. ``value`` is what is compared, ``shown`` how it stands in the file."""

    value: Any
    shown: str
    meaning: Meaning


Facts = dict[str, Fact]


@lru_cache(maxsize=2048)
def canonical(text: str) -> str:
    """What an expression shares with those that provably mean the same, or the text where it is no expression."""
    try:
        return parse(text).canonical
    except ExpressionError:
        return text.strip()


def component_path(definition: Definition, component: Component) -> str:
    """The path of a component, by its name."""
    if component is definition.root:
        return f"{STRUCTURE}.rootComponent"
    return f"{STRUCTURE}.childComponents[{component.name}]"


def component_facts(component: Component, path: str, names: Mapping[str, str], *, root: bool) -> Facts:
    """What is said of one component. ``names``: components that are called otherwise in the other state."""
    found: Facts = {}

    def expression(at: str, text: Text | None, meaning: Meaning) -> None:
        if text is not None:
            found[f"{path}.{at}"] = Fact(canonical(text.value), text.value, meaning)

    def plain(at: str, text: Text | str | None, meaning: Meaning) -> None:
        if text is not None:
            found[f"{path}.{at}"] = Fact(str(text), str(text), meaning)

    if component.kind is not None:
        plain("kind", str(component.kind), KIND if root else CHILD_KIND)
    if component.owner is not None:
        owner = component.owner.value
        found[f"{path}.ownerRef"] = Fact(names.get(owner, owner), owner, OWNER)
    spec = component.spec
    if spec is not None:
        plain("specDefinition", "", LEAF)
        expression("specDefinition.podTemplateSpecPath", spec.pod_template, PODS)
        expression("specDefinition.podSpecPath", spec.pod_spec, PODS)
        expression("specDefinition.metadataPath", spec.metadata, PODS)
        for fragment, text in (spec.fragments or {}).items():
            expression(f"specDefinition.fragmentedPodSpecDefinition.{fragment.value}", text, PODS)
    scale = component.scale
    if scale is not None:
        expression("scaleDefinition.replicasPath", scale.replicas, UNIT)
        expression("scaleDefinition.minReplicasPath", scale.min_replicas, UNIT)
        expression("scaleDefinition.maxReplicasPath", scale.max_replicas, MOST)
    expression("instanceIdPath", component.instance_id, NAMING)
    selector = component.selector
    if selector is not None:
        kind = selector.component_type
        if kind is not None:
            at = "podSelector.componentTypeSelector"
            if kind.key is not None:
                # consumers put the comparison behind the key path as text: without parentheses `//` binds otherwise
                value = kind.value.value if kind.value is not None else None
                asked = kind.key.value if value is None else f"{kind.key.value} == {json.dumps(value)}"
                found[f"{path}.{at}.keyPath"] = Fact(canonical(asked), asked, SELECTOR)
            for label, text_of in kind.match_labels.items():
                plain(f"{at}.matchLabels.{label}", text_of, SELECTOR)
        expression("podSelector.componentInstanceSelector.idPath", selector.instance_id, SELECTOR)
        expression("podSelector.replicaSelector.keyPath", selector.replica_key, SELECTOR)
    status = component.status
    if status is not None:
        expression("statusDefinition.phaseDefinition.path", status.phase, LOOKED)
        if status.conditions is not None:
            at = "statusDefinition.conditionsDefinition"
            conditions = status.conditions
            expression(f"{at}.path", conditions.path, LOOKED)
            for name, value in (
                ("typeFieldName", conditions.type_field),
                ("statusFieldName", conditions.status_field),
                ("reasonFieldName", conditions.reason_field),
                ("messageFieldName", conditions.message_field),
            ):
                plain(f"{at}.{name}", value, LOOKED)
                if name in conditions.declared:
                    plain(f"{at}.{name} (written out)", "", WRITTEN_OUT)
    if component.suspend is not None:
        for at, actions in (("suspendActions", component.suspend.suspend), ("resumeActions", component.suspend.resume)):
            found[f"{path}.suspendDefinition.{at}"] = Fact(
                # consumers put the assignment behind the path as text, and a bar before it would bind otherwise
                tuple((canonical(f"{a.path.value} == 0"), _json(a)) for a in actions),
                "; ".join(f"{a.path} = {a.value}" for a in actions),
                SUSPEND,
            )
    return found


def _json(action: SuspendAction) -> str:
    try:
        return json.dumps(json.loads(action.value.value), sort_keys=True)
    except (ValueError, RecursionError):
        return action.value.value


def matcher_key(matcher: Matcher) -> tuple[Any, ...]:
    """What a matcher asks for; its conditions have no order."""
    conditions = sorted((str(c.type), str(c.status or ""), str(c.reason or "")) for c in matcher.conditions)
    asked = matcher.expression
    return (
        str(matcher.phase) if matcher.phase is not None else None,
        tuple(conditions),
        (canonical(asked.expression.value), asked.expected_result.value) if asked is not None else None,
    )


def matcher_text(matcher: Matcher) -> str:
    """A matcher for people."""
    parts = [f"phase {matcher.phase}"] if matcher.phase is not None else []
    for c in matcher.conditions:
        said = f"condition {c.type}" + (f" {c.status}" if c.status is not None else "")
        parts.append(said + (f" because {c.reason}" if c.reason is not None else ""))
    if matcher.expression is not None:
        parts.append(f"{matcher.expression.expression} gives {matcher.expression.expected_result}")
    return " and ".join(parts)


def managed_kinds(definition: Definition) -> Facts:
    """The kinds that are managed but not modelled; they have no order."""
    return {
        f"{STRUCTURE}.additionalChildKinds[{k}]": Fact(str(k), str(k), MANAGED)
        for k in definition.additional_child_kinds
    }


class Member(NamedTuple):
    """A member of the old form: its pod group, its component (as the other state calls it), and what is said of it."""

    group: str
    component: str
    facts: Facts


def members(definition: Definition, names: Mapping[str, str]) -> dict[str, Member]:
    """The members of the pod groups, by path."""
    found = {}
    for group in definition.pod_groups:
        for member in group.members:
            name = names.get(member.component.value, member.component.value)
            path = f"{GANGS}.podGroups[{group.name}].members[{name}]"
            facts: Facts = {}
            if member.group_by:
                # the name of a gang is made of the values in this order
                keys = tuple(canonical(k.value) for k in member.group_by)
                facts[f"{path}.groupByKeyPaths"] = Fact(keys, "; ".join(map(str, member.group_by)), GANG_KEY)
            if member.filters:
                filters = tuple(sorted(canonical(f.value) for f in member.filters))
                facts[f"{path}.filters"] = Fact(filters, "; ".join(map(str, member.filters)), GANG_KEY)
            found[path] = Member(group.name.value, name, facts)
    return found


def workload_group(definition: Definition, names: Mapping[str, str]) -> Facts:
    """What is said of the new form: one gang for the workload."""
    group = definition.pod_group
    if group is None:
        return {}
    path = f"{GANGS}.podGroup"
    found: Facts = {f"{path}.name": Fact(group.name.value, group.name.value, GANG_KEY)}
    found.update(_topology(f"{path}.topology", group.topology))
    for sub in group.sub_groups:
        name = names.get(sub.component.value, sub.component.value)
        at = f"{path}.subGroups[{name}]"
        found[at] = Fact(name, sub.component.value, GANG_KEY)
        found.update(_topology(f"{at}.topology", sub.topology))
    return found


def _topology(path: str, topology: Topology | None) -> Iterator[tuple[str, Fact]]:
    if topology is not None:
        said = f"{topology.name}: {topology.required_level}, {topology.preferred_level}"
        yield path, Fact(said, said, TOPOLOGY)
