"""Static typing of hand-picked expressions over a small contract."""

from __future__ import annotations

import pytest

from wmap.contract import Contract, Facts
from wmap.expr import EvaluationError, parse
from wmap.infer import Remembered, Verdict, aligned, nearest, typing

FIELDS = {
    "": Facts("object"),
    ".metadata": Facts("object"),
    ".spec": Facts("object", required=True),
    ".spec.replicas": Facts("integer", has_default=True, default=1),
    ".spec.size": Facts("int-or-string"),
    ".spec.mode": Facts("string", required=True, enum=("Slow", "Fast")),
    ".spec.labels": Facts("object"),
    ".spec.labels{}": Facts("string"),
    ".spec.free": Facts("object", preserve=True),
    ".spec.groups": Facts("array"),
    ".spec.groups[]": Facts("object"),
    ".spec.groups[].name": Facts("string", required=True),
    ".spec.groups[].replicas": Facts("integer"),
    ".spec.others": Facts("array"),
    ".spec.others[]": Facts("string"),
    ".status": Facts("object"),
    ".status.phase": Facts("string"),
    ".status.conditions": Facts("array"),
    ".status.conditions[]": Facts("object"),
    ".status.conditions[].type": Facts("string", required=True),
    ".status.conditions[].status": Facts("string", required=True),
}
ROOT = Contract("f", "r", "g", "v1", "K", FIELDS, core=lambda _: None).root


def _typed(text, **options):
    return typing(parse(text), ROOT, **options)


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (".spec.replicas", ("null", "number")),
        (".spec.replicas // 1", ("number",)),
        (".spec.size", ("null", "number", "string")),
        (".spec.mode", ("string",)),
        (".metadata.name", ("string",)),
        (".metadata.labels.x", ("null", "string")),
        (".kind", ("string",)),
        (".spec.labels", ("null", "object")),
        (".spec.labels.x", ("null", "string")),
        (".spec.groups[]?.replicas", ("null", "number")),
        (".status.conditions | length", ("number",)),
        ("if .status.phase then .status.phase else 1 end", ("number", "string")),
        ("select(.status.phase != null) | .status.phase", ("string",)),
        ('if (.spec.size | type) == "string" then .spec.size else "a" end', ("string",)),
        ('[.spec.groups[]?.name] | join(",")', ("string",)),
        (".spec.replicas as $x | if $x == null then 0 else $x end", ("number",)),
        ("{a: .spec.mode}.a", ("string",)),
        ("([.spec.replicas // 1, 0] | max) * 2", ("number",)),
    ],
)
def test_a_result_has_the_types_that_the_contract_gives(text, types):
    """An expression has the kinds of values that its fields can give it."""
    assert _typed(text).shape.types == types


def test_an_enum_gives_its_literals():
    """The members of an enum are known one by one."""
    assert _typed(".spec.mode").shape.literals == ("Slow", "Fast")


def test_a_default_makes_a_field_present_once_it_is_given():
    """What a default fills is null only in objects as they are written, and is named."""
    assert _typed(".spec.replicas").null_by_absence == (".spec.replicas",)
    assert not _typed(".spec.replicas", defaulted=True).may_be_null


@pytest.mark.parametrize(
    ("text", "message", "path"),
    [
        (".spec.groups[]", "Cannot iterate over null", ".spec.groups"),
        (".spec.mode[]", "Cannot iterate over string", ".spec.mode"),
        (".spec.mode.x", 'Cannot index string with "x"', ".spec.mode"),
        (".spec.mode | tonumber", "the text may be no number", ".spec.mode"),
        (".status.phase + 1", "string and number cannot be added", ".status.phase"),
    ],
)
def test_what_may_raise_is_named_with_its_field(text, message, path):
    """A piece that raises on some object is named, with the field at fault."""
    assert [(r.message, r.path) for r in _typed(text).raises] == [(message, path)]


@pytest.mark.parametrize(
    "text",
    [
        ".spec.groups[]?",
        "(.spec.groups // [])[]",
        "if .spec.groups then .spec.groups[] else empty end",
        "select(.spec.groups) | .spec.groups[]",
        "if .spec.groups == null then 1 else (.spec.groups | map(.name)) end",
        "try error(1) catch 2",
        '.spec.labels // {} | to_entries | map(.key + "=" + .value)',
        "(.spec.labels // {}) | with_entries(.)",
    ],
)
def test_what_is_guarded_cannot_raise(text):
    """A guard before an iteration is seen."""
    assert not _typed(text).may_raise


def test_an_unknown_field_has_its_place_and_the_nearest_names():
    """A field that the contract does not name is reported with where it stands, and what may be meant."""
    typed = _typed('any(.spec.groups[]?; .nmae == "x")')
    (unknown,) = typed.unknown_fields
    assert (unknown.parent, unknown.key, nearest(unknown)) == (".spec.groups[]", "nmae", ("name",))
    assert typed.unknown_places == ()


def test_what_is_not_declared_is_unknown():
    """Below a field that keeps unknown fields, anything may stand, and that is said."""
    typed = _typed(".spec.free.x")
    assert typed.shape.unknown
    assert [p.path for p in typed.unknown_places] == [".spec.free"]
    assert typed.unknown_fields == ()


@pytest.mark.parametrize(
    ("text", "literal", "path", "how"),
    [
        ('.status.phase == "Runing"', "Runing", ".status.phase", "=="),
        ('"Runing" == .status.phase', "Runing", ".status.phase", "=="),
        ('.status.conditions[]? | select(.type == "Ready")', "Ready", ".status.conditions[].type", "=="),
        ('.status.phase // "" | test("^Run")', "^Run", ".status.phase", "test"),
        ('any(.status.conditions[]?.type; . == "Ready")', "Ready", ".status.conditions[].type", "=="),
        ('[.status.conditions[]?.type] as $on | any($on[]; . == "Ready")', "Ready", ".status.conditions[].type", "=="),
        ('[.spec.mode] | inside(["Slow"])', "Slow", ".spec.mode", "inside"),
    ],
)
def test_a_literal_is_known_with_the_field_it_is_compared_with(text, literal, path, how):
    """Each literal that is compared with a field is listed with the path of the field."""
    assert (literal, (path,), how) in [(c.literal, c.paths, c.how) for c in _typed(text).compared]


def test_a_default_of_the_expression_is_listed():
    """The literal behind // is known with its field."""
    assert [(d.path, d.literal) for d in _typed(".spec.replicas // 2").defaults] == [(".spec.replicas", 2)]


def test_what_is_read_is_listed():
    """Every field that matters is listed, and what is used as a whole."""
    typed = _typed(".spec.groups[]? | select(.replicas == 2) | .name")
    assert {".spec.groups[].replicas", ".spec.groups[].name"} <= set(typed.reads)
    assert ".spec.others" not in typed.reads


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (".spec.groups[]?.name", ".spec.groups[]? | (.replicas // 1)"),
        (".spec.groups[].name", "(.spec.groups // [])[] | .replicas"),
        (".spec.labels[]?", ".spec.labels // {} | keys[]"),
        (".spec.labels[]?", "(.spec.labels // {}) | to_entries[] | .value"),
        (".spec.groups[]? | select(.replicas) | .name", ".spec.groups[]? | select(.replicas) | .replicas"),
        (".spec.replicas", "1"),
        ("[.spec.groups[]?.name] | .[]", ".spec.groups | map(.name)[]"),
    ],
)
def test_alignment_is_proved(one, two):
    """Two expressions over the same collections, with the same filters, are aligned."""
    assert aligned(_typed(one), _typed(two)).verdict is Verdict.PROVED


TWO = {
    "spec": {"mode": "Slow", "groups": [{"name": "a", "replicas": 2}, {"name": "b"}], "others": []},
}


@pytest.mark.parametrize(
    ("one", "two", "reason"),
    [
        (".spec.groups[].name", ".spec.groups[].replicas // 1", "// leaves out an entry whose .spec.groups[].replicas"),
        (".spec.groups[].replicas // 1", ".spec.groups[].name", "// leaves out an entry whose .spec.groups[].replicas"),
        (".spec.groups[].name", ".spec.others[]", "it iterates .spec.others"),
        (".spec.groups[].name", ".spec.groups[].replicas | numbers", "numbers leaves entries out"),
        (".spec.groups[].name", "1", "it iterates .spec.groups"),
        ("1, 2", "1", "2 results against 1"),
    ],
)
def test_alignment_is_refuted_and_an_object_shows_it(one, two, reason):
    """Where two expressions are said not to be aligned, an object of the contract gives different counts."""
    found = aligned(_typed(one), _typed(two))
    assert found.verdict is Verdict.REFUTED
    assert found.reason.startswith(reason)
    assert len(parse(one).evaluate(TWO)) != len(parse(two).evaluate(TWO))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (".spec.groups[]?.name", ".spec.groups[]? | select(.replicas) | .name"),
        (".spec.groups[]?.name", ".spec.free.a[]?"),
        (".spec.groups[]?.name", "[.spec.groups[]?.name] | sort[]"),
        (".spec.groups[]?, .spec.others[]?", ".spec.others[]?, .spec.groups[]?"),
        (".spec.groups[]? | .name, 1", "first(.spec.groups[]?), 1, 2"),
    ],
)
def test_alignment_that_cannot_be_told_is_unknown(one, two):
    """What cannot be proved or refuted is neither."""
    assert aligned(_typed(one), _typed(two)).verdict is Verdict.UNKNOWN


def test_one_result_is_known():
    """Exactly one result, at most one, and none at all are told apart."""
    assert _typed(".spec.mode").single
    assert _typed('select(.spec.mode == "Slow")').may_be_none
    assert [p.shape.types for p in _typed('1, "a"').positions] == [("number",), ("string",)]


def test_assignable_is_said():
    """What has no place in the object is named."""
    assert _typed(".spec.replicas").not_assignable is None
    assert _typed(".spec.replicas // 1").not_assignable is not None


def test_a_long_cascade_is_typed_in_bounded_steps():
    """Commas that double with each pipe are squeezed, and stay sound."""
    text = " | ".join(["(.,.)"] * 30)
    assert _typed(text).shape.types == ("object",)
    assert not _typed("[.]" + " | [.,.]" * 30).single or _typed("[.]" + " | [.,.]" * 30).shape.types == ("array",)


def test_a_remembered_tree_gives_the_same():
    """A tree that remembers what was looked up gives what the contract gives."""
    root = Remembered(ROOT)
    assert typing(parse(".spec.groups[]?.name"), root).reads == _typed(".spec.groups[]?.name").reads


def test_an_error_is_seen():
    """What always raises says so, as evaluation does."""
    (raised,) = _typed('1 + "a"').raises
    assert raised.always
    with pytest.raises(EvaluationError):
        parse('1 + "a"').evaluate({})
