"""Native evaluation against two oracles: libjq (the jq package) and, where Go is there, gojq.

One difference of the two cannot be told from the text, so it is not drawn here: gojq takes a character of a text by its
number (also `first` and `last`), libjq and this evaluator raise.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap.expr import BudgetExceeded, EvaluationError, ExpressionError, parse
from wmap.expr.jq import JqExpression

DRIVER = Path(__file__).with_name("gojq_driver")
CACHE = Path(__file__).resolve().parents[2] / ".cache" / "gojq"

SIMPLE = ["length", "keys", "type", "tostring", "tojson", "add", "min", "max", "sort", "unique", "flatten",
          "not", "from_entries", "any", "all", "values", "scalars", "objects", "arrays", "empty"]  # fmt: skip
FILTERED = [
    "map",
    "select",
    "any",
    "all",
    "sort_by",
    "group_by",
    "min_by",
    "max_by",
    "unique_by",
    "map_values",
    "first",
    "last",
]
BINARY = ["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//"]
ATOMS = st.sampled_from(
    [".", ".a", ".b", ".c", ".a.b", "1", "0", "2", '"a"', '"x"', "null", "true", "false", "[]", "{}"]
)


def _grow(inner):
    """Larger programs of the allowed language from smaller ones."""
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"{p[0]} | {p[1]}"),
        pair.map(lambda p: f"({p[0]}), ({p[1]})"),
        inner.map(lambda e: f"({e})[]?"),
        inner.map(lambda e: f"({e})[]"),
        inner.map(lambda e: f"({e}).a"),
        inner.map(lambda e: f"({e}).b?"),
        st.tuples(inner, st.sampled_from(BINARY), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"if {t[0]} then {t[1]} else {t[2]} end"),
        inner.map(lambda e: f"[{e}]"),
        pair.map(lambda p: f"{{a: ({p[0]}), b: ({p[1]})}}"),
        pair.map(lambda p: f"({p[0]}) as $x | ({p[1]}), $x"),
        pair.map(lambda p: f"({p[0]}) as {{a: $x}} | $x"),
        # without brackets: what an operator, a comma and a binding take of each other
        st.tuples(inner, st.sampled_from(BINARY), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]}) as $x | $x, ."),
        st.tuples(inner, st.sampled_from(BINARY), st.sampled_from(BINARY)).map(
            lambda t: f"({t[0]}) {t[1]} . {t[2]} ({t[0]})"
        ),
        st.tuples(inner, st.sampled_from(SIMPLE)).map(lambda t: f"({t[0]}) | {t[1]}"),
        st.tuples(st.sampled_from(FILTERED), inner).map(lambda t: f"{t[0]}({t[1]})"),
        inner.map(lambda e: f'"p\\({e})q"'),
        inner.map(lambda e: f'try ({e}) catch "E"'),
        inner.map(lambda e: f"({e})?"),
        inner.map(lambda e: f"error({e})"),
    )


PROGRAMS = st.recursive(ATOMS, _grow, max_leaves=6)
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, -1, 1.5, "", "a", "b", "abc"])
DOCUMENTS = st.recursive(
    SCALARS, lambda d: st.lists(d, max_size=3) | st.dictionaries(st.sampled_from("abc"), d, max_size=3), max_leaves=8
)


def _libjq(program, document):
    try:
        results = iter(jq.compile(program).input_text(json.dumps(document, sort_keys=True)))
    except ValueError:
        return [], True
    found = []
    try:
        for result in results:
            found.append(result)
    except ValueError:
        return found, True
    return found, False


@pytest.fixture(scope="session")
def gojq():
    """A function that asks gojq; the tests that use it are reported as not run where Go is absent."""
    if shutil.which("go") is None:
        pytest.skip("not run: no Go on this machine, so no gojq to compare with")
    binary = CACHE / "gojq-driver"
    if not binary.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["go", "build", "-o", str(binary), "."], cwd=DRIVER, check=True, capture_output=True)
    process = subprocess.Popen([str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(program, document):
        process.stdin.write(json.dumps({"p": program, "d": document}) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        return answer["r"], answer["e"] is not None

    yield ask
    process.stdin.close()
    process.wait(timeout=10)
    process.stdout.close()


def _native(expression, document):
    try:
        return expression.evaluate(document), False
    except EvaluationError as error:
        return error.results, True


def _same(ours, theirs):
    """Equal values, order and error-or-not; where both raise, what came before is compared too."""
    return ours[1] == theirs[1] and json.dumps(ours[0], sort_keys=True) == json.dumps(theirs[0], sort_keys=True)


@given(program=PROGRAMS, document=DOCUMENTS)
def test_native_evaluation_equals_libjq(program, document):
    """Each program of the allowed language gives on each document what libjq gives."""
    try:
        expression = parse(program)
        ours = _native(expression, document)
    except (ExpressionError, BudgetExceeded):
        return
    if not expression.not_portable and "object keys" not in str(ours):
        assert _same(ours, _libjq(program, document)), (program, document, ours)


@given(program=PROGRAMS, document=DOCUMENTS)
def test_native_evaluation_equals_gojq(gojq, program, document):
    """Each program of the allowed language gives on each document what gojq gives."""
    try:
        expression = JqExpression(program)
        expression.speed_up()
        ours = _native(expression, document)
    except (ExpressionError, BudgetExceeded):
        return
    if not expression.not_portable:
        assert _same(ours, gojq(program, document)), (program, document, ours)


def _whole(expression, document):
    """Results, the error with its place, and the first result."""
    try:
        first = expression.first(document)
    except EvaluationError as error:
        first = (error.message, error.part)
    try:
        return expression.evaluate(document), None, first
    except EvaluationError as error:
        return error.results, (error.message, error.part), first


@given(program=PROGRAMS, document=DOCUMENTS)
def test_generated_python_means_what_the_closures_mean(program, document):
    """A program that was evaluated often gives the same results, errors and places of errors as at first."""
    try:
        cold, warm = JqExpression(program), JqExpression(program)
    except ExpressionError:
        return
    warm.speed_up()
    assert repr(_whole(warm, document)) == repr(_whole(cold, document)), (program, document)


@given(program=PROGRAMS, document=DOCUMENTS)
def test_paths_equal_those_of_libjq(program, document):
    """The places of each assignable program are those that libjq's path() gives."""
    try:
        expression = parse(program)
    except ExpressionError:
        return
    if expression.not_assignable is not None or expression.not_portable:
        return
    try:
        ours = [list(p) for p in expression.paths(document)], False
    except EvaluationError:
        ours = [], True
    theirs, failed = _libjq(f"[path({program})]", document)
    assert ours == (theirs[0] if theirs else [], failed), (program, document)
