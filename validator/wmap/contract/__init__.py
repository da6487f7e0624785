"""Contracts: what one upstream release promises about one kind, its fields and its vocabulary."""

from wmap.contract.model import Contract, Facts, Field, Term, TermKind, Vocabulary, steps_of

__all__ = ["Contract", "Facts", "Field", "Term", "TermKind", "Vocabulary", "steps_of"]
