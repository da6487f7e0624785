"""The catalog in git: its definitions at a ref, what a checkout changes, and what that means to consumers."""

from wmap.registry.changed import Changes, changed_since
from wmap.registry.compare import compare
from wmap.registry.differences import Change, Differences, EntryChanges, FrameworkChanges, Semantic, What
from wmap.registry.load import catalog_at, definitions_at
from wmap.registry.state import CatalogState, Entry, state_at, state_of

__all__ = [
    "CatalogState",
    "Change",
    "Changes",
    "Differences",
    "Entry",
    "EntryChanges",
    "FrameworkChanges",
    "Semantic",
    "What",
    "catalog_at",
    "changed_since",
    "compare",
    "definitions_at",
    "state_at",
    "state_of",
]
