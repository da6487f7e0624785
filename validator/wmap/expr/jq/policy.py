"""The policy: pure, bounded reads only. What is not listed is refused by name, with its place and a hint."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wmap.expr.jq.nodes import ArrayPattern, Bind, Call, Literal, Node, ObjectPattern, Variable, children
from wmap.expr.jq.regex import RegexError, compile_regex
from wmap.expr.protocol import ExpressionError, Part, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.expr.jq.lexer import Lexeme

ARITIES: dict[str, tuple[int, ...]] = {
    "select": (1,), "map": (1,), "map_values": (1,), "to_entries": (0,), "from_entries": (0,), "with_entries": (1,),
    "keys": (0,), "length": (0,), "has": (1,), "in": (1,), "any": (0, 1, 2), "all": (0, 1, 2), "add": (0, 1),
    "min": (0,), "max": (0,), "min_by": (1,), "max_by": (1,), "sort": (0,), "sort_by": (1,), "group_by": (1,),
    "unique": (0,), "unique_by": (1,), "flatten": (0, 1), "reverse": (0,), "first": (0, 1), "last": (0, 1),
    "index": (1,), "contains": (1,), "inside": (1,), "test": (1, 2), "startswith": (1,), "endswith": (1,),
    "split": (1,), "join": (1,), "ltrimstr": (1,), "rtrimstr": (1,), "tostring": (0,), "tonumber": (0,), "tojson": (0,),
    "type": (0,), "ascii_downcase": (0,), "ascii_upcase": (0,), "floor": (0,), "ceil": (0,), "round": (0,), "abs": (0,),
    "not": (0,), "empty": (0,), "error": (0, 1), "values": (0,), "nulls": (0,), "strings": (0,), "numbers": (0,),
    "booleans": (0,), "arrays": (0,), "objects": (0,), "scalars": (0,),
}  # fmt: skip
"""The builtins that may be used, with the numbers of arguments that they take."""

_REFUSED_NAMES = {
    "del": "a definition only reads; assignment is what consumers do at a path",
    "delpaths": "a definition only reads",
    "setpath": "a definition only reads; assignment is what consumers do at a path",
    "recurse": "name the fields: consumers refuse recursion as unsafe",
    "recurse_down": "name the fields: consumers refuse recursion as unsafe",
    "walk": "name the fields: consumers refuse it as unsafe",
    "paths": "name the fields: consumers refuse it as unsafe",
    "leaf_paths": "name the fields: consumers refuse it as unsafe",
    "path": "write the path itself",
    "pick": "write the path itself",
    "getpath": "write the path itself: .a.b",
    "range": "a loop of its own has no bound: iterate what the object holds, .items[]",
    "repeat": "a loop of its own has no bound",
    "while": "a loop of its own has no bound",
    "until": "a loop of its own has no bound",
    "limit": "use first(f), or a slice: .[0:3]",
    "skip": "use a slice: .[3:]",
    "nth": "use an index: .[3]",
    "input": "only the document is read",
    "inputs": "only the document is read",
    "input_filename": "only the document is read",
    "env": "only the document is read",
    "debug": "it writes to the error output",
    "stderr": "it writes to the error output",
    "halt": "it ends the program",
    "halt_error": "it ends the program; use error",
    "now": "the result would depend on the time",
    "localtime": "the result would depend on the machine",
    "keys_unsorted": "use keys: maps have no order of their own",
    "sub": "use split and join, or ltrimstr and rtrimstr",
    "gsub": "use split and join",
    "match": "use test",
    "capture": "use split",
    "scan": "use split",
    "splits": "use split",
    "isempty": "use first(f, null), or compare with null",
    "indices": "use index",
    "rindex": "use index",
    "todate": "dates are no business of a path",
    "fromjson": "the object holds values, no JSON text",
    "input_line_number": "only the document is read",
    "ltrim": "use ltrimstr",
    "trim": "use ltrimstr and rtrimstr",
    "rtrim": "use rtrimstr",
    "isvalid": "use try",
    "tostream": "name the fields",
    "fromstream": "name the fields",
}
_WORDS = {
    "def": ("function definitions are refused", "write the expression out, or bind values with `as`"),
    "reduce": ("reduce is refused", "use add, min, max, any, all, or length"),
    "foreach": ("foreach is refused", "iterate with .[] and collect with [...]"),
    "label": ("label is refused", "use first(f)"),
    "import": ("import is refused", "an expression stands for itself"),
    "include": ("include is refused", "an expression stands for itself"),
    "__loc__": ("__loc__ is refused", None),
}


def check_tokens(tokens: list[Lexeme], text: str) -> None:
    """Refuse what must not even be parsed: assignment, ``..``, formats, definitions and loops."""
    for token in tokens:
        kind = token.type
        if kind == "RECURSE":
            message, hint = "the recursive descent .. is refused", "name the fields: consumers refuse it as unsafe"
        elif kind == "ASSIGN" and token.value.startswith("?//"):
            message, hint = "the alternative destructuring ?// is refused", "destructure once, and use // for a default"
        elif kind == "ASSIGN":
            message = f"the assignment operator {token.value} is refused"
            hint = "write == to compare" if token.value == "=" else "a definition only reads"
        elif kind == "FORMAT":
            message, hint = f"the format {token.value} is refused", "use tostring, or string interpolation"
        elif kind == "REFUSED":
            message, hint = _WORDS[token.value]  # type: ignore[assignment]  # hint may be None
        elif kind == "VARIABLE" and token.value in ("$ENV", "$__loc__", "$__prog_args"):
            message, hint = f"{token.value} is refused", "only the document is read"
        else:
            continue
        raise ExpressionError(Refusal.POLICY, message, part=Part(token.start, token.end), text=text, hint=hint)


def check_tree(tree: Node, text: str, most: int) -> Node | None:
    """Refuse functions that are not listed, wrong numbers of arguments, unbound variables, and regular expressions
    that are not of the checked subset. Gives a node that is nested more than ``most`` deep, if there is one.

    Raises:
        ExpressionError: for the first of them, in the order of the text.
    """
    pending: list[tuple[Node, frozenset[str], int]] = [(tree, frozenset(), 1)]
    while pending:
        node, bound, depth = pending.pop()
        if depth > most:
            return node
        depth += 1
        if isinstance(node, Call):
            _check_call(node, text)
        elif isinstance(node, Variable) and node.name not in bound:
            raise ExpressionError(
                Refusal.SYNTAX,
                f"${node.name} is not defined",
                part=node.part,
                text=text,
                hint="bind it: ... as $x | ...",
            )
        if isinstance(node, Bind):
            inner = bound | frozenset(bound_names(node.pattern))
            pending.append((node.body, inner, depth))
            pending.extend((key, inner, depth) for key in _pattern_keys(node.pattern))
            pending.append((node.source, bound, depth))
        else:
            pending += [(child, bound, depth) for child in children(node)[::-1]]
    return None


def bound_names(pattern: Node) -> Iterator[str]:
    """The variables that a pattern binds, in order."""
    if isinstance(pattern, Variable):
        yield pattern.name
    elif isinstance(pattern, ArrayPattern):
        for item in pattern.items:
            yield from bound_names(item)
    elif isinstance(pattern, ObjectPattern):
        for _, name, inner in pattern.entries:
            if name is not None:
                yield name
            if inner is not None:
                yield from bound_names(inner)


def _pattern_keys(pattern: Node) -> Iterator[Node]:
    if isinstance(pattern, ArrayPattern):
        for item in pattern.items:
            yield from _pattern_keys(item)
    elif isinstance(pattern, ObjectPattern):
        for key, _, inner in pattern.entries:
            yield key
            if inner is not None:
                yield from _pattern_keys(inner)


def _check_call(node: Call, text: str) -> None:
    part = Part(node.start, node.start + len(node.name))
    arities = ARITIES.get(node.name)
    if arities is None:
        known = difflib.get_close_matches(node.name, ARITIES, 1, 0.6)
        hint = _REFUSED_NAMES.get(node.name)
        if hint is None and known:
            hint = f"did you mean {known[0]}?"
        raise ExpressionError(
            Refusal.POLICY, f"the function {node.name} is refused: it is not one of those allowed", part=part, text=text,
            hint=hint or "only pure, bounded reads are allowed",
        )  # fmt: skip
    if len(node.arguments) not in arities:
        wanted = " or ".join(str(a) for a in arities)
        raise ExpressionError(
            Refusal.POLICY,
            f"{node.name} takes {wanted} argument(s) here, not {len(node.arguments)}",
            part=part,
            text=text,
            hint="split by a text takes one argument; by a pattern it is refused" if node.name == "split" else None,
        )
    if node.name == "test":
        pattern = node.arguments[0]
        if isinstance(pattern, Literal) and isinstance(pattern.value, str):
            flags = node.arguments[1] if len(node.arguments) > 1 else None
            value = flags.value if isinstance(flags, Literal) else None
            try:
                compile_regex(pattern.value, value if isinstance(value, str) else "")
            except RegexError as error:
                raise ExpressionError(
                    Refusal.POLICY, f"the regular expression is refused: {error}", part=pattern.part, text=text,
                    hint="use literals, classes, groups, |, anchors and * + ? {n,m}",
                ) from None  # fmt: skip
