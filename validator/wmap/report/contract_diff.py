"""The differences of two releases as text, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wmap.contract.diff import Change

if TYPE_CHECKING:
    from wmap.contract.diff import Diff, FieldChange, KindDiff
    from wmap.contract.model import Term

SCHEMA_VERSION = 1


def document(diff: Diff) -> dict[str, Any]:
    """The whole of it, for programs."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "framework": diff.framework,
        "old": diff.old,
        "new": diff.new,
        "kinds": [
            {
                "group": kind.kind.group,
                "version": kind.kind.version,
                "kind": kind.kind.kind,
                "status": kind.status,
                "changes": [
                    {"change": str(c.change), "path": c.path, "old": c.old, "new": c.new, "core": c.core, "at": c.at}
                    for c in kind.changes
                ],
            }
            for kind in diff.kinds
        ],
        "vocabulary": {
            "added": [_term(t) for t in diff.added],
            "removed": [_term(t) for t in diff.removed],
            "renames": [{"kind": str(r.kind), "old": r.old, "new": r.new} for r in diff.renames],
        },
    }


def text(diff: Diff) -> str:
    """For people: the kind's own fields line by line, what came with Kubernetes' core types counted."""
    lines = [f"{diff.framework} {diff.old} -> {diff.new}"]
    if not (diff.kinds or diff.added or diff.removed):
        lines.append("  no difference")
    for kind in diff.kinds:
        lines.append(f"  {kind.kind}: {kind.status}")
        lines += [f"    {line}" for line in _changes(kind)]
    if diff.added or diff.removed:
        lines.append("  vocabulary")
        lines += [f"    - {line}" for line in _words(diff.removed)]
        lines += [f"    + {line}" for line in _words(diff.added)]
        lines += [f"    {r.old} -> {r.new}: renamed?" for r in diff.renames]
    return "\n".join(lines) + "\n"


def markdown(diff: Diff) -> str:
    """For a pull request."""
    lines = [f"## {diff.framework} {diff.old} to {diff.new}", ""]
    if not (diff.kinds or diff.added or diff.removed):
        lines += ["No difference.", ""]
    for kind in diff.kinds:
        lines += (
            [f"### {kind.kind}", "", f"The kind is {kind.status}.", ""]
            if not kind.changes
            else [f"### {kind.kind}", ""]
        )
        lines += [f"- {_code(line)}" for line in _changes(kind)] + [""] * bool(kind.changes)
    if diff.added or diff.removed:
        lines += ["### Vocabulary", ""]
        lines += [f"- removed: {_code(line)}" for line in _words(diff.removed)]
        lines += [f"- added: {_code(line)}" for line in _words(diff.added)]
        lines += [f"- renamed? {_code(r.old)} to {_code(r.new)}" for r in diff.renames]
        lines.append("")
    return "\n".join(lines)


def _changes(kind: KindDiff) -> Iterator[str]:
    counted: dict[tuple[str, str], list[FieldChange]] = {}
    for change in kind.changes:
        if change.core is not None and change.at is not None and change.path != change.at:
            counted.setdefault((change.at, change.core), []).append(change)
        else:
            yield _line(change)
    for (at, core), changes in sorted(counted.items()):
        numbers = [(c, sum(x.change is c for x in changes)) for c in Change]
        said = ", ".join(f"{n} {c}" for c, n in numbers if n)
        yield f"~ {at} ({core} of Kubernetes): {said}"


def _line(change: FieldChange) -> str:
    place = change.path or "the kind"
    match change.change:
        case Change.ADDED:
            return f"+ {place}: {change.new}"
        case Change.REMOVED:
            return f"- {place}: {change.old}"
        case Change.RETYPED:
            return f"~ {place}: {change.old} -> {change.new}"
        case Change.DEFAULT:
            return f"~ {place}: default {_json(change.old, 'none')} -> {_json(change.new, 'none')}"
        case Change.ENUM:
            gone = [v for v in change.old if v not in change.new]
            came = [v for v in change.new if v not in change.old]
            return f"~ {place}: values" + "".join([f" -{_json(v)}" for v in gone] + [f" +{_json(v)}" for v in came])
        case _:
            said = (f"{name} {_json(change.old[name])} -> {_json(change.new[name])}" for name in change.new)
            return f"~ {place}: {', '.join(said)}"


def _words(terms: tuple[Term, ...]) -> list[str]:
    return list(dict.fromkeys(f"{_json(t.value)} ({t.kind}, {t.name})" for t in terms))


def _json(value: Any, none: str | None = None) -> str:
    if value is None and none is not None:
        return none
    return json.dumps(value, ensure_ascii=False)


def _code(line: str) -> str:
    fence = "`" * (1 + max((len(run) for run in _runs(line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _runs(line: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in line).split() if run]


def _term(term: Term) -> dict[str, Any]:
    return {"value": term.value, "kind": str(term.kind), "name": term.name, "type": term.type, "file": term.file}
