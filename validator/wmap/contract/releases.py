"""The order of releases, and ranges of them, by their tags alone.

A tag counts by its numbers, whatever stands before them (``knative-v1.12.0``, ``main-2025-06-15``); a pre-release suffix sorts
before none, its parts as Semantic Versioning says (``v0.1.0-alpha.3`` < ``v0.1.0-alpha.10`` < ``v0.1.0``).
"""

from __future__ import annotations

import operator
import re
from functools import cache
from typing import TYPE_CHECKING

from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ReleaseKey = tuple[tuple[int, ...], int, tuple[tuple[int, int, str], ...]]
"""Numbers without trailing zeros; 1 for a full release, 0 for a pre-release; the parts of the suffix."""

_NUMBERS = re.compile(r"(?:^|[-_/])v?(\d{4}-\d{2}-\d{2}|\d+(?:\.\d+)*)", re.ASCII)
_PARTS = re.compile(r"\d+|[A-Za-z]+", re.ASCII)
_COMPARATOR = re.compile(r"(>=|<=|==|>|<|=)?([A-Za-z0-9][A-Za-z0-9._/+-]*)", re.ASCII)
_COMPARE: dict[str, Callable[[ReleaseKey, ReleaseKey], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "": operator.eq,
    "=": operator.eq,
    "==": operator.eq,
}


@cache
def release_key(tag: str) -> ReleaseKey:
    """What a tag is sorted by: older releases first. A tag without a number comes before all others."""
    text = tag.partition("+")[0]
    found = _NUMBERS.search(text)
    if found is None:
        return (), 0, _suffix(text)
    numbers = [int(n) for n in re.split(r"[.-]", found[1])]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    suffix = _suffix(text[found.end() :])
    return tuple(numbers), 0 if suffix else 1, suffix


def in_order(tags: Iterable[str]) -> list[str]:
    """The tags, oldest release first."""
    return sorted(tags, key=lambda tag: (release_key(tag), tag))


def in_range(tag: str, range_text: str | None) -> bool:
    """Whether a release lies in a range: comparators separated by spaces that must all hold; None and "" hold for all.

    Raises:
        InputError: the text is no range; says which part of it.
    """
    key = release_key(tag)
    return all(compare(key, bound) for compare, bound in _comparators(range_text or ""))


@cache
def _comparators(text: str) -> tuple[tuple[Callable[[ReleaseKey, ReleaseKey], bool], ReleaseKey], ...]:
    found = []
    for part in text.split():
        match = _COMPARATOR.fullmatch(part)
        bound = release_key(match[2]) if match else None
        if match is None or bound is None or not _NUMBERS.search(match[2]):
            raise InputError(
                f"{part!r} is no range of releases",
                hint='comparators are separated by spaces: ">=v1.0.0 <v1.2.0"; a tag alone is exactly that release',
            )
        found.append((_COMPARE[match[1] or ""], bound))
    return tuple(found)


def _suffix(text: str) -> tuple[tuple[int, int, str], ...]:
    """The parts of a suffix: numbers before words, numbers by value."""
    return tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in _PARTS.findall(text))
