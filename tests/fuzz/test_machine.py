"""Changes in any order: the machine of Hypothesis holds for definitions of the catalog, and finds a wrong one."""

from __future__ import annotations

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test
from tests.fuzz.targets import JOBSET, catalog_target, job, jobset, target_of

from wmap.fuzz.machine import P9, Model, state_machine
from wmap.fuzz.objects import Grower
from wmap.fuzz.property import Case

SAID = settings(max_examples=15, stateful_step_count=12, derandomize=True, deadline=None, database=None)


def _objects(target):
    """Small objects of a target."""
    grower = Grower(target)
    return st.integers(0, 2**20).map(lambda n: grower.draw(random.Random(n).randrange))  # noqa: S311  # choices


@pytest.mark.parametrize(
    "name",
    [JOBSET, "ray-io-raycluster-v1", "leaderworkerset-x-k8s-io-leaderworkerset-v1", "kubeflow-org-mpijob-v2beta1"],
)
def test_changes_in_any_order_are_read(name):
    """Change, suspend, resume, scale and another status, up to twelve in a row, read as the model says."""
    target = catalog_target(name)
    machine = state_machine(target, _objects(target))
    run_state_machine_as_test(machine, settings=SAID)
    assert machine.__name__ == "Machine"


def test_the_machine_finds_a_suspension_that_takes_the_pods():
    """A definition that suspends by setting replicas to 0 is found, and the steps are named."""
    target = target_of(P9.rule.bad)
    with pytest.raises(AssertionError, match="suspend: pods become"):
        run_state_machine_as_test(state_machine(target, _objects(target)), settings=SAID)


def test_each_step_of_the_model_is_judged():
    """A change stays through a suspension, a status changes no pods, a raised count raises them."""
    model = Model.of(catalog_target(JOBSET), jobset(job("a", 2)))
    assert model.change(0) is None
    assert (model.suspend(), model.reading.suspend.suspended) == (None, True)
    assert model.status({"conditions": []}) is None
    assert (model.scale(0), model.reading.totals.pods) == (None, 3)
    assert (model.resume(), model.reading.suspend.suspended) == (None, False)
    assert (
        model.obj["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["schedulerName"]
        == "changed-scheduler"
    )


def test_a_step_that_is_lost_is_said():
    """Where a later step takes a setting away, the model names it."""
    model = Model.of(catalog_target(JOBSET), jobset(job("a", 2)))
    model.settings["replicatedjob", "a", "schedulerName"] = "mine"
    assert "schedulerName of replicatedjob a is no longer 'mine'" in model.suspend()


def test_a_definition_without_suspension_takes_the_other_steps():
    """What cannot be expressed changes nothing, and is no violation."""
    target = catalog_target("apps-statefulset-v1")
    for obj in target.samples[:5]:
        model = Model.of(target, obj)
        assert (model.suspend(), model.resume(), model.steps) == (None, None, [])
        assert list(P9.check(Case(target, obj, 1))) == []
