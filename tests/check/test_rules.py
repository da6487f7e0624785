"""Every rule: its bad example breaks it, its good one does not."""

from __future__ import annotations

import re

import pytest

from wmap.check import rules, validate_catalog
from wmap.check.rule import Context
from wmap.definition import load
from wmap.definition.yamlio import read_documents
from wmap.findings import Level, Severity
from wmap.reading.patch import apply_merge_patch
from wmap.report.data import dump

BASE = """
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-job-v1}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: example.com, version: v1, kind: Job}
      statusDefinition:
        conditionsDefinition: {path: .status.conditions, typeFieldName: type, statusFieldName: status, reasonFieldName: reason, messageFieldName: message}
        phaseDefinition: {path: .status.phase}
        statusMappings:
          running: [{byPhase: Running}]
          failed: [{byConditions: [{type: Failed, status: 'True'}]}]
    childComponents:
    - {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.template}}
"""
LINT = [r for r in rules() if r.level is Level.LINT and r.look is not None]
FILES = [r for r in rules() if r.look is None]


def _laid_over(example):
    """The base definition with an example laid over it."""
    ((base, _),) = read_documents(BASE)
    ((patch, _),) = read_documents(example)
    return dump(apply_merge_patch(base, patch), "yaml").decode()


def _lint(text):
    """The findings of all rules about one definition."""
    result = load(text, file="example-com-job-v1.yaml")
    assert result.definition is not None, result.findings
    context = Context.of(result.definition)
    return [f for rule in LINT for f in rule.check(context)]


def _codes(text):
    return {f.code for f in _lint(text)}


def _of_files(example, folder):
    """The codes that a catalog gives which holds the files of an example, each below a line with its name."""
    _, *pieces = re.split(r"^# file: (.*)\n", example, flags=re.MULTILINE)
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        file = folder / (name if name.startswith("fixtures/") else f"catalog/{name}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "fixtures").mkdir(exist_ok=True)
    return {f.code for f in validate_catalog(folder / "catalog").findings}


@pytest.mark.parametrize("rule", LINT, ids=lambda r: r.code)
def test_the_bad_example_of_a_rule_breaks_it(rule):
    """The bad example gives a finding of the rule."""
    assert rule.code in _codes(_laid_over(rule.bad))


@pytest.mark.parametrize("rule", LINT, ids=lambda r: r.code)
def test_the_good_example_of_a_rule_breaks_no_rule_as_an_error(rule):
    """The good example gives no finding of the rule, and no error of any other."""
    found = _lint(_laid_over(rule.good))
    assert [f for f in found if f.code == rule.code or f.severity is Severity.ERROR] == []


@pytest.mark.parametrize("rule", FILES, ids=lambda r: r.code)
def test_the_bad_files_of_a_rule_break_it(rule, tmp_path):
    """A catalog of the bad files gives a finding of the rule."""
    assert rule.code in _of_files(rule.bad, tmp_path)


@pytest.mark.parametrize("rule", FILES, ids=lambda r: r.code)
def test_the_good_files_of_a_rule_keep_all_rules(rule, tmp_path):
    """A catalog of the good files gives no finding at all, but for the want of fixtures where there are none."""
    assert _of_files(rule.good, tmp_path) <= ({"F003", "L507"} if rule.level is not Level.FIXTURE else set())


def test_codes_and_names_are_unique():
    """No two rules share a code or a name."""
    known = rules()
    assert len({r.code for r in known}) == len({r.name for r in known}) == len(known)


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.code)
def test_a_rule_says_what_why_and_from_where(rule):
    """Each rule has a summary, a rationale, a source and an example on each side; its code says its level."""
    assert all((rule.summary, rule.rationale, rule.source, rule.bad, rule.good))
    assert rule.bad != rule.good
    assert {"S": Level.SCHEMA, "L": Level.LINT, "C": Level.CONTRACT, "F": Level.FIXTURE}[rule.code[0]] is rule.level


def _with_child(fields, more=""):
    child = "- {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.template}}"
    assert child in BASE
    return BASE.replace(child, f"- {{name: worker, {fields}}}{more}")


CASES = {
    "a component that owns itself": ("L102", _with_child("ownerRef: worker")),
    "two that own each other": ("L102", _with_child("ownerRef: b", "\n    - {name: b, ownerRef: worker}")),
    "one that is owned by a circle": (
        "L102",
        _with_child("ownerRef: b", "\n    - {name: b, ownerRef: c}\n    - {name: c, ownerRef: b}"),
    ),
    "no form of pods": ("L103", _with_child("ownerRef: job, specDefinition: {}")),
    "metadata beside a template": (
        "L103",
        _with_child("ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.t, metadataPath: .spec.m}"),
    ),
    "no group on the root": ("L105", BASE.replace("group: example.com", "group: ''")),
    "no core kind among the children's": (
        "L107",
        BASE.replace(
            "    childComponents:",
            "    additionalChildKinds: [{group: '', version: v1, kind: Job}]\n    childComponents:",
        ),
    ),
    "the kind of a component in another version": (
        "L106",
        BASE.replace(
            "    childComponents:",
            "    additionalChildKinds: [{group: example.com, version: v2, kind: Job}]\n    childComponents:",
        ),
    ),
    "a selector of instances without ids": (
        "L301",
        _with_child("ownerRef: job, podSelector: {componentInstanceSelector: {idPath: .metadata.name}}"),
    ),
    "one pod template for all ids": (
        "L302",
        _with_child(
            "ownerRef: job, instanceIdPath: '.spec.g[]?.name', specDefinition: {podTemplateSpecPath: .spec.t}, podSelector: {componentInstanceSelector: {idPath: .metadata.name}}"
        ),
    ),
    "many pod templates for one id": (
        "L302",
        _with_child(
            "ownerRef: job, instanceIdPath: .metadata.name, specDefinition: {podTemplateSpecPath: '.spec.g[]?.t'}, podSelector: {componentInstanceSelector: {idPath: .metadata.name}}"
        ),
    ),
    "a scale that filters, on an owner": (
        "L303",
        _with_child("ownerRef: job, scaleDefinition: {replicasPath: '.spec.n | select(. > 0)'}"),
    ),
    "a leaf without a scale below one with it": (
        "L304",
        BASE.replace("      name: job\n", "      name: job\n      scaleDefinition: {replicasPath: .spec.replicas}\n"),
    ),
    "an empty selector": ("L404", _with_child("ownerRef: job, podSelector: {componentTypeSelector: {}}")),
    "a backslash in the value of a selector": (
        "L405",
        _with_child("ownerRef: job, podSelector: {componentTypeSelector: {keyPath: .metadata.name, value: 'a\\b'}}"),
    ),
    "an unused phase": (
        "L501",
        BASE.replace("byPhase: Running", "byExpression: {expression: .status.x, expectedResult: a}"),
    ),
    "unused conditions": (
        "L501",
        BASE.replace(
            "byConditions: [{type: Failed, status: 'True'}]", "byExpression: {expression: .status.x, expectedResult: a}"
        ),
    ),
    "conditions that are nowhere": ("L502", re.sub(r" *conditionsDefinition: .*\n", "", BASE)),
    "the same expression in two statuses": (
        "L503",
        BASE.replace(
            "running: [{byPhase: Running}]",
            "running: [{byExpression: {expression: .a, expectedResult: b}}]\n          degraded: [{byExpression: {expression: .a, expectedResult: b}}]",
        ),
    ),
    "the same matcher twice in one status": (
        "L503",
        BASE.replace("[{byPhase: Running}]", "[{byPhase: Running}, {byPhase: Running}]"),
    ),
    "one condition with two reasons": (
        "L504",
        BASE.replace("[{type: Failed, status: 'True'}]", "[{type: Failed, reason: A}, {type: Failed, reason: B}]"),
    ),
    "a phase path that iterates": ("L509", BASE.replace("path: .status.phase", "path: '.status.phases[]'")),
    "conditions one by one": ("L509", BASE.replace("path: .status.conditions,", "path: '.status.conditions[]?',")),
    "failed by less than completed": (
        "L511",
        BASE.replace(
            "running: [{byPhase: Running}]",
            "completed: [{byPhase: Done, byConditions: [{type: Failed, status: 'True', reason: A}]}]",
        ),
    ),
    "failed by presence": (
        "L511",
        BASE.replace("{type: Failed, status: 'True'}", "{type: Failed}").replace(
            "running:", "completed: [{byConditions: [{type: Failed, status: 'False'}]}]\n          running:"
        ),
    ),
}


@pytest.mark.parametrize(("code", "text"), CASES.values(), ids=CASES)
def test_a_defect_is_found_by_its_rule(code, text):
    """What is wrong with the definition gives a finding of that rule."""
    assert code in _codes(text)


TWO = """    childComponents:
    - {name: head, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.head}, podSelector: {componentTypeSelector: {%s}}}
    - {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.worker}, podSelector: {componentTypeSelector: {%s}}}
"""


@pytest.mark.parametrize(
    ("head", "worker", "overlap"),
    [
        ("keyPath: .metadata.labels.role, value: head", "keyPath: .metadata.labels.role, value: worker", False),
        ("keyPath: .metadata.labels.role, value: head", "keyPath: '.metadata.labels[\"role\"]', value: head", True),
        ("keyPath: .metadata.labels.role, value: head", "matchLabels: {role: head}", True),
        ("keyPath: .metadata.labels.role", "keyPath: .metadata.labels.role, value: worker", True),
        ("keyPath: .metadata.labels.role, value: head", "keyPath: .metadata.labels.role", True),
        ("matchLabels: {a: x}", "matchLabels: {a: x, b: yy}", True),
        ("matchLabels: {a: x, b: yy}", "matchLabels: {a: x, b: zz}", False),
        ("matchLabels: {a: x}", "matchLabels: {b: yy}", False),
        ("matchLabels: {a: x}", "keyPath: .metadata.labels.b, matchLabels: {a: x}", True),
        ("keyPath: '.metadata.labels.['", "matchLabels: {a: x}", False),
        ("keyPath: '.metadata.labels.[', matchLabels: {a: x}", "matchLabels: {a: x}", False),
        (
            "keyPath: .metadata.labels.index, value: '0'",
            "keyPath: '(.metadata.labels.index | select(. != null and . != \"0\"))'",
            False,
        ),
    ],
)
def test_selectors_overlap_where_that_is_certain(head, worker, overlap):
    """Two selectors overlap where one matches whatever the other matches; other values, and other labels, part them."""
    text = BASE[: BASE.index("    childComponents:")] + TWO % (head, worker)
    assert ("L402" in _codes(text)) is overlap


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        (".a // .b", True),
        (".a | .b", True),
        (".a, .b", True),
        (".a == .b", True),
        (".a # the role", True),
        ("try .a", False),
        ('.a + "x"', False),
        ("(.a // .b)", False),
        (".a.b", False),
    ],
)
def test_a_key_path_keeps_its_meaning_before_a_comparison(key, wrong):
    """Operators that bind less than ==, and comments, change what the text in front of it means; others do not."""
    text = _with_child(f"ownerRef: job, podSelector: {{componentTypeSelector: {{keyPath: '{key}', value: x}}}}")
    assert ("L403" in _codes(text)) is wrong


@pytest.mark.parametrize(
    "path", [".spec.m[]?.template", ".spec.m | to_entries[] | .value.template", "first(.spec.m[]?.template)"]
)
def test_collections_that_the_text_does_not_tell_are_not_judged(path):
    """Ids by ``keys[]`` go with values by ``.[]``: both are in the order of the keys."""
    text = _with_child(
        f"ownerRef: job, instanceIdPath: '.spec.m | keys[]', specDefinition: {{podTemplateSpecPath: '{path}'}}, podSelector: {{componentInstanceSelector: {{idPath: .metadata.name}}}}"
    )
    assert "L302" not in _codes(text)


@pytest.mark.parametrize(
    ("value", "found"),
    [("true", []), ('"a"', []), ("yes", ["L701"]), ("NaN", ["L701"]), ("-Infinity", ["L701"]), ("[" * 5000, ["L701"])],
)
def test_suspend_values_are_strict_json(value, found):
    """What JSON does not have, and what is nested without end, is no value."""
    text = BASE.replace(
        "      name: job\n",
        f"      name: job\n      suspendDefinition: {{suspendActions: [{{path: .spec.s, value: '{value}'}}], resumeActions: [{{path: .spec.s, value: 'false'}}]}}\n",
    )
    assert [f.code for f in _lint(text)] == found


def test_resuming_by_another_spelling_of_suspending_is_found():
    """Paths and values are compared by what they mean, not by how they are written."""
    text = BASE.replace(
        "      name: job\n",
        """      name: job
      suspendDefinition:
        suspendActions: [{path: .spec.s, value: '{"a": 1, "b": 2}'}]
        resumeActions: [{path: '.spec["s"]', value: '{"b":2,"a":1}'}]
""",
    )
    assert [f.code for f in _lint(text)] == ["L702"]


def _ganged(gang):
    return BASE + f"  optimizationInstructions: {{gangScheduling: {gang}}}\n"


@pytest.mark.parametrize(
    ("gang", "codes"),
    [
        ("{podGroup: {name: a}}", set()),
        ("{podGroup: {name: a, subGroups: [{componentName: nobody}]}}", {"L601"}),
        (
            "{podGroups: [{name: a, members: [{componentName: job}]}, {name: b, members: [{componentName: worker}]}]}",
            {"L602"},
        ),
        (
            "{podGroups: [{name: a, members: [{componentName: job, groupByKeyPaths: [.metadata.labels.a]}, {componentName: worker, groupByKeyPaths: ['.metadata.labels[\"a\"]']}]}]}",
            {"L602"},
        ),
        (
            "{podGroups: [{name: a, members: [{componentName: job, groupByKeyPaths: ['.a['] }, {componentName: worker, groupByKeyPaths: ['.a['] }]}]}",
            {"L201", "L602"},
        ),
        ("{podGroups: [{name: a, members: [{componentName: job, filters: ['.a[]?'] }]}]}", {"L604"}),
        ("{podGroups: [{name: a, members: [{componentName: job, filters: ['true'] }]}]}", {"L605"}),
    ],
)
def test_gangs_in_both_forms(gang, codes):
    """Members are components, differ in their keys, and ask each pod for one value."""
    assert _codes(_ganged(gang)) == codes


def test_a_gang_of_a_workload_without_pods_is_found():
    """With no leaf at all, a gang of the whole workload has nothing in it."""
    text = re.sub(r", specDefinition: .*", "}", _ganged("{podGroup: {name: a}}"))
    assert "L603" in _codes(text)


@pytest.mark.parametrize(
    ("replicas", "conjured"),
    [
        ("1", True),
        (".spec.head.replicas // 1", True),
        (".spec.head.replicas", False),
        ("true", False),
        (".spec | keys | length", False),
    ],
)
def test_pods_of_what_is_absent_are_found(replicas, conjured):
    """Replicas above zero on an object that has nothing are conjured; null, another type and an error are not."""
    head = "name: head, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.head}"
    worker = "name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.w}"
    text = BASE[: BASE.index("    - {name: worker")] + (
        f"    - {{{head}, scaleDefinition: {{replicasPath: '{replicas}'}}}}\n"
        f"    - {{{worker}, scaleDefinition: {{minReplicasPath: .spec.n}}}}\n"
    )
    assert ("L306" in _codes(text)) is conjured


def test_an_expression_that_does_not_parse_is_in_its_finding():
    """The finding about a broken expression holds the whole expression, one about a name holds none."""
    (found,) = _lint(BASE.replace("path: .status.phase", "path: '.status.['"))
    assert (found.code, found.expression, found.field) == (
        "L201",
        ".status.[",
        "spec.structureDefinition.rootComponent.statusDefinition.phaseDefinition.path",
    )
    (found,) = _lint(_with_child("ownerRef: nobody"))
    assert (found.code, found.expression, found.field) == (
        "L102",
        None,
        "spec.structureDefinition.childComponents[0].ownerRef",
    )


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("path: . | del(.a)", 1),
        ("path: '.a | del(.a)'", 1),
        ('path: "\\u002e | del(.a)"', 1),
        ("path: |\n            .a |\n            del(.a)", 3),
        ("path: >-\n            .a\n            | del(.a)", 3),
    ],
)
def test_a_finding_stands_at_its_column_in_every_kind_of_scalar(written, line):
    """The wrong piece of an expression is found in plain, quoted, literal and folded scalars."""
    text = BASE.replace("phaseDefinition: {path: .status.phase}", f"phaseDefinition:\n          {written}")
    (found,) = [f for f in _lint(text) if f.code == "L202"]
    before = text[: text.index("phaseDefinition:")].count("\n") + 1
    assert found.span.line == before + line
    assert text.split("\n")[found.span.line - 1][found.span.column - 1 :].startswith("del")


@pytest.mark.parametrize(
    ("code", "text", "at"),
    [
        ("L105", BASE.replace("group: example.com", "group: ''"), "'', version"),
        ("L505", BASE.replace("[{byPhase: Running}]", "[{byConditions: []}]"), "{byConditions: []}"),
        (
            "L106",
            BASE.replace(
                "    childComponents:",
                "    additionalChildKinds: [{group: example.com, version: v1, kind: Job}]\n    childComponents:",
            ),
            "Job}]",
        ),
    ],
)
def test_a_finding_about_no_text_stands_at_its_value(code, text, at):
    """Kinds and matchers have places too."""
    (found,) = [f for f in _lint(text) if f.code == code]
    assert text.split("\n")[found.span.line - 1][found.span.column - 1 :].startswith(at)
