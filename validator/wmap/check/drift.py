"""Drift: what changed between two releases that a definition reads, and whether its reading breaks, changes or gains."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from wmap.check.contracts import harmless, unknown_path
from wmap.check.judged import ALL, History, Judged, framework_of, judged
from wmap.check.vocabularies import Word, conditions_of, is_dead, of_another_release, words
from wmap.contract import Contract, Facts, Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wmap.definition.model import Definition, Text
    from wmap.infer import Typing

_SUSPEND = re.compile(r"suspend|pause|hibernat|(?:^|\.)stop", re.IGNORECASE)
_COUNTS = ("integer", "boolean", "int-or-string")
_PODS = ("PodTemplateSpec", "PodSpec")


class Effect(StrEnum):
    """What a change does to a reading, the worst first."""

    BREAK = "break"
    SILENT = "silent"
    REVIEW = "review"
    HANDLED = "handled"
    GAIN = "gain"

    @property
    def meaning(self) -> str:
        """For people."""
        return {
            Effect.BREAK: "the reading breaks",
            Effect.SILENT: "the reading changes without a sign",
            Effect.REVIEW: "something came beside what is read: does it matter?",
            Effect.HANDLED: "the definition reads both sides of the change",
            Effect.GAIN: "the definition reads more",
        }[self]


@dataclass(frozen=True, slots=True)
class Change:
    """One change between two releases: what it is about (a path, a word, a kind), and which fields of the definition read it."""

    effect: Effect
    old: str
    new: str
    subject: str
    message: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """What drifts under one definition. ``unread`` counts the changes of the kind's fields that nothing in it reads."""

    definition: str
    framework: str
    kind: str
    releases: tuple[str, ...]
    changes: tuple[Change, ...]
    unread: int

    @property
    def broken(self) -> bool:
        """Whether a reading breaks."""
        return any(c.effect is Effect.BREAK for c in self.changes)


def drift(definition: Definition, store: Store, *, since: str | None = None) -> Drift | None:
    """Compare each stored release with the one before; None where the store knows no framework of the definition.

    ``since``: only from this release on.

    Raises:
        CallError: ``since`` is not stored.
        InputError: the ``framework.yaml`` is broken.
    """
    framework = framework_of(definition, store)
    if framework is None:
        return None
    contexts = list(judged(definition, store, framework, ALL))
    if since is not None:
        releases = History(store, framework, definition).since(since)
        contexts = [c for c in contexts if c.release in releases]
    changes: list[Change] = []
    unread = 0
    for old, new in pairwise(contexts):
        found = _together(_between(old, new))
        changes += found
        unread += _unread(old, new, found)
    order = list(Effect)
    changes.sort(key=lambda c: (order.index(c.effect),))
    return Drift(
        definition.name.value,
        framework,
        str(definition.kind),
        tuple(c.release for c in contexts),
        tuple(changes),
        unread,
    )


def _together(changes: Iterable[Change]) -> list[Change]:
    """One change for what several fields of the definition read."""
    found: dict[tuple[Effect, str, str], Change] = {}
    for change in changes:
        key = (change.effect, change.subject, change.message)
        known = found.get(key)
        fields = dict.fromkeys((*(known.fields if known else ()), *change.fields))
        found[key] = replace(change, fields=tuple(fields))
    return list(found.values())


def _between(old: Judged, new: Judged) -> Iterator[Change]:
    if old.contract is None or new.contract is None:
        yield from _served(old, new)
        return
    if old.contract.served and not new.contract.served:
        text = f"{new.definition.kind} is not served any more"
        yield Change(Effect.BREAK, old.release, new.release, new.definition.kind.kind, text)
    readers = _readers(old, new)
    yield from _paths(old, new, readers)
    yield from _facts(old, new, readers)
    yield from _results(old, new)
    yield from _words(old, new)
    yield from _beside(old, new, readers)


def _served(old: Judged, new: Judged) -> Iterator[Change]:
    kind = new.definition.kind
    if old.contract is not None:
        yield Change(Effect.BREAK, old.release, new.release, kind.kind, f"{kind} is gone")
    elif new.contract is not None:
        yield Change(Effect.GAIN, old.release, new.release, kind.kind, f"{kind} is there")


def _typed(context: Judged) -> Iterator[tuple[Text, Typing]]:
    for text, pods in context.texts:
        found = None if pods else context.typing(text)
        if found is not None:
            yield text, found


def _readers(old: Judged, new: Judged) -> dict[str, tuple[str, ...]]:
    """The fields of the definition that read each path, at either release; a text that stands in several counts once."""
    found: dict[str, dict[str, str]] = {}
    for context in (old, new):
        for text, typed in _typed(context):
            for path in (*typed.reads, *(unknown_path(u) for u in typed.unknown_fields)):
                found.setdefault(path, {}).setdefault(text.value, text.field)
    return {path: tuple(fields.values()) for path, fields in found.items()}


def _paths(old: Judged, new: Judged, readers: dict[str, tuple[str, ...]]) -> Iterator[Change]:
    """Fields that came or went under the pieces of expressions that read them."""
    after = {text.value: typed for text, typed in _typed(new)}
    for text, before in _typed(old):
        now = after[text.value]
        gone = {u.part: u for u in now.unknown_fields}
        were = {u.part: u for u in before.unknown_fields}
        for part, unknown in gone.items():
            if part in were or any(w.start == part.start and w.end <= part.end for w in were):
                continue
            path = unknown_path(unknown)
            handled = harmless(new, text, now, unknown)
            effect = Effect.HANDLED if handled else Effect.BREAK
            yield Change(effect, old.release, new.release, path, "the field is gone", readers.get(path, ()))
        for part, unknown in were.items():
            if part not in gone and not any(g.start == part.start and g.end <= part.end for g in gone):
                path = unknown_path(unknown)
                if new.contract is None or new.contract.find(path) is None:
                    continue  # it lies below the new name of something that is a gain itself
                yield Change(Effect.GAIN, old.release, new.release, path, "the field is there", readers.get(path, ()))


def _facts(old: Judged, new: Judged, readers: dict[str, tuple[str, ...]]) -> Iterator[Change]:
    """What the releases say differently of a field that is read."""
    assert old.contract is not None  # noqa: S101  # asked for where both are there
    assert new.contract is not None  # noqa: S101  # the same
    looked = {w.value for w in words(new)} | {w.value for w in words(old)}
    for path, fields in readers.items():
        before, now = _at(old.contract, path), _at(new.contract, path)
        if before is None or now is None or before == now:
            continue

        def change(effect: Effect, message: str, path: str = path, fields: tuple[str, ...] = fields) -> Change:
            return Change(effect, old.release, new.release, path, message, fields)

        if before.type != now.type and None not in (before.type, now.type):
            yield change(Effect.BREAK, f"its type was {before.type}, and is {now.type}")
        if (before.has_default, before.default) != (now.has_default, now.default):
            yield change(Effect.SILENT, f"its default was {_default(before)}, and is {_default(now)}")
        gone = [v for v in before.enum if v not in now.enum] if now.enum else []
        came = [v for v in now.enum if v not in before.enum] if before.enum else []
        for value in gone:
            effect = Effect.BREAK if value in looked else Effect.SILENT
            yield change(effect, f"it does not take {value!r} any more")
        for value in came:
            effect = Effect.GAIN if value in looked else Effect.REVIEW
            yield change(effect, f"it takes {value!r} too")
        if before.format != now.format and None not in (before.format, now.format):
            yield change(Effect.SILENT, f"its format was {before.format}, and is {now.format}")


def _at(contract: Contract, path: str) -> Facts | None:
    found = contract.find(path)
    return found.facts if found is not None else None


def _default(facts: Facts) -> str:
    return json.dumps(facts.default) if facts.has_default else "none"


def _results(old: Judged, new: Judged) -> Iterator[Change]:
    """Expressions that may raise now, and could not before."""
    after = {text.value: (text, typed) for text, typed in _typed(new)}
    for text, before in _typed(old):
        _, now = after[text.value]
        known = {r.part for r in before.raises}
        for raises in now.raises:
            if raises.part not in known:
                known.add(raises.part)  # one is enough for a piece
                where = raises.path or text.value
                text_ = f"an expression may raise: {raises.message}"
                yield Change(Effect.BREAK, old.release, new.release, where, text_, (text.field,))


def _words(old: Judged, new: Judged) -> Iterator[Change]:
    """Words that a mapping looks for, which came or went."""
    before, now = {w.value: w for w in words(old)}, words(new)
    for word in dict.fromkeys(now):
        was = before.get(word.value)
        if was is None or word.values:
            continue
        before_has, now_has = (word.value in c.vocabulary.by_value for c in (old, new))
        if before_has and not now_has and is_dead(new, word):
            effect = Effect.HANDLED if of_another_release(new, word, now) else Effect.BREAK
            yield Change(effect, old.release, new.release, word.value, _gone(old, new, word), (word.text.field,))
        elif now_has and not before_has:
            text = "the word is there"
            yield Change(Effect.GAIN, old.release, new.release, word.value, text, (word.text.field,))


def _gone(old: Judged, new: Judged, word: Word) -> str:
    from wmap.contract.diff import renamed  # noqa: PLC0415  # only where a word went

    other = renamed(old.vocabulary, new.vocabulary, word.value)
    return f"the word is gone{f'; renamed to {other}?' if other else ''}"


def _beside(old: Judged, new: Judged, readers: dict[str, tuple[str, ...]]) -> Iterator[Change]:
    """Additions beside what is read: counts beside a scale, words of a status that is looked at, pods, ways to suspend."""
    assert old.contract is not None  # noqa: S101  # asked for where both are there
    assert new.contract is not None  # noqa: S101  # the same
    added = [p for p in new.contract.fields if p and p not in old.contract.fields and p not in readers]
    scales = _scale_places(new)
    for path in added:
        facts = new.contract.fields[path]
        parent = path.rpartition(".")[0]

        def review(message: str, fields: Iterable[str], path: str = path) -> Change:
            return Change(Effect.REVIEW, old.release, new.release, path, message, tuple(fields))

        if facts.ref in _PODS:
            yield review("pods may be described here too", ())
        elif facts.type == "boolean" and path.startswith(".spec") and _SUSPEND.search(path):
            yield review("it may suspend", ())
        elif facts.type in _COUNTS and parent in scales:
            yield review(
                f"it came beside {', '.join(sorted(scales[parent]))}, of which counts are made", readers.get(parent, ())
            )
    if new.definition.root.status is not None:
        have = set(conditions_of(old))
        seen = {w.value for w in words(new)}
        came = [c for c in conditions_of(new) if c not in have and c not in seen] if have else []
        for word in came:
            yield Change(Effect.REVIEW, old.release, new.release, word, "a condition that no mapping looks at")


def _scale_places(context: Judged) -> dict[str, set[str]]:
    """The parents of the fields of which scales are made, with the names of these fields."""
    found: dict[str, set[str]] = {}
    for c in context.definition.components:
        scale = c.scale
        for text in (scale.replicas, scale.min_replicas, scale.max_replicas) if scale is not None else ():
            typed = context.typing(text) if text is not None else None
            for path in typed.whole if typed is not None else ():
                parent, _, name = path.rpartition(".")
                found.setdefault(parent, set()).add(name)
    return found


def _unread(old: Judged, new: Judged, listed: list[Change]) -> int:
    """How many fields of the kind's own tree changed that are not listed."""
    if old.contract is None or new.contract is None:
        return 0
    before, now = old.contract.fields, new.contract.fields
    if before is now:
        return 0
    changed = sum(before.get(p) != now.get(p) for p in before.keys() | now.keys())
    return max(0, changed - len({c.subject for c in listed if c.subject.startswith(".")}))


def to_dict(found: Drift) -> dict[str, Any]:
    """The drift of one definition as plain JSON values."""
    return {
        "definition": found.definition,
        "framework": found.framework,
        "kind": found.kind,
        "releases": list(found.releases),
        "changes": [
            {
                "effect": str(c.effect),
                "old": c.old,
                "new": c.new,
                "subject": c.subject,
                "message": c.message,
                "fields": list(c.fields),
            }
            for c in found.changes
        ],
        "unread": found.unread,
    }
