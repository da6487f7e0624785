"""Plain YAML scalars as kubectl reads them (sigs.k8s.io/yaml): ``1e3`` a number, ``12:30:45`` a string, ``yes`` true."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from typing import Any

_BOOLEANS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INTEGER = re.compile(r"([-+]?)(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|([0-9]+))")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SEPARATED = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t]|$)")
_LONGEST_INTEGER = 400
_STARTS = frozenset("-+.0123456789~nNyYtTfFoO")
_PREFIX = "tag:yaml.org,2002:"


class ScalarError(ValueError):
    """The scalar has no JSON value; the text says why."""


def resolve(text: str) -> Any:
    """The JSON value of a plain scalar.

    Raises:
        ScalarError: an infinity, or not a number.
    """
    if not text:
        return None
    if text[0] not in _STARTS:
        return text
    if text in _NULLS:
        return None
    boolean = _BOOLEANS.get(text)
    if boolean is not None:
        return boolean
    if text[0] not in "-+.0123456789":
        return text
    if _INFINITE.fullmatch(text):
        raise ScalarError(f"{text} has no value in JSON; write it in quotes if it is a text")
    whole = _integer(text)
    if whole is not None:
        return whole
    # an integer beyond 64 bits is a float where it is written in decimal, else a text
    number = _float(text)
    if number is None or number in (float("inf"), float("-inf")):
        return text
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text.replace("_", ""))
    if match is None:
        return None
    sign, binary, hexadecimal, octal, decimal = match.groups()
    for digits, base in ((binary, 2), (hexadecimal, 16), (octal, 8), (decimal, 10)):
        if digits and len(digits) <= _LONGEST_INTEGER:
            value = -int(digits, base) if sign == "-" else int(digits, base)
            if -(2**63) <= value < 2**64:
                return value
    return None


def _float(text: str) -> float | None:
    if text[0] == "." and "_" in text and not _SEPARATED.fullmatch(text):
        return None  # go-yaml takes underscores out of what begins with a digit or sign alone
    bare = text.replace("_", "")
    return float(bare) if _FLOAT.fullmatch(bare) else None


def key_text(text: str) -> str:
    """A plain scalar that is the key of a map, as kubectl makes it a text: a float as Go writes one of 32 bits (``1e+06``).

    Raises:
        ScalarError: it is null, or a whole number of more than 63 bits.
    """
    if _INFINITE.fullmatch(text):
        return f"-{text[1:].lower()}" if text[0] == "-" else text.lstrip("+").lower()
    value = resolve(text)
    if isinstance(value, str):
        return value
    if value is None:
        raise ScalarError("a key must not be null; put it in quotes")
    if isinstance(value, bool):
        return "true" if value else "false"
    whole = _integer(text)
    if whole is None:
        return _float32(float(value) if text[0] != "-" or value else -0.0)
    if whole >= 2**63:
        raise ScalarError(f"a key must not be a number as large as {text}; put it in quotes")
    return str(whole)


def _float32(number: float) -> str:
    """The shortest text that names the same float of 32 bits, in the form of Go's ``%g``."""
    try:
        (single,) = struct.unpack("<f", struct.pack("<f", number))
    except OverflowError:
        return ".inf" if number > 0 else "-.inf"
    texts = (f"{single:.{digits}e}" for digits in range(9))
    shortest = next(t for t in texts if struct.pack("<f", float(t)) == struct.pack("<f", single))
    exponent = int(shortest.partition("e")[2])
    if -4 <= exponent < 6:
        return (
            f"{float(shortest):.{max(0, len(shortest.partition('e')[0].replace('.', '').lstrip('-')) - 1 - exponent)}f}"
        )
    return shortest


def short_tag(tag: str) -> str:
    """A tag as it is written in a file: ``!!set``."""
    return f"!!{tag.removeprefix(_PREFIX)}" if tag.startswith(_PREFIX) else tag


def resolve_tagged(tag: str, text: str, *, strict: bool = True) -> Any:
    """The JSON value of a scalar with an explicit tag. ``strict``: tags other than those of JSON's values are refused; else, as
    kubectl does, the value is the text.

    Raises:
        ScalarError: the tag is refused, or the text is not of it.
    """
    kind = tag.removeprefix(_PREFIX)
    if tag in ("!", f"{_PREFIX}str"):
        return text
    if kind == "binary":
        try:
            return base64.b64decode(text.replace("\n", ""), validate=True).decode()
        except (ValueError, binascii.Error):
            raise ScalarError("the !!binary value is no base64 of a text") from None
    if tag.startswith(_PREFIX) and kind in ("int", "float", "bool", "null"):
        value = resolve(text)
        wanted = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}[kind]
        if type(value) in wanted and (kind != "int" or _integer(text) is not None):
            return value
        raise ScalarError(f"{text!r} is not of the type !!{kind}")
    if strict:
        raise ScalarError(
            f"the tag {short_tag(tag)} is refused: only !!str, !!int, !!float, !!bool, !!null and !!binary are read"
        )
    if kind == "timestamp" and tag.startswith(_PREFIX) and not _DATE.match(text):
        raise ScalarError(f"{text!r} is not of the type !!timestamp")
    return text
