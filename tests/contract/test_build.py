"""A release built, put into a store, and read from it again."""

from __future__ import annotations

import json

import pytest
import yaml

from wmap.contract import Facts, KindName, Store, Term, TermKind
from wmap.contract.build import add_release, build_release
from wmap.contract.files import LazyFacts, facts_from, facts_to
from wmap.contract.framework import CoreType
from wmap.errors import CallError, InputError

THING = KindName("some.dev", "v1", "Thing")


def manifest(**properties):
    """A CRD of the kind Thing whose spec has these properties."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    document = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.some.dev"},
        "spec": {"group": "some.dev", "scope": "Namespaced", "names": {"kind": "Thing"}, "versions": [version]},
    }
    return yaml.safe_dump(document).encode()


def built(release="v1.0.0", *, terms=(), places=(), **properties):
    """A release with one kind."""
    return build_release(
        release, [("things.yaml", manifest(**properties))], terms=terms, places=places, commit="c0ffee"
    )


INTEGER = {"type": "integer", "default": 1}
STRING = {"type": "string"}


def test_what_is_put_in_comes_out(tmp_path):
    """A contract and a vocabulary read from the store are those that were built."""
    term = Term("Ready", TermKind.CONDITION, "ThingReady", "ConditionType", "api/v1/types.go", 7)
    add_release(tmp_path, "some", "v1.0.0", built(replicas=INTEGER, terms=[term]))
    store = Store(tmp_path)
    assert store.kinds("some", "v1.0.0") == [THING]
    assert store.contract("some", "v1.0.0", *THING).find(".spec.replicas").facts == Facts(
        type="integer", has_default=True, default=1
    )
    assert store.vocabulary("some", "v1.0.0").terms == (term,)
    assert store.contract("some", "v1.0.0", "some.dev", "v2", "Thing") is None


def test_equal_contracts_share_a_file(tmp_path):
    """Releases whose contract is the same share one file, named by the first of them, whichever is added first."""
    for release, properties in (("v1.2.0", {"a": STRING}), ("v1.10.0", {"b": STRING}), ("v1.1.0", {"a": STRING})):
        add_release(tmp_path, "some", release, built(release, **properties))
    files = sorted(p.relative_to(tmp_path / "some").as_posix() for p in tmp_path.rglob("*.json"))
    assert files == ["Thing.v1.some.dev/v1.1.0.json", "Thing.v1.some.dev/v1.10.0.json", "index.json"]
    shared = json.loads((tmp_path / "some" / files[0]).read_text())
    assert shared["releases"] == ["v1.1.0", "v1.2.0"]
    assert Store(tmp_path).releases("some") == ["v1.1.0", "v1.2.0", "v1.10.0"]


def test_the_order_of_adding_does_not_show(tmp_path):
    """The bytes of a store are the same in whichever order its releases were added."""
    releases = {"v1.0.0": {"a": STRING}, "v1.1.0": {"a": STRING, "b": INTEGER}, "v1.2.0": {"a": STRING}}
    for folder, order in (("one", list(releases)), ("two", list(releases)[::-1])):
        for release in order:
            add_release(tmp_path / folder, "some", release, built(release, **releases[release]))
    read = [
        {p.relative_to(tmp_path / f): p.read_bytes() for p in (tmp_path / f).rglob("*.json")} for f in ("one", "two")
    ]
    assert read[0] == read[1]


def test_one_line_a_field(tmp_path):
    """A contract file has one line a field, sorted, and the index says what was read."""
    add_release(tmp_path, "some", "v1.0.0", built(b=STRING, a=INTEGER))
    lines = (tmp_path / "some" / "Thing.v1.some.dev" / "v1.0.0.json").read_text().splitlines()
    assert lines[-5:-2] == [
        '".spec": {"type":"object"},',
        '".spec.a": {"type":"integer","default":1},',
        '".spec.b": {"type":"string"}',
    ]
    entry = Store(tmp_path).entry("some", "v1.0.0")
    assert entry["commit"] == "c0ffee"
    assert [item["path"] for item in entry["read"]] == ["things.yaml"]


def test_a_failing_build_leaves_the_store(tmp_path):
    """A release that cannot be built changes no byte of the store."""
    add_release(tmp_path, "some", "v1.0.0", built(a=STRING))
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    with pytest.raises(InputError):
        add_release(tmp_path, "some", "v1.1.0", built("v1.1.0", a={"$ref": "#/nothing"}))
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_kind_that_two_manifests_declare():
    """Two manifests that declare the same kind are refused, both named."""
    with pytest.raises(InputError, match=r"is declared in a\.yaml and in b\.yaml"):
        build_release("v1", [("a.yaml", manifest()), ("b.yaml", manifest())])


OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def test_declared_places(tmp_path):
    """A place that the CRD leaves open is the core type that framework.yaml declares, in the releases of its range."""
    places = [CoreType("Thing", ".spec.workers{}.template", "PodTemplateSpec", "a.go", ">=v1.0.0")]
    workers = {"type": "object", "additionalProperties": OPEN}
    for release in ("v0.9.0", "v1.0.0"):
        add_release(tmp_path, "some", release, built(release, places=places, workers=workers))
    old, new = (Store(tmp_path).contract("some", r, *THING) for r in ("v0.9.0", "v1.0.0"))
    assert old.find(".spec.workers{}.template") is None
    assert new.find(".spec.workers{}.template").ref == "PodTemplateSpec"
    assert new.find(".spec.workers{}.template.spec.containers[].image").type == "string"
    assert not new.find(".spec.workers{}.template").preserve


def test_a_described_place_stays():
    """A declared place that the CRD does describe is as the CRD says."""
    described = {"type": "object", "properties": {"own": STRING}}
    found = built(places=[CoreType("Thing", ".spec.pod", "PodSpec", "a.go")], pod=described)
    assert found.bodies[THING].fields[".spec.pod"] == Facts(type="object")


@pytest.mark.parametrize(
    ("path", "core", "message"),
    [
        (".spec.a", "PodSpecs", "PodSpecs is no core type"),
        (".spec.nothing", "PodSpec", r"Thing has no place \.spec\.nothing at v1\.0\.0"),
    ],
)
def test_no_such_place(path, core, message):
    """A declaration that names no core type or no place is refused with what it says."""
    with pytest.raises(InputError, match=message):
        built(places=[CoreType("Thing", path, core, "a.go")], a=OPEN)


@pytest.mark.parametrize(
    "facts",
    [
        Facts(type="string", enum=("A", None), default=None, has_default=True),
        Facts(ref="PodSpec", lacks=(".a", ".b"), required=True),
        Facts(type="object", one_of=(("a",), ("b", "c")), rules=("x",), preserve=True),
        Facts(type="integer", minimum=0, maximum=5, default=0, has_default=True),
    ],
)
def test_facts_as_json(facts):
    """Facts written as JSON and read again are the same."""
    assert facts_from(json.loads(json.dumps(facts_to(facts)))) == facts


def test_lazy_facts_are_a_map():
    """Facts made when asked for behave as a map of paths."""
    facts = LazyFacts({"": {"type": "object"}, ".a": {"type": "string"}})
    assert dict(facts) == {"": Facts(type="object"), ".a": Facts(type="string")}
    assert facts.get(".b") is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.releases("other"), "knows no framework 'other'"),
        (lambda s: s.kinds("some", "v9"), "the store has no release v9 of some"),
        (lambda s: s.vocabulary("some", "v9"), "the store has no release v9 of some"),
        (lambda s: s.core("PodSpec", "v1.2.0"), "the store has no release v1.2.0 of kubernetes"),
    ],
)
def test_what_the_store_does_not_have(tmp_path, call, message):
    """A framework or release that the store does not have is named in the error."""
    add_release(tmp_path, "some", "v1.0.0", built())
    with pytest.raises(CallError, match=message):
        call(Store(tmp_path))


@pytest.mark.parametrize("text", ["{", "[]", '{"schemaVersion": 99}'])
def test_a_broken_store(tmp_path, text):
    """A file of the store that cannot be read is named."""
    add_release(tmp_path, "some", "v1.0.0", built())
    (tmp_path / "some" / "index.json").write_text(text)
    with pytest.raises(InputError, match=r"index\.json"):
        Store(tmp_path).releases("some")


def test_core_types_of_a_version():
    """A core type is that of the version of Kubernetes that is asked for, by default the newest."""
    store = Store()
    assert store.core("PodSpec", "v1.25.0").find(".resources") is None
    assert store.core("PodSpec", "v1.33.0").find(".resources.limits{}").type == "int-or-string"
    assert store.core("Pod").find(".spec.containers[].env[].valueFrom.fieldRef.fieldPath").facts.required
    with pytest.raises(CallError, match="did you mean PodSpec"):
        store.core("PodSpecs")
