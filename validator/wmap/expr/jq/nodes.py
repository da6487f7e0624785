"""The syntax tree of the jq subset: small, frozen, every node with its place in the text (``start`` to ``end``)."""

from __future__ import annotations

from dataclasses import dataclass

from wmap.expr.protocol import Json, Part  # dataclass fields


@dataclass(frozen=True, slots=True)
class Node:
    """The base of all nodes."""

    start: int
    end: int

    @property
    def part(self) -> Part:
        """The piece of the text."""
        return Part(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Identity(Node):
    """``.``"""


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A number, string, ``true``, ``false`` or ``null``; ``text`` is how a number was written."""

    value: Json
    text: str = ""


@dataclass(frozen=True, slots=True)
class Interpolation(Node):
    r"""``"a\(b)c"``: strings and nodes by turns."""

    parts: tuple[str | Node, ...]


@dataclass(frozen=True, slots=True)
class Index(Node):
    """``target.key`` or ``target[key]``."""

    target: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """``target[low:high]``; an absent bound is None."""

    target: Node
    low: Node | None
    high: Node | None


@dataclass(frozen=True, slots=True)
class Iterate(Node):
    """``target[]``"""

    target: Node


@dataclass(frozen=True, slots=True)
class Try(Node):
    """``body?`` (handler None) or ``try body catch handler``.

    ``.a[]?`` suppresses the error of the last step only; ``(.a[])?`` and ``try .a[]`` that of the whole.
    """

    body: Node
    handler: Node | None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """``-operand``"""

    operand: Node


@dataclass(frozen=True, slots=True)
class Pipe(Node):
    """``left | right``"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Comma(Node):
    """``left, right``"""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """``left op right``; ``op`` is one of ``// or and == != < <= > >= + - * / %``, ``at`` the place of the operator."""

    op: str
    left: Node
    right: Node
    at: int


@dataclass(frozen=True, slots=True)
class If(Node):
    """``if condition then then else otherwise end``; without else, otherwise is None (``.``)."""

    condition: Node
    then: Node
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Bind(Node):
    """``source as pattern | body``"""

    source: Node
    pattern: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """``$name``, also as a pattern."""

    name: str


@dataclass(frozen=True, slots=True)
class ArrayPattern(Node):
    """``[$a, [$b]]``"""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ObjectPattern(Node):
    """``{$a, b: $c, "d": $e, (f): $g}``: (key expression, also bound as, pattern or None)."""

    entries: tuple[tuple[Node, str | None, Node | None], ...]


@dataclass(frozen=True, slots=True)
class Array(Node):
    """``[body]``; ``[]`` has none."""

    body: Node | None


@dataclass(frozen=True, slots=True)
class Object(Node):
    """``{key: value, ...}``: pairs of expressions."""

    entries: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``name`` or ``name(argument; ...)``."""

    name: str
    arguments: tuple[Node, ...]


def children(node: Node) -> tuple[Node, ...]:
    """The direct sub-expressions of a node, in the order of the text."""
    match node:
        case Interpolation(parts=parts):
            return tuple(p for p in parts if isinstance(p, Node))
        case Index(target=target, key=key):
            return (target, key)
        case Slice(target=target, low=low, high=high):
            return tuple(n for n in (target, low, high) if n is not None)
        case Iterate(target=target):
            return (target,)
        case Try(body=body, handler=handler):
            return (body,) if handler is None else (body, handler)
        case Negate(operand=operand):
            return (operand,)
        case Pipe(left=left, right=right) | Comma(left=left, right=right) | Binary(left=left, right=right):
            return (left, right)
        case If(condition=condition, then=then, otherwise=otherwise):
            return (condition, then) if otherwise is None else (condition, then, otherwise)
        case Bind(source=source, pattern=pattern, body=body):
            return (source, pattern, body)
        case ArrayPattern(items=items):
            return items
        case ObjectPattern(entries=entries):
            return tuple(n for key, _, pattern in entries for n in (key, pattern) if n is not None)
        case Array(body=body):
            return () if body is None else (body,)
        case Object(entries=pairs):
            return tuple(n for pair in pairs for n in pair)
        case Call(arguments=arguments):
            return arguments
        case _:
            return ()
