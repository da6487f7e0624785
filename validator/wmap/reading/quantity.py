"""Kubernetes quantities, exact: ``500m``, ``1Gi``, ``1e3``, ``0.1``. The value is an int in units of 10^-9.

The grammar and the rounding (finer than 10^-9 is rounded away from zero) are those of Kubernetes' resource.Quantity.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

NANO = 10**9
_FORM = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?[0-9]+))?")
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_LARGEST_EXPONENT = 400
_BINARY_NAMES = ("memory", "storage", "ephemeral-storage")


class QuantityError(ValueError):
    """The text is no quantity."""


@lru_cache(maxsize=8192)
def parse_text(text: str) -> int:
    """A quantity's text to units of 10^-9.

    Raises:
        QuantityError: it is none.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise QuantityError(f"{text!r} is no quantity")
    sign, whole, fraction, binary, decimal, exponent = match.groups()
    digits = whole + (fraction or "")
    if not digits or len(digits) > _LARGEST_EXPONENT:
        raise QuantityError(f"{text!r} is no quantity")
    value: int = int(digits)
    scale = -len(fraction or "")
    if binary:
        value *= 1024 ** _BINARY[binary]
    elif decimal:
        scale += _DECIMAL[decimal]
    elif exponent:
        if abs(int(exponent[:6])) > _LARGEST_EXPONENT or len(exponent) > 6:
            raise QuantityError(f"{text!r} is no quantity that fits")
        scale += int(exponent)
    scale += 9
    value = value * 10**scale if scale >= 0 else -(-value // 10**-scale)
    return -value if sign == "-" else value


def parse_quantity(value: Any) -> int:
    """A quantity as it stands in an object (a text, or a JSON number) to units of 10^-9.

    Raises:
        QuantityError: it is none.
    """
    if type(value) is str:
        return parse_text(value)
    if type(value) is int:
        return value * NANO
    if type(value) is float:
        return parse_text(repr(value))
    raise QuantityError(f"{value!r} is no quantity")


def format_quantity(name: str, value: int) -> str:
    """The canonical text: memory and storage in powers of 1024 where that is exact, else powers of 1000."""
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    if name in _BINARY_NAMES or name.startswith("hugepages-") or name.endswith(".storage"):
        whole, rest = divmod(value, NANO)
        if rest == 0 and whole % 1024 == 0:
            power = 0
            while whole % 1024 == 0 and power < 6:
                whole //= 1024
                power += 1
            return f"{sign}{whole}{'KMGTPE'[power - 1]}i"
    exponent = -9
    while value % 1000 == 0 and exponent < 18:
        value //= 1000
        exponent += 3
    suffix = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}[exponent]
    return f"{sign}{value}{suffix}"


def to_count(value: int) -> int:
    """A quantity as a whole number, rounded up: how many GPUs."""
    return -(-value // NANO)
