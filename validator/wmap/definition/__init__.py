"""YAML with positions -> model; JSON Schema."""

from __future__ import annotations

from wmap.definition.load import LoadResult, comments, load, load_trusted
from wmap.definition.model import Definition, Kind

__all__ = ["Definition", "Kind", "LoadResult", "comments", "load", "load_trusted"]
