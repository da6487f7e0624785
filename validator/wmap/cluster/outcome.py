"""What a cluster run finds out: one outcome for each thing that it tried, and what did not run with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wmap.findings import Finding


class Step(StrEnum):
    """What a run does, in this order."""

    INSTALL = "install"
    SCHEMA = "schema"
    ADMIT = "admit"
    DEFAULTS = "defaults"
    STATUS = "status"
    CHANGE = "change"
    SUSPEND = "suspend"
    PODS = "pods"

    @property
    def meaning(self) -> str:
        """For people."""
        return {
            Step.INSTALL: "the CRDs are installed and served",
            Step.SCHEMA: "the served schema is the stored contract",
            Step.ADMIT: "the object is admitted by a strict dry run, and created",
            Step.DEFAULTS: "it reads as before with the server's defaults",
            Step.STATUS: "its status is taken, and reads as expected",
            Step.CHANGE: "a change is taken, and changes nothing else",
            Step.SUSPEND: "it is suspended and resumed",
            Step.PODS: "its pods belong where the fixture says",
        }[self]


class Result(StrEnum):
    """How it went."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a run judges: a definition of a framework at a release, and of it a file (of a fixture or sample), and a place in that file."""

    framework: str
    release: str
    definition: str = ""
    file: str = ""
    where: str = ""

    def __str__(self) -> str:
        named = "/".join(x for x in (self.framework, self.release, self.definition) if x)
        file = self.file.rpartition("/")[2]
        return f"{named}: {file}{self.where and f' {self.where}'}" if file else named


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that was tried. ``reason`` says why it did not run; ``findings`` are what is wrong; ``seconds`` is what it took."""

    step: Step
    subject: Subject
    result: Result
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
