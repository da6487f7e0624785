"""Compile the steps of a path: fields, indexes, iteration, slices, and the errors that ``?`` suppresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wmap.expr.jq.builtins import Wrapped
from wmap.expr.jq.code import Code, Env, One, Scope, compile_node, placed, single
from wmap.expr.jq.nodes import Identity, Index, Iterate, Literal, Node, Slice, Try, Variable
from wmap.expr.jq.values import elements, index, slice_of
from wmap.expr.protocol import BudgetExceeded, EvaluationError, Part


def compile_identity(_: Identity, __: Scope) -> Code:
    """Compile ``.``."""
    return single(lambda v, _env: v)


def compile_literal(node: Literal, _: Scope) -> Code:
    """Compile a constant."""
    value = node.value
    return single(lambda _v, _env: value)


def compile_variable(node: Variable, scope: Scope) -> Code:
    """Compile ``$x``."""
    slot = scope[node.name]
    return single(lambda _v, env: env[slot])


def compile_index(node: Index, scope: Scope) -> Code:
    """Compile ``.a`` and ``[e]``."""
    chain = _chain(node)
    if chain is not None:
        return single(chain)
    target, key = compile_node(node.target, scope), compile_node(node.key, scope)
    part = node.part
    if isinstance(node.key, Literal):
        step = _step(node.key.value, part)
        if target.one is not None:
            inner = target.one
            return single(lambda v, env: step(inner(v, env), env))
        source = target.many

        def each(v: Any, env: Env) -> Iterator[Any]:
            for t in source(v, env):
                yield step(t, env)

        return Code(None, each)

    def at(t: Any, k: Any, env: Env) -> Any:
        try:
            return index(t, k, env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    if target.one is not None and key.one is not None:
        first, second = target.one, key.one

        def one(v: Any, env: Env) -> Any:
            k = second(v, env)
            return at(first(v, env), k, env)

        return single(one)

    def many(v: Any, env: Env) -> Iterator[Any]:
        for k in key.many(v, env):
            for t in target.many(v, env):
                yield at(t, k, env)

    return Code(None, many)


def _step(key: Any, part: Part) -> One:
    if type(key) is str:

        def field(v: Any, env: Env) -> Any:
            if type(v) is dict:
                return v.get(key)
            if v is None:
                return None
            try:
                return index(v, key, env[0])
            except EvaluationError as error:
                raise placed(error, part) from None

        return field

    def at(v: Any, env: Env) -> Any:
        try:
            return index(v, key, env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    return at


def _chain(node: Index) -> One | None:
    """``.a.b.c`` in one loop."""
    keys: list[tuple[str, Part]] = []
    current: Node = node
    while isinstance(current, Index) and isinstance(current.key, Literal) and type(current.key.value) is str:
        keys.append((current.key.value, current.part))
        current = current.target
    if not isinstance(current, Identity):
        return None
    keys.reverse()
    steps = tuple(keys)
    if len(steps) == 1:
        return _step(*steps[0])

    def one(v: Any, env: Env) -> Any:
        for name, part in steps:
            if type(v) is dict:
                v = v.get(name)
            elif v is None:
                return None
            else:
                try:
                    index(v, name, env[0])
                except EvaluationError as error:
                    raise placed(error, part) from None
        return v

    return one


def compile_slice(node: Slice, scope: Scope) -> Code:
    """Compile ``[a:b]``."""
    target = compile_node(node.target, scope)
    nothing = Literal(node.start, node.end, None)
    low = compile_node(node.low or nothing, scope)
    high = compile_node(node.high or nothing, scope)
    part = node.part

    def many(v: Any, env: Env) -> Iterator[Any]:
        for h in high.many(v, env):
            for lo in low.many(v, env):
                for t in target.many(v, env):
                    try:
                        yield slice_of(t, lo, h)
                    except EvaluationError as error:
                        raise placed(error, part) from None

    if target.one is None or low.one is None or high.one is None:
        return Code(None, many)
    return Code(lambda v, env: next(many(v, env)), many)


def compile_iterate(node: Iterate, scope: Scope) -> Code:
    """Compile ``[]``."""
    target, part = compile_node(node.target, scope), node.part
    if target.one is not None:
        inner = target.one

        def each(v: Any, env: Env) -> Iterator[Any]:
            try:
                return iter(elements(inner(v, env), env[0]))
            except EvaluationError as error:
                raise placed(error, part) from None

        return Code(None, each)

    def many(v: Any, env: Env) -> Iterator[Any]:
        for t in target.many(v, env):
            try:
                found = elements(t, env[0])
            except EvaluationError as error:
                raise placed(error, part) from None
            yield from found

    return Code(None, many)


def compile_try(node: Try, scope: Scope) -> Code:
    """Compile ``?`` and ``try``."""
    body = node.body
    if not node.whole and isinstance(body, Index | Iterate | Slice):
        # `t.a?` and `t[]?` suppress the error of the last step only
        step = _last_step(body, scope)
        target = compile_node(body.target, scope)

        def suffix(v: Any, env: Env) -> Iterator[Any]:
            for t in target.many(v, env):
                try:
                    yield from step(t, v, env)
                except BudgetExceeded:
                    raise
                except EvaluationError:
                    continue

        return Code(None, suffix)
    inner = compile_node(body, scope)
    handler = None if node.handler is None else compile_node(node.handler, scope)

    def many(v: Any, env: Env) -> Iterator[Any]:
        results = inner.many
        try:
            iterator = results(v, env)
        except BudgetExceeded:
            raise
        except EvaluationError as error:
            if handler is not None:
                yield from handler.many(_caught(error), env)
            return
        while True:
            try:
                result = next(iterator)
            except StopIteration:
                return
            except BudgetExceeded:
                raise
            except EvaluationError as error:
                if handler is not None:
                    yield from handler.many(_caught(error), env)
                return
            yield result

    return Code(None, many)


def _caught(error: EvaluationError) -> Any:
    return error.value.value if isinstance(error.value, Wrapped) else error.message


def _last_step(body: Index | Iterate | Slice, scope: Scope) -> Callable[[Any, Any, Env], Iterator[Any]]:
    """The last step of a path, on a target already evaluated; keys are evaluated on the value the path is of."""
    if isinstance(body, Iterate):
        return lambda t, _v, env: iter(elements(t, env[0]))
    if isinstance(body, Index):
        key = compile_node(body.key, scope)
        return lambda t, v, env: (index(t, k, env[0]) for k in key.many(v, env))
    nothing = Literal(body.start, body.end, None)
    low, high = compile_node(body.low or nothing, scope), compile_node(body.high or nothing, scope)
    return lambda t, v, env: (slice_of(t, lo, h) for h in high.many(v, env) for lo in low.many(v, env))
