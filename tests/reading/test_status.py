"""The status: precedence, what is looked at for reason and message, and odd conditions."""

from __future__ import annotations

import pytest
from tests.reading.thing import ROOT, definition, thing

from wmap.definition import load
from wmap.reading.plan import compile_plan
from wmap.reading.read import read

MAPPINGS = """{
          running: [{byConditions: [{type: Up, status: 'True'}, {type: Good}]}],
          failed: [{byConditions: [{type: Down, reason: Broken}]}],
          completed: [{byPhase: Done, byExpression: {expression: .status.n, expectedResult: '2'}}]}"""


@pytest.fixture(scope="module")
def plan():
    """A definition that looks at conditions, a phase and an expression."""
    text = ROOT.replace(
        "{path: .status.phase}", "{path: .status.phase}\n        conditionsDefinition: {path: .status.conditions}"
    )
    return compile_plan(load(text.replace("{running: [{byPhase: Up}]}", MAPPINGS)).definition)


def _condition(kind, status="True", **more):
    return {"type": kind, "status": status, **more}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"conditions": [_condition("Up"), _condition("Good", "False", reason="R", message="m")]}, ("Running", ("Running",), None, None)),
        ({"conditions": [_condition("Good", reason="R"), _condition("Up", reason="S")]}, ("Running", ("Running",), "R", None)),
        ({"conditions": [_condition("Up"), _condition("Good"), _condition("Down", reason="Broken", message="x")]}, ("Failed", ("Failed", "Running"), "Broken", "x")),
        ({"conditions": [_condition("Down", reason="Other")]}, ("Undefined", (), None, None)),
        ({"conditions": [_condition("Up", "False"), _condition("Good")]}, ("Undefined", (), None, None)),
        ({"phase": "Done", "n": 2}, ("Completed", ("Completed",), None, None)),
        ({"phase": "Done", "n": 3}, ("Undefined", (), None, None)),
        ({"phase": "Up", "n": 2}, ("Undefined", (), None, None)),
        (None, ("Undefined", (), None, None)),
    ],
)  # fmt: skip
def test_the_phase_is_the_first_in_precedence_that_matched(plan, status, expected):
    """All kinds of a matcher hold together; reason and message are of the first condition that was looked at."""
    assert tuple(read(plan, thing({}, status=status)).status) == expected


def test_of_two_conditions_of_one_type_the_last_counts(plan):
    """The last of two equal types is what matched, so reason and message are its own, not those of the stale one."""
    conditions = [
        _condition("Down", reason="Old", message="stale"),
        _condition("Down", reason="Broken", message="new"),
    ]
    assert tuple(read(plan, thing({}, status={"conditions": conditions})).status) == (
        "Failed",
        ("Failed",),
        "Broken",
        "new",
    )


@pytest.mark.parametrize(("ready", "codes"), [(2, []), (1, ["pods-disagree"])])
def test_running_is_held_against_the_pods(ready, codes):
    """A warning where the status says Running and fewer pods than the workload has are ready."""
    children = "    - {name: p, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}, scaleDefinition: {replicasPath: .spec.n}}\n"
    pods = [
        {"metadata": {"name": f"p{i}"}, "status": {"conditions": [{"type": "Ready", "status": str(i < ready)}]}}
        for i in range(2)
    ]
    reading = read(compile_plan(definition(children)), thing({"pod": {}, "n": 2}, status={"phase": "Up"}), pods)
    assert [w.code for w in reading.warnings] == codes
    assert reading.components[1].instances[0].ready == ready
