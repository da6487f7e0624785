"""The history of the entries: each commit that changed one, with what the change means to consumers; renames are followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.catalog import is_definition
from wmap.gitio import LocalRepository, to_fetch
from wmap.gitio.history import Commit, Step, Touch, commits, cut_off, steps
from wmap.registry.compare import compare, compare_entries, renamed_from
from wmap.registry.differences import EntryChanges, FrameworkChanges, Semantic, worst
from wmap.registry.resolve import catalog_path, entry_path
from wmap.registry.state import CatalogState, Entry, entry_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

_AHEAD = 200
"""Versions that are read at once, where it is not known how many are needed."""
MOST = 100
"""Commits that are shown where nobody asks for more: each costs reading two versions."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One commit. ``cut``: the history is cut off here, so what it changed is not known. No changes: it only looks different."""

    commit: Commit
    entries: tuple[EntryChanges, ...] = ()
    frameworks: tuple[FrameworkChanges, ...] = ()
    cut: bool = False

    @property
    def level(self) -> Semantic | None:
        """What the commit means to consumers."""
        return worst([*(e.level for e in self.entries), *(f.level for f in self.frameworks)])


@dataclass(frozen=True, slots=True)
class Log:
    """Commits, newest first. ``left`` more are not shown; ``fetch`` says what to call where the history is cut off."""

    commits: tuple[Logged, ...]
    left: int = 0
    fetch: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """What a commit made of one entry's file: the path and blob then, and the nearest versions before."""

    commit: str
    path: str
    blob: str | None
    previous: tuple[tuple[str, str | None], ...]
    """Path and blob of what it was before, one for each parent; the first is what it is compared with."""
    parents: tuple[str, ...]


@dataclass
class History:
    """The versions of one entry, newest first; ``cut`` are the commits beyond which nothing is known."""

    repository: LocalRepository
    versions: list[Version] = field(default_factory=list)
    cut: frozenset[str] = frozenset()
    _texts: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, repository: LocalRepository, ref: str, name: str) -> History:
        """The history of the definition of this name at a ref.

        Raises:
            CallError, EnvironmentFailure: as ``entry_path``.
        """
        found = cls(repository, cut=cut_off(repository))
        seen: set[tuple[str, str]] = set()
        found._follow([repository.commit(ref)], entry_path(repository, ref, name), seen)
        return found

    def text(self, blob: str) -> bytes:
        """What stands in a version; the versions that are likely asked for next are read with it."""
        if blob not in self._texts:
            blobs = [v.blob for v in self.versions]
            at = blobs.index(blob) if blob in blobs else len(blobs)
            self.read((blob, *blobs[at : at + _AHEAD]))
        return self._texts[blob]

    def read(self, blobs: Iterable[str | None]) -> None:
        """Read versions, all at once."""
        self._texts |= self.repository.read({b: b for b in blobs if b is not None and b not in self._texts})

    def entry(self, path: str, blob: str | None) -> Entry | None:
        """A version of the entry."""
        return None if blob is None else entry_of(path, self.text(blob))

    def _follow(self, starts: list[str], path: str, seen: set[tuple[str, str]]) -> tuple[str, ...]:
        """Add the steps of a path, and what it was called before; gives the newest step of each start."""
        found = steps(self.repository, starts, path)
        for step in found:
            if (step.commit, path) in seen:
                continue
            seen.add((step.commit, path))
            touch = next((t for t in step.touches if t.path == path), None)
            if touch is None:
                self.versions.append(Version(step.commit, path, None, (), step.parents))
                continue
            at = len(self.versions)
            previous, parents = ((path, touch.before),), step.parents
            if touch.before is None and touch.after is not None and step.commit not in self.cut:
                origin = self._origin(step, touch)
                if origin is not None:
                    before = commits(self.repository, [step.commit])[step.commit].parents
                    previous = ((origin.path, origin.before),)
                    parents = (*parents, *self._follow(list(before), origin.path, seen))
            self.versions.insert(at, Version(step.commit, path, touch.after, previous, parents))
        return tuple(s.commit for s in found[:1])

    def _origin(self, step: Step, touch: Touch) -> Touch | None:
        """The file that became another in a commit: one that went, of the same text, name, kind or structure."""
        whole = steps(self.repository, [step.commit], catalog_path(self.repository), walk=False)
        gone = [t for s in whole for t in s.touches if t.after is None and t.before and is_definition(Path(t.path))]
        same = next((t for t in gone if t.before == touch.after), None)
        if same is not None or not gone:
            return same
        self.read([touch.after, *(t.before for t in gone)])
        new = self.entry(touch.path, touch.after)
        olds = {t.path: e for t in gone if (e := self.entry(t.path, t.before)) is not None}
        found = renamed_from(olds, new) if new is not None else None
        return next((t for t in gone if t.path == found), None)


def log(folder: str | PathLike[str], name: str | None = None, ref: str = "HEAD", most: int | None = MOST) -> Log:
    """The commits that changed the catalog, or one of its definitions, up to a ref; ``most`` None: all of them.

    Raises:
        CallError: no repository, no such ref, no such definition.
        EnvironmentFailure: git is not there or fails, or the history is cut off before the ref.
    """
    with LocalRepository.around(Path(folder)) as repository:
        if name is not None:
            return _of_entry(History.of(repository, ref, name), ref, most)
        return _of_catalog(repository, ref, most)


def _of_entry(history: History, ref: str, most: int | None) -> Log:
    # a merge that only brings sides together touches nothing
    touched = [v for v in history.versions if v.previous]
    shown = touched[:most]
    history.read([b for v in shown for b in (v.blob, v.previous[0][1])])
    about = commits(history.repository, (v.commit for v in shown))
    rows = []
    for version in shown:
        cut = version.commit in history.cut
        changed = None
        if not cut:
            before, after = (history.entry(*pair) for pair in (version.previous[0], (version.path, version.blob)))
            changed = compare_entries(before, after)
        rows.append(Logged(about[version.commit], (changed,) if changed else (), (), cut))
    return Log(tuple(rows), len(touched) - len(shown), to_fetch(ref) if any(r.cut for r in rows) else None)


def _of_catalog(repository: LocalRepository, ref: str, most: int | None) -> Log:
    top = catalog_path(repository)
    touched = [s for s in steps(repository, [repository.commit(ref)], top) if any(map(_is_yaml, s.touches))]
    shown, cut = touched[:most], cut_off(repository)
    wanted = [s for s in shown if s.commit not in cut]
    blobs = {b for s in wanted for t in s.touches if _is_yaml(t) for b in (t.before, t.after) if b is not None}
    texts = repository.read({b: b for b in blobs})
    about = commits(repository, (s.commit for s in shown))
    rows = []
    for step in shown:
        if step.commit in cut:
            rows.append(Logged(about[step.commit], cut=True))
            continue
        touches = [t for t in step.touches if _is_yaml(t)]
        before, after = (
            CatalogState.of("", {t.path: texts[b] for t in touches if (b := getattr(t, side)) is not None})
            for side in ("before", "after")
        )
        found = compare(before, after)
        rows.append(Logged(about[step.commit], found.entries, found.frameworks))
    return Log(tuple(rows), len(touched) - len(shown), to_fetch(ref) if any(r.cut for r in rows) else None)


def _is_yaml(touch: Touch) -> bool:
    return touch.path.endswith((".yaml", ".yml"))
