"""Static facts about an expression, in the words of ``wmap.expr.protocol``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from wmap.expr.jq.builtins import FILTERS
from wmap.expr.jq.compiler import compile_node
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
    children,
)
from wmap.expr.jq.values import EXACT
from wmap.expr.protocol import NotPortable, Part, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

StaticPath = tuple[str | int | Step, ...]
Scope = Mapping[str, StaticPath | None]
_NO_SCOPE: Scope = {}

_WORDS = {
    Literal: "a constant", Interpolation: "a text that is made", Negate: "a computed value", Array: "an array that is made",
    Object: "an object that is made", Variable: "a variable",
}  # fmt: skip


def not_assignable(node: Node) -> tuple[Part, str] | None:
    """The piece of a path that has no place in the document, and why; None for a valid path."""
    match node:
        case Identity():
            return None
        case Index(target=target) | Iterate(target=target):
            return not_assignable(target)
        case Slice():
            return node.part, "a slice has no single place"
        case Try(body=body, handler=handler):
            return not_assignable(body) or (None if handler is None else not_assignable(handler))
        case Pipe(left=left, right=right) | Comma(left=left, right=right) | Binary(op="//", left=left, right=right):
            return not_assignable(left) or not_assignable(right)
        case If(then=then, otherwise=otherwise):
            return not_assignable(then) or (None if otherwise is None else not_assignable(otherwise))
        case Bind(body=body):
            return not_assignable(body)
        case Call(name="select") | Call(name="first" | "last" | "error", arguments=()):
            return None
        case Call(name="first", arguments=(body,)):
            return not_assignable(body)
        case Call(name=name, arguments=()) if name in FILTERS:
            return None
        case Binary(op=op):
            return node.part, f"the result of {op} has no place in the object"
        case Call(name=name):
            return node.part, f"the result of {name} has no place in the object"
        case _:
            return node.part, f"{_WORDS.get(type(node), 'it')} has no place in the object"


def top_level_operator(node: Node, text: str) -> Part | None:
    """The operator at top level of the text, or None (also inside brackets, which the tree does not keep)."""
    at: int | None = None
    size = 1
    if isinstance(node, Binary):
        at, size = node.at, len(node.op)
    elif isinstance(node, Pipe | Comma):
        sign = "|" if isinstance(node, Pipe) else ","
        at = _find(text, node.left.end, node.right.start, sign)
    elif isinstance(node, Bind):
        at, size = _find(text, node.source.end, node.pattern.start, "as"), 2
    elif isinstance(node, Negate):
        at = node.start
    elif isinstance(node, Try) and node.body.end != node.end - 1 and text[node.start : node.start + 3] == "try":
        at, size = node.start, 3
    if at is None or _bracketed(text, at):
        return None
    return Part(at, at + size)


def _find(text: str, begin: int, end: int, sign: str) -> int:
    at = text.find(sign, begin, end)
    return begin if at < 0 else at


def _bracketed(text: str, at: int) -> bool:
    """Whether a position lies inside round brackets."""
    from wmap.expr.jq.lexer import lex  # noqa: PLC0415  # only needed for this question

    depth = 0
    for token in lex(text):
        if token.start >= at:
            break
        depth += (token.type == "LPAR") - (token.type == "RPAR")
    return depth > 0


def defaults_outside_iteration(node: Node) -> tuple[Part, ...]:
    """Each ``a // b`` whose left side iterates: it drops entries instead of defaulting them."""
    return tuple(n.part for n in walk(node) if isinstance(n, Binary) and n.op == "//" and iterated(n.left))


def iterates(node: Node) -> tuple[StaticPath, ...]:
    """The collections that multiply the number of results."""
    return tuple(dict.fromkeys(iterated(node)))


def iterated(node: Node, base: StaticPath | None = ()) -> list[StaticPath]:
    """The static paths of the collections that a node iterates, in order; ``base`` is where its input stands."""
    match node:
        case Iterate(target=target):
            here = static_path(target, base)
            return [*iterated(target, base), here if here is not None else (Step.DYNAMIC,)]
        case Index(target=target) | Slice(target=target):
            return iterated(target, base)
        case Try(body=body, handler=handler):
            return iterated(body, base) + ([] if handler is None else iterated(handler, base))
        case Pipe(left=left, right=right):
            return iterated(left, base) + iterated(right, static_path(left, base))
        case Comma(left=left, right=right) | Binary(left=left, right=right):
            return iterated(left, base) + iterated(right, base)
        case If(condition=condition, then=then, otherwise=otherwise):
            found = iterated(condition, base) + iterated(then, base)
            return found + ([] if otherwise is None else iterated(otherwise, base))
        case Bind(source=source, body=body):
            return iterated(source, base) + iterated(body, base)
        case Negate(operand=operand):
            return iterated(operand, base)
        case Interpolation() | Object():
            return [p for child in children(node) for p in iterated(child, base)]
        case Call(name="select" | "has" | "contains" | "startswith" | "endswith" | "join" | "split" | "test" | "error"):
            return [p for child in node.arguments for p in iterated(child, base)]
        case _:
            return []


def static_path(node: Node, base: StaticPath | None = ()) -> StaticPath | None:
    """Where the results of a node stand, as far as the text tells; None where it does not. ``base`` is where its input stands."""
    return _read(node, base, _NO_SCOPE, _Found({}, {}))


def bound(pattern: Node, source: StaticPath | None, scope: Scope) -> Scope:
    """Where the values of variables stand once a pattern has taken a value apart; what is not known is left out."""
    match pattern:
        case Variable(name=name):
            return {**scope, name: source}
        case ArrayPattern(items=items):
            for i, item in enumerate(items):
                scope = bound(item, None if source is None else (*source, i), scope)
        case ObjectPattern(entries=entries):
            for key, bare, inner in entries:
                here = None
                if source is not None and isinstance(key, Literal) and isinstance(key.value, str):
                    here = (*source, key.value)
                scope = scope if bare is None else {**scope, bare: here}
                scope = scope if inner is None else bound(inner, here, scope)
    return scope


def reads(node: Node) -> tuple[StaticPath, ...]:
    """The static paths that are read: the deepest only, in the order of the text."""
    found = _Found({}, {})
    _read(node, (), _NO_SCOPE, found)
    passed = {p[:i] for p in found.paths for i in range(len(p))}
    return tuple(p for p in found.paths if p not in passed)


def numbers(node: Node) -> tuple[StaticPath, ...]:
    """The static paths of texts that are made numbers, in the order of the text."""
    found = _Found({}, {})
    _read(node, (), _NO_SCOPE, found)
    return tuple(found.numbers)


class _Found(NamedTuple):
    """What a walk finds: the paths that are read, and those of them that are made numbers."""

    paths: dict[StaticPath, None]
    numbers: dict[StaticPath, None]


def _alternatives(node: Node) -> list[Node]:
    """The nodes of which one gives the result."""
    match node:
        case Binary(op="//", left=left, right=right) | Comma(left=left, right=right):
            return [*_alternatives(left), *_alternatives(right)]
        case Try(body=body, handler=None):
            return _alternatives(body)
        case _:
            return [node]


_ON_ELEMENTS = frozenset(
    {"map", "map_values", "any", "all", "sort_by", "group_by", "unique_by", "min_by", "max_by", "with_entries"}
)


def _read(node: Node, base: StaticPath | None, scope: Scope, found: _Found) -> StaticPath | None:
    """Where the results of a node stand; what it reads is put into ``found``. One walk, as ``static_path`` is one for each node."""
    path: StaticPath | None = None
    match node:
        case Identity():
            path = base
        case Variable(name=name):
            path = scope.get(name)
        case Index(target=target, key=key):
            before = _read(target, base, scope, found)
            if isinstance(key, Literal):
                path = (
                    None if before is None else (*before, key.value if type(key.value) in (str, int) else Step.DYNAMIC)
                )
            else:
                path = None if before is None else (*before, Step.DYNAMIC)
                if path is not None:
                    found.paths[path] = None  # before what the key reads
                _read(key, base, scope, found)
        case Iterate(target=target):
            before = _read(target, base, scope, found)
            path = None if before is None else (*before, Step.EACH)
        case Try(body=body, handler=None):
            path = _read(body, base, scope, found)
        case Pipe(left=left, right=Call(name="tonumber") | Try(body=Call(name="tonumber"), handler=None)):
            for source in _alternatives(left):
                here = _read(source, base, scope, found)
                if here:
                    found.numbers[here] = None
        case Pipe(left=left, right=right):
            path = _read(right, _read(left, base, scope, found), scope, found)
        case Bind(source=source, pattern=pattern, body=body):
            inner = bound(pattern, _read(source, base, scope, found), scope)
            _read(pattern, base, scope, found)  # the keys that are computed
            path = _read(body, base, inner, found)
        case Binary(op="//", left=left, right=Literal()):
            path = _read(left, base, scope, found)
        case Call(name="select", arguments=(condition,)):
            _read(condition, base, scope, found)
            path = base
        case Call(name="values" | "nulls" | "strings" | "objects" | "arrays", arguments=()):
            path = base
        case Call(name="first", arguments=(body,)):
            path = _read(body, base, scope, found)
        case Call(name="any" | "all", arguments=(generator, condition)):
            _read(condition, _read(generator, base, scope, found), scope, found)
        case Call(name=name, arguments=(body,)) if name in _ON_ELEMENTS:
            _read(body, None if base is None or name == "with_entries" else (*base, Step.EACH), scope, found)
        case _:
            for child in children(node):
                _read(child, base, scope, found)
    if path:
        found.paths[path] = None
    return path


def single(node: Node) -> bool:
    """Whether there is exactly one result on every document on which it does not raise."""
    scope = {n.name: 1 for n in walk(node) if isinstance(n, Variable)}
    for n in walk(node):
        if isinstance(n, ObjectPattern):
            scope.update({name: 1 for _, name, _ in n.entries if name is not None})
    return compile_node(node, scope).one is not None


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


def not_portable(node: Node) -> tuple[NotPortable, ...]:
    """Where libjq and gojq differ."""
    found: list[NotPortable] = []
    for n in walk(node):
        match n:
            case Literal(value=int() | float() as value, text=text) if text and type(value) is not bool:
                digits = text.lower().partition("e")[0].replace(".", "").lstrip("0")
                padded = "e" in text.lower() or ("." in text and text.endswith("0"))
                # by what is written: the value of the next whole number after the last exact one is that one
                over = (
                    len(digits) > 16 or int(text.lower().partition("e")[0].partition(".")[0].lstrip("0") or 0) > EXACT
                )
                if over or abs(value) > EXACT or (value != 0 and abs(value) < 1e-5) or padded:
                    found.append(
                        NotPortable(
                            n.part,
                            f"the number {text} is printed differently: write it plainly, up to 2^53 and with at most 16 digits",
                        )
                    )
            case Try(handler=handler) if handler is not None and _reads_input(handler):
                hint = "give a constant in `catch`"
                found.append(NotPortable(handler.part, "the texts of error messages differ between jq and gojq", hint))
            case Try(body=Index(key=key), whole=False) if not isinstance(key, Literal | Variable):
                found.append(NotPortable(key.part, "an error in the key is suppressed by one and raised by the other"))
            case Slice(low=low, high=high) if any(
                isinstance(b, Literal) and type(b.value) is float for b in (low, high)
            ):
                found.append(NotPortable(n.part, "fractional bounds of a slice are rounded differently"))
            case Call(name="error", arguments=(Literal(value=None),)):
                found.append(NotPortable(n.part, "error(null) is an error in one and none in the other"))
            case _:
                pass
    return tuple(found)


def _reads_input(node: Node) -> bool:
    return any(isinstance(n, Identity) for n in walk(node)) or any(
        isinstance(n, Call) and n.name in ("tostring", "tojson", "error", "length", "test") for n in walk(node)
    )
