"""The tree of a contract with all that was asked of it remembered: fuzzing walks the same places thousands of times."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.contract import Contract, Facts, Field

_UNASKED: Any = object()


class Node:
    """A field of a contract (``wmap.contract.Field``), each question asked once. ``plain``: nothing bounds its value but its type."""

    __slots__ = ("__dict__", "_named", "facts", "field", "path", "plain", "type")

    def __init__(self, field: Field) -> None:
        self.field = field
        self.path: str = field.path
        self.facts: Facts = field.facts
        self.type: str | None = field.type
        self._named: dict[str, Node | None] = {}
        f = field.facts
        bound = (f.minimum, f.maximum, f.multiple_of, f.min_length, f.max_length, f.pattern, f.enum or None)
        self.plain = all(b is None for b in bound) and self.type != "integer"

    @cached_property
    def ref(self) -> str | None:
        """The core type that it is."""
        return self.field.ref

    @cached_property
    def preserve(self) -> bool:
        """Whether it may hold fields that the contract does not name."""
        return self.field.preserve

    def named(self, key: str) -> Node | None:
        """The field of a name below."""
        found = self._named.get(key, _UNASKED)
        if found is _UNASKED:
            below = self.field.named(key)
            found = Node(below) if below is not None else None
            if found is not None or len(self._named) < 1_000:  # keys of maps have no end
                self._named[key] = found
        known: Node | None = found
        return known

    def child(self, key: str) -> Node | None:
        """What stands at a key: the named field, else the value of the map."""
        return self.named(key) or self.values

    @cached_property
    def items(self) -> Node | None:
        """The entry of an array."""
        below = self.field.items
        return Node(below) if below is not None else None

    @cached_property
    def values(self) -> Node | None:
        """The value of a map."""
        below = self.field.values
        return Node(below) if below is not None else None

    @cached_property
    def _children(self) -> tuple[tuple[str, Node], ...]:
        return tuple((k, n) for k, n in ((key, self.named(key)) for key, _ in self.field.children()) if n is not None)

    def children(self) -> Iterator[tuple[str, Node]]:
        """The named fields below, by name."""
        return iter(self._children)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The names that must be there: those that have a default get it."""
        return tuple(k for k, n in self._children if n.facts.required and not n.facts.has_default)

    @cached_property
    def defaults(self) -> tuple[tuple[str, Any, bool], ...]:
        """The names that have a default, with it, and whether null may stand there."""
        return tuple((k, n.facts.default, n.facts.nullable) for k, n in self._children if n.facts.has_default)

    @cached_property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the greatest number that it may hold, its format looked at."""
        facts = self.facts
        low, high = facts.minimum, facts.maximum
        if self.type == "integer" and facts.format in ("int32", "int64", None):
            edge = 2**31 if facts.format == "int32" else 2**63
            low = -edge if low is None else low
            high = edge - 1 if high is None else high
        return low, high

    def find(self, path: str) -> Node | None:
        """The field at a path below, None where there is none."""
        from wmap.contract import steps_of  # noqa: PLC0415  # the walk of a path is rare

        here: Node | None = self
        for kind, key in steps_of(path):
            if here is None:
                return None
            here = here.items if kind == "[]" else here.values if kind == "{}" else here.child(key)
        return here


def tree_of(contract: Contract) -> Node:
    """The tree of a contract."""
    return Node(contract.root)
