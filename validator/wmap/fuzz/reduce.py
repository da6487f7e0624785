"""Make an object smaller that shows something, as long as it still shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.expr import get_at, set_at
from wmap.fuzz.walk import without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wmap.expr import Path

TRIES = 3_000
"""How many smaller objects are tried: a count, not a time, so that every machine ends with the same object."""
KEPT: tuple[Path, ...] = (("apiVersion",), ("kind",))


def reduced(obj: Any, shows: Callable[[Any], bool], tries: int = TRIES) -> Any:
    """A smaller object for which ``shows`` holds too: parts are taken out, larger ones first, then values made simple."""
    left = [tries]

    def holds(candidate: Any) -> bool:
        left[0] -= 1
        return left[0] >= 0 and shows(candidate)

    smaller = True
    while smaller and left[0] > 0:
        smaller = False
        for step in (_without_parts, _simpler):
            found = step(obj, holds)
            if found is not None:
                obj, smaller = found, True
    return obj


def _without_parts(obj: Any, holds: Callable[[Any], bool]) -> Any:
    """The object with all parts taken out that are not needed, or None where each is."""
    shrunk = False
    waiting: list[Path] = [()]
    while waiting:
        place = waiting.pop(0)
        value = get_at(obj, place)
        if isinstance(value, list):
            obj, cut = _shorter(obj, place, holds)
            shrunk = shrunk or cut
            value = get_at(obj, place)
            waiting += [(*place, i) for i in range(len(value))]
        elif isinstance(value, dict):
            for key in value:
                below = (*place, key)
                candidate = without(obj, below) if below not in KEPT else None
                if candidate is not None and holds(candidate):
                    obj, shrunk = candidate, True
                else:
                    waiting.append(below)
    return obj if shrunk else None


def _shorter(obj: Any, place: Path, holds: Callable[[Any], bool]) -> tuple[Any, bool]:
    """Take runs of entries out of an array: half of it first, then shorter ones."""
    cut = False
    size = max(1, len(get_at(obj, place)) // 2)
    while size >= 1:
        start = 0
        while start < len(get_at(obj, place)):
            entries = get_at(obj, place)
            candidate = _at(obj, place, entries[:start] + entries[start + size :])
            if holds(candidate):
                obj, cut = candidate, True
            else:
                start += size
        size //= 2
    return obj, cut


def _simpler(obj: Any, holds: Callable[[Any], bool]) -> Any:
    """The object with simpler values, or None where none can be simpler."""
    shrunk = False
    for place, value in list(_scalars(obj, ())):
        if place in KEPT:
            continue
        for simple in _simple(value):
            candidate = _at(obj, place, simple)
            if holds(candidate):
                obj, shrunk = candidate, True
                break
    return obj if shrunk else None


def _simple(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from (n for n in (1, 0, 2, 3) if abs(n - 1) < abs(value - 1))
    elif isinstance(value, str):
        yield from (t for t in ("a", "b") if len(t) < len(value) or t < value)
        if len(value) > 1 and not value.isascii():
            yield "".join(c for c in value if c.isascii())


def _scalars(value: Any, at: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _scalars(below, (*at, key))
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from _scalars(below, (*at, i))
    else:
        yield at, value


def _at(obj: Any, place: Path, value: Any) -> Any:
    return set_at(obj, place, value) if place else value
