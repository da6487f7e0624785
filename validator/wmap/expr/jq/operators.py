"""Compile what combines expressions: pipes, commas, arithmetic, comparison, ``//``, logic, conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wmap.expr.jq.code import Code, Env, Scope, compile_node, placed, single
from wmap.expr.jq.nodes import Binary, Comma, Identity, If, Literal, Negate, Pipe
from wmap.expr.jq.values import arithmetic, compare, equal, number, shown, truthy
from wmap.expr.protocol import EvaluationError, Part


def compile_negate(node: Negate, scope: Scope) -> Code:
    """Compile ``-e``."""
    operand = compile_node(node.operand, scope)
    part = node.part

    def negate(v: Any) -> Any:
        if type(v) is int or type(v) is float:
            return number(-v)
        raise EvaluationError(f"{shown(v)} cannot be negated", part=part)

    if operand.one is not None:
        inner = operand.one
        return single(lambda v, env: negate(inner(v, env)))
    return Code(None, lambda v, env: (negate(x) for x in operand.many(v, env)))


def compile_pipe(node: Pipe, scope: Scope) -> Code:
    """Compile ``a | b``."""
    left, right = compile_node(node.left, scope), compile_node(node.right, scope)
    if left.one is not None:
        first = left.one
        if right.one is not None:
            second = right.one
            return single(lambda v, env: second(first(v, env), env))
        rest = right.many
        return Code(None, lambda v, env: rest(first(v, env), env))
    source = left.many
    if right.one is not None:
        then = right.one

        def each(v: Any, env: Env) -> Iterator[Any]:
            for x in source(v, env):
                yield then(x, env)

        return Code(None, each)
    rest = right.many

    def many(v: Any, env: Env) -> Iterator[Any]:
        for x in source(v, env):
            yield from rest(x, env)

    return Code(None, many)


def compile_comma(node: Comma, scope: Scope) -> Code:
    """Compile ``a, b``."""
    left, right = compile_node(node.left, scope).many, compile_node(node.right, scope).many

    def many(v: Any, env: Env) -> Iterator[Any]:
        env[0].spend(8)  # a cascade of commas doubles with each, and costs most of all
        yield from left(v, env)
        yield from right(v, env)

    return Code(None, many)


def compile_binary(node: Binary, scope: Scope) -> Code:
    """Compile ``a op b``."""
    op = node.op
    if op == "//":
        return _alternative(node, scope)
    if op in ("and", "or"):
        return _logic(node, scope)
    left, right = compile_node(node.left, scope), compile_node(node.right, scope)
    apply = _operator(op, node.part)
    if left.one is not None and right.one is not None:
        first, second = left.one, right.one
        if op in ("==", "!=") and isinstance(node.right, Literal) and type(node.right.value) is str:
            text, same = node.right.value, op == "=="

            def literal(v: Any, env: Env) -> bool:
                x = first(v, env)
                return (type(x) is str and x == text) is same

            return single(literal)

        def one(v: Any, env: Env) -> Any:
            y = second(v, env)
            return apply(first(v, env), y, env)

        return single(one)

    def many(v: Any, env: Env) -> Iterator[Any]:
        for y in right.many(v, env):
            for x in left.many(v, env):
                env[0].spend(1)
                yield apply(x, y, env)

    return Code(None, many)


def _operator(op: str, part: Part) -> Callable[[Any, Any, Env], Any]:
    if op == "==":
        return lambda x, y, env: equal(x, y, env[0])
    if op == "!=":
        return lambda x, y, env: not equal(x, y, env[0])
    if op in ("<", "<=", ">", ">="):

        def ordered(x: Any, y: Any, env: Env) -> bool:
            if type(x) is int and type(y) is int:
                return x < y if op == "<" else x <= y if op == "<=" else x > y if op == ">" else x >= y
            return compare(op, x, y, env[0])

        return ordered

    def calculate(x: Any, y: Any, env: Env) -> Any:
        try:
            return arithmetic(op, x, y, env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    return calculate


def _alternative(node: Binary, scope: Scope) -> Code:
    left, right = compile_node(node.left, scope), compile_node(node.right, scope)
    if left.one is not None and right.one is not None:
        first, second = left.one, right.one

        def one(v: Any, env: Env) -> Any:
            x = first(v, env)
            return x if x is not None and x is not False else second(v, env)

        return single(one)

    def many(v: Any, env: Env) -> Iterator[Any]:
        found = False
        for x in left.many(v, env):
            if x is not None and x is not False:
                found = True
                yield x
        if not found:
            yield from right.many(v, env)

    return Code(None, many)


def _logic(node: Binary, scope: Scope) -> Code:
    left, right = compile_node(node.left, scope), compile_node(node.right, scope)
    decided = node.op == "or"  # the left value that decides alone
    if left.one is not None and right.one is not None:
        first, second = left.one, right.one
        if decided:
            return single(lambda v, env: truthy(first(v, env)) or truthy(second(v, env)))
        return single(lambda v, env: truthy(first(v, env)) and truthy(second(v, env)))

    def many(v: Any, env: Env) -> Iterator[Any]:
        for x in left.many(v, env):
            if truthy(x) is decided:
                yield decided
            else:
                for y in right.many(v, env):
                    yield truthy(y)

    return Code(None, many)


def compile_if(node: If, scope: Scope) -> Code:
    """Compile ``if``."""
    condition, then = compile_node(node.condition, scope), compile_node(node.then, scope)
    otherwise = compile_node(node.otherwise or Identity(node.end, node.end), scope)
    if condition.one is not None:
        test_one = condition.one
        if then.one is not None and otherwise.one is not None:
            yes, no = then.one, otherwise.one
            return single(lambda v, env: yes(v, env) if truthy(test_one(v, env)) else no(v, env))
        return Code(None, lambda v, env: (then if truthy(test_one(v, env)) else otherwise).many(v, env))

    def many(v: Any, env: Env) -> Iterator[Any]:
        for c in condition.many(v, env):
            yield from (then if truthy(c) else otherwise).many(v, env)

    return Code(None, many)
