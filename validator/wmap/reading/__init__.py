"""Definition + object (+ pods) -> reading: quantities, status, gangs, pod attribution, safe change."""

from __future__ import annotations

from wmap.reading.model import Reading
from wmap.reading.plan import Plan, compile_plan
from wmap.reading.read import read

__all__ = ["Plan", "Reading", "compile_plan", "read"]
