"""Build a bundle of the catalog as it is at a ref, or as it lies in the checkout."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.contract.framework import check_framework
from wmap.definition import load_trusted
from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio import LocalRepository, to_fetch
from wmap.gitio.history import commits
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.content import (
    LICENCE,
    SCHEMA,
    assemble,
    check_definition,
    check_framework_file,
    is_bundled,
)
from wmap.registry.bundle.index import Index, IndexEntry, Since, Supported, digest_of
from wmap.registry.bundle.provenance import repository_of, statement
from wmap.registry.bundle.releases import Releases
from wmap.registry.bundle.version import Version
from wmap.registry.compare import compare
from wmap.registry.differences import Status, new_mappings
from wmap.registry.state import CATALOG, CatalogState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from wmap.registry.differences import Differences

SPDX = "Apache-2.0"
_CONTRACTS = "schemas/contracts"


@dataclass(frozen=True, slots=True)
class Built:
    """A bundle that was built: the archive, its index, the commit that it was made of, and its provenance statement.

    ``differences``: what changed since the bundle before, all that it holds where there was none; ``date`` is the commit's (ISO 8601).
    ``note`` is what the user should know of how its version was found.
    """

    data: bytes
    index: Index
    commit: str
    statement: bytes
    differences: Differences
    date: str
    note: str | None = None


def build(
    folder: str | PathLike[str],
    *,
    at: str | None = None,
    version: str | None = None,
    following: bool = False,
    dirty: bool = False,
    address: str | None = None,
    to_use: bool = False,
) -> Built:
    """Build the bundle of a repository.

    ``at`` is a ref; without one, the checkout as it lies is taken, which must be as it is at HEAD unless ``dirty``. ``version`` is that
    of the bundle, ``following``: the lowest that the changes since the last release may have. Without both, a tag of the commit says it.
    ``to_use``: the bundle is not to be released, so its version must not look like a release that it is none of.
    ``address`` is that of the repository in the provenance, by default what the CI or its remote ``origin`` says.

    Raises:
        CallError: no repository, no such ref, no version, one that is too low or that of another commit, a dirty tree.
        BundleError: a file of the catalog is not valid.
        EnvironmentFailure: git fails, a file cannot be read, or the history is cut off before the last release (says what to fetch).
    """
    if version is not None and following:
        raise CallError("--version and --next exclude one another", hint="give one of them")
    if at is not None and dirty:
        raise CallError("a ref is never dirty", hint="leave --at or --dirty out")
    with LocalRepository.around(Path(folder)) as repository:
        commit = repository.commit(at or "HEAD")
        files, contracts = _at(repository, commit)
        changed: list[str] = []
        if at is None:
            if repository.bare:
                raise CallError(
                    f"{repository.name} is a bare repository: nothing is checked out there",
                    hint="say what to take of it: --at HEAD, or the tag of a release: --at v1.0.0",
                )
            lying = _lying(_top(Path(folder), repository))
            changed = sorted(n for n in {*files, *lying} if files.get(n) != lying.get(n))
            if changed and not dirty:
                more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
                raise CallError(
                    f"{changed[0]}{more} is not as it is at HEAD",
                    hint="commit it, or build with --dirty, which marks the version",
                )
            files = lying
        releases = Releases.of(repository, commit)
        wanted = _wanted(version, releases, following=following, dirty=bool(changed), to_use=to_use)
        last = releases.last(wanted)
        before = None if last is None else _at(repository, releases.tagged[last])[0]
        differences = _compared(
            repository, before, files, (releases.tagged[last] if last is not None else commit, commit)
        )
        address = repository_of(repository, address, os.environ)
        date = commits(repository, [commit])[commit].date
    data, index = _made(files, contracts, before, differences, releases, wanted, dirty=bool(changed), to_use=to_use)
    said = statement(
        digest_of(data),
        version=index.version,
        ref=at,
        repository=address,
        commit=commit,
        dirty=bool(changed),
        environ=os.environ,
    )
    return Built(data, index, commit, said, differences, date, releases.note)


def tag_of(folder: str | PathLike[str], version: str) -> str | None:
    """The tag of a version in a repository, None where it has none.

    Raises:
        CallError: no repository, or no version.
        EnvironmentFailure: git fails, or the tag may be one that a clone whose history is cut off did not get.
    """
    wanted = f"v{Version.of(version)}"
    with LocalRepository.around(Path(folder)) as repository:
        if wanted in repository.tags():
            return wanted
        if repository.shallow:
            raise EnvironmentFailure(f"{repository.name} has no tag {wanted}", hint=to_fetch(wanted))
    return None


def _made(
    files: Mapping[str, bytes],
    contracts: Mapping[str, bytes],
    before: Mapping[str, bytes] | None,
    differences: Differences,
    releases: Releases,
    wanted: Version | None,
    *,
    dirty: bool,
    to_use: bool,
) -> tuple[bytes, Index]:
    last = releases.last(wanted)
    level = differences.level if before is not None else None
    if wanted is None and before is not None and dict(before) == dict(files):
        raise CallError(f"nothing of the catalog changed since {last}", hint="there is nothing to release")
    found = wanted or releases.least(wanted, level)
    releases.check(found, level)
    if to_use and not dirty:
        releases.check_called(found, level)
    if dirty:
        found = replace(found, build="dirty")
    since = None if last is None else Since(str(last), level, _removed(differences))
    index = index_of(files, str(found), since, differences, contracts)
    return assemble(index, files), index


def _compared(
    repository: LocalRepository,
    before: Mapping[str, bytes] | None,
    files: Mapping[str, bytes],
    between: tuple[str, str],
) -> Differences:
    """What changed since the bundle before; ``between`` are the commits that the fixtures are of."""
    states = CatalogState.of("before", before or {}), CatalogState.of("after", files)
    differences = compare(*states)
    doubtful = new_mappings(differences) if before is not None else set()
    if not doubtful:
        return differences
    from wmap.registry.diff import fixtures_between  # noqa: PLC0415  # seldom, and it loads what draws objects
    from wmap.registry.readings import check_readings  # noqa: PLC0415  # the same

    return check_readings(differences, *states, fixtures_between(repository, *between), only=doubtful)[0]


def index_of(
    files: Mapping[str, bytes],
    version: str,
    since: Since | None,
    differences: Differences,
    contracts: Mapping[str, bytes],
) -> Index:
    """The index of the files of a bundle; each is checked first.

    ``contracts``: the store of contracts, by its path below the store.

    Raises:
        BundleError: a file is not valid.
    """
    entries: list[IndexEntry] = []
    for name in sorted(files):
        if not name.startswith(f"{CATALOG}/"):
            continue
        if name.endswith("/framework.yaml"):
            check_framework_file(name, files[name])
            continue
        check_definition(name, files[name])
        definition = load_trusted(files[name], file=name)
        kind, said = definition.kind, definition.name.value
        folder = name.split("/")[1]
        beside = files.get(f"{CATALOG}/{folder}/framework.yaml")
        framework = check_framework(beside).framework if beside is not None else None
        life = framework.life_of(said) if framework is not None else None
        stored = _releases_of(contracts.get(f"{folder}/index.json"))
        key = f"{kind.group}/{kind.version}/{kind.kind}"
        entries.append(
            IndexEntry(
                said, folder, name, kind.group, kind.version, kind.kind, digest_of(files[name]),
                differences.level_of(said) if since is not None else None,
                since is not None and any(e.name == said and e.status is Status.ADDED for e in differences.entries),
                tuple(
                    Supported(release, _contract(contracts, folder, stored.get(release, {}).get("contracts", {}).get(key)))
                    for release in (framework.supported if framework is not None else ())
                ),
                life.deprecated if life is not None else None,
                life.replaced_by if life is not None else None,
                life.yanked if life is not None else None,
            )
        )  # fmt: skip
    _check_lives(files, {e.name for e in entries})
    if not entries:
        raise CallError("there is no definition to bundle", hint="files are catalog/<framework>/<definition>.yaml")
    return Index(version, SPDX, since, tuple(sorted(entries, key=lambda e: e.name)))


def _check_lives(files: Mapping[str, bytes], names: set[str]) -> None:
    """See that what ``framework.yaml`` says of the life of definitions is about those that there are.

    Raises:
        BundleError: it is not.
    """
    for file in sorted(f for f in files if f.endswith("/framework.yaml")):
        framework = check_framework(files[file], file=file).framework
        for life in framework.lives if framework is not None else ():
            for name in (life.name, life.replaced_by):
                if name is not None and name not in names:
                    said = life.name if name == life.name else f"{life.name} is replaced by {name}, which"
                    raise BundleError(f"{file}: {said} is no definition of the catalog", hint="wmap validate says more")


def _removed(differences: Differences) -> tuple[str, ...]:
    return tuple(e.name for e in differences.entries if e.status is Status.REMOVED)


def _releases_of(data: bytes | None) -> dict[str, Any]:
    if data is None:
        return {}
    try:
        releases = json.loads(data).get("releases", {})
    except (ValueError, AttributeError):
        return {}
    return releases if isinstance(releases, dict) else {}


def _contract(contracts: Mapping[str, bytes], folder: str, path: str | None) -> str | None:
    data = contracts.get(f"{folder}/{path}") if path is not None else None
    return None if data is None else digest_of(data)


def _wanted(version: str | None, releases: Releases, *, following: bool, dirty: bool, to_use: bool) -> Version | None:
    """The version that is asked for, None where it is to be worked out."""
    if version is not None:
        return Version.of(version)
    if following:
        # nothing changed since a tag of this very commit: it is that release again
        return None if dirty else releases.own_release
    if releases.own is None:
        hint = "give --version V, or --next to have it worked out"
        if to_use:
            hint = "name a release with --version V, or the FILE of a bundle; --version 1.2.0-dev calls it what it is"
        raise CallError("no tag gives this commit a version", hint=hint)
    return releases.own


def _at(repository: LocalRepository, commit: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What goes into a bundle of a commit, and its store of contracts, by path."""
    found = {
        **repository.files(commit, CATALOG),
        **repository.files(commit, LICENCE),
        **repository.files(commit, SCHEMA),
    }
    files = repository.read({p: b for p, b in found.items() if is_bundled(p)})
    store = repository.read(repository.files(commit, _CONTRACTS))
    for needed in (LICENCE, SCHEMA):
        if needed not in files:
            raise CallError(f"{repository.name} holds no {needed} there", hint="is it the repository of a catalog?")
    return dict(files), {p.removeprefix(f"{_CONTRACTS}/"): d for p, d in store.items()}


def _top(folder: Path, repository: LocalRepository) -> Path:
    depth = len(Path(repository.inside).parts) if repository.inside else 0
    return folder.resolve() if not depth else folder.resolve().parents[depth - 1]


def _lying(top: Path) -> dict[str, bytes]:
    """What goes into a bundle of a checkout as it lies."""
    found: dict[str, bytes] = {}
    for file in (top / LICENCE, top / SCHEMA, *(top / CATALOG).glob("*/*.y*ml")):
        name = file.relative_to(top).as_posix()
        if file.is_symlink() or not file.is_file() or not is_bundled(name):
            continue
        try:
            found[name] = file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
    return found
