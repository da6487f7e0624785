"""A definition at one release: what the rules of level contract see, and which releases are judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.check.rule import Context, expressions
from wmap.contract import Contract, Store, Vocabulary, release_key
from wmap.contract.framework import FILE, Framework, load_framework
from wmap.contract.store import KUBERNETES
from wmap.errors import CallError
from wmap.findings import Span
from wmap.infer import Remembered, Typing, typing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Definition, Text
    from wmap.expr import Expression, Part

ALL = "all"
"""``--release all``: every stored release."""


@dataclass(frozen=True)
class Judged(Context):
    """What a rule of level contract sees: the definition, and what one release promises.

    ``contract`` is None where the release does not have the kind; ``pod`` is that of the pods' own kind. ``stored`` are the
    contracts of the kind at every stored release, for saying where a field exists.
    """

    release: str = ""
    contract: Contract | None = None
    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary("", "", ()))
    framework: Framework | None = None
    pod: Contract | None = None
    stored: History | None = None
    _typed: dict[tuple[str, bool], Typing] = field(default_factory=dict, repr=False)
    _roots: dict[bool, Remembered] = field(default_factory=dict, repr=False)

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What rules have worked out about this definition at this release, for each other."""
        return {}

    @cached_property
    def texts(self) -> list[tuple[Text, bool]]:
        """Every expression, and whether it is evaluated on a pod; what an alias puts into several fields once."""
        found: dict[tuple[str, Span, bool], tuple[Text, bool]] = {}
        for text, _ in expressions(self.definition):
            if text.value in self.expressions:
                found.setdefault((text.value, text.span(), on_pod(text)), (text, on_pod(text)))
        return list(found.values())

    def typing(self, text: Text) -> Typing | None:
        """The static typing of an expression over the kind or over Pod; None where either is not known."""
        expression = self.expressions.get(text.value)
        pods = on_pod(text)
        tree = self.pod if pods else self.contract
        if expression is None or tree is None:
            return None
        key = (text.value, pods)
        if key not in self._typed:
            if pods not in self._roots:
                self._roots[pods] = Remembered(tree.root)
            self._typed[key] = typing(expression, self._roots[pods])
        return self._typed[key]


def on_pod(text: Text) -> bool:
    """Whether an expression of the format is evaluated on one pod, not on the workload."""
    return ".podSelector." in text.field or ".gangScheduling." in text.field


class History:
    """The contracts of one kind at every stored release, and which have a field."""

    def __init__(self, store: Store, framework: str, definition: Definition) -> None:
        self.store = store
        self.framework = framework
        self.kind = definition.kind
        self.releases = store.releases(framework)
        self._found: dict[str, tuple[str, ...]] = {}
        self._typed: dict[tuple[int, int, str], Typing] = {}

    def contract(self, release: str) -> Contract | None:
        """The contract of the kind at a release; None where it does not have it, or does not serve it."""
        return self.store.contract(self.framework, release, self.kind.group, self.kind.version, self.kind.kind)

    def since(self, release: str) -> list[str]:
        """The stored releases from one on, oldest first.

        Raises:
            CallError: it is not stored.
        """
        if release not in self.releases:
            raise CallError(
                f"the store has no release {release} of {self.framework}", hint=f"it has {', '.join(self.releases)}"
            )
        return self.releases[self.releases.index(release) :]

    def with_field(self, path: str) -> tuple[str, ...]:
        """The stored releases that have a field, oldest first."""
        if path not in self._found:
            contracts = ((r, self.contract(r)) for r in self.releases)
            self._found[path] = tuple(r for r, c in contracts if c is not None and c.find(path) is not None)
        return self._found[path]

    def typing(self, release: str, expression: Expression) -> Typing | None:
        """The typing of an expression at another release; None where that does not have the kind."""
        contract = self.contract(release)
        if contract is None:
            return None
        key = (*_tree_key(contract), expression.text)
        if key not in self._typed:
            self._typed[key] = typing(expression, Remembered(contract.root))
        return self._typed[key]

    def knowing(self, expression: Expression, part: Part) -> tuple[str, ...]:
        """The stored releases at which a piece of an expression, and what leads to it, reads no unknown field, oldest first."""

        def known(typed: Typing) -> bool:
            leading = (u.part for u in typed.unknown_fields)
            return not any(p == part or (p.start == part.start and p.end <= part.end) for p in leading)

        typed = ((r, self.typing(r, expression)) for r in self.releases)
        return tuple(r for r, t in typed if t is not None and known(t))

    def spans(self, releases: tuple[str, ...]) -> str:
        """Releases as people say them: ``v0.3.0 to v0.8.2``, ``v0.2.3``."""
        parts: list[str] = []
        run: list[str] = []
        for release in (*self.releases, ""):
            if release in releases:
                run.append(release)
            elif run:
                parts.append(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}")
                run = []
        return ", ".join(parts)


def _tree_key(contract: Contract | None) -> tuple[int, int]:
    """Equal for contracts of one store that have the same fields, and the same core types below them."""
    return (0, 0) if contract is None else (id(contract.fields), id(contract.core))


def framework_of(definition: Definition, store: Store) -> str | None:
    """The framework that a definition is of: that of its folder, else the one that the store knows to have its kind."""
    return store.framework_of(definition.kind.group, definition.kind.kind, definition.file)


def description_of(definition: Definition, framework: str) -> Framework | None:
    """The ``framework.yaml`` beside a definition, else that of the catalog of the package; None where there is none.

    Raises:
        InputError: it is broken.
    """
    from wmap.catalog import default_folder  # noqa: PLC0415  # only where a framework is judged

    beside = Path(definition.file).parent / FILE if definition.file is not None else None
    for path in (beside, default_folder() / framework / FILE):
        if path is not None and path.is_file() and path.resolve().parent.name == framework:
            return load_framework(path)
    return None


def releases_to_judge(history: History, framework: Framework | None, wanted: str | None) -> list[str]:
    """The releases that are judged, oldest first: the one asked for, all, or those called supported and the newest.

    Raises:
        CallError: the release that is asked for is not stored.
    """
    if wanted == ALL:
        return history.releases
    if wanted is not None:
        if wanted not in history.releases:
            raise CallError(
                f"the store has no release {wanted} of {history.framework}",
                hint=f"it has {', '.join(history.releases)}; or say --release all",
            )
        return [wanted]
    supported = set(framework.supported) if framework is not None else set()
    chosen = {r for r in history.releases if r in supported} | {history.releases[-1]}
    return sorted(chosen, key=release_key)


Known = dict[tuple[int, int], dict[tuple[str, bool], Typing]]
"""The typings of expressions by contract (of one store): for judging variants of one definition."""


def judged(
    definition: Definition, store: Store, framework: str, wanted: str | None = None, known: Known | None = None
) -> Iterator[Judged]:
    """The definition at each release that is judged, oldest first. ``known`` is added to.

    Raises:
        CallError: the release that is asked for is not stored.
        InputError: the ``framework.yaml`` is broken.
    """
    history = History(store, framework, definition)
    described = description_of(definition, framework)
    plain = Context.of(definition)
    typed: Known = {} if known is None else known
    for release in releases_to_judge(history, described, wanted):
        contract = history.contract(release)
        pod = store.core("Pod", release if framework == KUBERNETES else None)
        # releases that share a contract share what is known of the expressions
        shared = typed.setdefault(_tree_key(contract), {})
        yield Judged(
            definition,
            plain.expressions,
            plain.fields,
            release=release,
            contract=contract,
            vocabulary=store.vocabulary(framework, release),
            framework=described,
            pod=pod,
            stored=history,
            _typed=shared,
        )
