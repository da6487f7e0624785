"""Scales and instances of every form, on whole and on odd objects."""

from __future__ import annotations

import gc

import pytest
from tests.reading.thing import definition, thing

from wmap.reading import compile_plan, read

LEAF_WITH_LEAVES = definition("""\
    - name: leader
      ownerRef: thing
      specDefinition: {podSpecPath: .spec.leader}
      scaleDefinition: {replicasPath: .spec.leaders, minReplicasPath: .spec.least, maxReplicasPath: .spec.most}
    - name: worker
      ownerRef: leader
      specDefinition: {podSpecPath: .spec.worker}
      scaleDefinition: {replicasPath: .spec.workers}
""")


@pytest.mark.parametrize(
    ("spec", "pods", "least", "most"),
    [
        ({"leaders": 2, "workers": 3}, [2, 6], [2, 6], [None, None]),
        ({"leaders": 2, "workers": 3, "least": 1, "most": 4}, [2, 6], [1, 3], [4, 12]),
        ({"workers": 3}, [0, 3], [0, 3], [None, None]),
        ({"leaders": 0, "workers": 3}, [0, 0], [0, 0], [None, None]),
    ],
)
def test_a_leaf_may_own_leaves(spec, pods, least, most):
    """Below a leaf with a scale, pods are its scale times their own; absent counts 1 there, and 0 counts 0."""
    reading = read(compile_plan(LEAF_WITH_LEAVES), thing({"leader": {}, "worker": {}, **spec}))
    rows = [c.instances[0] for c in reading.components[1:]]
    assert [r.pods for r in rows] == pods
    assert [r.min_pods for r in rows] == least
    assert [r.max_pods for r in rows] == most


OWNER = definition("""\
    - {name: group, ownerRef: thing, scaleDefinition: {replicasPath: '.spec.groups[]?.n', minReplicasPath: '.spec.low', maxReplicasPath: .spec.high}}
    - {name: part, ownerRef: group, specDefinition: {podSpecPath: .spec.pod}, scaleDefinition: {replicasPath: .spec.n}}
""")


@pytest.mark.parametrize(
    ("spec", "pods", "most", "codes"),
    [
        ({"groups": [{"n": 2}, {"n": 3}], "n": 2}, 10, None, []),
        ({"groups": [{"n": 2}, {}], "n": 2, "high": 9}, 4, 18, []),
        ({"groups": [], "n": 2}, 2, None, []),
        ({"groups": [{"n": "x"}], "n": 2}, 2, None, ["bad-replicas"]),
        ({"groups": [5], "n": 2}, 2, None, ["path-raised"]),
        ({"groups": [{"n": 2.0}], "n": -1}, 0, None, ["bad-replicas"]),
        ({"groups": [{"n": 2**31}], "n": 1}, 1, None, ["bad-replicas"]),
    ],
)
def test_the_scale_of_an_owner_multiplies(spec, pods, most, codes):
    """An owner's scale is the sum of what its path gives; what is no count is left out with a warning."""
    reading = read(compile_plan(OWNER), thing({"pod": {}, **spec}))
    (row,) = reading.components[2].instances
    assert (row.pods, row.max_pods) == (pods, most)
    assert [w.code for w in reading.warnings] == codes


GROUPS = definition("""\
    - name: part
      ownerRef: thing
      specDefinition: {podTemplateSpecPath: '.spec.groups[]?.template // empty'}
      instanceIdPath: .spec.groups[]?.name
      scaleDefinition: {replicasPath: '.spec.groups[]? | .n // empty'}
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
""")


def test_paths_that_give_too_few_results_are_said():
    """Where a path drops entries, consumers fail: a warning says it, and what is missing reads as absent."""
    spec = {"groups": [{"name": "a", "n": 1, "template": {}}, {"name": "b"}, {"name": "c", "n": 3}]}
    reading = read(compile_plan(GROUPS), thing(spec))
    assert [i.replicas for i in reading.components[1].instances] == [1, 3, None]
    assert [w.code for w in reading.warnings] == ["misaligned", "misaligned"]


def test_templates_that_are_no_objects_are_said():
    """A template, a pod spec or containers that are no object or list are ignored with a warning."""
    spec = {"groups": [{"name": "a", "n": 1, "template": 5}, {"name": "b", "n": 1, "template": {"spec": 5}}]}
    reading = read(compile_plan(GROUPS), thing(spec))
    assert [w.message.split(":")[0] for w in reading.warnings] == [
        "the pod template is no object",
        "the pod spec is no object",
    ]
    assert reading.totals.pods == 2


RAISES = definition("    - {name: part, ownerRef: thing, specDefinition: {podSpecPath: '.spec.pods[0]'}}\n")


def test_a_template_path_that_raises_leaves_the_component_out():
    """A component whose pods cannot be read has none, and a warning says that consumers fail."""
    reading = read(compile_plan(RAISES), thing({"pods": "text"}))
    assert (reading.totals.pods, [w.code for w in reading.warnings]) == (0, ["path-raised"])


SUSPEND = definition(
    "    - {name: part, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}}\n",
    root="""\
      suspendDefinition:
        suspendActions: [{path: .spec.run.off, value: 'true'}]
        resumeActions: [{path: .spec.run.off, value: 'false'}]
""",
)


@pytest.mark.parametrize(
    ("spec", "suspended", "codes"),
    [({"run": {"off": True}}, True, []), ({"run": {"off": 1}}, False, []), ({"run": 5}, False, ["path-raised"])],
)
def test_an_object_is_suspended_when_all_actions_hold(spec, suspended, codes):
    """The suspend values stand at their paths; true is not 1, and a path that raises leaves a warning."""
    reading = read(compile_plan(SUSPEND), thing(spec))
    assert (reading.suspend.suspended, [w.code for w in reading.warnings]) == (suspended, codes)


PARTS = definition("""\
    - name: part
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {imagePath: .spec.image}}
      scaleDefinition: {replicasPath: .spec.n}
""")


@pytest.mark.parametrize(("spec", "pods"), [({"n": 2}, [2]), ({"n": 0}, []), ({}, []), ({"image": "i", "n": 3}, [3])])
def test_a_component_in_parts_is_there_without_them_when_it_has_a_scale(spec, pods):
    """Pods of which the object says nothing but their number count, as they do for consumers."""
    reading = read(compile_plan(PARTS), thing(spec))
    assert [i.pods for i in reading.components[1].instances] == pods


@pytest.mark.parametrize(
    ("names", "codes", "ids"),
    [
        (["a", "a"], ["duplicate-id"], ["a", "a"]),
        (["a", 5], ["id-not-string"], ["a", "5"]),
        (["", "b"], ["id-not-string"], ["", "b"]),
        ([None, True], ["id-not-string", "id-not-string"], ["null", "true"]),
    ],
)
def test_an_id_that_consumers_do_not_take_is_warned_of(names, codes, ids):
    """Equal, empty and other ids than strings leave a warning each, and every instance is still read."""
    children = """\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.parts[].pod'}
      scaleDefinition: {replicasPath: '.spec.parts[].n'}
      instanceIdPath: .spec.parts[].name
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
"""
    reading = read(
        compile_plan(definition(children)), thing({"parts": [{"name": n, "pod": {}, "n": 2} for n in names]})
    )
    assert [w.code for w in reading.warnings] == codes
    assert [i.id for i in reading.components[1].instances] == ids
    assert reading.totals.pods == 4


def test_a_scale_path_without_a_result_is_absent():
    """No result of a scale path on a component without ids reads as absent: no pods beside a scale, and no warning."""
    children = (
        "    - {name: p, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}, "
        "scaleDefinition: {replicasPath: '.spec.n[]?'}}\n"
    )
    reading = read(compile_plan(definition(children)), thing({"pod": {}}))
    assert (reading.totals.pods, reading.components[1].instances[0].replicas, reading.warnings) == (0, None, ())


def test_a_thousand_results_are_read_and_warned_of():
    """999 results of a path are what consumers take; from 1,000 on they fail, which is said, and all are read."""
    children = """\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.parts[].pod'}
      instanceIdPath: .spec.parts[].name
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
"""
    plan = compile_plan(definition(children))
    parts = [{"name": f"p{i}", "pod": {}} for i in range(1_000)]
    assert read(plan, thing({"parts": parts[1:]})).warnings == ()
    reading = read(plan, thing({"parts": parts}))
    assert reading.totals.pods == 1_000
    assert {w.code for w in reading.warnings} == {"too-many-results"}


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_after_a_reading(enabled):
    """A reading of thousands of instances pauses the collector of circles, and leaves it as it found it."""
    spec = {"groups": [{"name": str(i), "n": 1, "template": {}} for i in range(1_200)]}
    plan = compile_plan(GROUPS)
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        assert read(plan, thing(spec)).totals.pods == 1_200
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
