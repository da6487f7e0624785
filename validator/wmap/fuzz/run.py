"""Fuzz definitions: many, in several processes, for some time; what was found, and what did not run and why."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.check.judged import framework_of
from wmap.contract import Store
from wmap.definition.load import load
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.findings import Finding, Level, NotRun, fingerprinted
from wmap.fuzz.engine import Failure, Search, missing_extra, seed_of
from wmap.fuzz.limit import interruptible
from wmap.fuzz.podfile import load_pods
from wmap.fuzz.properties import properties
from wmap.fuzz.replays import keep_replays, load_replays
from wmap.fuzz.samples import Samples, of_fixtures, of_folder
from wmap.fuzz.target import targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wmap.definition.model import Definition
    from wmap.fuzz.target import Target

EXAMPLES = 200
ROUND = 100
"""Objects of each kind in a round, where a time is given."""


@dataclass(frozen=True)
class Options:
    """How to fuzz. ``seconds`` None: ``examples`` drawn and as many mutated objects for each definition; else rounds until it is over.

    ``release``: a tag, ``all``, or None for the newest supported one. ``codes``: properties; none means all. ``replays``: the
    folder that keeps what failed, None to keep nothing.
    """

    examples: int = EXAMPLES
    seed: int = 0
    release: str | None = None
    codes: tuple[str, ...] = ()
    seconds: float | None = None
    jobs: int = 1
    samples: Path | None = None
    fixtures: Path | None = None
    replays: Path | None = None


@dataclass(frozen=True)
class Found:
    """A finding with the manifest that shows it. ``repeat`` is the call that finds it again."""

    finding: Finding
    obj: Any
    pods: tuple[Any, ...] | None
    release: str
    origin: str
    repeat: str


@dataclass(frozen=True)
class Outcome:
    """What fuzzing one definition gave."""

    name: str
    objects: int = 0
    found: tuple[Found, ...] = ()
    not_run: tuple[NotRun, ...] = ()


@dataclass
class FuzzResult:
    """What fuzzing gave. ``interrupted``: it was stopped, and this is what there was until then."""

    outcomes: list[Outcome] = field(default_factory=list)
    not_run: list[NotRun] = field(default_factory=list)
    interrupted: bool = False

    @property
    def found(self) -> list[Found]:
        """All findings, in the order of the definitions, with their fingerprints."""
        raw = [f for o in sorted(self.outcomes, key=lambda o: o.name) for f in o.found]
        marked = {_same(f): f.fingerprint for f in fingerprinted(f.finding for f in raw)}
        return [replace(f, finding=replace(f.finding, fingerprint=marked[_same(f.finding)])) for f in raw]

    @property
    def objects(self) -> int:
        """How many objects were tried."""
        return sum(o.objects for o in self.outcomes)

    @property
    def all_not_run(self) -> list[NotRun]:
        """What did not run, sorted."""
        found = {*self.not_run, *(n for o in self.outcomes for n in o.not_run)}
        return sorted(found, key=lambda n: (n.definition or "", n.reason))


def _same(finding: Finding) -> tuple[Any, ...]:
    return (finding.code, finding.definition, finding.field, finding.message, finding.releases)


def fuzz(files: Sequence[Path], options: Options, progress: Callable[[Outcome], None] = lambda _: None) -> FuzzResult:
    """Fuzz the definitions in files; ``progress`` hears of each that is done (in rounds: each round).

    Raises:
        CallError: a property or release that is not known, a folder that is not there, a number that makes no sense.
        EnvironmentFailure: the extra ``fuzz`` is not installed, or a file cannot be read.
        InputError: a declaration of pods is broken.
    """
    properties(options.codes)
    if options.examples < 1 or options.jobs < 1 or (options.seconds is not None and options.seconds <= 0):
        raise CallError("examples, jobs and time are larger than 0", hint="leave the option out for the default")
    missing = missing_extra()
    if missing is not None:
        raise EnvironmentFailure(f"fuzzing needs the extra fuzz: {missing}", hint="pip install 'wmap[fuzz]'")
    result = FuzzResult()
    if options.samples is not None:
        for broken in of_folder(options.samples).broken:
            result.not_run.append(NotRun(Level.FUZZ, None, f"the sample {broken.file} was skipped: {broken.reason}"))
    until = None if options.seconds is None else time.monotonic() + options.seconds
    try:
        with interruptible():
            for number in _rounds(until):
                seed = options.seed if number == 0 else seed_of(options.seed, "round", number)
                said = replace(options, seed=seed, examples=options.examples if until is None else ROUND)
                for outcome in _round(files, said, until):
                    _add(result, outcome)
                    progress(outcome)
    except KeyboardInterrupt:
        result.interrupted = True
    return result


def _rounds(until: float | None) -> Iterator[int]:
    """0, and where a time is given 1, 2, ... until it is over."""
    number = 0
    while number == 0 or (until is not None and time.monotonic() < until):
        yield number
        number += 1


def _round(files: Sequence[Path], options: Options, until: float | None) -> Iterator[Outcome]:
    if options.jobs == 1 or len(files) == 1:
        for file in files:
            if until is not None and time.monotonic() >= until:
                reason = "the time was over before it was its turn"
                yield Outcome(file.stem, not_run=(NotRun(Level.FUZZ, file.stem, reason),))
                continue
            yield fuzz_file(file, options)
        return
    with ProcessPoolExecutor(max_workers=min(options.jobs, len(files))) as pool:
        try:
            waiting = {pool.submit(fuzz_file, file, options) for file in files}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _add(result: FuzzResult, outcome: Outcome) -> None:
    """Add what a round found of a definition: what an earlier round found too is left out."""
    old = next((o for o in result.outcomes if o.name == outcome.name), None)
    if old is None:
        result.outcomes.append(outcome)
        return
    known = {(f.finding.code, f.finding.field, f.finding.message, f.release) for f in old.found}
    new = [f for f in outcome.found if (f.finding.code, f.finding.field, f.finding.message, f.release) not in known]
    ran = outcome.objects > 0 or old.objects > 0
    result.outcomes[result.outcomes.index(old)] = Outcome(
        old.name, old.objects + outcome.objects, (*old.found, *new), old.not_run if ran else outcome.not_run
    )


def fuzz_file(file: Path, options: Options) -> Outcome:
    """Fuzz the definition in one file.

    Raises:
        CallError: the release is not stored.
        EnvironmentFailure: the file cannot be read.
        InputError: its declaration of pods, or the ``framework.yaml`` beside it, is broken.
    """
    try:
        loaded = load(file.read_bytes(), file=str(file))
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
    definition = loaded.definition
    if definition is None:
        return _not_run(file.stem, "level schema found errors: `wmap validate` says which")
    name = definition.name.value
    folder = options.fixtures / name if options.fixtures is not None else None
    pods = load_pods(folder if folder is not None else Path("/nonexistent"))
    own = of_fixtures(folder) if folder is not None else ()
    others = of_folder(options.samples) if options.samples is not None else Samples({}, ())
    store = Store()
    try:
        chosen = list(targets(definition, store, options.release, pods, (*own, *others.of(definition.kind))))
    except InputError as error:
        return _not_run(name, f"the definition cannot be read: {error.message}")
    if not chosen:
        where = (
            "no contract of its kind is stored" if framework_of(definition, store) is None else "the release lacks it"
        )
        return _not_run(name, where)
    replays = options.replays / name if options.replays is not None else None
    found: list[Found] = []
    not_run: list[NotRun] = []
    failures: list[Failure] = []
    objects = 0
    for target in chosen:
        search, unsuited = _search(target, options)
        not_run += unsuited
        if replays is not None:
            search.replay(load_replays(replays))
        search.draw(options.examples, seed_of(options.seed, name, target.release))
        search.mutate(options.examples, seed_of(options.seed, name, target.release, "mutations"))
        if not search.objects:
            not_run.append(NotRun(Level.FUZZ, name, f"the contract of {target.release} admits no object that is drawn"))
        objects += search.objects
        own_failures = search.failures()
        failures += own_failures
        found += [_found(definition, target, f, options) for f in own_failures]
    if replays is not None:
        keep_replays(replays, failures)
    return Outcome(name, objects, tuple(found), tuple(dict.fromkeys(not_run)))


def _search(target: Target, options: Options) -> tuple[Search, list[NotRun]]:
    chosen, not_run = [], []
    for prop in properties(options.codes):
        reason = prop.applies(target)
        if reason is None:
            chosen.append(prop)
        else:
            not_run.append(NotRun(Level.FUZZ, target.name, f"{prop.code} does not apply: {reason}"))
    return Search(target, chosen), not_run


def _found(definition: Definition, target: Target, failure: Failure, options: Options) -> Found:
    violation = failure.violation
    rule = next(p.rule for p in properties((violation.code,)))
    text = violation.text or definition.name
    part = violation.part
    repeat = f"wmap fuzz {target.name} --release {target.release} --property {rule.code} --seed {options.seed}"
    if options.examples != EXAMPLES:
        repeat += f" --examples {options.examples}"
    finding = Finding(
        code=rule.code,
        name=rule.name,
        level=rule.level,
        severity=rule.severity,
        message=violation.message,
        hint=f"`{repeat}` shows the object",
        definition=target.name,
        file=definition.file,
        span=text.span(part.start, part.end) if part is not None else text.span(),
        field=text.field,
        expression=text.value if violation.text is not None else None,
        releases=(target.release,),
    )
    return Found(finding, failure.obj, violation.pods, target.release, str(failure.origin), repeat)


def _not_run(name: str, reason: str) -> Outcome:
    return Outcome(name, not_run=(NotRun(Level.FUZZ, name, reason),))
