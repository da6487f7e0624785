"""Rules about files: what they are called, and what is said across them. L8xx."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from wmap.check.rule import Rule
from wmap.check.shapes import RIGHT
from wmap.findings import Finding, Level, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.definition.model import Definition, Kind

_FILE = "# file: example-com-job-v1.yaml\n"

FILE_NAME = Rule(
    "L801",
    "file-name",
    Level.LINT,
    Severity.ERROR,
    "A file is named like the definition in it.",
    "A reader finds a definition where its name says.",
    "this catalog: a file is found by the kind that it reads",
    RIGHT.replace(_FILE, "# file: job.yaml\n"),
    RIGHT,
)
DEFINITION_NAME = Rule(
    "L802",
    "definition-name",
    Level.LINT,
    Severity.ERROR,
    "A definition is named group-kind-version.",
    "The name says which objects it reads: dots of the group become dashes, the kind is in lower case.",
    "this catalog: a file is found by the kind that it reads",
    RIGHT.replace("example-com-job-v1", "example-com-job-v2"),
    RIGHT,
)
KIND_TWICE = Rule(
    "L803",
    "kind-twice",
    Level.LINT,
    Severity.ERROR,
    "One definition for each kind.",
    "Which of two were used would be chance.",
    "the public library of the format looks a definition up by the kind of its root",
    RIGHT.replace(_FILE, "# file: a/example-com-job-v1.yaml\n")
    + RIGHT.replace(_FILE, "# file: b/example-com-job-v1.yaml\n"),
    RIGHT,
)


def wanted_name(kind: Kind) -> str:
    """What a definition of this kind is called: ``ray-io-raycluster-v1``, ``core-pod-v1``."""
    return f"{kind.group.replace('.', '-') or 'core'}-{kind.kind.lower()}-{kind.version}"


def check_names(definitions: Iterable[Definition]) -> list[list[Finding]]:
    """For each of the definitions that lie side by side what is wrong with its names and its kind."""
    found: list[list[Finding]] = []
    kinds: dict[Kind, Definition] = {}
    for definition in definitions:
        name, kind = definition.name, definition.root.kind
        mine: list[Finding] = []
        found.append(mine)
        stem = PurePath(definition.file or "").stem
        if definition.file is not None and stem != name.value:
            message = f"the file is called {stem}, the definition {name}"
            mine.append(_found(FILE_NAME, message, f"call the file {name}.yaml", definition))
        if kind is None:
            continue
        wanted = wanted_name(kind)
        if name.value != wanted:
            mine.append(_found(DEFINITION_NAME, f"{name} reads {kind}", f"call it {wanted}", definition))
        if kind in kinds:
            message = f"{kinds[kind].file} reads {kind} too"
            mine.append(_found(KIND_TWICE, message, "keep one of the two", definition))
        kinds.setdefault(kind, definition)
    return found


def _found(rule: Rule, message: str, hint: str, definition: Definition) -> Finding:
    name = definition.name
    return Finding(
        rule.code, rule.name, rule.level, rule.severity, message, hint, name.value, definition.file, name.span(), name.field
    )  # fmt: skip
