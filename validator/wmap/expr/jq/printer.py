"""The canonical text of a tree: equal trees give equal texts, white space and needless brackets are gone."""

from __future__ import annotations

import json

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
from wmap.expr.jq.values import number_text


def print_tree(node: Node) -> str:
    """The text; operators are always in brackets, so it parses to the same tree."""
    match node:
        case Identity():
            return "."
        case Literal(value=value):
            if type(value) in (int, float):
                return number_text(value)
            return json.dumps(value, ensure_ascii=False)
        case Interpolation(parts=parts):
            texts = [
                json.dumps(p, ensure_ascii=False)[1:-1] if isinstance(p, str) else f"\\({print_tree(p)})" for p in parts
            ]
            return '"' + "".join(texts) + '"'
        case Index(target=target, key=key):
            return f"{print_tree(target)}[{print_tree(key)}]"
        case Slice(target=target, low=low, high=high):
            return f"{print_tree(target)}[{print_tree(low) if low else ''}:{print_tree(high) if high else ''}]"
        case Iterate(target=target):
            return f"{print_tree(target)}[]"
        case Try(body=body, whole=False):
            return f"{print_tree(body)}?"
        case Try(body=body, handler=None):
            return f"({print_tree(body)})?"
        case Try(body=body, handler=handler):
            return f"(try {print_tree(body)} catch {print_tree(handler)})" if handler else ""
        case Negate(operand=operand):
            return f"(-{print_tree(operand)})"
        case Pipe(left=left, right=right):
            return f"({print_tree(left)} | {print_tree(right)})"
        case Comma(left=left, right=right):
            return f"({print_tree(left)}, {print_tree(right)})"
        case Binary(op=op, left=left, right=right):
            return f"({print_tree(left)} {op} {print_tree(right)})"
        case If(condition=condition, then=then, otherwise=otherwise):
            rest = f" else {print_tree(otherwise)}" if otherwise else ""
            return f"if {print_tree(condition)} then {print_tree(then)}{rest} end"
        case Bind(source=source, pattern=pattern, body=body):
            return f"({print_tree(source)} as {print_tree(pattern)} | {print_tree(body)})"
        case Variable(name=name):
            return f"${name}"
        case ArrayPattern(items=items):
            return "[" + ", ".join(map(print_tree, items)) + "]"
        case ObjectPattern(entries=entries):
            return "{" + ", ".join(_pattern_entry(*e) for e in entries) + "}"
        case Array(body=body):
            return f"[{print_tree(body)}]" if body else "[]"
        case Object(entries=pairs):
            return "{" + ", ".join(f"({print_tree(k)}): ({print_tree(v)})" for k, v in pairs) + "}"
        case Call(name=name, arguments=arguments):
            return f"{name}({'; '.join(map(print_tree, arguments))})" if arguments else name
        case _:
            raise TypeError(type(node).__name__)


def _pattern_entry(key: Node, name: str | None, inner: Node | None) -> str:
    if name is not None:
        return f"${name}" + (f": {print_tree(inner)}" if inner else "")
    return f"({print_tree(key)}): {print_tree(inner) if inner else ''}"
