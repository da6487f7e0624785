"""The catalog in git: its definitions at a ref, from the object database."""

from wmap.registry.load import catalog_at, definitions_at

__all__ = ["catalog_at", "definitions_at"]
