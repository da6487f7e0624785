"""Typing an expression over a field of a contract."""

from __future__ import annotations

import difflib

from wmap.expr import Expression
from wmap.expr.static import Place
from wmap.expr.typing import (
    Typing,
    UnknownField,
)


def typing(expression: Expression, field: Place, *, defaulted: bool = False) -> Typing:
    """What is known of an expression on the objects that a field of a contract (its root) admits.

    ``field`` may be ``Remembered``, where many expressions are typed over one tree.
    ``defaulted``: the objects as they are once the API server has given its defaults; else as a user may write them.
    """
    return expression.infer(field, defaulted=defaulted)


def nearest(unknown: UnknownField, most: int = 3) -> tuple[str, ...]:
    """The declared names that are nearest to one that is not declared."""
    lower = {name.lower(): name for name in unknown.names}
    found = difflib.get_close_matches(unknown.key.lower(), lower, most, 0.6)
    return tuple(lower[name] for name in found)
