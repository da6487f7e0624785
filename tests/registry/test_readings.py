"""Both versions of an entry read the same objects: what the comparison did not see is an error in it."""

from __future__ import annotations

import pytest

from wmap.contract import Store
from wmap.registry import CatalogState, Differences, Semantic, What, compare
from wmap.registry.readings import check_readings

NAME = "jobset-x-k8s-io-jobset-v1alpha2"
PATH = f"catalog/jobset/{NAME}.yaml"
SCALE = "([.replicas // 1, 0] | max)"
FIXTURE = """\
description: two jobs, then none
object: {apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {replicatedJobs: [{name: a, replicas: 2}]}}
steps:
- {patch: {spec: {replicatedJobs: [{name: a, replicas: 0}]}}, status: {restarts: 1}, expect: {totals: {pods: 0}}}
"""


@pytest.fixture(scope="module")
def text(repository):
    """The definition of JobSet."""
    return (repository / PATH).read_text()


def _state(text):
    return CatalogState.of("x", {PATH: text.encode()})


def test_a_difference_that_the_comparison_missed_is_an_error_in_it(text):
    """Where readings differ and nothing was said, the entry is major, and the place and the object are named."""
    other = _state(text.replace(SCALE, "([.replicas // 3, 0] | max)"))
    differences, (readings,) = check_readings(Differences("a", "b"), _state(text), other, {}, number=40)
    (entry,) = differences.entries
    assert (entry.name, entry.level, [c.what for c in entry.changes]) == (NAME, Semantic.MAJOR, [What.READINGS])
    assert entry.changes[0].path.startswith("components.replicatedjob.instances[")
    assert (readings.drawn, readings.fixtures) == (40, 0)
    assert 0 < readings.different <= 40
    assert readings.first is not None
    assert readings.first[3] == "drawn"


def test_what_was_seen_is_only_counted(text):
    """Where the comparison says major already, the readings are evidence and nothing is added."""
    before, after = _state(text), _state(text.replace(SCALE, "([.replicas // 3, 0] | max)"))
    found = compare(before, after)
    differences, (readings,) = check_readings(found, before, after, {}, number=20)
    assert differences == found
    assert readings.different > 0


def test_a_file_that_only_looks_different_reads_the_same(text):
    """Another layout reads every object as before; an equal text is not read at all."""
    before, after = _state(text), _state("# new\n" + text.replace(SCALE, "([(.replicas//1),0]|max)"))
    differences, (readings,) = check_readings(compare(before, after), before, after, {})
    assert differences.level is None
    assert (readings.drawn, readings.different, readings.not_run) == (200, 0, ())
    assert check_readings(compare(before, before), before, before, {})[1] == ()


def test_fixtures_are_read_after_each_step(text):
    """The object of a fixture and each of its steps are read; what is no fixture is left to wmap validate."""
    fixtures = {
        f"fixtures/{NAME}/one.yaml": FIXTURE.encode(),
        f"fixtures/{NAME}/one.yaml\0before": FIXTURE.encode(),
        f"fixtures/{NAME}/_pods.yaml": b"x: [",
        f"fixtures/{NAME}/broken.yaml": b"x: [",
        f"fixtures/{NAME}/odd.yaml": b"object: 1\nsteps: 2\n",
        f"fixtures/{NAME}/odder.yaml": b"object: {kind: A}\nsteps: [1]\npods: [1]\n",
        "fixtures/other/one.yaml": FIXTURE.encode(),
    }
    before, after = _state(text), _state(text.replace(SCALE, "([.replicas // 1, 1] | max)"))
    _, (readings,) = check_readings(compare(before, after), before, after, fixtures, number=2)
    assert readings.fixtures == 4
    assert readings.different >= 2
    assert readings.first is not None
    assert readings.first[3] == f"fixtures/{NAME}/one.yaml, step 1"


def test_what_is_not_read_is_said(text, tmp_path):
    """No contract, a version that cannot read, and another kind are each said with the reason."""
    before = _state(text)
    alone = _state("# new\n" + text)
    _, (readings,) = check_readings(compare(before, alone), before, alone, {}, store=Store(tmp_path))
    assert (readings.drawn, readings.not_run) == (0, ("no objects are drawn: no contract of the kind is stored",))
    broken = _state(text.replace("ownerRef: jobset", "ownerRef: nobody"))
    _, (readings,) = check_readings(compare(before, broken), before, broken, {})
    assert readings.not_run[0].startswith("a version cannot read: ")
    other = _state(text.replace("version: v1alpha2, kind: JobSet", "version: v1beta1, kind: JobSet"))
    _, (readings,) = check_readings(compare(before, other), before, other, {})
    assert readings.not_run == ("the versions read different kinds",)


FAILED = """\
          failed:
          - byConditions: [{type: Failed, status: "True"}]
"""
SUSPENDED = """\
description: a suspended job, a failed one, and one that says nothing
object: {apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {replicatedJobs: []}}
steps:
- {status: {conditions: [{type: Suspended, status: "True"}]}, expect: {}}
- {status: {conditions: [{type: StartupPolicyInProgress, status: "True"}]}, expect: {}}
"""


def _added(text, kind):
    """The definition with one more alternative of failed."""
    return _state(text.replace(FAILED, f'{FAILED}          - byConditions: [{{type: {kind}, status: "True"}}]\n'))


def test_a_new_mapping_that_takes_objects_from_another_phase_is_major(text):
    """A mapping more is a gain, unless objects that had a phase have another one: then it is a break, with the reason."""
    before, after = _state(text), _added(text, "Suspended")
    found = compare(before, after)
    assert found.level is Semantic.MINOR
    fixtures = {f"fixtures/{NAME}/one.yaml": SUSPENDED.encode()}
    differences, (readings,) = check_readings(found, before, after, fixtures, number=0)
    (change,) = differences.entries[0].changes
    assert (change.what, change.level) == (What.ADDED, Semantic.MAJOR)
    assert change.path.endswith(".statusMappings.failed")
    assert "by which 1 objects that were" in change.why
    assert f"are Failed (fixtures/{NAME}/one.yaml, step 1)" in change.why
    assert readings.rephased == 1


def test_a_new_mapping_that_takes_nothing_stays_a_gain(text):
    """Where no object goes from one phase to another, it is minor as the comparison of the texts says."""
    before, after = _state(text), _added(text, "NeverSeenBefore")
    differences, (readings,) = check_readings(compare(before, after), before, after, {}, number=20)
    assert (differences.level, readings.rephased) == (Semantic.MINOR, 0)


def test_only_the_entries_that_are_asked_for_are_read(text):
    """What is not asked for stays as the comparison of the texts says."""
    before, after = _state(text), _added(text, "Suspended")
    found = compare(before, after)
    assert check_readings(found, before, after, {}, only=()) == (found, ())
