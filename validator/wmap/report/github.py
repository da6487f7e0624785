"""The result of a validation as workflow commands of GitHub: annotations in the files of a pull request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wmap.findings import Severity
from wmap.report.neutral import command, command_property
from wmap.report.since import majors

if TYPE_CHECKING:
    from wmap.check.run import Result
    from wmap.findings import Finding

MOST = 10
"""GitHub shows so many errors, warnings and notices of a step; the worst come first."""
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_github(result: Result) -> str:
    """At most ten commands of each kind, then how many more there are, and what did not run."""
    out: list[str] = []
    for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO):
        found = [f for f in result.findings if f.severity is severity and result.counts(f)]
        shown = found if len(found) <= MOST else found[: MOST - 1]
        out += [_command(f) for f in shown]
        if len(found) > len(shown):
            more = f"{len(found) - len(shown)} more; the job summary has all of them"
            out.append(f"::{_COMMANDS[severity]} title=wmap::{command(more)}")
    old = sum(not result.counts(f) for f in result.findings)
    if old and result.since is not None:
        out.append(f"::notice title=wmap::{old} old: there before, and not counted; wmap validate --all counts them")
    broken = majors(result)
    if broken:
        out.append(f"::notice title=wmap::{command(broken)}")
    for n in result.not_run:
        what = f"{n.level} of {n.definition}" if n.definition else str(n.level)
        out.append(f"::notice title=wmap did not run::{command(f'{what}: {n.reason}')}")
    return "".join(f"{line}\n" for line in out)


def _command(f: Finding) -> str:
    properties = {"title": f"{f.code} {f.name}"}
    if f.file:
        properties["file"] = _relative(f.file)
    if f.span is not None:
        properties |= {"line": str(f.span.line), "endLine": str(f.span.end_line), "col": str(f.span.column)}
        if f.span.line == f.span.end_line:
            properties["endColumn"] = str(f.span.end_column)
    which = f" (at {', '.join(f.releases)})" if f.releases else ""
    text = f"{f.message}{which}" + (f" - {f.hint}" if f.hint else "")
    listed = ",".join(f"{name}={command_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[f.severity]} {listed}::{command(text)}"


def _relative(file: str) -> str:
    try:
        return Path(file).resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return file
