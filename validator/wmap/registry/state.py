"""A catalog at one moment, for comparing: its definitions by name, and its frameworks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wmap.catalog import FRAMEWORK, is_definition
from wmap.contract.framework import Framework, check_framework
from wmap.definition.load import load_trusted
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.gitio import LocalRepository

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from wmap.definition.model import Definition

CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a catalog that should hold a definition.

    ``path`` is as git has it (``catalog/jobset/x.yaml``), ``framework`` its folder. ``definition`` is None where the file cannot be
    read; ``broken`` then says why.
    """

    name: str
    path: str
    framework: str
    data: bytes = field(repr=False)
    definition: Definition | None = field(default=None, repr=False)
    broken: str | None = None


@dataclass(frozen=True, slots=True)
class CatalogState:
    """A catalog at one moment. ``label`` is for people: a ref, or a folder.

    ``entries``: by name of the definition (of the file, where it cannot be read). ``frameworks``: by folder; None where
    ``framework.yaml`` cannot be read.
    """

    label: str
    entries: Mapping[str, Entry]
    frameworks: Mapping[str, Framework | None]

    @classmethod
    def of(cls, label: str, files: Mapping[str, bytes]) -> CatalogState:
        """The state that files make: path below the top of the checkout (``catalog/...``) to contents; others are left out."""
        entries: dict[str, Entry] = {}
        frameworks: dict[str, Framework | None] = {}
        for path in sorted(files):
            place = PurePosixPath(path)
            folder = place.parent.name
            if place.name == FRAMEWORK:
                frameworks[folder] = check_framework(files[path], file=path).framework
            elif is_definition(Path(path)):
                found = entry_of(path, files[path])
                # two files of one name are a finding of lint; neither is lost here
                entries[found.name if found.name not in entries else path] = found
        return cls(label, entries, frameworks)


@lru_cache(maxsize=256)
def entry_of(path: str, data: bytes) -> Entry:
    """The entry that a file is; never raises on what stands in it."""
    place = PurePosixPath(path)
    try:
        definition = load_trusted(data, file=path)
    except InputError as error:
        return Entry(place.stem, path, place.parent.name, data, None, error.message)
    return Entry(definition.name.value, path, place.parent.name, data, definition)


def state_at(repository: LocalRepository, ref: str, path: str = CATALOG, *, commit: str | None = None) -> CatalogState:
    """The catalog below ``path`` at a ref, from the object database; ``commit`` is that of the ref, where it is known.

    Raises:
        CallError: the ref is none, is not there (the nearest is named), or holds no catalog.
        EnvironmentFailure: git fails, a file is too large or was left out of a partial clone.
    """
    commit = commit or repository.commit(ref)
    found = repository.files(commit, path)
    if not found:
        raise CallError(f"{repository.name} holds no {path}/ at {ref}", hint="is it another ref?")
    wanted = {p: b for p, b in found.items() if p.endswith((".yaml", ".yml")) and ".." not in p.split("/")}
    return CatalogState.of(ref, repository.read(wanted))


def state_of(folder: str | PathLike[str]) -> CatalogState:
    """The catalog in a folder, as it lies there (``catalog/`` of a checkout, or any other).

    Raises:
        CallError: there is no such folder.
        EnvironmentFailure: a file cannot be read.
    """
    top = Path(folder)
    if not top.is_dir():
        raise CallError(
            f"there is no catalog at {top}", hint="give the folder that holds <framework>/<definition>.yaml"
        )
    files: dict[str, bytes] = {}
    for file in sorted(top.rglob("*.y*ml")):
        if file.is_symlink() or not file.is_file():
            continue
        try:
            files[f"{CATALOG}/{file.relative_to(top).as_posix()}"] = file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
    return CatalogState.of(str(folder), files)
