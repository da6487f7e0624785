"""A repository in a cache: one commit at a time, first without the contents of its files, then those that are asked for.

The cache holds bare repositories, and there is never a working tree: nothing is written under a name that the repository
chose, and so no hooks run, no filters (LFS), no submodules, no symbolic links. Every failure names the repository, and leaves
the cache clean.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wmap.addresses import without_user
from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio.command import DEFAULT_LIMITS, PROTOCOLS, GitLimits, TooLarge, run_git

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_URL = re.compile(r"(https|ssh|file)://(?:([^/@]*)@)?([A-Za-z0-9.:\[\]-]*)(/[^\s\x00-\x1f\x7f]*)?", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|/\.|[/.]$|\.lock(?:/|$)")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", re.ASCII)
_REGULAR = (b"100644", b"100755")


def default_cache() -> Path:
    """The cache folder: ``$XDG_CACHE_HOME/wmap/git``, else ``~/.cache/wmap/git``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "wmap" / "git"


def check_url(url: str) -> str:
    """The address of a repository, where it is one that git may be given.

    Raises:
        CallError: another protocol (``ext::``), an option (``--upload-pack``), a password in it.
    """
    found = _URL.fullmatch(url)
    if found is None or found[3].startswith("-") or (found[1] != "file" and not found[3]) or not found[4]:
        allowed = ", ".join(f"{p}://" for p in PROTOCOLS)
        raise CallError(
            f"{without_user(url)!r} is no address of a git repository", hint=f"it begins with one of {allowed}"
        )
    if found[2] is not None and (found[1] != "ssh" or not _USER.fullmatch(found[2])):
        raise CallError(
            f"the address of {found[3]}{found[4]} holds a user or password",
            hint="leave it out; only ssh:// takes a user",
        )
    return url


def check_ref(name: str) -> str:
    """The name of a tag or branch, where it is one that git may be given.

    Raises:
        CallError: it looks like an option (``--upload-pack=...``), or git forbids it.
    """
    if not name or name == "@" or len(name) > 255 or _BAD_REF.search(name):
        raise CallError(f"{name!r} is no name of a tag", hint="write the tag as the repository has it, such as v1.2.0")
    return name


class Tree(NamedTuple):
    """One commit that was fetched: its name, its date (YYYY-MM-DD, UTC), and the regular files in it: path -> blob."""

    commit: str
    date: str
    files: dict[str, str]


@dataclass
class Repository:
    """A repository, and its place in the cache.

    ``unfiltered`` is True where the server sent contents that nobody had asked for: it does not filter.
    """

    url: str
    cache: Path
    limits: GitLimits = DEFAULT_LIMITS
    unfiltered: bool = field(default=False, init=False)
    folder: Path = field(init=False)
    _tags: dict[str, str] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the address, and give the repository its place."""
        check_url(self.url)
        name = re.sub(r"[^A-Za-z0-9]+", "-", self.url.partition("://")[2]).strip("-")[-60:]
        self.folder = self.cache / f"{name}-{hashlib.sha256(self.url.encode()).hexdigest()[:16]}.git"

    def tags(self) -> dict[str, str]:
        """The tags of the repository with their commits; names that git may not be given are left out. Asked for once.

        Raises:
            EnvironmentFailure: it cannot be reached, or is no repository.
        """
        if self._tags is not None:
            return self._tags
        out = self._git(["ls-remote", "--tags", "--", self.url], "its tags cannot be listed", bare=False)
        found: dict[str, str] = {}
        for line in out.decode("utf-8", "replace").split("\n"):
            commit, _, ref = line.partition("\t")
            name = ref.removeprefix("refs/tags/").removesuffix("^{}")
            if not ref.startswith("refs/tags/") or not _COMMIT.fullmatch(commit) or _BAD_REF.search(name):
                continue
            if ref.endswith("^{}") or name not in found:  # what an annotated tag refers to stands in a line of its own
                found[name] = commit
        self._tags = found
        return found

    def fetch_tag(self, tag: str) -> Tree:
        """The commit of a tag, with the paths of its files, without their contents.

        Raises:
            CallError: the name is none.
            EnvironmentFailure: there is no such tag; unreachable; larger than the limit; the cache cannot be written.
        """
        found = self.tags().get(check_ref(tag))
        if found is None:
            raise EnvironmentFailure(f"{self.url} has no tag {tag}", hint=self._nearest(tag))
        return self.fetch_commit(found)

    def fetch_commit(self, commit: str) -> Tree:
        """The same of a commit by its full name.

        Raises:
            CallError: it is no full name of a commit.
            EnvironmentFailure: as ``fetch_tag``.
        """
        if not _COMMIT.fullmatch(commit):
            raise CallError(f"{commit!r} is no commit", hint="write all its 40 digits")
        with self._locked():
            if commit not in self._objects():
                known = any(kind == "blob" for kind, _ in self._objects().values())
                self._fetch([commit], f"commit {commit[:12]} cannot be fetched", "--depth=1", "--filter=blob:none")
                self.unfiltered = not known and any(kind == "blob" for kind, _ in self._objects().values())
            if self._objects().get(commit, ("", 0))[0] != "commit":
                raise EnvironmentFailure(f"{self.url}: {commit[:12]} is no commit")
            return self._tree(commit)

    def commit_of(self, prefix: str) -> str | None:
        """The full name of the commit that begins so (7 digits or more), from the history of all branches; None: there is none.

        Raises:
            CallError: these are no digits of a commit.
            EnvironmentFailure: as ``fetch_tag``.
        """
        if not re.fullmatch(r"[0-9a-f]{7,64}", prefix, re.ASCII):
            raise CallError(f"{prefix!r} is no beginning of a commit", hint="write at least 7 of its digits")
        history = Repository(self.url, self.cache, self.limits)
        history.folder = self.folder.with_suffix(".history.git")
        return history._find(prefix)

    def _find(self, prefix: str) -> str | None:
        with self._locked():
            self._fetch(["+refs/heads/*:refs/heads/*"], "its history cannot be fetched", "--filter=tree:0")
            found = sorted(n for n, (kind, _) in self._objects().items() if kind == "commit" and n.startswith(prefix))
        return found[0] if len(found) == 1 else None

    def read(self, tree: Tree, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of files of a tree that was fetched, in one go; symbolic links and submodules are no files.

        Raises:
            EnvironmentFailure: there is no such file; the server does not send it; they are too large or too many.
        """
        wanted = {path: tree.files.get(path, "") for path in sorted(paths)}
        missing = next((p for p, blob in wanted.items() if not blob), None)
        if missing is not None:
            raise EnvironmentFailure(f"{self.url} has no file {missing} at {tree.commit[:12]}")
        if len(wanted) > self.limits.files:
            raise EnvironmentFailure(
                f"{self.url}: {len(wanted):,} files are asked for; at most {self.limits.files:,} are read",
                hint="make the globs of the layout in framework.yaml narrower",
            )
        with self._locked():
            absent = sorted(set(wanted.values()) - set(self._objects()))
            if absent:
                self._fetch(absent, "its files cannot be fetched", "--filter=blob:none", ask_for_all=True)
            present = self._objects()
            for path, blob in wanted.items():
                kind, size = present.get(blob, ("", 0))
                if kind != "blob":
                    raise EnvironmentFailure(f"{self.url} does not send the file {path} of {tree.commit[:12]}")
                if size > self.limits.file_size:
                    raise EnvironmentFailure(
                        f"{self.url}: {path} has {size:,} bytes; at most {self.limits.file_size:,} are read"
                    )
            return self._contents(wanted)

    def _contents(self, wanted: dict[str, str]) -> dict[str, bytes]:
        names = sorted(set(wanted.values()))
        out = self._git(["cat-file", "--batch"], "its files cannot be read", stdin=_lines(names))
        blobs: dict[str, bytes] = {}
        at = 0
        for name in names:
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
            blobs[name] = out[end + 1 : end + 1 + size]
            at = end + 2 + size
        return {path: blobs[blob] for path, blob in wanted.items()}

    def _tree(self, commit: str) -> Tree:
        listed = self._git(["ls-tree", "-r", "-z", "--full-tree", commit], "its files cannot be listed")
        files: dict[str, str] = {}
        for entry in listed.split(b"\0"):
            head, _, path = entry.partition(b"\t")
            mode, _, rest = head.partition(b" ")
            if mode in _REGULAR:
                files[path.decode("utf-8", "surrogateescape")] = rest.partition(b" ")[2].decode("ascii")
        shown = self._git(["show", "-s", "--format=%ct", commit], "its date cannot be read")
        return Tree(commit, time.strftime("%Y-%m-%d", time.gmtime(int(shown))), files)

    def _objects(self) -> dict[str, tuple[str, int]]:
        """Type and size of all objects that are really there, by name: nothing is fetched for them."""
        if not (self.folder / "HEAD").exists():
            return {}
        form = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
        damaged = f"its cache {self.folder} cannot be read (remove it)"
        out = self._git(["cat-file", "--batch-all-objects", "--unordered", form], damaged)
        rows = (line.split() for line in out.decode("ascii").split("\n") if line)
        return {name: (kind, int(size)) for name, kind, size in rows}

    def _fetch(self, wanted: list[str], doing: str, *options: str, ask_for_all: bool = False) -> None:
        """Fetch refs or objects; what a failed call leaves is removed."""
        fresh = not (self.folder / "HEAD").exists()
        # to find out what is there already, git would ask the server for objects that were left out on purpose
        negotiation = ["-c", "fetch.negotiationAlgorithm=noop"] if ask_for_all else []
        try:
            if fresh:
                self._make()
            self._git(
                [
                    *negotiation, "fetch", "--quiet", "--no-tags", "--recurse-submodules=no", "--no-write-fetch-head",
                    "--no-auto-maintenance", *options, "--stdin", "origin",
                ],
                doing,
                stdin=_lines(wanted),
            )  # fmt: skip
        except BaseException as error:
            if fresh or isinstance(error, TooLarge):
                shutil.rmtree(self.folder, ignore_errors=True)
            else:
                for left in (*self.folder.rglob("tmp_*"), *self.folder.rglob("*.lock")):
                    left.unlink(missing_ok=True)
            raise

    def _make(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        made = ["init", "--quiet", "--bare", "--template=", "--", str(self.folder)]
        self._git(made, "the cache cannot be made", bare=False)
        settings = {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.url": self.url,
            "remote.origin.promisor": "true",
        }
        for key, value in settings.items():
            self._git(["config", "--local", key, value], "the cache cannot be made")

    def _nearest(self, tag: str) -> str:
        import difflib  # noqa: PLC0415  # a failure only

        near = difflib.get_close_matches(tag, self.tags(), 3, 0.5)
        return f"did you mean {', '.join(near)}?" if near else f"it has {len(self.tags())} tags"

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the repository in the cache alone: several runs may share a cache."""
        try:
            self.cache.mkdir(parents=True, exist_ok=True)
            file = self.folder.with_suffix(".lock").open("wb")
        except OSError as error:
            raise EnvironmentFailure(
                f"{self.url}: the cache {self.cache} cannot be used: {error.strerror}", hint="name another: --cache DIR"
            ) from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _git(self, arguments: list[str], doing: str, *, bare: bool = True, stdin: bytes = b"") -> bytes:
        folder = self.folder if bare else None
        return run_git(
            arguments, url=self.url, doing=doing, folder=folder, home=self.cache, limits=self.limits, stdin=stdin
        )  # fmt: skip


def _lines(items: Iterable[str]) -> bytes:
    return "".join(f"{item}\n" for item in items).encode()
