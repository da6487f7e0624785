"""What jq's operators do to values: order, arithmetic, indexing, JSON text. Maps are read in key order.

Numbers are IEEE doubles as in jq; whole ones of up to 2^53 are kept as Python's int, so that a count stays a count.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wmap.expr.protocol import SIZE, STEPS, Budget, BudgetExceeded, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterable

EXACT = 2**53
_LARGEST = 1.7976931348623157e308
_NAMES = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_RANK = {"null": 0, "boolean": 1, "number": 3, "string": 4, "array": 5, "object": 6}


class Meter:
    """What is left of the budget of one evaluation. Made for each: the default budget costs nothing to set."""

    steps: int = STEPS
    size: int = SIZE

    @classmethod
    def of(cls, budget: Budget | None) -> Meter:
        """The meter of a budget, None for the default."""
        meter = cls()
        if budget is not None:
            meter.steps, meter.size = budget.steps, budget.size
        return meter

    def spend(self, steps: int) -> None:
        """Take steps off the budget.

        Raises:
            BudgetExceeded: there are not so many left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceeded("the expression takes more steps than its budget allows")

    def grow(self, size: int) -> None:
        """Take characters of a new text off the budget."""
        self.size -= size
        if self.size < 0:
            raise BudgetExceeded("the expression makes a larger result than its budget allows")


def type_name(value: Any) -> str:
    """``type``: null, boolean, number, string, array or object."""
    return _NAMES[type(value)]


def truthy(value: Any) -> bool:
    """Anything but null and false."""
    return value is not None and value is not False


def shown(value: Any) -> str:
    """A value in an error message: its type, and its JSON text cut to 11 bytes, as jq does."""
    if value is None:
        return "null (null)"
    try:
        text = to_json(value, Meter.of(Budget(steps=800, size=4_000)))
    except BudgetExceeded:
        text = "..."
    return f"{type_name(value)} ({text if len(text) <= 11 else text[:10] + '...'})"


def number(value: float) -> int | float:
    """Bring a result into the canonical form: whole numbers up to 2^53 as int, never an infinity."""
    if type(value) is int:
        return value if -EXACT <= value <= EXACT else number(_to_float(value))
    if value != value:  # noqa: PLR0124  # NaN
        return value
    if -EXACT <= value <= EXACT:
        return int(value) if value.is_integer() else value
    return max(-_LARGEST, min(_LARGEST, value))


def _to_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(_LARGEST, value)


def order_key(value: Any, meter: Meter) -> tuple[Any, ...]:
    """A key by which Python orders values as jq does: null, false, true, numbers, strings, arrays, objects."""
    meter.spend(15)
    kind = type(value)
    if kind is str:
        meter.grow(len(value))
        return (4, value)
    if kind is int or kind is float:
        return (3, value)
    if value is None:
        return (0,)
    if kind is bool:
        return (2 if value else 1,)
    if kind is list:
        return (5, [order_key(v, meter) for v in value])
    keys = sorted(value)
    return (6, keys, [order_key(value[k], meter) for k in keys])


def equal(left: Any, right: Any, meter: Meter) -> bool:
    """``==``: true is not 1, maps are equal whatever their order."""
    kind = type(left)
    if kind is str or left is None or kind is bool:
        return type(right) is kind and bool(left == right)
    if kind is int or kind is float:
        return (type(right) is int or type(right) is float) and bool(left == right)
    if kind is not type(right) or len(left) != len(right):
        return False
    meter.spend(10 + 4 * len(left))
    if kind is list:
        return all(equal(a, b, meter) for a, b in zip(left, right, strict=True))
    return all(k in right and equal(v, right[k], meter) for k, v in left.items())


def compare(op: str, left: Any, right: Any, meter: Meter) -> bool:
    """``< <= > >=`` in jq's order of all types."""
    a, b = order_key(left, meter), order_key(right, meter)
    if op == "<":
        return a < b
    if op == "<=":
        return a <= b
    return a > b if op == ">" else a >= b


def arithmetic(op: str, left: Any, right: Any, meter: Meter) -> Any:
    """``+ - * / %`` for all types that they take.

    Raises:
        EvaluationError: as jq words it.
    """
    lk, rk = type(left), type(right)
    numbers = (lk is int or lk is float) and (rk is int or rk is float)
    if op == "+":
        if numbers:
            return number(left + right)
        if left is None:
            return right
        if right is None:
            return left
        if lk is rk and lk in (str, list, dict):
            meter.spend(1 + (0 if lk is str else len(left) + len(right)))
            if lk is str:
                meter.grow(len(left) + len(right))
            return {**left, **right} if lk is dict else left + right
        raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be added")
    if op == "-":
        if numbers:
            return number(left - right)
        if lk is list and rk is list:
            meter.spend(1 + len(left) * max(1, len(right)))
            return [v for v in left if not any(equal(v, r, meter) for r in right)]
        raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be subtracted")
    if op == "*":
        return _multiply(left, right, numbers, meter)
    if op == "/":
        if numbers:
            if right == 0:
                raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be divided because the divisor is zero")
            if lk is int and rk is int and left % right == 0:
                return left // right
            return number(left / right)
        if lk is str and rk is str:
            return split(left, right, meter)
        raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be divided")
    if numbers:
        a, b = _whole(left), abs(_whole(right))
        if b == 0:
            raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be divided because the divisor is zero")
        return number(a % b if a >= 0 else -(-a % b))
    raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be divided")


def _whole(value: float) -> int:
    if value != value:  # noqa: PLR0124  # NaN
        return 0
    return max(-(2**63), min(2**63 - 1, int(value)))


def _multiply(left: Any, right: Any, numbers: bool, meter: Meter) -> Any:
    if numbers:
        return number(left * right)
    lk, rk = type(left), type(right)
    if lk is dict and rk is dict:
        return _merge(left, right, meter)
    if rk is str and (lk is int or lk is float):
        left, right, lk, rk = right, left, rk, lk
    if lk is str and (rk is int or rk is float):
        if right < 0:
            return None
        times = math.floor(right) if right == 0 or right >= 1 else 1
        meter.grow(len(left) * times)
        return left * times
    raise EvaluationError(f"{shown(left)} and {shown(right)} cannot be multiplied")


def _merge(left: dict[str, Any], right: dict[str, Any], meter: Meter) -> dict[str, Any]:
    meter.spend(1 + len(left) + len(right))
    result = dict(left)
    for key, value in right.items():
        old = result.get(key)
        result[key] = _merge(old, value, meter) if type(old) is dict and type(value) is dict else value
    return result


def split(text: str, separator: str, meter: Meter) -> list[str]:
    """``split`` by a text; by the empty text: into characters; the empty text: no parts."""
    meter.grow(len(text))
    if not text:
        return []
    parts = list(text) if not separator else text.split(separator)
    meter.spend(len(parts))
    return parts


def index(value: Any, key: Any, meter: Meter) -> Any:
    """``value[key]``.

    Raises:
        EvaluationError: ``Cannot index number with "a"``.
    """
    kind = type(key)
    if kind is str:
        if type(value) is dict:
            return value.get(key)
        if value is None:
            return None
    elif kind is int or kind is float:
        if type(value) is list:
            if key != key:  # noqa: PLR0124  # NaN
                return None
            i = math.floor(key)
            return value[i] if -len(value) <= i < len(value) else None
        if value is None:
            return None
    elif kind is list and type(value) is list:
        return indices(value, key, meter)
    elif value is None and (kind is dict or key is None):
        if key is None:
            return None
        return slice_of(value, key.get("start"), key.get("end"))
    raise EvaluationError(_cannot_index(value, key))


def _cannot_index(value: Any, key: Any) -> str:
    if type(key) is str:
        return f'Cannot index {type_name(value)} with "{key}"'
    return f"Cannot index {type_name(value)} with {type_name(key)}"


def indices(value: list[Any], part: list[Any], meter: Meter) -> list[int]:
    """Where ``part`` occurs in ``value``."""
    if not part:
        return []
    meter.spend(1 + len(value) * len(part))
    size = len(part)
    return [
        i
        for i in range(len(value) - size + 1)
        if all(equal(a, b, meter) for a, b in zip(value[i : i + size], part, strict=True))
    ]


def slice_of(value: Any, low: Any, high: Any) -> Any:
    """``value[low:high]`` of an array, a string or null.

    Raises:
        EvaluationError: the value cannot be sliced, or a bound is no number.
    """
    if value is None:
        return None
    kind = type(value)
    if kind is not list and kind is not str:
        raise EvaluationError(f"Cannot index {type_name(value)} with object")
    for bound in (low, high):
        if bound is not None and type(bound) is not int and type(bound) is not float:
            raise EvaluationError("Start and end indices of an array slice must be numbers")
    size = len(value)
    begin = 0 if low is None else math.floor(low)
    end = size if high is None else math.ceil(high)
    begin = max(0, min(size, begin + size if begin < 0 else begin))
    end = max(begin, min(size, end + size if end < 0 else end))
    return value[begin:end]


def elements(value: Any, meter: Meter) -> Iterable[Any]:
    """``value[]``: the elements of an array, the values of a map in key order.

    Raises:
        EvaluationError: ``Cannot iterate over null``.
    """
    kind = type(value)
    if kind is list:
        meter.spend(len(value))
        return value  # type: ignore[no-any-return]  # a list
    if kind is dict:
        meter.spend(len(value))
        return [value[k] for k in sorted(value)] if len(value) > 1 else list(value.values())
    raise EvaluationError("Cannot iterate over null" if value is None else f"Cannot iterate over {shown(value)}")


def number_text(value: float) -> str:
    """A number as JSON text, in the shortest form that reads back: 17 digits before an exponent is used."""
    if type(value) is int:
        return str(value)
    if value != value:  # noqa: PLR0124  # NaN is null in JSON
        return "null"
    if value.is_integer() and abs(value) < 1e17:
        return str(int(value))
    text = repr(value)
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        sign, digits = exponent[0], exponent[1:].lstrip("0")
        if sign != "-":
            sign, digits = "+", exponent.lstrip("+0")
        return f"{mantissa.removesuffix('.0')}e{sign}{digits.zfill(2)}"
    return text


_ESCAPE = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x7f": "\\u007f"}
_ESCAPE.update({chr(c): f"\\u{c:04x}" for c in range(32) if chr(c) not in _ESCAPE})
_TABLE = str.maketrans(_ESCAPE)


def to_json(value: Any, meter: Meter) -> str:
    """``tojson``: JSON text without spaces, maps in key order."""
    meter.spend(10)
    kind = type(value)
    if kind is str:
        meter.grow(len(value))
        return f'"{value.translate(_TABLE)}"'
    if kind is int or kind is float:
        return number_text(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is list:
        return "[" + ",".join([to_json(v, meter) for v in value]) + "]"
    return "{" + ",".join([f"{to_json(k, meter)}:{to_json(value[k], meter)}" for k in sorted(value)]) + "}"


def to_string(value: Any, meter: Meter) -> str:
    """``tostring``: a string as it is, anything else as JSON text."""
    return value if type(value) is str else to_json(value, meter)


def contains(value: Any, part: Any, meter: Meter) -> bool:
    """``contains``.

    Raises:
        EvaluationError: the two are of different types.
    """
    meter.spend(8)
    if type_name(value) != type_name(part):
        raise EvaluationError(f"{shown(value)} and {shown(part)} cannot have their containment checked")
    if type(value) is dict:
        return all(k in value and contains_inner(value[k], part[k], meter) for k in part)
    if type(value) is list:
        meter.spend(len(value) * max(1, len(part)))
        return all(any(contains_inner(v, p, meter) for v in value) for p in part)
    if type(value) is str:
        return part in value
    return equal(value, part, meter)


def contains_inner(value: Any, part: Any, meter: Meter) -> bool:
    """Containment below the top: values of different types do not contain each other."""
    return type_name(value) == type_name(part) and contains(value, part, meter)
