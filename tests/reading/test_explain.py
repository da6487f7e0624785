"""Explain: which expression, at which line, read what from where."""

from __future__ import annotations

import pytest
from tests.reading.thing import ROOT as ROOT_TEXT
from tests.reading.thing import definition, thing

from wmap.definition import load
from wmap.reading.explain import explain, place

ROOT = """\
      scaleDefinition: {replicasPath: .spec.copies, minReplicasPath: .spec.least, maxReplicasPath: .spec.most}
      suspendDefinition: {suspendActions: [{path: .spec.off, value: 'true'}], resumeActions: [{path: .spec.off, value: 'false'}]}
"""
CHILD = """\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.parts[]?.pod', metadataPath: '.spec.parts[]?.meta'}
      scaleDefinition: {replicasPath: '.spec.parts[]? | (.n // 1)'}
      instanceIdPath: .spec.parts[]?.name
      podSelector: {componentTypeSelector: {keyPath: .a}, componentInstanceSelector: {idPath: .metadata.labels.part}}
    - name: piece
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {imagePath: .spec.image}}
      scaleDefinition: {replicasPath: '[.spec.parts[]?.n // 0] | add'}
      podSelector: {componentTypeSelector: {keyPath: .b}}
"""
OBJECT = thing({"image": "i", "copies": 2, "parts": [{"name": "a", "n": 4}, {"name": "b"}, {"name": "c", "n": 5}]})


@pytest.fixture(scope="module")
def explained():
    """What is explained of the object, by component and subject."""
    found = explain(definition(CHILD, root=ROOT), OBJECT)
    return {(e.component, e.subject): e for e in found}


def test_every_expression_that_reads_the_object_is_explained(explained):
    """Ids, pods, pieces, scales, phase and suspension of each component have a line, and no other has."""
    assert sorted(explained) == [
        ("part", "instance ids"), ("part", "pod metadata"), ("part", "pod spec"), ("part", "replicas"), ("piece", "image"),
        ("piece", "replicas"), ("thing", "maximum"), ("thing", "minimum"), ("thing", "phase"), ("thing", "replicas"), ("thing", "suspend"),
    ]  # fmt: skip


def test_a_count_comes_from_the_field_of_its_own_instance(explained):
    """A default of the second instance is said to stand for the second instance's field."""
    assert explained["part", "replicas"].results == (
        (4, (".spec.parts[0].n",)),
        (1, (".spec.parts[1].n",)),
        (5, (".spec.parts[2].n",)),
    )


def test_a_sum_comes_from_each_of_its_terms(explained):
    """A sum lists the leaves that are in it: what was absent is in none."""
    assert explained["piece", "replicas"].results == ((9, (".spec.parts[0].n", ".spec.parts[2].n")),)


def test_a_line_is_that_of_the_expression(explained):
    """The line is where the expression stands in the definition."""
    text = explained["piece", "image"]
    assert (text.expression, text.field.rsplit(".", 1)[1]) == (".spec.image", "imagePath")
    assert explained["piece", "replicas"].line == text.line + 1


def test_conditions_and_expressions_of_the_status_are_explained():
    """The path of the conditions, and the expression of a matcher under the phase that it tells, are there."""
    result = load(
        ROOT_TEXT.replace(
            "phaseDefinition: {path: .status.phase}", "conditionsDefinition: {path: .status.conditions}"
        ).replace("{byPhase: Up}", "{byExpression: {expression: .status.up == 1, expectedResult: 'true'}}")
    )
    found = {e.subject: e.results for e in explain(result.definition, thing({}, status={"up": 1, "conditions": []}))}
    assert found == {
        "conditions": (([], (".status.conditions",)),),
        "status Running": ((True, (".status.up",)),),
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), "."),
        (("spec", "parts", 0, "n"), ".spec.parts[0].n"),
        ((0, "a"), ".[0].a"),
        (("a", 0, "b.c", 'q"'), '.a[0]["b.c"]["q\\""]'),
        (("a-b", 'c"d\\'), '.["a-b"]["c\\"d\\\\"]'),
    ],
)
def test_a_place_is_a_path_of_jq(path, text):
    """A place is written as the path that addresses it."""
    assert place(path) == text


COMPUTED = definition(
    """\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.parts[]?.pod'}
      instanceIdPath: .spec.parts[]?.name
      scaleDefinition: {replicasPath: '.spec.parts[]? | (.n // 1) * (.hosts // 1)', maxReplicasPath: '.spec.parts[]? | error("no")'}
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
    - {name: rest, ownerRef: thing, specDefinition: {podSpecPath: .spec.rest}, scaleDefinition: {replicasPath: '.spec.a + .spec.b'}}
""",
)


def _of(subject, component):
    (found,) = (e for e in explain(COMPUTED, PARTS) if (e.subject, e.component) == (subject, component))
    return found


PARTS = thing(
    {"parts": [{"name": "a", "n": 2, "pod": {}}, {"name": "b", "hosts": 3, "pod": {}}], "a": 1, "b": 2, "rest": {}},
    status={"phase": "Up"},
)  # fmt: skip


def test_a_computed_value_of_an_instance_is_read_from_its_own_entry():
    """What stands behind a bar is read below the entry that it was given, also where a field is absent."""
    assert _of("replicas", "part").results == (
        (2, (".spec.parts[0].n", ".spec.parts[0].hosts")),
        (3, (".spec.parts[1].n", ".spec.parts[1].hosts")),
    )


def test_a_place_and_a_sum_say_what_they_are_made_of():
    """A path is its own place; a sum is read from each of its parts."""
    assert _of("instance ids", "part").results == (
        ("a", (".spec.parts[0].name",)),
        ("b", (".spec.parts[1].name",)),
    )
    assert _of("replicas", "rest").results == ((3, (".spec.a", ".spec.b")),)
    assert _of("phase", "thing").results == (("Up", (".status.phase",)),)


def test_what_raises_gives_what_came_before():
    """An expression that raises explains nothing, and does not raise."""
    assert _of("maximum", "part").results == ()
