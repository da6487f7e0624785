"""What a compiled node is, and what all compilers share.

Each node becomes a ``Code``: ``many(value, env)`` gives an iterator of results; where the node has exactly one result on
every value, ``one(value, env)`` gives it without an iterator, which is what makes paths cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from wmap.expr.jq.nodes import Node
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

Scope = Mapping[str, int]
"""The variables in sight and their places in ``env``."""

COMPILERS: dict[type[Node], Callable[[Any, Scope], Code]] = {}
"""How each kind of node is compiled; ``wmap.expr.jq.compiler`` fills it."""


def compile_node(node: Node, scope: Scope) -> Code:
    """Compile a node; ``scope`` maps the variables in sight to their places in ``env``."""
    return COMPILERS[type(node)](node, scope)
