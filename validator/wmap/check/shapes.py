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

_EXAMPLES: dict[str, tuple[str, str, str]] = {
    "S001": (_KUBECTL, "metadata: {name: example-com-job-v1}", "metadata: {name: example-com-job-v1"),
    "S002": (_FORMAT, "kind: Karta", "kind: Job"),
    "S003": (_FORMAT, "rootComponent:", "rootComponents:"),
    "S004": (_FORMAT, "      name: job\n", ""),
    "S005": (_FORMAT, "byPhase: Running", "byPhase: 1"),
    "S006": (_FORMAT, "name: job\n", "name: ''\n"),
    "S007": (
        _FORMAT,
        "    rootComponent:",
        """    additionalChildKinds: [{group: '', version: v1, kind: Pod}, {group: a.io, version: v1, kind: Pod}]
    rootComponent:""",
    ),
    "S008": (_STRANGER, "byPhase: Running", f"byPhase: {'[' * 250}{']' * 250}"),
    "S009": (_KUBECTL, "kind: Karta\n", "kind: Karta\nkind: Karta\n"),
    "S010": ("this catalog: a file is named like the one definition in it", "metadata:", "---\nmetadata:"),
    "S011": (_STRANGER, "byPhase: Running", "byPhase: !!python/name:os.system Running"),
}
"""Code -> (source, what stands in the right definition, what stands in its place in the wrong one)."""


def schema_rules() -> tuple[Rule, ...]:
    """The rules of level ``schema``."""
    made = []
    for code, (name, why) in SCHEMA_RULES.items():
        source, right, wrong = _EXAMPLES[code]
        summary = name.replace("-", " ").capitalize() + "."
        bad = RIGHT.replace(right, wrong, 1)
        made.append(Rule(code, name, Level.SCHEMA, Severity.ERROR, summary, why, source, bad, RIGHT))
    return tuple(made)
