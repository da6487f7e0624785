"""Drift against what is not stored: a folder of CRDs, or the newest upstream tag."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.check.drift import Drift, drift
from wmap.check.judged import description_of, framework_of
from wmap.contract import Store
from wmap.contract.build import Release, add_release, build_release, load_releases, write_framework
from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from wmap.contract.framework import CoreType
    from wmap.definition.model import Definition

_SUFFIXES = (".yaml", ".yml", ".json")


def drift_against(definitions: Sequence[Definition], store: Store, folder: Path) -> list[Drift]:
    """Compare the newest stored release of each framework with the CRDs of a folder. Words are not compared: CRDs have none.

    Raises:
        CallError: there is no such folder, no manifest in it, or none of a kind of these definitions.
        InputError: a manifest is no good.
        EnvironmentFailure: a file cannot be read.
    """
    manifests = _manifests(folder)
    found: list[Drift] = []
    for framework, own in by_framework(definitions, store).items():
        built = build_beside(own, store, framework, manifests)
        if built is not None:
            found += drift_from(own, store, framework, built, folder.name or "against")
    if not found:
        raise CallError(
            f"{folder} has no CRD of a kind that these definitions read", hint="give the CRDs of a framework"
        )
    return found


def build_beside(
    own: Sequence[Definition],
    store: Store,
    framework: str,
    manifests: Sequence[tuple[str, bytes]],
    release: str | None = None,
) -> Release | None:
    """The contracts of CRD manifests with the words of a stored release (None: the newest); None where they hold none
    of the kinds of these definitions.

    Raises:
        InputError: a manifest is no good.
    """
    release = release or store.releases(framework)[-1]
    stored = load_releases(store.folder, framework)[release]
    described = description_of(own[0], framework)
    places = described.core_types_at(release) if described is not None else ()
    kinds = {(d.kind.group, d.kind.kind) for d in own}
    built = _build(manifests, stored, places, kinds)
    if built is None:
        return None
    # kinds that nobody asks for are as they were: words are told apart by the kinds that there are
    others = {n: b for n, b in stored.bodies.items() if (n.group, n.kind) not in kinds}
    return replace(built, bodies={**others, **built.bodies})


def drift_from(
    own: Sequence[Definition], store: Store, framework: str, built: Release, label: str, release: str | None = None
) -> list[Drift]:
    """What changed for definitions from a stored release of their framework (None: the newest) to one that was built, called by a label."""
    with beside(store, framework, built, label, release) as (other, _):
        return [d for d in (drift(x, other) for x in own) if d is not None]


@contextmanager
def beside(
    store: Store, framework: str, built: Release, label: str, release: str | None = None
) -> Iterator[tuple[Store, str]]:
    """A store that has one stored release and a built one, and the name of the built one in it; it is gone afterwards."""
    release = release or store.releases(framework)[-1]
    with _beside(framework, release, load_releases(store.folder, framework)[release]) as folder:
        name = f"{release}+{label}".replace(" ", "-")
        add_release(folder, framework, name, built)
        yield Store(folder), name


def nearest_release(store: Store, framework: str, built: Release) -> tuple[str, int]:
    """The stored release whose kinds differ in the fewest fields from those that were built, the newest of several, and that number."""
    far: list[tuple[int, int, str]] = []
    for age, (release, stored) in enumerate(reversed(load_releases(store.folder, framework).items())):
        differing = 0
        for name, body in built.bodies.items():
            known = stored.bodies.get(name)
            if known is None:
                differing += len(body.fields)
                continue
            differing += sum(known.fields.get(p) != body.fields.get(p) for p in {*known.fields, *body.fields})
        far.append((differing, age, release))
    least = min(far)
    return least[2], least[0]


def drift_latest(definitions: Sequence[Definition], store: Store, cache: Path) -> list[Drift]:
    """Compare the newest stored release of each framework with the newest tag of its repository.

    Raises:
        CallError: a framework has no framework.yaml that says where its repository is.
        WmapError: the repository cannot be read.
    """
    from wmap.contract.sync import Sync, Wanted  # noqa: PLC0415  # only where it is asked for

    found: list[Drift] = []
    for framework, own in by_framework(definitions, store).items():
        described = description_of(own[0], framework)
        if described is None:
            raise CallError(f"nothing says where {framework} comes from", hint="write its framework.yaml")
        newest = store.releases(framework)[-1]
        with _beside(framework, newest, load_releases(store.folder, framework)[newest]) as folder:
            for outcome in Sync(cache=cache, store=folder).run(described, Wanted()):
                if outcome.problem is not None:
                    raise outcome.problem
            compared = (drift(d, Store(folder)) for d in own)
            found += [d for d in compared if d is not None]
    return found


@contextmanager
def _beside(framework: str, release: str, stored: Release) -> Iterator[Path]:
    """The folder of a store of its own that has one release; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="wmap-drift-") as temporary:
        folder = Path(temporary)
        write_framework(folder, framework, {release: stored})
        yield folder


def by_framework(definitions: Sequence[Definition], store: Store) -> dict[str, list[Definition]]:
    """Definitions by the framework that the store knows them of; those that it does not know are left out."""
    found: dict[str, list[Definition]] = {}
    for definition in definitions:
        framework = framework_of(definition, store)
        if framework is not None:
            found.setdefault(framework, []).append(definition)
    return found


def _manifests(folder: Path) -> list[tuple[str, bytes]]:
    if not folder.is_dir():
        raise CallError(f"{folder} is no folder", hint="give a folder of CRD manifests")
    files = sorted(p for p in folder.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
    if not files:
        raise CallError(f"{folder} holds no manifest", hint=f"files end in {', '.join(_SUFFIXES)}")
    found = []
    for file in files:
        try:
            data = file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
        if b"CustomResourceDefinition" in data:
            found.append((str(file), data))
    return found


def _build(
    manifests: Sequence[tuple[str, bytes]], stored: Release, places: Sequence[CoreType], kinds: set[tuple[str, str]]
) -> Release | None:
    """The kinds that are asked for, with the words of the stored release; None where the manifests have none of them."""
    if not any(kind.encode() in data for _, kind in kinds for _, data in manifests):
        return None
    built = build_release("against", manifests, terms=stored.terms, places=places)
    return built if {(n.group, n.kind) for n in built.bodies} & kinds else None
