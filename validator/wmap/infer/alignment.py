"""Whether two expressions give as many results in the same order on every document: instances and their counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wmap.expr import Part
from wmap.expr.typing import (
    Link,
    Typing,
)


class Verdict(StrEnum):
    """What is known of an alignment."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Alignment:
    """Whether the results of two expressions pair up, why not, and the piece that is at fault (of ``second``'s text, or not)."""

    verdict: Verdict
    reason: str = ""
    part: Part | None = None
    second: bool = True


def aligned(a: Typing, b: Typing) -> Alignment:
    """Whether two expressions give equal numbers of results, wherever neither raises."""
    one = [p.links for p in a.positions]
    two = [p.links for p in b.positions]
    if _same(one, two):
        return Alignment(Verdict.PROVED)
    if len(one) == len(two) == 1:
        return _differ(one[0], two[0])
    if all(not x for x in one) and all(not x for x in two):
        return Alignment(Verdict.REFUTED, f"{len(one)} results against {len(two)}")
    for links, second in ((one, False), (two, True)):
        for link in (x for chain in links for x in chain):
            if link.certain and not link.each:
                return Alignment(_sure(one, two, second=second), link.reason, link.part, second)
    return Alignment(Verdict.UNKNOWN, "the numbers of results cannot be compared")


def _same(one: list[tuple[Link, ...]], two: list[tuple[Link, ...]]) -> bool:
    return len(one) == len(two) and all(
        len(x) == len(y)
        and all(m.key is not None and m.key == n.key and m.each == n.each for m, n in zip(x, y, strict=True))
        for x, y in zip(one, two, strict=True)
    )


def _sure(one: list[tuple[Link, ...]], two: list[tuple[Link, ...]], *, second: bool) -> Verdict:
    """Whether the dropped entry makes the counts differ: the rest of the first position is what the other has."""
    mine, other = (two, one) if second else (one, two)
    rest = [link for link in mine[0] if not (link.certain and not link.each)] if mine else []
    return Verdict.REFUTED if len(other) == 1 and _same([tuple(rest)], other) else Verdict.UNKNOWN


def _differ(x: tuple[Link, ...], y: tuple[Link, ...]) -> Alignment:
    drops = [(link, second) for chain, second in ((x, False), (y, True)) for link in chain if not link.each]
    if drops:
        link, second = drops[0]
        verdict = _sure([x], [y], second=second) if link.certain else Verdict.UNKNOWN
        return Alignment(verdict, link.reason, link.part, second)
    for chain, other, second in ((y, x, True), (x, y, False)):
        keys = {link.key for link in other}
        for link in chain:
            if link.key not in keys:
                sure = all(m.certain and m.key is not None for m in (*x, *y))
                reason = f"it iterates {link.reason or 'what'}, which the other does not"
                return Alignment(Verdict.REFUTED if sure else Verdict.UNKNOWN, reason, link.part, second)
    return Alignment(Verdict.UNKNOWN, "the collections are iterated in another order")
