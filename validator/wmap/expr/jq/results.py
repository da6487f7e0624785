"""How many results a node of the syntax tree gives, and of which kind, as far as its shape tells."""

from __future__ import annotations

from wmap.expr.jq.builtins import FILTERS
from wmap.expr.jq.filters import FILTERED
from wmap.expr.jq.nodes import (
    Array,
    Binary,
    Bind,
    Call,
    Identity,
    If,
    Index,
    Interpolation,
    Iterate,
    Literal,
    Negate,
    Node,
    Object,
    Pipe,
    Slice,
    Try,
    Variable,
)


def gives_one(node: Node) -> bool:
    """Whether a node has exactly one result (or raises) on every value."""
    match node:
        case Identity() | Literal() | Variable() | Array():
            return True
        case Index(target=target, key=key):
            return gives_one(target) and gives_one(key)
        case Slice(target=target, low=low, high=high):
            return all(n is None or gives_one(n) for n in (target, low, high))
        case Negate(operand=operand):
            return gives_one(operand)
        case Pipe(left=left, right=right) | Binary(left=left, right=right):
            return gives_one(left) and gives_one(right)
        case If(condition=condition, then=then, otherwise=otherwise):
            return gives_one(condition) and gives_one(then) and (otherwise is None or gives_one(otherwise))
        case Bind(source=source, pattern=Variable(), body=body):
            return gives_one(source) and gives_one(body)
        case Object(entries=entries):
            return all(gives_one(k) and gives_one(v) for k, v in entries)
        case Interpolation(parts=parts):
            return all(isinstance(p, str) or gives_one(p) for p in parts)
        case Call(name="select" | "last", arguments=(_, *_)):
            return False
        case Call(name=name, arguments=()):
            return name not in FILTERS
        case Call(name=name, arguments=arguments):
            if name in FILTERED and name not in ("first", "test"):
                return True
            return all(gives_one(a) for a in arguments)
        case _:
            return False


def gives_boolean(node: Node) -> bool:
    """Whether the one result of a node is a Python bool."""
    match node:
        case Binary(op=op):
            return op in ("==", "!=", "<", "<=", ">", ">=", "and", "or")
        case Call(name="any" | "all" | "has" | "not"):
            return True
        case Pipe(right=right):
            return gives_boolean(right)
        case _:
            return False


def loops_once(node: Node) -> bool:
    """Whether a stream is written as one loop, so that ``break`` leaves it."""
    match node:
        case Iterate(target=target) | Try(body=Iterate(target=target), whole=False, handler=None):
            return gives_one(target)
        case Index(target=target, key=Literal(value=key)):
            return type(key) is str and loops_once(target)
        case Pipe(left=left, right=right):
            return (loops_once(left) and gives_one(right)) or (gives_one(left) and loops_once(right))
        case _:
            return False
