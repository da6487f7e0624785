"""What a compiled node is, and what all compilers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from wmap.expr.protocol import EvaluationError, Part

Env = tuple[Any, ...]
"""The meter of the budget, then the bound variables."""
One = Callable[[Any, Env], Any]
Many = Callable[[Any, Env], Iterator[Any]]


class Code(NamedTuple):
    """A compiled node. ``one`` is None where it may have no result, or several."""

    one: One | None
    many: Many


def single(one: One) -> Code:
    """The code of a node with exactly one result."""

    def many(v: Any, env: Env) -> Iterator[Any]:
        yield one(v, env)

    return Code(one, many)


def placed(error: EvaluationError, part: Part) -> EvaluationError:
    """The error, with the piece of the expression that raised it."""
    if error.part is None:
        error.part = part
    return error


END: Any = object()
"""No result: to tell it from null."""
