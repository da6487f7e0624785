"""The differences of two releases: fields, types, defaults, enums and vocabulary."""

from __future__ import annotations

import pytest

from wmap.contract import KindName, Store, Term, TermKind
from wmap.contract.build import Release, write_framework
from wmap.contract.diff import Change, Rename, diff_releases
from wmap.contract.files import Body
from wmap.contract.model import Facts

THING = KindName("some.dev", "v1", "Thing")


def release(*terms, kubernetes="v1.33.0", **fields):
    """A release whose kind has these fields and whose vocabulary has these values."""
    tree = {"": Facts(type="object"), **{f".{name}": facts for name, facts in fields.items()}}
    body = Body(*THING, "Namespaced", served=True, storage=True, deprecated=False, kubernetes=kubernetes, fields=tree)
    return Release(
        {THING: body}, tuple(Term(v, TermKind.CONDITION, f"Thing{v}", "ConditionType", "a.go") for v in terms)
    )


@pytest.fixture
def compare(tmp_path):
    """Compare two releases in a store of their own."""

    def run(old, new):
        write_framework(tmp_path, "some", {"v1.0.0": old, "v1.1.0": new})
        return diff_releases(Store(tmp_path), "some", "v1.0.0", "v1.1.0")

    return run


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"a": Facts(type="string")}, (Change.ADDED, ".a", None, "string")),
        ({"a": Facts(type="string")}, {}, (Change.REMOVED, ".a", "string", None)),
        ({"a": Facts(type="string")}, {"a": Facts(type="integer")}, (Change.RETYPED, ".a", "string", "integer")),
        ({"a": Facts(default=1, has_default=True)}, {"a": Facts()}, (Change.DEFAULT, ".a", 1, None)),
        ({"a": Facts(enum=("A",))}, {"a": Facts(enum=("A", "B"))}, (Change.ENUM, ".a", ["A"], ["A", "B"])),
        ({"a": Facts()}, {"a": Facts(required=True)}, (Change.CHANGED, ".a", {"required": False}, {"required": True})),
        ({"a": Facts(type="object", preserve=True)}, {"a": Facts(type="object")}, (Change.RETYPED, ".a", "object (open)", "object")),
    ],
)  # fmt: skip
def test_fields(compare, old, new, expected):
    """Each kind of difference of a field is said with what was and what is."""
    (kind,) = compare(release(**old), release(**new)).kinds
    (change,) = kind.changes
    assert (change.change, change.path, change.old, change.new) == expected


def test_no_difference(compare):
    """Equal releases differ in nothing."""
    found = compare(release("A", a=Facts(type="string")), release("A", a=Facts(type="string")))
    assert (found.kinds, found.added, found.removed, found.renames) == ((), (), (), ())


def test_below_a_core_type(compare):
    """A field that came with a newer Kubernetes is a change below the core type, and says so."""
    found = compare(
        release(pod=Facts(ref="PodSpec"), kubernetes="v1.31.0"), release(pod=Facts(ref="PodSpec"), kubernetes="v1.32.0")
    )
    (change,) = [c for c in found.kinds[0].changes if c.path == ".pod.resources"]
    assert (change.change, change.core, change.at) == (Change.ADDED, "PodSpec", ".pod")


def test_kinds_that_come_and_go(compare):
    """A kind that only one of the releases has came or went as a whole."""
    gone = compare(release(), Release({}))
    assert [(k.kind, k.status) for k in gone.kinds] == [(THING, "removed")]


def test_a_renamed_condition(compare):
    """A condition that went and a similar one that came are suggested as a rename; an unlike one is not."""
    found = compare(release("UpgradeInProgress", "Available"), release("UpdateInProgress", "Ready", "Available"))
    assert [t.value for t in found.removed] == ["UpgradeInProgress"]
    assert [t.value for t in found.added] == ["Ready", "UpdateInProgress"]
    assert found.renames == (Rename(TermKind.CONDITION, "UpgradeInProgress", "UpdateInProgress"),)
