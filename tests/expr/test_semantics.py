"""What expressions give, worked out by hand from the jq manual."""

from __future__ import annotations

import pickle

import pytest

from wmap.expr import MISSING, BudgetExceeded, EvaluationError, ExpressionError, Refusal, parse
from wmap.expr.jq import JqExpression

DOCUMENT = {
    "spec": {"groups": [{"name": "a", "replicas": 2}, {"name": "b"}], "m": {"z": 1, "a": 2}},
    "n": None,
    "t": True,
}

VALUES = [
    (".spec.groups[].name", ["a", "b"]),
    (".spec.groups[].replicas // 1", [2]),
    (".spec.groups[] | (.replicas // 1)", [2, 1]),
    ("[.spec.m[]]", [[2, 1]]),
    (".spec.m | keys", [["a", "z"]]),
    (".n.x.y", [None]),
    (".n[]?", []),
    ('.missing // "d"', ["d"]),
    ("(false, null, 1, 2) // 9", [1, 2]),
    ("empty // 9", [9]),
    ("1, 2 | . * 10", [10, 20]),
    ("1 + 2 * 3", [7]),
    ("10 - 2 - 3", [5]),
    ("2 * 3 % 4", [2]),
    ("1 // 2 | . + 1", [2]),
    ("true or false and false", [True]),
    ("1 == 1 and 2 < 3", [True]),
    ("(1, 2) + (10, 20)", [11, 12, 21, 22]),
    ("{a: (1, 2), b: (3, 4)}", [{"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}]),
    ('"\\(1, 2)-\\(3, 4)"', ["1-3", "2-3", "1-4", "2-4"]),
    ("true == 1", [False]),
    ('[null, false, true, 0, "a", [], {}] | sort == .', [True]),
    ("[3, 1, 2] | min, max, (sort | reverse)", [1, 3, [3, 2, 1]]),
    (". as {spec: {groups: [$first]}} | $first.name", ["a"]),
    (". as {$t, n: $x} | [$t, $x]", [[True, None]]),
    ("[.spec.groups[] as $g | $g.name]", [["a", "b"]]),
    ("if .t then 1 end", [1]),
    ("if false then 1 elif .t then 2 else 3 end", [2]),
    ("if false then 1 end | type", ["object"]),
    ("[.[]?] | length", [3]),
    ("6 / 2, 5 / 2", [3, 2.5]),
    ("1e3, 1.0", [1000, 1]),
    ('try error("x") catch .', ["x"]),
    ("[.spec.groups[] | .replicas?]", [[2, None]]),
    ('any(.spec.groups[]; .name == "b"), all(.spec.groups[]; .replicas)', [True, False]),
    ('.spec.groups | map(.name) | join("-")', ["a-b"]),
    ('"a,b" | split(",")', [["a", "b"]]),
    ('"abc" | test("^a[b-c]+$"), test("^b")', [True, False]),
    (".spec.groups | map({key: .name, value: 1}) | from_entries", [{"a": 1, "b": 1}]),
    ("[.spec.groups[-1].name, (.spec.groups[0:1] | length)]", [["b", 1]]),
    ("first(.spec.groups[].name), last(.spec.groups[].name)", ["a", "b"]),
    ("{} | .a.b | tostring", ["null"]),
    ("[1, [2, [3]]] | flatten, flatten(1)", [[1, 2, 3], [1, 2, [3]]]),
    ('"Ab" | ascii_downcase, ascii_upcase', ["ab", "AB"]),
    ("1.5 | floor, ceil, round, (-. | abs)", [1, 2, 2, 1.5]),
    ('{"b": 1, "a": [1.5, null]} | tojson', ['{"a":[1.5,null],"b":1}']),
    ("[{a: 2}, {a: 1}] | sort_by(.a), min_by(.a), (group_by(.a) | length)", [[{"a": 1}, {"a": 2}], {"a": 1}, 2]),
    ('"x-y" | ltrimstr("x"), rtrimstr("y")', ["-y", "x-"]),
    ("-(1) - -2", [1]),
    ("{if: 1, and: 2} | .if + .and", [3]),
    ("[1, 2] | contains([1]), inside([1, 2, 3])", [True, True]),
    ("[.spec.m | to_entries[] | .key]", [["a", "z"]]),
    ("[1, 1, 2] | unique, (unique_by(. % 1) | length)", [[1, 2], 1]),
    ('{a: 1} | has("a"), ("a" | in({a: 1}))', [True, True]),
    (".spec.m | map_values(. + 1), with_entries(select(.value > 1))", [{"a": 3, "z": 2}, {"a": 2}]),
    ("# a comment\n.t", [True]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_an_expression_gives_its_values_in_order(text, expected):
    """An expression gives all its values in order."""
    found = parse(text).evaluate(DOCUMENT)
    assert [(type(v), v) for v in found] == [(type(v), v) for v in expected]


@pytest.mark.parametrize(
    ("text", "document", "message"),
    [
        (".[]", None, "Cannot iterate over null"),
        (".[]", 3, "Cannot iterate over number (3)"),
        (".a", 3, 'Cannot index number with "a"'),
        (".a.b", {"a": [1]}, 'Cannot index array with "b"'),
        (".[0]", {"a": 1}, "Cannot index object with number"),
        ("1 / 0", None, "cannot be divided because the divisor is zero"),
        ("{} + 1", None, "cannot be added"),
        ("[] | keys | error", None, "not a string"),
        ("{(1): 2}", None, "Object keys must be strings"),
        (".a.b // 1", {"a": 1}, 'Cannot index number with "b"'),
        ('"x" | tonumber', None, "cannot be parsed as a number"),
        ("true | length", None, "has no length"),
    ],
)
def test_an_error_is_worded_as_jq_does(text, document, message):
    """An error says what could not be done, with the type of the value, and where in the expression."""
    with pytest.raises(EvaluationError) as caught:
        parse(text).evaluate(document)
    assert message in caught.value.message


def test_results_before_an_error_are_kept():
    """An error carries the results that came before it."""
    with pytest.raises(EvaluationError) as caught:
        parse('1, 2, error("x"), 3').evaluate(None)
    assert caught.value.results == [1, 2]


def test_first_stops_at_the_first_result():
    """The first result is given although a later one raises, and MISSING where there is none."""
    assert parse('1, error("x")').first(None) == 1
    assert parse("empty").first(None) is MISSING


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (".spec.groups[].name", [("spec", "groups", 0, "name"), ("spec", "groups", 1, "name")]),
        ('.spec.groups[] | select(.name == "b")', [("spec", "groups", 1)]),
        (".x.y // .spec.m", [("spec", "m")]),
        (".x.y", [("x", "y")]),
        (".n[]?", []),
        ("if .t then .spec else .n end", [("spec",)]),
        ("first(.spec.groups[])", [("spec", "groups", 0)]),
        (".spec as $s | .n", [("n",)]),
        (".spec.groups[-1]", [("spec", "groups", -1)]),
        (".t, .n", [("t",), ("n",)]),
    ],
)
def test_a_path_addresses_its_places(text, paths):
    """A valid path gives the places that it addresses, also places that are absent."""
    expression = parse(text)
    assert expression.not_assignable is None
    assert expression.paths(DOCUMENT) == paths


@pytest.mark.parametrize("text", ["1 + 1", "[.a]", "{a: .b}", ".a | length", '"x"', ".a[1:2]", "$x | .a", "-.a"])
def test_a_computed_value_has_no_place(text):
    """A computed value cannot be assigned to, and the piece that computes is named."""
    if "$x" in text:
        text = f". as $x | {text}"
    found = parse(text).not_assignable
    assert found is not None
    assert found[0].end > found[0].start


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (".a = 1", "="), (".a |= 1", "|="), (".a += 1", "+="), ("del(.a)", "del"), ("..", ".."), ("recurse", "recurse"),
        ("walk(.)", "walk"), ("path(.a)", "path"), ("paths", "paths"), ("range(3)", "range"), ("repeat(.)", "repeat"),
        ("while(.; .)", "while"), ("until(.; .)", "until"), ("limit(1; .)", "limit"), ("def f: 1; f", "def"),
        ("reduce .[] as $x (0; . + $x)", "reduce"), ("foreach .[] as $x (0; .)", "foreach"), ("input", "input"),
        ("inputs", "inputs"), ("env", "env"), ("$ENV.x", "$ENV"), ('import "a" as a; .', "import"),
        ('include "a"; .', "include"), ("debug", "debug"), ("halt", "halt"), ("now", "now"), ('getpath(["a"])', "getpath"),
        ('setpath(["a"]; 1)', "setpath"), ("@base64", "@base64"), ('@text "x"', "@text"), ("keys_unsorted", "keys_unsorted"),
        ('test("a(?=b)")', "regular expression"), ('test("(a)\\\\1")', "regular expression"), (". as [$a] ?// $a | $a", "?//"),
        ("label $x | .", "label"), ("$__loc__", "$__loc__"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused_by_name(text, word):
    """The policy refuses by name, says where, and hints."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.refusal is Refusal.POLICY
    assert word in caught.value.message


@pytest.mark.parametrize("text", ["", ".a[", "1 == 2 == 3", ".a b", '"abc', "{a:", "$x", "if . then 1", '"\\q"', "%"])
def test_a_broken_expression_is_a_syntax_error_with_a_place(text):
    """What does not parse is refused with the place of the error."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.refusal is Refusal.SYNTAX
    assert 0 <= caught.value.part.start <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200 + "1" + "]" * 200,
        ".a" * 200,
        "(" * 3000 + "1" + ")" * 3000,
        ".a|" * 40_000 + ".",
        "1+" * 30_000 + "1",
        "-" * 500 + "1",
    ],
    ids=["arrays", "fields", "brackets", "pipes-100KB", "sums", "minus"],
)
def test_a_deep_or_long_expression_is_refused_clearly(text):
    """An expression that is too deep or too long is refused for its size."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.refusal is Refusal.SIZE


@pytest.mark.parametrize(
    "text",
    [
        "|".join(["[., .]"] * 30), '"a" * 1e9', "|".join(["(., .)"] * 30), "|".join([". + ."] * 40), "|".join(["[., .]"] * 40) + " | tojson",
        f"({'|'.join(['[., .]'] * 30)}) == ({'|'.join(['[., .]'] * 30)})", "|".join(["[., .]"] * 30) + " | flatten | length",
        f"[{'|'.join(['(., .)'] * 25)}] | length", "|".join(["[., .]"] * 30) + " | sort",
    ],
)  # fmt: skip
def test_a_costly_expression_stops_at_the_budget(text):
    """An expression that doubles without end stops at its budget."""
    with pytest.raises(BudgetExceeded):
        parse(text).evaluate("x")


def test_try_does_not_catch_the_budget():
    """The budget ends an evaluation, whatever stands around it."""
    with pytest.raises(BudgetExceeded):
        parse(f"try ({'|'.join(['(., .)'] * 30)}) catch 1").evaluate("x")


def test_a_document_nested_200_deep_is_read():
    """A deep document is compared and printed without a crash."""
    document = 1
    for _ in range(200):
        document = [document]
    assert parse("tojson | length").evaluate(document) == [401]


def test_an_expression_is_pickled_by_its_text():
    """An expression can be sent to another process."""
    expression = pickle.loads(pickle.dumps(parse(".a[].b")))  # noqa: S301  # our own bytes
    assert expression == parse(".a[].b")
    assert expression.evaluate({"a": [{"b": 1}]}) == [1]


def test_static_facts_are_told_without_a_document():
    """Reads, iterations, defaults, operators, singleness and the canonical text follow from the text."""
    expression = parse(".a[].b // .c")
    assert [[str(s) if isinstance(s, str) else s.value for s in p] for p in expression.reads] == [
        ["a", "[]", "b"],
        ["c"],
    ]
    assert len(expression.defaults_outside_iteration) == 1
    assert expression.top_level_operator is not None
    assert not expression.single
    assert parse("(.a // .b)").top_level_operator is None
    assert parse(".a|.b").normal == parse(" .a | (.b) ").normal
    assert parse(".a[]? | .b").iterates == parse(".a[].b").iterates


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (".spec as $s | $s.groups[] | .n + $s.x", [("spec", "groups", "[]", "n"), ("spec", "x")]),
        (". as {a: $x, b: [$y, {c: $z}], $d} | $x.q, $y, $z, $d.e", [("a", "q"), ("b", 0), ("b", 1, "c"), ("d", "e")]),
        (". as {(.key): $x} | $x.q", [("key",)]),
        ("[.a[]] as $all | $all[0].b", [("a", "[]")]),
        (".a | . as $o | .b as $b | $b.c + $o.z", [("a", "b", "c"), ("a", "z")]),
        (".m[.key]", [("m", "[?]"), ("key",)]),
        (".list | map(select(.ok) | .name)", [("list", "[]", "ok"), ("list", "[]", "name")]),
    ],
)
def test_what_is_read_is_told_through_variables_too(text, paths):
    """A variable stands for the place that its value was taken from."""
    found = [tuple(s if isinstance(s, str | int) else s.value for s in p) for p in parse(text).reads]
    assert found == paths


def test_places_say_where_a_result_was_read():
    """A result says the place that it is, or those that it was computed from."""
    assert parse(".spec.m.z").places(DOCUMENT) == [(1, (("spec", "m", "z"),))]
    assert parse(".spec.m.z + .spec.m.a").places(DOCUMENT) == [(3, (("spec", "m", "z"), ("spec", "m", "a")))]
    assert parse(".t.x").places(DOCUMENT) == []


@pytest.mark.parametrize(
    "text", ["12345678901234567890", "9007199254740993", "1e400", "try error catch .", ".[error(1)]?", "0.0000001"]
)
def test_what_jq_and_gojq_read_differently_is_marked(text):
    """An expression on which the two differ is marked as not portable."""
    assert parse(text).not_portable


@pytest.mark.parametrize("text", ["9007199254740992", "0" * 5000 + "7"])
def test_what_is_exact_in_both_is_not_marked(text):
    """A whole number up to 2^53 is read alike, also with zeros in front."""
    assert not parse(text).not_portable


def test_a_number_of_thousands_of_digits_is_a_number():
    """It is the largest that there is, as in jq, and marked as not portable."""
    assert parse("9" * 5000).first(None) == 1.7976931348623157e308
    assert parse("9" * 5000).not_portable


TOWER = "|".join(["[.,.]"] * 30)


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    "text", [TOWER, f"1, ({TOWER})", f"({TOWER}), error(1)", f"[{TOWER}]?", f'"a", ({TOWER} | tojson)']
)
def test_what_is_too_large_is_not_handed_on_with_the_error(text, warm):
    """A result that is small in memory and without end as JSON is neither returned nor kept in the error."""
    expression = JqExpression(text)
    if warm:
        expression.speed_up()
    with pytest.raises(BudgetExceeded) as caught:
        expression.evaluate({})
    assert caught.value.results in ([], ["a"])
