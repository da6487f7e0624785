"""Judge what a checkout changes since it left a ref: the entries that are touched; what was wrong before is old."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wmap.catalog import FRAMEWORK
from wmap.check.fixtures import OF_NOTHING, stray_folders
from wmap.check.run import Result, Since, Touched, near, validate
from wmap.contract import Store
from wmap.contract.store import KUBERNETES
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.findings import Finding, Level, NotRun, fingerprinted
from wmap.gitio import LocalRepository
from wmap.registry.changed import Changes, changed_since
from wmap.registry.compare import compare
from wmap.registry.differences import worst
from wmap.registry.state import CATALOG, CatalogState, state_at, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from wmap.registry.differences import Differences

CONTRACTS = "schemas/contracts"


@dataclass(frozen=True)
class _Place:
    """A tree of files that is judged: the checkout, or what it was at its base."""

    top: Path
    store: Store

    @property
    def fixtures(self) -> Path:
        return near(self.top.resolve() / "fixtures")

    def source(self, path: str) -> tuple[str, bytes]:
        """The name and text of a definition.

        Raises:
            EnvironmentFailure: it cannot be read.
        """
        file = near(self.top.resolve() / path)
        try:
            return str(file), file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error

    def relative(self, file: str | None) -> str:
        """The path of a file below the top."""
        try:
            return Path(file or "").resolve().relative_to(self.top.resolve()).as_posix()
        except ValueError:
            return file or ""


def validate_since(
    top: str | PathLike[str],
    ref: str,
    *,
    paths: Sequence[Path] = (),
    level: Level = Level.FIXTURE,
    release: str | None = None,
) -> Result:
    """Judge the entries of the checkout at ``top`` that are touched since it left ``ref`` (of them, those below ``paths``).

    An entry is touched by its own text, its fixtures, its ``framework.yaml``, its contracts, or a schema. A finding that was there
    before, at the same place of the same entry, is ``old``. What the changes mean, deletions among them, is in ``since``.

    Raises:
        CallError: no checkout there, no such ref, no common history; a path does not exist.
        EnvironmentFailure: the history is cut off before the merge base (says what to fetch); git is not there or fails.
        InputError: a ``framework.yaml`` of the checkout is broken.
    """
    folder = Path(top)
    changes = changed_since(folder, ref)
    stored = folder / CONTRACTS
    now = _Place(folder, Store(stored) if stored.is_dir() else Store())
    with LocalRepository.around(folder) as repository, tempfile.TemporaryDirectory(prefix="wmap-base-") as made:
        had = bool(repository.files(changes.base, CATALOG))
        before = state_at(repository, ref, CATALOG, commit=changes.base) if had else CatalogState(ref, {}, {})
        after = state_of(folder / CATALOG) if (folder / CATALOG).is_dir() else CatalogState(str(folder), {}, {})
        differences = compare(before, after)
        wanted = _below(folder, changes.touched, paths)
        result = _judge(now, wanted, level, release, [e.path for e in after.entries.values()])
        if Level.FIXTURE in result.levels:
            # also what a deleted entry leaves behind
            strays = stray_folders(now.fixtures, _names(after))
            result = replace(result, findings=fingerprinted((*result.findings, *strays)))
        touched = tuple(_touched(changes, differences, before, after, wanted if paths else None))
        result = replace(result, since=Since(ref, changes.base, touched))
        if not result.findings:
            return result
        entries = {e.after_path: e for e in differences.entries if e.after_path and e.before_path}
        pairs = {p: (e.before_path or p) if (e := entries.get(p)) else p for p in wanted}
        known = {e.path for e in before.entries.values()}
        olds = [old for old in pairs.values() if old in known]
        base = _base(repository, changes, olds, before, Path(made), now)
        try:
            found = _judge(base, olds, level, release, [e.path for e in before.entries.values()]).findings
        except (InputError, CallError) as error:
            found = ()
            reason = f"what was wrong before cannot be told: {error.message}"
            result = replace(result, not_run=(*result.not_run, NotRun(Level.SCHEMA, None, reason)))
        called = {e.previous: e.name for e in entries.values() if e.previous}
        called |= {old: new for new, old in pairs.items()}
        gone = {*_strays_at(repository, changes.base, before), *_keys(found, base, called)}
    marked = zip(result.findings, _keys(result.findings, now, {}), strict=True)
    return replace(result, findings=tuple(replace(f, old=key in gone) for f, key in marked))


def _names(state: CatalogState) -> set[str]:
    return {n for e in state.entries.values() for n in (e.name, PurePosixPath(e.path).stem)}


_Key = tuple[str, str, str, str, str, int]


def _keys(findings: Iterable[Finding], place: _Place, called: Mapping[str, str]) -> list[_Key]:
    """What makes a finding the same one: what its fingerprint is made of, and of a fixture its file.

    ``called``: names and paths that are others now.
    """
    seen: dict[tuple[str, ...], int] = {}
    keys: list[_Key] = []
    for f in findings:
        subject = f.definition or ("" if f.level is Level.FIXTURE else place.relative(f.file))
        case = PurePosixPath(f.file or "").name if f.level is Level.FIXTURE else ""
        key = (f.code, called.get(subject, subject), f.field or "", f.expression or "", case)
        keys.append((*key, seen.get(key, 0)))
        seen[key] = seen.get(key, 0) + 1
    return keys


def _strays_at(repository: LocalRepository, commit: str, state: CatalogState) -> set[_Key]:
    """The keys of the folders of fixtures that no definition had."""
    folders = {p.split("/")[1] for p in repository.files(commit, "fixtures") if p.count("/") > 1}
    return {(OF_NOTHING.code, "", "", "", name, 0) for name in folders - _names(state)}


def _below(top: Path, touched: Iterable[str], paths: Sequence[Path]) -> list[str]:
    """The touched entries; where paths are given, those that are, or lie below, one of them."""
    if not paths:
        return list(touched)
    for path in paths:
        if not path.exists():
            raise CallError(f"{path} does not exist", hint="give a definition, or a folder of them")
    chosen = [p.resolve() for p in paths]
    return [t for t in touched if any(c == (f := (top / t).resolve()) or c in f.parents for c in chosen)]


def _judge(place: _Place, paths: Sequence[str], level: Level, release: str | None, catalog: Sequence[str]) -> Result:
    fixtures = place.fixtures if place.fixtures.is_dir() else None
    sources = [place.source(p) for p in paths]
    others = [place.source(p) for p in catalog if p not in paths and (place.top / p).is_file()] if sources else []
    result = validate(
        sources,
        level=level,
        fixtures=fixtures,
        release=release,
        store=place.store,
        beside=others,
        known={PurePosixPath(p).stem for p in catalog},
    )
    if level.rank < Level.FUZZ.rank or not sources:
        return result
    from wmap.fuzz.level import with_fuzz  # noqa: PLC0415  # loaded where it is asked for

    return with_fuzz(result, [Path(name) for name, _ in sources], place.top / CATALOG, release)


def _base(
    repository: LocalRepository, changes: Changes, paths: Sequence[str], before: CatalogState, made: Path, now: _Place
) -> _Place:
    """What the base held of some entries, as files: they are judged like the checkout, by the contracts of then."""
    entries = {e.path: e for e in before.entries.values()}
    catalog = repository.files(changes.base, CATALOG)
    wanted = {p: b for p, b in catalog.items() if p in entries or PurePosixPath(p).name == FRAMEWORK}
    folders = tuple(f"fixtures/{n}/" for p in paths for n in (entries[p].name, PurePosixPath(p).stem))
    wanted |= {p: b for p, b in repository.files(changes.base, "fixtures").items() if p.startswith(folders)}
    store = now.store
    if any(p.startswith(f"{CONTRACTS}/") for through in changes.touched.values() for p in through):
        frameworks = {entries[p].framework for p in paths} | {KUBERNETES}
        stored = repository.files(changes.base, CONTRACTS)
        wanted |= {p: b for p, b in stored.items() if p.split("/")[2] in frameworks}
        store = Store(made / CONTRACTS)
    for path, data in repository.read(wanted).items():
        parts = PurePosixPath(path).parts
        if ".." in parts or any(part.lower() == ".git" for part in parts):
            continue  # a tree that was made by hand
        file = made / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return _Place(made, store)


def _touched(
    changes: Changes, differences: Differences, before: CatalogState, after: CatalogState, only: Sequence[str] | None
) -> Iterable[Touched]:
    """What was touched, by name: with the meaning of its own changes, and of those of its framework."""
    entries = {e.after_path or e.before_path: e for e in differences.entries}
    names = {e.path: e.name for e in (*before.entries.values(), *after.entries.values())}
    frameworks = {f.name: f.level for f in differences.frameworks}
    found = []
    for path, through in changes.touched.items():
        if only is not None and path not in only:
            continue
        own = entries.get(path)
        level = worst((own.level if own else None, frameworks.get(path.split("/")[-2])))
        name, status = names.get(path, PurePosixPath(path).stem), str(own.status) if own else None
        found.append(Touched(name, path, status, str(level) if level else None, own.previous if own else None, through))
    if only is None:
        gone = (e for e in differences.entries if e.after_path is None)
        found += [Touched(e.name, None, str(e.status), str(e.level), None, (e.before_path or "",)) for e in gone]
    return sorted(found, key=lambda t: (t.name, t.path or ""))
