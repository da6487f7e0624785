"""P5: what is changed through a definition is what is read afterwards, and nothing else differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.fuzz.admits import refusal
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, rule_of
from wmap.fuzz.walk import changed
from wmap.reading.change import ChangeError, change, resume, suspend
from wmap.reading.patch import same
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Text
    from wmap.fuzz.target import Target
    from wmap.reading.model import InstanceReading, Reading

SETTINGS: tuple[tuple[str, Any], ...] = (
    ("schedulerName", "changed-scheduler"),
    ("priorityClassName", "changed-class"),
    ("image", "changed:1"),
    ("label.changed.io/a", "b"),
    ("annotation.changed", "b"),
    ("request.cpu", "77m"),
    ("limit.nvidia.com/gpu", "77"),
    ("nodeAffinity", {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}),
)
_MANY = 20
"""Instances beyond which only the counts of a reading are compared, not each change tried."""


def changes_are_read(case: Case) -> Iterator[Violation]:
    """A change is read back, and nothing else differs; what the contract admitted it admits; resume undoes suspend.

    A change that lands elsewhere sets the scheduler of the wrong pods; one that the API server refuses blocks the
    workload; a resume that does not restore leaves it stopped.
    """
    yield from _change(case)
    yield from _suspend_and_resume(case)


def _change(case: Case) -> Iterator[Violation]:
    target, before = case.target, case.reading
    there = [(c.name, i.id) for c in before.components for i in c.instances if i.id is None or i.id]
    if not there or len(there) > _MANY or len(set(there)) < len(there):
        return
    choices = case.choices("change")
    component, instance = choices.choice(there)
    key, value = choices.choice(SETTINGS)
    try:
        after = change(target.definition, case.obj, component=component, instance=instance, settings={key: value})
    except ChangeError:
        return  # the definition, or the object, has no place for it: nothing was changed
    text = _text(target, component)
    what = f"{key} of {component}{'' if instance is None else f' {instance!r}'}"
    # what is replaced as a whole is one place, though several of its fields differ
    places = {p[: p.index(key) + 1] if key in p else p for p in changed(case.obj, after)}
    if len(places) > 1:
        yield Violation("P5", f"changing {what} changes {len(places)} places", text, about=key)
        return
    now = read(target.plan, after)
    if [[i.id for i in c.instances] for c in before.components] != [
        [i.id for i in c.instances] for c in now.components
    ]:
        yield Violation("P5", f"changing {what} changes which instances there are", text, about=f"{key} instances")
        return
    for old, new in zip(before.components, now.components, strict=True):
        for was, found in zip(old.instances, new.instances, strict=True):
            if (old.name, was.id) == (component, instance):
                if not reads(found, key, value):
                    yield Violation("P5", f"{what} is changed to {value!r}, but not read back", text, about=key)
            elif was != found:
                yield Violation("P5", f"changing {what} changes the reading of {old.name} {was.id!r}", text, about=key)
    if before.status != now.status:
        yield Violation("P5", f"changing {what} changes the status", text, about=key)
    yield from _still_admitted(case, after, what, text, key)


def reads(found: InstanceReading, key: str, value: Any) -> bool:
    """Whether a reading shows a setting; those that no reading shows are taken to be there."""
    shape = found.shape
    head, _, name = key.partition(".")
    if key == "schedulerName":
        return bool(shape.scheduler_name == value)
    if key == "priorityClassName":
        return bool(shape.priority_class_name == value)
    if key == "image":
        return value in shape.images
    if head == "request":
        return name in shape.requests
    if head == "limit":
        return name in shape.limits
    return True


def _suspend_and_resume(case: Case) -> Iterator[Violation]:
    target = case.target
    suspender = next((c.suspend for c in target.definition.components if c.suspend), None)
    if suspender is None:
        return
    text = suspender.suspend[0].path
    try:
        running = resume(target.definition, case.obj)
    except ChangeError:
        return  # not an object that the definition suspends
    try:
        stopped = suspend(target.definition, running)
    except ChangeError:
        return  # the same
    try:
        again = resume(target.definition, stopped)
    except ChangeError as error:
        yield Violation("P5", f"it cannot be suspended and resumed: {error.message}", text, about="suspend")
        return
    before = case.reading if same(running, case.obj) else read(target.plan, running)
    between = read(target.plan, stopped)
    after = before if same(again, running) else read(target.plan, again)
    if not between.suspend.suspended:
        yield Violation("P5", "suspended, it does not read as suspended", text, about="suspended")
    if (between.totals, between.components) != (before.totals, before.components):
        yield Violation("P5", "suspending changes the pods that it takes once resumed", text, about="totals")
    difference = _difference(before, after)
    if difference is not None:
        yield Violation("P5", f"suspend, then resume changes {difference}", text, about="resume")
    yield from _still_admitted(case, stopped, "suspending", text, "suspend")


def _difference(before: Reading, after: Reading) -> str | None:
    names = ("status", "components", "totals", "gangs", "suspend")
    return next((f"the {n}" for n in names if getattr(before, n) != getattr(after, n)), None)


def _still_admitted(case: Case, after: Any, what: str, text: Text | None, about: str) -> Iterator[Violation]:
    why = refusal(case.target.root, after)
    if why is not None and why.endswith("is required"):
        return  # a parent that the change had to create: what else it needs only its owner knows
    if why is not None and case.refusal is None:
        yield Violation(
            "P5", f"after {what} the contract does not admit the object: {why}", text, about=f"{about} admitted"
        )


def _text(target: Target, component: str) -> Text | None:
    found = target.definition.component(component)
    spec = found.spec if found is not None else None
    if spec is None:
        return None
    return spec.pod_template or spec.pod_spec or next(iter((spec.fragments or {}).values()), None)


def _changeable(target: Target) -> str | None:
    return None if target.plan.leaves else "no component of the definition has pods"


P5 = Property(
    rule_of(
        "P5",
        "change-not-read",
        changes_are_read,
        bad('resumeActions: [{path: .spec.suspend, value: "false"}]', 'resumeActions: [{path: .spec.suspended, value: "false"}]'),
        GOOD,
    ),
    changes_are_read,
    _changeable,
)  # fmt: skip
