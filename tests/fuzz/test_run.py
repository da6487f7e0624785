"""Many definitions: what is found, what does not run and why, times, processes, saving, and the level of a validation."""

from __future__ import annotations

import sys

import pytest
from tests.fuzz.targets import JOBSET, REPOSITORY, target_of

from wmap.check import validate_paths
from wmap.check.fixtures import check_fixture
from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Level
from wmap.fuzz import Options, fuzz
from wmap.fuzz.examples import GOOD
from wmap.fuzz.level import with_fuzz
from wmap.fuzz.properties import PROPERTIES
from wmap.fuzz.save import save_fixtures

P1 = next(p.rule for p in PROPERTIES if p.code == "P1")
FIXTURES = REPOSITORY / "fixtures"


@pytest.fixture
def broken(tmp_path):
    """A file with a definition that iterates over null."""
    folder = tmp_path / "catalog" / "jobset"
    folder.mkdir(parents=True)
    file = folder / f"{JOBSET}.yaml"
    file.write_text(P1.bad)
    return file


def test_a_finding_has_its_place_its_manifest_and_the_call_that_repeats_it(broken):
    """The smallest JobSet that has no jobs is shown, at the brackets that raise."""
    result = fuzz([broken], Options(examples=40, seed=3, codes=("P1",)))
    (found,) = result.found
    assert found.obj == {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}
    finding = found.finding
    assert (finding.code, finding.level, finding.definition) == ("P1", Level.FUZZ, JOBSET)
    assert broken.read_text().splitlines()[finding.span.line - 1].strip().startswith("instanceIdPath")
    assert len(finding.fingerprint) == 64
    for part in (f"wmap fuzz {JOBSET}", "--property P1", "--seed 3", "--examples 40", f"--release {found.release}"):
        assert part in found.repeat


def test_processes_find_what_one_finds(broken, tmp_path):
    """Two definitions in two processes give the same findings, in the same order."""
    other = tmp_path / "catalog" / "jobset" / "z.yaml"
    other.write_text(GOOD)
    one, two = (fuzz([broken, other], Options(examples=20, jobs=n, codes=("P1", "P2"))) for n in (1, 2))
    assert [f.finding for f in one.found] == [f.finding for f in two.found] != []
    assert one.objects == two.objects


def test_what_fails_schema_is_not_fuzzed(tmp_path):
    """It is listed with the reason, and nothing is tried."""
    file = tmp_path / "x.yaml"
    file.write_text("kind: Karta\n")
    result = fuzz([file], Options(examples=5))
    (not_run,) = result.all_not_run
    assert (not_run.definition, result.objects) == ("x", 0)
    assert "level schema found errors" in not_run.reason


def test_a_kind_without_a_contract_is_not_fuzzed(tmp_path):
    """What nobody promises anything about has no objects to draw."""
    file = tmp_path / "x.yaml"
    file.write_text(GOOD.replace("jobset.x-k8s.io, version", "x.io, version").replace("kind: JobSet", "kind: Thing"))
    (not_run,) = fuzz([file], Options(examples=5)).all_not_run
    assert "no contract of its kind is stored" in not_run.reason


def test_a_release_without_the_kind_is_not_fuzzed(broken):
    """An unknown release is an error of the call; all releases are those that differ."""
    with pytest.raises(CallError, match="no release v0"):
        fuzz([broken], Options(examples=1, release="v0"))
    found = fuzz([broken], Options(examples=10, release="all", codes=("P1",)))
    assert len({f.release for f in found.found}) > 1


@pytest.mark.parametrize("options", [{"examples": 0}, {"jobs": 0}, {"seconds": 0.0}, {"codes": ("P99",)}])
def test_a_call_that_makes_no_sense_is_refused(broken, options):
    """Numbers are larger than 0, properties are known."""
    with pytest.raises(CallError):
        fuzz([broken], Options(**options))


def test_rounds_go_on_until_the_time_is_over(broken):
    """While there is time more objects are tried than one round has, and a finding is told once."""
    rounds = []

    def stop(outcome):
        rounds.append(outcome)
        if len(rounds) == 2:
            raise KeyboardInterrupt

    result = fuzz([broken], Options(seconds=3600.0, codes=("P1",)), stop)
    assert result.objects == sum(o.objects for o in rounds) > 100
    assert len(result.found) == 1


def test_a_definition_whose_turn_comes_too_late_is_listed(broken):
    """What the time did not suffice for is said to be not run."""
    outcome = fuzz([broken], Options(seconds=1e-9, codes=("P1",))).outcomes[0]
    assert (outcome.objects, outcome.not_run[0].reason) == (0, "the time was over before it was its turn")


def test_an_interruption_keeps_what_there_is(broken):
    """Interrupted after the first definition, its findings are there, and the result says so."""

    def stop(_):
        raise KeyboardInterrupt

    result = fuzz([broken, broken], Options(examples=20, codes=("P1",)), stop)
    assert result.interrupted
    assert len(result.found) == 1


def test_a_broken_sample_is_named(broken, tmp_path):
    """It is skipped, counted and said; the others are mutated."""
    folder = tmp_path / "samples"
    folder.mkdir()
    (folder / "bad.yaml").write_text("a: [")
    (folder / "good.yaml").write_text(
        "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: w}, spec: {replicatedJobs: []}}"
    )
    result = fuzz([broken], Options(examples=10, samples=folder, codes=("P1",)))
    (not_run,) = [n for n in result.all_not_run if "sample" in n.reason]
    assert "bad.yaml was skipped" in not_run.reason
    assert result.objects == 20


def test_what_failed_is_replayed(broken, tmp_path):
    """The second run has one object more: that of the first run's finding, which it finds first."""
    options = Options(examples=20, codes=("P1",), replays=tmp_path / "kept")
    first, second = fuzz([broken], options), fuzz([broken], options)
    assert second.objects == first.objects + 1
    assert [f.origin for f in second.found] == ["replayed"]


def test_a_finding_is_saved_as_a_fixture(broken, tmp_path):
    """It holds the object and expects no warning, so that it fails until the definition is right; it is written once."""
    result = fuzz([broken], Options(examples=20, codes=("P1",)))
    (path,) = save_fixtures(result.found, tmp_path / "fixtures")
    assert path.parent.name == JOBSET
    assert save_fixtures(result.found, tmp_path / "fixtures") == []
    codes = [[f.code for f in check_fixture(path, target_of(text).plan)] for text in (P1.bad, GOOD)]
    assert codes == [["F001"], []]


def test_the_level_runs_where_the_levels_before_passed(tmp_path):
    """A right definition is fuzzed; one with an error before is listed; cluster is still said to be not run."""
    folder = tmp_path / "jobset"
    folder.mkdir()
    right, wrong = folder / f"{JOBSET}.yaml", folder / "batch-job-v1.yaml"
    right.write_text((REPOSITORY / "catalog" / "jobset" / right.name).read_text())
    wrong.write_text(
        (REPOSITORY / "catalog" / "kubernetes" / wrong.name).read_text().replace("ownerRef: job", "ownerRef: nobody")
    )
    before = validate_paths([folder], level=Level.CLUSTER)
    result = with_fuzz(before, [folder])
    assert result.levels[-1] is Level.FUZZ
    reasons = {(str(n.level), n.definition): n.reason for n in result.not_run}
    assert ("fuzz", None) not in reasons
    assert reasons["fuzz", "batch-job-v1"] == "a level before it found errors"
    assert ("cluster", None) in reasons
    assert [f for f in result.findings if f.level is Level.FUZZ] == []


def test_without_the_extra_the_level_is_listed(monkeypatch):
    """What is not installed is named, with what to do."""
    monkeypatch.setitem(sys.modules, "jq", None)
    file = REPOSITORY / "catalog" / "jobset" / f"{JOBSET}.yaml"
    result = with_fuzz(validate_paths([file], level=Level.FUZZ), [file])
    (not_run,) = [n for n in result.not_run if n.level is Level.FUZZ]
    assert not_run.reason == "jq is not installed: pip install 'wmap[fuzz]'"
    with pytest.raises(EnvironmentFailure, match="jq is not installed"):
        fuzz([file], Options(examples=1))
    assert Level.FUZZ not in result.levels
