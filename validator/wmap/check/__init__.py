"""The rules, one module per family, and the levels that run them."""

from __future__ import annotations

from wmap.check.registry import rules
from wmap.check.rule import Rule
from wmap.check.run import Result, validate, validate_catalog, validate_paths

__all__ = ["Result", "Rule", "rules", "validate", "validate_catalog", "validate_paths"]
