"""A cluster run: for each framework and release the CRDs, the served schema, and every fixture of the definitions, step by step."""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
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
from wmap.errors import EnvironmentFailure, WmapError
from wmap.findings import Finding, Severity
from wmap.reading.objects import read_objects
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
    outcome when it is there. ``create``: objects are created; else only tried, by a dry run. ``alone``: no controller of Kubernetes runs,
    which would write statuses of its own kinds and take pods without owners away. ``samples``: manifests to try too, in a folder, or in
    FRAMEWORK/samples below it.
    """

    server: Server
    source: Source | None
    fixtures: Path
    store: Store = field(default_factory=Store)
    tell: Callable[[Outcome], None] = lambda _: None
    jobs: int = 1
    create: bool = True
    alone: bool = True
    samples: Path | None = None
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
        if framework == KUBERNETES:
            release = self._core_release()
            entries = [replace(e, release=release) for e in entries]
        subject = Subject(framework, release)
        begun = time.monotonic()
        crds: list[dict[str, Any]] = []
        if framework != KUBERNETES and self.source is not None:
            described = description_of(entries[0].definition, framework)
            try:
                crds = self.source.crds(framework, release, described)
                self._installed |= dict.fromkeys(c["metadata"]["name"] for c in crds)
                install(self.server, crds)
            except (Refused, EnvironmentFailure) as error:
                self.server.ready()  # a server that is gone ends the run
                yield Outcome(Step.INSTALL, subject, Result.FAILED, error.message, seconds=time.monotonic() - begun)
                return
            yield Outcome(Step.INSTALL, subject, Result.PASSED, seconds=time.monotonic() - begun)
        yield from self._schemas(framework, release, entries)
        for entry in entries:
            yield from self._entry(entry, crds)
        if self.samples is not None:
            own = self.samples / framework / "samples"
            yield from self._samples(own if own.is_dir() else self.samples, subject, entries, crds)

    def _core_release(self) -> str:
        """The stored release of Kubernetes that the server is of, else its own version."""
        own = self.server.version()
        minor = own.rpartition(".")[0]
        return next((r for r in self.store.releases(KUBERNETES) if r.rpartition(".")[0] == minor), own)

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
        except EnvironmentFailure as error:
            self.server.ready()  # a server that is gone ends the run
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

    def _samples(
        self, folder: Path, subject: Subject, entries: Sequence[Entry], crds: Sequence[dict[str, Any]]
    ) -> Iterator[Outcome]:
        """Try the objects of a folder of manifests that are of a kind of this framework."""
        plans = {(e.definition.kind.api_version, e.definition.kind.kind): compile_plan(e.definition) for e in entries}
        groups = {e.definition.kind.group for e in entries}
        place = Place(self.server, f"wmap-{secrets.token_hex(4)}", alone=self.alone)
        documents = sorted(_documents(folder), key=lambda d: str(d[2].get("apiVersion")))
        try:
            place.make()
            version = ""
            for file, line, obj in documents:
                api, kind = str(obj.get("apiVersion")), str(obj.get("kind"))
                group, _, asked = api.rpartition("/")
                if group not in groups:
                    continue
                where = replace(subject, file=file, where=line)
                plan = plans.get((api, kind))
                if plan is not None and api != version:
                    self._store_as(crds, group, asked)
                    version = api
                resource = self.server.resource(api, kind)
                if resource is None:
                    yield Outcome(Step.ADMIT, where, Result.NOT_RUN, f"the server does not serve {api} {kind}")
                    continue
                judged = None
                if plan is not None:
                    where = replace(where, definition=plan.name)
                    judged = Judged(plan, resource, where, create=self.create)
                yield from try_sample(place, judged, resource, obj, where)
        finally:
            place.remove()

    def _store_as(self, crds: Sequence[dict[str, Any]], group: str, version: str) -> None:
        """Store a version of those kinds that have it: what is stored in another version loses what that one does not have."""
        own = [
            c for c in crds if c["spec"]["group"] == group and any(v["name"] == version for v in c["spec"]["versions"])
        ]
        install(self.server, own, stored={c["metadata"]["name"]: version for c in own})

    def _entry(self, entry: Entry, crds: Sequence[dict[str, Any]]) -> Iterator[Outcome]:
        definition, kind = entry.definition, entry.definition.kind
        subject = Subject(entry.framework, entry.release, definition.name.value)
        own = [c for c in crds if (c["spec"]["group"], c["spec"]["names"]["kind"]) == (kind.group, kind.kind)]
        status = None
        if own:
            versions = {v["name"]: v for v in own[0]["spec"]["versions"]}
            if kind.version in versions:
                self._store_as(own, kind.group, kind.version)
                schema = versions[kind.version].get("schema", {}).get("openAPIV3Schema", {})
                status = (schema.get("properties") or {}).get("status")
        resource = self.server.resource(kind.api_version, kind.kind)
        if resource is None:
            yield Outcome(Step.ADMIT, subject, Result.NOT_RUN, f"the server does not serve {kind}")
            return
        plan = compile_plan(definition)
        core = entry.framework == KUBERNETES
        create = self.create and (self.alone or not core)
        judged = Judged(plan, resource, subject, status, newest=entry.newest or core, create=create)
        if self.create and not create:
            reason = "the cluster acts on objects of this kind: they are only tried, by dry runs"
            yield Outcome(Step.STATUS, subject, Result.NOT_RUN, reason)
        place = Place(self.server, f"wmap-{secrets.token_hex(4)}", alone=self.alone)
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


def _documents(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The objects of the manifests of a folder, with the files and lines that they stand in."""
    for file in sorted(f for f in folder.glob("*.y*ml") if f.is_file()):
        for read in read_objects([str(file)]):
            yield str(file), f"line {read.line}", read.value


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
