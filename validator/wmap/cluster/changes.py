"""Change, suspend and resume an object that is on a server, by the patches that ``wmap change`` prints, and put it back."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from wmap.cluster.outcome import Step
from wmap.cluster.server import JSON_PATCH, MERGE, Refused
from wmap.errors import InputError
from wmap.reading.change import ChangeError, change, resume, suspend
from wmap.reading.patch import json_patch, merge_patch, same
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wmap.cluster.place import Place
    from wmap.cluster.server import Resource
    from wmap.reading.plan import Plan

MANAGER = "wmap-change"
"""The field manager of the writes whose ``managedFields`` are looked at."""
SETTINGS: tuple[tuple[str, Any], ...] = (
    ("schedulerName", "another-scheduler"),
    ("label.example.com/a", "b"),
    ("request.cpu", "77m"),
    ("priorityClassName", "system-node-critical"),
    ("annotation.example.com/a", "b"),
    ("image", "another.invalid/image"),
    ("limit.nvidia.com/gpu", "7"),
)
_SCHEDULER = "default-scheduler"
_SERVERS = ("managedFields", "resourceVersion", "generation")

Tried = tuple[Step, str | None, str | None]
"""A step, what is wrong with it (None: nothing), and why it did not run (None: it ran)."""


class Changes:
    """The changes of one object. ``turn`` chooses which settings are tried, so that a run over many objects tries them all."""

    def __init__(self, place: Place, resource: Resource, plan: Plan, turn: int) -> None:
        self.place = place
        self.resource = resource
        self.plan = plan
        self.turn = turn

    def all(self, spec: Any, live: Any) -> Iterator[Tried]:
        """Change the pods of each component, suspend and resume; the object is afterwards as it was. ``spec``: as it was sent.

        Raises:
            Refused: the server does not let it be put back.
        """
        reading = read(self.plan, live)
        for number, component in enumerate(reading.components):
            instance = next((i.id for i in component.instances if i.id is None or i.id), "")
            if not component.instances or instance == "":
                continue
            found = self._setting(live, component.name, instance, self.turn + number)
            if found is not None:
                key, to = found
                what = f"{key} of {component.name}" + (f" {instance}" if instance is not None else "")
                yield from self._write(spec, live, to, what)
        if reading.suspend.supported:
            yield from self._suspend(live, suspended=reading.suspend.suspended)

    def _setting(
        self, live: Any, component: str, instance: str | None, turn: int
    ) -> tuple[str, Callable[[Any], Any]] | None:
        """The first of the settings, from this turn on, that the definition has a place for, and what changes an object so."""
        definition = self.plan.definition
        for offset in range(len(SETTINGS)):
            key, value = SETTINGS[(turn + offset) % len(SETTINGS)]
            to = partial(change, definition, component=component, instance=instance, settings={key: value})
            try:
                changed = to(live)
            except InputError:
                continue
            if not same(changed, live):
                return key, to
        return None

    def _write(self, spec: Any, live: Any, to: Callable[[Any], Any], what: str) -> Iterator[Tried]:
        changed = to(live)
        form = MERGE if self.turn % 2 == 0 else JSON_PATCH
        try:
            patch = merge_patch(live, changed) if form == MERGE else json_patch(live, changed)
        except InputError:
            patch, form = json_patch(live, changed), JSON_PATCH  # a null, which a merge patch cannot set
        try:
            now = self.place.patch(self.resource, live["metadata"]["name"], patch, form, MANAGER)
        except Refused as error:
            yield self._refused(to(spec), what, error)
            return
        wrong = self._wrong(changed, now, json_patch(live, changed), what) or self._stale(live, changed, what)
        self._back(live, now)
        yield Step.CHANGE, wrong, None

    def _refused(self, wanted: Any, what: str, error: Refused) -> Tried:
        """A refused patch: wrong, unless the object could be created like that, and only cannot become it."""
        if error.code != 422:
            return Step.CHANGE, f"{what}: {error.message}", None
        try:
            self.place.try_out(
                self.resource, {**wanted, "metadata": {**(wanted.get("metadata") or {}), "name": "another"}}
            )
        except Refused as again:
            return Step.CHANGE, f"{what}: {again.message}", None
        return Step.CHANGE, None, "the server takes a new object like that, but does not change one that is there"

    def _wrong(self, changed: Any, now: Any, operations: list[dict[str, Any]], what: str) -> str | None:
        """What a write did otherwise than promised."""
        others = json_patch(_bare(changed), _bare(now))
        if others:
            return f"{what}: the server changes {', '.join(sorted({o['path'] for o in others if o['op'] != 'test'}))[:300]} too"
        if not same_reading(self.plan, changed, now):
            return f"{what}: what is there now does not read like what was sent"
        meant = {_names(o["path"]) for o in operations if o["op"] != "test"}
        touched = [p for p in _managed(now) if not any(p[: len(m)] == m or m[: len(p)] == p for m in meant)]
        if touched:
            return f"{what}: the write took {', '.join('.'.join(p) for p in touched)[:300]} over"
        return None

    def _stale(self, live: Any, changed: Any, what: str) -> str | None:
        """A JSON Patch of an object as it was before must fail on what is there now, by what it tests."""
        operations = json_patch(live, changed)
        if not any(o["op"] in ("replace", "remove") for o in operations):
            return None  # what was only added replaces nothing
        try:
            self.place.patch(self.resource, live["metadata"]["name"], operations, JSON_PATCH, MANAGER)
        except Refused as error:
            return None if error.code in (409, 422) else f"{what}, again on the old object: {error.message}"
        return f"{what}: the same JSON Patch is taken again, on an object that is another by now"

    def _back(self, live: Any, now: Any) -> None:
        operations = json_patch(_bare(now), _bare(live))
        if operations:
            self.place.patch(self.resource, live["metadata"]["name"], operations, JSON_PATCH, "wmap")

    def _suspend(self, live: Any, *, suspended: bool) -> Iterator[Tried]:
        definition, name = self.plan.definition, live["metadata"]["name"]
        acts: list[tuple[str, Callable[..., Any], bool]] = [("suspend", suspend, True), ("resume", resume, False)]
        now = live
        for what, act, wanted in reversed(acts) if suspended else acts:
            try:
                changed = act(definition, now)
            except ChangeError as error:
                # refused before anything was written: nothing went wrong
                yield Step.SUSPEND, None, f"{what}: {error.message}"
                break
            if same(changed, now):
                continue
            try:
                after = self.place.patch(self.resource, name, json_patch(now, changed), JSON_PATCH, MANAGER)
            except Refused as error:
                yield Step.SUSPEND, f"{what}: {error.message}", None
                break
            reads = read(self.plan, after).suspend.suspended
            wrong = self._wrong(changed, after, json_patch(now, changed), what)
            if wrong is None and reads is not wanted:
                wrong = f"{what}: afterwards the object reads as {'suspended' if reads else 'not suspended'}"
            now = after
            yield Step.SUSPEND, wrong, None
        self._back(live, now)


def same_reading(plan: Plan, one: Any, other: Any) -> bool:
    """Whether two objects read alike, apart from warnings, which are of how an object is written."""
    return same(*(_told(read(plan, x).to_dict()) for x in (one, other)))


def reading_differs(plan: Plan, one: Any, other: Any) -> str | None:
    """The first place where two objects read otherwise, and how; None where they read alike."""
    # a server may write a first status: that is no default of what is asked for
    alike = ("status" in one) == ("status" in other)
    told = [_told(read(plan, x).to_dict(), status=alike) for x in (one, other)]
    operations = json_patch(told[0], told[1])
    if not operations:
        return None
    first = next((o for o in operations if o["op"] != "test"), operations[0])
    before = next((o["value"] for o in operations if o["op"] == "test" and o["path"] == first["path"]), None)
    return f"{first['path'].strip('/').replace('/', '.')}: {_short(before)} before, {_short(first.get('value'))} after"


def _told(document: dict[str, Any], *, status: bool = True) -> dict[str, Any]:
    """What two readings are compared by.

    A scheduler that is not named is that of Kubernetes, which the server writes out for its own kinds.
    """
    told = {k: v for k, v in document.items() if k not in ("warnings", "workload") and (status or k != "status")}
    told["components"] = [
        {**c, "instances": [{**i, "schedulerName": i["schedulerName"] or _SCHEDULER} for i in c["instances"]]}
        for c in document["components"]
    ]
    return told


def _short(value: Any) -> str:
    return json.dumps(value)[:150]


def _bare(obj: Any) -> Any:
    """An object without what a server keeps of writes."""
    metadata = {k: v for k, v in obj["metadata"].items() if k not in _SERVERS}
    return {**{k: v for k, v in obj.items() if k != "status"}, "metadata": metadata}


def _names(pointer: str) -> tuple[str, ...]:
    """The names of a JSON pointer, without the positions in lists."""
    parts = [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]
    return tuple(p for p in parts if not p.isdigit())


def _managed(obj: Any) -> list[tuple[str, ...]]:
    """The fields that the last write of ours took over: their names, without the entries of lists."""

    def walk(fields: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        below = {k: v for k, v in fields.items() if k != "."}
        if not below:
            yield above
        for key, value in below.items():
            name = key[2:]
            own = key.startswith("f:") and not name.isdigit()
            yield from walk(value, (*above, name) if own else above)

    entries = [m for m in obj["metadata"].get("managedFields") or () if m.get("manager") == MANAGER]
    return [path for m in entries for path in walk(m.get("fieldsV1") or {}, ())]
