"""jq, the language of the format today: lexer, grammar, policy, compilation to closures, paths, static facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from wmap.expr.jq import facts
from wmap.expr.jq.code import Code, Env, One
from wmap.expr.jq.compiler import compile_node
from wmap.expr.jq.nodes import Array, Call, Interpolation, Node, Object
from wmap.expr.jq.parser import parse_tree
from wmap.expr.jq.paths import PathWalk, Placed, normal_path
from wmap.expr.jq.values import Meter
from wmap.expr.protocol import (
    MISSING,
    Budget,
    BudgetExceeded,
    EvaluationError,
    Expression,
    Json,
    Mutant,
    NotPortable,
    Part,
    Path,
    Pitfall,
    Step,
)

if TYPE_CHECKING:
    from wmap.expr.static import Place
    from wmap.expr.typing import (
        Typing,
    )

Run = Callable[[Any, Env, list[Any]], None]
WARM = 100
"""After so many evaluations of an expression, Python is generated for it."""


class JqExpression:
    """An expression of jq. Compiled when it is first evaluated; pickled as its text."""

    __slots__ = ("_calls", "_code", "_facts", "_makes", "_one", "_run", "_tree", "text")

    language = "jq"

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree: Node = parse_tree(text)
        self._code: Code | None = None
        self._makes = False
        self._facts: dict[str, Any] = {}
        self._calls = 0
        self._one: One | None = None
        self._run: Run | None = None

    def __repr__(self) -> str:
        return f"JqExpression({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JqExpression) and other.text == self.text

    def __hash__(self) -> int:
        return hash(("jq", self.text))

    def __reduce__(self) -> tuple[Any, ...]:
        return (JqExpression, (self.text,))

    def speed_up(self) -> None:
        """Generate Python for the expression, as evaluating it a few times does; no result changes by it."""
        from wmap.expr.jq.generate import TooLarge, generate  # noqa: PLC0415  # one reading needs none

        code = self._compiled()
        try:
            one, run = generate(self._tree)
        except (TooLarge, RecursionError):
            one, run = code.one, None
        if run is None:

            def run(document: Json, env: Env, results: list[Json]) -> None:
                if one is not None:
                    results.append(one(document, env))
                    return
                results.extend(code.many(document, env))  # what came before an error is kept

        self._one, self._run = one, run

    def _compiled(self) -> Code:
        code = self._code
        if code is None:
            code = self._code = compile_node(self._tree, {})
            self._one = code.one
            # only what makes arrays, objects or texts can give more than the document holds
            self._makes = any(isinstance(n, Array | Object | Interpolation | Call) for n in facts.walk(self._tree))
        return code

    def evaluate(self, document: Json, budget: Budget | None = None) -> list[Json]:
        """All results on the document, in order. See ``Expression``."""
        run = self._run or self._warmed()
        meter = Meter() if budget is None else Meter.of(budget)
        results: list[Json] = []
        try:
            run(document, (meter,), results)
        except EvaluationError as error:
            if self._makes:
                _weigh(results, meter)  # what is handed on with an error is not too large either
            error.results = results
            raise
        except RecursionError:
            raise BudgetExceeded("the document is nested too deep for this expression", results=results) from None
        if self._makes:
            # outside: results that are too large are not handed on
            _weigh(results, meter)
        return results

    def first(self, document: Json, budget: Budget | None = None) -> Json:
        """The first result, or MISSING. See ``Expression``."""
        if self._run is None:
            self._warmed()
        meter = Meter() if budget is None else Meter.of(budget)
        try:
            one = self._one
            result = one(document, (meter,)) if one else next(iter(self._compiled().many(document, (meter,))), MISSING)
            if self._makes and (type(result) is list or type(result) is dict):
                _weigh([result], meter)
        except RecursionError:
            raise BudgetExceeded("the document is nested too deep for this expression") from None
        return result

    def _warmed(self) -> Run:
        """What evaluates the expression while Python is not generated for it: its closures; counts the evaluations."""
        code = self._compiled()
        self._calls += 1
        if self._calls >= WARM:
            self.speed_up()
        if self._run is not None:
            return self._run

        def run(document: Json, env: Env, results: list[Json]) -> None:
            results.extend(code.many(document, env))  # what came before an error is kept
            self._calls += len(results) >> 3  # one evaluation of many entries is as good as many

        return run

    def paths(self, document: Json, budget: Budget | None = None) -> list[Path]:
        """The places that the expression addresses. See ``Expression``."""
        env = (Meter.of(budget),)
        try:
            return [normal_path(t, self._tree) for t in PathWalk(env).walk(self._tree, Placed((), document), env, {})]
        except RecursionError:
            raise BudgetExceeded("the document is nested too deep for this expression") from None

    def places(self, document: Json, budget: Budget | None = None) -> list[tuple[Json, tuple[Path, ...]]]:
        """Each result with the places it was read from. See ``Expression``."""
        from wmap.expr.jq.trace import Trace, Traced, deepest  # noqa: PLC0415  # readings need none

        try:
            results = self.evaluate(document, budget)
        except EvaluationError as error:
            results = error.results
        found: list[Traced] = []
        try:
            for traced in Trace(Meter.of(budget)).walk(self._tree, Traced(document, ()), {}):
                found.append(traced)  # noqa: PERF402  # what came before an error is kept
        except (EvaluationError, RecursionError):
            pass
        # the walk may stop sooner than the code: a result without its trace has no places
        places = [deepest(t.places) for t in found] + [()] * len(results)
        return list(zip(results, places, strict=False))

    def _fact(self, name: str, find: Callable[[], Any]) -> Any:
        """A static fact, worked out once."""
        if name not in self._facts:
            self._facts[name] = find()
        return self._facts[name]

    @property
    def not_assignable(self) -> tuple[Part, str] | None:
        """The piece that has no place, and why. See ``Expression``."""
        found: tuple[Part, str] | None = self._fact("not_assignable", lambda: facts.not_assignable(self._tree))
        return found

    @property
    def top_level_operator(self) -> Part | None:
        """The operator at top level. See ``Expression``."""
        found: Part | None = self._fact("top_level_operator", lambda: facts.top_level_operator(self._tree, self.text))
        return found

    @property
    def defaults_outside_iteration(self) -> tuple[Part, ...]:
        """Defaults that drop entries. See ``Expression``."""
        found: tuple[Part, ...] = self._fact(
            "defaults_outside_iteration", lambda: facts.defaults_outside_iteration(self._tree)
        )
        return found

    @property
    def not_portable(self) -> tuple[NotPortable, ...]:
        """Where libjq and gojq differ. See ``Expression``."""
        found: tuple[NotPortable, ...] = self._fact("not_portable", lambda: facts.not_portable(self._tree))
        return found

    @property
    def pitfalls(self) -> tuple[Pitfall, ...]:
        """What reads well and is wrong. See ``Expression``."""
        from wmap.expr.jq.pitfalls import pitfalls  # noqa: PLC0415  # asked for by rules only

        found: tuple[Pitfall, ...] = self._fact("pitfalls", lambda: pitfalls(self._tree))
        return found

    @property
    def reads(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The static paths that are read. See ``Expression``."""
        found: tuple[tuple[str | int | Step, ...], ...] = self._fact("reads", lambda: facts.reads(self._tree))
        return found

    @property
    def numbers(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The static paths of texts that are made numbers. See ``Expression``."""
        found: tuple[tuple[str | int | Step, ...], ...] = self._fact("numbers", lambda: facts.numbers(self._tree))
        return found

    @property
    def iterates(self) -> tuple[tuple[str | int | Step, ...], ...]:
        """The collections that multiply the results. See ``Expression``."""
        found: tuple[tuple[str | int | Step, ...], ...] = self._fact("iterates", lambda: facts.iterates(self._tree))
        return found

    @property
    def single(self) -> bool:
        """Whether there is always exactly one result. See ``Expression``."""
        found: bool = self._fact("single", lambda: facts.single(self._tree))
        return found

    @property
    def normal(self) -> str:
        """A canonical text. See ``Expression``."""
        from wmap.expr.jq.printer import print_tree  # noqa: PLC0415  # asked for by rules and gangs only

        return print_tree(self._tree)

    @property
    def canonical(self) -> str:
        """A text that those share who provably mean the same. See ``Expression``."""
        from wmap.expr.jq.canonical import canonical_text  # noqa: PLC0415  # asked for by comparisons only

        return canonical_text(self._tree)

    def mutants(self) -> Iterator[Mutant]:
        """The expression broken in each way. See ``Expression``."""
        from wmap.expr.jq.mutants import mutants  # noqa: PLC0415  # for trying out checks only

        return mutants(self._tree)

    def infer(self, root: Place, *, defaulted: bool = False) -> Typing:
        """Its static typing over a tree of declared fields. See ``Expression``."""
        from wmap.expr.jq.typing import infer  # noqa: PLC0415  # readings need none

        return infer(self._tree, root, defaulted=defaulted)


def _weigh(results: list[Json], meter: Meter) -> None:
    """Hold the size of the results: what shares its parts may be small in memory and without end as JSON."""
    meter.spend(2 * len(results))
    pending: list[Any] = [v for v in results if type(v) is list or type(v) is dict]
    while pending:
        value: Any = pending.pop()
        if type(value) is list:
            meter.spend(10 + 4 * len(value))
            pending.extend(v for v in value if type(v) is list or type(v) is dict)
        else:
            meter.spend(10 + 4 * len(value))
            pending.extend(v for v in value.values() if type(v) is list or type(v) is dict)


def parse(text: str) -> Expression:
    """Parse an expression of jq.

    Raises:
        ExpressionError: it does not parse, is too large, or the policy refuses it.
    """
    return JqExpression(text)
