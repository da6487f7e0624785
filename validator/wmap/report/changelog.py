"""The section of a changelog for one version of the catalog, in the form of Keep a Changelog, made of the semantic diff."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wmap.errors import CallError
from wmap.registry.differences import Semantic, Status
from wmap.report.differences import rows
from wmap.report.neutral import code, markdown, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.registry.differences import Differences, EntryChanges, FrameworkChanges

_HEADING = re.compile(r"^## \[?v?([^\]\s]+)", re.MULTILINE)
_HEAD = "# Changelog\n\nThe format is that of Keep a Changelog; versions follow Semantic Versioning.\n"
_TITLES = {
    Semantic.MAJOR: "Breaking",
    Semantic.MINOR: "Added",
    Semantic.PATCH: "Changed",
}


def section(version: str, date: str, differences: Differences, *, first: bool) -> str:
    """The section of a version, worst first.

    ``date`` is that of its commit (ISO 8601), of which the day in UTC is told; ``first``: there was no bundle before it, so all that it
    holds is new and is named alone.
    """
    try:
        day = datetime.fromisoformat(date).astimezone(UTC).date().isoformat()
    except ValueError:
        # a commit may say anything of its date
        day = "no date"
    out = [f"## {plain(version)} - {day}", ""]
    if first:
        names = [f"- {code(e.name)}" for e in differences.entries]
        return "\n".join([*out, "### Added", "", *names]) + "\n"
    for level in reversed(Semantic):
        told = [
            *_told((e for e in differences.entries if e.level is level), level),
            *_frameworks(f for f in differences.frameworks if f.level is level),
        ]
        if told:
            out += [f"### {_TITLES[level]}", "", *told, ""]
    if len(out) == 2:
        out += ["Nothing that consumers see.", ""]
    return "\n".join(out).rstrip("\n") + "\n"


def insert(text: str | None, version: str, made: str) -> str:
    """A changelog with a section put before the newest version in it; ``text`` None: a new one.

    Raises:
        CallError: it has a section of that version.
    """
    if text is None:
        return f"{_HEAD}\n{made}"
    place = len(text)
    for found in _HEADING.finditer(text):
        if found[1] == version:
            raise CallError(
                f"the changelog has a section of {version}", hint="take it out, or build without --changelog"
            )
        if found[1].lower() != "unreleased":
            place = min(place, found.start())
    before = text[:place].rstrip("\n")
    after = text[place:]
    return "\n\n".join(p for p in (before, made.rstrip("\n"), after) if p).rstrip("\n") + "\n"


def _told(entries: Iterable[EntryChanges], level: Semantic) -> list[str]:
    out: list[str] = []
    for entry in entries:
        called = f" (was {code(entry.previous)})" if entry.previous else ""
        out.append(f"- {code(entry.name)}{called} {markdown(entry.status)}")
        # what is new, or gone, is so with all its parts
        if entry.status not in (Status.ADDED, Status.REMOVED):
            out += [f"  {row}" for row in rows(entry.changes)]
        elif level is Semantic.MAJOR:
            out[-1] += ": nothing reads its kind by this catalog any more"
    return out


def _frameworks(frameworks: Iterable[FrameworkChanges]) -> list[str]:
    out: list[str] = []
    for framework in frameworks:
        out += [f"- framework {code(framework.name)}", *(f"  {row}" for row in rows(framework.changes))]
    return out
