"""Which entries of a catalog the checkout changes since it left a ref: by their own text, or through what they are judged by."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.catalog import FRAMEWORK, is_definition
from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio import LocalRepository
from wmap.registry.resolve import merge_base

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

_ROOMS = ("catalog", "fixtures", "schemas")
_SCHEMAS = tuple(f"schemas/{name}.schema.json" for name in ("definition", "framework", "fixture", "describe"))
"""What entries and their fixtures are judged by; the other schemas are those of outputs."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a checkout changes since the merge base ``base`` (a full commit) of a ref and HEAD.

    ``touched``: path of each definition to what touches it (paths, sorted; its own path where its text changed). ``renamed``: new
    path to old, where the text is the same. ``deleted``: definitions that are no more, the old paths of renames among them: a
    definition is known by its name, so both are a major change.
    """

    base: str
    touched: dict[str, tuple[str, ...]]
    renamed: dict[str, str]
    deleted: tuple[str, ...]


def changed_since(top: str | PathLike[str], ref: str) -> Changes:
    """What the checkout at ``top`` changes since it left ``ref``; what is not committed counts.

    Raises:
        CallError: there is no checkout, no such ref, or the histories have nothing in common.
        EnvironmentFailure: the history is cut off before the merge base (says what to fetch), or git fails.
    """
    folder = Path(top)
    with LocalRepository.around(folder) as repository:
        if repository.inside or not (folder / ".git").exists():
            raise CallError(f"{folder} is not the top of a checkout", hint="name the folder that holds catalog/")
        base = merge_base(repository, ref)
        before = {path: blob for room in _ROOMS for path, blob in repository.files(base, room).items()}
    now = dict(_working(folder, len(base)))
    different = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    entries = [path for path in sorted(now) if _is_entry(path)]
    touched = {entry: found for entry in entries if (found := tuple(sorted(_touching(entry, different))))}
    deleted = tuple(path for path in sorted(before) if _is_entry(path) and path not in now)
    olds = {before[path]: path for path in reversed(deleted)}
    renamed = {path: olds[now[path]] for path in touched if path not in before and now[path] in olds}
    return Changes(base, touched, renamed, deleted)


def _is_entry(path: str) -> bool:
    return path.startswith("catalog/") and is_definition(Path(path))


def _touching(entry: str, different: set[str]) -> Iterator[str]:
    """The changed files that an entry is judged by: its own, its framework's, its contracts, its fixtures, the schemas."""
    place = Path(entry)
    framework = place.parent.name
    folders = (f"schemas/contracts/{framework}/", f"fixtures/{place.stem}/", "schemas/contracts/kubernetes/")
    for path in different:
        if path in (entry, f"{place.parent.as_posix()}/{FRAMEWORK}", *_SCHEMAS) or path.startswith(folders):
            yield path


def _working(folder: Path, digits: int) -> Iterator[tuple[str, str]]:
    """The files of the checkout with the names that git gives their contents; links are left out, as in a tree."""
    digest = hashlib.sha256 if digits == 64 else hashlib.sha1  # digits of SHA-256
    for room in _ROOMS:
        for file in sorted((folder / room).rglob("*")):
            if file.is_symlink() or not file.is_file():
                continue
            try:
                data = file.read_bytes()
            except OSError as error:
                raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
            yield file.relative_to(folder).as_posix(), digest(b"blob %d\0" % len(data) + data).hexdigest()
