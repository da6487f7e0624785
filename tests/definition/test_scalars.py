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
    "0x1FFFFFFFFFFFFFFFFFFF": "0x1FFFFFFFFFFFFFFFFFFF", "-9223372036854775809": -9223372036854775809.0, "0_8": 8, "1__0": 10, "0b1_": 1,
    "+0x1F": 31, "-0o7": -7, "09.5": 9.5, "1.e3": 1000, "1.5_0": 1.5, "! 12": "12", '!!bool "true"': True, '!!null ""': None, "!!str": "",
    "-_1": -1, "+_1": 1, "-._5": -0.5, "1._5": 1.5, "1e_3": 1000, "1_e3_": 1000, ".5_0": 0.5, "._5": "._5", ".5_": ".5_", ".3__2": ".3__2",
    "0_x1F": 31, "-_": "-_", "!mine 12": "12", "!<tag:x.org,2000:y> yes": "yes", "!!timestamp 2001-01-01": "2001-01-01",
    "!!set {a: }": {"a": None}, "!!str {b: 1}": {"b": 1}, "!!map []": [], "!mine [1]": [1], "!!foo ~": "~",
    "1e22": 1e22, "9" * 400: "9" * 400, "[!!seq [], !!map {}]": [[], {}],
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
    ("text", "words"),
    [
        ("!!int 1.0", "is not of the type !!int"),
        ("!!binary aGk", "no base64"),
        ("!!binary 'aG k='", "no base64"),
        ("!!binary /w==", "no base64 of a text"),
        ("!!timestamp x", "is not of the type !!timestamp"),
    ],
)
def test_a_value_that_its_tag_does_not_fit_is_refused(text, words):
    """A value that is not of the type that its tag names is said with the tag."""
    with pytest.raises(YamlProblem) as caught:
        list(read_documents(f"a: {text}\n"))
    assert caught.value.kind == "alias-or-tag"
    assert words in caught.value.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!!timestamp 2001-01-01", "the tag !!timestamp is refused"),
        ("!!set {a}", "the tag !!set is refused"),
        ("!mine x", "the tag !mine is refused"),
        ("!!str {b: 1}", "the tag !!str is refused"),
        ("!!map []", "the tag !!map is refused"),
    ],
)
def test_a_definition_has_no_tags_but_those_of_json(text, words):
    """A tag in a definition that would be passed over in silence is refused by its name."""
    with pytest.raises(YamlProblem) as caught:
        read_marked(f"a: {text}\n")
    assert caught.value.kind == "alias-or-tag"
    assert words in caught.value.problem


KEYS = {
    "1": "1", "1.5": "1.5", "yes": "true", "off": "false", "0o14": "12", "1e3": "1000", "1e5": "100000", "1e6": "1e+06", "1e21": "1e+21",
    "1e-5": "1e-05", "0.0001": "0.0001", "0.1234567891": "0.12345679", "-0.0": "-0", "-_1": "-1", "1.0": "1", "16777217.0": "1.6777216e+07",
    "1e39": ".inf", "-1e39": "-.inf", "+.INF": ".inf", "-.inf": "-.inf", ".NaN": ".nan", "-9223372036854775808": "-9223372036854775808",
    "!!str 1": "1", "!!int '1'": "1", "!mine 1": "1", "'1e6'": "1e6", ".5_": ".5_", "2024-01-01": "2024-01-01",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), KEYS.items(), ids=list(KEYS))
def test_a_key_becomes_the_text_that_kubectl_makes_of_it(text, expected):
    """Numbers and booleans that are keys become texts: a float as one of 32 bits."""
    ((document, _),) = read_documents(f"{text}: x\n")
    assert document == {expected: "x"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("~", "must not be null"),
        ("!!null ''", "must not be null"),
        ("9223372036854775808", "must not be a number as large as"),
    ],
)
def test_a_key_that_kubectl_refuses_is_refused(text, words):
    """Null, and a whole number of 64 bits without a sign, are no keys."""
    with pytest.raises(YamlProblem, match=words):
        list(read_documents(f"{text}: x\n"))
