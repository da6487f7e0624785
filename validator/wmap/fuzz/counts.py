"""P3: pods are counted right: sums, more of something never gives less, nothing of something gives nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr import get_at, set_at
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, rule_of
from wmap.fuzz.walk import places_of
from wmap.reading.quantity import NANO
from wmap.reading.read import read
from wmap.reading.requests import is_accelerator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.expr import Path
    from wmap.fuzz.target import Target
    from wmap.reading.model import Reading

_RAISED = 2
"""Fields of one object that are raised: each object raises others."""
_LARGE = 2**20
_EMPTIED = 6
"""Counts of a component that are set to 0 together."""


def counts_are_right(case: Case) -> Iterator[Violation]:
    """Totals are the sums of their parts; raising a scale field by one takes no pod or accelerator away; 0 replicas are 0 pods.

    A scheduler that counts too few admits a gang that deadlocks; one that counts too many never admits it.
    """
    yield from _sums(case.reading)
    # less than nothing is no count: some operators give it a meaning
    places = [p for p in _scales(case.target, case.obj) if type(n := get_at(case.obj, p)) is int and n >= 0]
    if len(places) > _RAISED:
        places = case.choices("raise").sample(places, _RAISED)
    for place in places:
        yield from _raised(case, place)
    yield from _nothing(case)


def _sums(reading: Reading) -> Iterator[Violation]:
    instances = [i for c in reading.components for i in c.instances]
    totals = reading.totals
    parts = (sum(i.pods for i in instances), sum(i.min_pods for i in instances), sum(i.gpus for i in instances))
    # a part of an accelerator, which Kubernetes does not know, is rounded up once a pod, and once in all
    whole = all(q % NANO == 0 for i in instances for n, q in i.shape.requests.items() if is_accelerator(n))
    if parts[:2] != (totals.pods, totals.min_pods) or (whole and parts[2] != totals.gpus):
        counted = (totals.pods, totals.min_pods, totals.gpus)
        yield Violation("P3", f"pods, least pods and GPUs in total, {counted}, are not the sums {parts}", about="sums")
    if any(n < 0 for n in parts):
        yield Violation("P3", f"a total is less than nothing: {parts}", about="negative")


def _raised(case: Case, place: Path) -> Iterator[Violation]:
    was = get_at(case.obj, place)
    field = case.target.field_at(place)
    high = field.bounds[1]
    # beyond what a counter of 32 bits holds, consumers read nothing at all
    if was + 1 > min(high if high is not None else _LARGE, _LARGE) or case.reading.totals.pods > _LARGE:
        return
    after = read(case.target.plan, set_at(case.obj, place, was + 1)).totals
    before = case.reading.totals
    shown = ".".join(map(str, place))
    about = field.path
    if after.pods < before.pods:
        text = f"{shown} raised from {was} to {was + 1}: pods fall from {before.pods} to {after.pods}"
        yield Violation("P3", text, about=about)
    fallen = [n for n, count in before.accelerators.items() if after.accelerators.get(n, 0) < count]
    if fallen and after.pods >= before.pods:
        yield Violation("P3", f"{shown} raised from {was} to {was + 1}: there is less {fallen[0]}", about=about)


def _nothing(case: Case) -> Iterator[Violation]:
    """All counts that the replicas of one component are made of set to 0: it has no pods."""
    target = case.target
    for component, plan in zip(target.definition.components, target.plan.components, strict=True):
        if component.scale is None or component.scale.replicas is None or not plan.is_leaf:
            continue
        places = [p for path in target.counts[component.name.value] for p in places_of(case.obj, path)]
        places = [p for p in places if type(get_at(case.obj, p)) is int and get_at(case.obj, p) > 0]
        if not places or len(places) > _EMPTIED:
            continue
        emptied = case.obj
        for place in places:
            if (target.field_at(place).bounds[0] or 0) <= 0:
                emptied = set_at(emptied, place, 0)
        was = sum(i.pods for i in case.reading.components[plan.index].instances)
        now = sum(i.pods for i in read(target.plan, emptied).components[plan.index].instances)
        if now > was:
            text = f"with its counts at 0, {component.name} has {now} pods; before it had {was}"
            yield Violation("P3", text, component.scale.replicas, about="nothing")


def _scales(target: Target, obj: Any) -> list[Path]:
    """The places of the object that hold a count which a scale path reads."""
    paths = {p for counts in target.counts.values() for p in counts}
    return [place for path in sorted(paths) for place in places_of(obj, path)]


def _counts(target: Target) -> str | None:
    return None if target.plan.leaves else "no component of the definition has pods"


P3 = Property(
    rule_of(
        "P3",
        "count-wrong",
        counts_are_right,
        bad("([.replicas // 1, 0] | max)", "([10 - (.replicas // 1), 0] | max)"),
        GOOD,
    ),
    counts_are_right,
    _counts,
)
