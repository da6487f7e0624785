r"""The lexer of jq: by hand, because strings nest (``"a\(.b | "c")d"``), and so that refused words keep their place."""

from __future__ import annotations

import re
from typing import NamedTuple

from wmap.expr.protocol import ExpressionError, Part, Refusal


class Lexeme(NamedTuple):
    """A token: its type (the terminal of the grammar), value and place. ``value`` of TEXT is decoded."""

    type: str
    value: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""
      (?P<skip>(?:[ \t\r\n]+|\#[^\n]*)+)
    | (?P<RECURSE>\.\.)
    | (?P<FIELD>\.[A-Za-z_][A-Za-z0-9_]*)
    | (?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<VARIABLE>\$(?:[A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*)
    | (?P<FORMAT>@[A-Za-z0-9_]+)
    | (?P<NAME>(?:[A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*)
    | (?P<ASSIGN>\?//=?|//=|\|=|\+=|-=|\*=|/=|%=|=(?!=))
    | (?P<OPERATOR>//|==|!=|<=|>=|[|,<>+\-*/%?:;()\[\]{}.])
    | (?P<QUOTE>")
    """,
    re.VERBOSE,
)
_OPERATORS = {
    "//": "ALTERNATIVE", "==": "COMPARE", "!=": "COMPARE", "<": "COMPARE", "<=": "COMPARE", ">": "COMPARE",
    ">=": "COMPARE", "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "TIMES", "%": "TIMES", "?": "OPTIONAL", ":": "COLON",
    ";": "_SEMICOLON", "(": "LPAR", ")": "RPAR", "[": "OPEN", "]": "CLOSE", "{": "LBRACE", "}": "RBRACE", ".": "DOT",
    "|": "_BAR", ",": "_COMMA",
}  # fmt: skip
KEYWORDS = {
    "or": "OR", "and": "AND", "try": "TRY", "catch": "_CATCH", "as": "_AS", "if": "IF", "then": "_THEN",
    "elif": "ELIF", "else": "_ELSE", "end": "END",
}  # fmt: skip
REFUSED_WORDS = frozenset({"def", "reduce", "foreach", "label", "import", "include", "__loc__"})
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN = re.compile(r'[^"\\]+')
_HEX = re.compile(r"[0-9A-Fa-f]{4}")


def lex(text: str) -> list[Lexeme]:
    """Split the text into tokens.

    Raises:
        ExpressionError: a character that begins no token, an unfinished string, an unknown escape.
    """
    tokens: list[Lexeme] = []
    stack: list[int] = []  # for each open interpolation: how many brackets are open inside it
    position, size = 0, len(text)
    while position < size:
        match = _TOKEN.match(text, position)
        if match is None:
            character = text[position]
            raise ExpressionError(
                Refusal.SYNTAX, f"unexpected character {character!r}", part=Part(position, position + 1), text=text
            )
        kind = str(match.lastgroup)
        value, end = match.group(), match.end()
        if kind == "skip":
            position = end
            continue
        if kind == "QUOTE":
            tokens.append(Lexeme("QUOTE", value, position, end))
            position = _string(text, end, tokens, stack)
            continue
        if kind == "OPERATOR":
            if stack:
                if value == "(":
                    stack[-1] += 1
                elif value == ")":
                    if stack[-1] == 0:
                        stack.pop()
                        tokens.append(Lexeme("_INTERPOLATED", value, position, end))
                        position = _string(text, end, tokens, stack)
                        continue
                    stack[-1] -= 1
            kind = _OPERATORS[value]
        elif kind == "NAME":
            kind = KEYWORDS.get(value, "REFUSED" if value in REFUSED_WORDS else "NAME")
        tokens.append(Lexeme(kind, value, position, end))
        position = end
    if stack:
        raise ExpressionError(
            Refusal.SYNTAX,
            "a string is not closed",
            part=Part(max(0, size - 1), size),
            text=text,
            hint='close the interpolation with ) and the string with "',
        )
    return [_word(tokens, i) for i in range(len(tokens))]


def _word(tokens: list[Lexeme], i: int) -> Lexeme:
    """A keyword before a colon, or alone between the commas of an object, is a key."""
    token = tokens[i]
    if token.type not in _KEYWORD_TYPES:
        return token
    before = tokens[i - 1].type if i else ""
    after = tokens[i + 1].type if i + 1 < len(tokens) else ""
    if before in ("LBRACE", "_COMMA") and (after in ("COLON", "RBRACE") or (before == "LBRACE" and after == "_COMMA")):
        return token._replace(type="WORD")
    return token


_KEYWORD_TYPES = frozenset({*KEYWORDS.values(), "REFUSED"})


def _string(text: str, position: int, tokens: list[Lexeme], stack: list[int]) -> int:
    """Read string text up to the closing quote or an interpolation; gives the position behind it."""
    begin = position
    pieces: list[str] = []
    while True:
        match = _PLAIN.match(text, position)
        if match is not None:
            pieces.append(match.group())
            position = match.end()
        if position >= len(text):
            raise ExpressionError(
                Refusal.SYNTAX,
                "a string is not closed",
                part=Part(begin - 1, len(text)),
                text=text,
                hint='close it with "',
            )
        if text[position] == '"':
            if pieces:
                tokens.append(Lexeme("TEXT", "".join(pieces), begin, position))
            tokens.append(Lexeme("UNQUOTE", '"', position, position + 1))
            return position + 1
        escape = text[position + 1 : position + 2]
        if escape == "(":
            if pieces:
                tokens.append(Lexeme("TEXT", "".join(pieces), begin, position))
            tokens.append(Lexeme("_INTERPOLATE", "\\(", position, position + 2))
            stack.append(0)
            return position + 2
        if escape == "u":
            decoded, position = _unicode(text, position)
            pieces.append(decoded)
        elif escape in _ESCAPES and escape:
            pieces.append(_ESCAPES[escape])
            position += 2
        else:
            raise ExpressionError(
                Refusal.SYNTAX,
                f"unknown escape \\{escape} in a string",
                part=Part(position, min(position + 2, len(text))),
                text=text,
                hint="write a backslash as \\\\",
            )


def _unicode(text: str, position: int) -> tuple[str, int]:
    match = _HEX.match(text, position + 2)
    if match is None:
        raise ExpressionError(
            Refusal.SYNTAX, "\\u needs four hexadecimal digits", part=Part(position, position + 2), text=text
        )
    code = int(match.group(), 16)
    position = match.end()
    if 0xD800 <= code < 0xDC00 and text.startswith("\\u", position):
        low = _HEX.match(text, position + 2)
        if low is not None and 0xDC00 <= int(low.group(), 16) < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + int(low.group(), 16) - 0xDC00), low.end()
    return ("�" if 0xD800 <= code < 0xE000 else chr(code)), position
