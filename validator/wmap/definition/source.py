"""The text of a file and places in it: from an offset in a decoded scalar back to line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from wmap.findings import Span

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What ends a line in YAML 1.1, as libyaml reads it."""
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


@dataclass(frozen=True)
class Source:
    """A file's text. Indexes count characters from 0."""

    text: str = field(repr=False)
    file: str | None = None

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _BREAK.finditer(self.text))]

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its end; empty behind the last."""
        starts = self._starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return _BREAK.sub("", self.text[starts[number - 1] : end])

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._starts)

    def place(self, index: int) -> tuple[int, int]:
        """Line and column (from 1) of a character."""
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The place of a piece of the text."""
        line, column = self.place(start)
        end_line, end_column = self.place(max(start, end - 1))
        return Span(line, column, end_line, end_column + (1 if end > start else 0))


@dataclass(frozen=True)
class Mark:
    """Where a value stands. ``style`` is that of a scalar (`` ' " | >``, empty for plain and for collections)."""

    source: Source = field(repr=False)
    start: int
    end: int
    style: str = ""
    value: str = field(default="", repr=False)
    scalar: bool = False

    @property
    def whole(self) -> Span:
        """The place of the whole value."""
        return self.source.span(self.start, self.end)

    @property
    def line(self) -> int:
        """The line (from 1) on which the value begins."""
        return self.source.place(self.start)[0]

    def span(self, start: int, end: int) -> Span:
        """The place of characters ``start`` to ``end`` of the decoded scalar."""
        if not self.scalar:
            return self.whole
        offsets = self._offsets
        if not offsets:
            return self.whole
        first = offsets[min(max(start, 0), len(offsets) - 1)]
        last = offsets[min(max(end - 1, start, 0), len(offsets) - 1)]
        return self.source.span(first, last + 1 if end > start else first)

    @cached_property
    def _offsets(self) -> list[int]:
        """For each character of the decoded value the index in the file that it came from."""
        text, position, end = self.source.text, self.start, self.end
        if _ODD_BREAK.search(text, position, end):
            return []  # seldom: the whole scalar is the place
        indent = 0
        if self.style in ("'", '"'):
            position += 1
        elif self.style in ("|", ">"):
            newline = text.find("\n", position)
            position = end if newline < 0 else newline + 1
            indent = max(0, _indent_of(text, position, end) - _leading(self.value))
            position = _over_indent(text, position, end, indent)
        offsets: list[int] = []
        value = self.value
        for i, character in enumerate(value):
            position = self._skip(text, position, end, character)
            if position >= end:
                offsets.append(max(self.start, end - 1))
                continue
            offsets.append(position)
            found = text[position]
            if self.style == '"' and found == "\\":
                position += _ESCAPE_LENGTH.get(text[position + 1 : position + 2], 2)
            elif self.style == "'" and found == "'":
                position += 2
            elif (
                found == "\n"
                or (found in " \t\r" and character != found)
                or (found in " \t" and self.style in ("", "'", '"') and _blank_to_break(text, position, end))
            ):
                position = self._fold(text, position, end, indent, value[i + 1 : i + 2])
            else:
                position += 1
        return offsets

    def _skip(self, text: str, position: int, end: int, character: str) -> int:
        """Over an escaped line break, and over the breaks that fold away."""
        while self.style == '"' and text[position : position + 2] in ("\\\n", "\\\r"):
            position = text.find("\n", position) + 1
            while position < end and text[position] in " \t":
                position += 1
        if text[position : position + 2] == "\r\n" and character == "\n":
            position += 1
        return position

    def _fold(self, text: str, position: int, end: int, indent: int, following: str) -> int:
        while position < end and text[position] in " \t\r":
            position += 1
        if position < end and text[position] == "\n":
            position += 1
        position = _over_indent(text, position, end, indent if self.style in ("|", ">") else None)
        if following != "\n":
            while position < end and text[position] in "\r\n" and self.style != "|":
                position = _over_indent(text, position + 1, end, indent if self.style == ">" else None)
        return position


def _blank_to_break(text: str, position: int, end: int) -> bool:
    while position < end and text[position] in " \t\r":
        position += 1
    return position < end and text[position] == "\n"


def _over_indent(text: str, position: int, end: int, indent: int | None) -> int:
    limit = end if indent is None else min(end, position + indent)
    while position < limit and text[position] in " \t":
        position += 1
    return position


def _leading(value: str) -> int:
    """The blanks before the first line of a block scalar that is not blank: its header may say how much is indentation."""
    line = next((x for x in value.split("\n") if x.strip()), "")
    return len(line) - len(line.lstrip(" "))


def _indent_of(text: str, position: int, end: int) -> int:
    """The indentation of the first line of a block scalar that is not blank."""
    line = next((x for x in text[position:end].split("\n") if x.strip()), "")
    return len(line) - len(line.lstrip(" "))
