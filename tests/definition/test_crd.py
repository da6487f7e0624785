"""The CustomResourceDefinition of the format is structural and has the fields of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.definition.crd import crd

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = {
    "type", "description", "properties", "required", "items", "additionalProperties", "enum", "pattern", "default", "minLength",
    "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
}  # fmt: skip


def _schema() -> dict[str, Any]:
    return crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def _nodes(node: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, node
    for name, child in node.get("properties", {}).items():
        yield from _nodes(child, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        if isinstance(node.get(word), dict):
            yield from _nodes(node[word], f"{path}[]")


def test_every_node_has_a_type_and_words_of_structural_schemas() -> None:
    """No reference, no const, no lookahead: what an API server refuses in a schema is not there."""
    for path, node in _nodes(_schema()):
        assert node.get("type") in ("object", "array", "string"), path
        assert set(node) <= WORDS, path
        assert "(?" not in node.get("pattern", ""), path
        assert not ("properties" in node and "additionalProperties" in node), path


def test_list_maps_and_sets_are_said_to_be_such() -> None:
    """The keys by which the format tells entries apart are the server's keys, so that it refuses a second."""
    found = {
        path.rsplit(".", 1)[-1]: (node["x-kubernetes-list-type"], node.get("x-kubernetes-list-map-keys"))
        for path, node in _nodes(_schema())
        if "x-kubernetes-list-type" in node
    }
    assert found == {
        "additionalChildKinds": ("map", ["kind"]),
        "subGroups": ("map", ["componentName"]),
        "podGroups": ("map", ["name"]),
        "members": ("map", ["componentName"]),
        "groupByKeyPaths": ("set", None),
        "filters": ("set", None),
    }


def test_the_scope_is_the_cluster() -> None:
    """A definition speaks of a kind, which has no namespace."""
    assert crd()["spec"]["scope"] == "Cluster"
    assert crd()["metadata"]["name"] == "kartas.run.ai"
