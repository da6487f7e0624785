"""The builtins that take one value and give one: name -> function of (value, meter)."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from wmap.expr.jq.regex import RegexError, compile_regex
from wmap.expr.jq.values import (
    Meter,
    arithmetic,
    contains,
    elements,
    index,
    indices,
    number,
    order_key,
    shown,
    slice_of,
    split,
    to_json,
    to_string,
    truthy,
    type_name,
)
from wmap.expr.protocol import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _number_of(value: Any, what: str) -> int | float:
    if type(value) is not int and type(value) is not float:
        raise EvaluationError(
            f"{shown(value)} number required" if what != "abs" else f"{shown(value)} has no absolute value"
        )
    return value


def _length(value: Any, _: Meter) -> Any:
    kind = type(value)
    if kind is list or kind is dict or kind is str:
        return len(value)
    if value is None:
        return 0
    if kind is bool:
        raise EvaluationError(f"{shown(value)} has no length")
    return abs(value)


def _keys(value: Any, meter: Meter) -> list[Any]:
    if type(value) is dict:
        meter.spend(len(value))
        return sorted(value)
    if type(value) is list:
        meter.spend(len(value))
        return list(range(len(value)))
    raise EvaluationError(f"{shown(value)} has no keys")


def _to_entries(value: Any, meter: Meter) -> list[Any]:
    if type(value) is list:
        meter.spend(len(value))
        return [{"key": i, "value": v} for i, v in enumerate(value)]
    if type(value) is not dict:
        raise EvaluationError(f"{shown(value)} has no keys")
    meter.spend(len(value))
    return [{"key": k, "value": value[k]} for k in sorted(value)]


def _from_entries(value: Any, meter: Meter) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for entry in elements(value, meter):
        key: Any = None
        for name in ("key", "k", "name", "Name", "Key", "K"):
            key = index(entry, name, meter)
            if truthy(key):
                break
        if type(key) is not str:
            raise EvaluationError(f"Cannot use {shown(key)} as object key")
        found: Any = None
        for name in ("value", "v", "Value", "V"):
            if name in entry:
                found = entry[name]
                break
        result[key] = found
    return result


def add(values: Iterable[Any], meter: Meter) -> Any:
    """The sum of the values, null where there are none."""
    total: Any = None
    texts: list[str] | None = None
    for value in values:
        if type(value) is str and (texts is not None or type(total) is str):
            texts = [total] if texts is None else texts
            meter.grow(len(value))
            texts.append(value)
            continue
        if texts is not None:
            total, texts = "".join(texts), None
        total = arithmetic("+", total, value, meter)
    return total if texts is None else "".join(texts)


def _sorted(value: Any, meter: Meter, what: str = "sorted") -> list[Any]:
    if type(value) is not list:
        raise EvaluationError(f"{shown(value)} cannot be {what}, as it is not an array")
    return sorted(value, key=lambda v: order_key(v, meter))


def _unique(value: Any, meter: Meter) -> list[Any]:
    result: list[Any] = []
    last: Any = None
    for item in _sorted(value, meter):
        key = order_key(item, meter)
        if not result or key != last:
            result.append(item)
            last = key
    return result


def _extreme(value: Any, meter: Meter, sign: int) -> Any:
    if type(value) is not list:
        raise EvaluationError(f"{shown(value)} cannot be iterated over")
    meter.spend(len(value))
    if len(value) == 2 and type(value[0]) is int and type(value[1]) is int:
        return min(value) if sign < 0 else max(value)
    if value and all(type(v) is int for v in value):
        return min(value) if sign < 0 else max(value)
    return extreme([(order_key(v, meter), v) for v in value], sign)


def extreme(pairs: list[tuple[Any, Any]], sign: int) -> Any:
    """The value of the least key (the first of equals), or of the greatest (the last of equals)."""
    best: tuple[Any, Any] | None = None
    for pair in pairs:
        if best is None or (pair[0] < best[0] if sign < 0 else pair[0] >= best[0]):
            best = pair
    return None if best is None else best[1]


def flatten(value: Any, depth: Any, meter: Meter) -> list[Any]:
    """``flatten(depth)``.

    Raises:
        EvaluationError: the depth is negative or no number, or the value cannot be iterated.
    """
    if type(depth) is not int and type(depth) is not float:
        raise EvaluationError("flatten depth must not be negative")
    if depth < 0:
        raise EvaluationError("flatten depth must not be negative")
    result: list[Any] = []
    _flatten(elements(value, meter), depth, result, meter)
    return result


def _flatten(values: Iterable[Any], depth: float, result: list[Any], meter: Meter) -> None:
    for value in values:
        meter.spend(1)
        if type(value) is list and depth > 0:
            _flatten(value, depth - 1, result, meter)
        else:
            result.append(value)


def _reverse(value: Any, meter: Meter) -> Any:
    if value is None:
        return []
    if type(value) is list:
        meter.spend(len(value))
        return value[::-1]
    raise EvaluationError(f"Cannot reverse {shown(value)}")


def _tonumber(value: Any, _: Meter) -> Any:
    if type(value) is int or type(value) is float:
        return value
    if type(value) is str and _NUMBER.fullmatch(value):
        return number(int(value) if value.lstrip("-").isdecimal() and len(value) < 400 else float(value))
    raise EvaluationError(f"{shown(value)} cannot be parsed as a number")


def _case(value: Any, meter: Meter, upper: bool) -> str:
    if type(value) is not str:
        raise EvaluationError(f"explode input must be a string, not {type_name(value)}")
    meter.grow(len(value))
    return "".join((c.upper() if upper else c.lower()) if c.isascii() else c for c in value)


def _round(value: Any, _: Meter) -> Any:
    x = _number_of(value, "round")
    return number(math.copysign(math.floor(abs(x) + 0.5), x)) if type(x) is float else x


def _abs(value: Any, _: Meter) -> Any:
    return abs(_number_of(value, "abs"))


def _raise(value: Any, _: Meter) -> Any:
    raise_error(value)


def raise_error(value: Any) -> None:
    """``error``.

    Raises:
        EvaluationError: always.
    """
    if type(value) is str:
        raise EvaluationError(value, value=value)
    raise EvaluationError(f"{shown(value)} (not a string)", value=Wrapped(value))


class Wrapped:
    """The value of ``error(v)``, also null: to tell it from an error of the language."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def has(value: Any, key: Any) -> bool:
    """``has``.

    Raises:
        EvaluationError: neither a map and a string, nor an array and a number.
    """
    if value is None and type(key) in (str, int, float):
        return False
    if type(value) is dict and type(key) is str:
        return key in value
    if type(value) is list and (type(key) is int or type(key) is float):
        return 0 <= key < len(value)
    raise EvaluationError(f"Cannot check whether {type_name(value)} has a {type_name(key)} key")


def join(value: Any, separator: Any, meter: Meter) -> Any:
    """``join``: null is the empty text, numbers and booleans their JSON text."""
    parts = list(elements(value, meter))
    if not parts:
        return ""
    texts = []
    for part in parts:
        if part is None:
            texts.append("")
        elif type(part) in (bool, int, float):
            texts.append(to_json(part, meter))
        elif type(part) is str:
            texts.append(part)
        else:
            raise EvaluationError(f"{shown('')} and {shown(part)} cannot be added")
    if type(separator) is not str and len(texts) == 1:
        return texts[0]
    if type(separator) is not str:
        if separator is None:
            separator = ""
        else:
            raise EvaluationError(f"{shown(texts[0])} and {shown(separator)} cannot be added")
    meter.grow(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _affix(value: Any, part: Any, name: str) -> Any:
    if type(value) is not str or type(part) is not str:
        raise EvaluationError(f"{name}() requires string inputs")
    return value.startswith(part) if name == "startswith" else value.endswith(part)


def _trim(value: Any, part: Any, *, left: bool) -> Any:
    if type(value) is not str or type(part) is not str:
        raise EvaluationError(f"{'startswith' if left else 'endswith'}() requires string inputs")
    return value.removeprefix(part) if left else value.removesuffix(part)


def _split(value: Any, separator: Any, meter: Meter) -> Any:
    if type(value) is not str or type(separator) is not str:
        raise EvaluationError("split input and separator must be strings")
    return split(value, separator, meter)


def _index_of(value: Any, part: Any, meter: Meter) -> Any:
    if value is None:
        return None
    if type(value) is str and type(part) is str:
        at = value.find(part) if part else -1
        return None if at < 0 else at
    if type(value) is list:
        found = indices(value, part if type(part) is list else [part], meter)
        return found[0] if found else None
    raise EvaluationError(f"Cannot determine the index of {shown(part)} in {type_name(value)}")


def test(value: Any, pattern: Any, flags: Any, meter: Meter) -> bool:
    """``test(pattern; flags)``, the pattern of the checked subset.

    Raises:
        EvaluationError: not strings, or not of the subset.
    """
    if type(pattern) is list and flags is None:
        pattern, flags = [*pattern, None, None][:2]
    if type(value) is not str or type(pattern) is not str:
        raise EvaluationError(
            f"{shown(value if type(value) is not str else pattern)} cannot be matched, as it is not a string"
        )
    if flags is not None and type(flags) is not str:
        raise EvaluationError(f"{shown(flags)} is not a string")
    try:
        regex = compile_regex(pattern, flags or "")
    except RegexError as error:
        raise EvaluationError(f"the regular expression {pattern!r} is refused: {error}") from None
    meter.spend(2 * len(value))
    return regex.test(value)


def _rounded(function: Callable[[float], int]) -> Callable[[Any, Meter], Any]:
    return lambda value, _: number(function(_number_of(value, "floor")))


SIMPLE: dict[str, Callable[[Any, Meter], Any]] = {
    "length": _length,
    "keys": _keys,
    "to_entries": _to_entries,
    "from_entries": _from_entries,
    "add": lambda v, m: add(elements(v, m), m),
    "min": lambda v, m: _extreme(v, m, -1),
    "max": lambda v, m: _extreme(v, m, 1),
    "sort": _sorted,
    "unique": _unique,
    "flatten": lambda v, m: flatten(v, 1_000_000_000, m),
    "reverse": _reverse,
    "first": lambda v, m: index(v, 0, m),
    "last": lambda v, m: index(v, -1, m),
    "tostring": to_string,
    "tonumber": _tonumber,
    "tojson": to_json,
    "type": lambda v, _: type_name(v),
    "ascii_downcase": lambda v, m: _case(v, m, upper=False),
    "ascii_upcase": lambda v, m: _case(v, m, upper=True),
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "round": _round,
    "abs": _abs,
    "not": lambda v, _: not truthy(v),
    "any": lambda v, m: any(truthy(x) for x in elements(v, m)),
    "all": lambda v, m: all(truthy(x) for x in elements(v, m)),
    "error": _raise,
}
"""One value in, one value out (or an error)."""

FILTERS: dict[str, Callable[[Any], bool]] = {
    "values": lambda v: v is not None,
    "nulls": lambda v: v is None,
    "strings": lambda v: type(v) is str,
    "numbers": lambda v: type(v) is int or type(v) is float,
    "booleans": lambda v: type(v) is bool,
    "arrays": lambda v: type(v) is list,
    "objects": lambda v: type(v) is dict,
    "scalars": lambda v: type(v) not in (list, dict),
    "empty": lambda _: False,
}
"""The value itself, or nothing."""

BY_VALUE: dict[str, Callable[[Any, Any, Meter], Any]] = {
    "has": lambda v, k, _: has(v, k),
    "in": lambda v, o, _: has(o, v),
    "contains": contains,
    "inside": lambda v, o, m: contains(o, v, m),
    "startswith": lambda v, p, _: _affix(v, p, "startswith"),
    "endswith": lambda v, p, _: _affix(v, p, "endswith"),
    "split": _split,
    "join": join,
    "ltrimstr": lambda v, p, _: _trim(v, p, left=True),
    "rtrimstr": lambda v, p, _: _trim(v, p, left=False),
    "flatten": flatten,
    "index": _index_of,
    "test": lambda v, p, m: test(v, p, None, m),
    "error": lambda _v, e, _m: raise_error(e),
}
"""One value and each value of the argument."""

__all__ = ["BY_VALUE", "FILTERS", "SIMPLE", "Wrapped", "add", "extreme", "slice_of", "test"]
