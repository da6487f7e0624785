"""The sizes of gangs, against the consumers' rule written down a second time, on every fixture."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reading.thing import definition, thing

from wmap import Catalog
from wmap.definition.yamlio import read_documents
from wmap.reading.plan import compile_plan
from wmap.reading.read import read

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = sorted((REPOSITORY / "fixtures").glob("*/[!_]*.yaml"))


def _subtree(definition, obj, name):
    """scale(C) x the sum of the children's subtrees, a missing or zero factor left out, as schedulers compute it."""
    component = definition.component(name)

    def values(text):
        return text.expression.evaluate(obj) if text is not None else []

    scale = component.scale
    least = values(scale.min_replicas) if scale else []
    now = values(scale.replicas) if scale else []
    own = sum((least[i] if i < len(least) and (least[i] or 0) > 0 else now[i]) or 0 for i in range(len(now)))
    below = [c.name.value for c in definition.children if c.owner.value == name]
    if not below:
        return own
    total = sum(_subtree(definition, obj, child) for child in below)
    return total * own or total or own


@pytest.mark.parametrize("file", FIXTURES, ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_a_gang_has_the_size_that_schedulers_compute(file):
    """The minimum of each gang is the size of its member's subtree."""
    ((fixture, _),) = read_documents(file.read_text())
    catalog = Catalog.load()
    definition = catalog.definition_for(fixture["object"])
    gangs = catalog.read(fixture["object"]).gangs
    assert [g.min_pods for g in gangs] == [_subtree(definition, fixture["object"], g.component) for g in gangs]


def test_what_the_object_does_not_have_is_no_gang():
    """A member that owns no pods itself gives a row where the object has a component below it, and none where it has not."""
    catalog = Catalog.load()
    head = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "x"}}
    assert catalog.read({**head, "spec": {"replicatedJobs": []}}).gangs == ()
    (gang,) = catalog.read({**head, "spec": {"replicatedJobs": [{"name": "a", "replicas": 0}]}}).gangs
    assert gang.min_pods == 0


NESTED = """\
    - {name: group, ownerRef: thing, scaleDefinition: {replicasPath: .spec.groups}}
    - name: leader
      ownerRef: group
      specDefinition: {podSpecPath: .spec.leader}
      scaleDefinition: {replicasPath: .spec.leaders}
      podSelector: {componentTypeSelector: {matchLabels: {role: leader}}}
    - name: worker
      ownerRef: group
      specDefinition: {podSpecPath: .spec.worker}
      scaleDefinition: {replicasPath: .spec.workers, minReplicasPath: .spec.least}
      podSelector: {componentTypeSelector: {matchLabels: {role: worker}}}
"""
OLD = """\
  optimizationInstructions:
    gangScheduling: {podGroups: [{name: g, members: [{componentName: group}]}]}
"""
NEW = """\
  optimizationInstructions:
    gangScheduling: {podGroup: {name: g, subGroups: [{componentName: leader}, {componentName: worker}]}}
"""


def _nested(more, pods=None, **spec):
    plan = compile_plan(definition(NESTED, more=more))
    return read(plan, thing({"leader": {}, "worker": {}, **spec}), pods)


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ({"groups": 3, "leaders": 1, "workers": 4}, 15),
        ({"groups": 3, "leaders": 1, "workers": 4, "least": 2}, 9),
        ({"groups": 3, "leaders": 1, "workers": 4, "least": 0}, 15),
        ({"groups": 0, "leaders": 1, "workers": 4}, 5),
        ({"leaders": 1, "workers": 4}, 5),
        ({"groups": 3, "leaders": 0, "workers": 0}, 3),
        ({"groups": 0, "leaders": 0, "workers": 0}, 0),
    ],
)
def test_a_zero_or_missing_factor_is_left_out(spec, size):
    """The minimum of an owner's gang is its scale times the sum below, and the other factor where one is zero."""
    (gang,) = _nested(OLD, **spec).gangs
    assert gang.min_pods == size


def test_the_newer_form_is_one_gang_that_lacks_what_its_subgroups_lack():
    """A leader and two of four workers: one gang of three pods that lacks two, whichever pod comes first."""
    roles = ["worker", "leader", "worker"]
    pods = [{"metadata": {"name": f"p{i}", "labels": {"role": role}}} for i, role in enumerate(roles)]
    for some in (pods, pods[::-1]):
        (group,) = _nested(NEW, some, leaders=1, workers=4).attribution.groups
        assert (group.pods, group.lacks) == (3, 2)
    (group,) = _nested(NEW, [pods[0], pods[2]], leaders=1, workers=1).attribution.groups
    assert (group.pods, group.lacks) == (2, 1)


KEYED = """\
    - name: group
      ownerRef: thing
      scaleDefinition: {replicasPath: .spec.groups}
      podSelector: {replicaSelector: {keyPath: .metadata.labels.group}}
    - name: part
      ownerRef: group
      specDefinition: {podSpecPath: '.spec.parts[]?.pod'}
      scaleDefinition: {replicasPath: '.spec.parts[]? | .n'}
      instanceIdPath: .spec.parts[]?.name
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
"""


@pytest.mark.parametrize(
    ("member", "keys", "count"),
    [
        ("part", "", 1),
        ("part", ".metadata.labels.group", 3),
        ("part", ".metadata.labels.group, .metadata.labels.part", 3),
        ("part", ".metadata.labels.part", None),
        ("part", ".metadata.labels.other", None),
        ("group", ".metadata.labels.group", 1),
        ("thing", ".metadata.labels.group", 1),
    ],
)
def test_how_many_gangs_there_are_follows_from_the_keys(member, keys, count):
    """The product of the scales above the member, null where the keys are none of the tree or the groups would mix."""
    members = f"{{componentName: {member}, groupByKeyPaths: [{keys}]}}" if keys else f"{{componentName: {member}}}"
    more = f"  optimizationInstructions:\n    gangScheduling: {{podGroups: [{{name: g, members: [{members}]}}]}}\n"
    plan = compile_plan(definition(KEYED, more=more))
    obj = thing({"groups": 3, "parts": [{"name": "a", "pod": {}, "n": 2}, {"name": "b", "pod": {}, "n": 4}]})
    gangs = read(plan, obj).gangs
    sizes = [("a", 2), ("b", 4)] if member == "part" else [(None, 18)]
    assert [(g.instance, g.min_pods) for g in gangs] == sizes
    assert [g.count for g in gangs] == [count] * len(sizes)


def test_a_gang_of_one_instance_lacks_what_that_instance_needs():
    """Where a leaf with instances is the member, its gang has the minimum of the pod's own instance."""
    more = (
        "  optimizationInstructions:\n    gangScheduling: {podGroups: [{name: g, members: [{componentName: part, "
        "groupByKeyPaths: [.metadata.labels.part]}]}]}\n"
    )
    plan = compile_plan(definition(KEYED, more=more))
    obj = thing({"parts": [{"name": "a", "pod": {}, "n": 2}, {"name": "b", "pod": {}, "n": 4}]})
    pods = [{"metadata": {"name": f"p{i}", "labels": {"part": part}}} for i, part in enumerate("bab")]
    pods.append({"metadata": {"name": "p3", "labels": {"part": "c"}}})
    attribution = read(plan, obj, pods).attribution
    assert [(g.keys, g.pods, g.lacks) for g in attribution.groups] == [(("a",), 1, 1), (("b",), 2, 2)]
    assert [u.reason for u in attribution.unmatched] == [
        "it is of part, but has the instance id 'c', which the workload does not have"
    ]


LEAF_OWNER = """\
    - name: leader
      ownerRef: thing
      specDefinition: {podSpecPath: .spec.leader}
      scaleDefinition: {replicasPath: .spec.leaders}
      podSelector: {componentTypeSelector: {matchLabels: {role: leader}}}
    - name: worker
      ownerRef: leader
      specDefinition: {podSpecPath: .spec.worker}
      scaleDefinition: {replicasPath: .spec.workers}
      podSelector: {componentTypeSelector: {matchLabels: {role: worker}}}
"""


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ({"leaders": 2, "worker": {}, "workers": 3}, 6),
        ({"leaders": 0, "worker": {}, "workers": 3}, 3),
        ({"leaders": 2, "worker": {}, "workers": 0}, 2),
        ({"leaders": 2}, 2),
    ],
)
def test_a_leaf_with_leaves_below_is_scale_times_sum_too(spec, size):
    """The rule is the same for a leaf that owns leaves: absent workers are a missing factor, so its own scale is left."""
    more = OLD.replace("componentName: group", "componentName: leader, groupByKeyPaths: [.metadata.labels.role]")
    (gang,) = read(compile_plan(definition(LEAF_OWNER, more=more)), thing({"leader": {}, **spec})).gangs
    assert (gang.min_pods, gang.count) == (size, None)
