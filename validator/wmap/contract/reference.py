"""The whole store made from a folder of reference material: CRDs and constants of many releases, and where they are from.

The folder holds ``sources.tsv`` (framework, release, repository, commit, date), ``<framework>/<release>/*.yaml`` and
``constants.tsv``, and ``modules/<module>/<version>/constants.tsv`` of Go modules that operators import.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from wmap.contract import kubernetes
from wmap.contract.build import KUBERNETES, Release, build_release, digest, kubernetes_release, write_framework
from wmap.contract.framework import FILE, Framework, load_framework
from wmap.contract.modules import stored_modules
from wmap.contract.tables import reference_terms
from wmap.errors import CallError, InputError


class Source(NamedTuple):
    """Where a release is from."""

    framework: str
    release: str
    repository: str
    commit: str
    date: str


def sources(folder: Path) -> list[Source]:
    """The releases that the material has.

    Raises:
        CallError: the folder is no reference material.
        InputError: its list of sources is no good.
    """
    try:
        lines = (folder / "sources.tsv").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CallError(
            f"{folder} holds no reference material: sources.tsv: {error.strerror}",
            hint="set WMAP_UPSTREAM to its folder",
        ) from None
    rows = [line.split("\t") for line in lines[1:] if line]
    for number, row in enumerate(rows, 2):
        if len(row) != len(Source._fields):
            raise InputError(f"sources.tsv:{number}: {len(row)} cells, not {len(Source._fields)}")
    return [Source(*row) for row in rows]


def rebuild(folder: Path, out: Path, catalog: Path, frameworks: list[str] | None = None, jobs: int = 1) -> None:
    """Build all releases of the frameworks (by default all of them, and Kubernetes) into the store at ``out``.

    Raises:
        InputError: the material of a release is no good.
    """
    by_framework: dict[str, list[Source]] = {}
    for source in sources(folder):
        by_framework.setdefault(source.framework, []).append(source)
    for name in (wanted := frameworks if frameworks is not None else [KUBERNETES, *by_framework]):
        if name != KUBERNETES and name not in by_framework:
            raise CallError(f"the reference material has no framework {name}", hint=f"it has {', '.join(by_framework)}")
    work = [(folder, out, catalog, name, by_framework.get(name, [])) for name in wanted]
    if jobs == 1:
        for one in work:
            _framework(*one)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for future in [pool.submit(_framework, *one) for one in work]:
            future.result()


def _framework(folder: Path, out: Path, catalog: Path, framework: str, found: list[Source]) -> None:
    if framework == KUBERNETES:
        write_framework(out, framework, {version: kubernetes_release(version) for version in kubernetes.versions()})
        return
    known = framework_of(catalog, framework)
    write_framework(out, framework, {source.release: build(folder, source, known) for source in found})


def framework_of(catalog: Path, name: str) -> Framework | None:
    """The framework of this name in a catalog; None where there is none.

    Raises:
        InputError: its file is no good.
    """
    path = catalog / name / FILE
    return load_framework(path) if path.is_file() else None


def build(folder: Path, source: Source, framework: Framework | None) -> Release:
    """The contracts and the vocabulary of one release of the material.

    Raises:
        InputError: they cannot be made; says which file.
    """
    where = folder / source.framework / source.release
    manifests = [
        (f"{source.framework}/{source.release}/{p.name}", p.read_bytes()) for p in sorted(where.glob("*.yaml"))
    ]
    tables = [where / "constants.tsv", *(m.file for m in stored_modules(folder, source.framework, source.release))]
    return build_release(
        source.release,
        manifests,
        terms=reference_terms(folder, source.framework, source.release, framework),
        places=framework.core_types if framework else (),
        repository=f"https://github.com/{source.repository}",
        commit=source.commit,
        date=source.date,
        read=[(path.relative_to(folder).as_posix(), digest(path.read_bytes())) for path in tables],
    )
