"""P2: ids, pod templates and scales of a component go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr import get_at
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, evaluated, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Text
    from wmap.expr import Expression
    from wmap.fuzz.target import Target
    from wmap.reading.plan import ComponentPlan


def instances_align(case: Case) -> Iterator[Violation]:
    """Ids, pod templates and scales of a component give as many results; ids are texts, and unique where the object's names are.

    Where they do not, a consumer takes the pods of one group for those of another, or fails: a gang gets the wrong size.
    """
    target = case.target
    for component, plan in zip(target.definition.components, target.plan.components, strict=True):
        if not plan.is_leaf:
            continue
        ids = [None] if plan.ids is None else evaluated(plan.ids, case.obj)
        if ids is None or (plan.ids is None and not _is_there(plan, case.obj)):
            continue
        for text, expression in _aligned(component, plan):
            found = evaluated(expression, case.obj)
            if found is not None and len(found) != len(ids):
                yield Violation("P2", f"gives {len(found)} results where {component.name} has {len(ids)}", text)
        if plan.ids is not None and component.instance_id is not None:
            yield from _ids(case, component.instance_id, plan.ids)


def _is_there(plan: ComponentPlan, obj: Any) -> bool:
    """Whether the object has a component without instances: something of its spec is not null."""
    specs = [plan.template or plan.pod_spec] if not plan.fragments else list(plan.fragments.values())
    return any(any(v is not None for v in evaluated(e, obj) or ()) for e in specs if e is not None)


def _aligned(component: Component, plan: ComponentPlan) -> Iterator[tuple[Text, Expression]]:
    spec, scale = component.spec, component.scale
    assert spec is not None  # noqa: S101  # a leaf has one
    pairs: list[tuple[Text | None, Expression | None]] = [
        (spec.pod_template, plan.template),
        (spec.pod_spec, plan.pod_spec),
        (spec.metadata, plan.metadata),
        *((text, plan.fragments[fragment]) for fragment, text in (spec.fragments or {}).items()),
    ]
    if scale is not None:
        pairs += [
            (scale.replicas, plan.replicas),
            (scale.min_replicas, plan.min_replicas),
            (scale.max_replicas, plan.max_replicas),
        ]
    for text, expression in pairs:
        if text is not None and expression is not None:
            yield text, expression


def _ids(case: Case, text: Text, expression: Expression) -> Iterator[Violation]:
    """What is wrong with the ids once the API server has given its defaults."""
    found = expression.places(case.defaulted)
    seen: dict[Any, tuple[Any, ...]] = {}
    for value, places in found:
        names = tuple(get_at(case.defaulted, p) for p in places)
        if not isinstance(value, str):
            # a name that is null, or not there, is a fault of the object
            if value is not None or not places:
                yield Violation("P2", f"gives {value!r} as an id, which is no text", text, about="kind")
            continue
        if value in seen and (seen[value] != names or (places and _in_map(places, found))):
            yield Violation("P2", f"gives {value!r} for two instances with different names", text, about="unique")
        seen[value] = names


def _in_map(places: tuple[Any, ...], found: list[tuple[Any, tuple[Any, ...]]]) -> bool:
    """Whether one place is read for two ids: the object has one name where the definition has two instances."""
    return sum(p == places for _, p in found) > 1


def _has_instances(target: Target) -> str | None:
    return None if target.plan.leaves else "no component of the definition has pods"


P2 = Property(
    rule_of(
        "P2",
        "instances-misaligned",
        instances_align,
        bad(
            "| ([.replicas // 1, 0] | max) * (.template.spec.parallelism // 1)",
            "| .replicas // empty | . * 1",
        ),
        GOOD,
    ),
    instances_align,
    _has_instances,
)
