"""What the typing of an expression carries along: abstract values, segments of a stream, refinements, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from wmap.expr import static
from wmap.expr.protocol import Part
from wmap.expr.static import (
    ANY,
    NULL,
    Place,
    Shape,
    join,
    shape_of,
)
from wmap.expr.typing import (
    Compared,
    Defaulted,
    Link,
    Raises,
    UnknownField,
    UnknownPlace,
    Unordered,
)

Origin = tuple[Any, ...]
"""Where a value was read: equal origins in one evaluation are one value. Ints number the elements of a loop."""

Narrow = dict[Origin, int]
"""What is known of an origin: the kinds that its value may have (``TRUTHY`` added: and it is not false)."""

TRUTHY = 64
MOST = 16
STEPS = 4000

PRESENT = frozenset({".apiVersion", ".kind", ".metadata", ".metadata.name"})
"""What every object of a cluster has, whether its schema says so or not."""


@dataclass(frozen=True, slots=True)
class Val:
    """A value: its shape, where it was read, and for a made array the stream that it collects."""

    shape: Shape
    origin: Origin | None = None
    inner: tuple[Segment, ...] | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """One position of a stream, and what is known where it is reached."""

    val: Val
    links: tuple[Link, ...] = ()
    narrow: Narrow | None = None


Stream = tuple[Segment, ...]


def spelled(origin: Origin | None) -> str | None:
    """An origin without the numbers of its loops, which is the same in two expressions; None for a variable's."""
    if origin is None:
        return None
    out = []
    for step in origin:
        if isinstance(step, tuple):
            if step[0] == "$":
                return None
            out.append("[]" if step[0] == "[]" else f"[{step[1]}]")
        else:
            out.append("." + step)
    return "".join(out)


def merged(a: Narrow | None, b: Narrow | None) -> Narrow | None:
    """What is known of both."""
    if not a or not b:
        return a or b
    out = dict(a)
    for origin, kinds in b.items():
        out[origin] = out[origin] & kinds & 63 | (out[origin] | kinds) & TRUTHY if origin in out else kinds
    return out


def joined(values: Iterable[Val]) -> Val:
    """One value for several."""
    found = list(values)
    return found[0] if len(found) == 1 else Val(join(v.shape for v in found))


def counted(stream: Stream, part: Part) -> tuple[Link, ...]:
    """The links of what is computed for each result of a stream that is then taken together."""
    if len(stream) == 1:
        return stream[0].links
    return (Link(True, None, part, "several results"),)


@dataclass
class State:
    """What was found so far, the variables' refinements, and the budget of the analysis."""

    defaulted: bool
    steps: int = 0
    loops: int = 0
    narrow: Narrow = field(default_factory=dict)
    raises: dict[tuple[Part, str], Raises] = field(default_factory=dict)
    unknown_fields: dict[UnknownField, None] = field(default_factory=dict)
    unknown_places: dict[UnknownPlace, None] = field(default_factory=dict)
    compared: dict[tuple[Any, ...], Compared] = field(default_factory=dict)
    unordered: dict[Part, Unordered] = field(default_factory=dict)
    defaults: dict[tuple[str, Part], Defaulted] = field(default_factory=dict)
    reads: dict[str, None] = field(default_factory=dict)
    whole: dict[str, None] = field(default_factory=dict)
    absence: dict[str, None] = field(default_factory=dict)

    def loop(self) -> int:
        """A number for a loop or a variable."""
        self.loops += 1
        return self.loops

    def raise_(self, part: Part, message: str, shape: Shape, *, always: bool = False) -> None:
        """Note that a piece may raise."""
        path = shape.places[0].path if shape.places else ""
        self.raises.setdefault((part, message), Raises(part, message, path, always))

    def bad(self, part: Part, shape: Shape, allowed: int, message: str) -> Shape:
        """Note that what is not of the allowed kinds raises; what is left. ``{}`` of the message is the kind."""
        wrong = shape.kinds & ~allowed
        if wrong:
            always = not shape.kinds & allowed
            for kind, name in static.NAMES.items():
                if wrong & kind:
                    self.raise_(part, message.format(name), shape, always=always)
            return shape.only(allowed)
        return shape

    @contextmanager
    def caught(self) -> Iterator[list[Raises]]:
        """What raises inside is caught: the list holds it afterwards."""
        before, self.raises = self.raises, {}
        found: list[Raises] = []
        try:
            yield found
        finally:
            found.extend(self.raises.values())
            self.raises = before

    @contextmanager
    def knowing(self, narrow: Narrow | None) -> Iterator[None]:
        """More is known inside."""
        if not narrow:
            yield
            return
        before = self.narrow
        self.narrow = merged(before, narrow) or {}
        try:
            yield
        finally:
            self.narrow = before

    def refined(self, val: Val) -> Val:
        """The value with what is known of its origin."""
        if val.origin is None or val.origin not in self.narrow:
            return val
        known = self.narrow[val.origin]
        shape = val.shape.only(known & 63)
        if known & TRUTHY:
            shape = shape.without_false()
        return val if shape is val.shape else Val(shape, val.origin, val.inner)

    def use(self, shape: Shape) -> None:
        """All of a value matters, not only what is read of it further on."""
        for place in shape.places:
            self.whole[place.path] = None
        for made in shape.made:
            if isinstance(made, static.ArrayOf):
                if made.element is not None:
                    self.use(made.element)
            else:
                for _, entry in made.entries:
                    self.use(entry)
                if made.rest is not None:
                    self.use(made.rest)

    def place(self, place: Place, *, absent: bool) -> Shape:
        """The shape of a declared place that was read."""
        self.reads[place.path] = None
        if absent and place.path not in PRESENT and place.facts.has_default:
            self.absence[place.path] = None
        return shape_of(place, absent=absent)

    def field(self, shape: Shape, key: str, part: Part) -> Shape:
        """What stands at a key of objects and null of this shape (other kinds are taken off before)."""
        found: list[Shape] = []
        if shape.kinds & NULL:
            found.append(static.ONLY_NULL)
        if not shape.kinds & static.OBJECT:
            return join(found)
        found.extend(self._child(place, key, part) for place in shape.places if place.type in ("object", None))
        for made in shape.made:
            if isinstance(made, static.ObjectOf):
                entry = dict(made.entries).get(key, made.rest)
                known = any(k == key for k, _ in made.entries)
                if entry is not None:
                    found.append(entry)
                if not known or made.partial:
                    found.append(static.ONLY_NULL)
        if shape.unknown and self._anything(shape):
            found.append(ANY)
        return join(found)

    @staticmethod
    def _anything(shape: Shape) -> bool:
        """Whether an unknown shape stands for more than one declared object."""
        return len(shape.places) != 1 or bool(shape.made) or shape.places[0].type != "object"

    def _child(self, place: Place, key: str, part: Part) -> Shape:
        child = place.named(key)
        if child is not None:
            facts = child.facts
            absent = not facts.required or (facts.has_default and not self.defaulted)
            if self.defaulted and facts.has_default:
                absent = False
            if child.path in PRESENT:
                absent = False
            elif child.path == ".status":
                absent = True
            return self.place(child, absent=absent)
        values = place.values
        if values is not None:
            return self.place(values, absent=True)
        path = place.path
        if path == "" and key in ("apiVersion", "kind"):
            return static.SOME_STRING
        if path == ".metadata" and not any(True for _ in place.children()):
            return _METADATA.get(key, ANY)
        if place.preserve or place.facts.embedded or place.type is None:
            self.unknown_places[UnknownPlace(part, path)] = None
            self.whole[path] = None
            return ANY
        names = tuple(name for name, _ in place.children())
        self.unknown_fields[UnknownField(part, path, key, names)] = None
        return static.ONLY_NULL

    def elements(self, shape: Shape, part: Part) -> Shape:
        """What the elements of arrays and the values of objects of this shape may be."""
        found: list[Shape] = []
        for place in shape.places:
            if shape.kinds & static.ARRAY and place.type in ("array", None):
                items = place.items
                found.append(ANY if items is None else self.place(items, absent=False))
            if shape.kinds & static.OBJECT and place.type in ("object", None):
                found.extend(self.place(child, absent=False) for _, child in place.children())
                if place.values is not None:
                    found.append(self.place(place.values, absent=False))
                if place.preserve or place.facts.embedded or place.type is None or place.path == ".metadata":
                    self.unknown_places[UnknownPlace(part, place.path)] = None
                    self.whole[place.path] = None
                    found.append(ANY)
        for made in shape.made:
            if isinstance(made, static.ArrayOf):
                if made.element is not None:
                    found.append(made.element)
            else:
                found.extend(entry for _, entry in made.entries)
                if made.rest is not None:
                    found.append(made.rest)
        if shape.unknown:
            found.append(ANY)
        return join(found)


_TEXTS = Shape(static.OBJECT | NULL, made=(static.ObjectOf((), static.SOME_STRING),))
_METADATA = {
    "name": static.SOME_STRING, "namespace": Shape(static.STRING | NULL), "uid": Shape(static.STRING | NULL),
    "labels": _TEXTS, "annotations": _TEXTS, "generation": Shape(static.NUMBER | NULL, integer=True),
}  # fmt: skip
"""The metadata of an object whose schema does not spell it out."""
