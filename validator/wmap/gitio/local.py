"""A repository of this machine, read from its object database: a checkout, a linked worktree or a bare clone.

Its own configuration is never read by git: git is given a folder of our own that only points at its objects and refs. So no
filter, hook, alias, include, promisor remote, graft or replacement object of a hostile repository has an effect.
"""

from __future__ import annotations

import difflib
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio.command import DEFAULT_LIMITS, GitLimits, run_git
from wmap.gitio.repository import check_ref

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEPS = re.compile(r"(?:[~^][0-9]{0,6})*\Z", re.ASCII)
_CONFIG = "[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n\tcommitGraph = false\n{extensions}"
_SHA256 = re.compile(rb"^\s*objectformat\s*=\s*\"?sha256", re.IGNORECASE | re.MULTILINE)


_COMMIT = re.compile(r"[0-9a-f]{7,64}", re.ASCII)


def to_fetch(ref: str) -> str:
    """What to call so that a shallow clone has a ref, and its history."""
    name = ref.partition("~")[0].partition("^")[0]
    branch = name.removeprefix("origin/")
    if name in ("HEAD", "") or _COMMIT.fullmatch(name):
        wanted = "--tags origin"
    else:
        # a clone of one branch would not keep another under its name without being told to
        wanted = f"origin {branch}:refs/remotes/{name}" if branch != name else f"--tags origin {name}"
    return f"its history is cut off: git fetch --unshallow {wanted}"


def check_revision(name: str) -> str:
    """The name of a commit (tag, branch, commit; ``~N`` and ``^N`` may follow), where it is one that git may be given.

    Raises:
        CallError: it looks like an option, or git forbids it.
    """
    steps = _STEPS.search(name)
    try:
        check_ref(name[: steps.start()] if steps else name)
    except CallError:
        raise CallError(
            f"{name!r} is no name of a commit", hint="write a tag, a branch or a commit, such as v1.2.0 or HEAD~1"
        ) from None
    return name


@dataclass
class LocalRepository:
    """A repository of this machine, for reading; ``with`` removes its stand-in at the end.

    ``name`` is for messages; ``inside`` is the folder that was asked for, as seen from the top of the checkout (``""`` for the
    top itself and for a bare repository); ``shallow`` says that its history is cut off, ``bare`` that there is no checkout.
    """

    name: str
    inside: str
    own: Path
    common: Path
    limits: GitLimits = DEFAULT_LIMITS
    bare: bool = False

    def __post_init__(self) -> None:
        """Make the stand-in that git is given."""
        self._home = Path(tempfile.mkdtemp(prefix="wmap-git-"))
        try:
            self._stand_in()
        except OSError as error:
            self.close()
            raise EnvironmentFailure(f"{self.name} cannot be read: {error.strerror}") from error

    @classmethod
    def around(cls, folder: Path) -> Self:
        """The repository that a folder is, or lies in.

        Raises:
            CallError: there is none.
            EnvironmentFailure: it cannot be read, or keeps its refs in a form that is not read.
        """
        if not folder.is_dir():
            raise CallError(f"there is no folder {folder}", hint="name a git repository, or a folder in one")
        start = folder.resolve()
        for place in (start, *start.parents):
            own = _git_folder(place)
            if own is None:
                continue
            inside = "" if place in (own, start) else start.relative_to(place).as_posix()
            link = own / "commondir"
            common = (own / link.read_text(encoding="utf-8").strip()).resolve() if link.is_file() else own
            if (common / "reftable").is_dir():
                raise EnvironmentFailure(
                    f"{folder} keeps its refs as a reftable, which is not read",
                    hint="clone it with --ref-format=files, and name the clone",
                )
            return cls(str(folder), inside, own, common, bare=place == own)
        raise CallError(f"{folder} is not in a git repository", hint="name a git repository, or a folder in one")

    @property
    def shallow(self) -> bool:
        """Whether the history is cut off."""
        return (self.common / "shallow").is_file()

    def commit(self, ref: str) -> str:
        """The full name of the commit that a ref names.

        Raises:
            CallError: the ref is none, is not there (the nearest is named), or names no commit.
            EnvironmentFailure: it is not there, and may lie beyond where the history is cut off; says what to fetch.
        """
        check_revision(ref)
        out = self.git(["cat-file", "--batch-check"], f"{ref} cannot be looked up", f"{ref}^{{commit}}\n".encode())
        words = out.decode("utf-8", "replace").split()
        if len(words) == 3 and words[1] == "commit":  # name, type, size
            return words[0]
        if words[-1:] == ["ambiguous"]:
            raise CallError(f"{self.name}: {ref} begins several commits", hint="write more of its digits")
        # a version or branch that is like another one lies beyond the cut more likely than it is misspelt
        near = self._nearest(ref, 0.75 if self.shallow else 0.5)
        if self.shallow:
            hint = f"{near} or {to_fetch(ref)}" if near is not None else to_fetch(ref)
            raise EnvironmentFailure(f"{self.name} has no commit {ref}", hint=hint)
        raise CallError(f"{self.name} has no commit {ref}", hint=near or self._has())

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits (full names), None where what is here of their histories has none."""
        # not `merge-base`, which ends with an error where there is none
        out = self.git(["rev-parse", "--end-of-options", f"{one}...{other}"], "the merge base cannot be found")
        excluded = [line[1:] for line in out.decode("ascii", "replace").splitlines() if line.startswith("^")]
        return excluded[0] if excluded else None

    def refs(self) -> list[str]:
        """The names of tags and branches, also of remotes, sorted."""
        out = self.git(["for-each-ref", "--format=%(refname)"], "its refs cannot be listed")
        names = (line.split("/", 2)[-1] for line in out.decode("utf-8", "replace").splitlines())
        return sorted(set(names))

    def tags(self) -> dict[str, str]:
        """The commits (full names) of the tags, by name; what tags something else is left out."""
        names = self._tag_names([])
        asked = "".join(f"refs/tags/{name}^{{commit}}\n" for name in names).encode("utf-8", "surrogateescape")
        out = self.git(["cat-file", "--batch-check"], "its tags cannot be looked up", asked)
        rows = (line.split() for line in out.decode("utf-8", "surrogateescape").split("\n"))
        return {name: row[0] for name, row in zip(names, rows, strict=False) if len(row) == 3 and row[1] == "commit"}

    def tags_within(self, commit: str) -> set[str]:
        """The names of the tags in the history of a commit (full name), its own among them."""
        return set(self._tag_names([f"--merged={commit}"]))

    def _tag_names(self, options: list[str]) -> list[str]:
        out = self.git(["for-each-ref", *options, "--format=%(refname)", "refs/tags/"], "its tags cannot be listed")
        return [line.removeprefix("refs/tags/") for line in out.decode("utf-8", "surrogateescape").splitlines()]

    def files(self, commit: str, path: str) -> dict[str, str]:
        """The regular files below a path of a commit: path -> blob.

        Raises:
            EnvironmentFailure: more files than are read.
        """
        out = self.git(["ls-tree", "-r", "-z", "--full-tree", commit, "--", path], "its files cannot be listed")
        found: dict[str, str] = {}
        for entry in out.split(b"\0"):
            head, _, name = entry.partition(b"\t")
            if head.startswith((b"100644 ", b"100755 ")):
                found[name.decode("utf-8", "surrogateescape")] = head.split()[2].decode("ascii")
        if len(found) > self.limits.files:
            raise EnvironmentFailure(
                f"{self.name}: {len(found):,} files below {path}; at most {self.limits.files:,} are read"
            )
        return found

    def read(self, blobs: Mapping[str, str]) -> dict[str, bytes]:
        """The contents of files: path -> bytes, for path -> blob.

        Raises:
            EnvironmentFailure: a file is not there (a partial clone), or is too large.
        """
        names = sorted(set(blobs.values()))
        asked = "".join(f"{name}\n" for name in names).encode()
        sizes: dict[str, int] = {}
        checked = self.git(["cat-file", "--batch-check"], "its files cannot be looked up", asked)
        for line in checked.decode("ascii", "replace").splitlines():
            words = line.split()
            if words[1] == "blob":
                sizes[words[0]] = int(words[2])
        for path, blob in blobs.items():
            if blob not in sizes:
                raise EnvironmentFailure(
                    f"{self.name} does not hold the contents of {path}",
                    hint="it is a partial clone, or damaged: clone it without --filter, and name the clone",
                )
            if sizes[blob] > self.limits.file_size:
                raise EnvironmentFailure(
                    f"{self.name}: {path} has {sizes[blob]:,} bytes; at most {self.limits.file_size:,} are read"
                )
        out = self.git(["cat-file", "--batch"], "its files cannot be read", asked)
        contents: dict[str, bytes] = {}
        at = 0
        for name in names:
            begin = out.index(b"\n", at) + 1
            contents[name] = out[begin : begin + sizes[name]]
            at = begin + sizes[name] + 1
        return {path: contents[blob] for path, blob in blobs.items()}

    def close(self) -> None:
        """Remove the stand-in."""
        shutil.rmtree(self._home, ignore_errors=True)

    def __enter__(self) -> Self:
        """The repository itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the stand-in."""
        self.close()

    def _stand_in(self) -> None:
        config = self.common / "config"
        sha256 = config.is_file() and _SHA256.search(config.read_bytes()) is not None
        extensions = "[extensions]\n\tobjectFormat = sha256\n" if sha256 else ""
        text = _CONFIG.format(version=int(sha256), extensions=extensions)
        (self._home / "config").write_text(text, encoding="utf-8")
        (self._home / "HEAD").write_bytes((self.own / "HEAD").read_bytes()[:4096])
        for name in ("objects", "refs", "packed-refs", "shallow"):
            if (self.common / name).exists():
                (self._home / name).symlink_to(self.common / name)

    def _nearest(self, ref: str, least: float) -> str | None:
        """What may have been meant, None where nothing is like it, or it is there and has no such ancestor."""
        refs = self.refs()
        steps = _STEPS.search(ref)
        name, way = (ref[: steps.start()], ref[steps.start() :]) if steps else (ref, "")
        if not refs or name in (*refs, "HEAD"):
            return None
        known: dict[str, str] = {}
        for each in ("HEAD", *refs):
            known.setdefault(each.lower(), each)
        asked = name.lower()
        near = [asked] if asked in known else difflib.get_close_matches(asked, known, 3, least)
        if not near and not self.shallow and not _COMMIT.fullmatch(name):
            # of a short name hardly anything is half alike
            near = [k for k in known if k.startswith(asked)][:3] or difflib.get_close_matches(asked, known, 1, 0.2)
        return f"did you mean {', '.join(f'{known[n]}{way}' for n in near)}?" if near else None

    def _has(self) -> str:
        known = self.refs()
        return f"it has {len(known)} tags and branches, and no such ancestor" if known else "it has no commit yet"

    def git(self, arguments: list[str], doing: str, stdin: bytes = b"") -> bytes:
        """What git writes there. The arguments are the caller's own: a name that came from outside goes through ``check_revision``.

        Raises:
            EnvironmentFailure: git fails; the message says what was being done.
        """
        return run_git(
            arguments, url=self.name, doing=doing, folder=self._home, home=self._home, limits=self.limits, stdin=stdin
        )  # fmt: skip


def _git_folder(place: Path) -> Path | None:
    """The git folder of a place: ``.git``, what the file ``.git`` names, or the place itself where it is bare."""
    inner = place / ".git"
    if inner.is_dir():
        return inner
    if inner.is_file():
        with inner.open("rb") as file:
            said = file.read(4096).decode("utf-8", "replace").strip()
        target = (place / said.removeprefix("gitdir:").strip()).resolve()
        return target if said.startswith("gitdir:") and target.is_dir() else None
    bare = (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir()
    return place if bare else None
