"""Every rule: its bad example breaks it, its good one does not."""

from __future__ import annotations

import pytest

from wmap.check import rules
from wmap.check.ignores import apply_ignores
from wmap.check.rule import Context
from wmap.definition import load
from wmap.definition.yamlio import read_documents
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
LINT = [r for r in rules() if r.look is not None]


def _document(example):
    ((base, _),) = read_documents(BASE)
    ((patch, _),) = read_documents(example)
    return dump(apply_merge_patch(base, patch), "yaml").decode()


def _codes(text):
    result = load(text, file="example-com-job-v1.yaml")
    assert result.definition is not None, result.findings
    context = Context.of(result.definition)
    return {f.code for rule in LINT for f in rule.check(context)}


@pytest.mark.parametrize("rule", LINT, ids=lambda r: r.code)
def test_the_bad_example_of_a_rule_breaks_it(rule):
    """The bad example gives a finding of the rule."""
    assert rule.code in _codes(_bad_base(rule, rule.bad))


@pytest.mark.parametrize("rule", LINT, ids=lambda r: r.code)
def test_the_good_example_of_a_rule_keeps_it(rule):
    """The good example gives no finding of the rule."""
    assert rule.code not in _codes(_bad_base(rule, rule.good))


def _bad_base(rule, example):
    """An example over the base; that of a missing definition takes the base's own away."""
    text = _document(example)
    if rule.code == "L501" and example == rule.bad:
        return text.replace("- byPhase: Running", "- byExpression: {expression: .status.x, expectedResult: a}")
    if rule.code == "L502" and example == rule.bad:
        return text.replace("        phaseDefinition:\n          path: .status.phase\n", "")
    return text


def test_every_rule_has_a_code_a_name_and_a_reason_of_its_own():
    """Codes and names are unique, and each rule says why it is there."""
    known = rules()
    assert len({r.code for r in known}) == len({r.name for r in known}) == len(known)
    assert all(r.summary and r.rationale for r in known)
    assert all(r.bad and r.good for r in LINT)


@pytest.mark.parametrize(
    ("written", "line", "column"),
    [
        ("path: .status.del(.a)", 1, 28),
        ("path: '.a | del(.a)'", 1, 27),
        ('path: "\\u002e | del(.a)"', 1, 26),
        ("path: |\n            .a |\n            del(.a)", 3, 13),
        ("path: >-\n            .a\n            | del(.a)", 3, 15),
    ],
)
def test_a_finding_stands_at_its_column_in_every_kind_of_scalar(written, line, column):
    """The wrong piece of an expression is found in plain, quoted, literal and folded scalars."""
    text = BASE.replace("phaseDefinition: {path: .status.phase}", f"phaseDefinition:\n          {written}")
    text = text.replace(".status.del", ". | del") if "status.del" in text else text
    result = load(text, file="x.yaml")
    context = Context.of(result.definition)
    found = [f for rule in LINT for f in rule.check(context) if f.code in ("L201", "L202")]
    assert len(found) == 1
    base = text[: text.index("phaseDefinition:")].count("\n") + 1
    piece = text.split("\n")[found[0].span.line - 1][found[0].span.column - 1 :]
    assert found[0].span.line == base + line
    assert column > 0
    assert piece.startswith("del")


def _ignored(comment, where):
    text = BASE.replace(
        "phaseDefinition: {path: .status.phase}",
        "phaseDefinition:\n          path: .status.phase | . + 12345678901234567890",
    )
    line = "          path: .status.phase | . + 12345678901234567890"
    text = text.replace(line, f"{line} {comment}" if where == "same" else f"          {comment}\n{line}")
    result = load(text, file="x.yaml")
    context = Context.of(result.definition)
    findings = [f for rule in LINT for f in rule.check(context)]
    return [f.code for f in apply_ignores(findings, result.source, "example-com-job-v1")]


@pytest.mark.parametrize("where", ["same", "above"])
def test_an_ignore_with_a_reason_silences_at_its_place(where):
    """A finding is silenced on the line of the ignore, and on the line below one that stands alone."""
    assert _ignored("# wmap: ignore[L205] because the number is a sentinel", where) == []


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# wmap: ignore[L205]", ["L205", "L902"]),
        ("# wmap: ignore because I like it", ["L205", "L902"]),
        ("# wmap: ignore[L999] because of that", ["L205", "L902"]),
        ("# wmap: ignore[S003] because of that", ["L205", "L902"]),
        ("# wmap: ignore[L203] because of that", ["L205", "L901"]),
        ("# an ordinary comment", ["L205"]),
    ],
)
def test_an_ignore_that_does_not_hold_is_a_finding(comment, codes):
    """An ignore without a reason or of an unknown rule, and one that silences nothing, are findings themselves."""
    assert sorted(_ignored(comment, "same")) == codes
