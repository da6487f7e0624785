"""Static typing against evaluation: what is claimed of all objects of a contract holds on each that is drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wmap.contract import Contract, Facts
from wmap.expr import BudgetExceeded, EvaluationError, ExpressionError, parse
from wmap.infer import Verdict, aligned, typing

KEYS = ("a", "b", "c")
SCALAR = st.sampled_from(
    [
        Facts("string"), Facts("string", enum=("x", "y")), Facts("integer"), Facts("number"), Facts("boolean"),
        Facts("int-or-string"), Facts("integer", has_default=True, default=1), Facts("string", nullable=True),
        Facts("boolean", required=True), Facts("integer", required=True), Facts("string", required=True), Facts(None),
        Facts("object", preserve=True),
    ]
)  # fmt: skip
BOX = st.sampled_from(
    [Facts("object"), Facts("object", required=True), Facts("object", nullable=True), Facts("object", preserve=True)]
)
LIST = st.sampled_from([Facts("array"), Facts("array", required=True), Facts("array", nullable=True)])


def _tree(path, depth):
    """The facts of a field and all below it."""
    leaf = SCALAR.map(lambda f: {path: f})
    if depth == 0:
        return leaf
    named = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True).flatmap(
        lambda keys: st.tuples(*(_tree(f"{path}.{k}", depth - 1) for k in keys))
    )
    return st.one_of(
        leaf,
        st.tuples(BOX, named).map(lambda t: _merge({path: t[0]}, *t[1])),
        st.tuples(BOX, _tree(path + "{}", depth - 1)).map(lambda t: _merge({path: t[0]}, t[1])),
        st.tuples(LIST, _tree(path + "[]", depth - 1)).map(lambda t: _merge({path: t[0]}, t[1])),
    )


def _merge(*parts):
    return {k: v for part in parts for k, v in part.items()}


def _root(fields):
    return Contract("f", "r", "g", "v1", "K", {"": Facts("object"), **fields}, core=lambda _: None).root


CONTRACTS = st.tuples(*(_tree(f".{k}", 2) for k in KEYS)).map(lambda t: _root(_merge(*t)))
JSON = st.recursive(
    st.sampled_from([None, True, 0, 1, "x"]),
    lambda d: st.lists(d, max_size=2) | st.dictionaries(st.sampled_from("abz"), d, max_size=2),
    max_leaves=4,
)


@st.composite
def objects(draw, field):
    """An object that a contract admits at a field."""
    facts = field.facts
    if facts.nullable and draw(st.integers(0, 4)) == 0:
        return None
    if facts.enum:
        return draw(st.sampled_from(facts.enum))
    match field.type:
        case "string":
            return draw(st.sampled_from(["", "x", "1", "abc"]))
        case "integer":
            return draw(st.integers(-1, 3))
        case "number":
            return draw(st.sampled_from([0, 1.5, 2]))
        case "boolean":
            return draw(st.booleans())
        case "int-or-string":
            return draw(st.sampled_from([1, "x"]))
        case "array":
            return draw(st.lists(objects(field.items), max_size=3))
        case "object":
            found = {}
            if field.preserve and field.values is None:
                found = draw(st.dictionaries(st.sampled_from("xyz"), JSON, max_size=1))
            if field.values is not None:
                found.update(draw(st.dictionaries(st.sampled_from("abz"), objects(field.values), max_size=2)))
            for key, child in field.children():
                if (child.facts.required and not child.facts.has_default) or draw(st.booleans()):
                    found[key] = draw(objects(child))
            return found
        case _:
            return draw(JSON)


SIMPLE = [
    "length", "keys", "type", "tostring", "tojson", "add", "min", "max", "sort", "unique", "flatten", "not", "from_entries",
    "any", "all", "values", "scalars", "objects", "arrays", "empty", "to_entries", "reverse", "first", "last", "tonumber",
    "ascii_downcase", "ascii_upcase", "floor", "ceil", "round", "abs", "nulls", "strings", "numbers", "booleans", "error",
]  # fmt: skip
FILTERED = [
    "map", "select", "any", "all", "sort_by", "group_by", "min_by", "max_by", "unique_by", "map_values", "first", "last",
    "with_entries", "add", "has", "in", "contains", "inside", "startswith", "endswith", "split", "join", "ltrimstr", "rtrimstr",
    "flatten", "index", "test", "error",
]  # fmt: skip
BINARY = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//"]
ATOMS = st.sampled_from(
    [
        ".",
        ".a",
        ".b",
        ".c",
        ".a.b",
        ".b[]?",
        ".c[]",
        "1",
        "0",
        '"a"',
        '"x"',
        "null",
        "true",
        "false",
        "[]",
        "{}",
        ".a?",
        ".[0]?",
    ]
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
        pair.map(lambda p: f"({p[0]})[{p[1]}]"),
        pair.map(lambda p: f"({p[0]})[({p[1]}):1]"),
        inner.map(lambda e: f"-({e})"),
        st.tuples(inner, st.sampled_from(BINARY), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"if {t[0]} then {t[1]} else {t[2]} end"),
        pair.map(lambda p: f"if ({p[0]}) != null then ({p[0]} | {p[1]}) else ({p[1]}) end"),
        pair.map(lambda p: f'if ({p[0]} | type) == "array" and .b then ({p[0]} | {p[1]}) end'),
        pair.map(lambda p: f"select({p[0]}) | {p[1]}"),
        pair.map(lambda p: f"select({p[0]} == null or .a > 0 | not) | {p[1]}"),
        inner.map(lambda e: f"[{e}]"),
        pair.map(lambda p: f"{{a: ({p[0]}), b: ({p[1]})}}"),
        pair.map(lambda p: f"{{a: 1, ({p[0]}): ({p[1]})}}"),
        pair.map(lambda p: f"({p[0]}) as $x | ({p[1]}), $x"),
        pair.map(lambda p: f"({p[0]}) as $x | if $x then $x | {p[1]} else 1 end"),
        pair.map(lambda p: f"({p[0]}) as {{a: $x}} | ({p[1]}), $x"),
        pair.map(lambda p: f"({p[0]}) as [$x, {{$a, b: [$y]}}] | $x, $a, $y"),
        st.tuples(inner, st.sampled_from(SIMPLE)).map(lambda t: f"({t[0]}) | {t[1]}"),
        st.tuples(st.sampled_from(FILTERED), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, st.sampled_from(FILTERED), inner).map(lambda t: f"{t[0]} | {t[1]}({t[2]})"),
        st.tuples(st.sampled_from(["any", "all"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}; {t[2]})"),
        inner.map(lambda e: f'"p\\({e})q"'),
        pair.map(lambda p: f"try ({p[0]}) catch ({p[1]})"),
        inner.map(lambda e: f"({e})?"),
    )


PROGRAMS = st.recursive(ATOMS, _grow, max_leaves=5)


def _run(expression, document):
    try:
        return expression.evaluate(document), False
    except BudgetExceeded:
        return [], None
    except EvaluationError as error:
        return error.results, True


def _parsed(program):
    try:
        return parse(program)
    except ExpressionError:
        return None


def _pruned(value, field, whole, reads):
    """An object without the declared fields that are not read."""
    if field is None or field.path in whole:
        return value
    if isinstance(value, list):
        return [_pruned(v, field.items, whole, reads) for v in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, inner in value.items():
        child = field.child(key)
        if child is None or child.path in reads:
            out[key] = _pruned(inner, child, whole, reads)
    return out


@given(root=CONTRACTS, program=PROGRAMS, data=st.data())
def test_each_claim_holds_on_objects_of_the_contract(root, program, data):
    """Each result lies in its static type, what cannot raise does not, one result is one, and only what is read matters."""
    expression = _parsed(program)
    if expression is None:
        return
    typed = typing(expression, root)
    shape = typed.shape
    for _ in range(3):
        document = data.draw(objects(root))
        results, raised = _run(expression, document)
        if raised is None:
            continue
        assert all(shape.admits(r) for r in results), (program, document, results, typed.positions)
        assert not raised or typed.may_raise, (program, document)
        if not raised:
            assert results or typed.may_be_none, (program, document)
            assert len(results) == 1 or not typed.single, (program, document, results)
        pruned = _pruned(document, root, set(typed.whole), set(typed.reads))
        assert _run(expression, pruned) == (results, raised), (program, document, pruned)


@given(root=CONTRACTS, one=PROGRAMS, two=PROGRAMS, data=st.data())
def test_proved_alignment_gives_equal_counts(root, one, two, data):
    """Two expressions that are proved to be aligned give equal counts wherever neither raises."""
    first, second = _parsed(f"(.b // [])[] | {one}"), _parsed(f".b[]? | {two}")
    if first is None or second is None:
        return
    verdict = aligned(typing(first, root), typing(second, root)).verdict
    document = data.draw(objects(root))
    (left, a), (right, b) = _run(first, document), _run(second, document)
    if a is False and b is False and verdict is Verdict.PROVED:
        assert len(left) == len(right), (one, two, document)
