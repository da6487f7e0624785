"""Workload Map catalog: definitions of AI workload kinds, read and judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap._version import __version__

if TYPE_CHECKING:
    from wmap.api import Catalog
    from wmap.reading.model import Reading

__all__ = ["Catalog", "Reading", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the public names when they are first used: the command line starts without them."""
    if name == "Catalog":
        from wmap.api import Catalog  # noqa: PLC0415

        return Catalog
    if name == "Reading":
        from wmap.reading.model import Reading  # noqa: PLC0415

        return Reading
    raise AttributeError(f"module 'wmap' has no attribute {name!r}")
