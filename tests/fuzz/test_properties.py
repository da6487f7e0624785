"""Every property: a definition that violates it on purpose is found, a right one is not."""

from __future__ import annotations

import pytest
from tests.fuzz.targets import catalog_target, job, jobset, target_of

from wmap.errors import CallError
from wmap.fuzz.engine import Search
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.properties import PROPERTIES, properties
from wmap.fuzz.property import Case

BY_CODE = {p.code: p for p in PROPERTIES}


def _found(prop, text, examples=150):
    """The failures of one property on a definition."""
    search = Search(target_of(text), [prop])
    search.draw(examples, 1)
    search.mutate(examples, 1)
    return search.failures()


def _messages(code, target, obj, twists=range(6)):
    """What one property says of an object, over several choices."""
    return [v.message for t in twists for v in BY_CODE[code].check(Case(target, obj, t))]


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda p: p.code)
def test_a_definition_that_violates_a_property_on_purpose_is_found(prop):
    """The bad example of each property fails it, and the object that shows it is one that the contract admits."""
    failures = _found(prop, prop.rule.bad)
    assert {f.violation.code for f in failures} == {prop.code}


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda p: p.code)
def test_a_right_definition_violates_no_property(prop):
    """The good example holds each property."""
    assert _found(prop, prop.rule.good, 60) == []


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda p: p.code)
def test_a_property_says_what_a_user_loses(prop):
    """Summary and rationale are two different sentences, of which the docs are made."""
    assert prop.rule.summary.endswith(".")
    assert prop.rule.rationale.endswith(".")
    assert prop.rule.summary != prop.rule.rationale


def test_properties_are_chosen_by_code_or_name():
    """Codes in any case and names choose, in the order of the codes; an unknown one is an error that names the nearest."""
    assert [p.code for p in properties(("p4", "path-raises"))] == ["P1", "P4"]
    assert properties(()) == PROPERTIES
    with pytest.raises(CallError) as caught:
        properties(("P44",))
    assert "P4" in (caught.value.hint or "")


def test_a_path_that_raises_points_at_the_piece_that_raises():
    """Iterating over null is found at the brackets, in the expression of the ids."""
    target = target_of(BY_CODE["P1"].rule.bad)
    obj = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {}}
    (violation,) = BY_CODE["P1"].check(Case(target, obj))
    assert violation.message == "raises: Cannot iterate over null"
    assert violation.text.field.endswith("instanceIdPath")
    assert violation.text.value[violation.part.start : violation.part.end].endswith("[]")


def test_an_object_that_the_contract_does_not_admit_may_raise():
    """P1 is about what a cluster can hold: a number where an array must be is not."""
    target = target_of(GOOD)
    assert _messages("P1", target, {**jobset(), "spec": {"replicatedJobs": 7}}) == []


def test_ids_that_are_equal_though_the_names_are_not_are_found():
    """An id made of the first letter is the same for two jobs."""
    target = target_of(
        bad(
            "instanceIdPath: .spec.replicatedJobs[]?.name", "instanceIdPath: '.spec.replicatedJobs[]? | .name | .[0:1]'"
        )
    )
    (message,) = set(_messages("P2", target, jobset(job("aa"), job("ab"))))
    assert "'a' for two instances" in message
    assert _messages("P2", target, jobset(job("aa"), job("ba"))) == []


def test_a_count_that_falls_says_which_field_was_raised():
    """From 2 to 3 replicas pods fall from 8 to 7, as the example counts down from ten."""
    messages = set(_messages("P3", target_of(BY_CODE["P3"].rule.bad), jobset(job("a", 2))))
    assert messages >= {"spec.replicatedJobs.0.replicas raised from 2 to 3: pods fall from 8 to 7"}


def test_counts_of_nothing_give_nothing():
    """A component that keeps a pod where its replicas are 0 and were more is fine, one that gets more is not."""
    grows = bad("([.replicas // 1, 0] | max)", "(if .replicas == 0 then 5 else 1 end)")
    assert any("with its counts at 0" in m for m in _messages("P3", target_of(grows), jobset(job("a", 2))))


def test_two_terminal_statuses_are_found_unless_the_object_says_both():
    """Completed by a condition and failed by a count at once is a defect; an object with both conditions says it itself."""
    both = bad(
        'failed: [{byConditions: [{type: Failed, status: "True"}]}]',
        "failed: [{byExpression: {expression: 'any(.status.replicatedJobsStatus[]?; .failed > 0)', expectedResult: \"true\"}}]",
    )
    done = {
        "type": "Completed",
        "status": "True",
        "reason": "r",
        "message": "m",
        "lastTransitionTime": "2024-01-01T00:00:00Z",
    }
    counts = [{"name": "a", "ready": 0, "succeeded": 0, "failed": 1, "active": 0, "suspended": 0}]
    obj = jobset(job("a"), status={"conditions": [done], "replicatedJobsStatus": counts})
    assert "Completed and Failed match at once" in _messages("P4", target_of(both), obj)
    said = jobset(job("a"), status={"conditions": [done, {**done, "type": "Failed"}]})
    assert "Completed and Failed match at once" not in _messages("P4", target_of(GOOD), said)


def test_an_unknown_field_that_is_counted_is_found():
    """A definition that counts the keys of an object reads a field that no contract names."""
    counted = bad("(.template.spec.parallelism // 1)", "(.template.spec | length)")
    assert "unknown fields changes the components" in _messages(
        "P4", target_of(counted), jobset(job("a", parallelism=2))
    )


def test_a_pod_of_a_stranger_and_one_that_leaves_do_not_confuse():
    """With right selectors no choice of pods, order or missing ones fails."""
    assert _messages("P7", target_of(GOOD), jobset(job("a", 2), job("b", 3)), range(40)) == []


def test_a_removed_entry_that_leaves_pods_is_found():
    """The replicas of the first job for all: without it, the others change."""
    shared = bad(
        ".spec.replicatedJobs[]? | ([.replicas // 1, 0] | max)",
        "(.spec.replicatedJobs[0].replicas // 1) as $n | .spec.replicatedJobs[]? | $n",
    )
    assert any("reads otherwise" in m for m in _messages("P8", target_of(shared), jobset(job("a", 2), job("b", 1))))


def test_a_property_that_does_not_apply_says_why():
    """A kind whose one component has no instances needs no selector; one made of fragments has nothing to take out."""
    assert "every pod is its" in BY_CODE["P7"].applies(catalog_target("batch-job-v1"))
    assert "fragments" in BY_CODE["P8"].applies(catalog_target("milvus-io-milvus-v1beta1"))
    assert BY_CODE["P7"].applies(catalog_target("jobset-x-k8s-io-jobset-v1alpha2")) is None
