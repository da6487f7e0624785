"""Run the levels: each only where the one before passed. What did not run is listed with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.catalog import default_folder, definition_files
from wmap.check.fixtures import check_fixture
from wmap.check.ignores import apply_ignores
from wmap.check.registry import rule_by_code, rules
from wmap.check.rule import Context
from wmap.data import data_root
from wmap.definition.load import load
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.findings import Finding, Level, NotRun, Severity, Span, fingerprinted
from wmap.reading.plan import compile_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.definition.model import Definition
    from wmap.definition.source import Source

BUILT = (Level.SCHEMA, Level.LINT, Level.FIXTURE)
"""The levels of this version; the others are said to be not run where they are asked for."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a validation found. ``levels`` ran, ``fixtures`` is how many were read."""

    definitions: int
    fixtures: int
    levels: tuple[Level, ...]
    findings: tuple[Finding, ...]
    not_run: tuple[NotRun, ...]


def validate_paths(paths: Sequence[Path], *, catalog: Path | None = None, level: Level = Level.FIXTURE) -> Result:
    """Judge files and folders of definitions; without paths, the whole catalog.

    Raises:
        CallError: a path does not exist, or holds no definition.
        EnvironmentFailure: a file cannot be read.
    """
    root = catalog or _near(default_folder())
    if not paths:
        return validate_catalog(root, level=level)
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += definition_files(path)
        elif path.exists():
            files.append(path)
        else:
            raise CallError(f"{path} does not exist", hint="give a definition, or a folder of them")
    return _validate(files, _fixtures_of(root), level, whole=False)


def validate_catalog(folder: Path, *, level: Level | None = None) -> Result:
    """Judge every definition of a catalog, and the fixtures beside it."""
    return _validate(definition_files(folder), _fixtures_of(folder), level or Level.FIXTURE, whole=True)


def _near(folder: Path) -> Path:
    """The folder as seen from here, where it lies below: shorter places in findings."""
    try:
        return folder.relative_to(Path.cwd())
    except ValueError:
        return folder


def _fixtures_of(catalog: Path) -> Path:
    beside = _near(catalog.resolve().parent / "fixtures")
    return beside if beside.is_dir() else data_root() / "fixtures"


def _validate(files: Sequence[Path], fixtures: Path, level: Level, *, whole: bool) -> Result:
    findings: list[Finding] = []
    passed: list[Definition] = []
    loaded: list[tuple[Definition, Source]] = []
    not_run: list[NotRun] = []
    levels = [x for x in BUILT if x.rank <= level.rank]
    for file in files:
        try:
            result = load(file.read_bytes(), file=str(file))
        except OSError as error:
            raise EnvironmentFailure(
                f"{file} cannot be read: {error.strerror}", hint="check its permissions"
            ) from error
        findings += result.findings
        if result.definition is None:
            not_run += [NotRun(x, file.stem, "level schema found errors") for x in levels[1:]]
        else:
            loaded.append((result.definition, result.source))
    if Level.LINT in levels:
        across = _across([d for d, _ in loaded])
        for definition, source in loaded:
            context = Context.of(definition)
            found = [f for rule in rules() for f in rule.check(context)] + across.get(definition.file or "", [])
            found = apply_ignores(found, source, definition.name.value)
            findings += found
            if any(f.severity is Severity.ERROR for f in found):
                not_run += [NotRun(x, definition.name.value, "level lint found errors") for x in levels[2:]]
            else:
                passed.append(definition)
    number = 0
    if Level.FIXTURE in levels:
        for definition in passed:
            count, found = _run_fixtures(definition, fixtures)
            number += count
            findings += found
        if whole and fixtures.is_dir():
            names = {d.name.value for d, _ in loaded} | {f.stem for f in files}
            findings += [
                _plain("F004", f"no definition is called {folder.name}", str(folder), None)
                for folder in sorted(fixtures.iterdir())
                if folder.is_dir() and folder.name not in names
            ]
    not_run += [
        NotRun(x, None, "this version does not have the level")
        for x in Level
        if x.rank <= level.rank and x not in BUILT
    ]
    return Result(len(files), number, tuple(levels), fingerprinted(findings), tuple(not_run))


def _run_fixtures(definition: Definition, fixtures: Path) -> tuple[int, list[Finding]]:
    folder = fixtures / definition.name.value
    files = sorted(f for f in folder.glob("*.y*ml")) if folder.is_dir() else []
    if not files:
        message = f"{definition.name} has no fixtures"
        return 0, [
            replace(_plain("F003", message, definition.file, definition.name.value), span=definition.name.span())
        ]
    try:
        plan = compile_plan(definition)
    except InputError as error:
        return 0, [_plain("F002", error.message, definition.file, definition.name.value)]
    return len(files), [finding for file in files for finding in check_fixture(file, plan)]


def _across(definitions: Sequence[Definition]) -> dict[str, list[Finding]]:
    """What is wrong with names and kinds, by file."""
    found: dict[str, list[Finding]] = {}
    kinds: dict[object, Definition] = {}
    for definition in definitions:
        name, kind = definition.name.value, definition.root.kind
        file = definition.file or ""
        mine = found.setdefault(file, [])
        span = definition.name.span()
        stem = file.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
        if file and stem != name:
            mine.append(_plain("L801", f"the file is called {stem}, the definition {name}", file, name, span))
        if kind is None:
            continue
        wanted = f"{kind.group.replace('.', '-') or 'core'}-{kind.kind.lower()}-{kind.version}"
        if name != wanted:
            mine.append(_plain("L802", f"{name} reads {kind}, so its name is {wanted}", file, name, span))
        if kind in kinds:
            mine.append(_plain("L803", f"{kinds[kind].file} reads {kind} too", file, name, span))
        kinds.setdefault(kind, definition)
    return found


def _plain(code: str, message: str, file: str | None, definition: str | None, span: Span | None = None) -> Finding:
    rule = rule_by_code(code)
    return Finding(rule.code, rule.name, rule.level, rule.severity, message, None, definition, file, span)
