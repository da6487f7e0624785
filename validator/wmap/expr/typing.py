"""What typing an expression over a tree of declared fields yields, in any language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wmap.expr.protocol import Part
from wmap.expr.static import Shape, join


@dataclass(frozen=True, slots=True)
class Raises:
    """A piece that may raise: the message as it would be worded, and the field that is at fault (``""``: none known).

    ``always``: it raises on every value that can come there.
    """

    part: Part
    message: str
    path: str
    always: bool


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A key that the tree does not name: where, below which path, and the names that there are."""

    part: Part
    parent: str
    key: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnknownPlace:
    """A piece that reads what the tree does not declare: below a field that keeps unknown fields, or of no type."""

    part: Part
    path: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A literal that is compared with fields (``how``: ``==``, ``test``, ...)."""

    literal: Any
    part: Part
    paths: tuple[str, ...]
    how: str


@dataclass(frozen=True, slots=True)
class Unordered:
    """A comparison that does not weigh what it seems to: of values of two kinds, or of what may be null."""

    part: Part
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Defaulted:
    """A literal that is given for a field that is absent."""

    path: str
    literal: Any
    part: Part


@dataclass(frozen=True, slots=True)
class Link:
    """One factor of the number of results: a collection that is iterated, or a filter that drops entries.

    ``key`` identifies it (None: it cannot be told); equal keys give equal counts on every document. ``certain``: some document
    of the tree makes it differ from one.
    """

    each: bool
    key: str | None
    part: Part
    reason: str = ""
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """What one position of the stream gives: its shape, and how often (no links: exactly once)."""

    shape: Shape
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Typing:
    """What is known of an expression over a tree.

    ``reads`` are the declared paths that are touched; what lies below those in ``whole`` matters too. ``null_by_absence`` are the paths
    that are null only where the API server has not yet given its default.
    """

    positions: tuple[Position, ...]
    raises: tuple[Raises, ...]
    unknown_fields: tuple[UnknownField, ...]
    unknown_places: tuple[UnknownPlace, ...]
    compared: tuple[Compared, ...]
    unordered: tuple[Unordered, ...]
    defaults: tuple[Defaulted, ...]
    reads: tuple[str, ...]
    whole: tuple[str, ...]
    null_by_absence: tuple[str, ...]
    not_assignable: tuple[Part, str] | None

    @property
    def shape(self) -> Shape:
        """All results together."""
        return join(p.shape for p in self.positions)

    @property
    def may_be_null(self) -> bool:
        """Whether a result may be null."""
        return self.shape.null

    @property
    def may_be_none(self) -> bool:
        """Whether there may be no result at all."""
        return all(p.links for p in self.positions)

    @property
    def may_raise(self) -> bool:
        """Whether it may raise on a document of the tree."""
        return bool(self.raises)

    @property
    def single(self) -> bool:
        """Whether there is exactly one result wherever it does not raise."""
        return len(self.positions) == 1 and not self.positions[0].links

    @property
    def iterates(self) -> tuple[Link, ...]:
        """The collections and filters that make the number of results, in order."""
        return tuple(dict.fromkeys(link for p in self.positions for link in p.links))
