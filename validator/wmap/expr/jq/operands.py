"""The expressions between commas."""

from __future__ import annotations

from wmap.expr.jq.nodes import Comma, Node


def operands(node: Node) -> list[Node]:
    """The expressions between the commas of a body, in order."""
    found: list[Node] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Comma):
            pending += (current.right, current.left)
        else:
            found.append(current)
    return found
