"""Regular expressions of the checked subset, against Python's own engine on texts without line breaks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap.expr.jq.regex import RegexError, compile_regex

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "[a-c]", "\\.", "(a|b)", "(?:ab)", "(a)", "^", "$", "(|a)"])
PATTERNS = st.lists(st.tuples(ATOMS, st.sampled_from(["", "*", "+", "?", "{2}", "{1,2}", "{0,}"])), max_size=5).map(
    lambda parts: "".join(a + ("" if a in "^$" else q) for a, q in parts)
)


@given(pattern=PATTERNS, text=st.text(alphabet="abc.", max_size=8))
def test_a_pattern_matches_what_python_matches(pattern, text):
    """The subset means what it means to a backtracking engine."""
    assert compile_regex(pattern).test(text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        "a(?=b)", "(?<n>a)", "\\1", "\\d", "\\w", "\\s", "\\b", "a*?", "a++", "a**", "(", ")", "[", "[]", "*", "{", "}", "]", "a{1000}", "a{2,1}",
        "[[:alpha:]]", "[b-a]", "\\é", "a" * 501, "(" * 25 + "a" + ")" * 25, "((a{50}){50}){50}", "a{x}", "[a&&b]", "?",
    ],
)  # fmt: skip
def test_what_is_not_of_the_subset_is_refused(pattern):
    """Look-around, back-references, classes that differ, lazy quantifiers and patterns without bound are refused."""
    with pytest.raises(RegexError):
        compile_regex(pattern)


def test_a_pattern_that_backtracks_elsewhere_ends_here():
    """A pattern on which a backtracking engine takes exponential time is walked once over the text."""
    assert not compile_regex("^(a|a)*(a|a)*(a|a)*b$").test("a" * 3000)


def test_an_escape_and_a_flag_are_read():
    """Control characters are escapes; the flags g and n change nothing, others are refused."""
    assert compile_regex("a\\tb", "gn").test("a\tb")
    assert not compile_regex("a.b").test("a\nb")
    with pytest.raises(RegexError):
        compile_regex("a", "i")
