"""P8: what is taken out of an object takes its pods along, and nothing else's; no default conjures a component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr import EvaluationError, get_at
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, evaluated, rule_of
from wmap.fuzz.walk import places_of, without
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component
    from wmap.expr import Expression, Path
    from wmap.fuzz.target import Target
    from wmap.reading.plan import ComponentPlan

_MANY = 20


def removal_takes_its_pods(case: Case) -> Iterator[Violation]:
    """Removing a component, or an instance, from the object removes exactly its pods; a default conjures no component.

    A head, a master or a leader that is not there and still counts as one pod makes a gang that never fits; consumers read
    the scale and the pods apart, so a scale without a template is a pod that never comes.
    """
    target = case.target
    for component, plan in zip(target.definition.components, target.plan.components, strict=True):
        expression = plan.template or plan.pod_spec
        if expression is None:
            continue
        yield from _conjured(case, component, plan, expression)
        if plan.ids is None or expression.not_assignable is not None:
            continue
        try:
            places = expression.paths(case.obj)
        except EvaluationError:
            continue
        if 0 < len(places) <= _MANY:
            yield from _removed(case, plan, places)


def _conjured(case: Case, component: Component, plan: ComponentPlan, expression: Expression) -> Iterator[Violation]:
    """A component without instances whose template is absent has no scale."""
    found = evaluated(expression, case.obj)
    if plan.ids is not None or found is None or any(v is not None for v in found):
        return
    scale = component.scale
    assert component.spec is not None  # noqa: S101  # a leaf has one
    # a count that is written out is no default, though nothing says what the pods are
    obj = case.obj
    for place in [p for path in case.target.counts[plan.name] for p in places_of(obj, path)]:
        obj = without(obj, place)
    for text, path in (
        (scale.replicas if scale else None, plan.replicas),
        (scale.min_replicas if scale else None, plan.min_replicas),
    ):
        counts = evaluated(path, obj)
        if text is not None and any(isinstance(n, int | float) and n > 0 for n in counts or ()):
            yield Violation("P8", f"gives {counts} where the object has no {component.name}", text, about="conjured")
    if sum(i.pods for i in case.reading.components[plan.index].instances):
        yield Violation("P8", f"the object has no {component.name}, but pods of it are counted", about=plan.name)


def _removed(case: Case, plan: ComponentPlan, places: list[Path]) -> Iterator[Violation]:
    """One entry of the array or map that the instances are made of is taken out."""
    before = case.reading
    instances = before.components[plan.index].instances
    if len(instances) != len(places) or len({i.id for i in instances}) < len(instances):
        return
    chosen = case.choices(f"remove {plan.name}").randrange(len(places))
    entry = _entry(case.obj, places, chosen)
    if entry is None:
        return
    after = read(case.target.plan, without(case.obj, entry))
    text = case.target.definition.components[plan.index].instance_id
    gone = instances[chosen]
    left = after.components[plan.index].instances
    if [i.id for i in left] != [i.id for n, i in enumerate(instances) if n != chosen]:
        yield Violation("P8", f"without the entry of {gone.id!r}, the instances are {[i.id for i in left]}", text)
        return
    shared = _shares(case.target, plan)
    for i, old in enumerate(instances):
        new = left[i - (i > chosen)] if i != chosen else None
        if new is not None and (new.pods, new.shape) != (old.pods, old.shape) and not shared:
            yield Violation("P8", f"without the entry of {gone.id!r}, {old.id!r} reads otherwise", text, about="other")
            return
    others = [(c, d) for c, d in zip(before.components, after.components, strict=True) if c.name != plan.name]
    if not shared and any(sum(i.pods for i in c.instances) != sum(i.pods for i in d.instances) for c, d in others):
        yield Violation(
            "P8", f"without the entry of {gone.id!r}, another component has other pods", text, about="others"
        )


def _entry(obj: Any, places: list[Path], chosen: int) -> Path | None:
    """The entry of an instance: the shortest part of its place that no other instance has, below an array or a map."""
    place = places[chosen]
    for length in range(1, len(place) + 1):
        lead = place[:length]
        if all(p[:length] != lead for i, p in enumerate(places) if i != chosen):
            if len(places) == 1:
                # of one instance alone the collection cannot be told from what is around it
                numbers = [i for i, key in enumerate(place) if isinstance(key, int)]
                return place[: numbers[0] + 1] if len(numbers) == 1 else None
            return lead if isinstance(get_at(obj, lead[:-1]), dict | list) else None
    return None


def _shares(target: Target, plan: ComponentPlan) -> bool:
    """Whether other components read the same collection: then an entry is one of each of them."""
    mine = plan.template or plan.pod_spec
    roots = {str(r[0]) + str(r[1]) for r in (mine.iterates if mine is not None else ()) if len(r) > 1}
    for other in target.plan.leaves:
        expression = other.template or other.pod_spec or next(iter(other.fragments.values()), None)
        if other.index != plan.index and expression is not None:
            theirs = {str(r[0]) + str(r[1]) for r in expression.iterates if len(r) > 1}
            if roots & theirs:
                return True
    return False


def _applies(target: Target) -> str | None:
    if any(c.template or c.pod_spec for c in target.plan.leaves):
        return None
    return "every component is described by parts of a pod (fragments), which may all be absent"


P8 = Property(
    rule_of(
        "P8",
        "removal-leaves-pods",
        removal_takes_its_pods,
        bad(
            "    - name: replicatedjob",
            """\
    - name: coordinator
      ownerRef: jobset
      specDefinition: {podTemplateSpecPath: .spec.coordinator.template}
      scaleDefinition: {replicasPath: .spec.coordinator.replicas // 1}
      podSelector: {componentTypeSelector: {keyPath: .metadata.labels.coordinator}}
    - name: replicatedjob""",
        ),
        GOOD,
    ),
    removal_takes_its_pods,
    _applies,
)
