"""The history of a path in a repository of this machine: which commits touched it, from which contents to which."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wmap.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wmap.gitio.local import LocalRepository

_NAME = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PERSON = re.compile(r"(.*?) ?<[^>]*> (-?[0-9]{1,12}) ([+-])([0-9]{2})([0-9]{2})")


@dataclass(frozen=True, slots=True)
class Touch:
    """What a commit did to one file. ``before`` and ``after`` are blobs, None where the file was not there, or was none.

    Of a merge, ``before`` is that of its first parent, and only what no parent has is a touch.
    """

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """A commit that touched a path. ``parents`` are the nearest commits before it that did, not its own."""

    commit: str
    parents: tuple[str, ...]
    touches: tuple[Touch, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit says of itself. ``date`` is when it was written (ISO 8601), ``refs`` the tags that name it."""

    name: str
    parents: tuple[str, ...]
    author: str
    date: str
    subject: str
    refs: tuple[str, ...] = ()


def steps(repository: LocalRepository, starts: Sequence[str], path: str, *, walk: bool = True) -> list[Step]:
    """The commits that touched a path, newest first, reachable from ``starts`` (full names); without ``walk``, only these.

    Sides of a merge whose contents did not survive it are left out, as git does.

    Raises:
        EnvironmentFailure: git fails; an object is not there (a partial clone).
    """
    out = repository.git(
        [
            "log", "--stdin", *([] if walk else ["--no-walk"]), "--no-show-signature", "--no-renames", "--parents", "-c", "--raw",
            "--no-abbrev", "-z", "--format=%H %P", "--", path,
        ],
        f"the history of {path} cannot be read",
        "".join(f"{name}\n" for name in starts).encode(),
    )  # fmt: skip
    heads: list[list[str]] = []
    touched: list[list[Touch]] = []
    tokens = iter(out.split(b"\0"))
    for token in tokens:
        if token.lstrip(b"\n").startswith(b":"):
            name = next(tokens, b"").decode("utf-8", "surrogateescape")
            touched[-1].append(_touch(token.lstrip(b"\n"), name))
        elif token.strip():
            heads.append([n.decode("ascii") for n in _NAME.findall(token)])
            touched.append([])
    return [Step(h[0], tuple(h[1:]), tuple(t)) for h, t in zip(heads, touched, strict=True)]


def _touch(token: bytes, path: str) -> Touch:
    """``:MODE MODE BLOB BLOB M``, and of a merge one more colon, mode and blob for each further parent."""
    colons = len(token) - len(token.lstrip(b":"))
    words = token[colons:].split()
    modes, blobs = words[: colons + 1], words[colons + 1 : 2 * (colons + 1)]

    def blob(at: int) -> str | None:
        return blobs[at].decode("ascii") if modes[at] in (b"100644", b"100755") else None

    return Touch(path, blob(0), blob(colons))


def cut_off(repository: LocalRepository) -> frozenset[str]:
    """The commits at which the history of a shallow clone is cut off: all that they hold looks as if they had added it."""
    file = repository.common / "shallow"
    return frozenset(file.read_text("ascii", "replace").split()) if file.is_file() else frozenset()


def commits(repository: LocalRepository, names: Iterable[str]) -> dict[str, Commit]:
    """What commits say of themselves, by their full names.

    Raises:
        EnvironmentFailure: git fails, or a commit is not there.
    """
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    out = repository.git(
        ["cat-file", "--batch"], "its commits cannot be read", "".join(f"{name}\n" for name in wanted).encode()
    )
    tags = _tags(repository)
    found: dict[str, Commit] = {}
    at = 0
    for name in wanted:
        end = out.index(b"\n", at)
        words = out[at:end].split()
        if len(words) != 3 or words[1] != b"commit":
            raise EnvironmentFailure(f"{repository.name} does not hold the commit {name[:12]}", hint="is it whole?")
        size = int(words[2])
        found[name] = _commit(name, out[end + 1 : end + 1 + size], tags.get(name, ()))
        at = end + 2 + size
    return found


def _commit(name: str, data: bytes, refs: tuple[str, ...]) -> Commit:
    head, _, message = data.partition(b"\n\n")
    lines = head.decode("utf-8", "replace").split("\n")
    parents = tuple(x.removeprefix("parent ") for x in lines if x.startswith("parent "))
    author = next((x.removeprefix("author ") for x in lines if x.startswith("author ")), "")
    found = _PERSON.fullmatch(author)
    who, when = (found[1], _date(found)) if found else (author.partition("<")[0].strip(), "")
    text = message.decode("utf-8", "replace").strip("\n")
    return Commit(name, parents, who, when, text.split("\n", 1)[0].strip(), refs)


def _date(found: re.Match[str]) -> str:
    sign = -1 if found[3] == "-" else 1
    try:
        zone = dt.timezone(sign * dt.timedelta(hours=int(found[4]), minutes=int(found[5])))
        return dt.datetime.fromtimestamp(int(found[2]), zone).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _tags(repository: LocalRepository) -> dict[str, tuple[str, ...]]:
    """The tags by the commits that they name."""
    form = "--format=%(objectname) %(*objectname) %(refname)"
    out = repository.git(["for-each-ref", form, "refs/tags"], "its tags cannot be listed")
    found: dict[str, tuple[str, ...]] = {}
    for line in out.decode("utf-8", "replace").splitlines():
        tag, commit, ref = line.split(" ", 2)
        key = commit or tag
        found[key] = (*found.get(key, ()), ref.removeprefix("refs/tags/"))
    return found
