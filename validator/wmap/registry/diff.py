"""The semantic diff of two refs of a repository, or of a ref and the checkout as it lies, with the check of its readings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio import LocalRepository
from wmap.registry.compare import compare
from wmap.registry.readings import Readings, check_readings
from wmap.registry.resolve import Range, catalog_path, merge_base
from wmap.registry.state import state_at, state_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from wmap.registry.differences import Differences

FIXTURES = "fixtures"


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences, and what reading with both versions of each changed entry gave; ``readings`` None: that was not wanted."""

    differences: Differences
    readings: tuple[Readings, ...] | None = None


def diff(folder: str | PathLike[str], text: str, *, readings: bool = True) -> Diff:
    """Compare the catalog at two places of its history.

    ``folder`` is a repository, or the folder of a catalog in one; ``text`` is ``A..B``, ``A...B`` (from their merge base), ``A..``
    (to HEAD) or ``A`` (to the checkout as it lies).

    Raises:
        CallError: no repository, no such ref (the nearest is named), no catalog there.
        EnvironmentFailure: git is not there or fails, or the history is cut off before a ref (says what to fetch).
    """
    wanted = Range.of(text)
    with LocalRepository.around(Path(folder)) as repository:
        path = catalog_path(repository)
        base = repository.commit(wanted.before)
        if wanted.since and wanted.after is not None:
            base = merge_base(repository, wanted.before, wanted.after)
        before = state_at(repository, wanted.before, path, commit=base)
        fixtures = _fixtures_at(repository, base, path) if readings else {}
        if wanted.after is None:
            place = _checkout(Path(folder), repository)
            after = state_of(place)
            later = _fixtures_of(place.parent / FIXTURES) if readings else {}
        else:
            head = repository.commit(wanted.after)
            after = state_at(repository, wanted.after, path, commit=head)
            later = _fixtures_at(repository, head, path) if readings else {}
    found = compare(before, after)
    if not readings:
        return Diff(found)
    return Diff(*check_readings(found, before, after, _both(fixtures, later)))


def fixtures_between(repository: LocalRepository, before: str, after: str) -> dict[str, bytes]:
    """The fixtures of two commits (full names), as ``check_readings`` takes them.

    Raises:
        EnvironmentFailure: git fails.
    """
    path = catalog_path(repository)
    return _both(*(_fixtures_at(repository, commit, path) for commit in (before, after)))


def _both(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, bytes]:
    """Where both have a fixture of one name but not of one text, both texts are read."""
    return {**after, **{(k if k not in after else f"{k}\0before"): v for k, v in before.items() if after.get(k) != v}}


def _checkout(folder: Path, repository: LocalRepository) -> Path:
    """The folder of the catalog in the checkout."""
    place = folder if repository.inside else folder / catalog_path(repository)
    if not place.is_dir():
        raise CallError(f"there is no checkout with a catalog at {folder}", hint="name two refs: A..B")
    return place


def _fixtures_at(repository: LocalRepository, commit: str, catalog: str) -> dict[str, bytes]:
    """The fixtures beside the catalog at a commit, by their path below the folder that holds both."""
    parent = PurePosixPath(catalog).parent
    top = (parent / FIXTURES).as_posix()
    found = {p: b for p, b in repository.files(commit, top).items() if p.endswith((".yaml", ".yml"))}
    return {f"{FIXTURES}{p.removeprefix(top)}": data for p, data in repository.read(found).items()}


def _fixtures_of(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for file in sorted(folder.rglob("*.y*ml")) if folder.is_dir() else ():
        if file.is_symlink() or not file.is_file():
            continue
        try:
            found[f"{FIXTURES}/{file.relative_to(folder).as_posix()}"] = file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
    return found


def wrong(found: Diff) -> Mapping[str, Readings]:
    """The entries for which the comparison was wrong, by name."""
    from wmap.registry.differences import What  # noqa: PLC0415  # only where something is asked for

    names = {e.name for e in found.differences.entries if any(c.what is What.READINGS for c in e.changes)}
    return {r.name: r for r in found.readings or () if r.name in names}
