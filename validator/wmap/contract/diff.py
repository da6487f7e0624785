"""What is different between two releases of a framework: fields of their kinds, and vocabulary."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from wmap.contract.model import Contract, Facts, Field, Term, TermKind, Vocabulary, step
from wmap.contract.store import KindName, Store

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = tuple(
    f.name
    for f in fields(Facts)
    if f.name not in ("type", "ref", "lacks", "closed", "has_default", "default", "preserve")
)


class Change(StrEnum):
    """What happened to a field."""

    ADDED = "added"
    REMOVED = "removed"
    RETYPED = "retyped"
    DEFAULT = "default"
    ENUM = "enum"
    CHANGED = "changed"


@dataclass(frozen=True)
class FieldChange:
    """One difference of a field. ``old`` and ``new`` are JSON values: types, defaults (None: there is none), lists of values, or
    facts by name. ``core`` is the core type below which it lies, and ``at`` where that is.
    """

    change: Change
    path: str
    old: Any = None
    new: Any = None
    core: str | None = None
    at: str | None = None


@dataclass(frozen=True)
class KindDiff:
    """The differences of one kind; a kind that only one of the releases has is ``added`` or ``removed`` as a whole."""

    kind: KindName
    status: str
    changes: tuple[FieldChange, ...] = ()


@dataclass(frozen=True)
class Rename:
    """A term that went, and one of the same kind that came and is like it."""

    kind: TermKind
    old: str
    new: str


@dataclass(frozen=True)
class Diff:
    """The differences of two releases; ``added`` and ``removed`` are values of the vocabulary with their terms."""

    framework: str
    old: str
    new: str
    kinds: tuple[KindDiff, ...]
    added: tuple[Term, ...]
    removed: tuple[Term, ...]
    renames: tuple[Rename, ...]


def diff_releases(store: Store, framework: str, old: str, new: str, kinds: Sequence[KindName] | None = None) -> Diff:
    """The differences of two releases, of all kinds or of the given ones.

    Raises:
        CallError: the store does not have one of the releases.
    """
    names = sorted({*store.kinds(framework, old), *store.kinds(framework, new)} if kinds is None else set(kinds))
    found = []
    for name in names:
        before, after = (store.contract(framework, r, *name) for r in (old, new))
        if before is None or after is None:
            if before is not None or after is not None:
                found.append(KindDiff(name, "added" if before is None else "removed"))
            continue
        changes = tuple(diff_contracts(before, after))
        if changes:
            found.append(KindDiff(name, "changed", changes))
    added, removed = _terms(store, framework, old, new)
    return Diff(framework, old, new, tuple(found), added, removed, _renames(removed, added))


def diff_contracts(old: Contract, new: Contract) -> Iterator[FieldChange]:
    """The differences of one kind, by path; below core types too."""
    for name in ("served", "storage", "deprecated", "scope"):
        if getattr(old, name) != getattr(new, name):
            yield FieldChange(Change.CHANGED, "", {name: getattr(old, name)}, {name: getattr(new, name)})
    yield from _compare(old.root, new.root, None, None)


def _compare(old: Field, new: Field, core: str | None, at: str | None) -> Iterator[FieldChange]:
    if core is None and (found := new.ref or old.ref) is not None:
        core, at = found, new.path
    kinds = (_type(old), _type(new))
    if kinds[0] != kinds[1]:
        yield FieldChange(Change.RETYPED, new.path, *kinds, core, at)
    yield from _facts(old, new, core, at)
    before, after = dict(_below(old)), dict(_below(new))
    for suffix in sorted({*before, *after}):
        if suffix not in after:
            yield FieldChange(Change.REMOVED, before[suffix].path, _type(before[suffix]), None, core, at)
        elif suffix not in before:
            yield FieldChange(Change.ADDED, after[suffix].path, None, _type(after[suffix]), core, at)
        else:
            yield from _compare(before[suffix], after[suffix], core, at)


def _below(place: Field) -> Iterator[tuple[str, Field]]:
    for name, child in place.children():
        yield step(name), child
    if place.items is not None:
        yield "[]", place.items
    if place.values is not None:
        yield "{}", place.values


def _type(place: Field) -> str:
    said = place.type or "any"
    return f"{said} (open)" if place.preserve and said != "any" else said


def _facts(old: Field, new: Field, core: str | None, at: str | None) -> Iterator[FieldChange]:
    before, after = old.facts, new.facts
    if (before.has_default, before.default) != (after.has_default, after.default):
        yield FieldChange(Change.DEFAULT, new.path, before.default, after.default, core, at)
    if before.enum != after.enum:
        yield FieldChange(Change.ENUM, new.path, list(before.enum), list(after.enum), core, at)
    # what core types say by the way (formats, list types) is not stored where a kind says it too
    names = [n for n in _SHOWN if n != "enum" and (core is None or n == "required")]
    different = [n for n in names if getattr(before, n) != getattr(after, n)]
    if different:
        yield FieldChange(
            Change.CHANGED,
            new.path,
            {n: getattr(before, n) for n in different},
            {n: getattr(after, n) for n in different},
            core,
            at,
        )


def _terms(store: Store, framework: str, old: str, new: str) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    before, after = (store.vocabulary(framework, release).by_value for release in (old, new))
    added = [term for value in sorted(after.keys() - before.keys()) for term in after[value]]
    removed = [term for value in sorted(before.keys() - after.keys()) for term in before[value]]
    return tuple(added), tuple(removed)


def renamed(before: Vocabulary, after: Vocabulary, value: str) -> str | None:
    """What a word that went is probably called now."""
    added = tuple(t for v in sorted(after.by_value.keys() - before.by_value.keys()) for t in after.by_value[v])
    found = _renames(before.by_value.get(value, ()), added)
    return found[0].new if found else None


def _renames(removed: tuple[Term, ...], added: tuple[Term, ...]) -> tuple[Rename, ...]:
    """Terms that went, each with the nearest that came: of the same type in Go and the same kind, or of the same name."""
    found: list[Rename] = []
    for term in removed:
        named = [t.value for t in added if t.name == term.name]
        alike = [t.value for t in added if (t.type, t.kind) == (term.type, term.kind)]
        near = named[:1] or difflib.get_close_matches(term.value, alike, 1, 0.75)
        rename = Rename(term.kind, term.value, near[0]) if near else None
        if rename is not None and rename not in found:
            found.append(rename)
    return tuple(found)
