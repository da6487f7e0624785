"""Plain scalars as kubectl reads them; the expected values are what sigs.k8s.io/yaml v1.6.0 answered."""

from __future__ import annotations

import pytest

from wmap.definition.yamlio import YamlProblem, read_documents

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
        ("!!timestamp 2001-01-01", "the tag !!timestamp is refused"),
        ("!!set {a}", "the tag !!set is refused"),
        ("!mine x", "the tag !mine is refused"),
        ("!!str {b: 1}", "the tag !!str is refused"),
        ("!!map []", "the tag !!map is refused"),
    ],
)
def test_a_tag_that_is_not_read_is_named(text, words):
    """A tag that is refused, and a value that its tag does not fit, is said by its name."""
    with pytest.raises(YamlProblem) as caught:
        list(read_documents(f"a: {text}\n"))
    assert caught.value.kind == "alias-or-tag"
    assert words in caught.value.problem
