"""Wording: what the schema's rules say to people, and that no rule is left without words."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wmap.definition import load
from wmap.definition.validate import check_shape, schema
from wmap.definition.yamlio import read_marked

WORDED = {
    "type", "const", "required", "additionalProperties", "pattern", "uniqueItems", "minItems", "minProperties", "minLength",
    "maxLength", "anyOf", "propertyNames",
}  # fmt: skip
SILENT = {"$schema", "$id", "$ref", "$defs", "title", "description", "default", "properties", "items", "x-unique-by"}


def _nodes(node):
    """Every schema inside a schema."""
    yield node
    for key in ("properties", "$defs"):
        for below in node.get(key, {}).values():
            yield from _nodes(below)
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield from _nodes(node[key])


@pytest.mark.parametrize("name", ["definition", "fixture", "framework"])
def test_every_rule_of_a_schema_has_words(name):
    """A schema uses no keyword that is not worded, and each pattern is described."""
    for node in _nodes(schema(name)):
        assert set(node) <= WORDED | SILENT
        assert "pattern" not in node or "description" in node


def test_a_definition_admits_no_unknown_field_anywhere():
    """Every map of the format is closed, or holds texts."""
    for node in _nodes(schema("definition")):
        if node.get("type") == "object":
            assert node["additionalProperties"] in (False, {"type": "string"})


def _fixture(text):
    return [(f.code, f"{f.message} {f.hint}") for f in check_shape(read_marked(text), "fixture", file="x.yaml")]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("object: {apiVersion: v1, kind: Pod}\nexpect: {a: 1}", "S004", "one sentence"),
        ("description: x\nobject: {apiVersion: v1, kind: Pod}", "S004", "neither `expect` or `steps`"),
        ("description: x\nobject: {kind: Pod}\nexpect: {a: 1}", "S004", "object has no `apiVersion`"),
        ("description: x\nobject: {apiVersion: v1, kind: Pod}\nexpect: {}", "S006", "expect is empty"),
        ("description: x\nobject: {apiVersion: v1, kind: Pod}\nsteps: [{patch: {}}]", "S004", "what must be read"),
        (
            "description: x\nobject: {apiVersion: v1, kind: Pod}\nsteps: [{expect: {a: 1}, status: 5}]",
            "S005",
            "a map is wanted",
        ),
        ("description: x\nobject: {apiVersion: v1, kind: Pod}\nexpect: {a: 1}\npods: {}", "S005", "a list is wanted"),
        ("description: x\nobject: {apiVersion: v1, kind: Pod}\nexpect: {a: 1}\npatch: {}", "S003", "belongs to steps"),
        (
            "description: x\nobject: {apiVersion: v1, kind: Pod}\nexpect: {a: 1}\ncovers: [A b]",
            "S006",
            "lower-case words",
        ),
    ],
)
def test_a_wrong_fixture_is_said_in_words(text, code, words):
    """Fixtures are judged by their own schema, in the same words."""
    ((found, said),) = _fixture(text)
    assert found == code
    assert words in said


def test_an_expression_beyond_the_limit_is_refused_by_its_length():
    """A long value is not repeated in the message."""
    text = """
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: x}
spec: {structureDefinition: {rootComponent: {name: r, instanceIdPath: "%s"}}}
"""
    (finding,) = load(text % ("." * 65_537)).findings
    assert finding.code == "S006"
    assert "65,537 characters" in finding.message
    assert len(finding.message) < 200


def test_a_long_value_is_cut_in_the_message():
    """Of a value that breaks a pattern the beginning is shown."""
    (finding,) = load(
        f"apiVersion: run.ai/v1alpha1\nkind: Karta\nmetadata: {{name: {'A' * 200}}}\nspec: {{structureDefinition: {{rootComponent: {{name: r}}}}}}\n"
    ).findings
    assert "AAA..." in finding.message
    assert len(finding.message) < 200


def test_reading_does_not_import_the_schema_library():
    """Loading a definition for reading leaves jsonschema alone."""
    code = "import sys; from wmap.definition import load_trusted; print('jsonschema' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
