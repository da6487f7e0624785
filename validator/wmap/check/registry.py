"""All rules, by code."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from wmap.check.rule import RULES, Rule
from wmap.definition.validate import SCHEMA_RULES
from wmap.findings import Level, Severity

FAMILIES = ("structure", "language", "instances", "selectors", "statuses", "gangs")

_MORE = (
    Rule("L801", "file-name", Level.LINT, Severity.ERROR, "A file is named like the definition in it.",
         "A reader finds a definition where its name says."),
    Rule("L802", "definition-name", Level.LINT, Severity.ERROR, "A definition is named group-kind-version.",
         "The name says which objects it reads: dots of the group become dashes, the kind is in lower case."),
    Rule("L803", "kind-twice", Level.LINT, Severity.ERROR, "One definition for each kind.",
         "Which of two were used would be chance."),
    Rule("L901", "unused-ignore", Level.LINT, Severity.WARNING, "An ignore silences something.",
         "One that silences nothing hides the next finding at its place."),
    Rule("L902", "bad-ignore", Level.LINT, Severity.ERROR, "An ignore names a known rule and gives a reason.",
         "`# wmap: ignore[L205] because ...` at the line of the finding, or the line above it."),
    Rule("F001", "fixture-mismatch", Level.FIXTURE, Severity.ERROR, "A fixture reads what it expects.",
         "Fixtures are worked out by hand: a difference is a defect of the definition, or of the fixture."),
    Rule("F002", "fixture-invalid", Level.FIXTURE, Severity.ERROR, "A fixture has an object and what it expects.",
         "What cannot be read tests nothing."),
    Rule("F003", "no-fixtures", Level.FIXTURE, Severity.WARNING, "A definition has fixtures.",
         "Without one nothing shows that the definition is right."),
    Rule("F004", "fixture-of-nothing", Level.FIXTURE, Severity.ERROR, "A folder of fixtures belongs to a definition.",
         "It is named like the definition; otherwise it is never run."),
)  # fmt: skip


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, sorted by code."""
    for family in FAMILIES:
        import_module(f"wmap.check.{family}")
    schema = tuple(
        Rule(code, name, Level.SCHEMA, Severity.ERROR, name.replace("-", " ").capitalize() + ".", why)
        for code, (name, why) in SCHEMA_RULES.items()
    )
    return tuple(sorted((*RULES, *_MORE, *schema), key=lambda r: ("SLF".index(r.code[0]), r.code)))


def rule_by_code(code: str) -> Rule:
    """The rule of this code."""
    return next(r for r in rules() if r.code == code)
