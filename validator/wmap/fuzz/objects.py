"""Objects that a contract admits, drawn by Hypothesis: biased towards what the definition reads, and towards trouble.

What is drawn is a row of small numbers; 0 is always the simplest choice, so that Hypothesis shrinks to the smallest object. A field
that the definition does not read is left out unless the contract requires it, or now and then.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.fuzz import pieces
from wmap.fuzz.admits import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.fuzz.target import Target
    from wmap.fuzz.tree import Node

    Roll = Callable[[int], int]
    """``roll(n)`` draws a number from 0 to n - 1."""

_DEEPEST = 14
"""Levels of an object that are drawn; required fields below would go on without end in a recursive schema."""


class _Child(NamedTuple):
    key: str
    path: str
    field: Node
    required: bool
    read: bool


class Grower:
    """Draws objects of one target. What is known of a place is worked out once."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.reads = target.reads
        self.children = cache(self._children)
        self.values = cache(self._values)
        self.items = cache(self._items)

    def draw(self, roll: Roll) -> dict[str, Any]:
        """One object."""
        kind = self.target.plan.kind
        root = self.target.root
        obj: dict[str, Any] = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": self._metadata(roll)}
        for child in self.children(root.path):
            if child.key in obj:
                continue
            if child.required or child.key == "spec" or (child.read and roll(4)):
                value = self.value(child.field, roll, 1)
                if refusal(child.field, value) is None or child.required:
                    obj[child.key] = value
        if not roll(24) and roll(2):
            obj[pieces.UNKNOWN_FIELD] = pieces.ANYTHING[roll(len(pieces.ANYTHING))]
        return obj

    def completed(self, obj: Any) -> Any:
        """The object with the simplest value for each field that is required and absent: fixtures leave out what nobody reads."""
        return self._completed(self.target.root, obj, 0)

    def _completed(self, field: Node | None, value: Any, depth: int) -> Any:
        if field is None or depth > _DEEPEST:
            return value
        if isinstance(value, list):
            return [self._completed(field.items, v, depth + 1) for v in value]
        if not isinstance(value, dict):
            return value
        made = {k: self._completed(field.child(k), v, depth + 1) for k, v in value.items()}
        for key in field.required:
            named = field.named(key)
            if key not in made and named is not None and named.type not in ("object", "array"):
                made[key] = self.value(named, lambda _: 0, depth + 1)
        return made

    def _metadata(self, roll: Roll) -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": pieces.NAMES[roll(len(pieces.NAMES)) if not roll(3) else 0]}
        metadata["namespace"] = "ns"
        metadata["uid"] = "11111111-1111-4111-8111-111111111111"
        for child in self.children(".metadata"):
            if child.read and child.key not in metadata and roll(3):
                metadata[child.key] = self.value(child.field, roll, 1)
        return metadata

    def value(self, field: Node, roll: Roll, depth: int) -> Any:
        """A value for a field."""
        path = field.path
        if path in self.target.condition_paths:
            return self._conditions(field, roll)
        kind = field.type
        if kind == "array":
            return self._array(field, roll, depth)
        pool = self.values(path)
        if kind == "object" or (kind is None and (self.children(path) or field.values is not None)):
            base = dict(pool[roll(len(pool))]) if pool else {}
            return self._object(field, base, roll, depth)
        return pool[roll(len(pool))]

    def _object(self, field: Node, value: dict[str, Any], roll: Roll, depth: int) -> dict[str, Any]:
        path = field.path
        if depth > _DEEPEST:
            return value
        for child in self.children(path):
            if child.required:
                if child.key not in value:
                    value[child.key] = self.value(child.field, roll, depth + 1)
            elif child.read:
                chosen = roll(6)
                if chosen == 1 and child.field.facts.nullable:
                    value[child.key] = None
                elif chosen > 1:
                    value[child.key] = self.value(child.field, roll, depth + 1)
        below = field.values
        if below is not None:
            keys = self._map_keys(path)
            for _ in range(roll(4)):
                value[keys[roll(len(keys))]] = self.value(below, roll, depth + 1)
            low, high = field.facts.min_properties, field.facts.max_properties
            for key in keys[: max(0, (low or 0) - len(value))]:
                value.setdefault(key, self.value(below, roll, depth + 1))
            if high is not None:
                value = dict(list(value.items())[:high])
        self._alternatives(field, value, roll, depth)
        if roll(32) == 31:  # the largest: the least simple
            value[pieces.UNKNOWN_FIELD] = pieces.ANYTHING[roll(len(pieces.ANYTHING))] if below is None else None
            if below is not None:
                del value[pieces.UNKNOWN_FIELD]
        return value

    def _alternatives(self, field: Node, value: dict[str, Any], roll: Roll, depth: int) -> None:
        """Make exactly one (``oneOf``) or some (``anyOf``) of the groups of required fields be there."""
        facts = field.facts
        for groups, single in ((facts.one_of, True), (facts.any_of, False)):
            if not groups:
                continue
            held = [g for g in groups if all(value.get(k) is not None for k in g)]
            if not held:
                held = [groups[roll(len(groups))]]
                for key in held[0]:
                    named = field.named(key)
                    if named is not None and value.get(key) is None:
                        value[key] = self.value(named, roll, depth + 1)
            if single:
                keep = set(held[0])
                for key in {k for g in groups for k in g} - keep:
                    value.pop(key, None)

    def _array(self, field: Node, roll: Roll, depth: int) -> list[Any]:
        facts, below = field.facts, self.items(field.path)
        if below is None or depth > _DEEPEST:
            return []
        low, high = facts.min_items or 0, facts.max_items
        count = (1, 0, 2, 3, 1, 2)[roll(6)]
        many = field.path in self.reads and depth <= 3 and roll(400) == 399  # the least simple
        count = max(low, count if high is None else min(count, high))
        found = [self.value(below, roll, depth + 1) for _ in range(count)]
        if many and found:
            found = self._copied(found, below, pieces.MANY if high is None else min(high, pieces.MANY))
        if facts.list_keys or facts.list_type == "set" or facts.unique_items:
            return _unique(found, facts.list_keys, below, low)
        return found

    def _copied(self, found: list[Any], below: Node, count: int) -> list[Any]:
        """The entries over and over, their names made different."""
        made: list[Any] = []
        name = next((k for k in ("name", "groupName") if below.named(k) is not None), None)
        for i in range(count):
            entry = found[i % len(found)]
            made.append({**entry, name: f"n{i}"} if isinstance(entry, dict) and name else entry)
        return made if name and refusal(below, made[-1]) is None else found

    def _conditions(self, field: Node, roll: Roll) -> list[Any]:
        status = self.target.plan.status
        assert status is not None  # noqa: S101  # there are paths of conditions
        type_field, status_field, reason_field, _ = status.fields
        types, below = (*self.target.conditions, "Other"), field.items
        found: dict[str, dict[str, Any]] = {}
        for _ in range(roll(5)):
            kind = types[roll(len(types))]
            condition: dict[str, Any] = {type_field: kind, status_field: pieces.STATES[(0, 1, 0, 1, 2)[roll(5)]]}
            reasons = self.target.reasons
            if reasons and roll(2):
                condition[reason_field] = reasons[roll(len(reasons))]
            for child in self.children(below.path) if below is not None else ():
                if child.required and child.key not in condition:
                    condition[child.key] = self.value(child.field, roll, 5)
            if below is None or refusal(below, condition) is None:
                found[kind] = condition
        return list(found.values())

    def _map_keys(self, path: str) -> tuple[str, ...]:
        named = self.target.keys.get(path, ())
        if path.endswith((".limits", ".requests")):
            return (*named, *pieces.RESOURCE_NAMES)
        return (*named, *named, *pieces.MAP_KEYS)

    def _children(self, path: str) -> tuple[_Child, ...]:
        field = self._field(path)
        if field is None:
            return ()
        found = []
        for key, child in field.children():
            below = f"{path}{child.path[len(field.path) :]}"
            required = child.facts.required and not (child.facts.has_default and below not in self.reads)
            read = below in self.reads
            if required or read:
                found.append(_Child(key, below, child, required and not child.facts.has_default, read))
        return tuple(sorted(found, key=lambda c: not c.required))

    def _field(self, path: str) -> Node | None:
        return self.target.root.find(path)

    def _items(self, path: str) -> Node | None:
        field = self._field(path)
        return field.items if field is not None else None

    def _values(self, path: str) -> tuple[Any, ...]:
        """What a scalar may be, or what an object of a core type begins with; all of it the contract admits."""
        field = self._field(path)
        assert field is not None  # noqa: S101  # it is asked for places of the contract
        said: tuple[Any, ...] = self.target.literals.get(path, ())
        pool: tuple[Any, ...]
        if field.ref in pieces.CORE:
            pool = pieces.CORE[field.ref]
        elif field.type == "object" or (field.type is None and (self.children(path) or field.values is not None)):
            return ()
        elif field.facts.enum:
            pool = tuple(v for v in field.facts.enum if v is not None)
        elif field.type == "boolean":
            pool = (False, True)
        elif field.type in ("integer", "number"):
            low, high = field.bounds
            edges = [int(e) for e in (low, high) if e is not None and abs(e) < 2**32]
            pool = (*(n for n in pieces.COUNTS), *(n for n in said if isinstance(n, int | float)), *edges)
        elif field.type == "int-or-string":
            pool = pieces.QUANTITIES
        elif field.type == "string":
            pool = self._texts(field, said)
        else:
            pool = (*said, *pieces.ANYTHING)
        admitted = tuple(v for v in pool if refusal(field, v) is None)
        if admitted:
            return admitted
        if field.facts.has_default:
            return (field.facts.default,)
        return ({},) if field.type == "object" else _of_pattern(field)

    def _texts(self, field: Node, said: tuple[Any, ...]) -> tuple[Any, ...]:
        literals = tuple(v for v in said if isinstance(v, str))
        if field.facts.format == "date-time":
            return pieces.TIMES
        plain = pieces.TEXTS if not literals else ("a", "ü名", "")
        pool = (*literals, *literals, *plain)
        if field.facts.pattern is not None or field.facts.min_length:
            return (*pool, *pieces.PATTERNED)
        return pool


def _of_pattern(field: Node) -> tuple[Any, ...]:
    """A few texts that match the pattern of a field, made by Hypothesis once; always the same."""
    from hypothesis import find, settings  # noqa: PLC0415  # needed for odd patterns only
    from hypothesis import strategies as st  # noqa: PLC0415  # the same
    from hypothesis.errors import NoSuchExample  # noqa: PLC0415  # the same

    if field.type == "string" and field.facts.pattern is not None:
        try:
            quiet = settings(database=None, derandomize=True, max_examples=200)
            return (find(st.from_regex(field.facts.pattern), lambda v: refusal(field, v) is None, settings=quiet),)
        except NoSuchExample:
            pass
    return (None,)


def _unique(found: list[Any], keys: tuple[str, ...], below: Node, low: int) -> list[Any]:
    """The entries without repetition; where the least number of entries is not reached, names are made different."""
    kept: dict[str, Any] = {}
    for entry in found:
        key = repr(tuple(entry.get(k) for k in keys)) if keys and isinstance(entry, dict) else repr(entry)
        kept.setdefault(key, entry)
    made = list(kept.values())
    for i in range(low - len(made)):
        if made and keys and isinstance(made[0], dict):
            another = {**made[0], keys[0]: f"m{i}"}
            if refusal(below, another) is None:
                made.append(another)
    return made
