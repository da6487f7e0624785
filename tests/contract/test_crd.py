"""CRD manifests: the kinds they declare, the facts of their schemas, and manifests that are no good."""

from __future__ import annotations

import json

import pytest
import yaml

from wmap.contract.crd import read_crds
from wmap.contract.model import Facts
from wmap.errors import InputError


def crd(spec=None, *, versions=None, api="apiextensions.k8s.io/v1", **more):
    """A CRD of the kind Thing whose ``spec`` has this schema."""
    schema = {"type": "object", "properties": {"spec": spec or {"type": "object"}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": api,
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.some.dev"},
        "spec": {
            "group": "some.dev",
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [version] if versions is None else versions,
            **more,
        },
    }


def read(*documents):
    """The kinds that documents declare."""
    return read_crds(yaml.safe_dump_all(documents).encode(), "some.yaml")


def facts(schema, path=""):
    """The facts at a path of a schema."""
    return read(crd(schema))[0].tree.at(".spec" + path).facts


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "format": "int32", "minimum": 0, "default": 1}, Facts(type="integer", format="int32", minimum=0, has_default=True, default=1)),
        ({"type": "string", "enum": ["A", "B"], "nullable": True}, Facts(type="string", enum=("A", "B"), nullable=True)),
        ({"type": "string", "default": None}, Facts(type="string", has_default=True)),
        ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, Facts(type="int-or-string")),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, Facts(type="int-or-string")),
        ({"x-kubernetes-preserve-unknown-fields": True}, Facts(preserve=True)),
        ({"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}, Facts(type="array", list_type="map", list_keys=("name",))),
        ({"type": "object", "x-kubernetes-map-type": "atomic"}, Facts(type="object", map_type="atomic")),
        ({"type": "object", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "no"}]}, Facts(type="object", rules=("self == oldSelf",))),
        ({"type": "object", "properties": {}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, Facts(type="object", one_of=(("a",), ("b",)))),
        ({"type": "object", "anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}]}, Facts(type="object", any_of=(("a", "b"), ("c",)))),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {"properties": {}}]}, Facts(type="object")),
        ({"type": "string", "anyOf": [{"enum": ["A"]}, {"enum": ["B", "A"]}]}, Facts(type="string", enum=("A", "B"))),
        ({"type": "integer", "minimum": 0, "allOf": [{"minimum": 2}, {"maximum": 9}]}, Facts(type="integer", minimum=2, maximum=9)),
        ({"type": "string", "enum": ["A", "B"], "allOf": [{"enum": ["B", "C"]}]}, Facts(type="string", enum=("B",))),
        ({"type": "string", "not": {"enum": ["A"]}}, Facts(type="string")),
        ({"type": "object", "description": "words"}, Facts(type="object")),
    ],
)  # fmt: skip
def test_facts(schema, expected):
    """Each thing that a schema says becomes a fact; descriptions, and what only narrows, do not."""
    assert facts(schema) == expected


def test_fields_items_and_values():
    """Named fields, items and values of maps are places of their own; required is said of the field."""
    schema = {
        "type": "object",
        "required": ["groups"],
        "properties": {
            "groups": {"type": "array", "items": {"type": "object", "properties": {"a.b": {"type": "string"}}}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "any": {"type": "object", "additionalProperties": True},
        },
    }
    assert facts(schema, ".groups").required
    assert facts(schema, '.groups[]."a.b"').type == "string"
    assert facts(schema, ".labels{}").type == "string"
    assert facts(schema, ".any{}") == Facts(preserve=True)


def test_required_within_all_of():
    """A field that a part of allOf requires is required."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "allOf": [{"required": ["a"]}]}
    assert facts(schema, ".a").required


def test_root_is_an_object_of_the_api():
    """Every kind has apiVersion, kind and whole metadata, whatever its schema says of them."""
    tree = read(crd())[0].tree
    assert tree.named["metadata"].facts.ref == "ObjectMeta"
    assert tree.named["apiVersion"].facts.type == "string"


def test_embedded_resources_keep_their_metadata():
    """An embedded resource has whole metadata too: the API server does not prune it."""
    schema = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"metadata": {"type": "object"}}}
    assert facts(schema, ".metadata").ref == "ObjectMeta"


def test_several_versions():
    """Each version of a CRD is declared with what the CRD says of it."""
    schema = {"openAPIV3Schema": {"type": "object"}}
    versions = [
        {"name": "v1alpha1", "served": False, "storage": False, "deprecated": True, "schema": schema},
        {"name": "v1", "served": True, "storage": True, "schema": schema},
    ]
    found = [(d.version, d.served, d.storage, d.deprecated) for d in read(crd(versions=versions))]
    assert found == [("v1alpha1", False, False, True), ("v1", True, True, False)]


def test_v1beta1_shares_one_schema():
    """An old CRD has its schema under validation, one version by name, and prunes nothing unless it says so."""
    validation = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "string"}}}}
    old = crd(versions=[], api="apiextensions.k8s.io/v1beta1", version="v1alpha1", validation=validation)
    (found,) = read(old)
    assert (found.version, found.storage, found.open, found.tree.named["spec"].facts.type) == (
        "v1alpha1",
        True,
        True,
        "string",
    )
    old["spec"]["preserveUnknownFields"] = False
    assert not read(old)[0].open


def test_documents_lists_and_other_kinds():
    """Several documents, lists and JSON are read; other kinds among them are passed over."""
    listed = {"apiVersion": "v1", "kind": "List", "items": [crd(), {"apiVersion": "v1", "kind": "ConfigMap"}]}
    second = crd()
    second["spec"]["names"]["kind"] = "Other"
    assert [d.kind for d in read(listed, second)] == ["Thing", "Other"]
    assert read_crds(json.dumps(crd()).encode(), "some.json")[0].kind == "Thing"


def nested(levels):
    """A schema so many levels deep."""
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def test_forty_levels():
    """A schema forty levels deep is read."""
    assert facts(nested(40), ".a" * 40).type == "string"


def with_spec(**changes):
    """A CRD whose spec is changed."""
    found = crd()
    found["spec"].update(changes)
    return found


VERSION = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (crd({"type": "object", "properties": {"a": {"$ref": "#/definitions/A"}}}), r"things.some.dev: version v1: .spec.a: \$ref '#/definitions/A' refers to nothing"),
        (crd({"type": "object", "allOf": [{"$ref": "#/x"}]}), r"\.spec: \$ref '#/x' refers to nothing"),
        (crd(nested(150)), "deep"),
        (crd({"type": "object", "properties": {"a": ["string"]}}), r"\.spec\.a: a schema is a map, this is a list"),
        (crd({"type": ["string", "null"]}), r"\.spec: the schema is malformed"),
        ({"apiVersion": "apps/v1", "kind": "Deployment"}, "no CustomResourceDefinition in it, but Deployment apps/v1"),
        (["a"], "no CustomResourceDefinition in it, but a list"),
        (crd(versions=[VERSION, {**VERSION, "name": "v2"}]), r"2 versions are stored \(v1, v2\), not one"),
        (crd(versions=[{**VERSION, "storage": False}]), "0 versions are stored"),
        (crd(versions=[VERSION, VERSION]), "the version v1 stands twice"),
        (crd(versions=[{**VERSION, "schema": {}}]), "version v1 of Thing has no schema"),
        (crd({"type": "string", "enum": "A"}), r"\.spec: the schema is malformed: enum is a text"),
        (crd({"type": "text"}), r"\.spec: the schema is malformed: type is 'text'"),
        (crd({"type": "integer", "minimum": "0"}), r"\.spec: the schema is malformed: minimum is a text"),
        (crd({"type": "integer", "allOf": [{"maximum": []}]}), r"\.spec: the schema is malformed: maximum is a list"),
        (crd({"type": "string", "allOf": [{"enum": "A"}]}), r"\.spec: enum is a list, this is a text"),
        (with_spec(names=["Thing"]), "spec.group or spec.names.kind is missing"),
        (crd(versions="v1"), "spec.versions is no list"),
        (crd(api="apiextensions.k8s.io/v2"), "apiVersion 'apiextensions.k8s.io/v2' is not known"),
        (with_spec(group=None), "spec.group or spec.names.kind is missing"),
        ({**crd(), "spec": None}, "it has no spec"),
    ],
)  # fmt: skip
def test_refused(document, message):
    """A manifest that is no good is refused with the file, the CRD, and what is wrong where."""
    with pytest.raises(InputError, match=message) as raised:
        read(document)
    assert raised.value.message.startswith("some.yaml")


def test_ten_megabytes():
    """A file larger than any CRD is refused before it is read."""
    with pytest.raises(InputError, match=r"big\.yaml: it has 10,000,000 bytes; at most 8,388,608 are read"):
        read_crds(b"#" * 10_000_000, "big.yaml")


def test_not_yaml():
    """A file that is no YAML is refused with the line."""
    with pytest.raises(InputError, match=r"some\.yaml:1:"):
        read_crds(b"{", "some.yaml")
