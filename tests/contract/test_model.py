"""The tree of a contract: fields, maps, items, and core types that it refers to."""

from __future__ import annotations

import pytest

from wmap.contract import Contract, Facts, steps_of

TYPES = {
    "Pod": {
        "": Facts(type="object"),
        ".spec": Facts(ref="Spec"),
        ".name": Facts(type="string"),
    },
    "Spec": {
        "": Facts(type="object"),
        ".old": Facts(type="string"),
        ".new": Facts(type="string"),
        ".containers": Facts(type="array"),
        ".containers[]": Facts(type="object"),
        ".containers[].image": Facts(type="string"),
        ".containers[].name": Facts(type="string", required=True),
    },
}


def core(name: str) -> Contract:
    """A core type of the tests."""
    return Contract("kubernetes", "v1.33.0", "", "v1", name, TYPES[name], core)


def contract(**fields: Facts) -> Contract:
    """A kind whose tree is given by paths."""
    return Contract("some", "v1.0.0", "some.dev", "v1", "Thing", {"": Facts(type="object"), **fields}, core)


def test_steps():
    """A path is read step by step, quoted keys too."""
    assert list(steps_of('.spec.groups[]."a.b"{}.x-y')) == [
        (".", "spec"), (".", "groups"), ("[]", ""), (".", "a.b"), ("{}", ""), (".", "x-y"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["spec", ".spec..x", '."a', ".spec[0]"])
def test_no_path(text):
    """A text that is no path is refused with its column."""
    with pytest.raises(ValueError, match="is no path of a contract"):
        list(steps_of(text))


def test_named_fields_and_maps():
    """A named field comes before the value of a map; a map has no named fields."""
    kind = contract(**{".m": Facts(type="object"), ".m{}": Facts(type="string"), ".m.a": Facts(type="integer")})
    assert kind.find(".m.a").type == "integer"
    assert kind.find(".m.other").type == "string"
    assert kind.root.named("m").named("other") is None
    assert [name for name, _ in kind.root.children()] == ["m"]


def test_core_types_are_followed():
    """Below a reference, fields are those of the core type, also through a second reference, with their path in the kind."""
    kind = contract(**{".template": Facts(ref="Pod")})
    found = kind.find(".template.spec.containers[].image")
    assert (found.type, found.path) == ("string", ".template.spec.containers[].image")
    assert kind.find(".template").type == "object"
    assert [name for name, _ in kind.find(".template").children()] == ["name", "spec"]


def test_what_a_kind_lacks_of_a_core_type():
    """A field that the kind lacks is not there, at any depth, and nothing else goes with it."""
    kind = contract(**{".template": Facts(ref="Pod", lacks=(".spec.new", ".spec.containers[].image"))})
    assert kind.find(".template.spec.new") is None
    assert kind.find(".template.spec.containers[].image") is None
    assert [name for name, _ in kind.find(".template.spec").children()] == ["containers", "old"]


def test_what_a_kind_says_differently():
    """What the kind says of a field below a core type comes first; the fields below that one are still the core type's."""
    kind = contract(
        **{
            ".template": Facts(ref="Pod"),
            ".template.spec.extra": Facts(type="integer"),
            ".template.spec.containers": Facts(type="array", required=True),
        }
    )
    assert kind.find(".template.spec.containers").facts.required
    assert kind.find(".template.spec.containers[].name").facts.required
    assert [name for name, _ in kind.find(".template.spec").children()] == ["containers", "extra", "new", "old"]


def test_a_closed_place_has_nothing_of_the_core_type():
    """Where a kind says all there is of a place below a core type, nothing of the core type holds there."""
    kind = contract(
        **{
            ".template": Facts(ref="Pod"),
            ".template.spec": Facts(type="object", closed=True),
            ".template.spec.own": Facts(type="string"),
        }
    )
    assert kind.find(".template.spec.containers") is None
    assert [name for name, _ in kind.find(".template.spec").children()] == ["own"]
    assert kind.find(".template.name").type == "string"
    assert kind.find(".template.spec").ref is None


def test_which_core_type_a_place_is():
    """A place says which core type it is, also where the core type's own tree refers to another one."""
    kind = contract(
        **{".template": Facts(ref="Pod"), ".template.spec": Facts(required=True), ".other": Facts(type="string")}
    )
    assert kind.find(".template").ref == "Pod"
    assert kind.find(".template.spec").ref == "Spec"
    assert kind.find(".other").ref is None
