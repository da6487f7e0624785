"""Comparison and arithmetic on shapes."""

from __future__ import annotations

from wmap.expr import static
from wmap.expr.jq.nodes import Binary, Literal
from wmap.expr.jq.typing_state import State
from wmap.expr.protocol import Part
from wmap.expr.static import (
    ARRAY,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    Shape,
    join,
)
from wmap.expr.typing import (
    Compared,
    Raises,
    Unordered,
)

_KINDS = NULL | static.BOOLEAN | NUMBER | STRING | ARRAY | OBJECT
_VERBS = {"+": "added", "-": "subtracted", "*": "multiplied", "/": "divided", "%": "divided"}


def compare(state: State, node: Binary, x: Shape, y: Shape) -> Shape:
    """``== != < <= > >=``: never raise."""
    if not x.kinds or not y.kinds:
        return static.NOTHING
    if y.kinds != NULL:
        state.use(x)
    if x.kinds != NULL:
        state.use(y)
    for shape, other, side in ((x, y, node.right), (y, x, node.left)):
        if other.literals is None or other.places or not shape.places or other.kinds & (NULL | ARRAY | OBJECT):
            continue
        part = side.part if isinstance(side, Literal) else node.part
        for literal in other.literals:
            note(state, literal, part, shape, node.op)
    if not x.unknown and not y.unknown:
        _weigh(state, node, x, y)
    return static.SOME_BOOLEAN


def _weigh(state: State, node: Binary, x: Shape, y: Shape) -> None:
    """Note a comparison of kinds that are never equal, or of an amount with what may be null."""
    ordered = node.op not in ("==", "!=")
    a, b = x.kinds & _KINDS & ~NULL, y.kinds & _KINDS & ~NULL
    if a and b and not a & b:
        if not ordered and x.kinds & y.kinds & NULL:
            return
        kinds = f"{' or '.join(x.only(a).types)} with {' or '.join(y.only(b).types)}"
        does = "weighs them by kind, not by amount" if ordered else "tells nothing: they are never equal"
        found = Unordered(node.part, f"`{node.op}` of {kinds} {does}", "`length` counts what is in a list, map or text")
    elif ordered and (a or b) and (x.kinds | y.kinds) & NULL:
        side = (x if x.kinds & NULL else y).places
        what = side[0].path if side else "a side"
        found = Unordered(node.part, f"{what} may be null, which is less than everything", "give a default: `// 0`")
    else:
        return
    state.unordered.setdefault(node.part, found)


def note(state: State, literal: object, part: Part, shape: Shape, how: str) -> None:
    """Note that a literal is compared with the fields that a shape stands at."""
    if shape.places:
        found = Compared(literal, part, shape.paths, how)
        state.compared.setdefault((type(literal).__name__, literal, part, shape.paths, how), found)


def operate(state: State, op: str, x: Shape, y: Shape, part: Part) -> Shape:
    """``+ - * / %`` of what two shapes hold."""
    state.use(x)
    state.use(y)
    found: list[Shape] = []
    bad = 0
    for a in _kinds(x):
        for b in _kinds(y):
            result = _pair(state, op, x.only(a), y.only(b), part)
            if result is None:
                bad += 1
                message = f"{static.NAMES[a]} and {static.NAMES[b]} cannot be {_VERBS[op]}"
                state.raise_(part, message, x if x.places else y)
            else:
                found.append(result)
    if bad and not found:
        for key, raised in list(state.raises.items()):
            if raised.part == part:
                state.raises[key] = Raises(part, raised.message, raised.path, always=True)
    return join(found)


def _kinds(shape: Shape) -> list[int]:
    return [k for k in static.NAMES if shape.kinds & k]


def _pair(state: State, op: str, x: Shape, y: Shape, part: Part) -> Shape | None:
    a, b = x.kinds, y.kinds
    if a == b == NUMBER:
        if op in "/%":
            if y.literals is None or any(-1 < v < 1 for v in y.literals):
                state.raise_(part, "the divisor may be zero", y)
            # the remainder is that of whole numbers
            return static.SOME_INTEGER if op == "%" else static.SOME_NUMBER
        return static.SOME_INTEGER if x.integer and y.integer else static.SOME_NUMBER
    if op == "+":
        if a == NULL:
            return y
        if b == NULL:
            return x
        if a == b == STRING:
            return static.SOME_STRING
        if a == b == ARRAY:
            whole = join((x, y))
            return static.array_of(state.elements(whole, part))
        if a == b == OBJECT:
            return static.object_of((), state.elements(join((x, y)), part))
        return None
    if op == "-" and a == b == ARRAY:
        return x
    if op == "*":
        if a == b == OBJECT:
            return Shape(OBJECT, unknown=True)
        if {a, b} == {STRING, NUMBER}:
            return Shape(STRING | NULL)
    if op == "/" and a == b == STRING:
        return static.array_of(static.SOME_STRING)
    return None
