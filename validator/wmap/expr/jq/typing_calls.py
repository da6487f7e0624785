"""The builtins on shapes: what each takes, gives, and raises on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wmap.expr import static
from wmap.expr.jq.builtins import FILTERS
from wmap.expr.jq.facts import walk
from wmap.expr.jq.nodes import Call, Identity, Iterate, Literal, Node, Variable
from wmap.expr.jq.printer import print_tree
from wmap.expr.jq.typing_narrow import conditions
from wmap.expr.jq.typing_operators import note, operate
from wmap.expr.jq.typing_state import Segment, Stream, Val, spelled
from wmap.expr.static import (
    ALL,
    ANY,
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    Shape,
    join,
)
from wmap.expr.typing import (
    Link,
)

if TYPE_CHECKING:
    from wmap.expr.jq.typing import Env, Typer

_FILTERED = {
    "values": ALL & ~NULL, "nulls": NULL, "strings": STRING, "numbers": NUMBER, "booleans": BOOLEAN, "arrays": ARRAY,
    "objects": OBJECT, "scalars": ALL & ~(ARRAY | OBJECT),
}  # fmt: skip


def call(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    """The stream of a builtin."""
    name, arguments = node.name, node.arguments
    if name == "empty":
        return ()
    if name in FILTERS:
        return _filter(node, val)
    if not val.shape.kinds:
        return ()
    if name == "select":
        return _select(typer, node, val, env)
    if name in ("any", "all"):
        return _quantified(typer, node, val, env)
    if name in ("map", "map_values", "with_entries"):
        return _mapped(typer, node, val, env)
    if name.endswith("_by"):
        return _by(typer, node, val, env)
    if name in ("first", "last") and arguments:
        return _first(typer, node, val, env)
    if name == "add" and arguments:
        shapes = [s.val.shape for s in typer.run(arguments[0], val, env)]
        return _one(_sum(typer, join(shapes), node))
    if name == "error":
        return _error(typer, node, val, env)
    if not arguments:
        return _simple(typer, node, val)
    return _by_value(typer, node, val, env)


def _one(shape: Shape, links: tuple[Link, ...] = (), inner: Stream | None = None) -> Stream:
    return (Segment(Val(shape, None, inner), links),) if shape.kinds else ()


def _filter(node: Call, val: Val) -> Stream:
    shape = val.shape.only(_FILTERED[node.name])
    if not shape.kinds:
        return ()
    if shape.kinds == val.shape.kinds:
        return (Segment(val),)
    where = spelled(val.origin)
    key = None if where is None else f"{where} | {node.name}"
    certain = not val.shape.unknown and bool(val.shape.places)
    link = Link(False, key, node.part, f"{node.name} leaves entries out", certain)
    narrow = None if val.origin is None else {val.origin: _FILTERED[node.name]}
    return (Segment(replace(val, shape=shape), (link,), narrow),)


def _select(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    condition = node.arguments[0]
    tests = typer.run(condition, val, env)
    if not join(t.val.shape for t in tests).without_false().kinds:
        return ()
    yes, _ = conditions(condition, val, env)
    with typer.state.knowing(yes):
        kept = typer.state.refined(val)
    if not kept.shape.kinds:
        return ()
    where = spelled(val.origin)
    free = where is not None and not any(isinstance(n, Variable) for n in walk(condition))
    key = f"{where} | {print_tree(condition)}" if free else None
    links = tests[0].links if len(tests) == 1 else (Link(True, None, condition.part, "several results"),)
    return (Segment(kept, (*links, Link(False, key, node.part, "select leaves entries out")), yes or None),)


def _quantified(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    arguments = node.arguments
    generator: Node = (
        arguments[0] if len(arguments) == 2 else Iterate(node.start, node.end, Identity(node.start, node.start))
    )
    condition = arguments[-1] if arguments else Identity(node.start, node.start)
    for s in typer.each(typer.run(generator, val, env), condition, env):
        typer.state.use(s.val.shape)
    return _one(static.SOME_BOOLEAN)


def _mapped(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    state, body = typer.state, node.arguments[0]
    if node.name == "with_entries":
        entries = _to_entries(typer, node, val)
        made = _collected(typer, node, entries, body, env)
        state.use(made.shape)
        return _one(_from_entries(typer, node, made.shape))
    if node.name == "map":
        made = _collected(typer, node, val, body, env)
        return _one(made.shape, inner=made.inner)
    out: list[Shape] = []
    for kind in (ARRAY, OBJECT):
        if not val.shape.kinds & kind:
            continue
        of = replace(val, shape=val.shape.only(kind), inner=None)
        stream = typer.each(typer.spread((Segment(of),), node.part), body, env)
        shape = join(s.val.shape for s in stream)
        out.append(static.array_of(shape) if kind == ARRAY else static.object_of((), shape if shape.kinds else None))
    state.bad(node.part, val.shape, ARRAY | OBJECT, "Cannot iterate over {}")
    return _one(join(out))


def _collected(typer: Typer, node: Call, val: Val, body: Node, env: Env) -> Val:
    """``[.[] | body]``."""
    elements = typer.spread((Segment(val),), node.part)
    if not val.shape.kinds & (ARRAY | OBJECT):
        return Val(static.NOTHING)
    stream = typer.each(elements, body, env)
    return Val(static.array_of(join(s.val.shape for s in stream)), None, stream)


def _by(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    state = typer.state
    what = "sorted" if node.name == "sort_by" else "grouped"
    shape = state.bad(node.part, val.shape, ARRAY, f"{{}} cannot be {what}, as it is not an array")
    if not shape.kinds:
        return ()
    elements = typer.spread((Segment(Val(shape, val.origin)),), node.part)
    for s in typer.each(elements, node.arguments[0], env):
        state.use(s.val.shape)
    state.use(shape)
    element = join(s.val.shape for s in elements)
    if node.name in ("min_by", "max_by"):
        return _one(join((element, static.ONLY_NULL)))
    made = static.array_of(element)
    return _one(static.array_of(made) if node.name == "group_by" else made)


def _first(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    stream = typer.run(node.arguments[0], val, env)
    if node.name == "first" and stream and not stream[0].links:
        return (replace(stream[0], narrow=None),)
    if not stream:
        return ()
    shape = join(s.val.shape for s in stream)
    if any(not s.links for s in stream):
        return _one(shape)
    typer.state.use(shape)
    return _one(shape, (Link(False, None, node.part, f"{node.name} of what may give nothing"),))


def _error(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    if node.arguments:
        stream = typer.run(node.arguments[0], val, env)
        if not stream:
            return ()
        typer.state.use(join(s.val.shape for s in stream))
    typer.state.use(val.shape)
    typer.state.raise_(node.part, "error is called", val.shape)
    return ()


def _sum(typer: Typer, element: Shape, node: Call) -> Shape:
    typer.state.use(element)
    total = operate(typer.state, "+", element, element, node.part)
    if total.kinds & (ARRAY | OBJECT):
        total = operate(typer.state, "+", join((total, element)), element, node.part)
    if element.kinds & ~NULL in (ARRAY, OBJECT):
        total = join((total, element))
    return join((total, element, static.ONLY_NULL))


def _to_entries(typer: Typer, node: Call, val: Val) -> Val:
    state = typer.state
    shape = state.bad(node.part, val.shape, ARRAY | OBJECT, "{} has no keys")
    if not shape.kinds:
        return Val(static.NOTHING)
    stream: list[Segment] = []
    for s in typer.spread((Segment(replace(val, shape=shape)),), node.part):
        keys = _key_shape(shape)
        entry = static.object_of((("key", keys), ("value", s.val.shape)))
        stream.append(Segment(Val(entry), s.links))
    state.use(shape)
    return Val(static.array_of(join(s.val.shape for s in stream)), None, tuple(stream))


def _key_shape(shape: Shape) -> Shape:
    found = []
    if shape.kinds & ARRAY:
        found.append(static.SOME_INTEGER)
    if shape.kinds & OBJECT:
        found.append(static.SOME_STRING)
    return join(found)


def _from_entries(typer: Typer, node: Call, shape: Shape) -> Shape:
    state, part = typer.state, node.part
    shape = state.bad(part, shape, ARRAY | OBJECT, "Cannot iterate over {}")
    if not shape.kinds:
        return static.NOTHING
    entry = state.elements(shape, part)
    state.use(shape)
    if not entry.kinds:
        return static.object_of(())
    entry = state.bad(part, entry, OBJECT | NULL, 'Cannot index {} with "key"')
    made = [m for m in entry.made if isinstance(m, static.ObjectOf)]
    values: list[Shape] = [static.ONLY_NULL]
    sure = not entry.unknown and not entry.places and not entry.null
    for m in made:
        known = dict(m.entries)
        key, value = known.get("key"), known.get("value")
        if key is None or key.kinds != STRING or m.partial:
            sure = False
        if m.partial or value is None:
            values.append(join([ANY]))
        else:
            values.append(value)
    if not made or entry.unknown or entry.places:
        values.append(ANY)
    if not sure:
        state.raise_(part, "the key of an entry may be no text", entry)
    if sure and len(values) > 1:
        values = values[1:]
    return static.object_of((), join(values))


_ROUND = frozenset({"floor", "ceil", "round"})
_NO_RAISE = {
    "tostring": static.SOME_STRING, "tojson": static.SOME_STRING, "not": static.SOME_BOOLEAN,
}  # fmt: skip


def _simple(typer: Typer, node: Call, val: Val) -> Stream:
    state, name, part, shape = typer.state, node.name, node.part, val.shape
    if name == "type":
        state.use(shape)
        return _one(Shape(STRING, tuple(shape.types)))
    state.use(shape)
    if name in _NO_RAISE:
        return _one(_NO_RAISE[name])
    if name == "length":
        left = state.bad(part, shape, ALL & ~BOOLEAN, "{} has no length")
        whole = left.integer or not left.kinds & NUMBER
        return _one(Shape(NUMBER if left.kinds else 0, integer=whole))
    if name == "tonumber":
        left = state.bad(part, shape, STRING | NUMBER, "{} cannot be parsed as a number")
        if left.kinds & STRING:
            state.raise_(part, "the text may be no number", left)
        return _one(Shape(NUMBER if left.kinds else 0, integer=left.kinds == NUMBER and left.integer))
    if name in ("ascii_downcase", "ascii_upcase"):
        left = state.bad(part, shape, STRING, "explode input must be a string, not {}")
        return _one(Shape(STRING if left.kinds else 0))
    if name in _ROUND or name == "abs":
        left = state.bad(part, shape, NUMBER, "{} number required" if name != "abs" else "{} has no absolute value")
        return _one(Shape(NUMBER if left.kinds else 0, integer=left.integer))
    if name in ("first", "last"):
        number = Val(static.constant(0 if name == "first" else -1))
        return (Segment(typer.at(val, number, node)),)
    if name == "keys":
        entries = _to_entries(typer, node, val)
        inner = tuple(Segment(Val(_key_shape(shape)), s.links) for s in entries.inner or ())
        return _one(static.array_of(_key_shape(shape)) if entries.shape.kinds else static.NOTHING, inner=inner)
    if name == "to_entries":
        entries = _to_entries(typer, node, val)
        return _one(entries.shape, inner=entries.inner)
    if name == "from_entries":
        return _one(_from_entries(typer, node, shape))
    if name == "reverse":
        left = state.bad(part, shape, ARRAY | NULL, "Cannot reverse {}")
        return _one(static.array_of(_element(typer, left, node)) if left.kinds else static.NOTHING)
    filled = val.inner is not None and any(not s.links for s in val.inner)
    return _one(_aggregate(typer, node, shape, filled=filled))


def _element(typer: Typer, shape: Shape, node: Call) -> Shape:
    return typer.state.elements(shape, node.part)


def _aggregate(typer: Typer, node: Call, shape: Shape, *, filled: bool) -> Shape:
    state, name, part = typer.state, node.name, node.part
    if name in ("any", "all", "add", "flatten"):
        left = state.bad(part, shape, ARRAY | OBJECT, "Cannot iterate over {}")
    else:
        word = "cannot be sorted, as it is not an array" if name in ("sort", "unique") else "cannot be iterated over"
        left = state.bad(part, shape, ARRAY, f"{{}} {word}")
    if not left.kinds:
        return static.NOTHING
    element = _element(typer, left, node)
    if name == "add":
        return _sum(typer, element, node)
    if name in ("min", "max"):
        return element if filled else join((element, static.ONLY_NULL))
    if name == "flatten":
        return Shape(ARRAY, unknown=True) if element.kinds & ARRAY else static.array_of(element)
    return static.array_of(element)


def _by_value(typer: Typer, node: Call, val: Val, env: Env) -> Stream:
    state = typer.state
    links: tuple[Link, ...] = ()
    shapes: list[Shape] = []
    state.use(val.shape)
    for argument in node.arguments:
        stream = typer.run(argument, val, env)
        if not stream:
            return ()
        shape = join(s.val.shape for s in stream)
        if not shape.kinds:
            return ()
        state.use(shape)
        shapes.append(shape)
        links += stream[0].links if len(stream) == 1 else (Link(True, None, argument.part, "several results"),)
    return _one(_applied(typer, node, val.shape, shapes), links)


def _applied(typer: Typer, node: Call, x: Shape, shapes: list[Shape]) -> Shape:
    state, name, part, y = typer.state, node.name, node.part, shapes[0]
    argument = node.arguments[0]
    _compared(state, node, x, y)
    if name in ("startswith", "endswith", "ltrimstr", "rtrimstr", "split"):
        word = "split input and separator must be strings" if name == "split" else f"{name}() requires string inputs"
        good = state.bad(part, x, STRING, word + ", not {}"), state.bad(argument.part, y, STRING, word + ", not {}")
        if not all(g.kinds for g in good):
            return static.NOTHING
        if name == "split":
            return static.array_of(static.SOME_STRING)
        return static.SOME_BOOLEAN if name.endswith("with") else static.SOME_STRING
    if name == "test":
        return _tested(typer, node, x, shapes)
    if name in ("has", "in"):
        of, key = (x, y) if name == "has" else (y, x)
        fine = of.kinds & ~(OBJECT | NULL) == 0 and key.kinds == STRING
        fine = fine or (of.kinds & ~(ARRAY | NULL) == 0 and key.kinds == NUMBER)
        if not fine:
            state.raise_(part, f"cannot check whether {_words(of)} has a key that is {_words(key)}", of)
        return static.SOME_BOOLEAN
    if name in ("contains", "inside"):
        # unlike kinds raise, also inside
        if not (x.kinds == y.kinds == STRING):
            state.raise_(part, f"{_words(x)} and {_words(y)} may not have their containment checked", x)
        return static.SOME_BOOLEAN
    if name == "index":
        left = state.bad(part, x, STRING | ARRAY | NULL, "Cannot determine the index in {}")
        if left.kinds & STRING:
            state.bad(argument.part, y, STRING, "Cannot determine the index of {}")
        return Shape(NUMBER | NULL, integer=True) if left.kinds else static.NOTHING
    left = state.bad(part, x, ARRAY | OBJECT, "Cannot iterate over {}")
    element = _element(typer, left, node)
    if name == "flatten":
        state.bad(argument.part, y, NUMBER, "flatten depth must be a number, not {}")
        if y.literals is None or any(v < 0 for v in y.literals if isinstance(v, int | float)):
            state.raise_(part, "flatten depth must not be negative", y)
        return Shape(ARRAY, unknown=True) if element.kinds & ARRAY else static.array_of(element)
    state.bad(part, element, ALL & ~(ARRAY | OBJECT), "text and {} cannot be added")
    state.bad(argument.part, y, STRING | NULL, "the separator is {}")
    return static.SOME_STRING if left.kinds else static.NOTHING


def _tested(typer: Typer, node: Call, x: Shape, shapes: list[Shape]) -> Shape:
    state = typer.state
    left = state.bad(node.part, x, STRING, "{} cannot be matched, as it is not a string")
    for argument in node.arguments:
        if not (isinstance(argument, Literal) and (isinstance(argument.value, str) or argument.value is None)):
            state.raise_(argument.part, "the pattern is computed, and may be refused", shapes[0])
    flags = node.arguments[1:]
    if flags or not isinstance(node.arguments[0], Literal) or not isinstance(node.arguments[0].value, str):
        state.raise_(node.part, "the flags or the pattern may be refused", shapes[-1])
    return static.SOME_BOOLEAN if left.kinds else static.NOTHING


def _words(shape: Shape) -> str:
    return " or ".join(shape.types) or "nothing"


def _compared(state: Any, node: Call, x: Shape, y: Shape) -> None:
    """Literals that stand beside fields: ``test("x")``, ``inside(["a", "b"])``."""
    argument = node.arguments[0]
    for literal in _literals(y):
        note(state, literal, argument.part, _fields(x), node.name)
    for literal in _literals(x):
        note(state, literal, node.part, _fields(y), node.name)


def _fields(shape: Shape) -> Shape:
    """The shape with the places of the elements of a made array, which are compared one by one."""
    elements = [m.element for m in shape.made if isinstance(m, static.ArrayOf) and m.element is not None]
    return join((shape, *elements))


def _literals(shape: Shape) -> list[Any]:
    if shape.places or shape.unknown:
        return []
    found = list(shape.literals or ())
    for made in shape.made:
        if isinstance(made, static.ArrayOf) and made.element is not None and not made.element.places:
            found += made.element.literals or ()
    return found
