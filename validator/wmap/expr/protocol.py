"""The protocol of an expression, of any language. See ``wmap.expr``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wmap.expr.static import Place
    from wmap.expr.typing import (
        Typing,
    )

Json = Any
"""A JSON value: None, bool, int, float, str, list, dict with str keys. Never changed by an evaluation."""

PathStep = str | int
"""One step into a document: an object key or an array index (0 or more)."""

Path = tuple[PathStep, ...]
"""A place in a document, from its root: ``("spec", "replicatedJobs", 0, "name")``."""


class _Missing(Enum):
    MISSING = "MISSING"


MISSING: Final = _Missing.MISSING
"""What ``first`` gives where an expression has no result: not the same as null."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an expression's text: offsets in characters, ``text[start:end]``."""

    start: int
    end: int


class Refusal(StrEnum):
    """Why an expression cannot be used at all."""

    SYNTAX = "syntax"
    POLICY = "policy"
    SIZE = "size"


class ExpressionError(Exception):
    """The text is no expression that may be used: it does not parse, or the policy refuses something in it.

    Attributes:
        refusal: what kind of reason.
        message: one sentence, naming what was refused.
        hint: what to write instead, or None.
        part: the piece that is wrong.
        text: the whole expression.
    """

    def __init__(self, refusal: Refusal, message: str, *, part: Part, text: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.refusal = refusal
        self.message = message
        self.hint = hint
        self.part = part
        self.text = text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_expression_error, (self.refusal, self.message, self.part, self.text, self.hint))


def _expression_error(refusal: Refusal, message: str, part: Part, text: str, hint: str | None) -> ExpressionError:
    return ExpressionError(refusal, message, part=part, text=text, hint=hint)


class EvaluationError(Exception):
    """The expression raised on this document.

    Attributes:
        message: as jq words it (``Cannot iterate over null``), with the value where jq shows it.
        part: the piece of the expression that raised, where known.
        path: the place of the document at which it raised, where known.
        value: what ``error(v)`` was called with (also set for the messages of the language itself).
        results: the results that came before the error, for those who take the first one only.
    """

    def __init__(
        self,
        message: str,
        *,
        value: Json = None,
        part: Part | None = None,
        path: Path | None = None,
        results: Sequence[Json] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.value = value
        self.part = part
        self.path = path
        self.results = list(results)


class BudgetExceeded(EvaluationError):
    """The evaluation took more steps, or made a larger result, than its budget allows. ``try`` does not catch it."""


STEPS: Final = 250_000
SIZE: Final = 16_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What one evaluation may cost.

    Attributes:
        steps: how many elements may be visited, made or compared.
        size: how many characters and elements all values made along the way may have together.
    """

    steps: int = STEPS
    size: int = SIZE


@dataclass(frozen=True, slots=True)
class NotPortable:
    """Something on which libjq and gojq do not agree, so that the expression means different things to two readers."""

    part: Part
    message: str
    hint: str | None = None


class PitfallKind(StrEnum):
    """What kind of slip a piece of an expression is."""

    DECIDED = "decided"
    ABSENT_IS_NOT_FALSE = "absent-is-not-false"
    ONE_ENTRY = "one-entry"


@dataclass(frozen=True, slots=True)
class Pitfall:
    """A piece that reads well and does not say what it seems to."""

    kind: PitfallKind
    part: Part
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """An expression that is broken in one place: how, and its text."""

    kind: str
    text: str


class Step(Enum):
    """A step of a static path that is no fixed key or index."""

    EACH = "[]"
    DYNAMIC = "[?]"


class Expression(Protocol):
    """An expression that was parsed and that the policy allows. Immutable, picklable, safe to share."""

    @property
    def text(self) -> str:
        """The source text."""
        ...

    @property
    def language(self) -> str:
        """``jq``."""
        ...

    # --- evaluation -------------------------------------------------------------------------------------------------

    def evaluate(self, document: Json, budget: Budget | None = None) -> list[Json]:
        """All results on the document, in order.

        Raises:
            EvaluationError: the expression raised; ``results`` holds what came before.
            BudgetExceeded: it cost too much.
        """
        ...

    def first(self, document: Json, budget: Budget | None = None) -> Json:
        """The first result, or MISSING where there is none; an error after the first result is not raised."""
        ...

    def paths(self, document: Json, budget: Budget | None = None) -> list[Path]:
        """The places that the expression addresses (``path(expr)``), for assignment.

        Raises:
            EvaluationError: also where a result has no place (``Invalid path expression ...``).
        """
        ...

    def places(self, document: Json, budget: Budget | None = None) -> list[tuple[Json, tuple[Path, ...]]]:
        """Each result with the places of the document that it was read from, for explaining; never raises.

        A result that is itself a place of the document has that one path; a computed one has the deepest places that
        were read to compute it, in the order of reading. An expression that raises gives what came before.
        """
        ...

    # --- static facts -----------------------------------------------------------------------------------------------

    @property
    def not_assignable(self) -> tuple[Part, str] | None:
        """None where ``paths`` can work (a valid jq path); else the piece that has no place, and why."""
        ...

    @property
    def top_level_operator(self) -> Part | None:
        """The operator at top level (``//``, ``|``, ``,``, ``and``, ``or``, a comparison, arithmetic, ``as``), if any.

        Such an expression means something else once text is put behind it. Parentheses make it None.
        """
        ...

    @property
    def defaults_outside_iteration(self) -> tuple[Part, ...]:
        """Each ``a // b`` whose left side iterates outside brackets: it drops entries instead of defaulting them."""
        ...

    @property
    def not_portable(self) -> tuple[NotPortable, ...]:
        """Where libjq and gojq differ."""
        ...

    @property
    def pitfalls(self) -> tuple[Pitfall, ...]:
        """Conditions that are decided whatever the object, false taken for absent, loops over one entry."""
        ...

    @property
    def reads(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The static paths that are read, deepest only, in order of appearance, without repetition.

        ``.a[].b // .c`` reads ``("a", Step.EACH, "b")`` and ``("c",)``. A key that is computed is ``Step.DYNAMIC``.
        """
        ...

    @property
    def numbers(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The static paths of texts that are made numbers, in order of appearance: of ``.a // .b | tonumber?`` both."""
        ...

    @property
    def iterates(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The static paths of the collections that multiply the number of results (not those inside ``[...]``)."""
        ...

    @property
    def single(self) -> bool:
        """True where the expression gives exactly one result on every document on which it does not raise."""
        ...

    @property
    def normal(self) -> str:
        """A canonical text: equal for expressions that differ only in white space, comments and needless brackets."""
        ...

    @property
    def canonical(self) -> str:
        """A text that means the same, equal also for expressions that are written otherwise and provably mean the same.

        Provably: they give the same results in the same order, or the same error, on every input. It is an expression of its own.
        """
        ...

    def mutants(self) -> Iterator[Mutant]:
        """The expression broken in each way at each place, as an author might: for trying out checks."""
        ...

    def infer(self, root: Place, *, defaulted: bool = False) -> Typing:
        """Its static typing over a tree of declared fields (``wmap.expr.static``).

        ``defaulted``: over objects as they are once the API server has given its defaults; else as a user may write them.
        """
        ...
