"""What values the facts of a field admit, one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wmap.contract.model import Facts

_NAMES = {
    bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array", dict: "an object", type(None): "null",
}  # fmt: skip
_PYTHON = {"string": str, "boolean": bool, "array": list, "object": dict}


def is_of(kind: str, value: Any) -> bool:
    """Whether a value, which is not null, is of a type of a contract; a whole number may be written ``1.0``."""
    if kind == "int-or-string":
        return isinstance(value, str) or _whole(value)
    if kind == "integer":
        return _whole(value)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, _PYTHON[kind])


def bounds(facts: Facts, kind: str | None) -> tuple[float | None, float | None]:
    """The least and the greatest number that a field of this type may hold, its format looked at."""
    low, high = facts.minimum, facts.maximum
    if kind == "integer" and facts.format in ("int32", "int64", None):
        edge = 2**31 if facts.format == "int32" else 2**63
        low = -edge if low is None else low
        high = edge - 1 if high is None else high
    return low, high


def called(value: Any) -> str:
    """What a value is, in words: ``a string``."""
    return next((name for kind, name in _NAMES.items() if isinstance(value, kind)), type(value).__name__)


def _whole(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
