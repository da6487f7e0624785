"""The releases of a repository: its tags ``vMAJOR.MINOR.PATCH``, which version the next one may have, and which ones are given away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.version import FIRST, Version
from wmap.registry.differences import Semantic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wmap.gitio import LocalRepository

FETCH = "git fetch --unshallow --tags"


@dataclass(frozen=True, slots=True)
class Releases:
    """What the tags of a repository say to those who release one of its commits.

    ``tagged``: every version that a tag gives away, to its commit (full name). ``commit`` is the one that is released, ``earlier`` are the
    releases in its history, itself left out, the oldest first.
    """

    commit: str
    tagged: Mapping[Version, str]
    earlier: tuple[Version, ...]

    @classmethod
    def of(cls, repository: LocalRepository, commit: str) -> Releases:
        """The releases as a commit sees them.

        Raises:
            EnvironmentFailure: git fails, or the history is cut off and a release may lie beyond; says what to fetch.
        """
        tagged = {v: c for name, c in repository.tags().items() if (v := _version(name)) is not None}
        within = repository.tags_within(commit)
        before = [v for v, c in tagged.items() if v.release and c != commit and f"v{v}" in within]
        earlier = tuple(sorted(before, key=lambda v: v.key))
        if repository.shallow:
            _check_whole(repository, commit, tagged, earlier)
        return cls(commit, tagged, earlier)

    @property
    def own(self) -> Version | None:
        """The newest version that a tag gives this very commit."""
        return max((v for v, c in self.tagged.items() if c == self.commit), key=lambda v: v.key, default=None)

    @property
    def own_release(self) -> Version | None:
        """The newest release that a tag gives this very commit."""
        mine = (v for v, c in self.tagged.items() if c == self.commit and v.release)
        return max(mine, key=lambda v: v.key, default=None)

    def last(self, wanted: Version | None) -> Version | None:
        """The release before a version; None stands for the version that is to be worked out.

        It is one of an earlier commit where a tag gives this commit the version already: the bundle is then the same as it was before.
        """
        own = self.own_release
        if own is None or (wanted is not None and self.tagged.get(wanted) == self.commit):
            return self.earlier[-1] if self.earlier else None
        return max((own, *self.earlier), key=lambda v: v.key)

    def check(self, found: Version, level: Semantic | None) -> None:
        """Nothing, where a version may be given to this commit; ``level`` is that of the changes since the release before it.

        Raises:
            CallError: it is too low, or is that of another commit.
        """
        last, least = self.last(found), self.least(found, level)
        if last is not None and (found.numbers < least.numbers or found.key <= last.key):
            said = level or ("nothing" if self.tagged.get(last) == self.commit else Semantic.PATCH)
            raise CallError(f"{found} is too low: the changes since {last} are {said}", hint=f"{least} is the lowest")
        other = next((c for v, c in self.tagged.items() if v.key == found.key and c != self.commit), None)
        if other is not None:
            raise CallError(
                f"{found} is given away: v{found} is the commit {other[:12]}, which is not the one to be bundled",
                hint=f"take a higher one with --version V, or bundle that commit with --at v{found}",
            )

    def check_called(self, found: Version, level: Semantic | None) -> None:
        """Nothing, where a version does not call this commit a release that it is none of.

        Raises:
            CallError: no tag gives it that version, and it is neither a pre-release nor what the changes make it.
        """
        least = self.least(found, level)
        if self.tagged.get(found) == self.commit or not found.release or found == least:
            return
        raise CallError(
            f"there is no release {found}: no tag v{found} is here",
            hint=f"name a tagged one; the commit here would be {least}, or --version {found}-dev",
        )

    def least(self, wanted: Version | None, level: Semantic | None) -> Version:
        """The lowest version that changes of a level may have."""
        last = self.last(wanted)
        return FIRST if last is None else last.next(level or Semantic.PATCH)

    @property
    def note(self) -> str | None:
        """What is to be said where this is taken for the first release, None where it is not, or a tag says so."""
        if self.earlier or self.own_release is not None:
            return None
        others = sorted((v for v in self.tagged if v.release), key=lambda v: v.key)
        if others:
            return f"taken for the first release: no tag is in its history (v{others[-1]} is elsewhere)"
        return "taken for the first release: there is no tag vMAJOR.MINOR.PATCH here; git fetch --tags gets those of the remote"


def _version(name: str) -> Version | None:
    """The version that a tag gives away; its name has the form that this program writes."""
    version = Version.read(name) if name.startswith("v") else None
    return version if version is not None and f"v{version}" == name else None


def _check_whole(
    repository: LocalRepository, commit: str, tagged: Mapping[Version, str], earlier: tuple[Version, ...]
) -> None:
    """Nothing, where the history is cut off only beyond the last release.

    Raises:
        EnvironmentFailure: the last release may lie beyond.
    """
    if not earlier:
        raise EnvironmentFailure(
            f"{repository.name} does not hold the release before this commit: no tag of one is in what it has of the history",
            hint=f"its history is cut off: {FETCH}",
        )
    for version, other in sorted(tagged.items(), key=lambda pair: pair[0].key):
        if version.release and version.key > earlier[-1].key and repository.merge_base(other, commit) is None:
            raise EnvironmentFailure(
                f"{repository.name} does not hold how v{version} and this commit hang together",
                hint=f"its history is cut off: {FETCH}",
            )
