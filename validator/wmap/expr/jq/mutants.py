"""Break an expression in one place, as an author might: for trying out whether checks notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from wmap.expr.jq.nodes import Binary, Call, Identity, If, Index, Iterate, Literal, Node, Pipe, Try
from wmap.expr.jq.printer import print_tree
from wmap.expr.protocol import Mutant

_TURNED = {
    "==": "!=", "!=": "==", ">": ">=", ">=": ">", "<": "<=", "<=": "<", "and": "or", "or": "and", "*": "+", "+": "-", "-": "+",
}  # fmt: skip
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any", "first": "last", "last": "first"}
_COMPARED = frozenset(("==", "!=", ">", ">=", "<", "<="))
_IDENTITY = Identity(0, 0)


def mutants(tree: Node) -> Iterator[Mutant]:
    """Each way to break each piece of an expression, in the order of the text; each once."""
    seen = {print_tree(tree)}
    for node in _nodes(tree):
        for kind, broken in _broken(node):
            text = print_tree(_with(tree, node, broken))
            if text not in seen:
                seen.add(text)
                yield Mutant(kind, text)


def _broken(node: Node) -> Iterator[tuple[str, Node]]:
    for look in _WAYS.get(type(node), ()):
        yield from look(node)


def _index(node: Any) -> Iterator[tuple[str, Node]]:
    key = node.key
    if isinstance(key, Literal) and isinstance(key.value, str) and key.value:
        other = key.value[:-1] if key.value.endswith("s") and len(key.value) > 1 else f"{key.value}s"
        yield "wrong field", replace(node, key=replace(key, value=other))
        if isinstance(node.target, Index):
            yield "field left out", node.target
    elif isinstance(key, Literal) and type(key.value) is int:
        yield "wrong index", replace(node, key=_number(key, key.value + 1))


def _iterate(node: Any) -> Iterator[tuple[str, Node]]:
    yield "first entry only", Index(node.start, node.end, node.target, Literal(node.start, node.end, 0, "0"))


def _try(node: Any) -> Iterator[tuple[str, Node]]:
    if node.handler is None:
        yield "missing ?", node.body


def _binary(node: Any) -> Iterator[tuple[str, Node]]:
    if node.op == "//":
        yield "dropped default", node.left
        return
    turned = _TURNED.get(node.op)
    if turned is not None:
        kind = "wrong comparison" if node.op in _COMPARED else "wrong operator"
        yield kind, replace(node, op=turned)
    if node.op == "*":
        yield "dropped factor", node.left
        yield "dropped factor", node.right
    elif node.op in ("+", "-"):
        yield "dropped term", node.left
    elif node.op in ("and", "or"):
        yield "dropped condition", node.left
        yield "dropped condition", node.right


def _pipe(node: Any) -> Iterator[tuple[str, Node]]:
    right = node.right
    if isinstance(right, Binary) and right.op == "//" and isinstance(right.left, Index):
        # .list[] | (.x // 1): the default goes out of the iteration
        yield "default outside the iteration", replace(right, left=Pipe(node.start, node.end, node.left, right.left))
    if isinstance(right, Call) and right.name in ("not", "length", "tonumber", "tostring", "floor", "ascii_downcase"):
        yield f"dropped {right.name}", node.left


def _call(node: Any) -> Iterator[tuple[str, Node]]:
    swapped = _SWAPPED.get(node.name)
    if swapped is not None:
        yield f"{node.name} for {swapped}", replace(node, name=swapped)
    if node.name == "select":
        yield "dropped select", _IDENTITY
        inverted = Pipe(node.start, node.end, node.arguments[0], Call(node.start, node.end, "not", ()))
        yield "inverted select", replace(node, arguments=(inverted,))


def _if(node: Any) -> Iterator[tuple[str, Node]]:
    if node.otherwise is not None:
        yield "swapped branches", replace(node, then=node.otherwise, otherwise=node.then)
        yield "dropped branch", node.otherwise
    yield "dropped condition", node.then


def _literal(node: Any) -> Iterator[tuple[str, Node]]:
    value = node.value
    if value is True or value is False:
        yield "wrong boolean", replace(node, value=not value)
    elif type(value) is int:
        yield "off by one", _number(node, value + 1)
        if value > 0:
            yield "off by one", _number(node, value - 1)
    elif isinstance(value, str) and value:
        yield "misspelt word", replace(node, value=f"{value[:-1]}{'x' if value[-1] != 'x' else 'y'}")
        if value != value.lower():
            yield "word in wrong case", replace(node, value=value.lower())


_WAYS: dict[type[Node], tuple[Callable[[Any], Iterator[tuple[str, Node]]], ...]] = {
    Index: (_index,),
    Iterate: (_iterate,),
    Try: (_try,),
    Binary: (_binary,),
    Pipe: (_pipe,),
    Call: (_call,),
    If: (_if,),
    Literal: (_literal,),
}


def _number(node: Literal, value: int) -> Literal:
    return replace(node, value=value, text=str(value))


def _nodes(node: Node) -> Iterator[Node]:
    """The nodes that may be broken: not the keys of fields, which their field breaks."""
    yield node
    for child in _parts(node):
        if not (isinstance(node, Index) and child is node.key and isinstance(child, Literal)):
            yield from _nodes(child)


def _parts(node: Node) -> Iterator[Node]:
    for f in fields(node):
        value = getattr(node, f.name)
        yield from (v for v in _flat(value) if isinstance(v, Node))


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _with(tree: Any, node: Node, broken: Node) -> Any:
    """The tree with one node in place of another (by identity)."""
    if tree is node:
        return broken
    if isinstance(tree, tuple):
        made = tuple(_with(part, node, broken) for part in tree)
        return made if any(a is not b for a, b in zip(made, tree, strict=True)) else tree
    if not isinstance(tree, Node):
        return tree
    changed = {}
    for f in fields(tree):
        old = getattr(tree, f.name)
        new = _with(old, node, broken)
        if new is not old:
            changed[f.name] = new
    return replace(tree, **changed) if changed else tree
