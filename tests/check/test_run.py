"""The levels: what runs, what does not and why, what is said across definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap import Catalog
from wmap.catalog import default_folder
from wmap.check import validate, validate_paths
from wmap.definition.yamlio import read_documents
from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Finding, Level, Severity, worst
from wmap.report.data import dump

REPOSITORY = Path(__file__).resolve().parents[2]
RAY = REPOSITORY / "catalog" / "kuberay" / "ray-io-raycluster-v1.yaml"


def test_the_catalog_passes_all_levels_of_this_version():
    """Every definition and every fixture of the catalog is right."""
    result = Catalog.load().validate()
    assert {f.severity for f in result.findings} <= {Severity.INFO}
    assert result.definitions == len(list(default_folder().glob("*/*-*.yaml")))
    assert result.fixtures >= 10 * result.definitions
    assert [str(x) for x in result.levels] == ["schema", "lint", "contract", "fixture"]


def test_levels_that_are_not_built_are_said_to_be_not_run():
    """Asking for more than there is lists each missing level with its reason."""
    result = validate_paths([RAY], level=Level.CLUSTER)
    assert [str(n.level) for n in result.not_run] == ["fuzz", "cluster"]


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


def test_definitions_need_not_be_files():
    """Texts with names are judged like files; without a folder of fixtures that level is said to be not run."""
    result = validate([(RAY.name, RAY.read_bytes()), ("x.yaml", "a: [")])
    assert [f.code for f in result.findings] == ["S001"]
    assert result.levels == (Level.SCHEMA, Level.LINT, Level.CONTRACT)
    assert {(str(n.level), n.definition, n.reason) for n in result.not_run} == {
        ("fixture", None, "there is no folder of fixtures"),
        ("lint", "x", "level schema found errors"),
        ("contract", "x", "level schema found errors"),
    }


def test_a_definition_with_errors_of_lint_runs_no_fixture(tmp_path):
    """The next level runs only where the one before passed, and says so."""
    text = RAY.read_text().replace("ownerRef: raycluster", "ownerRef: nobody")
    result = validate([(RAY.name, text)], fixtures=tmp_path)
    assert ("fixture", RAY.stem, "level lint found errors") in {
        (str(n.level), n.definition, n.reason) for n in result.not_run
    }
    assert {f.code for f in result.findings} == {"L102", "L603"}


def test_a_warning_stops_no_level(tmp_path):
    """Fixtures run where lint found no error."""
    text = RAY.read_text().replace("          reasonFieldName: reason\n", "")
    result = validate([(RAY.name, text)], fixtures=tmp_path)
    assert [f.code for f in result.findings] == ["F003", "L507"]


def test_a_root_without_a_kind_is_said_once():
    """Names are not compared with a kind that is not there."""
    text = RAY.read_text().replace("      kind: {group: ray.io, version: v1, kind: RayCluster}\n", "")
    assert [f.code for f in validate([(RAY.name, text)]).findings] == ["L105"]


def test_a_file_that_cannot_be_read_is_a_failure_of_the_environment(tmp_path):
    """Reading fails with the name of the file and what to do."""
    file = tmp_path / RAY.name
    file.symlink_to("/proc/self/mem")
    with pytest.raises(EnvironmentFailure, match="cannot be read") as raised:
        validate_paths([file])
    assert raised.value.hint == "check its permissions"


def test_a_file_that_is_given_twice_is_judged_once():
    """A file and the folder that holds it are one definition, not two of one kind."""
    once, result = validate_paths([RAY.parent]), validate_paths([RAY, RAY.parent, RAY])
    assert (result.definitions, set(result.findings)) == (once.definitions, set(once.findings))


def test_two_texts_of_one_name_keep_their_findings_apart():
    """The second of two equal definitions is the one that is too many."""
    found = validate([(RAY.name, RAY.read_text())] * 2).findings
    assert [f.code for f in found] == ["L803"]


def test_the_fixtures_of_a_checkout_are_those_beside_its_catalog(tmp_path):
    """A file in a checkout is judged by the fixtures of that checkout, wherever the command comes from."""
    file = tmp_path / "catalog" / "kuberay" / RAY.name
    file.parent.mkdir(parents=True)
    file.write_text(RAY.read_text())
    case = tmp_path / "fixtures" / RAY.stem / "one.yaml"
    case.parent.mkdir(parents=True)
    case.write_text("description: x\nobject: {apiVersion: ray.io/v1, kind: RayCluster}\nexpect: {totals: {pods: 0}}\n")
    assert (validate_paths([file]).fixtures, validate_paths([file.parent]).fixtures) == (1, 1)


def test_fixtures_are_those_of_the_catalog_that_is_named(tmp_path):
    """A catalog that is given decides, also for files elsewhere."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "fixtures").mkdir()
    assert [f.code for f in validate_paths([RAY], catalog=tmp_path / "catalog").findings] == ["F003"]


WORDS = [
    "", ".", ".a[]", ".a[]?", ".a // 1", ".a | .b", '"x"', "1", "null", "empty", ".[", "del(.a)", "{a: 1}", 'a"b', "a\\b", "job", "worker",
    "True", "NaN", "[[", ".a # c", "\u2028", "keys[]", '"a" * 1000000000', "-1", "x" * 300,
]  # fmt: skip


def _places(node):
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield node, key
        yield from _places(node[key])


@given(st.data())
def test_no_definition_makes_a_rule_raise(data):
    """Whatever stands in the fields of a definition, and whichever of them are gone, the answer is a list of findings."""
    ((document, _),) = read_documents((REPOSITORY / "tests/definition/examples/good/every-field.yaml").read_text())
    for _ in range(data.draw(st.integers(1, 6))):
        places = list(_places(document))
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        word = data.draw(st.sampled_from([*WORDS, None]))
        if word is None:
            del holder[key]
        elif isinstance(holder[key], str):
            holder[key] = word
        if not document:
            break
    result = validate([("x.yaml", dump(document, "yaml"))], fixtures=REPOSITORY / "fixtures")
    assert result.findings
    assert result.findings == tuple(sorted(result.findings, key=Finding.sort_key))
