"""Workload Map catalog: definitions of AI workload kinds, read and judged."""

from __future__ import annotations

from wmap._version import __version__

__all__ = ["__version__"]
