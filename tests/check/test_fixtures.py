"""Fixtures: what is compared with what, and where a difference is said to be."""

from __future__ import annotations

import pytest

from wmap.check import validate
from wmap.check.fixtures import differences
from wmap.definition.yamlio import read_marked
from wmap.errors import EnvironmentFailure

NAME = "example-com-job-v1"
DEFINITION = f"""apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {{name: {NAME}}}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {{group: example.com, version: v1, kind: Job}}
      specDefinition: {{podTemplateSpecPath: .spec.template}}
      scaleDefinition: {{replicasPath: .spec.replicas}}
      statusDefinition:
        phaseDefinition: {{path: .status.phase}}
        statusMappings: {{running: [{{byPhase: Up}}], failed: [{{byPhase: Down}}]}}
"""
OBJECT = "object: {apiVersion: example.com/v1, kind: Job, spec: {replicas: 2, template: {}}, status: {phase: Up}}\n"


def _run(folder, text):
    """Code, message, line and column of what one fixture gives."""
    file = folder / NAME / "case.yaml"
    file.parent.mkdir()
    file.write_text(text)
    result = validate([(f"{NAME}.yaml", DEFINITION)], fixtures=folder)
    assert result.fixtures == 1
    assert all(f.file == str(file) and f.definition == NAME for f in result.findings)
    return [(f.code, f.message, f.span.line, f.span.column) for f in result.findings]


def test_a_fixture_that_reads_what_it_expects_gives_nothing(tmp_path):
    """A subset of the reading is enough."""
    text = f"description: two pods\n{OBJECT}expect: {{status: {{phase: Running}}, totals: {{pods: 2}}}}\n"
    assert _run(tmp_path, text) == []


def test_a_difference_is_said_at_the_value_that_is_expected(tmp_path):
    """Path, what was expected, what was read, and the line and column of the expectation."""
    text = f"description: two pods\n{OBJECT}expect:\n  totals: {{pods: 3}}\n  gang: 1\n"
    found = _run(tmp_path, text)
    assert found[0] == ("F001", "expect.totals.pods: expected 3, got 2", 4, 18)
    assert found[1][0] == "F001"
    assert found[1][1].startswith("expect.gang: there is no such value; there are schemaVersion, ")
    assert found[1][2:] == (5, 3)


def test_the_steps_of_a_life_follow_each_other(tmp_path):
    """A patch changes the object for good, a status replaces the old one, pods stay until others are given."""
    text = f"""description: a life
{OBJECT}pods: [{{metadata: {{name: a}}}}]
steps:
- expect: {{status: {{phase: Running}}, attribution: {{pods: [{{name: a}}]}}}}
- patch: {{spec: {{replicas: 5}}}}
  expect: {{totals: {{pods: 5}}}}
- status: {{phase: Down}}
  pods: []
  expect: {{totals: {{pods: 5}}, status: {{phase: Failed}}, attribution: {{pods: []}}}}
- status: null
  expect: {{totals: {{pods: 6}}, status: {{phase: Undefined}}}}
"""
    assert _run(tmp_path, text) == [("F001", "steps[3].expect.totals.pods: expected 6, got 5", 12, 27)]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "the fixture is empty", 1),
        ("description: [", "", 1),
        (
            f"description: another kind\n{OBJECT.replace('kind: Job', 'kind: Jab')}expect: {{totals: {{pods: 2}}}}\n",
            "the object is no example.com/v1 Job",
            2,
        ),
        (f"description: nothing expected\n{OBJECT}", "", 1),
        (f"{OBJECT}expect: {{totals: {{pods: 2}}}}\n", "", 1),
        (f"description: x\n{OBJECT}expect: {{totals: {{pods: 2}}}}\nexpct: 1\n", "", 4),
    ],
)
def test_what_is_no_fixture_is_a_finding(tmp_path, text, message, line):
    """A file that is no YAML, is empty, has another kind of object or another shape, is said at its place."""
    found = _run(tmp_path, text)
    assert found
    assert {code for code, *_ in found} == {"F002"}
    assert message in found[0][1]
    assert found[0][2] == line


@pytest.mark.parametrize(
    ("expected", "got", "places"),
    [
        ("{a: 1}", {"a": 1, "b": 2}, []),
        ("{a: 1}", {"a": True}, ["x.a"]),
        ("{a: true}", {"a": 1}, ["x.a"]),
        ("{a: null}", {}, ["x.a"]),
        ("{a: {b: 1}}", {"a": None}, ["x.a"]),
        ("{}", {"a": 1}, []),
        ("{}", [], ["x"]),
        ("[1, {a: 2}]", [1, {"a": 2, "b": 3}], []),
        ("[1, {a: 2}]", [2, {"a": 3}], ["x[0]", "x[1].a"]),
        ("[1]", [1, 2], ["x"]),
        ("[]", None, ["x"]),
        ("text", "text", []),
        ("'1'", 1, ["x"]),
    ],
)
def test_maps_are_subsets_lists_have_equal_length_values_are_the_same(expected, got, places):
    """What differs is named by its place; true is not 1, and null is not nothing."""
    assert [place for place, _, _ in differences(read_marked(expected), got, "x")] == places


def test_a_fixture_that_cannot_be_read_is_a_failure_of_the_environment(tmp_path):
    """Reading fails with the name of the file and what to do."""
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "case.yaml").symlink_to("/proc/self/mem")
    with pytest.raises(EnvironmentFailure, match=r"case\.yaml cannot be read"):
        validate([(f"{NAME}.yaml", DEFINITION)], fixtures=tmp_path)
