"""Contracts from the frameworks' own git repositories: fetch the CRDs and the source of a release, and have them built.

Everything of a release is fetched and read before its contract is built: what fails leaves the store as it was.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from wmap.contract.globs import matching
from wmap.contract.gomod import GoMod, Version, parse_go_mod
from wmap.contract.gosource import is_source, read_source
from wmap.contract.modules import in_module
from wmap.contract.releases import in_order, release_key
from wmap.contract.vocabulary import apply_rules
from wmap.errors import EnvironmentFailure, InputError, WmapError
from wmap.gitio import Repository, check_ref
from wmap.gitio.command import DEFAULT_LIMITS, GitLimits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from wmap.contract.framework import CoreType, Framework, Layout, Module
    from wmap.contract.model import Term
    from wmap.gitio import Tree


class Builder(Protocol):
    """What builds the contract of one release into a store. ``read`` are the files besides the CRDs, each with its SHA-256."""

    def __call__(
        self,
        framework: str,
        release: str,
        *,
        crds: Mapping[str, bytes],
        terms: tuple[Term, ...],
        repository: str,
        commit: str,
        date: str,
        read: tuple[tuple[str, str], ...],
        store: Path,
        core_types: tuple[CoreType, ...],
    ) -> None: ...


def build_into_store(
    framework: str,
    release: str,
    *,
    crds: Mapping[str, bytes],
    terms: tuple[Term, ...],
    repository: str,
    commit: str,
    date: str,
    read: tuple[tuple[str, str], ...],
    store: Path,
    core_types: tuple[CoreType, ...],
) -> None:
    """Build a release and put it into a store, in place of the one of its name.

    Raises:
        InputError: a manifest is no good; names it.
        EnvironmentFailure: the store cannot be written.
    """
    builder: Any = importlib.import_module("wmap.contract.build")
    try:
        built = builder.build_release(
            release,
            sorted(crds.items()),
            terms=terms,
            places=core_types,
            repository=repository,
            commit=commit,
            date=date,
            read=read,
        )
    except InputError as error:
        raise InputError(f"{framework} {release}: {error.message}", hint=error.hint) from error
    builder.add_release(store, framework, release, built)


@dataclass(frozen=True)
class Wanted:
    """Which releases: one by its tag, all, or (neither) the newest."""

    release: str | None = None
    every: bool = False


@dataclass(frozen=True)
class Gathered:
    """What a release holds. ``date`` is that of its commit; ``read`` are the files besides the CRDs (of modules
    ``MODULE@VERSION/FILE``), each with its SHA-256; ``unfiltered`` says that the server sent far more.
    """

    commit: str
    date: str
    crds: dict[str, bytes] = field(repr=False)
    terms: tuple[Term, ...] = field(repr=False)
    read: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    unfiltered: bool = False


class Outcome(NamedTuple):
    """What became of one release (None: of the framework): what was built, or the problem."""

    framework: str
    release: str | None
    built: Gathered | None
    problem: WmapError | None


class Sync:
    """Fetches and builds; what several releases share (repositories, modules) is fetched once."""

    def __init__(
        self, *, cache: Path, store: Path, build: Builder = build_into_store, limits: GitLimits = DEFAULT_LIMITS
    ) -> None:
        self.cache = cache
        self.store = store
        self.build = build
        self.limits = limits
        self._repositories: dict[str, Repository] = {}
        self._modules: dict[tuple[str, Version], tuple[tuple[Term, ...], dict[str, str]]] = {}

    def run(self, framework: Framework, wanted: Wanted) -> Iterator[Outcome]:
        """Build the wanted releases of a framework, one after the other; a problem of one does not stop the others."""
        try:
            repository = self._repository(framework.repository)
            releases = choose(framework, repository.tags(), wanted)
        except WmapError as problem:
            yield Outcome(framework.name, wanted.release, None, problem)
            return
        for release in releases:
            try:
                found = self.gather(framework, release)
                self.build(
                    framework.name,
                    release,
                    crds=found.crds,
                    terms=found.terms,
                    repository=framework.repository,
                    commit=found.commit,
                    date=found.date,
                    read=found.read,
                    store=self.store,
                    core_types=framework.core_types_at(release),
                )
            except WmapError as problem:
                yield Outcome(framework.name, release, None, problem)
            else:
                yield Outcome(framework.name, release, found, None)

    def gather(self, framework: Framework, release: str) -> Gathered:
        """The CRDs and the terms of a release.

        Raises:
            InputError: ``framework.yaml`` does not say where they lie, or nothing lies there; the source is no Go.
            EnvironmentFailure: the repository cannot be had; names it.
        """
        who = f"{framework.name} {release}"
        layout = framework.layout_at(release)
        if layout is None:
            raise InputError(f"{who}: {_file(framework)} has no layout for this release", hint="say where its CRDs lie")
        repository = self._repository(framework.repository)
        tree = repository.fetch_tag(release)
        crds, source = _paths(tree, layout, who, framework)
        mods = [p for p in _ancestors(source) if p in tree.files]
        files = repository.read(tree, [*crds, *source, *mods])
        try:
            parsed = {p: parse_go_mod(files[p].decode("utf-8", "replace"), file=p) for p in mods}
            folders = {p.rpartition("/")[0]: mod.module for p, mod in parsed.items()}
            terms = read_source({p: files[p] for p in source}, modules=folders)
            read = {p: _digest(files[p]) for p in (*source, *mods)}
            for module in framework.modules_at(release):
                more, digests = self._module(module, list(parsed.values()))
                terms += more
                read |= digests
        except InputError as error:
            raise InputError(f"{who}: {error.message}", hint=error.hint) from error
        terms = (*apply_rules(terms, framework.vocabulary), *framework.words_at(release))
        manifests = {p: files[p] for p in crds}
        return Gathered(tree.commit, tree.date, manifests, terms, tuple(sorted(read.items())), repository.unfiltered)

    def _repository(self, url: str) -> Repository:
        found = self._repositories.get(url)
        if found is None:
            found = self._repositories[url] = Repository(url, self.cache, self.limits)
        return found

    def _module(self, module: Module, mods: list[GoMod]) -> tuple[tuple[Term, ...], dict[str, str]]:
        """The terms of a module at the version that a release's go.mod requires, and the digests of its files."""
        version = next((v for v in (mod.version(module.module) for mod in mods) if v is not None), None)
        if version is None:
            raise InputError(
                f"its go.mod does not require {module.module}",
                hint="give the module in framework.yaml the range of releases that import it",
            )
        known = self._modules.get((module.module, version))
        if known is not None:
            return known
        repository = self._repository(module.repository)
        tree = self._module_tree(repository, version)
        source = [p for p in matching(tree.files, module.source) if is_source(p)]
        if not source:
            raise InputError(f"{module.module}@{version.version}: nothing lies at {', '.join(module.source)}")
        files = repository.read(tree, source)
        terms = read_source(files, modules={"": module.module} if "go.mod" in tree.files else {})
        found = (
            tuple(in_module(t, module.module, version.version) for t in terms),
            {f"{module.module}@{version.version}/{p}": _digest(data) for p, data in files.items()},
        )
        self._modules[module.module, version] = found
        return found

    def _module_tree(self, repository: Repository, version: Version) -> Tree:
        if version.commit is not None:
            commit = repository.commit_of(version.commit)
            if commit is None:
                raise EnvironmentFailure(
                    f"{repository.url} has no commit {version.commit} (of {version.module}@{version.version})"
                )
            return repository.fetch_commit(commit)
        # a module in a folder of its repository has tags that begin with the folder
        parts = version.module.split("/")
        tags = [str(version.tag), *(f"{'/'.join(parts[i:])}/{version.tag}" for i in range(1, len(parts)))]
        return repository.fetch_tag(next((t for t in tags if t in repository.tags()), str(version.tag)))


def choose(framework: Framework, tags: Mapping[str, str], wanted: Wanted) -> tuple[str, ...]:
    """The tags of the releases that are wanted, oldest first.

    The newest is the newest full release, of a framework that has none the newest pre-release; all are those for which
    ``framework.yaml`` says where things lie.

    Raises:
        CallError: the wanted tag is no name of a tag.
        EnvironmentFailure: the repository has no such tag, or no release; names it.
    """
    if wanted.release is not None:
        if check_ref(wanted.release) not in tags:
            near = difflib.get_close_matches(wanted.release, tags, 3, 0.5)
            raise EnvironmentFailure(
                f"{framework.repository} has no tag {wanted.release}",
                hint=f"did you mean {', '.join(near)}?" if near else f"it has {len(tags)} tags",
            )
        return (wanted.release,)
    releases = in_order(t for t in tags if framework.is_release(t))
    if not releases:
        raise EnvironmentFailure(
            f"{framework.repository} has no tag that matches {framework.tag_pattern}",
            hint=f"it has {len(tags)} tags; look at tagPattern in {_file(framework)}",
        )
    if wanted.every:
        return tuple(t for t in releases if framework.layout_at(t) is not None)
    full = [t for t in releases if release_key(t)[1] == 1]
    return ((full or releases)[-1],)


def _paths(tree: Tree, layout: Layout, who: str, framework: Framework) -> tuple[list[str], list[str]]:
    crds = matching(tree.files, layout.crds)
    source = [p for p in matching(tree.files, layout.source) if is_source(p)]
    for kind, found, globs in (("CRD", crds, layout.crds), ("Go source", source, layout.source)):
        if not found:
            raise InputError(
                f"{who}: no {kind} lies at {', '.join(globs)}",
                hint=f"say in {_file(framework)} where it lies in this release: `layout`, by version range",
            )
    return crds, source


def _ancestors(paths: list[str]) -> list[str]:
    """Where a go.mod may lie that holds for these files, the nearest first."""
    folders = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        folders.update("/".join(parts[:i]) for i in range(1, len(parts) + 1))
    return [f"{f}/go.mod" if f else "go.mod" for f in sorted(folders, key=lambda f: (-f.count("/"), not f, f))]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _file(framework: Framework) -> str:
    return framework.file or f"catalog/{framework.name}/framework.yaml"
