"""Try the properties on objects of one target: replayed, drawn by Hypothesis, mutated. What fails is made small."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from wmap.errors import EnvironmentFailure
from wmap.fuzz.admits import refusal
from wmap.fuzz.limit import SECONDS, TookTooLong, at_most, stop_if_asked
from wmap.fuzz.mutate import mutated
from wmap.fuzz.objects import Grower
from wmap.fuzz.property import Case, Violation
from wmap.fuzz.reduce import reduced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wmap.fuzz.property import Property
    from wmap.fuzz.target import Target

MOST = 12
"""Defects of one definition that are told apart; more say the same."""
_TWISTS = 2**16


class Origin(StrEnum):
    """Where an object came from."""

    REPLAYED = "replayed"
    DRAWN = "drawn from the contract"
    MUTATED = "a mutated sample"


@dataclass(frozen=True)
class Failure:
    """A property that failed, with the smallest object found that shows it."""

    violation: Violation
    obj: Any
    twist: int
    origin: Origin


@dataclass
class Search:
    """One target under test. ``objects`` counts what was tried, ``seen`` holds the first case of each violation.

    ``seconds`` is what all properties may take on one object.
    """

    target: Target
    properties: Sequence[Property]
    objects: int = 0
    seen: dict[tuple[str, str, str], tuple[Violation, Case, Origin]] = field(default_factory=dict)
    seconds: float = SECONDS

    def replay(self, cases: Iterable[tuple[Any, int]]) -> None:
        """Try what failed before."""
        for obj, twist in cases:
            self._try(Case(self.target, obj, twist), Origin.REPLAYED)

    def draw(self, examples: int, seed: int) -> None:
        """Try objects that the contract admits.

        Raises:
            EnvironmentFailure: Hypothesis is not there.
        """
        hypothesis = _hypothesis()
        from hypothesis import strategies as st  # noqa: PLC0415  # part of the extra

        grower = Grower(self.target)
        twists = st.integers(0, _TWISTS - 1)
        rolls: dict[int, Any] = {}

        @st.composite
        def cases(draw: Any) -> Case:
            def roll(sides: int) -> int:
                strategy = rolls.get(sides)
                if strategy is None:
                    strategy = rolls[sides] = st.integers(0, sides - 1)
                rolled: int = draw(strategy)
                return rolled

            return Case(self.target, grower.draw(roll), draw(twists))

        def test(case: Case) -> None:
            hypothesis.assume(case.refusal is None)
            self._try(case, Origin.DRAWN)

        said = hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
            print_blob=False,
        )
        # nothing is raised in there: Hypothesis draws, what fails is gathered and made small here
        hypothesis.seed(seed)(said(hypothesis.given(cases())(test)))()

    def mutate(self, examples: int, seed: int) -> None:
        """Try mutations of the samples. On what the contract does not admit, only the properties of any object are tried."""
        if not self.target.samples:
            return
        grower = Grower(self.target)
        samples = [grower.completed(s) for s in self.target.samples]
        choices = random.Random(seed)  # noqa: S311  # choices, no secrets
        for _ in range(examples):
            self._try(Case(self.target, mutated(samples, choices), choices.randrange(_TWISTS)), Origin.MUTATED)

    def failures(self) -> list[Failure]:
        """What failed, each made small, in a fixed order."""
        return [self._small(*self.seen[key]) for key in sorted(self.seen)[:MOST]]

    def _try(self, case: Case, origin: Origin) -> None:
        stop_if_asked()
        self.objects += 1
        for violation in self._violations(case):
            kept = self.seen.get(violation.key)
            if kept is None:
                self.seen[violation.key] = (violation, case, origin)

    def _violations(self, case: Case, only: str | None = None) -> list[Violation]:
        found: list[Violation] = []
        now = ""
        try:
            with at_most(self.seconds):
                admitted = case.refusal is None
                for prop in self.properties:
                    now = prop.code
                    if (only is None or now == only) and (admitted or now == "P1"):
                        found += _checked(prop, case)
        except TookTooLong:
            found.append(Violation(now, f"takes more than {self.seconds:g} s on this object", about="time"))
        return found

    def _small(self, violation: Violation, case: Case, origin: Origin) -> Failure:
        admitted = case.refusal is None
        last = [violation]

        def shows(obj: Any) -> bool:
            if not isinstance(obj, dict) or (admitted and refusal(self.target.root, obj) is not None):
                return False
            found = self._violations(Case(self.target, obj, case.twist), violation.code)
            same = next((v for v in found if v.key == violation.key), None)
            if same is not None:
                last[0] = same
            return same is not None

        obj = case.obj if violation.about == "time" else reduced(case.obj, shows)
        return Failure(last[0], obj, case.twist, origin)


def _checked(prop: Property, case: Case) -> list[Violation]:
    try:
        return list(prop.check(case))
    except TookTooLong:
        raise
    except Exception as error:  # noqa: BLE001  # a reading that crashes is a finding of its own property
        return [Violation(prop.code, f"raises {type(error).__name__}: {error}", about=type(error).__name__)]


def seed_of(seed: int, *parts: object) -> int:
    """A seed for a part of the work, the same on every machine: 63 bits."""
    text = "\0".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def _hypothesis() -> Any:
    try:
        import hypothesis  # noqa: PLC0415  # part of the extra
    except ImportError:
        raise EnvironmentFailure("Hypothesis is not installed", hint="pip install 'wmap[fuzz]'") from None
    return hypothesis


def missing_extra() -> str | None:
    """What of the extra ``fuzz`` is not installed, None where all is."""
    from importlib.util import find_spec  # noqa: PLC0415  # asked for once

    missing = [name for name in ("hypothesis", "jq") if find_spec(name) is None]
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed" if missing else None
