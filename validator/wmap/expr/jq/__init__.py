"""jq, the language of the format today: lexer, grammar, policy, compilation to closures, paths, static facts."""

from __future__ import annotations

from typing import Any

from wmap.expr.jq import facts
from wmap.expr.jq.code import Code
from wmap.expr.jq.compiler import compile_node
from wmap.expr.jq.nodes import Array, Call, Interpolation, Node, Object
from wmap.expr.jq.parser import parse_tree
from wmap.expr.jq.paths import PathWalk, Placed, normal_path, read_places
from wmap.expr.jq.values import Meter
from wmap.expr.protocol import (
    MISSING,
    Budget,
    BudgetExceeded,
    EvaluationError,
    Expression,
    Json,
    NotPortable,
    Part,
    Path,
    Step,
)

DEFAULT_BUDGET = Budget()


class JqExpression:
    """An expression of jq. Compiled when it is first evaluated; pickled as its text."""

    __slots__ = ("_code", "_makes", "_tree", "text")

    language = "jq"

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree: Node = parse_tree(text)
        self._code: Code | None = None
        self._makes = False

    def __repr__(self) -> str:
        return f"JqExpression({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JqExpression) and other.text == self.text

    def __hash__(self) -> int:
        return hash(("jq", self.text))

    def __reduce__(self) -> tuple[Any, ...]:
        return (JqExpression, (self.text,))

    def _compiled(self) -> Code:
        code = self._code
        if code is None:
            code = self._code = compile_node(self._tree, {})
            # only what makes arrays, objects or texts can give more than the document holds
            self._makes = any(isinstance(n, Array | Object | Interpolation | Call) for n in facts.walk(self._tree))
        return code

    def evaluate(self, document: Json, budget: Budget | None = None) -> list[Json]:
        """All results on the document, in order. See ``Expression``."""
        code = self._code or self._compiled()
        meter = Meter(budget or DEFAULT_BUDGET)
        results: list[Json] = []
        try:
            if code.one is not None:
                results = [code.one(document, (meter,))]
            else:
                for result in code.many(document, (meter,)):
                    results.append(result)  # what came before an error is kept
            if self._makes:
                _weigh(results, meter)
        except EvaluationError as error:
            error.results = results
            raise
        except RecursionError:
            raise BudgetExceeded("the document is nested too deep for this expression", results=results) from None
        return results

    def first(self, document: Json, budget: Budget | None = None) -> Json:
        """The first result, or MISSING. See ``Expression``."""
        code = self._code or self._compiled()
        meter = Meter(budget or DEFAULT_BUDGET)
        try:
            result = (
                code.one(document, (meter,))
                if code.one is not None
                else next(iter(code.many(document, (meter,))), MISSING)
            )
            if self._makes and result is not MISSING:
                _weigh([result], meter)
        except RecursionError:
            raise BudgetExceeded("the document is nested too deep for this expression") from None
        return result

    def paths(self, document: Json, budget: Budget | None = None) -> list[Path]:
        """The places that the expression addresses. See ``Expression``."""
        env = (Meter(budget or DEFAULT_BUDGET),)
        try:
            return [normal_path(t, self._tree) for t in PathWalk(env).walk(self._tree, Placed((), document), env, {})]
        except RecursionError:
            raise BudgetExceeded("the document is nested too deep for this expression") from None

    def places(self, document: Json, budget: Budget | None = None) -> list[tuple[Json, tuple[Path, ...]]]:
        """Each result with the places it was read from. See ``Expression``."""
        env = (Meter(budget or DEFAULT_BUDGET),)
        try:
            found = list(PathWalk(env).walk(self._tree, Placed((), document), env, {}))
            if all(t.path is not None for t in found):
                return [(t.value, (normal_path(t, self._tree),)) for t in found]
        except EvaluationError:
            pass
        except RecursionError:
            return []
        try:
            results = self.evaluate(document, budget)
        except EvaluationError as error:
            results = error.results
        read = tuple(read_places(self._tree, document, (Meter(budget or DEFAULT_BUDGET),)))
        return [(result, read) for result in results]

    @property
    def not_assignable(self) -> tuple[Part, str] | None:
        """The piece that has no place, and why. See ``Expression``."""
        return facts.not_assignable(self._tree)

    @property
    def top_level_operator(self) -> Part | None:
        """The operator at top level. See ``Expression``."""
        return facts.top_level_operator(self._tree, self.text)

    @property
    def defaults_outside_iteration(self) -> tuple[Part, ...]:
        """Defaults that drop entries. See ``Expression``."""
        return facts.defaults_outside_iteration(self._tree)

    @property
    def not_portable(self) -> tuple[NotPortable, ...]:
        """Where libjq and gojq differ. See ``Expression``."""
        return facts.not_portable(self._tree)

    @property
    def reads(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The static paths that are read. See ``Expression``."""
        return facts.reads(self._tree)

    @property
    def iterates(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The collections that multiply the results. See ``Expression``."""
        return facts.iterates(self._tree)

    @property
    def single(self) -> bool:
        """Whether there is always exactly one result. See ``Expression``."""
        return facts.single(self._tree)

    @property
    def normal(self) -> str:
        """A canonical text. See ``Expression``."""
        from wmap.expr.jq.printer import print_tree  # noqa: PLC0415  # asked for by rules and gangs only

        return print_tree(self._tree)


def _weigh(results: list[Json], meter: Meter) -> None:
    """Hold the size of the results: what shares its parts may be small in memory and without end as JSON."""
    pending: list[Any] = [results]
    while pending:
        value: Any = pending.pop()
        if type(value) is list:
            meter.spend(2 * len(value))
            pending.extend(v for v in value if type(v) is list or type(v) is dict)
        else:
            meter.spend(2 * len(value))
            pending.extend(v for v in value.values() if type(v) is list or type(v) is dict)


def parse(text: str) -> Expression:
    """Parse an expression of jq.

    Raises:
        ExpressionError: it does not parse, is too large, or the policy refuses it.
    """
    return JqExpression(text)
