"""Find, load and look up the definitions of one folder tree: ``catalog/<framework>/<group-kind-version>.yaml``."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.data import data_root
from wmap.definition import Kind, load_trusted
from wmap.errors import CallError, EnvironmentFailure, UnknownKindError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wmap.definition import Definition

FRAMEWORK = "framework.yaml"
_REMEMBERED = 100
"""Kinds without a definition of which the hint is kept: to find the nearest takes a while."""


def default_folder() -> Path:
    """The catalog that comes with the package."""
    return data_root() / "catalog"


def is_definition(path: Path) -> bool:
    """Whether a file of a catalog is a definition, by its name."""
    return path.name != FRAMEWORK and path.suffix in (".yaml", ".yml")


def definition_files(folder: Path) -> list[Path]:
    """The files of definitions below a folder, sorted.

    Raises:
        CallError: there is no such folder, or no definition in it.
    """
    if not folder.is_dir():
        raise CallError(
            f"there is no catalog at {folder}", hint="give the folder that holds <framework>/<definition>.yaml"
        )
    found = sorted(p for p in folder.rglob("*.y*ml") if is_definition(p))
    if not found:
        raise CallError(f"the catalog {folder} holds no definition", hint="files are <framework>/<definition>.yaml")
    return found


class Definitions:
    """The definitions of a folder, loaded when they are first looked up.

    ``contents`` holds the files where they do not lie in a folder (a git ref), ``framework.yaml`` among them; ``folder`` then is only
    for messages.
    """

    def __init__(self, folder: Path | None = None, *, contents: Mapping[Path, bytes] | None = None) -> None:
        self.folder = folder or default_folder()
        self.contents = contents
        self.files = definition_files(self.folder) if contents is None else sorted(filter(is_definition, contents))
        self._by_file: dict[Path, Definition] = {}
        self._by_kind: dict[tuple[str, str], Definition] = {}
        self._hints: dict[Kind, str] = {}

    def all(self) -> list[Definition]:
        """All definitions, by file name."""
        return [self._load(file) for file in self.files]

    def find(self, api_version: str, kind: str) -> Definition:
        """The definition that reads objects of this kind.

        Raises:
            UnknownKindError: none does; says which kinds are known, and the nearest.
        """
        found = self._by_kind.get((api_version, kind))
        if found is not None:
            return found
        wanted = Kind.of(api_version, kind)
        if wanted in self._hints:
            raise UnknownKindError(str(wanted), hint=self._hints[wanted])
        # a file is named like its definition, group-kind-version: most likely the only one that need be read
        name = f"{wanted.group.replace('.', '-') or 'core'}-{kind.lower()}-{wanted.version}"
        for file in sorted(self.files, key=lambda f: f.stem != name):
            definition = self._load(file)
            if definition.kind == wanted:
                self._by_kind[api_version, kind] = definition
                return definition
        raise self._unknown(wanted)

    def named(self, name: str) -> Definition:
        """The definition of this name.

        Raises:
            CallError: there is none.
        """
        for file in sorted(self.files, key=lambda f: f.stem != name):
            definition = self._load(file)
            if definition.name.value == name:
                return definition
        names = [f.stem for f in self.files]
        near = difflib.get_close_matches(name, names, 1, 0.4)
        raise CallError(
            f"no definition is called {name}",
            hint=f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}",
        )

    def sources(self) -> Iterator[tuple[str, bytes]]:
        """Each file with what stands in it, by name.

        Raises:
            EnvironmentFailure: a file cannot be read.
        """
        for file in self.files:
            yield str(file), self._data(file)

    def text(self, definition: Definition) -> str:
        """The text of a definition of this catalog, as it stands in its file.

        Raises:
            EnvironmentFailure: the file cannot be read.
        """
        return self._data(Path(definition.file or "")).decode("utf-8")

    def framework(self, definition: Definition) -> bytes | None:
        """What stands in the ``framework.yaml`` beside a definition; None where there is none, or it cannot be read."""
        beside = Path(definition.file or "").parent / FRAMEWORK
        if self.contents is not None:
            return self.contents.get(beside)
        try:
            return beside.read_bytes()
        except OSError:
            return None

    def _load(self, file: Path) -> Definition:
        found = self._by_file.get(file)
        if found is None:
            found = self._by_file[file] = load_trusted(self._data(file), file=str(file))
        return found

    def _data(self, file: Path) -> bytes:
        if self.contents is not None:
            return self.contents[file]
        try:
            return file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error

    def _unknown(self, wanted: Kind) -> UnknownKindError:
        known = sorted(str(d.kind) for d in self.all())
        kinds = {str(d.kind.kind): str(d.kind) for d in self.all()}
        near = difflib.get_close_matches(wanted.kind, kinds, 1, 0.5)
        nearest = f"the nearest is {kinds[near[0]]}; " if near else ""
        hint = f"{nearest}known kinds: {', '.join(known)}"
        if len(self._hints) < _REMEMBERED:
            self._hints[wanted] = hint  # manifests hold many objects of few such kinds
        return UnknownKindError(str(wanted), hint=hint)
