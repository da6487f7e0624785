"""Mutations of objects that people wrote: drop, null, empty, duplicate, reorder, extend, rename; up to five in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr import get_at, set_at
from wmap.fuzz import pieces
from wmap.fuzz.walk import without

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from wmap.expr import Path

LONGEST = 5
"""Mutations of one object."""
_FIXED = frozenset({("apiVersion",), ("kind",), ("metadata",), ("metadata", "name")})
_STOP = 0.2
"""How likely a mutation is at a place, and not below it."""
_NUMBERS = (0, 1, 2, 3, 100, 2**31 - 1)


def mutated(samples: Sequence[Any], choices: random.Random) -> Any:
    """One of the samples, changed; the sample itself stays as it is."""
    obj = choices.choice(samples)
    for _ in range(choices.randint(1, LONGEST)):
        obj = mutate(obj, choices)
    return obj


def mutate(obj: Any, choices: random.Random) -> Any:
    """The object with one mutation, at a place that is chosen anew; the object itself stays as it is."""
    place = _place(obj, choices)
    if not place or place in _FIXED:
        return obj
    value = get_at(obj, place)
    return choices.choice(_MUTATIONS)(obj, place, value, choices)


def _drop(obj: Any, place: Path, _: Any, __: random.Random) -> Any:
    return without(obj, place)


def _null(obj: Any, place: Path, _: Any, __: random.Random) -> Any:
    return set_at(obj, place, None)


def _empty(obj: Any, place: Path, value: Any, _: random.Random) -> Any:
    nothing: Any = None
    if isinstance(value, bool):
        nothing = False
    elif isinstance(value, dict | list | str | int | float):
        nothing = type(value)()
    return set_at(obj, place, nothing)


def _duplicate(obj: Any, place: Path, value: Any, choices: random.Random) -> Any:
    """An entry of an array twice; an entry of a map under another key."""
    around = get_at(obj, place[:-1])
    if isinstance(around, list):
        at = choices.randint(0, len(around))
        return _set(obj, place[:-1], [*around[:at], value, *around[at:]])
    return _set(obj, place[:-1], {**around, choices.choice(pieces.MAP_KEYS): value})


def _reorder(obj: Any, place: Path, value: Any, choices: random.Random) -> Any:
    if isinstance(value, list) and value:
        turned = list(value)
        choices.shuffle(turned)
        return set_at(obj, place, turned)
    if isinstance(value, dict):
        return set_at(obj, place, dict(reversed(value.items())))
    return obj


def _extend(obj: Any, place: Path, value: Any, choices: random.Random) -> Any:
    """More of it: another entry with another name, an unknown field, a larger number, a longer text."""
    if isinstance(value, list):
        last = value[-1] if value else {}
        if isinstance(last, dict) and "name" in last:
            last = {**last, "name": choices.choice(pieces.TEXTS)}
        return set_at(obj, place, [*value, last])
    if isinstance(value, dict):
        return set_at(obj, place, {**value, pieces.UNKNOWN_FIELD: choices.choice(pieces.ANYTHING)})
    if isinstance(value, bool):
        return set_at(obj, place, not value)
    if isinstance(value, int | float):
        return set_at(obj, place, choices.choice(_NUMBERS))
    return set_at(obj, place, choices.choice(pieces.TEXTS)) if isinstance(value, str) else obj


def _rename(obj: Any, place: Path, value: Any, choices: random.Random) -> Any:
    """A key that is another one; the name of an entry that is another one."""
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        return set_at(obj, (*place, "name"), choices.choice(pieces.TEXTS))
    key = place[-1]
    if not isinstance(key, str):
        return obj
    around = get_at(obj, place[:-1])
    other = choices.choice((f"{key}x", key.upper(), choices.choice(pieces.MAP_KEYS)))
    return _set(obj, place[:-1], {(other if k == key else k): v for k, v in around.items()})


def _set(obj: Any, place: Path, value: Any) -> Any:
    return set_at(obj, place, value) if place else value


_MUTATIONS: tuple[Callable[[Any, Path, Any, random.Random], Any], ...] = (
    _drop,
    _drop,
    _null,
    _empty,
    _duplicate,
    _reorder,
    _extend,
    _extend,
    _rename,
)


def _place(obj: Any, choices: random.Random) -> Path:
    """A place of the object, found by going down: places of small parts are as likely as those of large ones."""
    place: Path = ()
    value = obj
    while isinstance(value, dict | list) and value:
        key = choices.choice(list(value)) if isinstance(value, dict) else choices.randrange(len(value))
        place, value = (*place, key), value[key]
        if place not in _FIXED and choices.random() < _STOP:
            break
    return place
