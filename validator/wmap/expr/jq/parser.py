"""Parse jq text to the syntax tree: lark's LALR parser over ``jq.lark``, with the tree built while parsing."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedToken, VisitError
from lark.lexer import Lexer

from wmap.expr.jq.lexer import KEYWORDS, Lexeme, lex
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
from wmap.expr.jq.policy import check_tokens, check_tree
from wmap.expr.jq.tables import Refused, Tables
from wmap.expr.protocol import ExpressionError, Part, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LENGTH = 65_536
"""Characters of an expression: the longest of any known definition has under 2,000."""
MAX_DEPTH = 150
"""Levels of nesting: each level costs up to four frames of Python when it runs."""
_MAX_BRACKETS = 400
_DIGITS = 20
"""Digits that are read as a whole number; beyond 2^53 it becomes a float anyway, and Python refuses thousands of digits."""


def parse_tree(text: str) -> Node:
    """Parse an expression and check it against the policy.

    Raises:
        ExpressionError: with the reason, the piece and a hint.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            Refusal.SIZE,
            f"the expression has {len(text):,} characters; at most {MAX_LENGTH:,} are read",
            part=Part(0, len(text)),
            text=text,
            hint="split it: a definition's paths are short",
        )
    tokens = lex(text)
    check_tokens(tokens, text)
    if not tokens:
        raise ExpressionError(
            Refusal.SYNTAX,
            "the expression is empty",
            part=Part(0, len(text)),
            text=text,
            hint="write . for the whole document",
        )
    _check_brackets(tokens, text)
    try:
        try:
            tree = _tables().parse(tokens)
        except Refused:
            tree = _parser().parse(tokens)  # says what is wrong
    except UnexpectedToken as error:
        raise _syntax_error(error, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, ExpressionError):
            raise error.orig_exc from None
        raise
    except RecursionError:
        raise _too_deep(text, Part(0, len(text))) from None
    assert isinstance(tree, Node)  # noqa: S101  # the transformer makes nodes only
    too_deep = check_tree(tree, text, MAX_DEPTH)
    if too_deep is not None:
        raise _too_deep(text, too_deep.part)
    return tree


def _too_deep(text: str, part: Part) -> ExpressionError:
    return ExpressionError(
        Refusal.SIZE,
        f"the expression is nested more than {MAX_DEPTH} deep",
        part=part,
        text=text,
        hint="split it, or bind parts of it with `as`",
    )


def _check_brackets(tokens: list[Lexeme], text: str) -> None:
    depth = 0
    for token in tokens:
        if token.type in ("LPAR", "OPEN", "LBRACE", "IF", "_INTERPOLATE"):
            depth += 1
            if depth > _MAX_BRACKETS:
                raise _too_deep(text, Part(token.start, token.end))
        elif token.type in ("RPAR", "CLOSE", "RBRACE", "END", "_INTERPOLATED"):
            depth -= 1


def _syntax_error(error: UnexpectedToken, text: str) -> ExpressionError:
    token = error.token
    if token.type == "$END":
        return ExpressionError(
            Refusal.SYNTAX,
            "the expression ends too early",
            part=Part(max(0, len(text) - 1), len(text)),
            text=text,
            hint=_expected(error),
        )
    shown = text[token.start_pos : token.end_pos]
    return ExpressionError(
        Refusal.SYNTAX,
        f"unexpected {shown!r}",
        part=Part(token.start_pos or 0, token.end_pos or 0),
        text=text,
        hint=_expected(error),
    )


_CLOSERS = {"RPAR": ")", "CLOSE": "]", "RBRACE": "}", "END": "end", "_THEN": "then", "COLON": ":", "_BAR": "|"}


def _expected(error: UnexpectedToken) -> str | None:
    closers = [shown for kind, shown in _CLOSERS.items() if kind in error.accepts and kind != "_BAR"]
    if closers:
        return "expected " + " or ".join(closers)
    if "DOT" in error.accepts:
        return "a path, a value or a function was expected here"
    return None


class _Tokens(Lexer):
    """Hands the tokens of ``lex`` to lark."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, data: list[Lexeme]) -> Iterator[Token]:  # type: ignore[override]  # lark allows any input here
        for kind, value, start, end in data:
            yield Token(kind, value, start_pos=start, end_pos=end)


@cache
def _parser() -> Lark:
    grammar = files("wmap.expr.jq").joinpath("jq.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer=_Tokens,
        transformer=_Builder(),
        maybe_placeholders=False,
        keep_all_tokens=False,
    )


@cache
def _tables() -> Tables:
    return Tables(_parser())


def _begin(item: Any) -> int:
    """Where a token (which is a text) or a node begins."""
    place: int = item.start_pos if isinstance(item, str) else item.start  # type: ignore[attr-defined]  # a token
    return place


def _finish(item: Any) -> int:
    place: int = item.end_pos if isinstance(item, str) else item.end  # type: ignore[attr-defined]  # a token
    return place


class _Builder(Transformer[Token, Node]):
    """Makes the nodes. Each method gets the children of the rule of its name."""

    def start(self, c: list[Any]) -> Node:
        node: Node = c[0]
        return node

    def pipe(self, c: list[Any]) -> Node:
        return Pipe(_begin(c[0]), _finish(c[1]), c[0], c[1])

    def comma(self, c: list[Any]) -> Node:
        return Comma(_begin(c[0]), _finish(c[1]), c[0], c[1])

    def binding(self, c: list[Any]) -> Node:
        return Bind(_begin(c[0]), _finish(c[2]), c[0], c[1], c[2])

    def binary(self, c: list[Any]) -> Node:
        left, op, right = c
        return Binary(_begin(left), _finish(right), str(op), left, right, _begin(op))

    def negate(self, c: list[Any]) -> Node:
        return Negate(_begin(c[0]), _finish(c[1]), c[1])

    def attempt(self, c: list[Any]) -> Node:
        handler = c[2] if len(c) > 2 else None
        return Try(_begin(c[0]), _finish(c[-1]), c[1], handler, whole=True)

    def field(self, c: list[Any]) -> Node:
        target, token = c
        return Index(_begin(target), _finish(token), target, _key(token))

    def dot_string(self, c: list[Any]) -> Node:
        return Index(_begin(c[0]), _finish(c[2]), c[0], c[2])

    def root_field(self, c: list[Any]) -> Node:
        token = c[0]
        return Index(_begin(token), _finish(token), Identity(_begin(token), _begin(token) + 1), _key(token))

    def root_string(self, c: list[Any]) -> Node:
        dot, string = c
        return Index(_begin(dot), _finish(string), Identity(_begin(dot), _finish(dot)), string)

    def suffixed(self, c: list[Any]) -> Node:
        target, (kind, arguments, end) = c
        start = _begin(target)
        if kind == "each":
            return Iterate(start, end, target)
        if kind == "at":
            return Index(start, end, target, arguments[0])
        return Slice(start, end, target, *arguments)

    def dotted(self, c: list[Any]) -> Node:
        return self.suffixed([c[0], c[2]])

    def optional(self, c: list[Any]) -> Node:
        return Try(_begin(c[0]), _finish(c[1]), c[0], None)

    def optional_group(self, c: list[Any]) -> Node:
        return Try(_begin(c[0]), _finish(c[3]), c[1], None, whole=True)

    def each(self, c: list[Any]) -> Any:
        return ("each", (), _finish(c[-1]))

    def at(self, c: list[Any]) -> Any:
        return ("at", (c[1],), _finish(c[-1]))

    def slice_from(self, c: list[Any]) -> Any:
        return ("slice", (c[1], None), _finish(c[-1]))

    def slice_to(self, c: list[Any]) -> Any:
        return ("slice", (None, c[2]), _finish(c[-1]))

    def slice(self, c: list[Any]) -> Any:
        return ("slice", (c[1], c[3]), _finish(c[-1]))

    def identity(self, c: list[Any]) -> Node:
        return Identity(_begin(c[0]), _finish(c[0]))

    def number(self, c: list[Any]) -> Node:
        token = str(c[0])
        value: int | float = int(token) if token.isdecimal() and len(token) <= _DIGITS else float(token)
        if isinstance(value, int) and value > 2**53:
            value = float(value)
        elif isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
            value = int(value)
        if value == float("inf"):
            value = 1.7976931348623157e308
        return Literal(_begin(c[0]), _finish(c[0]), value, token)

    def variable(self, c: list[Any]) -> Node:
        return Variable(_begin(c[0]), _finish(c[0]), str(c[0])[1:])

    def group(self, c: list[Any]) -> Node:
        return c[1]  # type: ignore[no-any-return]  # lark's children are untyped

    def empty_array(self, c: list[Any]) -> Node:
        return Array(_begin(c[0]), _finish(c[1]), None)

    def array(self, c: list[Any]) -> Node:
        return Array(_begin(c[0]), _finish(c[2]), c[1])

    def empty_object(self, c: list[Any]) -> Node:
        return Object(_begin(c[0]), _finish(c[1]), ())

    def object(self, c: list[Any]) -> Node:
        return Object(_begin(c[0]), _finish(c[-1]), tuple(c[1:-1]))

    def conditional(self, c: list[Any]) -> Node:
        start, end = _begin(c[0]), _finish(c[-1])
        otherwise: Node | None = None
        for item in reversed(c[3:-1]):
            kind, nodes = item
            otherwise = nodes[0] if kind == "else" else If(_begin(nodes[0]), end, nodes[0], nodes[1], otherwise)
        return If(start, end, c[1], c[2], otherwise)

    def elif_(self, c: list[Any]) -> Any:
        return ("elif", (c[1], c[2]))

    def else_(self, c: list[Any]) -> Any:
        return ("else", (c[0],))

    def call(self, c: list[Any]) -> Node:
        name = c[0]
        arguments = tuple(a for a in c[1:] if not isinstance(a, str))
        if not arguments:
            word = str(name)
            if word in ("true", "false", "null"):
                return Literal(_begin(name), _finish(name), {"true": True, "false": False, "null": None}[word], word)
        return Call(_begin(name), _finish(c[-1]), str(name), arguments)

    def string(self, c: list[Any]) -> Node:
        parts = tuple(str(p) if isinstance(p, str) else p for p in c[1:-1])
        start, end = _begin(c[0]), _finish(c[-1])
        if all(isinstance(p, str) for p in parts):
            return Literal(start, end, "".join(str(p) for p in parts))
        return Interpolation(start, end, parts)

    def interpolated(self, c: list[Any]) -> Node:
        return c[0]  # type: ignore[no-any-return]  # lark's children are untyped

    def entry_name(self, c: list[Any]) -> Any:
        return (_name(c[0]), c[2])

    def entry_short(self, c: list[Any]) -> Any:
        key = _name(c[0])
        return (key, Index(key.start, key.end, Identity(key.start, key.start), key))

    def entry_variable(self, c: list[Any]) -> Any:
        variable = self.variable(c)
        return (_name(c[0], 1), variable)

    def entry_variable_key(self, c: list[Any]) -> Any:
        return (self.variable(c[:1]), c[2])

    def entry_string(self, c: list[Any]) -> Any:
        return (c[0], c[2])

    def entry_string_short(self, c: list[Any]) -> Any:
        return (c[0], Index(_begin(c[0]), _finish(c[0]), Identity(_begin(c[0]), _begin(c[0])), c[0]))

    def entry_computed(self, c: list[Any]) -> Any:
        return (c[1], c[4])

    def array_pattern(self, c: list[Any]) -> Node:
        return ArrayPattern(_begin(c[0]), _finish(c[-1]), tuple(c[1:-1]))

    def object_pattern(self, c: list[Any]) -> Node:
        return ObjectPattern(_begin(c[0]), _finish(c[-1]), tuple(c[1:-1]))

    def pattern_entry(self, c: list[Any]) -> Any:
        return c[0]

    def pattern_variable(self, c: list[Any]) -> Any:
        return (_name(c[0], 1), str(c[0])[1:], c[2] if len(c) > 1 else None)

    def pattern_name(self, c: list[Any]) -> Any:
        return (_name(c[0]), None, c[2])

    def pattern_string(self, c: list[Any]) -> Any:
        return (c[0], None, c[2])

    def pattern_computed(self, c: list[Any]) -> Any:
        return (c[1], None, c[4])


def _key(token: Token) -> Literal:
    return Literal(_begin(token) + 1, _finish(token), str(token)[1:])


def _name(token: Token, skip: int = 0) -> Literal:
    return Literal(_begin(token), _finish(token), str(token)[skip:])


__all__ = ["KEYWORDS", "MAX_DEPTH", "MAX_LENGTH", "parse_tree"]
