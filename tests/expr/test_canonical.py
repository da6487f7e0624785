"""The canonical text: one for what provably means the same, another one for what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.expr.test_oracles import DOCUMENTS as ANY
from tests.expr.test_oracles import PROGRAMS as DRAWN
from tests.expr.test_table import DOCUMENTS, PROGRAMS

from wmap.expr import BudgetExceeded, EvaluationError, ExpressionError, parse


def _outcome(expression, document):
    try:
        return expression.evaluate(document), None
    except EvaluationError as error:
        return error.results, error.message


def _places(expression, document):
    try:
        return expression.places(document)
    except EvaluationError:
        return None


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_means_the_same(program):
    """On every document of the table it gives the same results and the same error, and its own canonical text is itself."""
    expression = parse(program)
    again = parse(expression.canonical)
    assert again.canonical == expression.canonical
    for document in DOCUMENTS:
        assert _outcome(again, document) == _outcome(expression, document), document
        assert _places(again, document) == _places(expression, document), document


@given(DRAWN, ANY)
def test_it_means_the_same_for_drawn_programs(program, document):
    """The same holds for drawn programs and documents."""
    try:
        expression = parse(program)
        again = parse(expression.canonical)
        expected = _outcome(expression, document)
    except (ExpressionError, BudgetExceeded):
        return
    assert _outcome(again, document) == expected
    assert again.canonical == expression.canonical


SAME = [
    (".a[]?.b", ".a[]? | .b"),
    (".a.b.c", ".a | .b | .c"),
    (".a.b.c", ".a | (.b | .c)"),
    ("(.a | .b) | .c", ".a | (.b | .c)"),
    (".a.b?", ".a | .b?"),
    (".a.b?", ".a | (.b)?"),
    (".a.b?", ".a | try .b"),
    ("(.a.b)?", "try (.a | .b)"),
    (".a[0].b", ".a | .[0] | .b"),
    (".a[-1]", ".a | .[-1]"),
    (".a[1:3].b", ".a | .[1:3].b"),
    (".a | . | .b", ".a.b"),
    (".", ". | ."),
    ('.a["b-c"].d', '.a | ."b-c" | .d'),
    ("(.a, .b), .c", ".a, (.b, .c)"),
    (".a as $x | .b + $x", ".a as $long_name | .b + $long_name"),
    (". as [$a, {b: $b}] | $b, $a", ". as [$x, {b: $y}] | $y, $x"),
    (". as {$a} | $a", ". as {a: $x} | $x"),
    (". as {$a: [$b]} | $a, $b", ". as {a: $x, a: [$y]} | $x, $y"),
    (".a as $x | .b as $x | $x", ".a as $x | .b as $y | $y"),
    (".a as $x | {$x}", ".a as $y | {x: $y}"),
    ("if .a then .b end", "if .a then .b else . end"),
    (".a as $x | .b[$x]", ".a as $y | .b | .[$y]"),
    (".a // .b.c", ".a // (.b | .c)"),
    ("[.a[].b]", "[.a[] | .b]"),
]
OTHER = [
    ("[.a, .b] | max", "[.b, .a] | max"),
    (".a.b?", "(.a.b)?"),
    (".a?.b", "(.a.b)?"),
    (".a[].b?", ".a[]?.b"),
    (".a[]? | .b", "(.a[] | .b)?"),
    (".a[.b]", ".a | .[.b]"),
    (".a // .b", ".b // .a"),
    (".a // .b | .c", ".a // (.b | .c)"),
    (".a, .b | .c", ".a, (.b | .c)"),
    (".a as $x | .b as $y | $x", ".a as $x | .b as $y | $y"),
    (".a as $x | .b as $x | $x", ".a as $x | .b as $y | $x"),
    (". as [$a, $b] | $a", ". as [$b, $a] | $a"),
    (".a as $x | {$x}", ".a as $y | {$y}"),
    (".a + .b", ".b + .a"),
    (".a and .b", ".b and .a"),
    ("-.a", ".a"),
    (".a | [.[]]", "[.a[]]"),
    ("{a: .x, b: .y}", "{b: .y, a: .x}"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_provably_means_the_same_has_one_text(one, other):
    """Pipes of paths, needless dots and brackets, and names of variables make no difference."""
    assert parse(one).canonical == parse(other).canonical


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_may_mean_something_else_has_another(one, other):
    """Errors, their suppression, precedence, the order of operands and of results, and keys of objects make one."""
    assert parse(one).canonical != parse(other).canonical
