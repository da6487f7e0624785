"""The store of contracts: ``schemas/contracts/<framework>/...``, read when asked for."""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from wmap.contract.files import body_from, parse, terms_from
from wmap.contract.model import Contract, Vocabulary
from wmap.contract.releases import in_order
from wmap.data import data_root
from wmap.errors import CallError, EnvironmentFailure, InputError

KUBERNETES = "kubernetes"
"""The framework whose releases are versions of Kubernetes, and whose contracts are core types and core kinds."""

INDEX = "index.json"


def default_folder() -> Path:
    """The store that comes with the package."""
    return data_root() / "schemas" / "contracts"


class KindName(NamedTuple):
    """A kind in one version."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return "/".join(self)


class Store:
    """Contracts and vocabularies by framework and release. Nothing is read before it is asked for, and nothing twice.

    ``folder`` is by default the store of the package; core types come from there where another folder has none.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()
        self._indexes: dict[str, dict[str, Any]] = {}
        self._contracts: dict[tuple[str, str], Any] = {}
        self._core: dict[str, Any] = {}
        self._core_names: dict[str, dict[str, str]] = {}
        self._vocabularies: dict[tuple[str, str], Vocabulary] = {}

    def frameworks(self) -> list[str]:
        """The frameworks that the store knows, Kubernetes itself among them, sorted."""
        if not self.folder.is_dir():
            return []
        return sorted(p.name for p in self.folder.iterdir() if (p / INDEX).is_file())

    def releases(self, framework: str) -> list[str]:
        """The stored releases of a framework, oldest first.

        Raises:
            CallError: the store does not know the framework.
        """
        return in_order(self._index(framework)["releases"])

    def framework_of(self, group: str, kind: str, file: str | None = None) -> str | None:
        """The framework of a kind: that of the folder that a definition's file lies in, else one that has the kind; None for none."""
        known = self.frameworks()
        if file is not None:
            folder = Path(file).resolve().parent.name
            if folder in known:
                return folder
        for framework in known:
            for release in reversed(self.releases(framework)):
                if any((k.group, k.kind) == (group, kind) for k in self.kinds(framework, release)):
                    return framework
        return None

    def kinds(self, framework: str, release: str) -> list[KindName]:
        """The kinds of a release, each version one entry, sorted.

        Raises:
            CallError: the store does not have the release.
        """
        return [KindName(*name.split("/")) for name in sorted(self.entry(framework, release)["contracts"])]

    def contract(self, framework: str, release: str, group: str, version: str, kind: str) -> Contract | None:
        """The contract of a kind at a release; None where the release has none of this name.

        Raises:
            CallError: the store does not have the release.
        """
        file = self.entry(framework, release)["contracts"].get(f"{group}/{version}/{kind}")
        return None if file is None else self._load(framework, release, file)

    def vocabulary(self, framework: str, release: str) -> Vocabulary:
        """The vocabulary of a release; without terms where its constants are not known.

        Raises:
            CallError: the store does not have the release.
        """
        file = self.entry(framework, release).get("vocabulary")
        if file is None:
            return Vocabulary(framework, release, ())
        key = (framework, file)
        if key not in self._vocabularies:
            self._vocabularies[key] = Vocabulary(framework, release, terms_from(self._read(framework, file)))
        found = self._vocabularies[key]
        return found if found.release == release else Vocabulary(framework, release, found.terms)

    def rights(self, framework: str, release: str) -> frozenset[str] | None:
        """The resources that the roles of the operator name at a release, as ``group/resource``; None where they are not known.

        Raises:
            CallError: the store does not have the release.
        """
        found = self.entry(framework, release).get("rights")
        return None if found is None else frozenset(found)

    def core(self, name: str, release: str | None = None) -> Contract:
        """The contract of a core type (``PodTemplateSpec``) or core kind (``Pod``) at a version of Kubernetes, by default the newest.

        Raises:
            CallError: there is no such core type, or no such version in the store.
        """
        release = release or self.releases(KUBERNETES)[-1]
        entry = self.entry(KUBERNETES, release)
        file = entry["types"].get(name) or self._core_kinds(release).get(name)
        if file is None:
            raise CallError(
                f"Kubernetes {release} has no core type {name} in the store", hint=_near(name, entry["types"])
            )
        return self._load(KUBERNETES, release, file)

    def entry(self, framework: str, release: str) -> dict[str, Any]:
        """What the index says of a release: ``repository``, ``commit``, ``date``, ``contracts``, ``vocabulary``, ``read``.

        Raises:
            CallError: the store does not have the release.
        """
        releases = self._index(framework)["releases"]
        if release not in releases:
            raise CallError(
                f"the store has no release {release} of {framework}",
                hint=_near(release, releases) or f"`wmap contract show {framework}` lists what it has",
            )
        found: dict[str, Any] = releases[release]
        return found

    def _core_kinds(self, release: str) -> dict[str, str]:
        if release not in self._core_names:
            contracts = self.entry(KUBERNETES, release)["contracts"]
            self._core_names[release] = {name.rpartition("/")[2]: file for name, file in contracts.items()}
        return self._core_names[release]

    def _folder(self, framework: str) -> Path:
        own = self.folder / framework
        if framework == KUBERNETES and not (own / INDEX).is_file():
            # a store that somebody makes of their own frameworks leans on the core types of the package
            return default_folder() / framework
        return own

    def _index(self, framework: str) -> dict[str, Any]:
        if framework not in self._indexes:
            if not (self._folder(framework) / INDEX).is_file():
                raise CallError(
                    f"the store of contracts knows no framework {framework!r}",
                    hint=_near(framework, self.frameworks()) or "`wmap contract build` adds a release of one",
                )
            self._indexes[framework] = self._read(framework, INDEX)
        return self._indexes[framework]

    def _load(self, framework: str, release: str, file: str) -> Contract:
        body = self._contracts.get((framework, file))
        if body is None:
            body = self._contracts[framework, file] = body_from(self._read(framework, file))
        return Contract(
            framework=framework,
            release=release,
            group=body.group,
            version=body.version,
            kind=body.kind,
            fields=body.fields,
            core=self._core_at(body.kubernetes if framework != KUBERNETES else release),
            served=body.served,
            storage=body.storage,
            deprecated=body.deprecated,
            scope=body.scope,
        )

    def _core_at(self, version: str) -> Any:
        if version not in self._core:
            self._core[version] = cache(lambda name: self.core(name, version))
        return self._core[version]

    def _read(self, framework: str, file: str) -> dict[str, Any]:
        path = self._folder(framework) / file
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise InputError(
                f"{path}: the store's index names it, but it is not there", hint="`make contracts`"
            ) from None
        except OSError as error:
            raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}") from error
        return parse(data, str(path))


def _near(name: str, names: Any) -> str | None:
    found = difflib.get_close_matches(name, list(names), 1, 0.5)
    return f"did you mean {found[0]}?" if found else None
