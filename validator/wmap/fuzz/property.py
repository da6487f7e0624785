"""What a property is: a rule that is tried on objects, and what is seen where it fails."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wmap.check.rule import Rule
from wmap.expr import EvaluationError
from wmap.findings import Level, Severity
from wmap.fuzz.admits import defaulted, refusal
from wmap.reading.read import read

if TYPE_CHECKING:
    from wmap.definition.model import Text
    from wmap.expr import Expression, Part
    from wmap.fuzz.target import Target
    from wmap.reading.model import Reading

Check = Callable[["Case"], Iterator["Violation"]]


@dataclass(frozen=True)
class Case:
    """One object of a target. ``twist`` decides all that a property chooses for itself: which field, which order."""

    target: Target
    obj: Any
    twist: int = 0

    @cached_property
    def reading(self) -> Reading:
        """What the definition makes of the object."""
        return read(self.target.plan, self.obj)

    @cached_property
    def refusal(self) -> str | None:
        """Why the contract does not admit the object, None where it does."""
        return refusal(self.target.root, self.obj)

    @cached_property
    def defaulted(self) -> Any:
        """The object with the defaults of the API server."""
        return defaulted(self.target.root, self.obj)

    def choices(self, salt: str) -> random.Random:
        """A source of choices that is the same each time."""
        return random.Random(f"{self.twist} {salt}")  # noqa: S311  # choices, no secrets


@dataclass(frozen=True)
class Violation:
    """A property that does not hold on an object. ``text`` is the expression at fault where one is, ``part`` the piece of it.

    ``key`` tells one defect from another: two violations of one key are one finding. ``pods`` are those that show it.
    """

    code: str
    message: str
    text: Text | None = None
    part: Part | None = None
    about: str = ""
    pods: tuple[Any, ...] | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Code, expression, and what else tells it from others."""
        return (self.code, self.text.value if self.text is not None else "", self.about)


@dataclass(frozen=True)
class Property:
    """A property. ``rule`` says what it holds and what a user loses where it fails.

    ``applies`` gives the reason why it does not apply to a target, None where it does.
    """

    rule: Rule
    look: Check
    applies: Callable[[Target], str | None] = field(default=lambda _: None)

    @property
    def code(self) -> str:
        """``P1``."""
        return self.rule.code

    def check(self, case: Case) -> Iterator[Violation]:
        """What of the property does not hold on an object."""
        return self.look(case)


def rule_of(code: str, name: str, look: Check, bad: str, good: str) -> Rule:
    """The rule of a property: its docstring is the summary, and after an empty line what a user loses."""
    summary, _, rationale = (look.__doc__ or "").strip().partition("\n\n")
    source = "design of this catalog: what holds of every reading"
    return Rule(code, name, Level.FUZZ, Severity.ERROR, _one_line(summary), _one_line(rationale), source, bad, good)


def evaluated(expression: Expression | None, obj: Any) -> list[Any] | None:
    """The results of an expression; None where there is none, or it raises."""
    if expression is None:
        return None
    try:
        return expression.evaluate(obj)
    except EvaluationError:
        return None


def _one_line(text: str) -> str:
    return " ".join(text.split())
