"""Typing of bindings, patterns, and what makes arrays, objects and texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wmap.expr import static
from wmap.expr.jq.nodes import Array, ArrayPattern, Interpolation, Negate, Node, Object, ObjectPattern, Variable
from wmap.expr.jq.typing_state import MOST, Segment, Stream, Val, counted
from wmap.expr.static import ARRAY, NULL, NUMBER, STRING, join
from wmap.expr.typing import (
    Link,
)

if TYPE_CHECKING:
    from wmap.expr.jq.typing import Env, Typer


def pattern_of(typer: Typer, pattern: Node, x: Val, env: Env, val: Val) -> list[tuple[Env, tuple[Link, ...]]]:
    """The environments that a pattern gives."""
    state = typer.state
    if isinstance(pattern, Variable):
        if x.origin is None:
            x = replace(x, origin=(("$", state.loop()),))
        return [({**env, pattern.name: x}, ())]
    found: list[tuple[Env, tuple[Link, ...]]] = [(env, ())]
    if isinstance(pattern, ArrayPattern):
        shape = state.bad(pattern.part, x.shape, ARRAY | NULL, "Cannot index {} with number")
        for i, item in enumerate(pattern.items):
            inner = typer.at(replace(x, shape=shape), Val(static.constant(i)), pattern)
            found = [(e, a + b) for before, a in found for e, b in pattern_of(typer, item, inner, before, val)]
        return found
    assert isinstance(pattern, ObjectPattern)  # noqa: S101  # the grammar gives these three
    for key, name, below in pattern.entries:
        following: list[tuple[Env, tuple[Link, ...]]] = []
        for before, links in found[:MOST]:
            for k in typer.run(key, val, before):
                text = state.bad(key.part, k.val.shape, STRING, "Cannot index with {}")
                got = typer.at(x, Val(text), key)
                after = before
                if name is not None:
                    after = pattern_of(typer, Variable(key.start, key.end, name), got, before, val)[0][0]
                more = [(after, ())] if below is None else pattern_of(typer, below, got, after, val)
                following += [(e, links + k.links + b) for e, b in more]
        found = following
    return found


def array(typer: Typer, node: Array, val: Val, env: Env) -> Stream:
    """``[e]``."""
    stream = () if node.body is None else typer.run(node.body, val, env)
    shape = static.array_of(join(s.val.shape for s in stream) if stream else None)
    return (Segment(Val(shape, None, tuple(replace(s, narrow=None) for s in stream))),)


def object_(typer: Typer, node: Object, val: Val, env: Env) -> Stream:
    """``{k: v}``."""
    entries: list[tuple[str, static.Shape]] = []
    rest: list[static.Shape] = []
    links: tuple[Link, ...] = ()
    for k, x in node.entries:
        keys, values = typer.run(k, val, env), typer.run(x, val, env)
        shape = typer.state.bad(k.part, join(s.val.shape for s in keys), STRING, "Object keys must be strings, not {}")
        if not shape.kinds or not values:
            return ()
        value = join(s.val.shape for s in values)
        links += counted(keys, node.part) + counted(values, node.part)
        if shape.literals is not None and len(shape.literals) == 1:
            entries = [(name, s) for name, s in entries if name != shape.literals[0]]
            entries.append((shape.literals[0], value))
        else:
            rest.append(value)
            typer.state.use(shape)
    if rest:  # a key that is made may be any of the known ones
        other = join(rest)
        entries = [(name, join((s, other))) for name, s in entries]
    return (Segment(Val(static.object_of(entries, join(rest) if rest else None)), links),)


def interpolation(typer: Typer, node: Interpolation, val: Val, env: Env) -> Stream:
    """A text with values in it."""
    links: tuple[Link, ...] = ()
    for part in node.parts:
        if isinstance(part, Node):
            stream = typer.run(part, val, env)
            if not stream:
                return ()
            for s in stream:
                typer.state.use(s.val.shape)
            links += counted(stream, part.part)
    return (Segment(Val(static.SOME_STRING), links),)


def negate(typer: Typer, node: Negate, val: Val, env: Env) -> Stream:
    """``-e``."""
    out = []
    for s in typer.run(node.operand, val, env):
        shape = typer.state.bad(node.part, s.val.shape, NUMBER, "{} cannot be negated")
        out.append(Segment(Val(static.Shape(NUMBER if shape.kinds else 0, integer=shape.integer)), s.links))
    return tuple(s for s in out if s.val.shape.kinds)
