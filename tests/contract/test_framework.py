"""``framework.yaml``: what is read, what is refused, and where."""

from __future__ import annotations

from textwrap import dedent

import pytest

from wmap.contract.framework import Life, check_framework, load_framework, load_frameworks
from wmap.contract.model import Term, TermKind, steps_of
from wmap.contract.releases import in_range
from wmap.contract.store import KUBERNETES
from wmap.definition.yamlio import read_documents
from wmap.errors import CallError, EnvironmentFailure, InputError

HEAD = """\
apiVersion: wmap/v1
kind: Framework
name: demo
displayName: Demo
repository: https://example.org/demo
licence: Apache-2.0
tagPattern: "v*"
"""

FULL = HEAD + dedent("""\
    homePage: https://example.org
    layout:
    - releases: ">=v1.0.0"
      crds: ["config/crd/*.yaml"]
      source: ["api/**/*.go"]
    - crds: ["crds/*.yaml"]
      source: ["*.go"]
    supported: {releases: [v1.1.0], why: the newest}
    modules:
    - {module: knative.dev/pkg, repository: "https://example.org/pkg", source: ["apis/**/*.go"], releases: "<v1.0.0"}
    coreTypes:
    - {kind: Demo, path: '.spec.x[]."a.b"{}', type: PodSpec, source: api/demo.go:12}
    vocabulary:
    - {name: Strange, kind: condition}
    words:
    - {value: DemoStarted, kind: reason, releases: ">=v1.0.0", source: a.go (reasonOf)}
    install: {image: "example.org/demo:{release}", manifest: deploy/all.yaml}
    notes:
    - {date: "2026-01-31", source: a.go, text: never written, about: {kind: Demo, field: .status.state, value: lost, releases: ">=v1.0.0"}}
    - {date: 2026-01-31, source: a.go, text: for people}
""")


def _wrong(text):
    framework, findings = check_framework(text, file="demo/framework.yaml")
    assert framework is None
    return [(f.name, f.field, f.span.line) for f in findings]


def test_the_whole_format_is_read():
    """Each section becomes its own frozen value."""
    framework, findings = check_framework(FULL, file="x")
    assert findings == ()
    assert framework is not None
    assert (framework.supported, framework.supported_why) == (("v1.1.0",), "the newest")
    assert framework.vocabulary[0].kind is TermKind.CONDITION
    assert framework.core_types_at("v3.0.0", "Demo")[0].path == '.spec.x[]."a.b"{}'
    assert framework.core_types_at("v3.0.0", "Other") == ()
    assert (framework.image, framework.manifest) == ("example.org/demo:{release}", "deploy/all.yaml")
    assert framework.notes[1].about is None


def test_words_that_are_put_together_are_terms_of_their_releases():
    """They come from where the operator puts them together."""
    framework = check_framework(FULL).framework
    assert framework is not None
    assert framework.words_at("v0.9.0") == ()
    assert framework.words_at("v1.0.0") == (Term("DemoStarted", TermKind.REASON, "DemoStarted", "", "a.go (reasonOf)"),)


def test_the_first_layout_that_fits_counts():
    """Where things lie depends on the release."""
    framework = check_framework(FULL).framework
    assert framework is not None
    assert framework.layout_at("v1.0.0").crds == ("config/crd/*.yaml",)
    assert framework.layout_at("v0.9.0").crds == ("crds/*.yaml",)
    assert [m.module for m in framework.modules_at("v0.9.0")] == ["knative.dev/pkg"]
    assert framework.modules_at("v1.0.0") == ()


def test_a_framework_without_a_layout_has_none():
    """The sections are optional."""
    framework = check_framework(HEAD).framework
    assert framework is not None
    assert framework.layout_at("v1.0.0") is None
    assert framework.is_release("v2")
    assert not framework.is_release("chart-2")


def test_notes_are_found_by_kind_and_release():
    """A note holds for the releases of its range."""
    framework = check_framework(FULL).framework
    assert framework is not None
    assert [n.text for n in framework.notes_about("Demo", "v1.0.0")] == ["never written"]
    assert framework.notes_about("Demo", "v0.1.0") == ()
    assert framework.notes_about("Other", "v1.0.0") == ()


def test_the_life_of_definitions_is_read():
    """Deprecated, replaced and yanked are said by name, each with its reason; others are as alive as can be."""
    text = HEAD + "definitions:\n  a-v1: {deprecated: it is old, replacedBy: a-v2}\n  a-v0: {yanked: it counts wrong}\n"
    framework = check_framework(text).framework
    assert framework is not None
    assert framework.life_of("a-v1") == Life("a-v1", "it is old", "a-v2")
    assert framework.life_of("a-v2") is None
    said = [life.said() for life in framework.lives]
    assert said == ["yanked: it counts wrong", "deprecated: it is old; replaced by a-v2"]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("", ("not-a-definition", None, 1)),
        ("[]", ("not-a-definition", None, 1)),
        ("kind: Karta", ("not-a-definition", None, 1)),
        ("a: [", ("not-yaml", None, 1)),
        (HEAD + "layuot: []", ("unknown-key", "layuot", 8)),
        (HEAD.replace("demo\ndisp", "Demo!\ndisp"), ("bad-value", "name", 3)),
        (HEAD.replace("https://example.org/demo", "ext::sh -c x"), ("bad-value", "repository", 5)),
        (HEAD.replace("https://example.org/demo", "--upload-pack=x"), ("bad-value", "repository", 5)),
        (HEAD + "layout: [{crds: [/etc/*.yaml], source: [a]}]", ("bad-value", "layout[0].crds[0]", 8)),
        (HEAD + "layout: [{crds: [a/../../b], source: [a]}]", ("bad-value", "layout[0].crds[0]", 8)),
        (HEAD + "layout: [{crds: [-a], source: [a]}]", ("bad-value", "layout[0].crds[0]", 8)),
        (HEAD + "layout: [{source: [a]}]", ("missing-field", "layout[0]", 8)),
        (HEAD + "layout: [{releases: latest, crds: [a], source: [a]}]", ("bad-value", "layout[0].releases", 8)),
        (HEAD + "layout: [{releases: '~v1', crds: [a], source: [a]}]", ("bad-value", "layout[0].releases", 8)),
        (HEAD + "supported: {releases: [1.0], why: x}", ("wrong-type", "supported.releases[0]", 8)),
        (HEAD + "supported: {releases: [x1], why: x}", ("bad-value", "supported.releases[0]", 8)),
        (HEAD + "coreTypes: [{kind: A, path: spec, type: PodSpec, source: a}]", ("bad-value", "coreTypes[0].path", 8)),
        (HEAD + "vocabulary: [{kind: phase}]", ("missing-field", "vocabulary[0]", 8)),
        (HEAD + "vocabulary: [{name: A, kind: state}]", ("bad-value", "vocabulary[0].kind", 8)),
        (HEAD + "definitions: {a-b-v1: {}}", ("bad-value", "definitions.a-b-v1", 8)),
        (HEAD + "definitions: {a-b-v1: {deprecated: true}}", ("wrong-type", "definitions.a-b-v1.deprecated", 8)),
        (HEAD + "definitions: {a-b-v1: {yanked: x, why: y}}", ("unknown-key", "definitions.a-b-v1.why", 8)),
        (HEAD + "definitions: {a-b-v1: {replacedBy: a-b-v1}}", ("bad-value", "definitions.a-b-v1.replacedBy", 8)),
        (HEAD + "notes: [{date: 2026-02-30, source: a, text: b}]", ("bad-value", "notes[0].date", 8)),
        (HEAD + "notes: [{date: 2026-02-01, source: a, text: b, about: {kind: A, field: x}}]", ("bad-value", "notes[0].about.field", 8)),
        (HEAD + "notes: [{date: 2026-02-01, source: a, text: b, about: {kind: A, field: .x, condition: B}}]", ("bad-value", "notes[0].about", 8)),
        (HEAD + "notes: [{date: 2026-02-01, source: a, text: b, about: {kind: A, condition: B, value: c}}]", ("bad-value", "notes[0].about", 8)),
        (HEAD + "notes: [{date: 2026-02-01, source: a, text: b, about: {kind: A, condition: B, releases: new}}]", ("bad-value", "notes[0].about.releases", 8)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_with_its_place(text, finding):
    """Findings are named like those of a definition, and stand where the value does."""
    assert _wrong(text) == [finding]


def test_the_frameworks_of_the_catalog_are_good(repository):
    """Each says where its things lie, in every release that it calls supported."""
    found = load_frameworks(repository / "catalog")
    assert set(found) >= {"jobset", "kuberay", "lws", "training-operator"}
    for framework in found.values():
        assert framework.supported
        # the contracts of Kubernetes' own kinds come from a package, not from a repository
        assert framework.name == KUBERNETES or all(framework.layout_at(r) for r in framework.supported)


@pytest.mark.upstream
def test_the_fields_of_notes_are_there_in_a_release_that_they_are_about(upstream, repository):
    """A note on a field that no release has would never be seen."""
    for framework in load_frameworks(repository / "catalog").values():
        kinds = {n.about.kind for n in framework.notes if n.about}
        crds = [
            (
                release.name,
                crd["spec"]["names"]["kind"],
                [v["schema"]["openAPIV3Schema"] for v in crd["spec"]["versions"]],
            )
            for release in sorted((upstream / framework.name).glob(framework.tag_pattern))
            for file in sorted(release.glob("*.yaml"))
            if any(kind.lower() in file.stem for kind in kinds)
            for crd, _ in read_documents(file.read_text())
        ]
        for about in (n.about for n in framework.notes if n.about and n.about.field):
            fitting = [
                s for r, kind, schemas in crds if kind == about.kind and in_range(r, about.releases) for s in schemas
            ]
            assert any(_has(schema, about.field) for schema in fitting)


def _has(schema, path):
    for _, name in steps_of(path):
        schema = schema.get("properties", {}).get(name)
        if schema is None:
            return False
    return True


def test_a_file_that_is_not_there_or_not_good_is_an_error(tmp_path):
    """Absent: the call; unreadable: the environment; bad: the artefact, with its place."""
    folder = tmp_path / "demo"
    folder.mkdir()
    path = folder / "framework.yaml"
    with pytest.raises(CallError, match="there is no"):
        load_framework(path)
    path.write_text(HEAD + "x: 1")
    with pytest.raises(InputError, match=r"framework\.yaml:8:1: unknown field `x`"):
        load_framework(path)
    path.write_text(HEAD.replace("name: demo", "name: other"))
    with pytest.raises(InputError, match="the framework other lies in the folder demo"):
        load_framework(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        load_framework(path)


def test_a_catalog_without_frameworks_is_a_wrong_call(tmp_path):
    """There is nothing to work on."""
    with pytest.raises(CallError, match="holds no framework"):
        load_frameworks(tmp_path)
