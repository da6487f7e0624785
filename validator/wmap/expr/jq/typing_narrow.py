"""What a condition says of the values it looks at, where it holds and where it does not."""

from __future__ import annotations

from wmap.expr.jq.nodes import Binary, Call, Identity, Index, Literal, Node, Pipe, Try, Variable
from wmap.expr.jq.typing_state import TRUTHY, Narrow, Origin, Val, merged
from wmap.expr.static import ALL, KINDS, NULL, OBJECT

_SOME = ALL & ~NULL

Both = tuple[Narrow, Narrow]


def origin_of(node: Node, origin: Origin | None, env: dict[str, Val]) -> Origin | None:
    """Where the one result of a path stands, None where it cannot be told."""
    match node:
        case Identity():
            return origin
        case Variable(name=name):
            return env[name].origin
        case Index(target=target, key=Literal(value=str() as key)):
            before = origin_of(target, origin, env)
            return None if before is None else (*before, key)
        case Pipe(left=left, right=right):
            return origin_of(right, origin_of(left, origin, env), env)
        case Try(body=body, handler=None):
            return origin_of(body, origin, env)
        case _:
            return None


def conditions(node: Node, val: Val, env: dict[str, Val]) -> Both:
    """What is known where a condition holds, and where it does not."""
    return _conditions(node, val.origin, env)


def _conditions(node: Node, origin: Origin | None, env: dict[str, Val]) -> Both:
    match node:
        case Binary(op="and", left=left, right=right):
            a, b = _conditions(left, origin, env), _conditions(right, origin, env)
            return merged(a[0], b[0]) or {}, _either(a[1], b[1])
        case Binary(op="or", left=left, right=right):
            a, b = _conditions(left, origin, env), _conditions(right, origin, env)
            return _either(a[0], b[0]), merged(a[1], b[1]) or {}
        case Pipe(left=left, right=Call(name="not")):
            yes, no = _conditions(left, origin, env)
            return no, yes
        case Binary(op="==" | "!=" as op, left=left, right=Literal(value=value)):
            both = _equal(left, value, origin, env)
            return both if op == "==" else (both[1], both[0])
        case Binary(op=">" | ">=", left=left, right=Literal(value=value)) if value is not None:
            return _known(origin_of(left, origin, env), _SOME), {}  # null is less than all others
        case _:
            place = origin_of(node, origin, env)
            if place is None or isinstance(node, Literal):
                return {}, {}
            return _known(place, _SOME | TRUTHY), {}


def _equal(left: Node, value: object, origin: Origin | None, env: dict[str, Val]) -> Both:
    kind: Node | None = None
    if isinstance(left, Pipe) and isinstance(left.right, Call) and left.right.name == "type":
        kind = left.left
    elif isinstance(left, Call) and left.name == "type":
        kind = Identity(left.start, left.start)
    if kind is not None:
        mask = KINDS.get(value, 0) if isinstance(value, str) else 0
        place = origin_of(kind, origin, env)
        return (_known(place, mask), {} if place is None else {place: ALL & ~mask}) if mask else ({}, {})
    place = origin_of(left, origin, env)
    if place is None:
        return {}, {}
    if value is None:
        return {place: NULL}, _known(place, _SOME)
    return _known(place, _SOME), {}


def _known(origin: Origin | None, kinds: int) -> Narrow:
    """A value of these kinds; where it is not null, the objects that it was read from are there."""
    if origin is None:
        return {}
    known = {origin: kinds}
    if not kinds & NULL:
        for end in range(len(origin) - 1, -1, -1):
            if not isinstance(origin[end], str):
                break
            known.setdefault(origin[:end], OBJECT)
    return known


def _either(a: Narrow, b: Narrow) -> Narrow:
    return {o: (a[o] | b[o]) & ALL | a[o] & b[o] & TRUTHY for o in a if o in b}
