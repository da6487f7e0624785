"""One definition and its mutants: does a mutant change anything for a consumer, and which level is the first to notice?"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from wmap.check import rules
from wmap.check.fixtures import differences
from wmap.check.names import check_names
from wmap.check.releases import judge_contract
from wmap.check.rule import Context
from wmap.contract import Store
from wmap.definition.load import load
from wmap.definition.yamlio import DEFINITION_LIMITS, decode, read_documents, read_marked
from wmap.errors import InputError, WmapError
from wmap.findings import Finding, Level, Severity
from wmap.fuzz.engine import Search, seed_of
from wmap.fuzz.mutate import mutated
from wmap.fuzz.objects import Grower
from wmap.fuzz.podfile import load_pods
from wmap.fuzz.properties import properties
from wmap.fuzz.target import Target, targets
from wmap.reading.change import change, resume, suspend
from wmap.reading.patch import apply_merge_patch
from wmap.reading.plan import compile_plan
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from wmap.check.judged import Known
    from wmap.definition.model import Definition
    from wmap.definition.yamlio import Marked
    from wmap.fuzz.selftest.operators import Document, Mutant
    from wmap.reading.plan import Plan

DRAWN = 60
"""Objects that are drawn from the contract, and as many mutated samples, to see whether a mutant changes a reading."""
TRIED = 40
"""Objects of each kind that level fuzz tries on a mutant."""
_PROPERTIES = ("P1", "P2", "P3", "P4", "P5", "P7", "P8")
_SETTINGS = {"schedulerName": "other", "priorityClassName": "high", "label.team": "a", "annotation.note": "b", "image": "other:1",
             "request.cpu": "3"}  # fmt: skip


class State(NamedTuple):
    """A moment of a fixture: the object, its pods where they are known, and what must be read."""

    case: str
    obj: Any
    pods: Any
    expect: Marked | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant. ``changes``: the first thing that a consumer sees otherwise, None where there is none;
    ``caught``: the first level that notices, with the code of its finding.
    """

    definition: str
    operator: str
    place: str
    changes: str | None
    caught: Level | None = None
    code: str | None = None


class Judge:
    """Judges the mutants of one definition. What the definition itself has to be said of it is no catch."""

    def __init__(self, file: Path, fixtures: Path, seed: int = 0) -> None:
        data = file.read_bytes()
        loaded = load(data, file=str(file))
        if loaded.definition is None:
            raise InputError(f"{file}: level schema finds errors", hint="`wmap validate` says which")
        self.file = str(file)
        self.store = Store()
        self.known: Known = {}
        self.name = loaded.definition.name.value
        ((document, _),) = read_documents(decode(data, file=str(file), limits=DEFINITION_LIMITS))
        self.document: Document = document
        self.states = list(_states(fixtures / self.name))
        self.pods = load_pods(fixtures / self.name)
        self.seed = seed
        plain = self._loaded(document)
        assert plain is not None  # noqa: S101  # it was loaded above
        self.objects = self._objects(plain)
        plan = compile_plan(plain)
        self.base = [_seen(read(plan, s.obj, s.pods)) for s in self.states]
        self.drawn = [_seen(read(plan, obj)) for obj in self.objects]
        self.effects = list(self._effects(plain))
        self.said = {level: {_key(f) for f in found} for level, found in self._levels(plain)}

    def verdict(self, mutant: Mutant) -> Verdict:
        """What becomes of a mutant."""

        def made(changes: str | None, level: Level | None = None, code: str | None = None) -> Verdict:
            return Verdict(self.name, mutant.operator, mutant.place, changes, level, code)

        text = _dumped(mutant.document)
        result = load(text, file=self.file)
        definition = result.definition
        if definition is None:
            return made("it is no definition any more", Level.SCHEMA, _worst(result.findings))
        plan: Plan | None = None
        try:
            plan = compile_plan(definition)
            changes = self._difference(plan, definition)
        except InputError as error:
            changes = f"it cannot be read: {error.message}"
        if changes is None:
            return made(None)
        for level, found in self._levels(definition):
            new = [f for f in found if _key(f) not in self.said.get(level, ())]
            if new:
                return made(changes, level, _worst(new))
        if plan is None or any(self._mismatch(plan, s) for s in self.states):
            return made(changes, Level.FIXTURE, "F001")
        code = self._fuzzed(definition)
        return made(changes, None if code is None else Level.FUZZ, code)

    def _loaded(self, document: Document) -> Definition | None:
        return load(_dumped(document), file=self.file).definition

    def _target(self, definition: Definition) -> Target | None:
        samples = tuple(s.obj for s in self.states)
        try:
            return next(iter(targets(definition, self.store, None, self.pods, samples)), None)
        except InputError:
            return None

    def _objects(self, definition: Definition) -> list[Any]:
        target = self._target(definition)
        if target is None:
            return []
        grower = Grower(target)
        choices = random.Random(seed_of(self.seed, self.name, "objects"))  # noqa: S311  # choices, no secrets
        drawn = [grower.draw(choices.randrange) for _ in range(DRAWN)]
        samples = [grower.completed(s) for s in target.samples]
        return drawn + ([mutated(samples, choices) for _ in range(DRAWN)] if samples else [])

    def _difference(self, plan: Plan, definition: Definition) -> str | None:
        """The first thing that differs in a reading, in what a change or a suspension makes; None where nothing does."""
        for state, before in zip(self.states, self.base, strict=True):
            after = _seen(read(plan, state.obj, state.pods))
            if after != before:
                return f"{_first(before, after)} of the fixture {state.case}"
        for i, (obj, before) in enumerate(zip(self.objects, self.drawn, strict=True)):
            after = _seen(read(plan, obj))
            if after != before:
                return f"{_first(before, after)} of the drawn object {i}"
        for (what, before), (_, after) in zip(self.effects, self._effects(definition), strict=False):
            if before != after:
                return f"what {what} makes of an object"
        return None

    def _effects(self, definition: Definition) -> Iterator[tuple[str, Any]]:
        """What suspending, resuming and changing make of the first objects: the object, or that it is refused."""
        for state in self.states[:3]:
            yield "suspending", _tried(suspend, definition, state.obj)
            yield "resuming", _tried(resume, definition, state.obj)
            for component in definition.components:
                if component.is_leaf:
                    for key, value in _SETTINGS.items():
                        name = component.name.value
                        yield (
                            f"a change of {key}",
                            _tried(change, definition, state.obj, component=name, settings={key: value}),
                        )

    def _levels(self, definition: Definition) -> Iterator[tuple[Level, list[Finding]]]:
        """What the levels before the fixtures say, errors and warnings."""
        context = Context.of(definition)
        lint = [f for rule in rules() if rule.level is Level.LINT for f in rule.check(context)]
        yield Level.LINT, _serious([*lint, *check_names([definition])[0]])
        yield Level.CONTRACT, _serious(judge_contract(definition, self.store, None, self.known).findings)

    def _mismatch(self, plan: Plan, state: State) -> bool:
        if state.expect is None:
            return False
        return next(differences(state.expect, read(plan, state.obj, state.pods).to_dict(), ""), None) is not None

    def _fuzzed(self, definition: Definition) -> str | None:
        """The property that a mutant violates, None where it violates none on the objects that are tried."""
        target = self._target(definition)
        if target is None:
            return None
        search = Search(target, [p for p in properties(_PROPERTIES) if p.applies(target) is None])
        search.mutate(TRIED, seed_of(self.seed, self.name, "fuzz"))
        if not search.seen:
            search.draw(TRIED, seed_of(self.seed, self.name, "fuzz"))
        return min((violation.code for violation, _, _ in search.seen.values()), default=None)


def _states(folder: Path) -> Iterator[State]:
    for file in sorted(folder.glob("[!_]*.yaml")):
        marked = read_marked(decode(file.read_bytes(), file=str(file), limits=DEFINITION_LIMITS), file=str(file))
        assert marked is not None  # noqa: S101  # the catalog's own fixtures are validated before
        value, entries = marked.value, marked.entries or {}
        obj, pods = value["object"], value.get("pods")
        yield State(file.stem, obj, pods, entries["expect"][1] if "expect" in value else None)
        for step in entries["steps"][1].items if "steps" in value else ():
            obj = apply_merge_patch(obj, step.value.get("patch", {}))
            obj = {**obj, "status": step.value["status"]} if "status" in step.value else obj
            pods = step.value.get("pods", pods)
            yield State(file.stem, obj, pods, (step.entries or {})["expect"][1])


def _dumped(document: Document) -> str:
    text: str = yaml.dump(document, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=10_000)
    return text


class _Plain(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Without anchors: what is one text in several fields is written out."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the parent's signature
        return True


def _seen(reading: Any) -> Any:
    """What a consumer sees of a reading: all but the warnings."""
    return reading._replace(warnings=())


def _first(before: Any, after: Any) -> str:
    """The name of the first part in which two readings differ."""
    names: tuple[str, ...] = before._fields
    return next(name for name in names if getattr(before, name) != getattr(after, name))


def _tried(act: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    try:
        return act(*arguments, **named)
    except WmapError:
        return None


def _serious(findings: Iterable[Finding]) -> list[Finding]:
    return [f for f in findings if f.severity is not Severity.INFO]


def _key(finding: Finding) -> tuple[str, str | None]:
    return finding.code, finding.field


def _worst(findings: Iterable[Finding]) -> str | None:
    return min(findings, key=lambda f: (f.severity is not Severity.ERROR, f.code)).code
