"""The history of the catalog as text and JSON: its log, and which commit gave a field its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.report.differences import entry_document, framework_document
from wmap.report.neutral import lines, plain

if TYPE_CHECKING:
    from wmap.gitio.history import Commit
    from wmap.registry.blame import Blame
    from wmap.registry.log import Log, Logged

SCHEMA_VERSION = 1
_MOST = 10_000


def log_json(log: Log, ref: str, definition: str | None) -> str:
    """The document of ``schemas/catalog-log.schema.json``."""
    return _dump(
        {
            "schemaVersion": SCHEMA_VERSION,
            "definition": None if definition is None else lines(definition, _MOST),
            "ref": lines(ref, _MOST),
            "commits": [
                {
                    **_commit(row.commit),
                    "level": None if row.level is None else str(row.level),
                    "cut": row.cut,
                    "entries": [entry_document(e) for e in row.entries],
                    "frameworks": [framework_document(f) for f in row.frameworks],
                }
                for row in log.commits
            ],
            "left": log.left,
            "fetch": log.fetch,
        }
    )


def log_text(log: Log, definition: str | None) -> str:
    """A line for each commit: its name and tags, date, level, author, subject; of the whole catalog, what changed below it."""
    out: list[str] = []
    for row in log.commits:
        out.append(_line(row))
        said = [
            *(f"{e.level} {e.name}{f' (was {e.previous})' if e.previous else ''}: {e.status}" for e in row.entries),
            *(f"{f.level} {f.name}/framework.yaml" for f in row.frameworks),
        ]
        if definition is None:
            out += [f"    {plain(line)}" for line in said]
        elif row.entries and (row.entries[0].previous or row.entries[0].before_path != row.entries[0].after_path):
            paths = [p or "nothing" for p in (row.entries[0].before_path, row.entries[0].after_path)]
            out.append(f"    {plain(' -> '.join(paths))}")
    if log.left:
        out.append(f"{log.left} older commits are not shown: --max-count 0 shows all")
    if log.fetch:
        out.append(plain(log.fetch))
    return "".join(f"{line}\n" for line in out)


def _line(row: Logged) -> str:
    level = "unknown" if row.cut else str(row.level or "nothing")
    return f"{_head(row.commit)}  {level:7}  {plain(row.commit.author, 40)}: {plain(row.commit.subject, 200)}"


def _head(commit: Commit) -> str:
    refs = f" ({plain(', '.join(commit.refs), 100)})" if commit.refs else ""
    return f"{commit.name[:12]}{refs}  {commit.date[:10] or 'no date':10}"


def blame_json(found: Blame) -> str:
    """The document of ``schemas/catalog-blame.schema.json``."""
    return _dump(
        {
            "schemaVersion": SCHEMA_VERSION,
            "definition": lines(found.definition, _MOST),
            "path": lines(found.path, _MOST),
            "text": lines(found.text, _MOST),
            "file": lines(found.file, _MOST),
            "line": found.line,
            **_commit(found.commit),
        }
    )


def blame_text(found: Blame) -> str:
    """The commit, then the field with its place and text."""
    return (
        f"{_head(found.commit)}  {plain(found.commit.author, 40)}: {plain(found.commit.subject, 200)}\n"
        f"  {plain(found.file)}:{found.line}: {plain(found.path)}\n    {plain(found.text)}\n"
    )


def _commit(commit: Commit) -> dict[str, Any]:
    return {
        "commit": commit.name,
        "refs": [lines(r, _MOST) for r in commit.refs],
        "date": commit.date,
        "author": lines(commit.author, _MOST),
        "subject": lines(commit.subject, _MOST),
    }


def _dump(document: Any) -> str:
    import orjson  # noqa: PLC0415  # only for JSON

    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
