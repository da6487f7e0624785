"""From what a call names to commits and paths; what is missing of a shallow clone is said with the command that fetches it."""

from __future__ import annotations

import difflib
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from wmap.catalog import is_definition
from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio import to_fetch
from wmap.gitio.history import steps
from wmap.registry.state import CATALOG, entry_of

if TYPE_CHECKING:
    from wmap.gitio import LocalRepository


def merge_base(repository: LocalRepository, ref: str, head: str = "HEAD") -> str:
    """The full name of the best common ancestor of a ref and another.

    Raises:
        CallError: there is no such ref, or the histories have nothing in common.
        EnvironmentFailure: the history is cut off before the merge base; says what to fetch.
    """
    base = repository.merge_base(repository.commit(ref), repository.commit(head))
    if base is not None:
        return base
    if repository.shallow:
        raise EnvironmentFailure(
            f"{repository.name} does not hold the merge base of {ref} and {head}", hint=to_fetch(ref)
        )
    raise CallError(
        f"{ref} and {head} have no commit in common", hint="name the branch that this one is to be merged into"
    )


class Range(NamedTuple):
    """Two states to compare: ``after`` None is the checkout as it lies; ``since``: from where ``after`` left ``before``."""

    before: str
    after: str | None
    since: bool = False

    @classmethod
    def of(cls, text: str) -> Range:
        """``A..B``, ``A..`` (to HEAD), ``A...B`` (from their merge base), or ``A`` (to the checkout as it lies).

        Raises:
            CallError: it is none of these.
        """
        found = re.fullmatch(r"(.*?)(\.\.\.?)(.*)", text, re.DOTALL)
        if found is None:
            if not text:
                raise CallError("an empty text is no range of commits", hint="write v1.0.0..HEAD, or v1.0.0")
            return cls(text, None)
        before, dots, after = found.groups()
        return cls(before or "HEAD", after or "HEAD", dots == "...")


def catalog_path(repository: LocalRepository) -> str:
    """Where the catalog lies in the repository: the folder that was named, or ``catalog``."""
    return repository.inside or CATALOG


def entry_path(repository: LocalRepository, ref: str, name: str) -> str:
    """The path of the definition of this name at a ref, or where it was when it was deleted.

    Raises:
        CallError: no definition is, or was, called so; the nearest is named.
        EnvironmentFailure: git fails, or what may be meant was cut off.
    """
    commit = repository.commit(ref)
    top = catalog_path(repository)
    found = {p: b for p, b in repository.files(commit, top).items() if is_definition(Path(p))}
    stems = {PurePosixPath(p).stem: p for p in sorted(found, reverse=True)}
    if name in stems:
        return stems[name]
    texts = repository.read(found)
    names = {entry_of(p, data).name: p for p, data in texts.items()}
    if name in names:
        return names[name]
    for step in steps(repository, [commit], top):
        for touch in step.touches:
            if PurePosixPath(touch.path).stem == name and is_definition(Path(touch.path)):
                return touch.path
    near = difflib.get_close_matches(name, sorted({*names, *stems}), 1, 0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(names))}"
    if repository.shallow:
        raise EnvironmentFailure(f"no definition is called {name} at {ref}", hint=f"{hint} or {to_fetch(ref)}")
    raise CallError(f"no definition is, or was, called {name} at {ref}", hint=hint)
