"""Globs over the paths of a repository: ``*`` and ``?`` within a folder, ``**`` over folders (none, too)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """The paths that one of the globs fits, sorted."""
    patterns = [_pattern(glob) for glob in globs]
    return sorted(path for path in paths if any(p.fullmatch(path) for p in patterns))


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    text = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        text += {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return re.compile(text, re.DOTALL)
