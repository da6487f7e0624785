"""Manifests of a bundle: in a fixed order, labelled, and read as the definitions that they are of."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bundles import ALWAYS, ROOT, files

from wmap import Catalog
from wmap.definition import load
from wmap.registry.bundle import Bundle, read_bundle
from wmap.registry.bundle.build import index_of
from wmap.registry.bundle.content import assemble
from wmap.registry.differences import Differences
from wmap.report.manifests import as_files, as_yaml, label, manifests

ENTRIES = sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("catalog/*/*.yaml") if p.name != "framework.yaml")


@cache
def _bundle(chosen: tuple[str, ...], version: str = "1.2.0") -> Bundle:
    found = files(*ALWAYS, *chosen, *{f"{Path(c).parent.as_posix()}/framework.yaml" for c in chosen})
    return read_bundle(assemble(index_of(found, version, None, Differences("", ""), {}), found))


def _objects(entry: str) -> list[dict[str, object]]:
    found = []
    for file in sorted((ROOT / "fixtures" / Path(entry).stem).glob("*.yaml"))[:4]:
        document = yaml.safe_load(file.read_text())
        if isinstance(document, dict) and isinstance(document.get("object"), dict):
            found.append(document["object"])
    return found


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=3, unique=True), st.sampled_from(["1.2.0", "2.0.0-rc.1"])
)
def test_any_catalog_renders_to_the_same_readings(chosen: list[str], version: str) -> None:
    """What is built, verified and rendered reads objects as the files of the catalog do."""
    import tempfile

    bundle = _bundle(tuple(sorted(chosen)), version)
    with tempfile.TemporaryDirectory() as folder:
        for manifest in manifests(bundle):
            place = Path(folder) / "x" / manifest.file.removeprefix("karta-")
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(as_files(bundle, "dir")[manifest.file])
        rendered, whole = Catalog.load(folder), Catalog.load(ROOT / "catalog")
        objects = [o for entry in chosen for o in _objects(entry)]
        assert objects
        for obj in objects:
            one, other = rendered.read(obj).to_dict(), whole.read(obj).to_dict()
            del one["definition"], other["definition"]
            assert json.dumps(one) == json.dumps(other)


def test_the_order_is_fixed_and_the_crd_comes_first() -> None:
    """The same bundle gives the same text: the CRD, then the definitions by name."""
    bundle = _bundle(tuple(ENTRIES))
    text = as_yaml(bundle, with_crd=True)
    kinds = [(d["kind"], d["metadata"]["name"]) for d in yaml.safe_load_all(text)]
    assert kinds[0] == ("CustomResourceDefinition", "kartas.run.ai")
    names = [name for _, name in kinds[1:]]
    assert names == sorted(names)
    assert len(names) == len(ENTRIES)
    assert text == as_yaml(bundle, with_crd=True)


def test_each_manifest_says_which_bundle_it_is_from() -> None:
    """Labels hold version and framework, an annotation the digest, which is too long for a label."""
    bundle = _bundle((ENTRIES[0],), "2.0.0-rc.1")
    (only,) = manifests(bundle)
    metadata = only.document["metadata"]
    assert metadata["labels"]["wmap.dev/bundle"] == "2.0.0-rc.1"
    assert metadata["labels"]["wmap.dev/framework"] == ENTRIES[0].split("/")[1]
    assert metadata["annotations"]["wmap.dev/bundle-digest"] == bundle.digest


def test_what_is_rendered_is_still_a_definition() -> None:
    """Each rendered file passes level schema as its own file does."""
    bundle = _bundle(tuple(ENTRIES))
    for name, data in as_files(bundle, "dir").items():
        assert load(data, file=name).findings == ()


@pytest.mark.parametrize(
    ("version", "value"), [("1.0.0+dirty", "1.0.0_dirty"), ("1.0.0-" + "a" * 90, "1.0.0-" + "a" * 57)]
)
def test_a_version_becomes_a_label(version: str, value: str) -> None:
    """A label has no plus sign and at most 63 characters."""
    assert label(version) == value


def test_a_kustomization_names_all_files() -> None:
    """All files but itself are its resources."""
    written = as_files(_bundle(tuple(ENTRIES[:3])), "kustomize", with_crd=True)
    resources = yaml.safe_load(written.pop("kustomization.yaml"))["resources"]
    assert resources == sorted(written)
    assert resources[0] == "crd-kartas.yaml"


def test_a_chart_keeps_braces_of_expressions() -> None:
    """Two braces in an expression are no template: Helm's own escape gives them back."""
    entry = ENTRIES[0]
    text = (ROOT / entry).read_text().replace("metadata:\n", 'metadata:\n  annotations: {note: "{{ .Values.x }}"}\n', 1)
    found = files(*ALWAYS, f"{Path(entry).parent}/framework.yaml") | {entry: text.encode()}
    bundle = read_bundle(assemble(index_of(found, "1.0.0", None, Differences("", ""), {}), found))
    chart = as_files(bundle, "helm", with_crd=True)
    made = next(data for name, data in chart.items() if name.startswith("templates/"))
    assert b'{{ "{{" }} .Values.x }}' in made
    assert yaml.safe_load(chart["Chart.yaml"])["version"] == "1.0.0"
    assert "crds/crd-kartas.yaml" in chart


def test_a_yanked_definition_is_left_out() -> None:
    """Nobody applies what its maintainers took back; the stream says so."""
    from dataclasses import replace

    bundle = _bundle(tuple(ENTRIES[:2]))
    first, *others = bundle.index.definitions
    index = replace(bundle.index, definitions=(replace(first, yanked="wrong\npods: 1"), *others))
    left = replace(bundle, index=index)
    assert [m.document["metadata"]["name"] for m in manifests(left)] == [e.name for e in others]
    head = as_yaml(left).split(b"---\n")[0].decode().splitlines()
    assert len(head) == 2
    assert head[1].startswith(f"# left out: {first.name}, yanked")
