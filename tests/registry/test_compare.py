"""What a change of a catalog means to consumers: the table of changes, each by hand."""

from __future__ import annotations

import pytest

from wmap.registry import CatalogState, Semantic, What, compare, state_of

PATH = "catalog/one/example-com-job-v1.yaml"
TEXT = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-job-v1}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: example.com, version: v1, kind: Job}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        conditionsDefinition: {path: .status.conditions, typeFieldName: type, statusFieldName: status, reasonFieldName: reason}
        statusMappings:
          running: [{byPhase: Running}, {byConditions: [{type: Ready, status: "True"}, {type: Up, status: "True"}]}]
          failed: [{byExpression: {expression: .status.failed > 0, expectedResult: "true"}}]
      suspendDefinition:
        suspendActions: [{path: .spec.suspend, value: "true"}]
        resumeActions: [{path: .spec.suspend, value: "false"}]
    childComponents:
    - name: head
      ownerRef: job
      specDefinition: {podTemplateSpecPath: .spec.head}
      scaleDefinition: {replicasPath: "1"}
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels["role"]', value: head}}
    - name: worker
      ownerRef: job
      kind: {group: apps, version: v1, kind: Deployment}
      specDefinition: {podTemplateSpecPath: ".spec.groups[]?.template"}
      instanceIdPath: .spec.groups[]?.name
      scaleDefinition: {replicasPath: ".spec.groups[]? | (.replicas // 1)", minReplicasPath: ".spec.groups[]?.min"}
      podSelector:
        componentTypeSelector: {keyPath: '.metadata.labels["role"]', value: worker}
        componentInstanceSelector: {idPath: '.metadata.labels["group"]'}
    additionalChildKinds: [{group: "", version: v1, kind: Service}, {group: "", version: v1, kind: Secret}]
  optimizationInstructions:
    gangScheduling:
      podGroups: [{name: all, members: [{componentName: worker, groupByKeyPaths: [.metadata.labels.a, .metadata.labels.b]}]}]
"""
FRAMEWORK = """\
apiVersion: wmap/v1
kind: Framework
name: one
displayName: One
repository: https://example.com/one
licence: Apache-2.0
tagPattern: "v*"
supported: {releases: [v1.0.0, v1.1.0], why: they are current}
"""
COMPONENTS = "spec.structureDefinition.childComponents"
ROOT = "spec.structureDefinition.rootComponent"
GANGS = "spec.optimizationInstructions.gangScheduling"


def _state(text=TEXT, framework=FRAMEWORK, **more):
    return CatalogState.of("x", {PATH: text.encode(), "catalog/one/framework.yaml": framework.encode(), **more})


def _changes(old, new, text=TEXT):
    """The changes where ``old`` is replaced by ``new`` in the text."""
    assert text.count(old) >= 1, old
    found = compare(_state(text), _state(text.replace(old, new)))
    return [(c.what, c.level, c.path) for e in found.entries for c in e.changes]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("apiVersion: run.ai", "# a comment\napiVersion: run.ai"),
        ("(.replicas // 1)", "(.replicas\n            //   1)"),
        (".status.failed > 0", "(.status.failed>0)"),
        ("instanceIdPath: .spec.groups[]?.name", 'instanceIdPath: ".spec.groups[]? | .name"'),
        (".spec.groups[]?.template", ".spec | .groups[]? | .template"),
        ("running: [{byPhase: Running}, ", "running: [{byPhase: 'Running'}, "),
        ('value: "true"}]', 'value: " true "}]'),
        ('[{type: Ready, status: "True"}, {type: Up, status: "True"}]', '[{type: Up, status: "True"}, {type: Ready, status: "True"}]'),
        (
            '[{group: "", version: v1, kind: Service}, {group: "", version: v1, kind: Secret}]',
            '[{group: "", version: v1, kind: Secret}, {group: "", version: v1, kind: Service}]',
        ),
    ],
)  # fmt: skip
def test_what_only_looks_different_is_nothing(old, new):
    """Comments, layout, quotes, folded lines, and the order of what has none are no change at all."""
    found = compare(_state(), _state(TEXT.replace(old, new)))
    assert TEXT.replace(old, new) != TEXT
    assert (found.entries, found.frameworks, found.level) == ((), (), None)


def test_the_names_of_variables_are_nothing():
    """A variable that is called otherwise changes no reading."""
    assert _changes("$n", "$count", TEXT.replace(".status.failed > 0", ".status.failed as $n | $n > 0")) == []


MAJOR = [
    ("kind: {group: example.com, version: v1, kind: Job}", "kind: {group: example.com, version: v2, kind: Job}", "changed", f"{ROOT}.kind"),
    ("kind: {group: apps, version: v1, kind: Deployment}", "kind: {group: apps, version: v1, kind: StatefulSet}", "changed", f"{COMPONENTS}[worker].kind"),
    ("podTemplateSpecPath: .spec.head", "podTemplateSpecPath: .spec.master", "changed", f"{COMPONENTS}[head].specDefinition.podTemplateSpecPath"),
    ("instanceIdPath: .spec.groups[]?.name", "instanceIdPath: .spec.groups[]?.id", "changed", f"{COMPONENTS}[worker].instanceIdPath"),
    ("(.replicas // 1)", "(.replicas // 1) * 2", "changed", f"{COMPONENTS}[worker].scaleDefinition.replicasPath"),
    (', minReplicasPath: ".spec.groups[]?.min"', "", "removed", f"{COMPONENTS}[worker].scaleDefinition.minReplicasPath"),
    ("value: worker", "value: work", "changed", f"{COMPONENTS}[worker].podSelector.componentTypeSelector.keyPath"),
    ("idPath: '.metadata.labels[\"group\"]'", "idPath: .metadata.labels.g", "changed", f"{COMPONENTS}[worker].podSelector.componentInstanceSelector.idPath"),
    ("{path: .status.phase}", "{path: .status.state}", "changed", f"{ROOT}.statusDefinition.phaseDefinition.path"),
    ("statusFieldName: status", "statusFieldName: state", "changed", f"{ROOT}.statusDefinition.conditionsDefinition.statusFieldName"),
    ("byPhase: Running", "byPhase: Active", "changed", f"{ROOT}.statusDefinition.statusMappings.running"),
    ("{byPhase: Running}, ", "", "removed", f"{ROOT}.statusDefinition.statusMappings.running"),
    ('{path: .spec.suspend, value: "true"}', '{path: ".spec | .suspend", value: "true"}', "changed", f"{ROOT}.suspendDefinition.suspendActions"),
    (".status.failed > 0", ".status.failed >= 1", "changed", f"{ROOT}.statusDefinition.statusMappings.failed"),
    ('value: "true"', 'value: "1"', "changed", f"{ROOT}.suspendDefinition.suspendActions"),
    ('value: "false"}]', 'value: "false"}, {path: .spec.since, value: "null"}]', "changed", f"{ROOT}.suspendDefinition.resumeActions"),
    (', {group: "", version: v1, kind: Secret}', "", "removed", "spec.structureDefinition.additionalChildKinds[v1 Secret]"),
    (", .metadata.labels.b]", "]", "changed", f"{GANGS}.podGroups[all].members[worker].groupByKeyPaths"),
    ("[.metadata.labels.a, .metadata.labels.b]", "[.metadata.labels.b, .metadata.labels.a]", "changed", f"{GANGS}.podGroups[all].members[worker].groupByKeyPaths"),
    ("groupByKeyPaths:", 'filters: [.metadata.labels.c == "d"], groupByKeyPaths:', "added", f"{GANGS}.podGroups[all].members[worker].filters"),
    ("podGroups:", "podGroup: {name: new}\n      podGroups:", "added", f"{GANGS}.podGroup.name"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "what", "path"), MAJOR)
def test_what_breaks_consumers_is_major(old, new, what, path):
    """A kind, a unit, an instance naming, a selector, a status mapping, a gang key, a suspend action: each is major, at its path."""
    assert _changes(old, new) == [(what, Semantic.MAJOR, path)]


def test_a_key_path_is_compared_as_consumers_read_it():
    """Behind a key path comes the value without parentheses: putting some there changes what is asked."""
    old = '.metadata.labels["role"]\', value: head'
    text = TEXT.replace(old, '.metadata.labels["role"] // "x"\', value: head')
    assert _changes('\'.metadata.labels["role"] // "x"\'', '\'(.metadata.labels["role"] // "x")\'', text) == [
        (What.CHANGED, Semantic.MAJOR, f"{COMPONENTS}[head].podSelector.componentTypeSelector.keyPath")
    ]


MINOR = [
    ("running: [", "completed: [{byPhase: Done}]\n          running: [", f"{ROOT}.statusDefinition.statusMappings.completed"),
    ("running: [", "running: [{byPhase: Up}, ", f"{ROOT}.statusDefinition.statusMappings.running"),
    ('replicasPath: "1"', 'replicasPath: "1", maxReplicasPath: "2"', f"{COMPONENTS}[head].scaleDefinition.maxReplicasPath"),
    ("    additionalChildKinds:", "    - {name: extra, ownerRef: job}\n    additionalChildKinds:", f"{COMPONENTS}[extra]"),
    ("kind: Secret}", "kind: Secret}, {group: apps, version: v1, kind: ReplicaSet}", "spec.structureDefinition.additionalChildKinds[apps/v1 ReplicaSet]"),
    ("[{componentName: worker", "[{componentName: head}, {componentName: worker", f"{GANGS}.podGroups[all].members[head]"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "path"), MINOR)
def test_what_consumers_gain_is_minor(old, new, path):
    """A new mapping, component, count, managed kind or gang that takes nothing from another is minor."""
    assert _changes(old, new) == [(What.ADDED, Semantic.MINOR, path)]


@pytest.mark.parametrize(
    ("old", "new"), [(", reasonFieldName: reason", ""), ("reasonFieldName: reason}", "reasonFieldName: reason, messageFieldName: message}")]
)  # fmt: skip
def test_writing_out_a_default_is_a_patch(old, new):
    """The name of a field of conditions that is the default anyway says nothing new, but for old consumers."""
    assert [level for _, level, _ in _changes(old, new)] == [Semantic.PATCH]


def test_a_component_that_is_called_otherwise_is_renamed():
    """A renamed component is one change, not one removed and one added; what refers to it is no change of its own."""
    text = TEXT.replace("name: worker", "name: group").replace("componentName: worker", "componentName: group")
    found = compare(_state(), _state(text)).entries[0].changes
    assert [(c.what, c.level, c.path, c.before, c.after) for c in found] == [
        (What.RENAMED, Semantic.MAJOR, f"{COMPONENTS}[group].name", "worker", "group")
    ]
    root = TEXT.replace("name: job\n", "name: top\n").replace("ownerRef: job", "ownerRef: top")
    assert [(c.what, c.path) for c in compare(_state(), _state(root)).entries[0].changes] == [
        (What.RENAMED, f"{ROOT}.name")
    ]


def test_a_component_that_went_is_major():
    """A component less is major, and so is what it was of a gang."""
    head = TEXT.index("    - name: head")
    text = TEXT[:head] + TEXT[TEXT.index("    - name: worker") :]
    assert [(c.what, c.level) for c in compare(_state(), _state(text)).entries[0].changes] == [
        (What.REMOVED, Semantic.MAJOR)
    ]


def test_the_order_of_leaves_counts_where_a_pod_may_be_of_both():
    """Leaves whose selectors exclude each other may change places; others may not."""
    head, worker, rest = (TEXT.index(x) for x in ("    - name: head", "    - name: worker", "    additionalChildKinds"))
    text = TEXT[:head] + TEXT[worker:rest] + TEXT[head:worker] + TEXT[rest:]
    assert _changes(TEXT, text) == [(What.REORDERED, Semantic.PATCH, COMPONENTS)]
    one, two = (t.replace(", value: head}", "}") for t in (TEXT, text))
    assert _changes(one, two, one) == [(What.REORDERED, Semantic.MAJOR, COMPONENTS)]


def test_alternatives_that_changed_together_are_each_changed():
    """Two alternatives of one status that ask for the same result by the same means are told as changed, not as removed and added."""
    one = "[{byExpression: {expression: .status.a, expectedResult: x}}, {byPhase: A}]"
    two = "[{byExpression: {expression: .status.b, expectedResult: x}}, {byPhase: B}]"
    text = TEXT.replace('[{byExpression: {expression: .status.failed > 0, expectedResult: "true"}}]', one)
    path = f"{ROOT}.statusDefinition.statusMappings.failed"
    assert _changes(one, two, text) == [(What.CHANGED, Semantic.MAJOR, path)] * 2


def test_the_order_of_mappings_counts_where_they_have_conditions():
    """Reason and message come from the first alternative that holds: where one looks at conditions, order is seen."""
    phase, conditions = (
        "{byPhase: Running}",
        '{byConditions: [{type: Ready, status: "True"}, {type: Up, status: "True"}]}',
    )
    path = f"{ROOT}.statusDefinition.statusMappings.running"
    assert _changes(f"{phase}, {conditions}", f"{conditions}, {phase}") == [(What.REORDERED, Semantic.MAJOR, path)]
    plain = TEXT.replace(conditions, "{byPhase: Up}")
    assert _changes(f"{phase}, {{byPhase: Up}}", f"{{byPhase: Up}}, {phase}", plain) == [
        (What.REORDERED, Semantic.PATCH, path)
    ]


def test_a_gang_that_takes_pods_from_another_is_major():
    """A member below one that is there already changes the gangs of its pods."""
    text = TEXT.replace("[{componentName: worker", "[{componentName: job}, {componentName: worker")
    taken = TEXT.replace(
        "[{componentName: worker", "[{componentName: job}, {componentName: head}, {componentName: worker"
    )
    found = compare(_state(text), _state(taken)).entries[0].changes
    assert [(c.what, c.level, c.why) for c in found] == [
        (What.ADDED, Semantic.MAJOR, "its pods leave the gangs of job")
    ]


def test_a_first_scale_changes_how_the_others_count():
    """Where no leaf had a count each was one pod; with a first one the others are none."""
    text = TEXT.replace('      scaleDefinition: {replicasPath: "1"}\n', "")
    line = next(x for x in text.splitlines() if "minReplicasPath" in x)
    found = compare(_state(text.replace(line + "\n", "")), _state(text)).entries[0].changes
    assert (What.CHANGED, Semantic.MAJOR, f"{COMPONENTS}[head].scaleDefinition", "1", "0") in [
        (c.what, c.level, c.path, c.before, c.after) for c in found
    ]


def test_the_only_leaf_needs_a_selector_once_there_are_two():
    """The only leaf has all pods; beside another one, and without a selector, it has none."""
    two = TEXT.replace(
        "      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels[\"role\"]', value: head}}\n", ""
    )
    only = two[: two.index("    - name: worker")] + two[two.index("    additionalChildKinds") :]
    found = compare(_state(only), _state(two)).entries[0].changes
    assert (found[0].what, found[0].level) == (What.CHANGED, Semantic.MAJOR)
    assert (found[0].before, found[0].after) == ("all pods", "no pods")


def test_entries_come_and_go():
    """A new entry is minor, a deleted one major, and both are said with their paths."""
    empty = CatalogState.of("x", {"catalog/one/framework.yaml": FRAMEWORK.encode()})
    came, went = compare(empty, _state()), compare(_state(), empty)
    assert [(e.name, e.status, e.level, e.before_path, e.after_path) for e in came.entries] == [
        ("example-com-job-v1", "added", Semantic.MINOR, None, PATH)
    ]
    assert [(e.name, e.status, e.level, e.before_path, e.after_path) for e in went.entries] == [
        ("example-com-job-v1", "removed", Semantic.MAJOR, PATH, None)
    ]
    assert (came.level, went.level, went.entries[0].framework) == (Semantic.MINOR, Semantic.MAJOR, "one")
    assert came.level_of("example-com-job-v1") is Semantic.MINOR
    assert came.level_of("other") is None


def test_renames_are_followed():
    """An entry under another name is renamed (major), with what else changed; a file under another folder only moved (patch)."""
    renamed = TEXT.replace("name: example-com-job-v1", "name: example-com-jobs-v1").replace(
        "byPhase: Running", "byPhase: Up"
    )
    other = CatalogState.of("y", {"catalog/one/example-com-jobs-v1.yaml": renamed.encode()})
    (entry,) = compare(_state(), other).entries
    assert (entry.name, entry.previous, entry.status) == ("example-com-jobs-v1", "example-com-job-v1", "renamed")
    assert [c.what for c in entry.changes] == [What.RENAMED, What.CHANGED]
    version = TEXT.replace("job-v1}", "job-v2}").replace("version: v1, kind: Job", "version: v2, kind: Job")
    (entry,) = compare(
        _state(), CatalogState.of("y", {"catalog/one/example-com-job-v2.yaml": version.encode()})
    ).entries
    assert (entry.previous, entry.level) == ("example-com-job-v1", Semantic.MAJOR)
    moved = CatalogState.of("y", {PATH.replace("one", "two"): TEXT.encode()})
    (entry,) = compare(_state(), moved).entries
    assert [(c.what, c.level, c.before) for c in entry.changes] == [(What.MOVED, Semantic.PATCH, PATH)]


def test_a_broken_entry_is_told_from_one_that_went():
    """An entry that nothing can read any more is major, one that can be read again minor, one that never could be a patch."""
    broken, other = _state("kind: Karta\nx: ["), _state("nothing: 1\n")
    (entry,) = compare(_state(), broken).entries
    assert (entry.name, entry.level, entry.changes[0].before) == ("example-com-job-v1", Semantic.MAJOR, "readable")
    assert compare(broken, _state()).level is Semantic.MINOR
    assert compare(broken, other).level is Semantic.PATCH


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("[v1.0.0, v1.1.0]", "[v1.1.0, v1.0.0]", []),
        ("[v1.0.0, v1.1.0]", "[v1.0.0, v1.1.0, v1.2.0]", [("added", Semantic.MINOR, "supported.releases")]),
        ("[v1.0.0, v1.1.0]", "[v1.1.0]", [("removed", Semantic.MAJOR, "supported.releases")]),
        ("displayName: One", "displayName: The One", [("changed", Semantic.PATCH, "displayName")]),
        ("they are current", "they are the newest", [("changed", Semantic.PATCH, "supported.why")]),
        (
            "tagPattern",
            "notes: [{date: 2026-02-01, source: a, text: b}]\ntagPattern",
            [("changed", Semantic.PATCH, "notes")],
        ),
        (
            "tagPattern",
            "definitions: {a: {yanked: wrong}}\ntagPattern",
            [("added", Semantic.MAJOR, "definitions[a].yanked")],
        ),
        (
            "tagPattern",
            "definitions: {a: {deprecated: old, replacedBy: b}}\ntagPattern",
            [
                ("added", Semantic.MINOR, "definitions[a].deprecated"),
                ("added", Semantic.PATCH, "definitions[a].replacedBy"),
            ],
        ),
    ],
)
def test_a_framework_is_compared_too(old, new, found):
    """A further supported release is minor, one less major, what only people read a patch, an order nothing."""
    got = compare(_state(), _state(framework=FRAMEWORK.replace(old, new)))
    assert [(c.what, c.level, c.path) for f in got.frameworks for c in f.changes] == found
    assert got.entries == ()


def test_the_life_of_a_definition_may_be_taken_back():
    """One that is yanked no more is a gain, another reason a patch; a framework that came or went is minor or major."""
    yanked = FRAMEWORK + "definitions: {a: {yanked: wrong, deprecated: old}}\n"
    back = compare(_state(framework=yanked), _state())
    assert [(c.what, c.level) for f in back.frameworks for c in f.changes] == [
        ("removed", Semantic.MINOR),
        ("removed", Semantic.PATCH),
    ]
    assert compare(_state(framework=yanked), _state(framework=yanked.replace("wrong", "very"))).level is Semantic.PATCH
    alone = CatalogState.of("x", {PATH: TEXT.encode()})
    assert (compare(alone, _state()).level, compare(_state(), alone).level) == (Semantic.MINOR, Semantic.MAJOR)
    assert compare(_state(), _state(framework="nothing: 1\n")).level is Semantic.PATCH


def test_the_catalog_does_not_differ_from_itself(repository):
    """The whole catalog, read twice, has no differences; without its entries it is all major."""
    state = state_of(repository / "catalog")
    assert len(state.entries) > 20
    assert compare(state, state_of(repository / "catalog")).level is None
    gone = compare(state, CatalogState("none", {}, {}))
    assert {e.level for e in gone.entries} == {Semantic.MAJOR}
