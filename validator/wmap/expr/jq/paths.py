"""Path evaluation: ``path(expr)`` for assignment.

A slower walk over the tree than the compiled closures: it runs on a change, not on a reading.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.expr.jq.builtins import FILTERS
from wmap.expr.jq.code import Code
from wmap.expr.jq.compiler import compile_node, compile_pattern
from wmap.expr.jq.nodes import (
    Binary,
    Bind,
    Call,
    Comma,
    Identity,
    If,
    Index,
    Iterate,
    Literal,
    Node,
    Pipe,
    Slice,
    Try,
)
from wmap.expr.jq.policy import bound_names
from wmap.expr.jq.values import Meter, elements, index, shown, slice_of, truthy
from wmap.expr.protocol import BudgetExceeded, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wmap.expr.protocol import Path


class Placed(NamedTuple):
    """A value and its place; None where it has none (it was computed)."""

    path: tuple[Any, ...] | None
    value: Any


class PathWalk:
    """One walk of a document."""

    def __init__(self, env: tuple[Any, ...]) -> None:
        self.root = env

    def walk(self, node: Node, at: Placed, env: tuple[Any, ...], scope: Mapping[str, int]) -> Iterator[Placed]:
        """Yield the places that the node addresses.

        Raises:
            EvaluationError: also ``Invalid path expression``, where a computed value is addressed further.
        """
        meter: Meter = env[0]
        match node:
            case Identity():
                yield at
            case Index(target=target, key=key):
                for k in self._values(key, at.value, env, scope):
                    for t in self.walk(target, at, env, scope):
                        yield self._step(node, t, k, meter)
            case Iterate(target=target):
                for t in self.walk(target, at, env, scope):
                    yield from self._each(node, t, meter)
            case Slice(target=target, low=low, high=high):
                highs = [None] if high is None else list(self._values(high, at.value, env, scope))
                lows = [None] if low is None else list(self._values(low, at.value, env, scope))
                for h in highs:
                    for lo in lows:
                        for t in self.walk(target, at, env, scope):
                            self._must_have_place(node, t)
                            step = {"start": lo, "end": h}
                            yield Placed((*(t.path or ()), _Slice(step)), slice_of(t.value, lo, h))
            case Try(body=Index() | Iterate() | Slice() as body, whole=False):
                yield from self._last_step(body, at, env, scope)
            case Try(body=body, handler=handler):
                yield from self._caught(body, handler, at, env, scope)
            case Pipe(left=left, right=right):
                for t in self.walk(left, at, env, scope):
                    yield from self.walk(right, t, env, scope)
            case Comma(left=left, right=right):
                meter.spend(2)
                yield from self.walk(left, at, env, scope)
                yield from self.walk(right, at, env, scope)
            case Binary(op="//", left=left, right=right):
                yield from self._alternative(left, right, at, env, scope)
            case If(condition=condition, then=then, otherwise=otherwise):
                for c in self._values(condition, at.value, env, scope):
                    branch = then if truthy(c) else otherwise
                    if branch is None:
                        yield at
                    else:
                        yield from self.walk(branch, at, env, scope)
            case Bind():
                yield from self._bind(node, at, env, scope)
            case Call(name="select", arguments=(condition,)):
                for c in self._values(condition, at.value, env, scope):
                    if truthy(c):
                        yield at
            case Call(name="first" | "last", arguments=()):
                yield self._step(node, at, 0 if node.name == "first" else -1, meter)
            case Call(name="first", arguments=(body,)):
                for t in self.walk(body, at, env, scope):
                    yield t
                    return
            case Call(name=name, arguments=()) if name in FILTERS:
                if FILTERS[name](at.value):
                    yield at
            case _:
                for value in self._values(node, at.value, env, scope):
                    yield Placed(None, value)

    def _values(self, node: Node, value: Any, env: tuple[Any, ...], scope: Mapping[str, int]) -> Iterator[Any]:
        code: Code = compile_node(node, scope)
        return code.many(value, env)

    def _must_have_place(self, node: Node, t: Placed) -> None:
        if t.path is None:
            raise EvaluationError(f"Invalid path expression with result {shown(t.value)}", part=node.part)

    def _step(self, node: Node, t: Placed, key: Any, meter: Meter) -> Placed:
        if t.path is None and t.value is not None:
            self._must_have_place(node, t)
        try:
            value = index(t.value, key, meter)
        except EvaluationError as error:
            error.part, error.path = node.part, t.path
            raise
        if t.path is None:
            return Placed(None, value)
        return Placed((*t.path, key), value)

    def _each(self, node: Node, t: Placed, meter: Meter) -> Iterator[Placed]:
        self._must_have_place(node, t)
        try:
            elements(t.value, meter)
        except EvaluationError as error:
            error.part, error.path = node.part, t.path
            raise
        path = t.path or ()
        if isinstance(t.value, dict):
            for key in sorted(t.value):
                yield Placed((*path, key), t.value[key])
        else:
            for i, item in enumerate(t.value):
                yield Placed((*path, i), item)

    def _last_step(
        self, body: Index | Iterate | Slice, at: Placed, env: tuple[Any, ...], scope: Mapping[str, int]
    ) -> Iterator[Placed]:
        """``.a[]?``: the error of the last step is suppressed, that of the target is not."""
        for t in self.walk(body.target, at, env, scope):
            last = _on_identity(body)
            # keys are evaluated on the value that the whole path is of, which a walk from the target cannot see
            if isinstance(body, Index):
                keys = list(self._values(body.key, at.value, env, scope))
                nodes: list[Node] = [Index(body.start, body.end, last.target, Literal(0, 0, k)) for k in keys]
            else:
                nodes = [last]
            for each in nodes:
                yield from self._caught(each, None, t, env, scope)

    def _caught(
        self, body: Node, handler: Node | None, at: Placed, env: tuple[Any, ...], scope: Mapping[str, int]
    ) -> Iterator[Placed]:
        iterator = self.walk(body, at, env, scope)
        while True:
            try:
                t = next(iterator)
            except StopIteration:
                return
            except BudgetExceeded:
                raise
            except EvaluationError as error:
                if handler is not None:
                    yield from self.walk(handler, Placed(None, error.message), env, scope)
                return
            yield t

    def _alternative(
        self, left: Node, right: Node, at: Placed, env: tuple[Any, ...], scope: Mapping[str, int]
    ) -> Iterator[Placed]:
        found = False
        for t in self.walk(left, at, env, scope):
            if truthy(t.value):
                found = True
                yield t
        if not found:
            yield from self.walk(right, at, env, scope)

    def _bind(self, node: Bind, at: Placed, env: tuple[Any, ...], scope: Mapping[str, int]) -> Iterator[Placed]:
        names = list(dict.fromkeys(bound_names(node.pattern)))
        base = 1 + max(scope.values(), default=0)
        inner = {**scope, **{name: base + i for i, name in enumerate(names)}}
        binder = compile_pattern(node.pattern, inner)
        for x in self._values(node.source, at.value, env, scope):
            for bound in binder(x, (*env[:base], *(None for _ in names)), at.value):
                yield from self.walk(node.body, at, bound, inner)


class _Slice(dict[str, Any]):
    """The step of a slice in a path: it is no place of its own, so it cannot be assigned to."""


def _on_identity(body: Iterate | Index | Slice) -> Any:
    here = Identity(body.start, body.start)
    if isinstance(body, Index):
        return Index(body.start, body.end, here, body.key)
    if isinstance(body, Slice):
        return Slice(body.start, body.end, here, body.low, body.high)
    return Iterate(body.start, body.end, here)


def normal_path(placed: Placed, node: Node) -> Path:
    """A path with indexes from the beginning.

    Raises:
        EvaluationError: the value was computed, or a slice is addressed.
    """
    if placed.path is None:
        raise EvaluationError(f"Invalid path expression with result {shown(placed.value)}", part=node.part)
    steps: list[str | int] = []
    for step in placed.path:
        if isinstance(step, str):
            steps.append(step)
        elif isinstance(step, int | float):
            steps.append(math.floor(step))
        else:
            raise EvaluationError("a slice has no single place", part=node.part)
    return tuple(steps)
