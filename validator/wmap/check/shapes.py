"""The rules of level ``schema``, with an example on each side. The findings are made by ``wmap.definition.validate``."""

from __future__ import annotations

from wmap.check.rule import Rule
from wmap.definition.validate import SCHEMA_RULES
from wmap.findings import Level, Severity

RIGHT = """\
# file: example-com-job-v1.yaml
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-job-v1}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: example.com, version: v1, kind: Job}
      specDefinition: {podTemplateSpecPath: .spec.template}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings: {running: [{byPhase: Running}]}
"""
"""The least definition that is right at every level."""

_FORMAT = "the format's own schema, which the API server enforces"
_KUBECTL = "kubectl, which reads the same files"
_STRANGER = "this catalog: a file comes from a stranger and must not exhaust its reader"

_EXAMPLES: dict[str, tuple[str, str, str, str]] = {
    "S001": (
        "A file is YAML text as kubectl reads it.",
        _KUBECTL,
        "metadata: {name: example-com-job-v1}",
        "metadata: {name: example-com-job-v1",
    ),
    "S002": (
        "A file holds one map with apiVersion run.ai/v1alpha1 and kind Karta.",
        _FORMAT,
        "kind: Karta",
        "kind: Job",
    ),
    "S003": ("A definition has the fields of the format, and no others.", _FORMAT, "rootComponent:", "rootComponents:"),
    "S004": ("What the format requires is there.", _FORMAT, "      name: job\n", ""),
    "S005": (
        "Each value has the type of its field: a text that looks like a number or like true stands in quotes.",
        _FORMAT,
        "byPhase: Running",
        "byPhase: 1",
    ),
    "S006": ("Each value is one that the format allows.", _FORMAT, "name: job\n", "name: ''\n"),
    "S007": (
        "No two entries of a list map have the same key.",
        _FORMAT,
        "    rootComponent:",
        """    additionalChildKinds: [{group: '', version: v1, kind: Pod}, {group: a.io, version: v1, kind: Pod}]
    rootComponent:""",
    ),
    "S008": (
        "A definition is of bounded size and depth.",
        _STRANGER,
        "byPhase: Running",
        f"byPhase: {'[' * 250}{']' * 250}",
    ),
    "S009": ("A key stands once in its map.", _KUBECTL, "kind: Karta\n", "kind: Karta\nkind: Karta\n"),
    "S010": (
        "A file holds one document.",
        "this catalog: a file is named like the one definition in it",
        "metadata:",
        "---\nmetadata:",
    ),
    "S011": (
        "A file has no tags, and few aliases.",
        _STRANGER,
        "byPhase: Running",
        "byPhase: !!python/name:os.system Running",
    ),
}
"""Code -> (summary, source, what stands in the right definition, what stands in its place in the wrong one)."""


def schema_rules() -> tuple[Rule, ...]:
    """The rules of level ``schema``."""
    made = []
    for code, (name, why) in SCHEMA_RULES.items():
        summary, source, right, wrong = _EXAMPLES[code]
        bad = RIGHT.replace(right, wrong, 1)
        made.append(Rule(code, name, Level.SCHEMA, Severity.ERROR, summary, why, source, bad, RIGHT))
    return tuple(made)
