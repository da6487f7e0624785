"""Level ``fuzz`` of ``wmap validate``: the definitions that passed the levels before it are fuzzed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wmap.check.run import files_of, fixtures_of
from wmap.definition.load import load
from wmap.findings import Level, NotRun, Severity, fingerprinted
from wmap.fuzz.engine import missing_extra
from wmap.fuzz.run import Options, fuzz

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wmap.check.run import Result


def with_fuzz(result: Result, paths: Sequence[Path], catalog: Path | None = None, release: str | None = None) -> Result:
    """The result of the levels before, with what fuzzing finds: the newest supported release, or the one that is named.

    Where the extra ``fuzz`` is not installed, the level is listed as not run, as every other that cannot run.

    Raises:
        CallError: a path does not exist, or the release is not stored.
        EnvironmentFailure: a file cannot be read.
        InputError: a declaration of pods is broken.
    """
    left = tuple(n for n in result.not_run if (n.level, n.definition) != (Level.FUZZ, None))
    missing = missing_extra()
    if missing is not None:
        return replace(result, not_run=(*left, NotRun(Level.FUZZ, None, f"{missing}: pip install 'wmap[fuzz]'")))
    files, root = files_of(paths, catalog)
    bad = {f.definition for f in result.findings if f.severity is Severity.ERROR}
    bad |= {n.definition for n in result.not_run if n.level is Level.FIXTURE and n.definition is not None}
    broken: list[NotRun] = []
    chosen: list[Path] = []
    for file in files:
        definition = load(file.read_bytes(), file=str(file)).definition
        if definition is None:
            broken.append(NotRun(Level.FUZZ, file.stem, "level schema found errors"))
        elif definition.name.value in bad:
            broken.append(NotRun(Level.FUZZ, definition.name.value, "a level before it found errors"))
        else:
            chosen.append(file)
    fuzzed = fuzz(chosen, Options(release=release, fixtures=fixtures_of(root)))
    if fuzzed.interrupted:
        raise KeyboardInterrupt
    findings = fingerprinted((*result.findings, *(f.finding for f in fuzzed.found)))
    not_run = (*left, *broken, *fuzzed.all_not_run)
    return replace(result, levels=(*result.levels, Level.FUZZ), findings=findings, not_run=not_run)
