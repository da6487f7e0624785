"""The text of a file and places in it: from an offset in a decoded scalar back to line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wmap.findings import Span


class Mark(Protocol):
    """The place of a value in a file (to be replaced by the real class)."""

    def span(self, start: int, end: int) -> Span:
        """The place of characters ``start`` to ``end`` of the decoded value."""
        ...
