"""The catalog in git: its definitions at a ref, and what a checkout changes."""

from wmap.registry.changed import Changes, changed_since
from wmap.registry.load import catalog_at, definitions_at

__all__ = ["Changes", "catalog_at", "changed_since", "definitions_at"]
