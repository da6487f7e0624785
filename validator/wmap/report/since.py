"""What a validation since a ref judged, in the formats of a validation: the entries that are touched, and what that means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.report.neutral import code, lines, markdown, plain

if TYPE_CHECKING:
    from wmap.check.run import Result, Since, Touched

_MOST = 10_000
_SHOWN = 3
"""Files through which an entry is touched that are named for people."""


def since_document(since: Since) -> dict[str, Any]:
    """The value of ``since`` in JSON."""
    return {
        "ref": lines(since.ref, _MOST),
        "base": since.base,
        "touched": [
            {
                "name": lines(t.name, _MOST),
                "path": None if t.path is None else lines(t.path, _MOST),
                "previous": None if t.previous is None else lines(t.previous, _MOST),
                "status": t.status,
                "level": t.level,
                "through": [lines(p, _MOST) for p in t.through],
            }
            for t in since.touched
        ],
    }


def since_lines(result: Result) -> list[str]:
    """Lines for people; none where the whole catalog was judged."""
    since = result.since
    if since is None:
        return []
    head = f"since {plain(since.ref)} (commit {since.base[:12]}): "
    return [head + (f"{len(since.touched)} touched" if since.touched else "no entry is touched")] + [
        plain(f"  {t.level or 'nothing':7} {_said(t)}") for t in since.touched
    ]


def majors(result: Result) -> str | None:
    """One line that names what breaks consumers; None where nothing does."""
    found = (
        [f"{t.name} {t.status or 'changed'}" for t in result.since.touched if t.level == "major"]
        if result.since
        else []
    )
    return f"a major change for consumers: {', '.join(found)}" if found else None


def since_markdown(result: Result) -> str:
    """A section of a job summary; empty where the whole catalog was judged."""
    since = result.since
    if since is None:
        return ""
    rows = (
        "".join(f"* **{t.level or 'nothing'}** {markdown(_said(t))}\n" for t in since.touched)
        or "No entry is touched.\n"
    )
    return f"### What changes for consumers since {code(since.ref)}\n\n{rows}"


def _said(touched: Touched) -> str:
    called = f" (was {touched.previous})" if touched.previous else ""
    if touched.path is None:
        return f"{touched.name}: deleted, which is a major change"
    if touched.status is not None:
        return f"{touched.name}{called}: {touched.status}"
    more = len(touched.through) - _SHOWN
    files = ", ".join(touched.through[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return f"{touched.name}: touched through {files}"
