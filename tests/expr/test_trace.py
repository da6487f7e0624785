"""Where results are read from: exact leaves, also of what is computed."""

from __future__ import annotations

import pytest
from tests.expr.test_table import DOCUMENTS, PROGRAMS

from wmap.expr import Budget, EvaluationError, get_at, parse
from wmap.expr.jq.parser import parse_tree
from wmap.expr.jq.trace import Trace, Traced
from wmap.expr.jq.values import Meter

DOCUMENT = {
    "groups": [{"name": "a", "n": 2}, {"name": "b"}, {"name": "c", "n": 3}],
    "map": {"y": {"n": 5}, "x": {"n": 4}},
    "phase": "Up",
}


def _places(text):
    """The results with their places, each place as one text."""
    return [(value, ["/".join(map(str, p)) for p in places]) for value, places in parse(text).places(DOCUMENT)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".groups[] | (.n // 1)", [(2, ["groups/0/n"]), (1, ["groups/1/n"]), (3, ["groups/2/n"])]),
        (".groups[] | .n // .m // 1", [(2, ["groups/0/n"]), (1, ["groups/1/n", "groups/1/m"]), (3, ["groups/2/n"])]),
        ("[.groups[] | .n // 1] | add", [(6, ["groups/0/n", "groups/1/n", "groups/2/n"])]),
        (".groups | map(.n // 0) | add", [(5, ["groups/0/n", "groups/1/n", "groups/2/n"])]),
        (".groups[] as $g | $g.n + 1", [(3, ["groups/0/n"]), (1, ["groups/1/n"]), (4, ["groups/2/n"])]),
        (".groups[2] as {n: $n} | $n", [(3, ["groups/2"])]),
        (".groups[-1].n * 2", [(6, ["groups/2/n"])]),
        (".groups | last | .n | -.", [(-3, ["groups/2/n"])]),
        ("[.groups[].n] | .[2]", [(3, ["groups/2/n"])]),
        ("[.groups[].n] | .[-1]", [(3, ["groups/2/n"])]),
        (".map | to_entries[] | .value.n", [(4, ["map/x/n"]), (5, ["map/y/n"])]),
        (".map | keys[]", [("x", ["map/x"]), ("y", ["map/y"])]),
        (".map | with_entries(.value)?", []),
        (".map | map(.n) | add", [(9, ["map/x/n", "map/y/n"])]),
        ("{a: .map.x.n, b: .phase} | .a", [(4, ["map/x/n"])]),
        ("{a: (.map.x.n, .map.y.n)} | .a", [(4, ["map/x/n", "map/y/n"]), (5, ["map/x/n", "map/y/n"])]),
        ('"\\(.phase)-\\(.map.x.n)"', [("Up-4", ["phase", "map/x/n"])]),
        ('if .phase == "Up" then "r" else "i" end', [("r", ["phase"])]),
        ('if .done then "d" elif .phase == "Up" then "r" else "i" end', [("r", ["done", "phase"])]),
        ("if .phase then .map.x.n else 0 end", [(4, ["map/x/n"])]),
        ("if .done then 1 end | .phase", [("Up", ["phase"])]),
        (".groups | any(.n == 3)", [(True, ["groups/0/n", "groups/1/n", "groups/2/n"])]),
        ('any(.groups[]; .name == "b")', [(True, ["groups/0/name", "groups/1/name", "groups/2/name"])]),
        ('.groups[] | select(.name == "c") | .n', [(3, ["groups/2/n"])]),
        ("first(.groups[] | .n | numbers)", [(2, ["groups/0/n"])]),
        (".groups[0].name | length", [(1, ["groups/0/name"])]),
        ('.groups[0] | has("n")', [(True, ["groups/0"])]),
        (".phase, 7", [("Up", ["phase"]), (7, [])]),
        (".none[]?", []),
        ('.groups[0]["name"]?', [("a", ["groups/0/name"])]),
        ("(.groups[0].name.x)?", []),
        (".groups[].name, .phase.x", [("a", ["groups/0/name"]), ("b", ["groups/1/name"]), ("c", ["groups/2/name"])]),
    ],
)  # fmt: skip
def test_a_result_says_the_leaves_that_it_was_read_from(text, expected):
    """A default says where the value would have stood, a sum each of its terms, a binding what was bound."""
    assert _places(text) == expected


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_walk_gives_the_values_of_the_code(program):
    """On every program and document the traced values are those of evaluation, and a place holds its value."""
    for document in DOCUMENTS:
        expression = parse(program)
        try:
            expected = expression.evaluate(document)
        except EvaluationError:
            continue
        found = list(Trace(Meter()).walk(parse_tree(program), Traced(document, ()), {}))
        assert [t.value for t in found] == expected
        for traced in found:
            if traced.path is not None:
                assert get_at(document, traced.path) == traced.value or traced.value is None


@pytest.mark.parametrize("form", ["{}", "({})?"])
def test_a_walk_without_end_stops_at_the_budget(form):
    """Doubling over and over ends with the budget, also inside a try, and what came before is kept."""
    text = form.format("|".join(["(., .)"] * 40))
    places = parse(text).places(DOCUMENT, Budget(steps=2_000))
    assert all(value == DOCUMENT for value, _ in places)
    assert len(places) < 2_000
