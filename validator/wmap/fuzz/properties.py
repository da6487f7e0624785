"""All properties, by code."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wmap.errors import CallError
from wmap.fuzz.changes import P5
from wmap.fuzz.counts import P3
from wmap.fuzz.instances import P2
from wmap.fuzz.machine import P9
from wmap.fuzz.paths import P1, P6
from wmap.fuzz.podmarks import P7
from wmap.fuzz.removals import P8
from wmap.fuzz.statuses import P4

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.check.rule import Rule
    from wmap.fuzz.property import Property

PROPERTIES = (P1, P2, P3, P4, P5, P6, P7, P8, P9)


def properties(codes: Iterable[str]) -> tuple[Property, ...]:
    """The properties of these codes or names, in their order; all where none is named.

    Raises:
        CallError: there is no such property.
    """
    wanted = list(codes)
    known = {n: p for p in PROPERTIES for n in (p.code, p.rule.name)}
    for code in wanted:
        if code not in known and code.upper() not in known:
            near = difflib.get_close_matches(code.upper(), known, 1, 0.5)
            raise CallError(
                f"no property is called {code}",
                hint=(f"did you mean {near[0]}? " if near else "")
                + f"there are: {', '.join(p.code for p in PROPERTIES)}",
            )
    chosen = {(known.get(c) or known[c.upper()]).code for c in wanted}
    return tuple(p for p in PROPERTIES if not chosen or p.code in chosen)


def fuzz_rules() -> tuple[Rule, ...]:
    """The rules of level fuzz, for ``wmap rule`` and reports."""
    return tuple(p.rule for p in PROPERTIES)
