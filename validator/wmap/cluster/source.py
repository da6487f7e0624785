"""Where the CRDs of a release come from: a folder, or the repositories that ``wmap contract sync`` keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wmap.cluster.crds import read_folder, read_manifests
from wmap.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wmap.contract.framework import Framework


@dataclass(frozen=True)
class Source:
    """CRDs by framework and release.

    ``folder`` holds those of one release, or a folder FRAMEWORK/RELEASE for each. Without it, the repositories in ``cache`` are read.
    """

    folder: Path | None
    cache: Path

    def crds(self, framework: str, release: str, described: Framework | None) -> list[dict[str, Any]]:
        """The CRDs of a release.

        Raises:
            CallError: there are none.
            WmapError: the repository cannot be had.
        """
        if self.folder is not None:
            own = self.folder / framework / release
            return read_folder(own if own.is_dir() else self.folder)
        if described is None:
            raise CallError(f"nothing says where {framework} comes from", hint="give its CRDs by --crds DIR")
        from wmap.contract.sync import Sync  # noqa: PLC0415  # only where no folder is given

        gathered = Sync(cache=self.cache, store=self.cache).gather(described, release)
        return read_manifests(sorted(gathered.crds.items()))

    def releases(self, framework: str, known: Sequence[str]) -> list[str]:
        """Of the known releases those that there are CRDs of, oldest first.

        Raises:
            CallError: there is no such folder.
        """
        if self.folder is None:
            return list(known)
        if not self.folder.is_dir():
            raise CallError(f"there is no folder {self.folder}", hint="name one that holds CRD manifests")
        there = [r for r in known if (self.folder / framework / r).is_dir()]
        return there or ([] if (self.folder / framework).is_dir() else list(known))
