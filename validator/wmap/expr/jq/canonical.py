"""A text that expressions share where they provably mean the same: the same results in the same order, or the same error, on every input.

Only what holds for every input is brought to one form: a path is the pipe of its steps (``.a[]?.b`` and ``.a[]? | .b``), pipes and commas
have no brackets among themselves, ``.`` in a pipe does nothing, variables are named by their place, ``if`` without ``else`` gives
its input. The order of operands stays, and so does that of entries: what stands first fails first, and gives its results first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

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
from wmap.expr.jq.values import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Names = Mapping[str, str]


class _Part(NamedTuple):
    """One part of a pipe. ``step``: it is one step of a path, whose error ``?`` suppresses and nothing else's."""

    text: str
    step: bool = False


def canonical_text(node: Node) -> str:
    """The text; it is an expression of its own, and means what the node means."""
    return _text(node, {})


def _text(node: Node, names: Names) -> str:
    parts = [part.text for part in _parts(node, names)]
    return parts[0] if len(parts) == 1 else f"({' | '.join(parts)})" if parts else "."


def _parts(node: Node, names: Names) -> list[_Part]:
    """The parts of the pipe that a node is; there are none for ``.``."""
    match node:
        case Identity():
            return []
        case Pipe(left=left, right=right):
            return [*_parts(left, names), *_parts(right, names)]
        case Index(target=target) | Iterate(target=target) | Slice(target=target):
            if not all(_fixed(key) for key in _keys(node)):
                # such a key is evaluated on what the whole path is of, not on what its last step is of
                return [_Part(f"{_text(target, names)}{_bracket(node, names)}")]
            return [*_parts(target, names), _Part(f".{_bracket(node, names)}", step=True)]
        case Try(body=Index() | Iterate() | Slice() as body, whole=False):
            *before, last = _parts(body, names)
            return [*before, _Part(f"{last.text}?")]
        case Try(body=body, handler=None):
            return _suppressed(body, names)
    return [_Part(_single(node, names))]


def _suppressed(body: Node, names: Names) -> list[_Part]:
    """``(body)?``, and ``try body``."""
    inner = _parts(body, names)
    if not inner:
        return []
    if len(inner) == 1 and inner[0].step:
        return [_Part(f"{inner[0].text}?")]
    return [_Part(f"({_text(body, names)})?")]


def _keys(node: Index | Iterate | Slice) -> list[Node]:
    keys = [node.key] if isinstance(node, Index) else [node.low, node.high] if isinstance(node, Slice) else []
    return [key for key in keys if key is not None]


def _fixed(key: Node) -> bool:
    """Whether a key has one value that never fails and does not depend on the input."""
    if isinstance(key, Negate):
        return isinstance(key.operand, Literal) and type(key.operand.value) in (int, float)
    return isinstance(key, Literal | Variable)


def _bracket(node: Index | Iterate | Slice, names: Names) -> str:
    if isinstance(node, Index):
        return f"[{_text(node.key, names)}]"
    if isinstance(node, Iterate):
        return "[]"
    low, high = ("" if bound is None else _text(bound, names) for bound in (node.low, node.high))
    return f"[{low}:{high}]"


def _single(node: Node, names: Names) -> str:
    """What is no path and no pipe; operators are in brackets, so nothing around it matters."""
    match node:
        case Literal(value=value):
            return number_text(value) if type(value) in (int, float) else json.dumps(value, ensure_ascii=False)
        case Interpolation(parts=parts):
            texts = (
                json.dumps(p, ensure_ascii=False)[1:-1] if isinstance(p, str) else f"\\({_text(p, names)})"
                for p in parts
            )
            return f'"{"".join(texts)}"'
        case Try(body=body, handler=Node() as handler):
            return f"(try {_text(body, names)} catch {_text(handler, names)})"
        case Negate(operand=operand):
            return f"(-{_text(operand, names)})"
        case Comma():
            return f"({', '.join(_commas(node, names))})"
        case Binary(op=op, left=left, right=right):
            return f"({_text(left, names)} {op} {_text(right, names)})"
        case If(condition=condition, then=then, otherwise=otherwise):
            rest = "." if otherwise is None else _text(otherwise, names)
            return f"if {_text(condition, names)} then {_text(then, names)} else {rest} end"
        case Bind(source=source, pattern=pattern, body=body):
            inner = _renamed(pattern, names)
            return f"({_text(source, names)} as {_pattern(pattern, inner)} | {_text(body, inner)})"
        case Variable(name=name):
            return f"${names.get(name, name)}"
        case Array(body=body):
            return "[]" if body is None else f"[{_text(body, names)}]"
        case Object(entries=entries):
            return "{" + ", ".join(f"({_text(k, names)}): ({_text(v, names)})" for k, v in entries) + "}"
        case Call(name=name, arguments=arguments):
            return f"{name}({'; '.join(_text(a, names) for a in arguments)})" if arguments else name
        case _:
            raise TypeError(type(node).__name__)


def _commas(node: Node, names: Names) -> list[str]:
    if isinstance(node, Comma):
        return [*_commas(node.left, names), *_commas(node.right, names)]
    return [_text(node, names)]


def _renamed(pattern: Node, names: Names) -> Names:
    """The names within the body of a pattern: each variable is called by its number among those bound around it."""
    first = 1 + max((int(text[1:]) for text in names.values()), default=0)
    bound = dict.fromkeys(bound_names(pattern))
    return {**names, **{name: f"v{first + i}" for i, name in enumerate(bound)}}


def _pattern(pattern: Node, names: Names) -> str:
    if isinstance(pattern, ArrayPattern):
        return f"[{', '.join(_pattern(item, names) for item in pattern.items)}]"
    if isinstance(pattern, ObjectPattern):
        entries: list[str] = []
        for key, name, inner in pattern.entries:
            at = f"({_text(key, names)})"
            # `{$a}` and `{$a: pattern}` bind the field, too
            entries += [f"{at}: ${names[name]}"] if name is not None else []
            entries += [f"{at}: {_pattern(inner, names)}"] if inner is not None else []
        return f"{{{', '.join(entries)}}}"
    return _single(pattern, names)
