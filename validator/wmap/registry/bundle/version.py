"""Versions of bundles: Semantic Versioning 2.0.0, and the one that follows a change.

Before 1.0.0 the second number takes the place of the first, as is the custom of package managers: what breaks raises it, all else the
third.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wmap.errors import CallError
from wmap.registry.differences import Semantic

_NUMBER = r"(0|[1-9][0-9]{0,8})"
_PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = re.compile(
    rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z",
    re.ASCII,
)
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Version:
    """A version; ``pre`` is what follows ``-``, ``build`` what follows ``+`` (it has no part in the order)."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    build: str = ""

    @classmethod
    def of(cls, text: str) -> Version:
        """The version that a text is; a ``v`` before it (as tags have it) is left out.

        Raises:
            CallError: it is none.
        """
        found = _SEMVER.match(text) if len(text) <= _LONGEST else None
        if found is None:
            raise CallError(
                f"{text[:_LONGEST]!r} is no version", hint="versions are MAJOR.MINOR.PATCH, such as 1.4.0 or 2.0.0-rc.1"
            )
        return cls(int(found[1]), int(found[2]), int(found[3]), found[4] or "", found[5] or "")

    @classmethod
    def read(cls, text: str) -> Version | None:
        """The version that a text is, None where it is none."""
        try:
            return cls.of(text)
        except CallError:
            return None

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return text + (f"-{self.pre}" if self.pre else "") + (f"+{self.build}" if self.build else "")

    @property
    def release(self) -> bool:
        """Whether it is meant for everyone: no pre-release, and not of a dirty tree."""
        return not self.pre and not self.build

    @property
    def key(self) -> tuple[Any, ...]:
        """What it is sorted by."""
        parts = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.pre.split(".")) if self.pre else ()
        return self.major, self.minor, self.patch, not self.pre, parts

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.major, self.minor, self.patch

    def next(self, level: Semantic) -> Version:
        """The lowest release after this one that a change of this level may have."""
        if level is Semantic.MAJOR and self.major:
            return Version(self.major + 1, 0, 0)
        if level is Semantic.MAJOR or (level is Semantic.MINOR and self.major):
            return Version(self.major, self.minor + 1, 0)
        return Version(self.major, self.minor, self.patch + 1)


FIRST = Version(0, 1, 0)
"""The version of the first bundle, where none is asked for."""
