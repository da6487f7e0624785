"""Places of an object: those of a path of a contract, and what a change of one changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.contract import steps_of
from wmap.reading.patch import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.expr import Path


def places_of(obj: Any, path: str) -> Iterator[Path]:
    """The places of an object that a path of a contract (``.spec.jobs[].replicas``) stands for, where there is something."""
    found: list[tuple[Path, Any]] = [((), obj)]
    for kind, key in steps_of(path):
        below: list[tuple[Path, Any]] = []
        for place, value in found:
            if kind == "[]" and isinstance(value, list):
                below += [((*place, i), v) for i, v in enumerate(value)]
            elif kind == "{}" and isinstance(value, dict):
                below += [((*place, k), v) for k, v in value.items()]
            elif kind == "." and isinstance(value, dict) and key in value:
                below.append(((*place, key), value[key]))
        found = below
    return (place for place, _ in found)


def without(obj: Any, place: Path) -> Any:
    """The object without what stands at a place; the object itself stays as it is. The place is there, and not the root."""
    step, rest = place[0], place[1:]
    copied: Any = list(obj) if isinstance(obj, list) else dict(obj)
    if rest:
        copied[step] = without(copied[step], rest)
    else:
        del copied[step]
    return copied


def changed(before: Any, after: Any, at: Path = ()) -> Iterator[Path]:
    """The highest places at which two documents differ: what is there in one only, or is another value."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in (*before, *(k for k in after if k not in before)):
            if key in before and key in after:
                yield from changed(before[key], after[key], (*at, key))
            else:
                yield (*at, key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changed(old, new, (*at, i))
    elif not same(before, after):
        yield at
