"""A folder of bundles and its static index: verified, newest first, and never two archives of one version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bundles import of_lws
from tests.repositories import Origin

from wmap.definition.validate import validator
from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle import BundleError, build
from wmap.registry.bundle.shelf import SHELF, shelf_of


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Versions 1.0.0, 1.0.1 and 1.1.0-rc.1, in a folder."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    origin = Origin(tmp_path / "origin")
    for number, version in enumerate(("1.0.0", "1.0.1", "1.1.0-rc.1")):
        origin.commit({**of_lws(b"# more\n" * number)}, f"v{version}")
        built = build(origin.folder)
        (folder / f"wmap-catalog-{version}.tar").write_bytes(built.data)
        (folder / f"wmap-catalog-{version}.tar.provenance.json").write_bytes(built.statement)
    return folder


def test_the_newest_stands_first_and_latest_is_a_release(shelf: Path) -> None:
    """A release candidate is listed, and is not what everyone should take."""
    made = shelf_of(shelf, yank={})
    assert [b.version for b in made.bundles] == ["1.1.0-rc.1", "1.0.1", "1.0.0"]
    assert made.latest == "1.0.1"
    assert made.bundles[1].provenance == "wmap-catalog-1.0.1.tar.provenance.json"
    assert made.bundles[1].signature is None
    assert (made.bundles[1].since, made.bundles[1].level) == ("1.0.0", None)


def test_the_index_is_of_its_schema(shelf: Path) -> None:
    """What is written is what the schema promises."""
    document = json.loads(shelf_of(shelf, yank={"1.0.1": "wrong pods"}).dump())
    assert list(validator("bundle-shelf").iter_errors(document)) == []


def test_an_index_of_a_newer_form_asks_for_a_newer_wmap(shelf: Path) -> None:
    """A later wmap wrote it: nothing of it is lost by writing it anew, and it is not called broken."""
    document = json.loads(shelf_of(shelf, yank={}).dump())
    text = json.dumps({**document, "schemaVersion": 2, "more": []})
    (shelf / SHELF).write_text(text)
    with pytest.raises(EnvironmentFailure, match=r"is of form 2, and wmap .* reads up to form 1") as caught:
        shelf_of(shelf, yank={})
    assert (caught.value.hint or "").startswith("update wmap")
    assert (shelf / SHELF).read_text() == text


def test_what_was_yanked_stays_so_with_its_reason(shelf: Path) -> None:
    """A yanked version is not the latest, also when the index is made anew, until it is taken back."""
    (shelf / SHELF).write_bytes(shelf_of(shelf, yank={"1.0.1": "wrong pods"}).dump())
    again = shelf_of(shelf, yank={})
    assert (again.latest, again.bundles[1].yanked) == ("1.0.0", "wrong pods")
    assert shelf_of(shelf, yank={}, unyank=["1.0.1"]).latest == "1.0.1"


def test_a_version_is_never_another_archive(shelf: Path) -> None:
    """What was published stays what it is: another archive of the version is refused."""
    document = json.loads(shelf_of(shelf, yank={}).dump())
    document["bundles"][0]["digest"] = f"sha256:{'0' * 64}"
    (shelf / SHELF).write_text(json.dumps(document))
    with pytest.raises(BundleError, match="it was published with sha256:000"):
        shelf_of(shelf, yank={})


def test_two_files_of_one_version_are_refused(shelf: Path) -> None:
    """A consumer could not know which of them it gets."""
    (shelf / "copy.tar").write_bytes((shelf / "wmap-catalog-1.0.0.tar").read_bytes())
    with pytest.raises(BundleError, match=r"are both 1\.0\.0"):
        shelf_of(shelf, yank={})


def test_a_broken_bundle_is_not_listed_but_refused(shelf: Path) -> None:
    """One file that does not hold stops the index: nothing is left out without a word."""
    file = shelf / "wmap-catalog-1.0.0.tar"
    file.write_bytes(file.read_bytes()[:-512])
    with pytest.raises(BundleError, match=r"wmap-catalog-1\.0\.0\.tar"):
        shelf_of(shelf, yank={})


@pytest.mark.parametrize("text", ["{", "[]", '{"schemaVersion": 1}', "[" * 100_000])
def test_an_index_that_cannot_be_read_is_not_overwritten(shelf: Path, text: str) -> None:
    """What it said of yanked versions would be lost."""
    (shelf / SHELF).write_text(text)
    with pytest.raises(BundleError, match="no index that wmap writes"):
        shelf_of(shelf, yank={})


def test_wrong_folders_and_versions_are_named(shelf: Path, tmp_path: Path) -> None:
    """No folder, no bundle in it and an unknown version are errors of the call."""
    (tmp_path / "empty").mkdir()
    for folder, yank, said in (
        (tmp_path / "none", {}, "there is no folder"),
        (tmp_path / "empty", {}, "there is no bundle in"),
        (shelf, {"9.9.9": "x"}, "there is no bundle of '9.9.9'"),
    ):
        with pytest.raises(CallError, match=said):
            shelf_of(folder, yank=yank)
