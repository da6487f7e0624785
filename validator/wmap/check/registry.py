"""All rules, by code."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from wmap.check import fixtures, ignores, lives, names
from wmap.check.rule import RULES, Rule
from wmap.check.shapes import schema_rules
from wmap.findings import Level

FAMILIES = (
    "structure",
    "language",
    "instances",
    "selectors",
    "statuses",
    "gangs",
    "suspend",
    "contracts",
    "results",
    "forms",
    "vocabularies",
)

_ELSEWHERE = (
    names.FILE_NAME,
    names.DEFINITION_NAME,
    names.KIND_TWICE,
    lives.UNKNOWN_LIFE,
    ignores.UNUSED_IGNORE,
    ignores.BAD_IGNORE,
    *fixtures.RULES,
)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by level and code."""
    for family in FAMILIES:
        import_module(f"wmap.check.{family}")
    return tuple(sorted((*RULES, *_ELSEWHERE, *schema_rules()), key=lambda r: (r.level.rank, r.code)))


def codes_of(*levels: Level) -> set[str]:
    """The codes of the rules of these levels."""
    return {r.code for r in rules() if r.level in levels}
