"""Readings as a table, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.report.neutral import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.reading.model import Reading


def render(readings: Iterable[Reading], *, wide: bool = False) -> str:
    """The table as text, in the manner of ``kubectl get``; wide adds gangs, maximum, reason and warnings.

    The widths follow from all rows, so the cells are kept, but no reading is.
    """
    head = ["NAMESPACE", "NAME", "KIND", "PHASE", "PODS", "GPUS"]
    if wide:
        head += ["MIN", "MAX", "GANGS", "REASON", "WARNINGS"]
    rows = [head]
    for r in readings:
        row = [
            r.workload.namespace or "",
            r.workload.name or "",
            r.workload.kind,
            r.status.phase,
            str(r.totals.pods),
            str(r.totals.gpus),
        ]
        if wide:
            gangs = ",".join(f"{'?' if g.count is None else g.count}x{g.min_pods}" for g in r.gangs)
            row += [
                str(r.totals.min_pods),
                "" if r.totals.max_pods is None else str(r.totals.max_pods),
                gangs,
                r.status.reason or "",
                str(len(r.warnings) or ""),
            ]
        rows.append([plain(cell, 300) for cell in row])
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "".join("  ".join(f"{c:{w}}" for c, w in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows)
