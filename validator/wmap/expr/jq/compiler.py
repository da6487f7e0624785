"""Compile the checked syntax tree to Python closures.

Each node becomes a ``Code``: ``many(value, env)`` gives an iterator of results; where the node has exactly one result on
every value, ``one(value, env)`` gives it without an iterator, which is what makes paths cheap. ``env`` is a tuple: the
meter of the budget, then the bound variables. Generated from the tree alone, never from text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr.jq.builtins import BY_VALUE, FILTERS, SIMPLE, Wrapped
from wmap.expr.jq.code import Code, Env, One, placed, single
from wmap.expr.jq.filters import FILTERED
from wmap.expr.jq.nodes import (
    Array,
    ArrayPattern,
    Binary,
    Bind,
    Call,
    Comma,
    Identity,
    If,
    Index,
    Interpolation,
    Iterate,
    Literal,
    Negate,
    Node,
    Object,
    ObjectPattern,
    Pipe,
    Slice,
    Try,
    Variable,
)
from wmap.expr.jq.policy import bound_names
from wmap.expr.jq.values import (
    arithmetic,
    compare,
    elements,
    equal,
    index,
    number,
    shown,
    slice_of,
    to_string,
    truthy,
)
from wmap.expr.protocol import BudgetExceeded, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from wmap.expr.protocol import Part

    Scope = Mapping[str, int]


def compile_node(node: Node, scope: Scope) -> Code:
    """Compile a node; ``scope`` maps the variables in sight to their places in ``env``."""
    code: Code = _COMPILERS[type(node)](node, scope)
    return code


def _identity(_: Identity, __: Scope) -> Code:
    return single(lambda v, _env: v)


def _literal(node: Literal, _: Scope) -> Code:
    value = node.value
    return single(lambda _v, _env: value)


def _variable(node: Variable, scope: Scope) -> Code:
    slot = scope[node.name]
    return single(lambda _v, env: env[slot])


def _index(node: Index, scope: Scope) -> Code:
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
    keys: list[str] = []
    current: Node = node
    while isinstance(current, Index) and isinstance(current.key, Literal) and type(current.key.value) is str:
        keys.append(current.key.value)
        current = current.target
    if not isinstance(current, Identity):
        return None
    keys.reverse()
    names, part = tuple(keys), node.part
    if len(names) == 1:
        return _step(names[0], part)

    def one(v: Any, env: Env) -> Any:
        for name in names:
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


def _slice(node: Slice, scope: Scope) -> Code:
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


def _iterate(node: Iterate, scope: Scope) -> Code:
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


def _try(node: Try, scope: Scope) -> Code:
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


def _negate(node: Negate, scope: Scope) -> Code:
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


def _pipe(node: Pipe, scope: Scope) -> Code:
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


def _comma(node: Comma, scope: Scope) -> Code:
    left, right = compile_node(node.left, scope).many, compile_node(node.right, scope).many

    def many(v: Any, env: Env) -> Iterator[Any]:
        env[0].spend(8)  # a cascade of commas doubles with each, and costs most of all
        yield from left(v, env)
        yield from right(v, env)

    return Code(None, many)


def _binary(node: Binary, scope: Scope) -> Code:
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


def _if(node: If, scope: Scope) -> Code:
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


def _bind(node: Bind, scope: Scope) -> Code:
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


def _array(node: Array, scope: Scope) -> Code:
    if node.body is None:
        return single(lambda _v, _env: [])
    body = compile_node(node.body, scope)
    if body.one is not None:
        inner = body.one
        return single(lambda v, env: [inner(v, env)])
    many = body.many

    def one(v: Any, env: Env) -> list[Any]:
        result = list(many(v, env))
        env[0].spend(1 + len(result))
        return result

    return single(one)


def _object(node: Object, scope: Scope) -> Code:
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


def _interpolation(node: Interpolation, scope: Scope) -> Code:
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


def _call(node: Call, scope: Scope) -> Code:
    name, part = node.name, node.part
    arguments = [compile_node(a, scope) for a in node.arguments]
    if not arguments:
        if name in FILTERS:
            keep = FILTERS[name]
            return Code(None, lambda v, _env: iter((v,)) if keep(v) else iter(()))
        simple = SIMPLE[name]

        def one(v: Any, env: Env) -> Any:
            try:
                return simple(v, env[0])
            except EvaluationError as error:
                raise placed(error, part) from None

        return single(one)
    if name in FILTERED:
        special: Code = FILTERED[name](arguments, part)
        return special
    function, argument = BY_VALUE[name], arguments[0]

    def apply(v: Any, a: Any, env: Env) -> Any:
        try:
            return function(v, a, env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    if argument.one is not None:
        inner = argument.one
        return single(lambda v, env: apply(v, inner(v, env), env))

    def many(v: Any, env: Env) -> Iterator[Any]:
        for a in argument.many(v, env):
            yield apply(v, a, env)

    return Code(None, many)


_COMPILERS: dict[type[Node], Callable[[Any, Scope], Code]] = {
    Identity: _identity,
    Literal: _literal,
    Variable: _variable,
    Index: _index,
    Slice: _slice,
    Iterate: _iterate,
    Try: _try,
    Negate: _negate,
    Pipe: _pipe,
    Comma: _comma,
    Binary: _binary,
    If: _if,
    Bind: _bind,
    Array: _array,
    Object: _object,
    Interpolation: _interpolation,
    Call: _call,
}
