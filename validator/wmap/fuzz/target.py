"""What is fuzzed: one definition at one release, with all that the strategies and the properties know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wmap.check.judged import Judged, framework_of, judged
from wmap.check.vocabularies import conditions_of, words
from wmap.contract import TermKind
from wmap.contract.model import step
from wmap.expr import Step
from wmap.fuzz.podfile import NO_PODS, PodFile
from wmap.fuzz.tree import Node, tree_of
from wmap.reading.plan import Plan, compile_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.contract import Contract, Store
    from wmap.definition.model import Component, Definition, Text
    from wmap.expr import Expression, Path

TERMINAL = ("Completed", "Failed")
"""The phases that a workload does not leave."""


@dataclass(frozen=True, eq=False)
class Target:
    """A definition at one release. ``pods`` says what the operator writes on pods, ``samples`` are objects that people wrote."""

    context: Judged
    contract: Contract
    plan: Plan
    pods: PodFile = NO_PODS
    samples: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def definition(self) -> Definition:
        """The definition."""
        return self.context.definition

    @property
    def name(self) -> str:
        """Its name."""
        return self.plan.name

    @property
    def release(self) -> str:
        """The release."""
        return self.context.release

    @cached_property
    def root(self) -> Node:
        """The tree of the contract."""
        return tree_of(self.contract)

    @cached_property
    def texts(self) -> tuple[tuple[Text, Expression], ...]:
        """The expressions that are evaluated on the workload, with their places, each text once."""
        found: dict[str, tuple[Text, Expression]] = {}
        for text, pods in self.context.texts:
            expression = self.context.expressions.get(text.value)
            if not pods and expression is not None:
                found.setdefault(text.value, (text, expression))
        return tuple(found.values())

    @cached_property
    def text_of(self) -> dict[str, Text]:
        """The place of an expression by its text."""
        return {text.value: text for text, _ in self.context.texts}

    @cached_property
    def reads(self) -> frozenset[str]:
        """The paths that the definition reads, with all that lead to them."""
        found: set[str] = set()
        for text, _ in self.texts:
            typed = self.context.typing(text)
            if typed is not None:
                found.update(typed.reads, typed.whole)
        return frozenset(found | {lead for path in found for lead in _leads(path)})

    @cached_property
    def literals(self) -> dict[str, tuple[Any, ...]]:
        """What the definition compares a field with, by its path; conditions by the field that holds the word."""
        found: dict[str, dict[str, Any]] = {}
        for text, _ in self.texts:
            typed = self.context.typing(text)
            for compared in typed.compared if typed is not None else ():
                for path in compared.paths:
                    found.setdefault(path, {})[repr(compared.literal)] = compared.literal
        for word in words(self.context):
            if word.kind is TermKind.PHASE:
                for path in self.phase_paths:
                    found.setdefault(path, {})[repr(word.value)] = word.value
        return {path: tuple(values.values()) for path, values in found.items()}

    @cached_property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """The keys that the definition names below a map, by the path of the map."""
        found: dict[str, dict[str, None]] = {}
        for _, expression in self.texts:
            for steps in expression.reads:
                for path, key in _keys(self.contract, steps):
                    found.setdefault(path, {})[key] = None
        return {path: tuple(keys) for path, keys in found.items()}

    @cached_property
    def counts(self) -> dict[str, tuple[str, ...]]:
        """The whole numbers of the spec that the scale paths of each component read, by its name."""
        return {c.name.value: tuple(self._counts_of(c)) for c in self.definition.components}

    @cached_property
    def counts_by_status(self) -> bool:
        """Whether the instances or scales of a component depend on the status of the object (jobs of a CronJob, revisions)."""
        for component in self.definition.components:
            scale = component.scale
            texts = [
                component.instance_id,
                *((scale.replicas, scale.min_replicas, scale.max_replicas) if scale else ()),
            ]
            typed = [self.context.typing(t) for t in texts if t is not None]
            if any(p.startswith(".status") for t in typed if t is not None for p in t.reads):
                return True
        return False

    def _counts_of(self, component: Component) -> Iterator[str]:
        scale = component.scale
        texts = (scale.replicas, scale.min_replicas, scale.max_replicas) if scale is not None else ()
        typed = [self.context.typing(text) for text in texts if text is not None]
        for path in dict.fromkeys(p for t in typed if t is not None for p in t.reads):
            field = self.contract.find(path)
            whole = field is not None and field.type == "integer"
            if whole and path.startswith(".spec") and path not in self.pods.not_scale:
                yield path

    def field_at(self, place: Path) -> Node:
        """The field of the contract that a place of an object is of; the last one known, where it goes on beyond."""
        here = self.root
        for key in place:
            below = here.items if isinstance(key, int) else here.child(key)
            if below is None:
                return here
            here = below
        return here

    @cached_property
    def phase_paths(self) -> tuple[str, ...]:
        """Where the phase stands."""
        status = self.definition.root.status
        typed = self.context.typing(status.phase) if status is not None and status.phase is not None else None
        return typed.shape.paths if typed is not None else ()

    @cached_property
    def condition_paths(self) -> frozenset[str]:
        """Where the conditions stand: the paths of the arrays."""
        status = self.definition.root.status
        typed = self.context.typing(status.conditions.path) if status is not None and status.conditions else None
        return frozenset(typed.shape.paths if typed is not None else ())

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The condition types of the release and those that the definition looks for."""
        looked = {w.value for w in words(self.context) if w.kind is TermKind.CONDITION}
        return tuple(sorted(looked | set(conditions_of(self.context))))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """The reasons that the definition looks for."""
        return tuple(sorted({w.value for w in words(self.context) if w.kind is TermKind.REASON}))


def targets(
    definition: Definition, store: Store, release: str | None, pods: PodFile, samples: tuple[Any, ...]
) -> Iterator[Target]:
    """A definition at each release that is fuzzed: the one that is named, all, or the newest supported one that has the kind.

    Raises:
        CallError: the release is not stored.
        InputError: the definition cannot be read, or its ``framework.yaml`` is broken.
    """
    framework = framework_of(definition, store)
    if framework is None:
        return
    plan = compile_plan(definition)
    found = [j for j in judged(definition, store, framework, release) if j.contract is not None]
    seen: set[int] = set()
    for context in found if release is not None else found[-1:]:
        contract = context.contract
        if contract is not None and id(contract.fields) not in seen:
            # releases that share a contract admit the same objects
            seen.add(id(contract.fields))
            yield Target(context, contract, plan, pods, samples)


def _leads(path: str) -> Iterator[str]:
    """All that leads to a path: ``.a[].b`` has ``.a[]``, ``.a`` and the root."""
    from wmap.contract.model import steps_of  # noqa: PLC0415  # once for each path

    at = ""
    yield at
    for kind, key in steps_of(path):
        at += kind if kind != "." else step(key)
        yield at


def _keys(contract: Contract, steps: tuple[str | int | Step, ...]) -> Iterator[tuple[str, str]]:
    """The keys of a static path that stand below a map, each with the path of the map."""
    here = contract.root
    for key in steps:
        if isinstance(key, str):
            named = here.named(key)
            if named is None and (here.values is not None or here.preserve):
                yield here.path, key
            below = named or here.values
        elif isinstance(key, int):
            below = here.items
        else:
            below = here.items or here.values
        if below is None:
            return
        here = below


__all__ = ["TERMINAL", "Target", "targets"]
