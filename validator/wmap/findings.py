"""What a check reports: one finding, with its place, and the fingerprint that survives moved lines."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Severity(StrEnum):
    """How bad a finding is; ``--fail-on`` names the least one that fails a run."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warning, 2 for error: larger is worse."""
        return ("info", "warning", "error").index(self.value)


class Level(StrEnum):
    """The levels of validation, in the order in which they run."""

    SCHEMA = "schema"
    LINT = "lint"
    CONTRACT = "contract"
    FIXTURE = "fixture"
    FUZZ = "fuzz"
    CLUSTER = "cluster"

    @property
    def rank(self) -> int:
        """The place in the order: 0 runs first."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text file. Lines and columns count from 1, columns in characters; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check reports about one definition (or about a file that should hold one).

    ``field`` is the dotted path in the document (``spec.structureDefinition.rootComponent.kind``), ``expression`` the
    whole expression the finding is about, ``span`` the place in ``file`` (the wrong part of the expression, not all
    of it). ``fingerprint`` is filled in by ``fingerprinted``.
    """

    code: str
    name: str
    level: Level
    severity: Severity
    message: str
    hint: str | None = None
    definition: str | None = None
    file: str | None = None
    span: Span | None = None
    field: str | None = None
    expression: str | None = None
    releases: tuple[str, ...] = ()
    old: bool = False
    fingerprint: str = ""

    def sort_key(self) -> tuple[str, int, int, str, str, str]:
        """File, line, column, code, field, message: the order in which findings are shown."""
        line, column = (self.span.line, self.span.column) if self.span else (0, 0)
        return (self.file or "", line, column, self.code, self.field or "", self.message)


@dataclass(frozen=True, slots=True)
class NotRun:
    """A level that did not run for a definition, and why."""

    level: Level
    definition: str | None
    reason: str


def fingerprinted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort the findings and give each its fingerprint.

    The fingerprint is the SHA-256 (hex) of code, definition, field path, expression text and ordinal among equals, so
    that it stays the same when lines move.
    """
    seen: dict[tuple[str, str, str, str], int] = {}
    result = []
    for finding in sorted(findings, key=Finding.sort_key):
        key = (finding.code, finding.definition or "", finding.field or "", finding.expression or "")
        ordinal = seen.get(key, 0)
        seen[key] = ordinal + 1
        digest = hashlib.sha256("\0".join((*key, str(ordinal))).encode("utf-8", "surrogatepass")).hexdigest()
        result.append(replace(finding, fingerprint=digest))
    return tuple(result)


def worst(findings: Sequence[Finding]) -> Severity | None:
    """The worst severity among the findings, None where there are none."""
    return max((f.severity for f in findings), key=lambda s: s.rank, default=None)
