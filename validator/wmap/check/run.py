"""Run the levels: each only where the one before passed. What did not run is listed with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.catalog import default_folder, definition_files, is_definition
from wmap.check.fixtures import run_fixtures, stray_folders
from wmap.check.ignores import apply_ignores
from wmap.check.lives import check_lives, frameworks_beside
from wmap.check.names import check_names
from wmap.check.registry import codes_of, rules
from wmap.check.releases import judge_contract
from wmap.check.rule import Context
from wmap.contract import Store
from wmap.data import data_root
from wmap.definition.load import load
from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Finding, Level, NotRun, Severity, fingerprinted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wmap.definition.model import Definition
    from wmap.definition.source import Source

BUILT = (Level.SCHEMA, Level.LINT, Level.CONTRACT, Level.FIXTURE)
"""The levels of this version; the others are said to be not run where they are asked for."""


@dataclass(frozen=True, slots=True)
class Touched:
    """An entry that a checkout changes. ``status``: added, removed, renamed, changed; None: its own meaning is the same.

    ``level``: major, minor, patch, or None where consumers see nothing of it. ``path`` is None where it was deleted. ``through``: the
    files that touch it.
    """

    name: str
    path: str | None
    status: str | None
    level: str | None
    previous: str | None = None
    through: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Since:
    """What a validation since a ref judged: the commit ``base`` where the checkout left ``ref``, and what was touched since."""

    ref: str
    base: str
    touched: tuple[Touched, ...]
    old_counts: bool = False
    """Whether old findings count like new ones (``--all``)."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a validation found. ``levels`` ran, ``fixtures`` is how many were read, ``names`` are those of the definitions.

    ``since``: where only what was changed since a ref was judged, and findings that were there before are old.
    """

    definitions: int
    fixtures: int
    levels: tuple[Level, ...]
    findings: tuple[Finding, ...]
    not_run: tuple[NotRun, ...]
    names: tuple[str, ...] = ()
    since: Since | None = None

    def counts(self, finding: Finding) -> bool:
        """Whether a finding may fail the run: it is not old, or old ones count too."""
        return not finding.old or (self.since is not None and self.since.old_counts)


def validate_paths(
    paths: Sequence[Path], *, catalog: Path | None = None, level: Level = Level.FIXTURE, release: str | None = None
) -> Result:
    """Judge files and folders of definitions; without paths, the whole catalog.

    ``release``: the release that level contract judges against, or ``all``; by default those that are supported and the newest.

    Raises:
        CallError: a path does not exist, or holds no definition.
        EnvironmentFailure: a file cannot be read.
    """
    if not paths:
        return validate_catalog(catalog or near(default_folder()), level=level, release=release)
    files, root = files_of(paths, catalog)
    known = {f.stem for f in (*files, *filter(is_definition, root.rglob("*.y*ml")))}
    return validate(_read(files), level=level, fixtures=fixtures_of(root), release=release, known=known)


def files_of(paths: Sequence[Path], catalog: Path | None = None) -> tuple[list[Path], Path]:
    """The files of definitions that are meant (without paths, those of the whole catalog), and the catalog that they are of.

    Raises:
        CallError: a path does not exist, or holds no definition.
    """
    root = catalog or near(default_folder())
    if not paths:
        return definition_files(root), root
    files: dict[Path, Path] = {}
    for path in paths:
        if not path.exists():
            raise CallError(f"{path} does not exist", hint="give a definition, or a folder of them")
        for file in definition_files(path) if path.is_dir() else [path]:
            files.setdefault(file.resolve(), file)
    if catalog is None:
        root = _catalog_around(next(iter(files))) or root
    return list(files.values()), root


def validate_catalog(folder: Path, *, level: Level | None = None, release: str | None = None) -> Result:
    """Judge every definition of a catalog, and the fixtures beside it.

    Raises:
        CallError: there is no catalog in the folder.
        EnvironmentFailure: a file cannot be read.
    """
    wanted, files = level or Level.FIXTURE, definition_files(folder)
    return validate(
        _read(files),
        level=wanted,
        fixtures=fixtures_of(folder),
        whole=True,
        release=release,
        known={f.stem for f in files},
    )


def validate(
    sources: Iterable[tuple[str, bytes | str]],
    *,
    level: Level = Level.FIXTURE,
    fixtures: Path | None = None,
    whole: bool = False,
    release: str | None = None,
    store: Store | None = None,
    beside: Iterable[tuple[str, bytes | str]] = (),
    known: Collection[str] | None = None,
) -> Result:
    """Judge definitions: each is the name of its file and what stands in it.

    ``fixtures`` is the folder that holds a folder of fixtures for each definition; ``whole`` says that these are all
    definitions there are, so that other folders in it are findings. ``release`` and ``store`` are for level contract: what it
    judges against, and the store of contracts (by default that of the package). ``beside`` are definitions of the same catalog that
    are not judged: no judged one may read a kind of theirs. ``known`` are the names of all definitions of the catalog (as their files have
    them); where they are given, the lives in the ``framework.yaml`` beside what is judged are, too.

    Raises:
        CallError: the release that is asked for is not stored.
        InputError: a ``framework.yaml`` is broken.
        EnvironmentFailure: a fixture cannot be read.
    """
    findings: list[Finding] = []
    not_run: list[NotRun] = []
    loaded: list[tuple[Definition, Source]] = []
    names: set[str] = set()
    levels = [x for x in BUILT if x.rank <= level.rank]
    if Level.FIXTURE in levels and fixtures is None:
        levels.remove(Level.FIXTURE)
        not_run.append(NotRun(Level.FIXTURE, None, "there is no folder of fixtures"))
    number = 0
    for file, data in sources:
        number += 1
        result = load(data, file=file)
        findings += result.findings
        names.add(Path(file).stem)
        if result.definition is None:
            not_run += [NotRun(x, Path(file).stem, "level schema found errors") for x in levels[1:]]
        else:
            loaded.append((result.definition, result.source))
    passed: list[tuple[Definition, Source]] = []
    if Level.LINT in levels:
        others = [d for file, data in beside if (d := load(data, file=file).definition) is not None]
        across = check_names([*others, *(d for d, _ in loaded)])[len(others) :]
        for (definition, source), named in zip(loaded, across, strict=True):
            found = _lint(definition, source, named)
            findings += found
            if any(f.severity is Severity.ERROR for f in found):
                not_run += [NotRun(x, definition.name.value, "level lint found errors") for x in levels[2:]]
            else:
                passed.append((definition, source))
        if known is not None:
            called = {*known, *(d.name.value for d in others), *(d.name.value for d, _ in loaded)}
            findings += check_lives(frameworks_beside(d.file for d, _ in loaded if d.file is not None), called)
    if Level.CONTRACT in levels:
        store = store or Store()
        for definition, source in tuple(passed):
            found, unjudged = _contract(definition, source, store, release)
            findings += found
            not_run += unjudged
            if any(f.severity is Severity.ERROR for f in found):
                not_run += [NotRun(x, definition.name.value, "level contract found errors") for x in levels[3:]]
                passed.remove((definition, source))
    tried = 0
    if Level.FIXTURE in levels and fixtures is not None:
        for definition, _ in passed:
            count, found = run_fixtures(definition, fixtures)
            tried += count
            findings += found
        if whole:
            findings += stray_folders(fixtures, names | {d.name.value for d, _ in loaded})
    not_run += [
        NotRun(x, None, "this version does not have the level")
        for x in Level
        if x.rank <= level.rank and x not in BUILT
    ]
    judged = tuple(sorted({*names, *(d.name.value for d, _ in loaded)}))
    return Result(number, tried, tuple(levels), fingerprinted(findings), tuple(not_run), judged)


def _lint(definition: Definition, source: Source, named: list[Finding]) -> list[Finding]:
    context = Context.of(definition)
    found = [f for rule in rules() if rule.level is Level.LINT for f in rule.check(context)] + named
    return apply_ignores(
        found, source, definition.name.value, codes_of(Level.LINT, Level.CONTRACT), ran=codes_of(Level.LINT)
    )


def _contract(
    definition: Definition, source: Source, store: Store, release: str | None
) -> tuple[list[Finding], list[NotRun]]:
    found, not_run = judge_contract(definition, store, release)
    # an ignore may be of a release that is not judged this time
    ran = codes_of(Level.CONTRACT) if release is None and not not_run else set[str]()
    known = codes_of(Level.LINT, Level.CONTRACT)
    return apply_ignores(found, source, definition.name.value, known, ran=ran, bad=False), not_run


def _read(files: Iterable[Path]) -> Iterable[tuple[str, bytes]]:
    for file in files:
        try:
            yield str(file), file.read_bytes()
        except OSError as error:
            raise EnvironmentFailure(
                f"{file} cannot be read: {error.strerror}", hint="check its permissions"
            ) from error


def _catalog_around(file: Path) -> Path | None:
    """The catalog of the checkout that a file lies in: it has fixtures beside it."""
    return next((p for p in file.parents if p.name == "catalog" and (p.parent / "fixtures").is_dir()), None)


def near(folder: Path) -> Path:
    """The folder as seen from here, where it lies below: shorter places in findings."""
    try:
        return folder.relative_to(Path.cwd())
    except ValueError:
        return folder


def fixtures_of(catalog: Path) -> Path:
    """The folder of fixtures beside a catalog, else that of the package."""
    beside = near(catalog.resolve().parent / "fixtures")
    return beside if beside.is_dir() else data_root() / "fixtures"
