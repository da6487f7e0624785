"""Ignores: what they silence, what they reach, and which are findings themselves."""

from __future__ import annotations

import pytest

from wmap.check import validate

HEAD = """apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-job-v1}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: example.com, version: v1, kind: Job}
      specDefinition: {podTemplateSpecPath: .spec.template}
      statusDefinition:
        statusMappings: {running: [{byPhase: Running}]}
"""
REASON = "because the number is a sentinel"


def _codes(*lines):
    """The codes of a definition whose phase definition is these lines; the number in it is a finding of L205."""
    text = HEAD + "        phaseDefinition:\n" + "".join(f"          {line}\n" for line in lines)
    return [f.code for f in validate([("example-com-job-v1.yaml", text)]).findings]


PATH = "path: .status.phase | . + 12345678901234567890"


@pytest.mark.parametrize(
    "lines",
    [
        [f"{PATH}  # wmap: ignore[L205] {REASON}"],
        [f"# wmap: ignore[L205] {REASON}", PATH],
        [f"# wmap: ignore[L205] {REASON}", "# and an ordinary comment", PATH],
        [f"# wmap: ignore[L205] {REASON}", "path: >-", "  .status.phase", "  | . + 12345678901234567890"],
        [f"path: |  # wmap: ignore[L205] {REASON}", "  .status.phase", "  | . + 12345678901234567890"],
        [f"# wmap: ignore[L205] {REASON}", "path: '.status.phase", "  | . + 12345678901234567890'"],
    ],
)
def test_an_ignore_with_a_reason_silences_at_its_place(lines):
    """It reaches its own line, the line below one that stands alone, and the scalar that begins there to its end."""
    assert _codes(*lines) == []


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# wmap: ignore[L205]", ["L205", "L902"]),
        ("# wmap: ignore[L205] since I like it", ["L205", "L902"]),
        ("# wmap: ignore because I like it", ["L205", "L902"]),
        ("# wmap: ignore[] because I like it", ["L205", "L902"]),
        (f"# wmap: ignore[L999] {REASON}", ["L205", "L902"]),
        (f"# wmap: ignore[S003] {REASON}", ["L205", "L902"]),
        (f"# wmap: ignore[L203] {REASON}", ["L205", "L901"]),
        (f"# wmap: ignore[L205, L203] {REASON}", ["L901"]),
        ("# an ordinary comment", ["L205"]),
    ],
)
def test_an_ignore_that_does_not_hold_is_a_finding(comment, codes):
    """An ignore without a reason or of an unknown rule, and each code that silences nothing, are findings themselves."""
    assert sorted(_codes(f"{PATH}  {comment}")) == codes


def test_an_ignore_does_not_reach_past_its_scalar():
    """What follows the line of the ignore is judged."""
    found = _codes("# wmap: ignore[L205] because of the first line", "path: >-", "  .status.phase", "# none", "")
    assert found == ["L901"]


def test_what_looks_like_an_ignore_inside_a_scalar_is_none():
    """A line of a literal scalar is text of the expression: there its sign of a comment begins a comment of jq."""
    lines = ["path: |", f"  # wmap: ignore[L205] {REASON}", "  .status.phase | . + 12345678901234567890"]
    assert _codes(*lines) == ["L205"]


def test_a_name_can_be_ignored_where_it_stands():
    """Findings across files stand at the name of the definition, and are silenced there."""
    text = HEAD.replace("job-v1}", f"job-v1}}  # wmap: ignore[L801, L501, L502] {REASON}")
    codes = [f.code for f in validate([("other.yaml", text)]).findings]
    assert "L801" not in codes
