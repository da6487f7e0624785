"""Property-based fuzzing of definitions: objects that a contract admits, mutations of samples, and what holds of every reading."""

from __future__ import annotations

from wmap.fuzz.properties import PROPERTIES, fuzz_rules, properties
from wmap.fuzz.run import EXAMPLES, Found, FuzzResult, Options, Outcome, fuzz

__all__ = [
    "EXAMPLES",
    "PROPERTIES",
    "Found",
    "FuzzResult",
    "Options",
    "Outcome",
    "fuzz",
    "fuzz_rules",
    "properties",
]
