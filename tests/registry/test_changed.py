"""What a checkout changes since a ref, in real repositories."""

from __future__ import annotations

import pytest
from tests.repositories import Origin

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry import changed_since

A, B = "catalog/one/a.yaml", "catalog/two/b.yaml"
FILES = {
    A: "a: 1\n",
    B: "b: 1\n",
    "catalog/one/framework.yaml": "name: one\n",
    "schemas/contracts/two/v1/b.txt": "x\n",
    "schemas/definition.schema.json": "{}\n",
    "fixtures/a/case.yaml": "x\n",
}


@pytest.fixture
def origin(tmp_path):
    """A repository on a branch that left main at the tag base."""
    made = Origin(tmp_path / "origin")
    made.commit(FILES, "base")
    made.git("checkout", "--quiet", "-b", "work")
    return made


def test_nothing_is_changed_in_a_clean_checkout(origin):
    """A checkout that is like its base touches nothing."""
    found = changed_since(origin.folder, "main")
    assert (found.touched, found.renamed, found.deleted) == ({}, {}, ())
    assert found.base == origin.git("rev-parse", "base")


@pytest.mark.parametrize(
    ("file", "touched"),
    [
        (A, [A]),
        ("catalog/one/framework.yaml", [A]),
        ("schemas/contracts/two/v1/b.txt", [B]),
        ("schemas/contracts/two/v2/new.txt", [B]),
        ("schemas/contracts/kubernetes/v1/pod.txt", [A, B]),
        ("schemas/definition.schema.json", [A, B]),
        ("fixtures/a/case.yaml", [A]),
        ("README.md", []),
        ("schemas/validate.schema.json", []),
    ],
)
def test_an_entry_is_touched_through_what_it_is_judged_by(origin, file, touched):
    """An entry's text, framework, contracts, fixtures and the schemas touch it; what is not committed counts."""
    origin.write({file: "changed: 1\n"})
    assert changed_since(origin.folder, "main").touched == dict.fromkeys(touched, (file,))


def test_what_main_did_since_is_not_a_change(origin):
    """The merge base counts: an entry that was changed on main after the branch left it is not touched."""
    origin.git("checkout", "--quiet", "main")
    origin.commit({**FILES, A: "a: 2\n"})
    origin.git("checkout", "--quiet", "work")
    origin.write({B: "b: 2\n"})
    assert list(changed_since(origin.folder, "main").touched) == [B]


def test_a_deletion_and_a_rename_are_said(origin):
    """A deleted entry is listed; a renamed one is touched under its new name, and its old name is gone."""
    (origin.folder / B).unlink()
    (origin.folder / A).rename(origin.folder / "catalog/one/c.yaml")
    found = changed_since(origin.folder, "main")
    assert found.deleted == (A, B)
    assert found.renamed == {"catalog/one/c.yaml": A}
    assert found.touched == {"catalog/one/c.yaml": ("catalog/one/c.yaml",)}


def test_a_cut_history_says_what_to_fetch(origin, tmp_path):
    """Without the merge base, or without the ref, nothing is reported as changed: the message says what to fetch."""
    origin.commit({**FILES, A: "a: 3\n"})
    origin.git("checkout", "--quiet", "main")
    origin.commit({**FILES, B: "b: 3\n"})
    clone = tmp_path / "clone"
    origin.git("clone", "--quiet", "--depth=1", "--branch=work", origin.url, str(clone))
    with pytest.raises(EnvironmentFailure, match="has no commit origin/main") as raised:
        changed_since(clone, "origin/main")
    advice = "git fetch --unshallow origin main:refs/remotes/origin/main"
    assert raised.value.hint == f"its history is cut off: {advice}"
    origin.git("-C", str(clone), "fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")
    with pytest.raises(EnvironmentFailure, match="does not hold the merge base of origin/main and HEAD"):
        changed_since(clone, "origin/main")
    origin.git("-C", str(clone), *advice.split()[1:])
    assert list(changed_since(clone, "origin/main").touched) == [A]


def test_histories_without_a_common_commit_are_a_wrong_call(origin):
    """A branch of another origin is no base."""
    origin.git("checkout", "--quiet", "--orphan", "other")
    origin.commit(FILES)
    with pytest.raises(CallError, match="have no commit in common"):
        changed_since(origin.folder, "main")


def test_only_the_top_of_a_checkout_is_compared(origin):
    """A folder below the top, and a bare repository, are wrong calls."""
    with pytest.raises(CallError, match="is not the top of a checkout"):
        changed_since(origin.folder / "catalog", "main")
    with pytest.raises(CallError, match="is not the top of a checkout"):
        changed_since(origin.folder / ".git", "main")
