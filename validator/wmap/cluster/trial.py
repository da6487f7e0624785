"""Try the moments of a fixture on a server: admit, read back, status, pods, changes; and whether samples are admitted."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wmap.cluster.changes import Changes, reading_differs
from wmap.cluster.outcome import Outcome, Result, Step, Subject
from wmap.cluster.place import required_times
from wmap.cluster.rules import CHANGE, DEFAULTS, PODS, READING, REFUSED, STATUS_REFUSED, SUSPEND, TAKEN
from wmap.cluster.server import Refused
from wmap.findings import Finding
from wmap.reading.patch import same
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wmap.check.fixtures import Moment
    from wmap.check.rule import Rule
    from wmap.cluster.place import Place
    from wmap.cluster.server import Resource
    from wmap.reading.plan import Plan

_OF_PODS = ("attribution", "ready", "replicaGroups", "gang")


@dataclass(frozen=True)
class Judged:
    """A definition at a release that a server serves. ``status``: the schema of the status, None for kinds of Kubernetes' own.

    ``newest``: the release is the newest one, for which fixtures are written: what is refused of an older one did not run. ``create``:
    objects are created, and not only tried.
    """

    plan: Plan
    resource: Resource
    subject: Subject
    status: Any = None
    newest: bool = True
    create: bool = True


class Trial:
    """The moments of one fixture, one after the other."""

    def __init__(self, place: Place, judged: Judged, turn: int = 0) -> None:
        self.place = place
        self.judged = judged
        self._changes = Changes(place, judged.resource, judged.plan, turn)
        self._live: Any = None
        self._spec: Any = None

    def run(self, moments: Sequence[Moment]) -> Iterator[Outcome]:
        """Try each moment; takes away what it made, also where it is interrupted.

        Raises:
            EnvironmentFailure: the server cannot be reached.
        """
        try:
            for moment in moments:
                yield from self._moment(moment)
        finally:
            self._end()

    def _end(self) -> None:
        self.place.clear_pods()
        if self._live is not None:
            self.place.delete(self.judged.resource, self._live["metadata"]["name"])
            self._live = None

    def _moment(self, moment: Moment) -> Iterator[Outcome]:
        timed = _Timed(self.judged, moment)
        spec = {k: v for k, v in moment.obj.items() if k != "status"}
        fresh = self._live is None or not same(spec, self._spec)
        if fresh:
            self._end()
            try:
                self.place.try_out(self.judged.resource, spec)
                if not self.judged.create:
                    yield timed.passed(Step.ADMIT)
                    return
                self._live, self._spec = self.place.create(self.judged.resource, spec), spec
            except Refused as error:
                yield timed.refused(Step.ADMIT, REFUSED, error)
                return
            yield timed.passed(Step.ADMIT)
            differs = reading_differs(self.judged.plan, spec, self._live)
            yield timed.judged_by(Step.DEFAULTS, DEFAULTS, differs)
            if moment.refused is None:
                yield from self._try_changes(timed)
        if "status" in moment.obj or not fresh:
            try:
                self._put_status(moment.obj.get("status"), again=not fresh)
            except Refused as error:
                yield timed.refused(Step.STATUS, STATUS_REFUSED, error)
                return
        if moment.refused is not None and self.judged.newest:
            message = f"the server takes the object, but the fixture says: {moment.refused}"
            yield timed.failed(Step.ADMIT, timed.finding(TAKEN, message))
            return
        pods = None
        if moment.pods is not None:
            try:
                pods = self.place.put_pods(moment.pods, moment.obj, self._live)
            except Refused as error:
                yield timed.refused(Step.PODS, PODS, error)
                return
        yield from self._read(moment, pods, timed)

    def _put_status(self, status: Any, *, again: bool) -> None:
        """Write a status. ``again``: over one from before, which a server may refuse as a step back; then over none."""
        resource = self.judged.resource
        full = required_times(self.judged.status, status)
        try:
            self._live = self.place.put_status(resource, self._live, full)
        except Refused:
            if not again:
                raise
            self.place.clear_pods()
            self.place.delete(resource, self._live["metadata"]["name"])
            self._live = self.place.create(resource, self._spec)
            self._live = self.place.put_status(resource, self._live, full)

    def _read(self, moment: Moment, pods: list[Any] | None, timed: _Timed) -> Iterator[Outcome]:
        plan = self.judged.plan
        live, there = _homed(self._live, pods, moment)
        reading = read(plan, live, there)
        wrong = list(moment.mismatches(plan, reading, READING))
        for_status = [f for f in wrong if ".expect.status." in f".{f.field}" or ".expect.suspend" in f".{f.field}"]
        for_pods = [f for f in wrong if f not in for_status and any(p in (f.field or "") for p in _OF_PODS)]
        if moment.pods is not None and not for_pods:
            asked = read(plan, moment.obj, moment.pods).to_dict()["attribution"]
            if not same(asked, reading.to_dict()["attribution"]):
                for_pods = [timed.finding(PODS, "the pods belong elsewhere than by the fixture's own text")]
        rest = [f for f in wrong if f not in for_status and f not in for_pods]
        yield timed.judged_all(Step.STATUS, for_status)
        if moment.pods is not None:
            yield timed.judged_all(Step.PODS, for_pods)
        yield timed.judged_all(Step.DEFAULTS, rest)

    def _try_changes(self, timed: _Timed) -> Iterator[Outcome]:
        try:
            for step, wrong, reason in self._changes.all(self._spec, self._live):
                if reason is not None:
                    yield timed.not_run(step, reason)
                else:
                    yield timed.judged_by(step, SUSPEND if step is Step.SUSPEND else CHANGE, wrong)
        except Refused as error:
            yield timed.judged_by(Step.CHANGE, CHANGE, f"the object cannot be put back as it was: {error.message}")
            self._spec = None  # the next moment begins anew
        self._live = self.place.get(self.judged.resource, self._live["metadata"]["name"])


def try_sample(
    place: Place, judged: Judged | None, resource: Resource, obj: Any, subject: Subject
) -> Iterator[Outcome]:
    """Whether a server admits a sample strictly, and whether it reads alike with the server's defaults (None: nothing reads it).

    What the server refuses is no defect of a definition: it did not run, for the server's reason.
    """
    begun = time.monotonic()
    bare = {k: v for k, v in obj.items() if k != "status"}
    try:
        place.try_out(resource, bare)
    except Refused as error:
        yield Outcome(Step.ADMIT, subject, Result.NOT_RUN, error.message, seconds=time.monotonic() - begun)
        return
    yield Outcome(Step.ADMIT, subject, Result.PASSED, seconds=time.monotonic() - begun)
    if judged is None or not judged.create:
        return
    begun = time.monotonic()
    live = place.create(resource, bare)
    place.delete(resource, live["metadata"]["name"])
    differs = reading_differs(judged.plan, bare, live)
    findings: list[Finding] = []
    if differs is not None:
        name, rule = judged.plan.definition.name, DEFAULTS
        findings.append(
            Finding(
                rule.code, rule.name, rule.level, rule.severity, f"sample {subject.file.rpartition('/')[2]}: {differs}", None,
                name.value, judged.plan.definition.file, name.span(), name.field, releases=(subject.release,),
            )
        )  # fmt: skip
    result = Result.FAILED if findings else Result.PASSED
    yield Outcome(Step.DEFAULTS, subject, result, None, tuple(findings), time.monotonic() - begun)


def _homed(live: Any, pods: list[Any] | None, moment: Moment) -> tuple[Any, list[Any] | None]:
    """The object and its pods as if they were in the namespace that the fixture names."""
    home = (moment.obj.get("metadata") or {}).get("namespace")
    own = live["metadata"]["namespace"]

    def at_home(obj: Any) -> Any:
        metadata = {k: v for k, v in obj["metadata"].items() if k != "namespace"}
        if obj["metadata"].get("namespace") != own:
            metadata["namespace"] = "elsewhere"
        elif home is not None:
            metadata["namespace"] = home
        return {**obj, "metadata": metadata}

    return at_home(live), None if pods is None else [at_home(p) for p in pods]


class _Timed:
    """Makes the outcomes of a moment, with the time since the one before."""

    def __init__(self, judged: Judged, moment: Moment) -> None:
        self._judged = judged
        self._moment = moment
        self._subject = replace(judged.subject, file=moment.file, where=moment.where)
        self._since = time.monotonic()

    def _outcome(self, step: Step, result: Result, reason: str | None = None, found: Sequence[Finding] = ()) -> Outcome:
        now = time.monotonic()
        took, self._since = now - self._since, now
        return Outcome(step, self._subject, result, reason, tuple(found), took)

    def passed(self, step: Step) -> Outcome:
        return self._outcome(step, Result.PASSED)

    def not_run(self, step: Step, reason: str) -> Outcome:
        return self._outcome(step, Result.NOT_RUN, reason)

    def failed(self, step: Step, finding: Finding) -> Outcome:
        return self._outcome(step, Result.FAILED, found=[finding])

    def judged_by(self, step: Step, rule: Rule, wrong: str | None) -> Outcome:
        return self.passed(step) if wrong is None else self.failed(step, self.finding(rule, wrong))

    def judged_all(self, step: Step, found: Sequence[Finding]) -> Outcome:
        return self._outcome(step, Result.FAILED if found else Result.PASSED, found=found)

    def refused(self, step: Step, rule: Rule, error: Refused) -> Outcome:
        """What a refusal means: nothing where the fixture says so, and a defect of the fixture where it does not."""
        if self._moment.refused is not None:
            return self.passed(step)
        if not self._judged.newest:
            return self.not_run(step, f"the fixture is of a later release: {error.message}")
        return self.failed(step, self.finding(rule, error.message))

    def finding(self, rule: Rule, message: str) -> Finding:
        moment, judged = self._moment, self._judged
        return Finding(
            rule.code, rule.name, rule.level, rule.severity, message, None, judged.plan.name, moment.file, moment.span,
            moment.where or "object", releases=(judged.subject.release,),
        )  # fmt: skip
