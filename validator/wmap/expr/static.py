"""What can be said of an expression's results without a document: static types over a tree of declared fields.

A ``Shape`` stands for a set of JSON values. ``unknown`` is a value of its own: anything may stand there, because the tree
does not say. Nothing here is made of the syntax of one language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol

NULL: Final = 1
BOOLEAN: Final = 2
NUMBER: Final = 4
STRING: Final = 8
ARRAY: Final = 16
OBJECT: Final = 32
SCALARS: Final = BOOLEAN | NUMBER | STRING
ALL: Final = 63
NAMES: Final = {
    NULL: "null", BOOLEAN: "boolean", NUMBER: "number", STRING: "string", ARRAY: "array", OBJECT: "object",
}  # fmt: skip
KINDS: Final = {name: kind for kind, name in NAMES.items()}

_MOST = 12  # alternatives of a shape; more are unknown
_DEEPEST = 8  # levels of made arrays and objects; deeper ones are unknown


class PlaceFacts(Protocol):
    """What is declared of a place."""

    @property
    def required(self) -> bool: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def has_default(self) -> bool: ...
    @property
    def enum(self) -> tuple[Any, ...]: ...
    @property
    def embedded(self) -> bool: ...
    @property
    def min_items(self) -> int | None: ...
    @property
    def max_items(self) -> int | None: ...


class Place(Protocol):
    """A declared place of a document: a field of a contract."""

    @property
    def path(self) -> str: ...
    @property
    def facts(self) -> PlaceFacts: ...
    @property
    def type(self) -> str | None: ...
    @property
    def preserve(self) -> bool: ...
    def named(self, key: str) -> Place | None: ...
    @property
    def items(self) -> Place | None: ...
    @property
    def values(self) -> Place | None: ...
    def children(self) -> Iterator[tuple[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array that the expression makes: what its elements may be, None for an empty one."""

    element: Shape | None
    depth: int = 1


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """An object that the expression makes: its known keys, and what stands at other keys (None: there are none).

    A known key is always there, unless ``partial``.
    """

    entries: tuple[tuple[str, Shape], ...] = ()
    rest: Shape | None = None
    partial: bool = False
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Shape:
    """A set of JSON values.

    ``kinds`` are the kinds that they may have. ``literals``, where given, are all texts, numbers and booleans among them.
    ``sources`` say what arrays and objects hold: a declared place, or what the expression made. ``unknown``: the tree does not
    say (then arrays and objects hold anything). ``integer``: the numbers are whole.
    """

    kinds: int
    literals: tuple[Any, ...] | None = None
    places: tuple[Any, ...] = ()
    made: tuple[ArrayOf | ObjectOf, ...] = ()
    unknown: bool = False
    integer: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Shape) and _key(self) == _key(other))

    def __hash__(self) -> int:
        return hash((self.kinds, self.unknown, self.integer, len(self.places), len(self.made)))

    @property
    def types(self) -> tuple[str, ...]:
        """The kinds by name."""
        return tuple(name for kind, name in NAMES.items() if self.kinds & kind)

    @property
    def null(self) -> bool:
        """Whether null is among the values."""
        return bool(self.kinds & NULL)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the declared places that the values may stand at."""
        return tuple(p.path for p in self.places)

    def only(self, kinds: int) -> Shape:
        """The values of these kinds."""
        left = self.kinds & kinds
        if left == self.kinds:
            return self
        literals = self.literals
        if literals is not None:
            literals = tuple(v for v in literals if kind_of(v) & left)
        made = self.made
        if made:
            made = tuple(m for m in made if left & (ARRAY if isinstance(m, ArrayOf) else OBJECT))
        return Shape(left, literals, self.places, made, self.unknown, self.integer)

    def without_false(self) -> Shape:
        """The values that count as true."""
        shape = self.only(ALL & ~NULL)
        if shape.kinds & BOOLEAN and shape.literals is not None:
            literals = tuple(v for v in shape.literals if v is not False)
            kinds = shape.kinds if any(v is True for v in literals) else shape.kinds & ~BOOLEAN
            return replace(shape, literals=literals, kinds=kinds)
        return shape

    def admits(self, value: Any) -> bool:
        """Whether a value is in the set."""
        kind = kind_of(value)
        if not self.kinds & kind:
            return False
        if kind & SCALARS:
            if kind == NUMBER and self.integer and value != int(value):
                return False
            return self.literals is None or any(type(v) is type(value) and v == value for v in self.literals)
        if kind == NULL or self.unknown:
            return True
        if any(_place_admits(p, value) for p in self.places):
            return True
        return any(_made_admits(m, value) for m in self.made)


def _key(shape: Shape) -> tuple[Any, ...]:
    literals = None if shape.literals is None else tuple((type(v).__name__, v) for v in shape.literals)
    return (shape.kinds, shape.unknown, shape.integer, literals, shape.paths, shape.made)


def kind_of(value: Any) -> int:
    """The kind of a JSON value."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int | float):
        return NUMBER
    return STRING if isinstance(value, str) else ARRAY if isinstance(value, list) else OBJECT


def _place_admits(place: Place, value: Any) -> bool:
    if isinstance(value, list):
        items = place.items
        if place.type not in ("array", None):
            return False
        return items is None or all(shape_of(items).admits(v) for v in value)
    if place.type not in ("object", None):
        return False
    for key, inner in value.items():
        child = place.named(key) or place.values
        if child is None and not (place.preserve or place.facts.embedded or place.type is None):
            return False
        if child is not None and inner is not None and not shape_of(child).admits(inner):
            return False
    return True


def _made_admits(made: ArrayOf | ObjectOf, value: Any) -> bool:
    if isinstance(made, ArrayOf):
        return isinstance(value, list) and (
            not value if made.element is None else all(made.element.admits(v) for v in value)
        )
    if not isinstance(value, dict):
        return False
    known = dict(made.entries)
    if not made.partial and not known.keys() <= value.keys():
        return False
    for key, inner in value.items():
        shape = known.get(key, made.rest)
        if shape is None or not shape.admits(inner):
            return False
    return True


NOTHING: Final = Shape(0)
ONLY_NULL: Final = Shape(NULL)
ANY: Final = Shape(ALL, unknown=True)
SOME_BOOLEAN: Final = Shape(BOOLEAN)
SOME_NUMBER: Final = Shape(NUMBER)
SOME_INTEGER: Final = Shape(NUMBER, integer=True)
SOME_STRING: Final = Shape(STRING)

_TYPES = {
    "string": STRING, "integer": NUMBER, "number": NUMBER, "boolean": BOOLEAN, "array": ARRAY, "object": OBJECT,
    "int-or-string": NUMBER | STRING,
}  # fmt: skip


def shape_of(place: Place, *, absent: bool = False) -> Shape:
    """What may stand at a declared place; with ``absent``, also null."""
    kinds = _TYPES.get(place.type or "", ALL)
    facts = place.facts
    unknown = kinds == ALL
    if facts.nullable or absent:
        kinds |= NULL
    elif unknown and not facts.nullable:
        kinds = ALL
    literals = None
    if facts.enum and not unknown:
        literals = tuple(v for v in facts.enum if v is not None)
        if any(v is None for v in facts.enum):
            kinds |= NULL
    return Shape(kinds, literals, (place,), (), unknown, place.type in ("integer", "int-or-string"))


def constant(value: Any) -> Shape:
    """The one value."""
    kind = kind_of(value)
    if kind == NULL:
        return ONLY_NULL
    return Shape(kind, (value,), integer=kind == NUMBER and value == int(value))


def made_depth(shapes: Iterable[Shape | None]) -> int:
    """How deep what is made of these shapes is."""
    return 1 + max((m.depth for s in shapes if s is not None for m in s.made), default=0)


def array_of(element: Shape | None) -> Shape:
    """An array that is made, of such elements (None: without any)."""
    if element is not None and element.kinds == 0:
        element = None
    depth = made_depth((element,))
    if depth > _DEEPEST:
        return Shape(ARRAY, unknown=True)
    return Shape(ARRAY, made=(ArrayOf(element, depth),))


def object_of(entries: Iterable[tuple[str, Shape]], rest: Shape | None = None, *, partial: bool = False) -> Shape:
    """An object that is made."""
    pairs = tuple(entries)
    depth = made_depth([*(s for _, s in pairs), rest])
    if depth > _DEEPEST:
        return Shape(OBJECT, unknown=True)
    return Shape(OBJECT, made=(ObjectOf(pairs, rest, partial, depth),))


def join(shapes: Iterable[Shape]) -> Shape:
    """The least shape that holds all values of these."""
    result: Shape | None = None
    for shape in shapes:
        result = shape if result is None or result.kinds == 0 else _join(result, shape)
    return NOTHING if result is None else result


def _join(a: Shape, b: Shape) -> Shape:
    if a is b or b.kinds == 0:
        return a
    literals: tuple[Any, ...] | None
    if not a.kinds & SCALARS:
        literals = b.literals
    elif not b.kinds & SCALARS:
        literals = a.literals
    elif a.literals is None or b.literals is None:
        literals = None
    else:
        seen = {(type(v), v): v for v in (*a.literals, *b.literals)}
        literals = tuple(seen.values()) if len(seen) <= 4 * _MOST else None
    have = {p.path for p in a.places}
    places = (*a.places, *(p for p in b.places if p.path not in have)) if b.places else a.places
    made = (*a.made, *(m for m in b.made if m not in a.made)) if b.made else a.made
    unknown = a.unknown or b.unknown or len(places) + len(made) > _MOST
    integer = (a.integer or not a.kinds & NUMBER) and (b.integer or not b.kinds & NUMBER)
    return Shape(a.kinds | b.kinds, literals, places[:_MOST], made[:_MOST], unknown, integer)


class Remembered:
    """A place that looks each thing up once: for typing many expressions over one tree."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._named: dict[str, Place | None] = {}
        self.path = place.path
        self.facts = place.facts

    @cached_property
    def type(self) -> str | None:
        """The declared type."""
        return self._place.type

    @cached_property
    def preserve(self) -> bool:
        """Whether unknown fields are kept."""
        return self._place.preserve

    @cached_property
    def items(self) -> Place | None:
        """The item of an array."""
        found = self._place.items
        return None if found is None else Remembered(found)

    @cached_property
    def values(self) -> Place | None:
        """The value of a map."""
        found = self._place.values
        return None if found is None else Remembered(found)

    def named(self, key: str) -> Place | None:
        """The named field."""
        if key not in self._named:
            found = self._place.named(key)
            self._named[key] = None if found is None else Remembered(found)
        return self._named[key]

    def children(self) -> Iterator[tuple[str, Any]]:
        """The named fields, by name."""
        for name, _ in self._place.children():
            yield name, self.named(name)
