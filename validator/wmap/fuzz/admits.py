"""Whether a contract admits an object: types, bounds, enumerations, required fields, keys of list maps.

Not looked at: rules in CEL (``x-kubernetes-validations``), and fields that the contract does not name, which an API server
prunes. Null stands for an absent field wherever that may be absent, as the API server reads it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.fuzz.tree import Node


def refusal(field: Node, value: Any) -> str | None:
    """Why the object is not one that the contract admits: the first thing in it, with its path; None where it is."""
    return next(refusals(field, value), None)


def refusals(field: Node, value: Any, at: str = "") -> Iterator[str]:
    """All that keeps a value from standing at a field."""
    facts = field.facts
    where = at or "the object"
    if value is None:
        if not facts.nullable and (facts.required or at.endswith("]")):
            yield f"{where} is null"
        return
    kind = field.type
    if kind is not None and not _is(kind, value):
        yield f"{where} is {_called(value)}, not {kind}"
        return
    if field.plain and not isinstance(value, list | dict):
        return
    if facts.enum and value not in facts.enum:
        yield f"{where} is none of {', '.join(map(str, facts.enum[:6]))}"
    if isinstance(value, str):
        yield from _text(field, value, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(field, value, where)
    elif isinstance(value, list):
        yield from _array(field, value, at, where)
    elif isinstance(value, dict):
        yield from _object(field, value, at, where)


def _text(field: Node, value: str, where: str) -> Iterator[str]:
    facts = field.facts
    if facts.min_length is not None and len(value) < facts.min_length:
        yield f"{where} is shorter than {facts.min_length}"
    if facts.max_length is not None and len(value) > facts.max_length:
        yield f"{where} is longer than {facts.max_length}"
    if facts.pattern is not None and not matches(facts.pattern, value):
        yield f"{where} does not match {facts.pattern}"


def _number(field: Node, value: float, where: str) -> Iterator[str]:
    facts = field.facts
    low, high = field.bounds
    if low is not None and (value < low or (facts.exclusive_minimum and value == low)):
        yield f"{where} is less than {low}"
    if high is not None and (value > high or (facts.exclusive_maximum and value == high)):
        yield f"{where} is more than {high}"
    if facts.multiple_of and value % facts.multiple_of:
        yield f"{where} is no multiple of {facts.multiple_of}"


def _array(field: Node, value: list[Any], at: str, where: str) -> Iterator[str]:
    facts = field.facts
    if facts.min_items is not None and len(value) < facts.min_items:
        yield f"{where} has fewer than {facts.min_items} entries"
    if facts.max_items is not None and len(value) > facts.max_items:
        yield f"{where} has more than {facts.max_items} entries"
    if facts.list_keys:
        keys = [tuple(repr(v.get(k)) for k in facts.list_keys) for v in value if isinstance(v, dict)]
        if len(set(keys)) < len(keys):
            yield f"two entries of {where} have the same {', '.join(facts.list_keys)}"
    if (facts.list_type == "set" or facts.unique_items) and len({repr(v) for v in value}) < len(value):
        yield f"two entries of {where} are equal"
    items = field.items
    if items is not None:
        for i, entry in enumerate(value):
            yield from refusals(items, entry, f"{at}[{i}]")


def _object(field: Node, value: dict[str, Any], at: str, where: str) -> Iterator[str]:
    facts = field.facts
    if facts.min_properties is not None and len(value) < facts.min_properties:
        yield f"{where} has fewer than {facts.min_properties} keys"
    if facts.max_properties is not None and len(value) > facts.max_properties:
        yield f"{where} has more than {facts.max_properties} keys"
    for name, what, most in ((facts.one_of, "one", 1), (facts.any_of, "any", len(facts.any_of))):
        held = sum(all(value.get(k) is not None for k in keys) for keys in name)
        if name and not 1 <= held <= most:
            yield f"{where} has not {what} of {' / '.join(','.join(keys) for keys in name)}"
    values = field.values
    for key, entry in value.items():
        named = field.named(key)
        if named is not None:
            yield from refusals(named, entry, f"{at}.{key}")
        elif values is not None:
            yield from refusals(values, entry, f"{at}.{key}")
    for key in field.required:
        if key not in value:
            yield f"{at}.{key} is required"


def defaulted(field: Node, value: Any) -> Any:
    """The value with the defaults that the API server gives to fields that are absent; the value itself stays as it is."""
    if isinstance(value, list):
        items = field.items
        return value if items is None else [defaulted(items, entry) for entry in value]
    if not isinstance(value, dict):
        return value
    values = field.values
    made = dict(value)
    for key, default, nullable in field.defaults:
        if key not in made or (made[key] is None and not nullable):
            made[key] = default
    for key, entry in made.items():
        below = field.named(key) or values
        if below is not None and isinstance(entry, dict | list):
            made[key] = defaulted(below, entry)
    return made


@lru_cache(maxsize=4096)
def matches(pattern: str, value: str) -> bool:
    """Whether a text matches a pattern of a contract; True where the pattern is none that Python reads."""
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True


def _is(kind: str, value: Any) -> bool:
    if kind == "int-or-string":
        return isinstance(value, str) or _whole(value)
    if kind == "integer":
        return _whole(value)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    wanted = {"string": str, "boolean": bool, "array": list, "object": dict}[kind]
    return isinstance(value, wanted)


def _whole(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _called(value: Any) -> str:
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return names[type(value)]
