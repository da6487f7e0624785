"""Changes where the definition has a pod spec with metadata beside it, or names pieces of the pod."""

from __future__ import annotations

import copy

import pytest
from tests.reading.thing import definition, thing

from wmap.errors import CallError, InputError
from wmap.reading.change import ChangeError, change, suspend
from wmap.reading.plan import compile_plan
from wmap.reading.settings import parse_settings

BESIDE = definition("""\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.parts[]?.pod', metadataPath: '.spec.parts[]?.meta'}
      instanceIdPath: .spec.parts[]?.name
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
""")
BARE = definition("    - {name: part, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}}\n")
PIECES = definition("""\
    - name: part
      ownerRef: thing
      specDefinition:
        fragmentedPodSpecDefinition:
          schedulerNamePath: .spec.scheduler
          priorityClassNamePath: .spec.priority
          labelsPath: .spec.labels
          nodeAffinityPath: .spec.affinity
          imagePath: .spec.image
          resourcesPath: .spec.resources
""")
CONTAINERS = definition(
    "    - {name: part, ownerRef: thing, specDefinition: {fragmentedPodSpecDefinition: {containersPath: .spec.main}}}\n"
)
CONTAINER = definition(
    "    - {name: part, ownerRef: thing, specDefinition: {fragmentedPodSpecDefinition: {containerPath: .spec.main}}}\n"
)
PARTS = {"parts": [{"name": "a", "pod": {"containers": [{"name": "c"}]}}, {"name": "b", "pod": {"containers": []}}]}


def _set(obj, place, value):
    """The object with a value at a place, worked out step by step."""
    result = copy.deepcopy(obj)
    target = result
    for step in place[:-1]:
        target = target[step] if isinstance(step, int) else target.setdefault(step, {})
    target[place[-1]] = value
    return result


@pytest.mark.parametrize(
    ("made", "spec", "key", "value", "place"),
    [
        (BESIDE, PARTS, "schedulerName", "kai", ("parts", 0, "pod", "schedulerName")),
        (BESIDE, PARTS, "label.x", "y", ("parts", 0, "meta", "labels", "x")),
        (BESIDE, PARTS, "podAffinity", {"p": 1}, ("parts", 0, "pod", "affinity", "podAffinity")),
        (BESIDE, PARTS, "request.c/cpu", "1", ("parts", 0, "pod", "containers", 0, "resources", "requests", "cpu")),
        (PIECES, {}, "schedulerName", "kai", ("scheduler",)),
        (PIECES, {}, "priorityClassName", "high", ("priority",)),
        (PIECES, {}, "label.x", "y", ("labels", "x")),
        (PIECES, {}, "nodeAffinity", {"n": 1}, ("affinity",)),
        (PIECES, {}, "image", "i", ("image",)),
        (PIECES, {"resources": {"limits": {"cpu": 2}}}, "request.memory", "1Gi", ("resources", "requests", "memory")),
        (CONTAINERS, {"main": [{"name": "c"}]}, "image", "i", ("main", 0, "image")),
        (CONTAINER, {}, "image", "i", ("main", "image")),
        (CONTAINER, {}, "limit.amd.com/gpu", "1", ("main", "resources", "limits", "amd.com/gpu")),
    ],
)  # fmt: skip
def test_a_setting_goes_to_the_place_that_the_definition_names(made, spec, key, value, place):
    """The value stands at its place, parents that are absent are made, and nothing else differs."""
    obj = thing(spec)
    instance = "a" if made is BESIDE else None
    changed = change(made, obj, component="part", instance=instance, settings={key: value})
    assert changed == _set(obj, ("spec", *place), value)


@pytest.mark.parametrize(
    ("made", "spec", "key", "words"),
    [
        (BESIDE, {"parts": []}, "image", "has no instances in this object"),
        (BESIDE, {"parts": 5}, "image", "has no instances in this object"),
        (BESIDE, {"parts": [5]}, "image", "the instances of part cannot be read"),
        (BESIDE, {"parts": [{"name": "a"}]}, "image", "the object has nothing at .spec.parts[0].pod, where the pods of part are described"),
        (BESIDE, {"parts": [{"name": "a", "pod": {"containers": []}}]}, "image", "there are no containers"),
        (BESIDE, {"parts": [{"name": "a", "pod": {"affinity": 5}}]}, "nodeAffinity", "cannot be written"),
        (BARE, {"pod": {"containers": [{}]}}, "label.x", "metadataPath"),
        (BARE, 5, "image", "addresses no place"),
        (PIECES, {}, "annotation.x", "annotationsPath"),
        (PIECES, {"labels": 5}, "label.x", "cannot be written"),
        (CONTAINER, {}, "schedulerName", "schedulerNamePath"),
    ],
)  # fmt: skip
def test_what_has_no_place_is_refused(made, spec, key, words):
    """A setting without a place in the definition or the object is an error that says which."""
    value = {} if key == "nodeAffinity" else "x"
    with pytest.raises(ChangeError) as caught:
        change(made, thing(spec), component="part", settings={key: value})
    assert words in caught.value.message


SHORT = definition("""\
    - name: part
      ownerRef: thing
      specDefinition: {podSpecPath: '.spec.pods[]?'}
      instanceIdPath: .spec.names[]?
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
""")


def test_an_instance_without_a_place_is_refused():
    """Where a path gives fewer places than there are ids, the instance without one is not changed by guess."""
    obj = thing({"names": ["a", "b"], "pods": [{"containers": [{}]}]})
    with pytest.raises(ChangeError, match="addresses 1 places in this object"):
        change(SHORT, obj, component="part", instance="b", settings={"image": "x"})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"image": 5}, "not a text"),
        ({"image.": "x"}, "names nothing"),
        ({"label.": "x"}, "cannot be set"),
        ({"request.cpu": None}, "no quantity"),
        ({"request.bad key": "1"}, "'bad key' is no name of a resource"),
        ({"label.bad key": "x"}, "'bad key' is no key of a label"),
        ({"label.a/b/c": "x"}, "'a/b/c' is no key of a label"),
        ({"label./a": "x"}, "'/a' is no key of a label"),
        ({"label." + "a" * 64: "x"}, "is no key of a label"),
        ({"label.a": "b c"}, "'b c' is no value of a label"),
        ({"label.a": "b-"}, "'b-' is no value of a label"),
        ({"label.a": "b" * 64}, "is no value of a label"),
        ({"annotation.a~b": "x"}, "'a~b' is no key of an annotation"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(settings, words):
    """A setting whose value cannot be what it is for is an error before anything is changed."""
    with pytest.raises(CallError) as caught:
        change(PIECES, thing({}), component="part", settings=settings)
    assert words in str(caught.value)


def test_settings_are_read_from_text():
    """KEY=VALUE texts become settings; an affinity is JSON, and a value may hold further equals signs."""
    assert parse_settings(["annotation.a=b=c", 'podAffinity={"x": 1}']) == {
        "annotation.a": "b=c",
        "podAffinity": {"x": 1},
    }


SUSPENDED = definition(
    "    - {name: part, ownerRef: thing, specDefinition: {podSpecPath: .spec.pod}}\n",
    root="""\
      suspendDefinition:
        suspendActions: [{path: .spec.suspend, value: 'true'}, {path: '.spec.parts[]?.replicas', value: '0'}]
        resumeActions: [{path: .spec.suspend, value: 'false'}]
""",
)


def test_a_suspension_takes_all_its_actions():
    """Each action writes its value at each place that its path addresses."""
    obj = thing({"parts": [{"replicas": 2}, {}]})
    assert suspend(SUSPENDED, obj) == thing({"parts": [{"replicas": 0}, {"replicas": 0}], "suspend": True})


def test_a_suspension_that_cannot_be_written_changes_nothing():
    """An object whose spec is no map is refused."""
    with pytest.raises(ChangeError, match="addresses no place"):
        suspend(SUSPENDED, thing(5))


@pytest.mark.parametrize(
    ("made", "spec", "key"),
    [
        (CONTAINERS, {"main": [{"name": "c"}]}, "request.d/cpu"),
        (CONTAINERS, {"main": [{"name": "c"}]}, "image.d"),
        (CONTAINER, {"main": {"name": "c"}}, "limit.d/cpu"),
        (CONTAINER, {"main": {"name": "c"}}, "image.d"),
        (PIECES, {"image": "i"}, "image.d"),
        (PIECES, {"resources": {}}, "request.d/cpu"),
    ],
)
def test_a_container_that_is_not_there_is_not_changed(made, spec, key):
    """A key that names a container which the object or the definition does not have is refused, not written elsewhere."""
    with pytest.raises(ChangeError, match=r"no container d|no place for"):
        change(made, thing(spec), component="part", settings={key: "1"})


@pytest.mark.parametrize(("key", "place"), [("image.c", ("image",)), ("limit.c/cpu", ("resources", "limits", "cpu"))])
def test_the_only_container_can_be_named(key, place):
    """Where the definition has one container, its own name in a key means it."""
    changed = change(CONTAINER, thing({"main": {"name": "c"}}), component="part", settings={key: "1"})
    assert changed == _set(thing({"main": {"name": "c"}}), ("spec", "main", *place), "1")


def test_a_container_without_a_resource_is_no_key():
    """``request.main/`` names no resource."""
    with pytest.raises(CallError, match="cannot be set"):
        parse_settings(["request.main/=1"])


def test_an_action_that_is_not_json_is_said():
    """A definition whose suspension writes no JSON is an error about the definition, and changes nothing."""
    root = "      suspendDefinition: {suspendActions: [{path: .spec.off, value: 'yes'}], resumeActions: [{path: .spec.off, value: '0'}]}\n"
    with pytest.raises(ChangeError, match="'yes', which is not JSON"):
        suspend(definition("    - {name: p, ownerRef: thing}\n", root=root), thing({}))


TWO = """\
    - {{name: part, ownerRef: thing, specDefinition: {{podSpecPath: .spec.pod}}}}
    - {{name: other, ownerRef: thing, specDefinition: {{podSpecPath: '{path}'}}}}
"""


def test_a_component_that_cannot_be_read_does_not_hinder_a_change():
    """Where another component's path raises on the object, it shares no template, and the change is made."""
    obj = thing({"pod": {"containers": []}, "groups": 5})
    changed = change(
        definition(TWO.format(path=".spec.groups[].pod")), obj, component="part", settings={"schedulerName": "k"}
    )
    assert changed == _set(obj, ("spec", "pod", "schedulerName"), "k")


def test_a_component_whose_pieces_cannot_be_read_is_not_there():
    """A piece whose path raises has no value: all pieces empty, the component is not in the object."""
    made = definition(
        "    - {name: part, ownerRef: thing, specDefinition: {fragmentedPodSpecDefinition: "
        "{containersPath: '.spec.a[].b', imagePath: .spec.image}}}\n"
    )
    with pytest.raises(ChangeError, match="all of its pieces are empty"):
        change(made, thing({"a": 5}), component="part", settings={"image": "i"})


def test_a_plan_of_an_action_that_is_not_json_is_refused():
    """Readings compare with the value of the action, so a definition whose value is not JSON cannot be made ready."""
    root = "      suspendDefinition: {suspendActions: [{path: .spec.off, value: 'yes'}], resumeActions: [{path: .spec.off, value: '0'}]}\n"
    with pytest.raises(InputError, match=r"suspendActions\[0\]\.value: 'yes' is not JSON"):
        compile_plan(definition("    - {name: p, ownerRef: thing}\n", root=root))


SHARED = definition("""\
    - name: leader
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {containerPath: .spec.main, schedulerNamePath: .spec.leaderScheduler}}
      scaleDefinition: {replicasPath: "1"}
    - name: worker
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {imagePath: .spec.main.image, schedulerNamePath: .spec.scheduler}}
      scaleDefinition: {replicasPath: .spec.workers}
""")


def test_pieces_that_two_components_share_are_not_changed_for_one():
    """The image of the leader is that of the workers: it is refused as long as there are workers; what is its own is changed."""
    spec = {"main": {"name": "c", "image": "i"}, "workers": 2}
    for component in ("leader", "worker"):
        with pytest.raises(ChangeError, match=r"leader and worker|worker and leader"):
            change(SHARED, thing(spec), component=component, settings={"image": "j"})
    changed = change(SHARED, thing(spec), component="leader", settings={"schedulerName": "s"})
    assert changed == thing({**spec, "leaderScheduler": "s"})


def test_pieces_that_two_components_share_are_changed_for_both_where_both_are_named():
    """The refusal says how to name them, and naming them changes the shared place once; an instance is then not one of both."""
    spec = {"main": {"name": "c", "image": "i"}, "workers": 2}
    with pytest.raises(ChangeError) as caught:
        change(SHARED, thing(spec), component="worker", settings={"image": "j"})
    assert "to change them together: --component worker --component leader" in (caught.value.hint or "")
    changed = change(SHARED, thing(spec), component=["leader", "worker"], settings={"image": "j"})
    assert changed == thing({**spec, "main": {"name": "c", "image": "j"}})
    with pytest.raises(CallError, match="several are named"):
        change(SHARED, thing(spec), component=["leader", "worker"], instance="0", settings={"image": "j"})


def test_a_refused_change_does_not_print_a_program():
    """Of a long expression the beginning is shown, and where the rest stands."""
    long = "if " + " and ".join(f".spec.a{i} == null" for i in range(40)) + " then (.spec[] | .x) else .spec.x end"
    made = definition(f"""\
    - name: part
      ownerRef: thing
      specDefinition: {{fragmentedPodSpecDefinition: {{schedulerNamePath: '{long}'}}}}
""")
    with pytest.raises(ChangeError) as caught:
        change(made, thing({"y": 5}), component="part", settings={"schedulerName": "s"})
    assert len(caught.value.message) < 250
    assert "schedulerNamePath, line" in (caught.value.hint or "")


def test_a_component_that_is_there_by_a_piece_that_cannot_be_written_shares_too():
    """The workers have an image that is put together, and no pods yet; their scheduler is the leader's all the same."""
    both = definition("""\
    - name: leader
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {schedulerNamePath: .spec.scheduler}}
      scaleDefinition: {replicasPath: "1"}
    - name: worker
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {imagePath: '.spec.name + ":1"', schedulerNamePath: .spec.scheduler}}
      scaleDefinition: {replicasPath: "0"}
""")
    with pytest.raises(ChangeError, match="leader and worker"):
        change(both, thing({"name": "i"}), component="leader", settings={"schedulerName": "s"})


def test_pieces_that_only_one_component_has_pods_of_are_its():
    """Shared places hinder nothing where the other component has neither pieces nor pods."""
    changed = change(SHARED, thing({"scheduler": "s"}), component="worker", settings={"schedulerName": "t"})
    assert changed == thing({"scheduler": "t"})


def test_a_piece_of_all_instances_is_not_changed_for_one_of_them():
    """The scheduler of all parts can be set for all of them, not for one."""
    both = definition("""\
    - name: part
      ownerRef: thing
      specDefinition: {fragmentedPodSpecDefinition: {schedulerNamePath: '.spec.parts[]? as $p | .spec.scheduler'}}
      instanceIdPath: .spec.parts[]?.name
      podSelector: {componentInstanceSelector: {idPath: .metadata.labels.part}}
""")
    spec = {"parts": [{"name": "a"}, {"name": "b"}]}
    with pytest.raises(ChangeError, match="part a and part b"):
        change(both, thing(spec), component="part", instance="a", settings={"schedulerName": "s"})
    assert change(both, thing(spec), component="part", settings={"schedulerName": "s"}) == thing(
        {**spec, "scheduler": "s"}
    )
