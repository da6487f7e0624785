"""Break the definitions of a catalog in every way that is known, and count which level catches what."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Level
from wmap.fuzz.engine import missing_extra, seed_of
from wmap.fuzz.selftest import meanings  # noqa: F401  # registers its operators
from wmap.fuzz.selftest.judge import Judge, Verdict
from wmap.fuzz.selftest.operators import OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wmap.fuzz.selftest.operators import Document, Mutant, Operator

SITES = 2
"""Places of one definition at which an operator is tried."""
CAUGHT = 0.97
EARLY = 0.60
"""The shares that are wanted: of the mutants that change anything for a consumer, how many are caught at all, and before `fixture`."""
_EARLY = (Level.SCHEMA, Level.LINT, Level.CONTRACT)


@dataclass(frozen=True, slots=True)
class Options:
    """``sites``: places for each operator and definition, chosen by ``seed``."""

    fixtures: Path
    sites: int = SITES
    seed: int = 0
    jobs: int = 1


@dataclass
class SelftestResult:
    """The verdicts. ``interrupted``: it was stopped, and this is what there was until then."""

    definitions: int
    verdicts: list[Verdict] = field(default_factory=list)
    interrupted: bool = False

    @property
    def changing(self) -> list[Verdict]:
        """Those of mutants that change anything for a consumer."""
        return [v for v in self.verdicts if v.changes is not None]

    @property
    def survivors(self) -> list[Verdict]:
        """Those that change something and that no level notices."""
        return [v for v in self.changing if v.caught is None]

    @property
    def levels(self) -> Counter[Level]:
        """How many each level was the first to catch."""
        return Counter(v.caught for v in self.changing if v.caught is not None)

    @property
    def caught(self) -> float:
        """The share that is caught, 1 where nothing was to be caught."""
        return 1 - len(self.survivors) / len(self.changing) if self.changing else 1.0

    @property
    def early(self) -> float:
        """The share that is caught before level fixture."""
        return sum(self.levels[level] for level in _EARLY) / len(self.changing) if self.changing else 1.0

    @property
    def good(self) -> bool:
        """Whether the shares are as wanted."""
        return self.caught >= CAUGHT and self.early >= EARLY


def operators() -> tuple[Operator, ...]:
    """The ways to break a definition."""
    return tuple(OPERATORS)


def selftest(
    files: Sequence[Path], options: Options, progress: Callable[[str, list[Verdict]], None] = lambda *_: None
) -> SelftestResult:
    """Break the definitions in files; ``progress`` hears of each that is done.

    Raises:
        CallError: a number that makes no sense.
        EnvironmentFailure: the extra ``fuzz`` is not installed, or a file cannot be read.
        InputError: a definition does not pass level schema.
    """
    if options.sites < 1 or options.jobs < 1:
        raise CallError("sites and jobs are larger than 0", hint="leave the option out for the default")
    missing = missing_extra()
    if missing is not None:
        raise EnvironmentFailure(f"the selftest needs the extra fuzz: {missing}", hint="pip install 'wmap[fuzz]'")
    result = SelftestResult(len(files))
    try:
        if options.jobs == 1:
            for file in files:
                verdicts = break_file(file, options)
                result.verdicts += verdicts
                progress(file.stem, verdicts)
        else:
            _in_processes(files, options, result, progress)
    except KeyboardInterrupt:
        result.interrupted = True
    result.verdicts.sort(key=lambda v: (v.definition, v.operator, v.place))
    return result


def _in_processes(
    files: Sequence[Path], options: Options, result: SelftestResult, progress: Callable[[str, list[Verdict]], None]
) -> None:
    # the largest first: the processes end together
    ordered = sorted(files, key=lambda f: f.stat().st_size, reverse=True)
    with ProcessPoolExecutor(max_workers=options.jobs) as pool:
        try:
            waiting = {pool.submit(break_file, file, options): file for file in ordered}
            for future in as_completed(waiting):
                result.verdicts += future.result()
                progress(waiting[future].stem, future.result())
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def break_file(file: Path, options: Options) -> list[Verdict]:
    """The verdicts of one definition's mutants."""
    judge = Judge(file, options.fixtures, options.seed)
    return [
        judge.verdict(mutant)
        for operator in operators()
        for mutant in _chosen(operator, judge.document, options, judge.name)
    ]


def _chosen(operator: Operator, document: Document, options: Options, name: str) -> list[Mutant]:
    """Some of the mutants that an operator makes, each as likely, without holding all of them."""
    choices = random.Random(seed_of(options.seed, name, operator.name))  # noqa: S311  # choices, no secrets
    kept: list[Mutant] = []
    for i, mutant in enumerate(operator.mutants(document)):
        if i < options.sites:
            kept.append(mutant)
        elif (at := choices.randrange(i + 1)) < options.sites:
            kept[at] = mutant
    return kept
