"""The definitions of a catalog as they stand at a ref: read from the object database, nothing is checked out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wmap.catalog import FRAMEWORK, Definitions, is_definition
from wmap.errors import CallError
from wmap.gitio import LocalRepository

if TYPE_CHECKING:
    from os import PathLike

CATALOG = "catalog"


def catalog_at(folder: str | PathLike[str], ref: str) -> Definitions:
    """The definitions of the catalog that a folder names, at a ref.

    ``folder`` is a repository (bare, or a checkout: then its ``catalog/`` is read) or the folder of a catalog in a checkout.

    Raises:
        CallError, EnvironmentFailure: as ``definitions_at``.
    """
    with LocalRepository.around(Path(folder)) as repository:
        return definitions_at(repository, ref, repository.inside or CATALOG)


def definitions_at(repository: LocalRepository, ref: str, path: str = CATALOG) -> Definitions:
    """The definitions below ``path`` at a ref: a tag, a branch, a commit, or one of these with ``~N`` or ``^N``.

    Raises:
        CallError: the ref is none, or is not there (the nearest is named); there is no definition below the path.
        EnvironmentFailure: git is not there or fails, a file is too large or was left out of a partial clone.
    """
    commit = repository.commit(ref)
    found = repository.files(commit, path)
    # symbolic links are not among the files; a tree that was made by hand may hold the name `..`
    wanted = {
        p: b
        for p, b in found.items()
        if (is_definition(Path(p)) or Path(p).name == FRAMEWORK) and ".." not in p.split("/")
    }
    if not any(is_definition(Path(p)) for p in wanted):
        raise CallError(f"{repository.name} holds no definition below {path}/ at {ref}", hint="is it another ref?")
    contents = repository.read(wanted)
    return Definitions(
        Path(f"{ref}:{path}"), contents={Path(f"{ref}:{name}"): data for name, data in sorted(contents.items())}
    )
