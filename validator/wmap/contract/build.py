"""One release made into contracts and a vocabulary, and put into the store."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wmap.contract import kubernetes
from wmap.contract.crd import Declared, read_crds
from wmap.contract.files import (
    Body,
    body_from,
    contract_bytes,
    index_bytes,
    parse,
    terms_from,
    vocabulary_bytes,
)
from wmap.contract.framework import CoreType
from wmap.contract.model import Term
from wmap.contract.places import declare
from wmap.contract.recognise import Recognised, nearest
from wmap.contract.releases import in_order
from wmap.contract.store import INDEX, KUBERNETES, KindName, Store
from wmap.contract.tree import Node, flat
from wmap.errors import CallError, EnvironmentFailure, InputError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True)
class Release:
    """What one release promises, and where that is known from.

    ``read`` are the files read, each with its SHA-256; ``types`` are core types by name (Kubernetes only); ``rights`` what the
    operator's roles name (``wmap.contract.rights``), None where they are not known.
    """

    bodies: Mapping[KindName, Body]
    terms: tuple[Term, ...] = ()
    types: Mapping[str, Body] = field(default_factory=dict)
    repository: str | None = None
    commit: str | None = None
    date: str | None = None
    read: tuple[tuple[str, str], ...] = ()
    rights: tuple[str, ...] | None = None


def digest(data: bytes) -> str:
    """SHA-256 as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def check_name(what: str, name: str) -> None:
    """Hold that a framework or release can be the name of a file.

    Raises:
        CallError: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise CallError(
            f"{name!r} is no name of a {what}",
            hint="letters, digits, dots, dashes and underscores, a letter or digit first",
        )


def build_release(
    release: str,
    manifests: Sequence[tuple[str, bytes]],
    *,
    terms: Iterable[Term] = (),
    places: Sequence[CoreType] = (),
    repository: str | None = None,
    commit: str | None = None,
    date: str | None = None,
    read: Iterable[tuple[str, str]] = (),
    rights: tuple[str, ...] | None = None,
) -> Release:
    """The contracts of a release from its CRD manifests (name and bytes of each) and the terms of its vocabulary.

    ``read`` are further files that were read, with their digests. Core types are those of the version of Kubernetes whose pods
    are nearest to the ones of the release.

    Raises:
        InputError: a manifest is no good, two of them declare a kind differently, or a declared place is nowhere.
    """
    declared: dict[KindName, tuple[Declared, str]] = {}
    for file, data in manifests:
        for one in read_crds(data, file):
            name = KindName(one.group, one.version, one.kind)
            if name in declared:
                raise InputError(f"{name} is declared in {declared[name][1]} and in {file}", hint="give one of them")
            declared[name] = (one, file)
    kinds = [one for one, _ in declared.values()]
    declare(kinds, release, places)
    version = nearest([one.tree for one in kinds])
    recognised = Recognised(version)
    return Release(
        bodies={name: _body(one, recognised) for name, (one, _) in declared.items()},
        terms=tuple(terms),
        repository=repository,
        commit=commit,
        date=date,
        read=tuple(sorted({*((file, digest(data)) for file, data in manifests), *read})),
        rights=rights,
    )


def _body(one: Declared, recognised: Recognised) -> Body:
    facts = recognised.facts(one.tree)
    if one.open:
        facts = {p: replace(f, preserve=True) if f.type in ("object", None) else f for p, f in facts.items()}
    return Body(
        one.group, one.version, one.kind, one.scope, one.served, one.storage, one.deprecated, recognised.version, facts
    )


def kubernetes_release(version: str) -> Release:
    """The core types and core kinds of a version of Kubernetes."""
    source = kubernetes.source(version)
    read = ((f"kubernetes-validate:{source.parent.name}/{source.name}", digest(source.read_bytes())),)
    return _core_release(kubernetes.types(version), kubernetes.kinds(version), read)


def openapi_release(definitions: dict[str, Any]) -> Release:
    """The core types and core kinds of OpenAPI definitions, by their names (``io.k8s.api.core.v1.Pod``)."""
    return _core_release(kubernetes.types_of(definitions), kubernetes.kinds_of(definitions), ())


def _core_release(
    types: dict[str, Node], kinds: dict[tuple[str, str, str], Node], read: tuple[tuple[str, str], ...]
) -> Release:
    def body(group: str, kind: str, tree: Node) -> Body:
        # without the version, so that versions with equal trees share a file: each refers to core types of its own
        return Body(group, "v1", kind, "Namespaced", True, True, False, "", dict(flat(tree)))

    return Release(
        bodies={KindName(*name): body(name[0], name[2], tree) for name, tree in kinds.items()},
        types={name: body("", name, tree) for name, tree in types.items()},
        repository=kubernetes.REPOSITORY,
        read=read,
    )


def load_releases(folder: Path, framework: str) -> dict[str, Release]:
    """All releases of a framework in a store; none where the store does not know it."""
    store = Store(folder)
    if framework not in store.frameworks():
        return {}

    def read(file: str) -> dict[str, Any]:
        path = folder / framework / file
        return parse(path.read_bytes(), str(path))

    found = {}
    for release in store.releases(framework):
        entry = store.entry(framework, release)
        vocabulary = entry.get("vocabulary")
        found[release] = Release(
            bodies={KindName(*name.split("/")): body_from(read(file)) for name, file in entry["contracts"].items()},
            types={name: body_from(read(file)) for name, file in entry.get("types", {}).items()},
            terms=terms_from(read(vocabulary)) if vocabulary else (),
            repository=entry["repository"],
            commit=entry["commit"],
            date=entry["date"],
            read=tuple((item["path"], item["sha256"]) for item in entry["read"]),
            rights=tuple(entry["rights"]) if "rights" in entry else None,
        )
    return found


def add_release(folder: Path, framework: str, release: str, built: Release) -> None:
    """Put a release into a store, in place of the one of this name; nothing changes where anything fails.

    Raises:
        EnvironmentFailure: the store cannot be written.
    """
    write_framework(folder, framework, {**load_releases(folder, framework), release: built})


def write_framework(folder: Path, framework: str, releases: Mapping[str, Release]) -> None:
    """Write all of a framework's part of a store anew: equal contracts share a file, named by the first release that has it.

    It is written beside the old one, and takes its place at the end.

    Raises:
        EnvironmentFailure: the store cannot be written.
    """
    files = _files(framework, releases)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{framework}-", dir=folder) as temporary:
            new = Path(temporary) / "new"
            for name, data in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            old = folder / framework
            if old.exists():
                shutil.move(old, Path(temporary) / "old")
            new.rename(old)
    except OSError as error:
        raise EnvironmentFailure(
            f"the store of contracts at {folder} cannot be written: {error.strerror}",
            hint="give another folder with --out",
        ) from error


def _files(framework: str, releases: Mapping[str, Release]) -> dict[str, bytes]:
    """The bytes of each file of a framework, by its name in the framework's folder."""
    shared: dict[tuple[str, bytes], list[str]] = {}
    makers: dict[tuple[str, bytes], Any] = {}
    entries: dict[str, dict[str, tuple[str, bytes]]] = {}
    for release in in_order(releases):
        built = releases[release]
        keys = {}
        for where, folder, body in _parts(built):
            key = keys[where] = (folder, contract_bytes(framework, body, ()))
            shared.setdefault(key, []).append(release)
            makers.setdefault(key, body)
        if built.terms:
            key = keys["vocabulary"] = ("vocabulary", vocabulary_bytes(framework, built.terms, ()))
            shared.setdefault(key, []).append(release)
            makers.setdefault(key, built.terms)
        entries[release] = keys
    files: dict[str, bytes] = {}
    for key, sharing in shared.items():
        make: Any = vocabulary_bytes if key[0] == "vocabulary" else contract_bytes
        files[f"{key[0]}/{sharing[0]}.json"] = make(framework, makers[key], sharing)
    index = {
        release: _entry(releases[release], {where: f"{key[0]}/{shared[key][0]}.json" for where, key in keys.items()})
        for release, keys in entries.items()
    }
    files[INDEX] = index_bytes(framework, index)
    return files


def _parts(built: Release) -> Iterable[tuple[str, str, Body]]:
    for name in sorted(built.bodies):
        yield (
            f"contract {name}",
            f"{name.kind}.{name.version}" + (f".{name.group}" if name.group else ""),
            built.bodies[name],
        )
    for core in sorted(built.types):
        yield f"type {core}", f"types/{core}", built.types[core]


def _entry(built: Release, files: dict[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "repository": built.repository,
        "commit": built.commit,
        "date": built.date,
        "contracts": {where[9:]: file for where, file in files.items() if where.startswith("contract ")},
    }
    types = {where[5:]: file for where, file in files.items() if where.startswith("type ")}
    if types:
        entry["types"] = types
    if "vocabulary" in files:
        entry["vocabulary"] = files["vocabulary"]
    if built.rights is not None:
        entry["rights"] = list(built.rights)
    entry["read"] = [{"path": path, "sha256": sha} for path, sha in built.read]
    return entry


__all__ = [
    "KUBERNETES",
    "Release",
    "add_release",
    "build_release",
    "check_name",
    "digest",
    "kubernetes_release",
    "load_releases",
    "write_framework",
]
