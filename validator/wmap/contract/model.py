"""A contract: the tree of fields of one kind at one release, and the vocabulary of the release.

A tree is kept flat, as it is stored: the path of each field, and the facts about it. A path is ``.spec.replicas``; ``[]`` is
the item of an array, ``{}`` the value of a map (``.spec.labels{}``), and a key that is no plain name is quoted
(``."a.b"``). The root is the empty path. A field whose facts name a core type (``ref``) has that type's tree below it,
which lies in a contract of its own; ``Field`` follows it.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
"""A key that needs no quotes in a path."""

_STEP = re.compile(r'\.([A-Za-z_$][A-Za-z0-9_$-]*)|\.("(?:[^"\\]|\\.)*")|(\[\])|(\{\})')


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one field.

    ``type`` is object, array, string, integer, number or boolean, ``int-or-string``, or None where the contract does not
    say. An object with named fields has them below it; one with ``{}`` below it is a map. ``preserve`` says that an
    object may hold fields that the contract does not name. ``ref`` is the core type that the subtree is; of its tree,
    the fields at ``lacks`` (paths relative to this one) are not there, and what else is different stands in fields of
    this contract below this one, which come first. ``closed`` is said of such a field below a core type: the place is what
    this contract says of it and below it, and nothing of the core type's holds there.
    """

    type: str | None = None
    required: bool = False
    nullable: bool = False
    has_default: bool = False
    default: Any = None
    enum: tuple[Any, ...] = ()
    format: str | None = None
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None
    preserve: bool = False
    embedded: bool = False
    list_type: str | None = None
    list_keys: tuple[str, ...] = ()
    map_type: str | None = None
    rules: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    ref: str | None = None
    lacks: tuple[str, ...] = ()
    closed: bool = False


class _Layer(NamedTuple):
    """A tree that says something of a place: the path in it, and what it says is lacking below its path ``base``."""

    tree: Contract
    at: str
    base: str = ""
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """One place in the tree of a contract. ``path`` is the place in the kind; below a core type it runs on.

    ``layers`` are the trees that know the place, the kind's own first: what it says of a field below a reference to a core
    type comes before what the core type says.
    """

    path: str
    facts: Facts
    layers: tuple[_Layer, ...] = field(repr=False)

    @cached_property
    def _below(self) -> tuple[_Layer, ...]:
        """The layers, with the core types that they refer to at this place."""
        found: list[_Layer] = []
        waiting = list(self.layers)
        while waiting:
            layer = waiting.pop(0)
            facts = layer.tree.fields.get(layer.at)
            if facts is None or facts.ref is None:
                found.append(layer)
                if facts is not None and facts.closed:
                    break
                continue
            found.append(_Layer(layer.tree, layer.at, layer.at, facts.lacks))
            waiting = [] if facts.closed else waiting
            waiting.insert(0, _Layer(layer.tree.core(facts.ref), ""))
        return tuple(found)

    def _step(self, suffix: str) -> Field | None:
        below = self._below
        for layer in below:
            at = layer.at + suffix
            facts = layer.tree.fields.get(at)
            if facts is not None:
                layers = tuple(_Layer(x.tree, x.at + suffix, x.base, x.lacks) for x in below)
                return Field(self.path + suffix, facts, layers)
            if layer.lacks and at[len(layer.base) :] in layer.lacks:
                return None
        return None

    def _said(self) -> Iterator[Facts]:
        for layer in self._below:
            facts = layer.tree.fields.get(layer.at)
            if facts is not None:
                yield facts

    @property
    def type(self) -> str | None:
        """The type, that of the core type where this refers to one."""
        return next((f.type for f in self._said() if f.type is not None), None)

    @property
    def ref(self) -> str | None:
        """The core type that this place is, None where it is none or not known to be one."""
        return next((f.ref for f in self._said() if f.ref is not None), None)

    @property
    def preserve(self) -> bool:
        """Whether an object here may hold fields that the contract does not name."""
        return any(f.preserve for f in self._said())

    def named(self, key: str) -> Field | None:
        """The field of this name below this one, None where the contract names none (a map value is no named field)."""
        return self._step(step(key))

    def child(self, key: str) -> Field | None:
        """What stands at a key: the named field, else the value of the map, else None."""
        return self.named(key) or self.values

    @property
    def items(self) -> Field | None:
        """The item of an array."""
        return self._step("[]")

    @property
    def values(self) -> Field | None:
        """The value of a map."""
        return self._step("{}")

    def children(self) -> Iterator[tuple[str, Field]]:
        """The named fields below this one, by name."""
        names = {name for layer in self._below for name in layer.tree.names(layer.at)}
        for name in sorted(names):
            found = self.named(name)
            if found is not None:
                yield name, found


@dataclass(frozen=True)
class Contract:
    """The tree of one kind at one release (of one core type, where ``kind`` is its name and ``group`` empty).

    ``fields`` are the facts by path; ``core`` gives the tree of a core type by its name. ``served`` and ``deprecated`` are what
    the release says of this version of the kind, ``storage`` whether it is the one that is stored.
    """

    framework: str
    release: str
    group: str
    version: str
    kind: str
    fields: Mapping[str, Facts] = field(repr=False)
    core: Callable[[str], Contract] = field(repr=False, compare=False)
    served: bool = True
    storage: bool = True
    deprecated: bool = False
    scope: str = "Namespaced"

    @cached_property
    def root(self) -> Field:
        """The whole object."""
        return Field("", self.fields[""], (_Layer(self, ""),))

    def find(self, path: str) -> Field | None:
        """The field at a path (also below core types), None where there is none.

        Raises:
            ValueError: the text is no path.
        """
        here: Field | None = self.root
        for kind, key in steps_of(path):
            if here is None:
                return None
            here = here.items if kind == "[]" else here.values if kind == "{}" else here.child(key)
        return here

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        return self.fields.names if isinstance(self.fields, Fields) else names_in(self.fields)

    def names(self, path: str) -> list[str]:
        """The names of the fields right below a path of this tree."""
        return self._names.get(path, [])


class Fields(Mapping[str, Facts]):
    """The facts of a tree by path; contracts of several releases share them, and what is worked out of them."""

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """The names right below each path."""
        return names_in(self)


def names_in(fields: Iterable[str]) -> dict[str, list[str]]:
    """The names right below each path of a tree."""
    found: dict[str, list[str]] = {}
    for path in fields:
        last = next(iter(deque(_STEP.finditer(path), maxlen=1)), None)
        if last is not None and (last[1] or last[2]):
            found.setdefault(path[: last.start()], []).append(last[1] or json.loads(last[2]))
    return found


def step(key: str) -> str:
    """The step of a path to a named field: ``.replicas``, ``."a.b"``."""
    return f".{key}" if PLAIN.fullmatch(key) else f".{json.dumps(key, ensure_ascii=False)}"


def steps_of(path: str) -> Iterator[tuple[str, str]]:
    """The steps of a path: ``("[]", "")``, ``("{}", "")`` or ``(".", name)``.

    Raises:
        ValueError: the text is no path.
    """
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise ValueError(f"{path!r} is no path of a contract (at column {at + 1})")
        at = found.end()
        if found[3] or found[4]:
            yield (found[3] or found[4]), ""
        else:
            yield ".", found[1] or json.loads(found[2])


class TermKind(StrEnum):
    """What a constant of a release is."""

    CONDITION = "condition"
    REASON = "reason"
    PHASE = "phase"
    LABEL = "label"
    ANNOTATION = "annotation"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Term:
    """One string constant: its value, what it is, its name and type in Go (``""``: untyped), and where it is declared.

    ``file`` is relative to the root of the repository, or ``MODULE@VERSION/FILE`` for one of an imported module; ``line`` is 0
    where the source gave none.
    """

    value: str
    kind: TermKind
    name: str
    type: str
    file: str
    line: int = 0


@dataclass(frozen=True)
class Vocabulary:
    """The string constants of one release."""

    framework: str
    release: str
    terms: tuple[Term, ...]

    def of(self, kind: TermKind) -> dict[str, tuple[Term, ...]]:
        """The terms of a kind by value."""
        return self._by_kind.get(kind, {})

    @cached_property
    def _by_kind(self) -> dict[TermKind, dict[str, tuple[Term, ...]]]:
        found: dict[TermKind, dict[str, tuple[Term, ...]]] = {}
        for value, terms in self.by_value.items():
            for kind in {t.kind for t in terms}:
                found.setdefault(kind, {})[value] = terms
        return found

    @cached_property
    def by_value(self) -> dict[str, tuple[Term, ...]]:
        """All terms by value."""
        found: dict[str, list[Term]] = {}
        for term in self.terms:
            found.setdefault(term.value, []).append(term)
        return {value: tuple(terms) for value, terms in found.items()}
