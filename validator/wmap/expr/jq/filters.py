"""The builtins that take a filter: select, map, any, sort_by and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wmap.expr.jq.builtins import SIMPLE, add, extreme, test
from wmap.expr.jq.code import END, Code, Env, placed, single
from wmap.expr.jq.values import elements, order_key, shown, truthy
from wmap.expr.protocol import EvaluationError, Part

if TYPE_CHECKING:
    from collections.abc import Iterator


def _select(arguments: list[Code], _: Part) -> Code:
    condition = arguments[0]
    if condition.one is not None:
        inner = condition.one
        return Code(None, lambda v, env: iter((v,)) if truthy(inner(v, env)) else iter(()))
    return Code(None, lambda v, env: (v for c in condition.many(v, env) if truthy(c)))


def _map(arguments: list[Code], part: Part) -> Code:
    body = arguments[0]

    def one(v: Any, env: Env) -> list[Any]:
        items = _elements(v, env, part)
        if body.one is not None:
            f = body.one
            return [f(x, env) for x in items]
        result = [y for x in items for y in body.many(x, env)]
        env[0].spend(len(result))
        return result

    return single(one)


def _elements(v: Any, env: Env, part: Part) -> Any:
    try:
        return elements(v, env[0])
    except EvaluationError as error:
        raise placed(error, part) from None


def _map_values(arguments: list[Code], part: Part) -> Code:
    body = arguments[0]

    def one(v: Any, env: Env) -> Any:
        _elements(v, env, part)
        if type(v) is dict:
            pairs = [(k, next(iter(body.many(v[k], env)), END)) for k in sorted(v)]
            return {k: x for k, x in pairs if x is not END}
        return [x for x in (next(iter(body.many(item, env)), END) for item in v) if x is not END]

    return single(one)


def _with_entries(arguments: list[Code], part: Part) -> Code:
    mapped = _map(arguments, part)
    to_entries, from_entries = SIMPLE["to_entries"], SIMPLE["from_entries"]

    def one(v: Any, env: Env) -> Any:
        assert mapped.one is not None  # noqa: S101  # map gives one result
        try:
            return from_entries(mapped.one(to_entries(v, env[0]), env), env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    return single(one)


def _quantified(arguments: list[Code], part: Part, *, wanted: bool) -> Code:
    """``any`` (wanted True) and ``all`` (False): they stop at the first condition that decides."""
    if len(arguments) == 2:
        generator, condition = arguments
        source = generator.many
    else:
        condition = arguments[0]

        def source(v: Any, env: Env) -> Iterator[Any]:
            return iter(_elements(v, env, part))

    if condition.one is not None:
        inner = condition.one

        def simple(v: Any, env: Env) -> bool:
            for x in source(v, env):
                c = inner(x, env)
                if (c is not None and c is not False) is wanted:
                    return wanted
            return not wanted

        return single(simple)

    def one(v: Any, env: Env) -> bool:
        found = any(truthy(c) is wanted for x in source(v, env) for c in condition.many(x, env))
        return found is wanted

    return single(one)


def _add(arguments: list[Code], part: Part) -> Code:
    def one(v: Any, env: Env) -> Any:
        try:
            return add(arguments[0].many(v, env), env[0])
        except EvaluationError as error:
            raise placed(error, part) from None

    return single(one)


def _keyed(v: Any, env: Env, body: Code, part: Part, what: str) -> list[tuple[Any, Any]]:
    if type(v) is not list:
        raise EvaluationError(f"{shown(v)} cannot be {what}, as it is not an array", part=part)
    env[0].spend(len(v))
    return [(order_key(list(body.many(x, env)), env[0]), x) for x in v]


def _by(arguments: list[Code], part: Part, *, what: str) -> Code:
    body = arguments[0]

    def one(v: Any, env: Env) -> Any:
        pairs = _keyed(v, env, body, part, "sorted" if what == "sort" else "grouped")
        if what in ("min", "max"):
            return extreme(pairs, -1 if what == "min" else 1)
        pairs.sort(key=lambda p: p[0])
        if what == "sort":
            return [x for _, x in pairs]
        groups: list[list[Any]] = []
        last: Any = END
        for key, x in pairs:
            if last is not END and key == last:
                groups[-1].append(x)
            else:
                groups.append([x])
                last = key
        return groups if what == "group" else [g[0] for g in groups]

    return single(one)


def _first(arguments: list[Code], _: Part) -> Code:
    body = arguments[0]
    if body.one is not None:
        return body

    def many(v: Any, env: Env) -> Iterator[Any]:
        for x in body.many(v, env):
            yield x
            return

    return Code(None, many)


def _last(arguments: list[Code], _: Part) -> Code:
    body = arguments[0]

    def many(v: Any, env: Env) -> Iterator[Any]:
        result: Any = END
        for x in body.many(v, env):
            result = x
        if result is not END:
            yield result

    return Code(None, many)


def _test(arguments: list[Code], part: Part) -> Code:
    pattern = arguments[0]

    def many(v: Any, env: Env) -> Iterator[bool]:
        for flags in arguments[1].many(v, env) if len(arguments) > 1 else (None,):
            for p in pattern.many(v, env):
                try:
                    yield test(v, p, flags, env[0])
                except EvaluationError as error:
                    raise placed(error, part) from None

    if all(a.one is not None for a in arguments):
        return Code(lambda v, env: next(many(v, env)), many)
    return Code(None, many)


FILTERED: dict[str, Callable[[list[Code], Part], Code]] = {
    "select": _select,
    "map": _map,
    "map_values": _map_values,
    "with_entries": _with_entries,
    "any": lambda a, p: _quantified(a, p, wanted=True),
    "all": lambda a, p: _quantified(a, p, wanted=False),
    "add": _add,
    "sort_by": lambda a, p: _by(a, p, what="sort"),
    "group_by": lambda a, p: _by(a, p, what="group"),
    "unique_by": lambda a, p: _by(a, p, what="unique"),
    "min_by": lambda a, p: _by(a, p, what="min"),
    "max_by": lambda a, p: _by(a, p, what="max"),
    "first": _first,
    "last": _last,
    "test": _test,
}
"""Name -> function of (the compiled arguments, the place) to code."""
