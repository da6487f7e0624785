"""YAML to values: what is read, what is refused, and where."""

from __future__ import annotations

import codecs

import pytest

from wmap.definition.yamlio import Limits, YamlProblem, decode, read_documents, read_marked

LIMITS = Limits(size=100)


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
        ("a: 1\n---\nb: 2", "multiple-documents", 3),
        ("a: \0", "not-yaml", 1),
        ("[" * 300 + "]" * 300, "too-large", 1),
        ("a: !!int x", "alias-or-tag", 1),
        ("a: {<<: 1}", "not-yaml", 1),
        ("a: {<<: [{b: 1}, 2]}", "not-yaml", 1),
        ("a: 1\n~: 2", "not-yaml", 2),
        ("a: 1\nb: \x07", "not-yaml", 2),
        ("a: 1\nb: \ud800", "not-yaml", 2),
        ("a: &x 1\n---\nb: *x", "not-yaml", 3),
        ("a: &x [*x]", "not-yaml", 1),
        ("a: 1\n...\nb: {", "not-yaml", 3),
    ],
)
def test_bad_yaml_is_refused_with_its_place(text, kind, line):
    """What is no YAML, or more than is read, is refused by kind, at its line."""
    with pytest.raises(YamlProblem) as caught:
        read_marked(text)
    assert caught.value.kind == kind
    assert caught.value.line == line


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
    """Keys that are no texts are written as kubectl writes them in JSON."""
    ((document, _),) = read_documents("1: a\nyes: b\n1.5: c\n0o14: d\noff: e\n")
    assert document == {"1": "a", "true": "b", "1.5": "c", "12": "d", "false": "e"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: {<<: [{b: 1}, {b: 2}]}", {"b": 1}),
        ("a: {b: 3, <<: {b: 1}}", {"b": 1}),
        ("a: {<<: {b: 1}, b: 3}", {"b": 3}),
        ('a: {"<<": {b: 1}}', {"<<": {"b": 1}}),
    ],
)
@pytest.mark.parametrize("marks", [False, True], ids=["plain", "marked"])
def test_merge_keys_are_read_in_the_order_of_kubectl(text, expected, marks):
    """The first of a list wins, and what stands later wins over what stands before; the values are kubectl's answers."""
    value = read_marked(text).value if marks else next(read_documents(text))[0]
    assert value == {"a": expected}


def test_a_merged_value_knows_where_it_was_written():
    """The place of a value that a merge key brings is that of the text it came from."""
    marked = read_marked("p: &p {b: x}\nq:\n  <<: *p\n")
    assert marked.entries["q"][1].entries["b"][1].mark.line == 1


def test_a_key_that_stands_twice_says_both_places():
    """The second of two equal keys is the place, the first is named."""
    with pytest.raises(YamlProblem) as caught:
        list(read_documents("x: 0\na: 1\nb: 2\na: 3\n"))
    assert (caught.value.line, caught.value.column) == (4, 1)
    assert "first in line 2" in caught.value.problem


def test_documents_know_their_lines():
    """Every document of a stream comes with the line on which it begins; empty ones are left out."""
    text = "a: 1\n---\n---\n# c\nb: 2\n---\n- 3\n"
    assert list(read_documents(text)) == [({"a": 1}, 1), ({"b": 2}, 5), ([3], 7)]


def test_an_empty_document_beside_the_one_is_allowed():
    """A separator before or after the one document makes no second one."""
    assert read_marked("---\na: 1\n---\n").value == {"a": 1}


@pytest.mark.parametrize(
    "data",
    [
        b"a: \xc3\xa9", codecs.BOM_UTF8 + b"a: \xc3\xa9", codecs.BOM_UTF16_LE + "a: \u00e9".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "a: \u00e9".encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16 little", "utf-16 big"],
)  # fmt: skip
def test_bytes_are_decoded(data):
    """UTF-8, and UTF-16 with a byte order mark, are read without the mark."""
    assert decode(data, file=None, limits=LIMITS) == "a: \u00e9"


@pytest.mark.parametrize(
    ("data", "kind", "line"),
    [(b"a: 1\nb: \xff", "not-yaml", 2), (b"x" * 101, "too-large", None), (b"\xff\xfe\x00", "not-yaml", 1)],
)
def test_bytes_that_are_no_text_are_refused(data, kind, line):
    """Wrong encodings and files beyond the limit are refused by kind."""
    with pytest.raises(YamlProblem) as caught:
        decode(data, file="x.yaml", limits=LIMITS)
    assert (caught.value.kind, caught.value.line) == (kind, line)
    assert "x.yaml" in caught.value.message


def test_a_text_beyond_the_limit_is_refused():
    """The limit holds for texts as it does for bytes."""
    with pytest.raises(YamlProblem, match="at most 100"):
        list(read_documents("x" * 101, limits=LIMITS))


@pytest.mark.parametrize(
    ("text", "hint"),
    [("a: |\n\tb", "spaces, not with tabs"), ("a: b: c", "in quotes"), ("a: \0", "binary"), ("[1", None)],
)
def test_a_refusal_says_what_to_do(text, hint):
    """The usual mistakes come with advice."""
    with pytest.raises(YamlProblem) as caught:
        read_marked(text)
    assert (hint in caught.value.hint) if hint else caught.value.hint is None


def test_a_document_at_the_depth_limit_is_read():
    """Nesting up to the limit is read, one level more is refused."""
    assert next(read_documents("[" * 10 + "]" * 10, limits=Limits(100, depth=10)))
    with pytest.raises(YamlProblem, match="more than 10 deep"):
        list(read_documents("[" * 11 + "]" * 11, limits=Limits(100, depth=10)))
