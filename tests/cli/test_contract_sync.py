"""``wmap contract sync``: what is built from which repositories, and how failures end."""

from __future__ import annotations

import sys
from types import ModuleType

import click
import pytest
from click.testing import CliRunner
from tests.repositories import Origin

from wmap.cli.contract_sync_command import sync
from wmap.errors import CallError, WmapError

FRAMEWORK = """\
apiVersion: wmap/v1
kind: Framework
name: {name}
displayName: Demo
repository: {url}
licence: Apache-2.0
tagPattern: "v*"
layout:
- crds: ["crd/*.yaml"]
  source: ["api/*.go"]
"""


@pytest.fixture
def catalog(tmp_path, monkeypatch):
    """A catalog of two frameworks: one with two releases, one whose repository is gone."""
    origin = Origin(tmp_path / "origin")
    for tag in ("v1.0.0", "v1.1.0"):
        origin.commit({"crd/a.yaml": "a: 1\n", "api/a.go": f'package a\nconst X = "{tag}"\n'}, tag)
    for name, url in (("demo", origin.url), ("gone", f"file://{tmp_path}/gone")):
        (tmp_path / "catalog" / name).mkdir(parents=True)
        (tmp_path / "catalog" / name / "framework.yaml").write_text(FRAMEWORK.format(name=name, url=url))

    def build_release(release, manifests, **given):
        return release, manifests, given["commit"]

    def add_release(store, framework, release, built):
        store.mkdir(parents=True, exist_ok=True)
        (store / f"{framework}-{release}").write_text(built[2])

    module = ModuleType("wmap.contract.build")
    module.build_release, module.add_release = build_release, add_release
    monkeypatch.setitem(sys.modules, "wmap.contract.build", module)
    return tmp_path / "catalog"


def _call(catalog, *arguments):
    """Exit code, output and errors, as the whole command line would give them."""
    places = ["--cache", str(catalog.parent / "cache"), "--out", str(catalog.parent / "store")]
    result = CliRunner().invoke(sync, [*arguments, *places], obj=str(catalog), standalone_mode=False)
    if isinstance(result.exception, WmapError):
        return result.exception.exit_code, result.stdout, result.exception.message
    if isinstance(result.exception, click.exceptions.Exit):
        return result.exception.exit_code, result.stdout, result.stderr
    assert result.exception is None
    return result.return_value or 0, result.stdout, result.stderr


def _store(catalog):
    store = catalog.parent / "store"
    return sorted(p.name for p in store.iterdir()) if store.exists() else []


def test_the_newest_release_is_built_and_named(catalog):
    """One line a release: what was read, and from where."""
    code, out, errors = _call(catalog, "demo")
    assert (code, errors) == (0, "")
    assert _store(catalog) == ["demo-v1.1.0"]
    commit = (catalog.parent / "store" / "demo-v1.1.0").read_text()
    assert out == f"demo v1.1.0: 1 CRD file, 1 constant at {commit[:12]} of 2026-03-05\n"


@pytest.mark.parametrize(
    ("options", "built"),
    [
        (["--all"], ["demo-v1.0.0", "demo-v1.1.0"]),
        (["--release", "v1.0.0"], ["demo-v1.0.0"]),
        (["--latest"], ["demo-v1.1.0"]),
    ],
)
def test_the_options_choose_the_releases(catalog, options, built):
    """All, one, or the newest."""
    assert _call(catalog, "demo", *options)[0] == 0
    assert _store(catalog) == built


def test_a_repository_that_is_gone_ends_with_3_and_the_others_are_built(catalog):
    """The message names framework and repository."""
    code, out, errors = _call(catalog)
    assert code == 3
    assert out.startswith("demo v1.1.0: ")
    assert errors.startswith(f"wmap: gone: file://{catalog.parent}/gone: its tags cannot be listed: fatal: ")
    assert "hint: " in errors
    assert _store(catalog) == ["demo-v1.1.0"]


def test_a_release_that_is_not_there_ends_with_3(catalog):
    """Nothing is built."""
    code, _, errors = _call(catalog, "demo", "--release", "v1.2.0")
    assert (code, _store(catalog)) == (3, [])
    assert "has no tag v1.2.0" in errors
    assert "did you mean" in errors


def test_what_framework_yaml_says_wrong_ends_with_1(catalog):
    """The artefact is bad: nothing lies where it says."""
    file = catalog / "demo" / "framework.yaml"
    file.write_text(file.read_text().replace("crd/*.yaml", "crds/*.yaml"))
    code, _, errors = _call(catalog, "demo")
    assert (code, _store(catalog)) == (1, [])
    assert errors.startswith("wmap: demo v1.1.0: no CRD lies at crds/*.yaml\n  hint: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--latest", "--all"], "exclude each other"),
        (["--release", "v1.0.0"], "the release of one framework"),
        (["dem"], "holds no framework dem"),
    ],
)
def test_wrong_calls_are_refused(catalog, arguments, message):
    """Before anything is fetched."""
    code, _, errors = _call(catalog, *arguments)
    assert code == CallError.exit_code
    assert message in errors
    assert not (catalog.parent / "cache").exists()


def test_a_hostile_release_is_refused(catalog):
    """An option in disguise never reaches git."""
    marker = catalog.parent / "marker"
    code, _, errors = _call(catalog, "demo", f"--release=--upload-pack=touch {marker}")
    assert code == CallError.exit_code
    assert "is no name of a tag" in errors
    assert not marker.exists()
