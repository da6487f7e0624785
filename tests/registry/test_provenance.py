"""The provenance of a bundle: what it says, that it says the same for the same build, and no secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.repositories import Origin

from wmap.errors import CallError, InputError
from wmap.gitio import LocalRepository
from wmap.registry.bundle import BundleError, build
from wmap.registry.bundle.provenance import check_statement, read_statement, repository_of, statement

ROOT = Path(__file__).parents[2]
DIGEST = "sha256:" + "a" * 64
COMMIT = "c" * 40
ACTIONS = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "org/maps",
    "GITHUB_WORKFLOW_REF": "org/maps/.github/workflows/release.yml@refs/tags/v1.0.0",
    "GITHUB_RUN_ID": "77",
    "GITHUB_RUN_ATTEMPT": "2",
}


def _said(**changes: object) -> dict[str, object]:
    call = {"version": "1.0.0", "ref": "v1.0.0", "repository": "https://example.org/maps", "commit": COMMIT}
    data = statement(DIGEST, **{**call, "dirty": False, "environ": {}, **changes})  # type: ignore[arg-type]
    return json.loads(data)  # type: ignore[no-any-return]


def test_a_statement_names_archive_repository_and_commit() -> None:
    """It is an in-toto statement v1 about the archive's digest, with the commit as material."""
    said = _said()
    assert said["_type"] == "https://in-toto.io/Statement/v1"
    assert said["subject"] == [{"name": "wmap-catalog-1.0.0.tar", "digest": {"sha256": "a" * 64}}]
    assert said["predicateType"] == "https://slsa.dev/provenance/v1"
    definition = said["predicate"]["buildDefinition"]  # type: ignore[index]
    assert definition["resolvedDependencies"] == [
        {"uri": f"git+https://example.org/maps@{COMMIT}", "digest": {"gitCommit": COMMIT}}
    ]
    assert said["predicate"]["runDetails"]["builder"]["id"] == "https://wmap.dev/builders/local"  # type: ignore[index]


def test_a_workflow_is_named_as_builder() -> None:
    """In GitHub Actions the builder is the workflow at its ref, and the run is named."""
    details = _said(environ=ACTIONS)["predicate"]["runDetails"]  # type: ignore[index]
    assert details["builder"]["id"] == "https://github.com/org/maps/.github/workflows/release.yml@refs/tags/v1.0.0"
    assert details["metadata"] == {"invocationId": "https://github.com/org/maps/actions/runs/77/attempts/2"}


def test_a_dirty_tree_marks_its_material() -> None:
    """Files that are in no commit were taken: the commit alone does not make the archive again."""
    (material,) = _said(dirty=True)["predicate"]["buildDefinition"]["resolvedDependencies"]  # type: ignore[index]
    assert material["annotations"] == {"dirty": True}


def test_a_statement_about_another_archive_is_refused() -> None:
    """A statement is taken for the archive whose digest and version it names, and no other."""
    data = json.dumps(_said()).encode()
    assert check_statement(data, DIGEST, "1.0.0").commit == COMMIT
    with pytest.raises(BundleError, match=r"the bundle is 1\.0\.0 with sha256:bbb"):
        check_statement(data, "sha256:" + "b" * 64, "1.0.0")
    with pytest.raises(BundleError, match=r"the bundle is 1\.0\.1"):
        check_statement(data, DIGEST, "1.0.1")


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=5), lambda c: st.lists(c, max_size=3), max_leaves=6))
def test_a_broken_statement_is_one_message(value: object) -> None:
    """Whatever stands in a place of a statement, it is read or refused by a message."""
    for path in (("subject",), ("predicate",), ("predicate", "buildDefinition", "resolvedDependencies"), ("_type",)):
        document = _said()
        holder: dict[str, object] = document
        for step in path[:-1]:
            holder = holder[step]  # type: ignore[assignment]
        holder[path[-1]] = value
        with pytest.raises(InputError):
            read_statement(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("https://user:secret@example.org/org/maps.git?token=x#y", "https://example.org/org/maps"),
        ("git@github.com:org/maps.git", "ssh://github.com/org/maps"),
        ("ssh://git@example.org:2222/maps", "ssh://example.org:2222/maps"),
        ("/home/somebody/maps", "https://wmap.dev/repositories/unknown"),
        ("git://example.org/maps", "git://example.org/maps"),
        ("build.example.org:maps/catalog.git", "ssh://build.example.org/maps/catalog"),
        ("http://example.org/maps", "https://wmap.dev/repositories/unknown"),
        ("ext::sh -c true", "https://wmap.dev/repositories/unknown"),
        ("ext::true", "https://wmap.dev/repositories/unknown"),
        ("fd::7/maps", "https://wmap.dev/repositories/unknown"),
        ("ext:sh -c true", "https://wmap.dev/repositories/unknown"),
        ("ext::https://example.org/maps", "https://wmap.dev/repositories/unknown"),
        ("file:///srv/maps", "https://wmap.dev/repositories/unknown"),
        ("-oProxyCommand=true:maps", "https://wmap.dev/repositories/unknown"),
        ("ssh://-oProxyCommand=true/maps", "https://wmap.dev/repositories/unknown"),
        ("C:/maps", "https://wmap.dev/repositories/unknown"),
        ("C:maps", "https://wmap.dev/repositories/unknown"),
        ("../maps", "https://wmap.dev/repositories/unknown"),
    ],
)
def test_the_remote_origin_is_named_without_secrets(tmp_path: Path, address: str, wanted: str) -> None:
    """The address of origin stands in the provenance without user, password or query; folders of a machine do not."""
    origin = Origin(tmp_path / "origin")
    origin.git("config", "remote.origin.url", address)
    with LocalRepository.around(origin.folder) as repository:
        assert repository_of(repository, None, {}) == wanted


def test_the_repository_of_the_ci_comes_before_origin(tmp_path: Path) -> None:
    """In a workflow the repository is the one that the CI names; what the call names comes before both."""
    origin = Origin(tmp_path / "origin")
    with LocalRepository.around(origin.folder) as repository:
        assert repository_of(repository, None, ACTIONS) == "https://github.com/org/maps"
        assert repository_of(repository, "https://example.org/x", ACTIONS) == "https://example.org/x"
        with pytest.raises(CallError, match="no address"):
            repository_of(repository, "nonsense", {})


def test_a_build_gives_the_statement_of_its_archive(tmp_path: Path) -> None:
    """What build gives beside the archive is about that archive, and the same each time."""
    names = ("LICENSE", "schemas/definition.schema.json", "catalog/lws/framework.yaml")
    names += ("catalog/lws/leaderworkerset-x-k8s-io-leaderworkerset-v1.yaml",)
    origin = Origin(tmp_path / "origin")
    commit = origin.commit({name: (ROOT / name).read_bytes() for name in names}, "v0.4.0")
    one, two = build(origin.folder, at="v0.4.0"), build(origin.folder, at="v0.4.0")
    assert one.statement == two.statement
    said = read_statement(one.statement)
    assert (said.version, said.commit) == ("0.4.0", commit)
