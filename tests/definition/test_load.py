"""Loading: every text gives a definition or findings in words, never a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wmap.definition import comments, load
from wmap.definition.model import Kind, Status
from wmap.definition.source import Source

GOOD = """\
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
        statusMappings:
          running: [{byPhase: Running}]
"""


def test_a_good_definition_is_loaded():
    """A definition of the right shape becomes a model, without findings."""
    result = load(GOOD, file="x.yaml")
    assert result.findings == ()
    assert result.definition.kind == Kind("example.com", "v1", "Job")
    assert result.definition.root.status.mappings[Status.RUNNING][0].phase.value == "Running"


@pytest.mark.parametrize(
    ("old", "new", "code", "words", "line"),
    [
        ("byPhase: Running", "byPhse: Running", "S003", "did you mean `byPhase`?", 12),
        ("name: job\n", "nam: job\n", "S003", "did you mean `name`?", 7),
        ("phaseDefinition: {path: .status.phase}", "phaseDefinition: {}", "S004", "`path`", 10),
        ("byPhase: Running", "byPhase: yes", "S005", "write it in quotes", 12),
        ("path: .status.phase", "path: 5", "S005", "the number 5", 10),
        ("path: .status.phase", "path: ''", "S006", "is empty", 10),
        ("path: .status.phase", "path: null", "S005", "null", 10),
        ("version: v1", "version: one", "S006", "not of the form", 8),
        ("running: [{byPhase: Running}]", "running: {byPhase: Running}", "S005", "a list is wanted", 12),
        ("name: job\n", "name: job\n      instanceIdpath: .x\n", "S003", "instanceIdPath", 8),
        ("metadata: {name: example-com-job-v1}", "metadata: {name: Example}", "S006", "Example", 3),
        ("name: job\n", "name: job\n      podTemplateSpecPath: .x\n", "S003", "belongs to specDefinition", 8),
    ],
)
def test_a_wrong_shape_is_said_in_words_at_its_place(old, new, code, words, line):
    """Each defect of the shape is one finding that says what is wrong, where, and what to do."""
    result = load(GOOD.replace(old, new), file="x.yaml")
    assert result.definition is None
    finding = next(f for f in result.findings if f.code == code)
    assert words in f"{finding.message} {finding.hint}"
    assert finding.span.line == line
    assert "any of the given schemas" not in finding.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "S002"), ("# nothing\n", "S002"), ("[]", "S002"), ("- a\n- b\n", "S002"), ("just text", "S002"), ("a: [", "S001"),
        ("apiVersion: v1\nkind: Pod\n", "S002"), ("a: 1\n---\nb: 2\n", "S010"), ("a: \0", "S001"), ("a: 1\na: 2\n", "S009"),
        ("x" * (2**20 + 1), "S008"), (b"\xff\xfe\x00", "S001"), (b"a: \xff", "S001"), ("a: !!python/name:os.system x", "S011"),
        ("null", "S002"), ("5", "S002"),
    ],
)  # fmt: skip
def test_what_is_no_definition_is_one_clear_finding(text, code):
    """A file that holds no definition gives a finding of its kind, with a message."""
    result = load(text, file="x.yaml")
    assert result.definition is None
    assert [f.code for f in result.findings] == [code]
    assert result.findings[0].message


def test_list_maps_hold_each_key_once():
    """Two entries of a list map with the same key are a finding at the second."""
    kinds = "    additionalChildKinds: [{group: '', version: v1, kind: Service}, {group: x.io, version: v1, kind: Service}]\n"
    result = load(GOOD + kinds, file="x.yaml")
    assert [f.code for f in result.findings] == ["S007"]
    assert "'Service'" in result.findings[0].message


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_no_text_crashes_the_loader(text):
    """Whatever is loaded, there is a definition or a finding."""
    result = load(text)
    assert (result.definition is None) == bool(result.findings)


def test_comments_are_told_from_texts():
    """A # inside a scalar begins no comment."""
    source = load("a: 'x # no' # yes\n# alone\nb: |\n  # no\nc: d#no\n", file="x").source
    assert [(line, text) for line, _, text in comments(source)] == [(1, "# yes"), (2, "# alone")]


def test_the_schemas_are_valid(repository):
    """Every schema of the project is a valid JSON Schema 2020-12."""
    files = sorted((repository / "schemas").glob("*.schema.json"))
    assert files
    for file in files:
        Draft202012Validator.check_schema(json.loads(file.read_text()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: |  # head\n  # no\n\n# yes\nb: 1\n", [(1, 7, "# head"), (4, 1, "# yes")]),
        ("a: [b, # one\n  c] # two", [(1, 8, "# one"), (2, 6, "# two")]),
        ('a: "x\n  # no"\nb: x#no # yes', [(3, 9, "# yes")]),
        ("# first\r\na: 1 # second\r\n", [(1, 1, "# first"), (2, 6, "# second")]),
        ("a: {b: [\n# lost\n", []),
        ("", []),
    ],
)
def test_a_comment_has_its_place(text, expected):
    """Comments come with line and column, also at the head of a block and inside a flow; a broken file has none."""
    assert list(comments(Source(text))) == expected


@pytest.mark.parametrize("text", ["\ud800", "a: \ud800", "a: \x01"])
def test_what_cannot_be_encoded_is_a_finding(text):
    """A text with half a character, or a control character, is no YAML and says which character."""
    (finding,) = load(text).findings
    assert finding.code == "S001"
    assert f"U+{ord(text[-1]):04X}" in finding.message
