"""Explain: each value has the expression that gave it, its line, and exactly the places that it was read from."""

from __future__ import annotations

from tests.reading.thing import definition, thing

from wmap.reading.explain import explain, place

MADE = definition(
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


def _explained(subject, component):
    (found,) = (e for e in explain(MADE, OBJECT) if (e.subject, e.component) == (subject, component))
    return found


OBJECT = thing(
    {"parts": [{"name": "a", "n": 2, "pod": {}}, {"name": "b", "hosts": 3, "pod": {}}], "a": 1, "b": 2, "rest": {}},
    status={"phase": "Up"},
)  # fmt: skip


def test_a_computed_value_of_an_instance_is_read_from_its_own_entry():
    """What stands behind a bar is read below the entry that it was given, also where a field is absent."""
    assert _explained("replicas", "part").results == (
        (2, (".spec.parts[0].n", ".spec.parts[0].hosts")),
        (3, (".spec.parts[1].n", ".spec.parts[1].hosts")),
    )


def test_a_place_and_a_sum_say_what_they_are_made_of():
    """A path is its own place; a sum is read from each of its parts."""
    assert _explained("instance ids", "part").results == (
        ("a", (".spec.parts[0].name",)),
        ("b", (".spec.parts[1].name",)),
    )
    assert _explained("replicas", "rest").results == ((3, (".spec.a", ".spec.b")),)
    assert _explained("phase", "thing").results == (("Up", (".status.phase",)),)


def test_what_raises_gives_what_came_before():
    """An expression that raises explains nothing, and does not raise."""
    assert _explained("maximum", "part").results == ()


def test_a_place_is_written_as_a_path():
    """Odd keys are quoted."""
    assert place(("a", 0, "b.c", 'q"')) == '.a[0]["b.c"]["q\\""]'
