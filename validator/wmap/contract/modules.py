"""The constants of imported modules in a folder of reference material: which stored version stands for which release.

The folder holds ``<module, slashes as underscores>/<version>/constants.tsv`` and a README whose table says which release
uses which (columns framework, releases, module, use). Where it says no version but "the nearest", that is the nearest in time, or, of
releases that are numbered alike (``knative-v1.12.0`` and ``release-1.12``), the nearest number.
"""

from __future__ import annotations

import csv
import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from wmap.contract.releases import release_key
from wmap.contract.vocabulary import read_constants
from wmap.errors import EnvironmentFailure, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from wmap.contract.model import Term

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class StoredModule(NamedTuple):
    """A module in the folder: its path, the version that lies there, and the table of its constants."""

    module: str
    version: str
    file: Path


def module_terms(upstream: Path, framework: str, release: str) -> tuple[Term, ...]:
    """The terms of the modules that a release imports, from the folder ``upstream/modules``.

    Their ``file`` is ``MODULE@VERSION/FILE``; no module: no terms.

    Raises:
        EnvironmentFailure: a table cannot be read.
        InputError: a table is none.
    """
    found: list[Term] = []
    for stored in stored_modules(upstream, framework, release):
        terms = read_constants(_text(stored.file), file=str(stored.file))
        found += (in_module(t, stored.module, stored.version) for t in terms)
    return tuple(found)


def in_module(term: Term, module: str, version: str) -> Term:
    """A term of a module's source as one of a release that imports it."""
    return replace(term, file=f"{module}@{version}/{term.file}")


def stored_modules(upstream: Path, framework: str, release: str) -> tuple[StoredModule, ...]:
    """The modules that a release imports, each with the stored version that stands for it.

    Raises:
        EnvironmentFailure: the README, or the list of releases, cannot be read.
        InputError: the README's table names a version that does not lie there.
    """
    readme = upstream / "modules" / "README.md"
    rows = [tuple(c.strip() for c in line.strip().strip("|").split("|")) for line in _text(readme).split("\n")]
    table = [(r[0], r[1], r[2].split()[0], r[3]) for r in rows if len(r) == 4 and r[2] and not r[2].startswith("none")]
    found = []
    for owner, releases, module, use in table:
        if owner != framework or use == "none" or not _covers(releases, release):
            continue
        folder = upstream / "modules" / module.replace("/", "_")
        stored = sorted(p.parent.name for p in folder.glob("*/constants.tsv"))
        version = use if use in stored else None
        if use.startswith("the nearest") and "time" in use:
            alike = {o for o, _, m, u in table if m == module and u.startswith("the nearest release")}
            version = _nearest_in_time(stored, _dates(upstream), alike, (framework, release))
        elif use.startswith("the nearest"):
            version = _nearest_number(stored, release)
        if version is None:
            raise InputError(f"{readme}: there is no {module} {use} for {framework} {release}")
        found.append(StoredModule(module, version, folder / version / "constants.tsv"))
    return tuple(found)


def _covers(text: str, release: str) -> bool:
    """Whether a cell of the table means a release: ``v1.5.0``, ``v1.7.0 and later``, ``v0.8.0 to v0.17.0``, ``knative-v1.N``."""
    key = release_key(release)
    if " to " in text:
        first, _, last = text.partition(" to ")
        return release_key(first) <= key <= release_key(last)
    if text.endswith(" and later"):
        return key >= release_key(text.removesuffix(" and later"))
    if text.endswith("N"):
        return release.startswith(text.removesuffix("N"))
    return text == release


def _nearest_number(stored: list[str], release: str) -> str | None:
    major, minor = (*release_key(release)[0], 0, 0)[:2]
    numbers = {v: release_key(v)[0] for v in stored if not _DATE.search(v)}
    distance = {v: abs(n[1] - minor) for v, n in numbers.items() if len(n) > 1 and n[0] == major}
    return min(distance, key=lambda v: distance[v], default=None)


def _nearest_in_time(
    stored: list[str], dates: dict[tuple[str, str], dt.date], alike: set[str], wanted: tuple[str, str]
) -> str | None:
    """The version made nearest to a release; a branch is as old as the first release of its number that is numbered alike."""
    if wanted not in dates:
        return None
    distance = {}
    for version in stored:
        own = _DATE.search(version)
        number = release_key(version)[0][:2]
        made = [d for (f, r), d in dates.items() if f in alike and release_key(r)[0][:2] == number]
        if own or made:
            day = dt.date.fromisoformat(own[0]) if own else min(made)
            # of two that are as near the older one: nothing imports what is not there yet
            distance[version] = (abs((day - dates[wanted]).days), day)
    return min(distance, key=lambda v: distance[v], default=None)


def _dates(upstream: Path) -> dict[tuple[str, str], dt.date]:
    rows = csv.DictReader(_text(upstream / "sources.tsv").splitlines(), delimiter="\t")
    return {(r["framework"], r["release"]): dt.date.fromisoformat(r["date"]) for r in rows}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}") from error
