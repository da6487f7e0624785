"""Is a comparison right? Both versions of an entry read the same objects: those of its fixtures, and drawn ones.

What the comparison of the texts calls a patch, or nothing, must not change a reading; where it does, the comparison is wrong, and the
change counts as major. What it calls a gain must not give an object another phase that had one: a new mapping that does is major.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.contract import Store
from wmap.definition.yamlio import DEFINITION_LIMITS, YamlProblem, decode, read_documents
from wmap.errors import WmapError
from wmap.fuzz.admits import refusal
from wmap.fuzz.objects import Grower
from wmap.fuzz.podfile import NO_PODS
from wmap.fuzz.target import targets
from wmap.reading.patch import apply_merge_patch
from wmap.reading.plan import Plan, compile_plan
from wmap.reading.read import read
from wmap.reading.status import UNDEFINED
from wmap.registry.differences import (
    MAPPINGS,
    Change,
    Differences,
    EntryChanges,
    Semantic,
    Status,
    What,
    is_new_mapping,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from wmap.definition.model import Definition
    from wmap.registry.state import CatalogState, Entry

DRAWN = 200
"""Objects that are drawn for an entry: half of them for what the old version looks at, half for the new."""
SECONDS = 60.0
"""What one entry may take; what did not fit is said."""


class Sample(NamedTuple):
    """An object that both versions read, with its pods where they are known, and where it is from."""

    obj: Any
    pods: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Readings:
    """What reading with both versions gave: how many objects of fixtures and drawn ones, in how many the readings differ.

    ``first`` is the first difference: the place in the reading, before, after, and the object's origin. ``not_run`` says what was not read.
    ``rephased`` counts the objects that had a phase and have another one; ``phases`` are those of the first: before, after, origin.
    """

    name: str
    fixtures: int = 0
    drawn: int = 0
    different: int = 0
    first: tuple[str, str, str, str] | None = None
    not_run: tuple[str, ...] = ()
    rephased: int = 0
    phases: tuple[str, str, str] | None = None


def check_readings(
    differences: Differences,
    before: CatalogState,
    after: CatalogState,
    fixtures: Mapping[str, bytes],
    *,
    store: Store | None = None,
    number: int = DRAWN,
    seed: int = 0,
    only: Collection[str] | None = None,
) -> tuple[Differences, tuple[Readings, ...]]:
    """Read with both versions of every entry whose text is another, and correct the differences where they were wrong.

    ``fixtures`` are the files below ``fixtures/`` of both states by path. An entry whose readings differ although no change of it is more
    than a patch gets a further change of the kind ``readings``: an error in the comparison. A new mapping by which objects go from one
    phase to another becomes major. ``only``: the entries that are read, by default all.
    """
    store = store or Store()
    entries = {e.name: e for e in differences.entries}
    found: list[Readings] = []
    for name, new in after.entries.items():
        if only is not None and name not in only:
            continue
        changed = entries.get(name)
        old = before.entries.get((changed.previous if changed else None) or name)
        if old is None or old.definition is None or new.definition is None or old.data == new.data:
            continue
        got = read_both(old.definition, new.definition, _of_fixtures(fixtures, (old, new)), store, number, seed)
        found.append(got)
        level = changed.level if changed else None
        if changed is not None and level is Semantic.MINOR and got.phases is not None:
            entries[name] = _rephased(changed, got)
        if got.first is None or level in (Semantic.MINOR, Semantic.MAJOR):
            continue
        place, one, other, origin = got.first
        why = f"the readings of {got.different} objects differ ({origin}), which the comparison did not see: an error in it"
        change = Change(What.READINGS, Semantic.MAJOR, place, one, other, why)
        entries[name] = EntryChanges(
            name, Status.CHANGED, (change, *(changed.changes if changed else ())), None, old.path, new.path
        )
    corrected = tuple(sorted(entries.values(), key=lambda e: (e.name, e.status)))
    return replace(differences, entries=corrected), tuple(found)


def _rephased(entry: EntryChanges, got: Readings) -> EntryChanges:
    """The changes of an entry, with the new mappings that gave objects another phase as what they are."""
    assert got.phases is not None  # noqa: S101  # the caller looks
    one, other, origin = got.phases
    why = f"a new mapping, by which {got.rephased} objects that were {one} are {other} ({origin})"
    guilty = [c for c in entry.changes if is_new_mapping(c) and c.path.endswith(f"{MAPPINGS}{other.lower()}")]
    guilty = guilty or [c for c in entry.changes if is_new_mapping(c)]
    if guilty:
        changes = tuple(replace(c, level=Semantic.MAJOR, why=why) if c in guilty else c for c in entry.changes)
    else:
        why = f"{got.rephased} objects that were {one} are {other} ({origin}), which the comparison did not see: an error in it"
        changes = (Change(What.READINGS, Semantic.MAJOR, "status.phase", one, other, why), *entry.changes)
    return replace(entry, changes=tuple(sorted(changes, key=lambda c: -c.level.rank)))


def read_both(
    old: Definition, new: Definition, samples: Iterable[Sample], store: Store, number: int = DRAWN, seed: int = 0
) -> Readings:
    """Read the samples, and drawn objects, with both versions."""
    name = new.name.value
    try:
        plans = compile_plan(old), compile_plan(new)
    except WmapError as error:
        return Readings(name, not_run=(f"a version cannot read: {error.message}",))
    if old.kind != new.kind:
        return Readings(name, not_run=("the versions read different kinds",))
    ends = time.monotonic() + SECONDS
    counts = {"fixtures": 0, "drawn": 0}
    different, rephased = 0, 0
    phases: tuple[str, str, str] | None = None
    first: tuple[str, str, str, str] | None = None
    not_run: list[str] = []
    drawn = [Sample(o, None, "drawn") for o in _drawn((old, new), store, number, seed, not_run)]
    for sample in (*samples, *drawn):
        if (sample.obj.get("apiVersion"), sample.obj.get("kind")) != (new.kind.api_version, new.kind.kind):
            continue
        if time.monotonic() > ends:
            not_run.append(f"reading took longer than {SECONDS:g} s: the rest was left out")
            break
        counts["drawn" if sample.origin == "drawn" else "fixtures"] += 1
        readings = _reading(plans[0], sample), _reading(plans[1], sample)
        found = _difference(readings[0], readings[1])
        one, other = (r["status"]["phase"] for r in readings)
        if one != other and UNDEFINED not in (one, other):
            rephased += 1
            phases = phases or (one, other, sample.origin)
        if found is not None:
            different += 1
            first = first or (*found, sample.origin)
    return Readings(name, counts["fixtures"], counts["drawn"], different, first, tuple(not_run), rephased, phases)


def _reading(plan: Plan, sample: Sample) -> dict[str, Any]:
    """A reading without what is no part of its meaning: names of files, warnings (they show expressions), the order of components."""
    found = read(plan, sample.obj, sample.pods).to_dict()
    found.pop("definition")
    found.pop("warnings")
    components = {c["name"]: c for c in found["components"]}
    gangs = sorted(found["gangs"], key=lambda g: (g["podGroup"], g["component"], g["instance"] or ""))
    return {**found, "components": components, "gangs": gangs}


def _difference(one: Any, other: Any, path: str = "") -> tuple[str, str, str] | None:
    """The first place where two readings differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if key not in one or key not in other:
                return f"{path}.{key}".lstrip("."), repr(one.get(key)), repr(other.get(key))
            found = _difference(one[key], other[key], f"{path}.{key}")
            if found is not None:
                return found
        return None
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next((d for i, (a, b) in pairs if (d := _difference(a, b, f"{path}[{i}]")) is not None), None)
    return None if one == other else (path.lstrip("."), f"{one!r:.200}", f"{other!r:.200}")


def _of_fixtures(fixtures: Mapping[str, bytes], entries: tuple[Entry, Entry]) -> Iterator[Sample]:
    """The objects of an entry's fixtures, after each of their steps; a fixture that does not read is a finding of `wmap validate`."""
    folders = tuple(f"fixtures/{name}/" for name in dict.fromkeys(e.name for e in entries))
    for path in sorted(fixtures):
        # both states may have the same file: its key then says which
        place = path.partition("\0")[0]
        if not place.startswith(folders) or place.rpartition("/")[2].startswith("_"):
            continue
        try:
            text = decode(fixtures[path], file=place, limits=DEFINITION_LIMITS)
            documents = [value for value, _ in read_documents(text)]
        except (YamlProblem, ValueError):
            continue
        for document in documents:
            yield from _steps(document, place)


def _steps(document: Any, origin: str) -> Iterator[Sample]:
    if not isinstance(document, dict) or not isinstance(document.get("object"), dict):
        return
    obj, pods = document["object"], document.get("pods")
    yield Sample(obj, _pods(pods), origin)
    steps = document.get("steps")
    for i, step in enumerate(steps if isinstance(steps, list) else ()):
        if not isinstance(step, dict):
            return
        obj = apply_merge_patch(obj, step.get("patch", {}))
        if not isinstance(obj, dict):
            return
        if "status" in step:
            obj = {**obj, "status": step["status"]}
        pods = step.get("pods", pods)
        yield Sample(obj, _pods(pods), f"{origin}, step {i + 1}")


def _pods(pods: Any) -> Any:
    return pods if isinstance(pods, list) and all(isinstance(p, dict) for p in pods) else None


def _drawn(
    versions: tuple[Definition, Definition], store: Store, number: int, seed: int, not_run: list[str]
) -> Iterator[Any]:
    """Objects that the contract of the newest supported release admits, biased towards what each version reads."""
    for i, version in enumerate(versions):
        try:
            # without its file: the framework is that of the kind, not of a folder that happens to be here
            target = next(targets(replace(version, file=None), store, None, NO_PODS, ()), None)
        except WmapError as error:
            not_run.append(f"no objects are drawn: {error.message}")
            return
        if target is None:
            not_run.append("no objects are drawn: no contract of the kind is stored")
            return
        choices = random.Random(f"{seed} {version.name} {i}")  # noqa: S311  # choices, no secrets
        grower = Grower(target)
        left = number // 2 if i else number - number // 2
        for _ in range(10 * left):
            if not left:
                break
            obj = grower.draw(choices.randrange)
            if refusal(target.root, obj) is None:
                left -= 1
                yield obj
        if left:
            not_run.append(f"{left} of {number} objects could not be drawn: the contract is too narrow")
