"""Changes in any order: a Hypothesis state machine against a model that says what the next reading must be.

One object is changed, suspended, resumed, scaled, and given another status, again and again; after each step the reading
is compared with what the model expects. A step that a definition cannot express changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wmap.expr import get_at, set_at
from wmap.fuzz.changes import SETTINGS, reads
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, rule_of
from wmap.fuzz.walk import places_of
from wmap.reading.change import ChangeError, change, resume, suspend
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.fuzz.target import Target
    from wmap.reading.model import Reading

_MANY = 20
_LARGE = 2**20
"""Pods beyond which a count is not raised: consumers read no count that 32 bits do not hold."""
STEPS = 5
"""Steps that property P9 takes on each object."""
_Setting = tuple[str, str | None, str]


@dataclass
class Model:
    """What is known of one object: how it was changed, and so what must be read."""

    target: Target
    obj: Any
    reading: Reading
    suspended: bool | None = None
    settings: dict[_Setting, Any] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, target: Target, obj: Any) -> Model:
        """The model of an object that was not changed yet."""
        return cls(target, obj, read(target.plan, obj))

    def change(self, which: int) -> str | None:
        """Set something of a component; what is wrong afterwards, None where nothing is."""
        there = [(c.name, i.id) for c in self.reading.components for i in c.instances if i.id != "" and i.pods]
        if not there:
            return None
        component, instance = there[which % len(there)]
        key, value = SETTINGS[which // len(there) % len(SETTINGS)]
        try:
            after = change(
                self.target.definition, self.obj, component=component, instance=instance, settings={key: value}
            )
        except ChangeError:
            return None
        self.settings[component, instance, key] = value
        return self._after(f"set {key} of {component}", after, pods=True, status=True)

    def suspend(self) -> str | None:
        """Suspend it."""
        return self._stop(stop=True)

    def resume(self) -> str | None:
        """Resume it."""
        return self._stop(stop=False)

    def _stop(self, *, stop: bool) -> str | None:
        try:
            after = (suspend if stop else resume)(self.target.definition, self.obj)
        except ChangeError:
            return None
        self.suspended = stop
        return self._after("suspend" if stop else "resume", after, pods=True, status=False)

    def scale(self, which: int) -> str | None:
        """Raise a count by one."""
        paths = sorted({p for counts in self.target.counts.values() for p in counts})
        places = [place for path in paths for place in places_of(self.obj, path)]
        places = [p for p in places if type(n := get_at(self.obj, p)) is int and n >= 0]
        if not places or self.reading.totals.pods > _LARGE:
            return None
        place = places[which % len(places)]
        before = self.reading.totals.pods
        what = f"raise {'.'.join(map(str, place))}"
        wrong = self._after(what, set_at(self.obj, place, get_at(self.obj, place) + 1), pods=False, status=False)
        if wrong is None and self.reading.totals.pods < before:
            return f"{what}: pods fall from {before} to {self.reading.totals.pods}"
        return wrong

    def status(self, status: Any) -> str | None:
        """Write another status, as an operator does."""
        after = {k: v for k, v in self.obj.items() if k != "status"}
        if status is not None:
            after["status"] = status
        return self._after("another status", after, pods=not self.target.counts_by_status, status=False)

    def _after(self, step: str, after: Any, *, pods: bool, status: bool) -> str | None:
        """Take a step: ``pods`` and ``status`` say that these must be as before."""
        before, self.obj = self.reading, after
        self.reading = now = read(self.target.plan, after)
        self.steps.append(step)
        if self.suspended is not None and now.suspend.suspended != self.suspended:
            return f"it reads as {'' if now.suspend.suspended else 'not '}suspended"
        if pods and (now.totals.pods, now.totals.min_pods) != (before.totals.pods, before.totals.min_pods):
            return f"pods become {now.totals.pods}, they were {before.totals.pods}"
        if status and now.status != before.status:
            return f"the status becomes {now.status.phase}, it was {before.status.phase}"
        instances = {(c.name, i.id): i for c in now.components for i in c.instances}
        for (component, instance, key), value in self.settings.items():
            found = instances.get((component, instance))
            if found is None or not reads(found, key, value):
                return f"{key} of {component} {instance or ''} is no longer {value!r}"
        return None


def steps_are_read(case: Case) -> Iterator[Violation]:
    """Whatever is done to an object one after the other, each step reads as what it is, and undoes no other.

    Schedulers and operators change one object in turn: a suspend that forgets a scheduler name, or a status that changes the
    number of pods, makes the next one act on a workload that is not there.
    """
    target, choices = case.target, case.choices("steps")
    if sum(len(c.instances) for c in case.reading.components) > _MANY:
        return
    model = Model.of(target, case.obj)
    own = case.obj.get("status")
    for _ in range(STEPS):
        wrong: str | None
        kind = choices.randrange(5)
        if kind == 0:
            wrong = model.suspend()
        elif kind == 1:
            wrong = model.resume()
        elif kind == 2:  # the third of five steps
            wrong = model.scale(choices.randrange(1000))
        elif kind == 3:  # the fourth
            wrong = model.status(choices.choice((None, {}, own)))
        else:
            wrong = model.change(choices.randrange(1000))
        if wrong is not None:
            text = f"after {', '.join(model.steps)}: {wrong}"
            yield Violation("P9", text, about=model.steps[-1].partition(" ")[0])
            return


def state_machine(target: Target, objects: Any) -> Any:
    """The state machine of a target as Hypothesis runs it; ``objects`` is the strategy of the object that it begins with.

    The class that is given is for ``hypothesis.stateful.run_state_machine_as_test``.
    """
    from hypothesis import strategies as st  # noqa: PLC0415  # part of the extra
    from hypothesis.stateful import RuleBasedStateMachine, initialize, rule  # noqa: PLC0415  # the same

    numbers = st.integers(0, 999)

    class Machine(RuleBasedStateMachine):
        """Changes of one object in any order."""

        model: Model

        @initialize(obj=objects)
        def begin(self, obj: Any) -> None:
            """Take an object."""
            self.model = Model.of(target, obj)

        @rule(which=numbers)
        def change(self, which: int) -> None:
            """Set something."""
            self._right(self.model.change(which))

        @rule()
        def suspend(self) -> None:
            """Suspend it."""
            self._right(self.model.suspend())

        @rule()
        def resume(self) -> None:
            """Resume it."""
            self._right(self.model.resume())

        @rule(which=numbers)
        def scale(self, which: int) -> None:
            """Raise a count."""
            self._right(self.model.scale(which))

        @rule(other=objects)
        def status(self, other: Any) -> None:
            """Write the status of another object."""
            self._right(self.model.status(other.get("status")))

        def _right(self, wrong: str | None) -> None:
            if wrong is not None:
                raise AssertionError(f"after {', '.join(self.model.steps)}: {wrong}")

    return Machine


P9 = Property(
    rule_of(
        "P9",
        "step-not-read",
        steps_are_read,
        bad(
            'suspendActions: [{path: .spec.suspend, value: "true"}]',
            """suspendActions:
        - {path: .spec.suspend, value: "true"}
        - {path: '.spec.replicatedJobs[]?.replicas', value: "0"}""",
        ),
        GOOD,
    ),
    steps_are_read,
)
