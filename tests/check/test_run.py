"""The levels: what runs, what does not and why, what is said across definitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from wmap import Catalog
from wmap.check import validate_paths
from wmap.errors import CallError
from wmap.findings import Level, worst

REPOSITORY = Path(__file__).resolve().parents[2]
RAY = REPOSITORY / "catalog" / "kuberay" / "ray-io-raycluster-v1.yaml"


def test_the_catalog_passes_all_levels_of_this_version():
    """Every definition and every fixture of the catalog is right."""
    result = Catalog.load().validate()
    assert (result.findings, result.definitions) == ((), 4)
    assert result.fixtures >= 30
    assert [str(x) for x in result.levels] == ["schema", "lint", "fixture"]


def test_levels_that_are_not_built_are_said_to_be_not_run():
    """Asking for more than there is lists each missing level with its reason."""
    result = validate_paths([RAY], level=Level.CLUSTER)
    assert [str(n.level) for n in result.not_run] == ["contract", "fuzz", "cluster"]


def test_a_level_runs_up_to_the_one_asked_for():
    """With level schema nothing else runs."""
    assert validate_paths([RAY.parent], level=Level.SCHEMA).levels == (Level.SCHEMA,)


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("other.yaml", "x", "x", "L801"),
        (
            RAY.name,
            "kind: {group: ray.io, version: v1, kind: RayCluster}",
            "kind: {group: ray.io, version: v2, kind: RayCluster}",
            "L802",
        ),
        (RAY.name, "value: worker", "value: head", "L402"),
        (RAY.name, "ownerRef: raycluster", "ownerRef: head", "L102"),
        (RAY.name, "componentName: raycluster", "componentName: cluster", "L601"),
    ],
)
def test_a_defect_is_found(tmp_path, name, old, new, code):
    """A defect that is put into a good definition is found by its rule, with a fingerprint."""
    file = tmp_path / name
    file.write_text(RAY.read_text().replace(old, new))
    found = [f for f in validate_paths([file]).findings if f.code == code]
    assert found
    assert all(len(f.fingerprint) == 64 for f in found)
    assert worst(found) == "error"


def test_two_definitions_of_one_kind_are_found(tmp_path):
    """The second definition of a kind is an error."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / RAY.name).write_text(RAY.read_text())
    assert "L803" in {f.code for f in validate_paths([tmp_path]).findings}


def test_a_definition_without_fixtures_is_a_warning(tmp_path):
    """A definition that nothing tests is said."""
    file = tmp_path / "catalog" / "x" / RAY.name
    file.parent.mkdir(parents=True)
    (tmp_path / "fixtures").mkdir()
    file.write_text(RAY.read_text())
    assert [f.code for f in validate_paths([], catalog=tmp_path / "catalog").findings] == ["F003"]


def test_fingerprints_survive_moved_lines(tmp_path):
    """A finding keeps its fingerprint when lines are put before it."""
    file = tmp_path / RAY.name
    text = RAY.read_text().replace("value: worker", "value: head")
    file.write_text(text)
    before = [f.fingerprint for f in validate_paths([file]).findings]
    file.write_text("# one\n# two\n" + text)
    assert [f.fingerprint for f in validate_paths([file]).findings] == before


def test_a_path_that_is_nowhere_is_a_wrong_call():
    """A path that does not exist, or holds no definition, is the caller's mistake."""
    with pytest.raises(CallError):
        validate_paths([Path("nowhere")])
    with pytest.raises(CallError):
        validate_paths([REPOSITORY / "requirements"])
