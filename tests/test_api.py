"""The public face: what it reads, and what it says of what it cannot read."""

from __future__ import annotations

import pytest

from wmap import Catalog
from wmap.errors import InputError, UnknownKindError

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}


@pytest.mark.parametrize(
    "obj", [None, [], 5, "x", {}, {"kind": "Pod"}, {"apiVersion": [], "kind": "Pod"}, {"apiVersion": "v1", "kind": ""}]
)
def test_what_is_no_object_is_an_error_of_the_input(obj):
    """An object is a map with apiVersion and kind; anything else is said to be none."""
    with pytest.raises(InputError, match=r"is no object|the object has no"):
        Catalog.load().read(obj)


def test_of_many_those_of_unknown_kinds_are_given_back():
    """The caller sees the readings and the objects that no definition reads, with the error; without asking, the first raises."""
    catalog = Catalog.load()
    found = []
    readings = list(
        catalog.read_many([CONFIG, POD, CONFIG], unknown=lambda obj, error: found.append((obj, error.kind)))
    )
    assert [r.workload.name for r in readings] == ["p"]
    assert found == [(CONFIG, "v1 ConfigMap"), (CONFIG, "v1 ConfigMap")]
    with pytest.raises(UnknownKindError):
        list(catalog.read_many([POD, CONFIG]))
