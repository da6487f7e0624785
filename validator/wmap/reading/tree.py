"""The tree of a workload: instances of every leaf, their scales, and the pods that follow from them."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.definition.model import Fragment
from wmap.expr import EvaluationError, Expression
from wmap.reading.model import PodShape, Warned, made
from wmap.reading.requests import fragment_shape, gpus_of, pod_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wmap.reading.plan import ComponentPlan, Plan

CONSUMER_RESULTS = 999
"""Consumers evaluate at most so many results of a path; the next makes their call fail."""

MANY = 1_000
"""Instances beyond which the collector of circles is paused for the time of a reading."""

_INT32 = 2**31 - 1


class Scaled(NamedTuple):
    """One instance with the scale that the object gives it; None is absent."""

    id: str | None
    replicas: int | None
    min_replicas: int | None
    max_replicas: int | None
    shape: PodShape
    gpus_per_pod: int


class Scale(NamedTuple):
    """The scale of a component without instances of its own (an owner): the sums of what its paths give."""

    replicas: int | None
    min_replicas: int | None
    max_replicas: int | None


NO_SCALE = Scale(None, None, None)


class Tree(NamedTuple):
    """What the object holds: by component index, the instances of leaves and the scale of owners."""

    instances: tuple[tuple[Scaled, ...], ...]
    scales: tuple[Scale, ...]


def read_tree(plan: Plan, obj: Any, warnings: list[Warned]) -> Tree:
    """Read the instances of every leaf and the scale of every owner. Never raises on an object; warns instead."""
    instances: list[tuple[Scaled, ...]] = []
    scales: list[Scale] = []
    for component in plan.components:
        if component.is_leaf:
            found = _leaf(component, obj, warnings)
            instances.append(found)
            scales.append(NO_SCALE)
        else:
            instances.append(())
            scales.append(_owner_scale(component, obj, warnings) if component.has_scale else NO_SCALE)
    return Tree(tuple(instances), tuple(scales))


def factors(tree: Tree, component: ComponentPlan) -> tuple[int, int, int, bool]:
    """The products over the ancestors: replicas, minimum, maximum, and whether one of them has a maximum.

    Absent counts 1, 0 counts 0. An ancestor that is a leaf itself counts with the sum of its instances.
    """
    now = least = most = 1
    bounded = False
    for i in component.ancestors:
        scale = tree.scales[i]
        if tree.instances[i]:
            scale = _sum(tree.instances[i])
        replicas = 1 if scale.replicas is None else scale.replicas
        now *= replicas
        least *= replicas if scale.min_replicas is None else scale.min_replicas
        most *= replicas if scale.max_replicas is None else scale.max_replicas
        bounded = bounded or scale.max_replicas is not None
    return now, least, most, bounded


def _sum(instances: tuple[Scaled, ...]) -> Scale:
    def total(values: list[int | None]) -> int | None:
        known = [v for v in values if v is not None]
        return sum(known) if known else None

    return Scale(
        total([i.replicas for i in instances]),
        total([i.min_replicas for i in instances]),
        total([i.max_replicas for i in instances]),
    )


def _leaf(component: ComponentPlan, obj: Any, warnings: list[Warned]) -> tuple[Scaled, ...]:
    name = component.name
    if component.ids is None:
        ids: list[Any] = [None]
    else:
        ids = _ids(component, component.ids, obj, warnings)
        if not ids:
            return ()
        if len(ids) > MANY:
            # what is made for each instance holds no circle: looking for some would take as long as reading (``read`` ends it)
            gc.disable()
    count = len(ids)
    shapes = _shapes(component, obj, count, warnings)
    if shapes is None:
        return ()
    replicas = _counts(component.replicas, obj, count, name, warnings)
    least = _counts(component.min_replicas, obj, count, name, warnings)
    most = _counts(component.max_replicas, obj, count, name, warnings)
    rows = zip(ids, replicas, least, most, shapes, strict=True)
    return tuple([made(Scaled, (i, now, low, high, shape, gpus_of(shape[0]))) for i, now, low, high, shape in rows])


def _ids(component: ComponentPlan, expression: Expression, obj: Any, warnings: list[Warned]) -> list[str]:
    found = _evaluate(expression, obj, component.name, warnings)
    ids: list[str] = []
    seen: set[str] = set()
    for value in found:
        if isinstance(value, str) and value and value not in seen:
            ids.append(value)
            seen.add(value)
            continue
        if isinstance(value, str) and value:
            text = f"two instances are called {value!r}: consumers keep the last one only"
            warnings.append(Warned("duplicate-id", text, component.name, expression.text))
            ids.append(value)
            continue
        from wmap.reading.status import to_text  # noqa: PLC0415  # only on a broken object

        ids.append(to_text(value))
        text = f"the id of an instance is {to_text(value) or 'empty'!r}, not a string that consumers take"
        warnings.append(Warned("id-not-string", text, component.name, expression.text))
    return ids


def _shapes(component: ComponentPlan, obj: Any, count: int, warnings: list[Warned]) -> list[PodShape] | None:
    """The pod of each instance; None where the object does not have the component."""
    name = component.name

    def warner(expression: Expression) -> Callable[[str], None]:
        return lambda text: warnings.append(Warned("bad-value", text, name, expression.text))

    if component.template is not None or component.pod_spec is not None:
        expression = component.template or component.pod_spec
        assert expression is not None  # noqa: S101  # one of the two is there
        found = _evaluate(expression, obj, name, warnings)
        if component.ids is None and (not found or found[0] is None):
            return None
        found = _aligned(found, count, expression, name, warnings)
        warn = warner(expression)
        specs = []
        for value in found:
            spec = value
            if component.template is not None and isinstance(value, dict):
                spec = value.get("spec")
            elif value is not None and not isinstance(value, dict):
                warn("the pod template is no object: ignored")
                spec = None
            specs.append(pod_shape(spec, warn))
        return specs
    values: dict[Fragment, list[Any]] = {}
    for fragment, expression in component.fragments.items():
        values[fragment] = _evaluate(expression, obj, name, warnings)
    if component.ids is None and all(not found or found[0] is None for found in values.values()):
        # Parts are what may be said of a pod, not the pod: with a scale of its own it is there without any, as for consumers.
        (replicas,) = _counts(component.replicas, obj, 1, name, [])
        if not replicas:
            return None
    aligned = {
        fragment: _aligned(found, count, component.fragments[fragment], name, warnings)
        for fragment, found in values.items()
    }
    first = next(iter(component.fragments.values()))
    return [fragment_shape(_row(aligned, i), warner(first)) for i in range(count)]


def _row(columns: Mapping[Fragment, list[Any]], i: int) -> dict[str, Any]:
    return {fragment.value: column[i] for fragment, column in columns.items()}


def _aligned(found: list[Any], count: int, expression: Expression, name: str, warnings: list[Warned]) -> list[Any]:
    if len(found) == count:
        return found
    text = f"a path gives {len(found)} results where {count} instances are: consumers fail here"
    warnings.append(Warned("misaligned", text, name, expression.text))
    return (found + [None] * count)[:count]


def _counts(expression: Expression | None, obj: Any, count: int, name: str, warnings: list[Warned]) -> list[int | None]:
    if expression is None:
        return [None] * count
    found = _evaluate(expression, obj, name, warnings)
    if len(found) != count:
        text = f"a scale path gives {len(found)} results where {count} instances are"
        if found or count > 1:
            warnings.append(Warned("misaligned", text, name, expression.text))
        found = (found + [None] * count)[:count]
    return [
        v if v is None or (type(v) is int and 0 <= v <= _INT32) else _count(v, expression, name, warnings)
        for v in found
    ]


def _count(value: Any, expression: Expression, name: str, warnings: list[Warned]) -> int | None:
    """A count as consumers read it: a whole number of 32 bits (2.0 is 2); anything else is ignored with a warning."""
    if value is None:
        return None
    number: int | None = None
    if type(value) is int:
        number = value
    elif type(value) is float and value.is_integer():
        number = int(value)
    if number is None or number > _INT32 or number < -_INT32 - 1:
        text = f"{value!r} is no count of replicas (a whole number of 32 bits): ignored"
        warnings.append(Warned("bad-replicas", text, name, expression.text))
        return None
    if number < 0:
        warnings.append(Warned("bad-replicas", f"{number} replicas: read as 0", name, expression.text))
        return 0
    return number


def _owner_scale(component: ComponentPlan, obj: Any, warnings: list[Warned]) -> Scale:
    def total(expression: Expression | None) -> int | None:
        if expression is None:
            return None
        found = _evaluate(expression, obj, component.name, warnings)
        known = [n for n in (_count(v, expression, component.name, warnings) for v in found) if n is not None]
        return sum(known) if known else None

    return Scale(total(component.replicas), total(component.min_replicas), total(component.max_replicas))


def _evaluate(expression: Expression, obj: Any, name: str, warnings: list[Warned]) -> list[Any]:
    try:
        found = expression.evaluate(obj)
    except EvaluationError as error:
        text = f"a path raises, so consumers cannot read this component: {error.message}"
        warnings.append(Warned("path-raised", text, name, expression.text))
        return []
    if len(found) > CONSUMER_RESULTS:
        text = f"a path gives {len(found)} results: consumers fail from {CONSUMER_RESULTS + 1} on"
        warnings.append(Warned("too-many-results", text, name, expression.text))
    return found
