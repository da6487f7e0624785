"""Compile bindings, patterns, and what makes arrays, objects and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wmap.expr.jq.code import Code, Env, Scope, compile_node, placed, single
from wmap.expr.jq.nodes import Array, ArrayPattern, Bind, Interpolation, Node, Object, ObjectPattern, Variable
from wmap.expr.jq.operands import operands
from wmap.expr.jq.policy import bound_names
from wmap.expr.jq.values import index, shown, to_string
from wmap.expr.protocol import EvaluationError, Part


def compile_bind(node: Bind, scope: Scope) -> Code:
    """Compile ``a as $x | b``."""
    source = compile_node(node.source, scope)
    names = list(dict.fromkeys(bound_names(node.pattern)))
    base = 1 + max(scope.values(), default=0)
    inner_scope = {**scope, **{name: base + i for i, name in enumerate(names)}}
    body = compile_node(node.body, inner_scope)
    if isinstance(node.pattern, Variable):
        # slots of variables that are out of sight lie behind: cut them off
        if source.one is not None and body.one is not None:
            first, then = source.one, body.one
            return single(lambda v, env: then(v, (*env[:base], first(v, env))))

        def simple(v: Any, env: Env) -> Iterator[Any]:
            for x in source.many(v, env):
                yield from body.many(v, (*env[:base], x))

        return Code(None, simple)
    binder = compile_pattern(node.pattern, inner_scope)
    blank = (None,) * len(names)

    def many(v: Any, env: Env) -> Iterator[Any]:
        for x in source.many(v, env):
            for bound in binder(x, (*env[:base], *blank), v):
                yield from body.many(v, bound)

    return Code(None, many)


def compile_pattern(pattern: Node, scope: Scope) -> Callable[[Any, Env, Any], Iterator[Env]]:
    """A function that binds a pattern: (matched value, env, the value the binding stands in) -> environments."""
    if isinstance(pattern, Variable):
        slot = scope[pattern.name]

        def variable(x: Any, env: Env, _: Any) -> Iterator[Env]:
            yield (*env[:slot], x, *env[slot + 1 :])

        return variable
    if isinstance(pattern, ArrayPattern):
        items = [compile_pattern(item, scope) for item in pattern.items]
        part = pattern.part

        def array(x: Any, env: Env, v: Any) -> Iterator[Env]:
            if x is not None and type(x) is not list:
                raise EvaluationError(f"Cannot index {shown(x).split(' ')[0]} with number", part=part)
            envs = [env]
            for i, item in enumerate(items):
                envs = [after for before in envs for after in item(index(x, i, env[0]), before, v)]
            yield from envs

        return array
    assert isinstance(pattern, ObjectPattern)  # noqa: S101  # the grammar gives these three
    entries = [
        (
            compile_node(key, scope),
            scope[name] if name is not None else None,
            compile_pattern(inner, scope) if inner is not None else None,
            key.part,
        )
        for key, name, inner in pattern.entries
    ]

    def mapping(x: Any, env: Env, v: Any) -> Iterator[Env]:
        envs = [env]
        for key, slot, inner, part in entries:
            following: list[Env] = []
            for before in envs:
                for k in key.many(v, before):
                    if type(k) is not str:
                        raise EvaluationError(f"Cannot index {shown(x)} with {shown(k)}", part=part)
                    try:
                        found = index(x, k, env[0])
                    except EvaluationError as error:
                        raise placed(error, part) from None
                    after = before if slot is None else (*before[:slot], found, *before[slot + 1 :])
                    following.extend([after] if inner is None else inner(found, after, v))
            envs = following
        yield from envs

    return mapping


def compile_array(node: Array, scope: Scope) -> Code:
    """Compile ``[e]``."""
    if node.body is None:
        return single(lambda _v, _env: [])
    body = compile_node(node.body, scope)
    if body.one is not None:
        inner = body.one
        return single(lambda v, env: [inner(v, env)])
    parts = operands(node.body)
    ones = [code.one for code in (compile_node(operand, scope) for operand in parts) if code.one is not None]
    if len(ones) == len(parts):
        # `[a, b]` of single values: without an iterator

        def listed(v: Any, env: Env) -> list[Any]:
            env[0].spend(1 + len(ones))
            return [f(v, env) for f in ones]

        return single(listed)
    many = body.many

    def one(v: Any, env: Env) -> list[Any]:
        result = list(many(v, env))
        env[0].spend(1 + len(result))
        return result

    return single(one)


def compile_object(node: Object, scope: Scope) -> Code:
    """Compile ``{k: v}``."""
    entries = [(compile_node(k, scope), compile_node(x, scope), k.part) for k, x in node.entries]

    def key_of(k: Any, part: Part) -> str:
        if type(k) is not str:
            raise EvaluationError(f"Object keys must be strings, not {shown(k)}", part=part)
        return k

    if all(k.one is not None and x.one is not None for k, x, _ in entries):

        def one(v: Any, env: Env) -> dict[str, Any]:
            env[0].spend(len(entries))
            return {key_of(k.one(v, env), part): x.one(v, env) for k, x, part in entries}  # type: ignore[misc]  # checked above

        return single(one)

    def many(v: Any, env: Env, at: int = 0) -> Iterator[dict[str, Any]]:
        # the last entry varies fastest
        if at == len(entries):
            yield {}
            return
        k, x, part = entries[at]
        for key in k.many(v, env):
            name = key_of(key, part)
            for value in x.many(v, env):
                for rest in many(v, env, at + 1):
                    env[0].spend(1 + len(rest))
                    yield {name: value, **rest}

    return Code(None, many)


def compile_interpolation(node: Interpolation, scope: Scope) -> Code:
    """Compile a text with values in it."""
    parts = [p if isinstance(p, str) else compile_node(p, scope) for p in node.parts]

    def many(v: Any, env: Env, at: int = len(parts) - 1) -> Iterator[str]:
        if at < 0:
            yield ""
            return
        part = parts[at]
        for x in (part,) if isinstance(part, str) else part.many(v, env):
            text = to_string(x, env[0])
            for before in many(v, env, at - 1):
                env[0].grow(len(before) + len(text))
                env[0].spend(1)
                yield before + text

    if all(isinstance(p, str) or p.one is not None for p in parts):
        return Code(lambda v, env: next(many(v, env)), many)
    return Code(None, many)
