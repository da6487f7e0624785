"""What a comparison of two states of a catalog gives: changes, each with what it means to consumers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Semantic(StrEnum):
    """What a change means to consumers, as semantic versions have it."""

    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"

    @property
    def rank(self) -> int:
        """0 for patch, 1 for minor, 2 for major: larger is worse."""
        return list(Semantic).index(self)


class What(StrEnum):
    """The kind of a change."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"
    REORDERED = "reordered"
    MOVED = "moved"
    READINGS = "readings"
    """The readings differ where the comparison of the texts saw nothing: a defect of the comparison."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an entry or framework.

    ``path``: the dotted path in the document, lists by the name of their item (``...childComponents[worker].instanceIdPath``), ``""``
    for all of it. ``before`` and ``after`` are as they stand in the files, None where there is none. ``why``: what consumers see of it.
    """

    what: What
    level: Semantic
    path: str
    before: str | None
    after: str | None
    why: str


class Status(StrEnum):
    """What happened to an entry as a whole."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """What changed of one entry, the worst first. ``previous`` is the name before a rename; a path is None where it was not there."""

    name: str
    status: Status
    changes: tuple[Change, ...]
    previous: str | None = None
    before_path: str | None = None
    after_path: str | None = None

    @property
    def level(self) -> Semantic | None:
        """The worst of its changes."""
        return worst(c.level for c in self.changes)

    @property
    def framework(self) -> str:
        """The folder that it lies in, or lay."""
        return (self.after_path or self.before_path or "//").split("/")[-2]


@dataclass(frozen=True, slots=True)
class FrameworkChanges:
    """What changed in a ``framework.yaml``: of all entries of its folder."""

    name: str
    changes: tuple[Change, ...]

    @property
    def level(self) -> Semantic | None:
        """The worst of its changes."""
        return worst(c.level for c in self.changes)


@dataclass(frozen=True, slots=True)
class Differences:
    """What is different between two states of a catalog; what only looks different (comments, layout) is not in it.

    ``before`` and ``after`` are the labels of the states; entries and frameworks are sorted by name.
    """

    before: str
    after: str
    entries: tuple[EntryChanges, ...] = ()
    frameworks: tuple[FrameworkChanges, ...] = ()

    @property
    def level(self) -> Semantic | None:
        """What the whole means to consumers; None: nothing."""
        return worst([*(e.level for e in self.entries), *(f.level for f in self.frameworks)])

    def level_of(self, name: str) -> Semantic | None:
        """What the changes mean to those who read by one definition: its own; added, removed or supported otherwise."""
        return next((e.level for e in self.entries if e.name == name), None)


def worst(levels: Iterable[Semantic | None]) -> Semantic | None:
    """The worst of some levels, None where there is none."""
    return max((x for x in levels if x is not None), key=lambda x: x.rank, default=None)


MAPPINGS = ".statusDefinition.statusMappings."


def is_new_mapping(change: Change) -> bool:
    """Whether a change is an alternative that a status did not have."""
    return change.what is What.ADDED and MAPPINGS in change.path


def new_mappings(differences: Differences) -> set[str]:
    """The entries of which a new mapping is the worst that the comparison of the texts sees: their readings decide."""
    return {
        e.name for e in differences.entries if e.level is Semantic.MINOR and any(is_new_mapping(c) for c in e.changes)
    }
