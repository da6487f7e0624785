"""A cluster run: for each framework and release the CRDs, the served schema, and every fixture of the definitions, step by step."""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wmap.check.against import build_beside, drift_from
from wmap.check.drift import Effect
from wmap.check.fixtures import read_fixture
from wmap.check.judged import description_of
from wmap.cluster.crds import install, remove
from wmap.cluster.outcome import Outcome, Result, Step, Subject
from wmap.cluster.place import Place
from wmap.cluster.rules import DRIFT
from wmap.cluster.served import served_core, served_manifests
from wmap.cluster.server import Refused
from wmap.cluster.trial import Judged, Trial, try_sample
from wmap.contract import Store
from wmap.contract.store import KUBERNETES
from wmap.errors import CallError, EnvironmentFailure, WmapError
from wmap.findings import Finding, Severity
from wmap.reading.plan import compile_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from wmap.cluster.server import Server
    from wmap.cluster.source import Source
    from wmap.definition.model import Definition


@dataclass(frozen=True)
class Entry:
    """A definition at one release of its framework; ``newest``: fixtures are written for this release."""

    definition: Definition
    framework: str
    release: str
    newest: bool


@dataclass
class Run:
    """A run on one server.

    ``source`` gives the CRDs; None: what is installed is taken as it is. ``fixtures`` is the folder of fixtures. ``tell`` hears of each
    outcome when it is there.
    """

    server: Server
    source: Source | None
    fixtures: Path
    store: Store = field(default_factory=Store)
    tell: Callable[[Outcome], None] = lambda _: None
    jobs: int = 1
    _installed: dict[str, None] = field(default_factory=dict)

    def all(self, entries: Sequence[Entry]) -> list[Outcome]:
        """Run all entries; what was installed is taken away again, also where it is interrupted.

        Frameworks that claim the same kinds run one after the other.

        Raises:
            EnvironmentFailure: the server cannot be reached any more.
        """
        try:
            groups = list(_apart(entries))
            if self.jobs == 1:
                return [o for g in groups for o in self._told(self._group(g))]
            with ThreadPoolExecutor(self.jobs) as pool:
                found = pool.map(lambda g: list(self._told(self._group(g))), groups)
                return [o for outcomes in found for o in outcomes]
        finally:
            if self._installed and self.source is not None:
                remove(self.server, tuple(self._installed))

    def _told(self, outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            self.tell(outcome)
            yield outcome

    def _group(self, entries: Sequence[Entry]) -> Iterator[Outcome]:
        """The entries of frameworks that share kinds, release after release."""
        for framework, release in dict.fromkeys((e.framework, e.release) for e in entries):
            own = [e for e in entries if (e.framework, e.release) == (framework, release)]
            yield from self._release(framework, release, own)

    def _release(self, framework: str, release: str, entries: Sequence[Entry]) -> Iterator[Outcome]:
        subject = Subject(framework, release)
        begun = time.monotonic()
        crds: list[dict[str, Any]] = []
        if framework != KUBERNETES and self.source is not None:
            described = description_of(entries[0].definition, framework)
            try:
                crds = self.source.crds(framework, release, described)
                self._installed |= dict.fromkeys(c["metadata"]["name"] for c in crds)
                install(self.server, crds)
            except CallError as error:
                yield Outcome(Step.INSTALL, subject, Result.NOT_RUN, error.message)
                return
            except (Refused, EnvironmentFailure) as error:
                self.server.ready()  # a server that is gone ends the run
                yield Outcome(Step.INSTALL, subject, Result.FAILED, error.message, seconds=time.monotonic() - begun)
                return
            yield Outcome(Step.INSTALL, subject, Result.PASSED, seconds=time.monotonic() - begun)
        yield from self._schemas(framework, release, entries)
        for entry in entries:
            yield from self._entry(entry, crds)

    def _schemas(self, framework: str, release: str, entries: Sequence[Entry]) -> Iterator[Outcome]:
        """The served schema against the stored contract, for all entries of a release."""
        begun = time.monotonic()
        definitions = [e.definition for e in entries]
        subject = Subject(framework, release)
        if release not in self.store.releases(framework):
            yield Outcome(Step.SCHEMA, subject, Result.NOT_RUN, f"the store has no contract of {release}")
            return
        try:
            if framework == KUBERNETES:
                built = served_core(self.server)
            else:
                manifests = served_manifests(self.server, ((d.kind.group, d.kind.kind) for d in definitions))
                found = build_beside(definitions, self.store, framework, manifests, release) if manifests else None
                if found is None:
                    yield Outcome(Step.SCHEMA, subject, Result.NOT_RUN, "the server serves none of its kinds")
                    return
                built = found
            drifts = {d.definition: d for d in drift_from(definitions, self.store, framework, built, "served", release)}
        except Refused as error:
            yield Outcome(Step.SCHEMA, subject, Result.NOT_RUN, error.message)
            return
        except WmapError as error:
            yield Outcome(Step.SCHEMA, subject, Result.FAILED, error.message)
            return
        took = (time.monotonic() - begun) / len(definitions)
        for definition in definitions:
            drift = drifts.get(definition.name.value)
            changes = [c for c in drift.changes if c.effect is not Effect.HANDLED] if drift is not None else []
            findings = tuple(
                Finding(
                    DRIFT.code, DRIFT.name, DRIFT.level, Severity.ERROR if c.effect is Effect.BREAK else Severity.WARNING,
                    f"{c.subject}: {c.message} ({c.effect.meaning})" + (f"; read by {', '.join(c.fields)}" if c.fields else ""),
                    None, definition.name.value, definition.file, definition.name.span(), c.fields[0] if c.fields else c.subject,
                    releases=(release,),
                )
                for c in changes
            )  # fmt: skip
            named = Subject(framework, release, definition.name.value)
            yield Outcome(Step.SCHEMA, named, Result.FAILED if findings else Result.PASSED, None, findings, took)

    def _entry(self, entry: Entry, crds: Sequence[dict[str, Any]]) -> Iterator[Outcome]:
        definition, kind = entry.definition, entry.definition.kind
        subject = Subject(entry.framework, entry.release, definition.name.value)
        own = [c for c in crds if (c["spec"]["group"], c["spec"]["names"]["kind"]) == (kind.group, kind.kind)]
        status = None
        if own:
            versions = {v["name"]: v for v in own[0]["spec"]["versions"]}
            if kind.version in versions:
                # what is stored in another version loses what that one does not have
                install(self.server, own, stored={own[0]["metadata"]["name"]: kind.version})
                schema = versions[kind.version].get("schema", {}).get("openAPIV3Schema", {})
                status = (schema.get("properties") or {}).get("status")
        resource = self.server.resource(kind.api_version, kind.kind)
        if resource is None:
            yield Outcome(Step.ADMIT, subject, Result.NOT_RUN, f"the server does not serve {kind}")
            return
        plan = compile_plan(definition)
        judged = Judged(plan, resource, subject, status, newest=entry.newest)
        place = Place(self.server, f"wmap-{secrets.token_hex(4)}")
        try:
            place.make()
            folder = self.fixtures / definition.name.value
            files = sorted(f for f in folder.glob("*.y*ml") if not f.name.startswith("_")) if folder.is_dir() else []
            if not files:
                yield Outcome(Step.ADMIT, subject, Result.NOT_RUN, "it has no fixtures")
            for turn, file in enumerate(files):
                moments, wrong = read_fixture(file, plan)
                if wrong:
                    where = Subject(subject.framework, subject.release, subject.definition, str(file))
                    yield Outcome(Step.ADMIT, where, Result.FAILED, None, tuple(wrong))
                yield from Trial(place, judged, turn).run(moments)
        finally:
            place.remove()


def run_samples(server: Server, samples: Sequence[tuple[str, Any]], subject: Subject) -> Iterator[Outcome]:
    """Try samples (file and object of each) by a strict dry run; in a namespace of their own."""
    place = Place(server, f"wmap-{secrets.token_hex(4)}")
    try:
        place.make()
        for file, obj in samples:
            where = Subject(subject.framework, subject.release, subject.definition, file)
            resource = server.resource(str(obj.get("apiVersion")), str(obj.get("kind")))
            if resource is None:
                reason = f"the server does not serve {obj.get('apiVersion')} {obj.get('kind')}"
                yield Outcome(Step.ADMIT, where, Result.NOT_RUN, reason)
            else:
                yield try_sample(place, resource, obj, where)
    finally:
        place.remove()


def _apart(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Groups of entries that may run side by side: frameworks with kinds of one API group may claim the same names, and are together."""
    groups: list[tuple[set[str], list[Entry]]] = []
    for entry in entries:
        names = {entry.framework, entry.definition.kind.group}
        together = [g for g in groups if g[0] & names]
        for group in together:
            groups.remove(group)
        groups.append((names.union(*(g[0] for g in together)), [*(e for g in together for e in g[1]), entry]))
    yield from (own for _, own in groups)
