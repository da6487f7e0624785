"""The model: every field of the format arrives in it, and a document of another shape is refused by name."""

from __future__ import annotations

import copy
import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap.definition import load, load_trusted
from wmap.definition.model import Fragment, Kind, Status
from wmap.definition.yamlio import read_marked
from wmap.errors import InputError

TEXT = (Path(__file__).parent / "examples" / "good" / "every-field.yaml").read_text()
DOCUMENT = read_marked(TEXT).value


@pytest.fixture(scope="module")
def definition():
    return load_trusted(TEXT.encode(), file="x.yaml")


def test_root_and_kinds(definition):
    """The root's kind is the kind of the definition; other kinds are listed."""
    assert definition.kind == Kind("batch.example.com", "v1beta1", "Train")
    assert str(definition.kind) == "batch.example.com/v1beta1 Train"
    assert definition.additional_child_kinds == (Kind("", "v1", "Service"),)
    assert definition.additional_child_kinds[0].api_version == "v1"
    assert Kind.of("v1", "Service") == Kind("", "v1", "Service")


def test_components_are_in_document_order(definition):
    """The root comes first, and each component knows its owners."""
    assert [c.name.value for c in definition.components] == ["train", "worker", "master", "side"]
    assert [c.is_leaf for c in definition.components] == [False, True, True, True]
    worker = definition.component("worker")
    assert [a.name.value for a in definition.ancestors(worker)] == ["train"]
    assert list(definition.ancestors(definition.root)) == []
    assert definition.component("nobody") is None


def test_pod_definitions(definition):
    """The three forms of a pod definition are told apart."""
    worker, master, side = definition.children
    assert (worker.spec.pod_spec.value, worker.spec.metadata.value) == (
        ".spec.workers[].spec",
        ".spec.workers[].metadata",
    )
    assert {f: t.value for f, t in master.spec.fragments.items()} == {
        Fragment.LABELS: ".spec.labels",
        Fragment.IMAGE: ".spec.image",
    }
    assert side.spec.pod_template.value == ".spec.side"


def test_scale_and_selectors(definition):
    """Scale paths and the three selectors arrive in their fields."""
    scale, selector = definition.root.scale, definition.component("worker").selector
    assert (scale.replicas.value, scale.min_replicas.value, scale.max_replicas.value) == (
        ".spec.replicas", ".spec.min", ".spec.max",
    )  # fmt: skip
    assert (selector.component_type.key.value, selector.component_type.value.value) == (
        ".metadata.labels.role",
        "worker",
    )
    assert selector.instance_id.value == ".metadata.labels.group"
    assert selector.replica_key.value == ".metadata.labels.replica"
    labels = definition.component("master").selector.component_type.match_labels
    assert {k: v.value for k, v in labels.items()} == {"role": "master"}


def test_status(definition):
    """Matchers are grouped by status; field names that are not written have their defaults."""
    status = definition.root.status
    assert status.phase.value == ".status.phase"
    assert [s.phase for s in status.mappings] == ["Initializing", "Running", "Failed"]
    conditions = status.mappings[Status.RUNNING][0].conditions
    assert [(c.type.value, c.status and c.status.value, c.reason and c.reason.value) for c in conditions] == [
        ("Ready", "True", None),
        ("Live", None, "Up"),
    ]
    failed = status.mappings[Status.FAILED][0]
    assert (failed.phase.value, failed.expression.expected_result.value) == ("Failed", "1")


def test_suspend(definition):
    """Suspend and resume actions keep their order."""
    assert [(a.path.value, a.value.value) for a in definition.root.suspend.resume] == [
        (".spec.suspend", "false"),
        (".spec.since", "null"),
    ]


def test_both_gang_forms(definition):
    """The new form and the old form are both in the model."""
    group = definition.pod_group
    assert (group.name.value, group.topology.preferred_level.value) == ("all", "rack")
    assert [(s.component.value, s.topology is None) for s in group.sub_groups] == [("worker", True), ("master", False)]
    ((member,),) = [g.members for g in definition.pod_groups]
    assert [k.value for k in member.group_by] == [".metadata.labels.group"]
    assert [f.value for f in member.filters] == ['.metadata.labels.role == "worker"']


def test_a_text_knows_its_field_and_place(definition):
    """Each text of the model carries its dotted path and its line."""
    path = definition.root.scale.min_replicas
    assert str(path) == ".spec.min"
    assert path.field == "spec.structureDefinition.rootComponent.scaleDefinition.minReplicasPath"
    assert path.span().line == TEXT[: TEXT.index(".spec.min")].count("\n") + 1


def test_a_definition_can_be_pickled(definition):
    """The model goes to other processes, with its places."""
    again = pickle.loads(pickle.dumps(definition))  # noqa: S301  # our own
    assert again == definition
    assert again.name.span() == definition.name.span()


def test_a_cycle_of_owners_ends():
    """The ancestors of a component in a cycle of owners are each named once."""
    text = TEXT.replace("name: worker\n        ownerRef: train", "name: worker\n        ownerRef: master")
    text = text.replace("name: master\n        ownerRef: train", "name: master\n        ownerRef: worker")
    definition = load(text).definition
    assert [a.name.value for a in definition.ancestors(definition.component("worker"))] == ["master"]


@pytest.mark.parametrize(
    ("pattern", "new", "words"),
    [
        (r"    rootComponent:", "    root:", "rootComponent is missing"),
        (r"\{path: \.status\.phase\}", "[x]", "a map is wanted"),
        (r"\{path: \.status\.phase\}", "{path: 5}", "a text is wanted"),
        (r"\{role: master\}", "x", "a map is wanted"),
        (r"\[\{byPhase: Created\}\]", "{byPhase: Created}", "a list is wanted"),
        (r"      kind: \{group: batch.*\n", "", "the root component has no kind"),
    ],
)
def test_reading_refuses_a_document_of_another_shape(pattern, new, words):
    """Without the schema a wrong shape is one error that names the file, the line and what is wanted."""
    with pytest.raises(InputError) as caught:
        load_trusted(re.sub(pattern, new, TEXT).encode(), file="x.yaml")
    assert re.match(r"x\.yaml:\d+: ", caught.value.message)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"", "the file is empty"), (b"- 1", "holds a list"), (b"5", "holds no map"), (b"kind: Pod", "no apiVersion")],
)
def test_reading_refuses_what_is_no_definition(data, words):
    """A file that is something else is refused by name, with a hint."""
    with pytest.raises(InputError, match=words) as caught:
        load_trusted(data, file="x.yaml")
    assert caught.value.message.startswith("x.yaml: ")
    assert "Karta" in caught.value.hint


def _paths(value, at=()):
    yield at
    for key, below in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _paths(below, (*at, key))


@given(
    path=st.sampled_from([p for p in _paths(DOCUMENT) if p]),
    value=st.sampled_from([None, True, 5, 0.5, "", "x", [], [None], ["a", "a"], [{}], {}, {"name": "a"}, {"x": [1]}]),
)
def test_one_wrong_value_anywhere_crashes_nothing(path, value):
    """Whatever stands in place of one value, loading gives a model or findings in words, and reading a model or an error."""
    document = copy.deepcopy(DOCUMENT)
    below = document
    for step in path[:-1]:
        below = below[step]
    below[path[-1]] = value
    text = json.dumps(document)
    result = load(text, file="x.yaml")
    assert (result.definition is None) == bool(result.findings)
    assert all(f.span and f.message and "schemas" not in f.message for f in result.findings)
    try:
        trusted = load_trusted(text.encode())
    except InputError:
        # a root without a kind has the right shape: a lint rule reports it, reading refuses it
        assert result.definition is None or result.definition.root.kind is None
    else:
        assert result.definition in (None, trusted)
