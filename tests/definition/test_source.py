"""Places: every character of a decoded scalar is found in the file that it came from."""

from __future__ import annotations

import pickle

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from wmap.definition.source import Source
from wmap.definition.yamlio import read_marked
from wmap.findings import Span

ALPHABET = st.sampled_from("ab#:'\"\\ \n\t-\u00e9\U0001f600{}")


@pytest.mark.parametrize(
    ("text", "index", "line", "column"),
    [
        ("a: plain", 0, 1, 4),
        ("a: 'it''s'", 2, 1, 7),
        ('a: "x\\ty"', 2, 1, 8),
        ("a: |\n  one\n  two\n", 4, 3, 3),
        ("a: >-\n  one\n  two\n", 4, 3, 3),
        ("a: one\n  two", 4, 2, 3),
        ("a: |2\n   x\n", 1, 2, 4),
    ],
)
def test_an_offset_in_a_scalar_is_found_in_the_file(text, index, line, column):
    """The place of a character is found in plain, quoted, literal and folded scalars."""
    marked = read_marked(text)
    span = marked.entries["a"][1].mark.span(index, index + 1)
    assert (span.line, span.column) == (line, column)


@pytest.mark.parametrize("crlf", [False, True], ids=["lf", "crlf"])
@pytest.mark.parametrize("style", [None, "'", '"', "|", ">"], ids=["plain", "single", "double", "literal", "folded"])
@given(value=st.text(ALPHABET, max_size=40), width=st.sampled_from([10, 20, 80]), indent=st.sampled_from([2, 4]))
def test_every_character_of_a_scalar_is_found(style, crlf, value, width, indent):
    """In every style the character at the mapped place is the character, the escape that stands for it, or the break it was folded from."""
    text = "x: [1]\n" + yaml.dump({"a": value}, default_style=style, width=width, allow_unicode=True, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text
    marked = read_marked(text).entries["a"][1]
    assume(isinstance(marked.value, str))
    lines = text.split("\n")
    for i, character in enumerate(marked.value):
        span = marked.mark.span(i, i + 1)
        found = (lines[span.line - 1] + "\n")[span.column - 1]
        folded = character in " \n" and found in " \n\r"
        escaped = marked.mark.style == '"' and found == "\\"
        assert found == character or folded or escaped


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("a: .spec.x | .y", 5, 7, Span(1, 9, 1, 11)),
        ("a: >-\n  .x |\n  .y", 5, 7, Span(3, 3, 3, 5)),
        ("a: >-\n  .x |\n  .y", 1, 6, Span(2, 4, 3, 4)),
        ('a: "\\x41\\u263a\\U0001F600z"', 3, 4, Span(1, 25, 1, 26)),
        ('a: "x\\\n  y"', 1, 2, Span(2, 3, 2, 4)),
        ("a: one\n\n  two", 4, 5, Span(3, 3, 3, 4)),
        ("a: |+\n\n  x\n\n", 1, 2, Span(3, 3, 3, 4)),
        ("a: >\n  x\n\n  y\n", 2, 3, Span(4, 3, 4, 4)),
        ("a: |-  # why\n  xy\n", 1, 2, Span(2, 4, 2, 5)),
    ],
)
def test_a_piece_of_a_scalar_has_its_place(text, start, end, expected):
    """The place of a piece begins at its first character and ends after its last."""
    assert read_marked(text).entries["a"][1].mark.span(start, end) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("a: ''", Span(1, 4, 1, 6)), ("a: {b: 1}", Span(1, 4, 1, 10)), ("a: [x]", Span(1, 4, 1, 7))]
)
def test_what_has_no_characters_has_the_place_of_the_whole(text, expected):
    """A piece of an empty text, a map or a list is the whole of it."""
    assert read_marked(text).entries["a"][1].mark.span(0, 1) == expected


def test_offsets_beyond_the_text_stay_in_it():
    """An offset past the end is the end: an expression that stops too early is reported at its last character."""
    mark = read_marked("a: xy").entries["a"][1].mark
    assert mark.span(2, 2) == Span(1, 5, 1, 5)
    assert mark.span(9, 10) == Span(1, 5, 1, 6)


def test_a_mark_can_be_pickled():
    """Places go to other processes with what they are the places of."""
    mark = read_marked("a: |\n  xy\n").entries["a"][1].mark
    assert pickle.loads(pickle.dumps(mark)).span(1, 2) == mark.span(1, 2) == Span(2, 4, 2, 5)  # noqa: S301  # our own


def test_the_end_of_an_empty_file_has_a_place():
    """Line and column count from 1, also where there is no character."""
    assert Source("").place(0) == (1, 1)


@pytest.mark.parametrize(
    "end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"], ids=["lf", "crlf", "cr", "nel", "ls", "ps"]
)
def test_every_line_break_of_yaml_counts(end):
    """A place has the line that libyaml counts, whatever ends the lines; the text of a line comes without its end."""
    text = end.join(["a: 1", "b:", "  - x", "  - y y", ""])
    found = read_marked(text).entries["b"][1].items[1].mark
    assert (found.whole.line, found.whole.column) == (4, 5)
    assert (found.span(2, 3).line, found.span(2, 3).column) == (4, 7)
    assert (found.source.line(3), found.source.line(9), found.source.count) == ("  - x", "", 5)


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028"], ids=["cr", "nel", "ls"])
def test_a_text_over_odd_line_breaks_is_marked_as_a_whole(end):
    """Where a text goes over line breaks that are neither LF nor CRLF, a piece of it has the place of all of it."""
    mark = read_marked(f"a: 1{end}b: |{end}  one{end}  two{end}").entries["b"][1].mark
    assert mark.span(4, 7) == mark.whole
    assert mark.whole.line == 2
