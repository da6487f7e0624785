"""A definition made ready to read many objects: expressions parsed, ancestors and gang members resolved once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wmap.definition.model import Fragment, Status
from wmap.errors import InputError
from wmap.expr import ExpressionError, Step, parse
from wmap.reading.admitted import Admitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wmap.definition.model import Component, Definition, Kind, Matcher, StatusDefinition, Text
    from wmap.expr import Expression

PRECEDENCE = (
    Status.FAILED,
    Status.COMPLETED,
    Status.SUSPENDED,
    Status.SUSPENDING,
    Status.RESUMING,
    Status.DEGRADED,
    Status.RUNNING,
    Status.INITIALIZING,
)
"""The phase is the first of these that matched."""


@dataclass(frozen=True, slots=True)
class MatcherPlan:
    """One alternative of a status mapping. ``conditions`` are (type, status or None, reason or None)."""

    phase: str | None
    conditions: tuple[tuple[str, str | None, str | None], ...]
    expression: Expression | None
    expected: str | None
    field: str

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing, and so matches nothing."""
        return self.phase is None and not self.conditions and self.expression is None


@dataclass(frozen=True, slots=True)
class StatusPlan:
    """Where the phase and the conditions are, and the mappings in the order of precedence."""

    phase: Expression | None
    conditions: Expression | None
    fields: tuple[str, str, str, str]
    """The names of the fields of a condition: type, status, reason, message."""
    mappings: tuple[tuple[str, tuple[MatcherPlan, ...]], ...]
    decides: tuple[MatcherPlan, Mapping[str | None, tuple[str, ...]]] | None = None
    """Where one expression decides on all statuses of an object without conditions: a matcher that has it, and what matches by
    its result."""
    phases: frozenset[str | None] = frozenset()
    """The phases that some matcher has, and None."""


@dataclass(frozen=True, slots=True)
class ComponentPlan:
    """A component. ``ancestors`` are indexes into ``Plan.components``, the nearest owner first."""

    index: int
    name: str
    owner: str | None
    kind: Kind | None
    ancestors: tuple[int, ...]
    children: tuple[int, ...]
    is_leaf: bool
    template: Expression | None
    pod_spec: Expression | None
    metadata: Expression | None
    fragments: Mapping[Fragment, Expression]
    ids: Expression | None
    replicas: Expression | None
    min_replicas: Expression | None
    max_replicas: Expression | None
    pod_key: Expression | None
    """What decides on a pod whether it is of this component: the key path, or ``<key path> == "<value>"``."""
    pod_key_has_value: bool
    pod_labels: tuple[tuple[str, str], ...]
    has_type_selector: bool
    pod_instance: Expression | None
    pod_replica: Expression | None
    """Its own replica selector, or that of the nearest ancestor that has one."""

    @property
    def has_scale(self) -> bool:
        """Whether it declares a scale path of any kind."""
        return any(e is not None for e in (self.replicas, self.min_replicas, self.max_replicas))


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """A member of a gang. ``new_form`` members are subgroups of the one gang of the workload."""

    pod_group: str
    component: int
    keys: tuple[Expression, ...]
    filters: tuple[Expression, ...]
    new_form: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A definition made ready."""

    definition: Definition = field(repr=False)
    name: str
    kind: Kind
    status: StatusPlan | None
    components: tuple[ComponentPlan, ...]
    leaves: tuple[ComponentPlan, ...]
    members: tuple[MemberPlan, ...]
    suspend: tuple[tuple[Expression, object], ...]
    """The suspend actions as (path, value)."""
    leaf_scale: bool
    """Whether some leaf declares a scale path: then a leaf without replicas counts 0, else 1."""
    any_scale: bool
    """Whether some component does: what the gang sizes of the consumers look at."""
    admitted: Admitted = field(repr=False, compare=False)
    """What the stored releases admit of the fields that are read."""


def compile_plan(definition: Definition) -> Plan:
    """Make a definition ready to read objects.

    Raises:
        InputError: an expression does not parse or is refused, or a component's owner does not exist.
    """
    index = {component.name.value: i for i, component in enumerate(definition.components)}
    ancestors: list[tuple[int, ...]] = []
    for component in definition.components:
        chain = tuple(index[owner.name.value] for owner in definition.ancestors(component))
        if component.owner is not None and (not chain or chain[-1] != 0):
            raise _broken(definition, component.owner, f"component {component.name} is not owned by the root")
        ancestors.append(chain)
    children: list[list[int]] = [[] for _ in ancestors]
    for i, chain in enumerate(ancestors):
        if chain:
            children[chain[0]].append(i)
    components = tuple(
        _component(definition, component, i, ancestors[i], tuple(children[i]))
        for i, component in enumerate(definition.components)
    )
    leaves = tuple(c for c in components if c.is_leaf)
    suspender = next((c.suspend for c in definition.components if c.suspend), None)
    status = _status(definition, definition.root.status) if definition.root.status else None
    suspend = tuple(
        (_parse(definition, action.path), _json(definition, action.value))
        for action in (suspender.suspend if suspender else ())
    )
    return Plan(
        definition=definition,
        name=definition.name.value,
        kind=definition.kind,
        status=status,
        components=components,
        leaves=leaves,
        members=_members(definition, index),
        suspend=suspend,
        leaf_scale=any(c.has_scale for c in leaves),
        any_scale=any(c.has_scale for c in components),
        admitted=Admitted(definition, tuple(_readers(status, components, suspend))),
    )


def _readers(
    status: StatusPlan | None, components: Iterable[ComponentPlan], suspend: Iterable[tuple[Expression, object]]
) -> Iterator[tuple[Expression, str | None, tuple[str | Step, ...]]]:
    """What is evaluated on the workload, with its component, and what is read below its results."""
    for c in components:
        for e in (
            c.template,
            c.pod_spec,
            c.metadata,
            *c.fragments.values(),
            c.ids,
            c.replicas,
            c.min_replicas,
            c.max_replicas,
        ):
            if e is not None:
                yield e, c.name, ()
    for e, _ in suspend:
        yield e, None, ()
    if status is None:
        return
    if status.phase is not None:
        yield status.phase, None, ()
    if status.conditions is not None:
        for name in status.fields:
            yield status.conditions, None, (Step.EACH, name)
    for _, matchers in status.mappings:
        for matcher in matchers:
            if matcher.expression is not None:
                yield matcher.expression, None, ()


def _component(
    definition: Definition, component: Component, i: int, ancestors: tuple[int, ...], children: tuple[int, ...]
) -> ComponentPlan:
    spec, scale, selector = component.spec, component.scale, component.selector
    kind_of_pod = selector.component_type if selector else None
    key = kind_of_pod.key if kind_of_pod else None
    value = kind_of_pod.value if kind_of_pod else None
    pod_key = None
    if key is not None:
        # Consumers put the comparison behind the key path as text, without parentheses; so do we.
        pod_key = _parse(definition, key)
        if value is not None:
            pod_key = _parse(definition, key, f"{key.value} == {json.dumps(value.value, ensure_ascii=False)}")
    lineage = (component, *(definition.components[a] for a in ancestors))
    replica = next((c.selector.replica_key for c in lineage if c.selector and c.selector.replica_key), None)

    def optional(text: Text | None) -> Expression | None:
        return None if text is None else _parse(definition, text)

    return ComponentPlan(
        index=i,
        name=component.name.value,
        owner=component.owner.value if component.owner else None,
        kind=component.kind,
        ancestors=ancestors,
        children=children,
        is_leaf=component.is_leaf,
        template=optional(spec.pod_template) if spec else None,
        pod_spec=optional(spec.pod_spec) if spec else None,
        metadata=optional(spec.metadata) if spec else None,
        fragments={f: _parse(definition, t) for f, t in (spec.fragments or {}).items()} if spec else {},
        ids=optional(component.instance_id),
        replicas=optional(scale.replicas) if scale else None,
        min_replicas=optional(scale.min_replicas) if scale else None,
        max_replicas=optional(scale.max_replicas) if scale else None,
        pod_key=pod_key,
        pod_key_has_value=value is not None,
        pod_labels=tuple((k, t.value) for k, t in kind_of_pod.match_labels.items()) if kind_of_pod else (),
        has_type_selector=kind_of_pod is not None,
        pod_instance=optional(selector.instance_id) if selector else None,
        pod_replica=optional(replica),
    )


def _status(definition: Definition, status: StatusDefinition) -> StatusPlan:
    conditions = status.conditions

    def matcher(m: Matcher) -> MatcherPlan:
        return MatcherPlan(
            phase=m.phase.value if m.phase else None,
            conditions=tuple(
                (c.type.value, c.status.value if c.status else None, c.reason.value if c.reason else None)
                for c in m.conditions
            ),
            expression=_parse(definition, m.expression.expression) if m.expression else None,
            expected=m.expression.expected_result.value if m.expression else None,
            field=m.field,
        )

    mappings = tuple(
        (name.phase, tuple(matcher(m) for m in status.mappings[name])) for name in PRECEDENCE if name in status.mappings
    )
    return StatusPlan(
        phase=_parse(definition, status.phase) if status.phase else None,
        conditions=_parse(definition, conditions.path) if conditions else None,
        fields=(
            (conditions.type_field, conditions.status_field, conditions.reason_field, conditions.message_field)
            if conditions
            else ("type", "status", "reason", "message")
        ),
        mappings=mappings,
        decides=None if status.phase else _decides(mappings),
        phases=frozenset([None, "", *(m.phase for _, matchers in mappings for m in matchers)]),
    )


def _decides(
    mappings: tuple[tuple[str, tuple[MatcherPlan, ...]], ...],
) -> tuple[MatcherPlan, Mapping[str | None, tuple[str, ...]]] | None:
    without = [(name, [m for m in alternatives if not m.conditions]) for name, alternatives in mappings]
    matchers = [m for _, alternatives in without for m in alternatives]
    texts = {None if m.expression is None or m.phase is not None else m.expression.text for m in matchers}
    if len(texts) != 1 or None in texts:
        return None
    by_result: dict[str | None, tuple[str, ...]] = {}
    for name, alternatives in without:
        for expected in dict.fromkeys(m.expected for m in alternatives):
            by_result[expected] = (*by_result.get(expected, ()), name)
    return matchers[0], by_result


def _members(definition: Definition, index: Mapping[str, int]) -> tuple[MemberPlan, ...]:
    def at(name: Text) -> int:
        if name.value not in index:
            raise _broken(definition, name, f"there is no component {name.value!r}")
        return index[name.value]

    group = definition.pod_group
    if group is not None:
        if not group.sub_groups:
            return (MemberPlan(group.name.value, 0, (), (), new_form=True),)
        return tuple(MemberPlan(group.name.value, at(s.component), (), (), new_form=True) for s in group.sub_groups)
    return tuple(
        MemberPlan(
            pod_group.name.value,
            at(member.component),
            tuple(_parse(definition, key) for key in member.group_by),
            tuple(_parse(definition, condition) for condition in member.filters),
        )
        for pod_group in definition.pod_groups
        for member in pod_group.members
    )


def _parse(definition: Definition, text: Text, source: str | None = None) -> Expression:
    try:
        return parse(text.value if source is None else source)
    except ExpressionError as error:
        raise _broken(definition, text, error.message, error.hint) from error


def _json(definition: Definition, text: Text) -> object:
    try:
        value: object = json.loads(text.value)
    except ValueError as error:
        raise _broken(definition, text, f"{text.value!r} is not JSON") from error
    return value


def _broken(definition: Definition, text: Text, message: str, hint: str | None = None) -> InputError:
    span = text.span()
    where = f"{definition.file or definition.name.value}:{span.line}:{span.column}"
    return InputError(f"{where}: {text.field}: {message}", hint=hint or "wmap validate says all that is wrong with it")
