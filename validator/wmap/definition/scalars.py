"""Plain YAML scalars as kubectl reads them (sigs.k8s.io/yaml): ``1e3`` a number, ``12:30:45`` a string, ``yes`` true."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

_BOOLEANS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INTEGER = re.compile(r"([-+]?)(?:0b([01_]+)|0x([0-9a-fA-F_]+)|0o?([0-7_]+)|([0-9][0-9_]*))")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?")
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
    match = _INTEGER.fullmatch(text)
    if match is not None:
        sign, binary, hexadecimal, octal, decimal = match.groups()
        for digits, base in ((binary, 2), (hexadecimal, 16), (octal, 8), (decimal, 10)):
            bare = digits.replace("_", "") if digits else ""
            if bare:
                if len(bare) > _LONGEST_INTEGER:
                    break
                value = int(bare, base)
                value = -value if sign == "-" else value
                if -(2**63) <= value < 2**64:
                    return value
    # an integer beyond 64 bits is a float where it is written in decimal, else a text
    if _FLOAT.fullmatch(text):
        number = float(text.replace("_", ""))
        if number in (float("inf"), float("-inf")):
            return text
        return int(number) if number.is_integer() and abs(number) <= 2**53 else number
    return text


def short_tag(tag: str) -> str:
    """A tag as it is written in a file: ``!!set``."""
    return f"!!{tag.removeprefix(_PREFIX)}" if tag.startswith(_PREFIX) else tag


def resolve_tagged(tag: str, text: str) -> Any:
    """The JSON value of a scalar with an explicit tag.

    Raises:
        ScalarError: the tag is not one of YAML's own, or the text is not of it.
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
        if type(value) in wanted and (kind != "int" or _INTEGER.fullmatch(text)):
            return value
        raise ScalarError(f"{text!r} is not of the type !!{kind}")
    raise ScalarError(
        f"the tag {short_tag(tag)} is refused: only !!str, !!int, !!float, !!bool, !!null and !!binary are read"
    )
