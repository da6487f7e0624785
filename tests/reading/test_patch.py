"""Patches: applied to the old document they give the new one, and nulls that a merge patch cannot set are said."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap.errors import InputError
from wmap.reading.patch import apply_merge_patch, json_patch, merge_patch, same

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.text("ab/~0é", max_size=2))
DOCUMENTS = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text("ab/~1", max_size=2), v, max_size=3)
)
OBJECTS = st.dictionaries(st.text("ab/~1", max_size=2), DOCUMENTS, max_size=4)


def _at(document, pointer):
    """Where a JSON pointer leads: the holder, and the key in it."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    holder = document
    for step in steps[:-1]:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    return holder, int(steps[-1]) if isinstance(holder, list) else steps[-1]


def applied(document, operations):
    """RFC 6902 written down again, as far as the operations go that are made here."""
    whole = {"": copy.deepcopy(document)}
    for operation in operations:
        holder, key = _at(whole, "/" + operation["path"]) if operation["path"] else (whole, "")
        if operation["op"] == "test":
            assert same(holder[key], operation["value"])
        elif operation["op"] == "remove":
            del holder[key]
        else:
            assert operation["op"] == "add" or key in holder or isinstance(holder, list)
            holder[key] = copy.deepcopy(operation["value"])
    return whole[""]


@given(OBJECTS, OBJECTS)
def test_a_json_patch_gives_the_new_document(old, new):
    """Every test holds, and the operations make the new document of the old one."""
    assert same(applied(old, json_patch(old, new)), new)


@given(OBJECTS, OBJECTS)
def test_a_merge_patch_gives_the_new_document_or_is_refused(old, new):
    """The patch makes the new document of the old one; it is refused only where the new one sets a null."""
    try:
        patch = merge_patch(old, new)
    except InputError:
        assert _nulls(new)
        return
    assert same(apply_merge_patch(old, patch), new)


def _nulls(document):
    return isinstance(document, dict) and any(v is None or _nulls(v) for v in document.values())


@pytest.mark.parametrize(
    ("old", "new"), [({}, {"a": {"b": None}}), ({"a": 1}, {"a": {"b": None}}), ({"a": [1]}, {"a": {"b": {"c": None}}})]
)
def test_a_null_below_what_is_new_is_refused(old, new):
    """A merge patch would drop a null in an object that is added or takes the place of something else."""
    with pytest.raises(InputError, match="to null"):
        merge_patch(old, new)


ENTRIES = st.lists(st.dictionaries(st.sampled_from(["name", "a", "b"]), DOCUMENTS, max_size=3), min_size=2, max_size=4)


@given(ENTRIES, st.data())
def test_a_json_patch_of_an_entry_fails_on_a_list_in_another_order(entries, data):
    """What is only added to an entry of a list is added to that entry, or the patch fails."""
    position = data.draw(st.integers(0, len(entries) - 1))
    new = copy.deepcopy(entries)
    new[position]["added"] = 1
    operations = json_patch({"x": entries}, {"x": new})
    assert same(applied({"x": entries}, operations), {"x": new})
    order = data.draw(st.permutations(range(len(entries))))
    other = [entries[i] for i in order]
    if same(other[position], entries[position]):
        return
    with pytest.raises((AssertionError, KeyError)):
        applied({"x": other}, operations)


@pytest.mark.parametrize(
    ("entries", "tests"),
    [
        ([{"a": "x", "name": "n"}, {"a": "y", "name": "m"}], [("/0/name", "n")]),
        ([{"a": 1, "groupName": "g"}], [("/0/groupName", "g")]),
        ([{"name": "n", "a": "x"}, {"name": "n", "a": "y"}], [("/0/a", "x")]),
        ([{"a": "x", "b": 1}, {"a": "x", "b": 2}], [("/0/a", "x"), ("/0/b", 1)]),
        ([{"a": {"b": 1}}, {"a": {"b": 2}}], [("/0", {"a": {"b": 1}})]),
    ],
)
def test_an_entry_is_told_by_a_name_else_by_its_scalars_else_by_all_of_it(entries, tests):
    """The least that tells the entry from the others is tested before something is added to it."""
    new = [{**entries[0], "added": True}, *entries[1:]]
    assert json_patch(entries, new) == [
        *({"op": "test", "path": path, "value": value} for path, value in tests),
        {"op": "add", "path": "/0/added", "value": True},
    ]
