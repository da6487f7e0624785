"""Plain scalars as kubectl reads them; the expected values are what sigs.k8s.io/yaml v1.6.0 answered."""

from __future__ import annotations

import pytest

from wmap.definition.yamlio import YamlProblem, read_documents, read_marked

TABLE = {
    "1e3": 1000, "12:30:45": "12:30:45", "2024-01-01": "2024-01-01", "0o14": 12, "0x1F": 31, "0b11": 3, "014": 12, "08": 8,
    "0o8": "0o8", "yes": True, "no": False, "on": True, "off": False, "y": True, "n": False, "Yes": True, "yEs": "yEs",
    "true": True, "TRUE": True, "tRue": "tRue", "~": None, "null": None, "Null": None, "nUll": "nUll", "1_000": 1000, "+1": 1,
    "1.": 1, ".5": 0.5, "-.5": -0.5, "1.5e3": 1500, "99999999999999999999": 1e20, "18446744073709551615": 18446744073709551615,
    "-0": 0, "1e400": "1e400", "!!str 1": "1", '!!int "3"': 3, "!!float 1": 1, "!!binary aGk=": "hi", '"1"': "1", "'yes'": "yes",
    "": None, "=": "=", "0x": "0x", "_1": "_1", "0b2": "0b2", "-0x1F": -31, "1e": "1e", ".": ".", "Off": False, "0.10": 0.1,
    "1.0": 1, "190:20:30": "190:20:30", "-014": -12, "00": 0, "NaN": "NaN", "inf": "inf", "2001-12-14t21:59:43.10-05:00":
    "2001-12-14t21:59:43.10-05:00", "<<": "<<", "0o1_0": 8, "1_0.5": 10.5,
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TABLE.items(), ids=[k or "nothing" for k in TABLE])
def test_a_plain_scalar_is_read_as_kubectl_reads_it(text, expected):
    """A scalar has the value and the type that kubectl gives it."""
    ((document, _),) = read_documents(f"a: {text}\n")
    assert document["a"] == expected
    assert isinstance(document["a"], bool) == isinstance(expected, bool)


@pytest.mark.parametrize("text", [".inf", "-.inf", ".nan", "+.INF"])
def test_what_json_cannot_say_is_refused(text):
    """An infinity has no JSON value: it is refused, as kubectl does."""
    with pytest.raises(YamlProblem, match="no value in JSON"):
        list(read_documents(f"a: {text}\n"))


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("a: 1\na: 2", "duplicate-key", 2),
        ("a: *y", "not-yaml", 1),
        ("a: !!python/object:os x", "alias-or-tag", 1),
        ("a: !x {b: 1}", "alias-or-tag", 1),
        ("a:\n\t- b", "not-yaml", 2),
        ("[1", "not-yaml", 1),
        ("a: b: c", "not-yaml", 1),
        ("? {a: 1}\n: 2", "not-yaml", 1),
        ("a: 1\n---\nb: 2", "multiple-documents", 2),
        ("a: \0", "not-yaml", 1),
        ("[" * 300 + "]" * 300, "too-large", 1),
        ("a: !!int x", "alias-or-tag", 1),
        ("a: {<<: 1}", "not-yaml", 1),
    ],
)
def test_bad_yaml_is_refused_with_its_place(text, kind, line):
    """What is no YAML, or more than is read, is refused by kind, at its line."""
    with pytest.raises(YamlProblem) as caught:
        read_marked(text)
    assert caught.value.kind == kind
    assert caught.value.line is None or abs(caught.value.line - line) <= 1


def test_a_billion_laughs_is_refused():
    """Aliases that stand for too many values are refused before they are expanded."""
    text = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        text += f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
    with pytest.raises(YamlProblem, match="aliases"):
        read_marked(text)


def test_merge_keys_and_aliases_are_read():
    """A merge key brings what the map does not have itself."""
    ((document, _),) = read_documents("base: &b {p: 1, q: 2}\nother: {<<: *b, q: 3}\n")
    assert document["other"] == {"q": 3, "p": 1}


def test_keys_become_texts():
    """Keys that are no texts are written as JSON would write them."""
    ((document, _),) = read_documents("1: a\nyes: b\n~: c\n")
    assert document == {"1": "a", "true": "b", "null": "c"}


@pytest.mark.parametrize(
    ("text", "index", "line", "column"),
    [
        ("a: plain", 0, 1, 4),
        ("a: 'it''s'", 2, 1, 7),
        ('a: "x\\ty"', 2, 1, 8),
        ("a: |\n  one\n  two\n", 4, 3, 3),
        ("a: >-\n  one\n  two\n", 4, 3, 3),
        ("a: one\n  two", 4, 2, 3),
        ("a: |2\n   x\n", 1, 2, 4),
    ],
)
def test_an_offset_in_a_scalar_is_found_in_the_file(text, index, line, column):
    """The place of a character is found in plain, quoted, literal and folded scalars."""
    marked = read_marked(text)
    span = marked.entries["a"][1].mark.span(index, index + 1)
    assert (span.line, span.column) == (line, column)
