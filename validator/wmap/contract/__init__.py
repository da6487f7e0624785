"""Contracts: what one upstream release promises about one kind, its fields and its vocabulary."""

from wmap.contract.model import Contract, Facts, Field, Term, TermKind, Vocabulary, steps_of
from wmap.contract.releases import in_order, in_range, release_key
from wmap.contract.store import KindName, Store

__all__ = [
    "Contract",
    "Facts",
    "Field",
    "KindName",
    "Store",
    "Term",
    "TermKind",
    "Vocabulary",
    "in_order",
    "in_range",
    "release_key",
    "steps_of",
]
