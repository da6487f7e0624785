"""Rules about the words of a release: condition types, phases, reasons, labels, and what is known of them. C2xx."""

from __future__ import annotations

import difflib
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from wmap.check.judged import Judged, on_pod
from wmap.check.rule import Found, rule
from wmap.contract import TermKind, in_range
from wmap.contract.model import step
from wmap.findings import Level, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wmap.definition.model import StatusDefinition, Text
    from wmap.expr import Part

_SOURCE = "the constants of the operator's source at the release (wmap contract show)"
_STATUS = "spec: {structureDefinition: {rootComponent: {statusDefinition: {statusMappings: %s}}}}"
_GOOD = _STATUS % "{failed: [{byConditions: [{type: Failed, status: 'True'}]}]}"
_SELECT = """spec: {structureDefinition: {childComponents: [{name: job, ownerRef: jobset,
  specDefinition: {podTemplateSpecPath: '.spec.replicatedJobs[]?.template.spec.template'}, instanceIdPath: '.spec.replicatedJobs[]?.name',
  podSelector: {componentInstanceSelector: {idPath: '.metadata.labels["%s"]'}}}]}}"""
_STATES = ("True", "False", "Unknown")
KUBERNETES_LABELS = re.compile(
    r"(?!.*(?:sigs|x)[.-]k8s\.io/)(?:[a-z.-]+\.)?(?:kubernetes|k8s)\.io/.*|pod-template-hash|controller-revision-hash|job-name|controller-uid"
    r"|statefulset\.kubernetes\.io/pod-name|app|name"
)
"""Labels that Kubernetes' own controllers write, or that people write as they like."""


class Word(NamedTuple):
    """A word that a definition looks for: what it is compared with says what it should be."""

    text: Text
    value: str
    part: Part | None
    kind: TermKind
    values: tuple[str, ...]
    """The enumeration of the field, where it has one."""
    group: str
    """What looks for it: the status whose matcher it is in, or the expression. Another word of it may take its place."""


def _condition_fields(context: Judged, status: StatusDefinition) -> tuple[set[str], set[str], set[str]]:
    """The paths of the types, statuses and reasons of the conditions."""
    if status.conditions is None:
        return set(), set(), set()
    typed = context.typing(status.conditions.path)
    items = [f"{p}[]" for p in (typed.shape.paths if typed is not None else ())]
    names = (status.conditions.type_field, status.conditions.status_field, status.conditions.reason_field)
    types, states, reasons = ({i + step(n) for i in items} for n in names)
    return types, states, reasons


def words(context: Judged) -> tuple[Word, ...]:
    """Every literal that the definition compares with a condition, a phase, or a field that has an enumeration."""
    if "words" not in context.memo:
        context.memo["words"] = tuple(_words(context)) if context.contract is not None else ()
    found: tuple[Word, ...] = context.memo["words"]
    return found


def _words(context: Judged) -> Iterator[Word]:
    conditions: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    phases: set[str] = set()
    for c in context.definition.components:
        if c.status is None:
            continue
        if c.status.phase is not None:
            typed = context.typing(c.status.phase)
            phases.update(typed.shape.paths if typed is not None else ())
        for have, more in zip(conditions, _condition_fields(context, c.status), strict=True):
            have.update(more)
        yield from _matched(context, c.status, phases)
    for text, _ in context.texts:
        typed = context.typing(text)
        if typed is None or on_pod(text):
            continue
        for compared in dict.fromkeys(typed.compared):
            if not isinstance(compared.literal, str) or not compared.literal or compared.how not in ("==", "!="):
                continue
            paths = set(compared.paths)
            if not paths:
                continue
            kind = TermKind.OTHER
            if paths <= conditions[0]:
                kind = TermKind.CONDITION
            elif paths <= conditions[2]:
                kind = TermKind.REASON
            elif paths <= phases:
                kind = TermKind.PHASE
            values = _STATES if paths <= conditions[1] else _enum(context, paths)
            yield Word(text, compared.literal, compared.part, kind, values, text.value)


def _matched(context: Judged, status: StatusDefinition, phases: set[str]) -> Iterator[Word]:
    for name, matchers in status.mappings.items():
        for matcher in matchers:
            if matcher.phase is not None:
                values = _enum(context, phases)
                yield Word(matcher.phase, matcher.phase.value, None, TermKind.PHASE, values, name)
            for condition in matcher.conditions:
                yield Word(condition.type, condition.type.value, None, TermKind.CONDITION, (), name)
                if condition.status is not None:
                    yield Word(condition.status, condition.status.value, None, TermKind.OTHER, _STATES, "")
                if condition.reason is not None:
                    yield Word(condition.reason, condition.reason.value, None, TermKind.REASON, (), "")


def _enum(context: Judged, paths: Iterable[str]) -> tuple[str, ...]:
    """The enumeration that all of these fields have; () where one has none."""
    found: dict[str, None] = {}
    for path in paths:
        there = context.contract.find(path) if context.contract is not None else None
        if there is None or not there.facts.enum:
            return ()
        found.update(dict.fromkeys(str(v) for v in there.facts.enum if v is not None))
    return tuple(found)


def known_words(context: Judged, word: Word) -> tuple[str, ...]:
    """What a word may be at the release: the enumeration, else the constants of its kind; () where nothing is known."""
    if word.values:
        return word.values
    if word.kind is TermKind.OTHER:
        return ()
    return tuple(context.vocabulary.of(word.kind))


def is_dead(context: Judged, word: Word) -> bool:
    """Whether the release can never write a word that is looked for; not where its words are not known."""
    known = known_words(context, word)
    if not known or word.value in known:
        return False
    # a constant that inference took for something else is a constant all the same
    return bool(word.values) or word.value not in context.vocabulary.by_value


def _releases_with(context: Judged, value: str) -> tuple[str, ...]:
    """The stored releases whose vocabulary has a word, oldest first."""
    history = context.stored
    if history is None:
        return ()
    store, framework = history.store, history.framework
    return tuple(r for r in history.releases if value in store.vocabulary(framework, r).by_value)


def _comes_later(context: Judged, value: str) -> bool:
    """Whether framework.yaml tells of a word in other releases than this one."""
    said = context.framework.words if context.framework is not None else ()
    return any(w.value == value and not in_range(context.release, w.releases) for w in said)


def _elsewhere(context: Judged, value: str) -> bool:
    """Whether another release has a word."""
    return bool(_releases_with(context, value)) or _comes_later(context, value)


def of_another_release(context: Judged, word: Word, looked: tuple[Word, ...]) -> bool:
    """Whether a word that this release does not have is there for another one, and something else is there for this one."""
    if word.values or not _elsewhere(context, word.value):
        return False
    others = (w for w in looked if w.group == word.group and w.value != word.value and w.kind is word.kind)
    return any(not is_dead(context, w) for w in others) or _other_matchers(context, word)


def _other_matchers(context: Judged, word: Word) -> bool:
    """Whether the status has a matcher that looks at an expression alone."""
    status = context.definition.root.status
    for name, matchers in status.mappings.items() if status is not None else ():
        if name == word.group and any(m.expression and not m.conditions and m.phase is None for m in matchers):
            return True
    return False


def _gone(context: Judged, value: str) -> str | None:
    have = _releases_with(context, value)
    return f"it is in {context.stored.spans(have)} only" if have and context.stored is not None else None


def _nearest(value: str, known: Iterable[str]) -> str | None:
    return _did_you_mean(value, tuple(sorted(known)))


@cache
def _did_you_mean(value: str, known: tuple[str, ...]) -> str | None:
    lower = {k.lower(): k for k in known}
    found = difflib.get_close_matches(value.lower(), lower, 1, 0.6)
    return f"did you mean {lower[found[0]]}?" if found else None


@rule(
    "C201",
    "dead-mapping",
    Severity.ERROR,
    "A condition type, a phase or a value that a mapping looks for is one that the release can write.",
    "The mapping never matches: an outage, or the end of a job, is never shown.",
    source=_SOURCE,
    bad=_STATUS % "{failed: [{byConditions: [{type: Faild, status: 'True'}]}]}",
    good=_GOOD,
    level=Level.CONTRACT,
    everywhere=True,
)
def dead_mapping(context: Judged) -> Iterator[Found]:
    """Neither in the enumeration of the field nor in the vocabulary."""
    looked = words(context)
    for word in looked:
        if word.kind is not TermKind.REASON and is_dead(context, word):
            if of_another_release(context, word, looked):
                continue
            what = {TermKind.CONDITION: "condition type", TermKind.PHASE: "phase"}.get(word.kind, "value")
            known = known_words(context, word)
            there = f"there are {', '.join(known[:8])}{', ...' if len(known) > 8 else ''}"
            hint = "; ".join(filter(None, (_gone(context, word.value), _nearest(word.value, known)))) or there
            yield word.text, f"{word.value!r} is no {what} of the release", hint, word.part


@rule(
    "C202",
    "unknown-reason",
    Severity.WARNING,
    "A reason that a mapping looks for is one that the release's source names.",
    "A reason that is never written makes the mapping dead; some operators write reasons that no constant names.",
    source=_SOURCE,
    bad=_STATUS % "{failed: [{byConditions: [{type: Failed, status: 'True', reason: FailedJobz}]}]}",
    good=_STATUS % "{failed: [{byConditions: [{type: Failed, status: 'True', reason: FailedJobs}]}]}",
    level=Level.CONTRACT,
    everywhere=True,
)
def unknown_reason(context: Judged) -> Iterator[Found]:
    """No constant has it."""
    for word in words(context):
        if word.kind is TermKind.REASON and is_dead(context, word) and not _comes_later(context, word.value):
            hint = _gone(context, word.value) or _nearest(word.value, known_words(context, word))
            yield word.text, f"the source of the release names no reason {word.value!r}", hint, word.part


@rule(
    "C203",
    "unmapped-word",
    Severity.INFO,
    "The conditions and phases of the release are looked at, or left out on purpose.",
    "A new phase or condition that nothing looks at reads Undefined, or as what it was before.",
    source=_SOURCE,
    bad=_GOOD,
    good=_STATUS
    % """{failed: [{byConditions: [{type: Failed, status: 'True'}]}],
  completed: [{byConditions: [{type: Completed, status: 'True'}]}], suspended: [{byConditions: [{type: Suspended, status: 'True'}]}],
  initializing: [{byConditions: [{type: StartupPolicyInProgress, status: 'True'}]}],
  running: [{byConditions: [{type: StartupPolicyCompleted, status: 'True'}]}]}""",
    level=Level.CONTRACT,
)
def unmapped_word(context: Judged) -> Iterator[Found]:
    """Constants that no mapping names, grouped."""
    seen = {w.value for w in words(context)}
    root = context.definition.root
    status = root.status
    if status is None or context.contract is None:
        return
    if status.phase is not None:
        typed = context.typing(status.phase)
        missing = [v for v in _enum(context, typed.shape.paths if typed is not None else ()) if v and v not in seen]
        if missing:
            yield status.phase, f"no mapping looks at the phase{_s(missing)} {', '.join(missing)}", None, None
    if status.conditions is not None:
        missing = [v for v in conditions_of(context) if v not in seen]
        if missing:
            text = f"no mapping looks at the condition{_s(missing)} {', '.join(missing)}"
            yield status.conditions.path, text, None, None


def _s(values: list[str]) -> str:
    return "s" if len(values) > 1 else ""


def conditions_of(context: Judged) -> list[str]:
    """The condition types of the vocabulary that may be of this kind: those of Go types that name another kind are not."""
    kind = context.definition.kind.kind
    terms = context.vocabulary.of(TermKind.CONDITION)
    kinds = _kinds(context)
    own = [v for v, ts in terms.items() if any(_names(t.type + t.name, kind, kinds) for t in ts)]
    return sorted(own)


def _kinds(context: Judged) -> set[str]:
    if context.stored is None:
        return set()
    return {k.kind for k in context.stored.store.kinds(context.stored.framework, context.release)}


def _names(go: str, kind: str, kinds: set[str]) -> bool:
    """Whether a Go name is of this kind: it names the kind, or no other."""
    if kind.lower() in go.lower():
        return True
    return not any(k.lower() in go.lower() for k in kinds if k != kind)


@rule(
    "C204",
    "unknown-label",
    Severity.WARNING,
    "A label that a selector reads is one that the release writes.",
    "A selector by a label that is not there matches no pod: counts stay 0, a gang is never formed.",
    source=_SOURCE,
    bad=_SELECT % "jobset.sigs.k8s.io/replicatedjob",
    good=_SELECT % "jobset.sigs.k8s.io/replicatedjob-name",
    level=Level.CONTRACT,
    everywhere=True,
)
def unknown_label(context: Judged) -> Iterator[Found]:
    """No constant has the key."""
    labels = {v for k in (TermKind.LABEL, TermKind.ANNOTATION) for v in context.vocabulary.of(k)}
    if not labels:
        return
    keys = list(label_keys(context))
    for text, key in keys:
        if key not in context.vocabulary.by_value and not KUBERNETES_LABELS.fullmatch(key):
            if _elsewhere(context, key) and any(t.value == text.value and k != key for t, k in keys):
                continue
            start = text.value.find(key)
            part = None
            if start >= 0 and text.value in context.expressions:
                from wmap.expr import Part  # noqa: PLC0415  # only for a finding

                part = Part(start, start + len(key))
            hint = _gone(context, key) or _nearest(key, labels)
            yield text, f"the source of the release names no label {key!r}", hint, part


def label_keys(context: Judged) -> Iterator[tuple[Text, str]]:
    """The keys of the labels and annotations that selectors and gangs read from pods."""
    for text, pods in context.texts:
        if not pods:
            continue
        for path in context.expressions[text.value].reads:
            match path:
                case ("metadata", "labels" | "annotations", str() as key, *_):
                    yield text, key
    for c in context.definition.components:
        selector = c.selector.component_type if c.selector is not None else None
        for key, value in selector.match_labels.items() if selector is not None else ():
            yield value, key


@rule(
    "C206",
    "word-of-another-release",
    Severity.INFO,
    "A word that only other releases write is looked at beside the one that takes its place.",
    "It is how one definition holds for releases that spell it differently; when no such release is used any more, it can go.",
    source=_SOURCE,
    bad=_STATUS
    % "{failed: [{byConditions: [{type: Failed, status: 'True'}]}, {byConditions: [{type: RestartingJobSet, status: 'True'}]}]}",
    good=_GOOD,
    level=Level.CONTRACT,
    everywhere=True,
)
def word_of_another_release(context: Judged) -> Iterator[Found]:
    """Another release has it."""
    looked = words(context)
    for word in looked:
        if is_dead(context, word) and of_another_release(context, word, looked):
            where = _gone(context, word.value) or "a later release has it, says framework.yaml"
            yield word.text, f"this release does not write {word.value!r}: {where}", None, word.part


@rule(
    "C205",
    "noted",
    Severity.WARNING,
    "Nothing is known against what a mapping looks at.",
    "framework.yaml keeps what neither CRD nor source tells: values that are declared and never written, conditions behind a gate.",
    source="the notes in framework.yaml, each with its own source and date",
    bad=_STATUS
    % "{running: [{byExpression: {expression: '.status.replicatedJobsStatus[0]?.active == 1', expectedResult: 'true'}}]}",
    good=_GOOD,
    level=Level.CONTRACT,
)
def noted(context: Judged) -> Iterator[Found]:
    """A note of the framework is about it."""
    if context.framework is None or context.contract is None:
        return
    kind = context.definition.kind.kind
    for note in context.framework.notes_about(kind, context.release):
        about = note.about
        if about is None:
            continue
        said = f"{note.text} (known since {note.date}, {note.source})"
        if about.condition is not None:
            for word in words(context):
                if word.kind is TermKind.CONDITION and word.value == about.condition:
                    yield word.text, f"the condition {about.condition}: {said}", None, word.part
        elif about.field is not None:
            yield from _about_field(context, about.field, about.value, said)


def _about_field(context: Judged, path: str, value: str | None, said: str) -> Iterator[Found]:
    for text, pods in context.texts:
        typed = None if pods else context.typing(text)
        if typed is None or path not in typed.reads:
            continue
        if value is None:
            yield text, f"{path}: {said}", None, None
            continue
        for compared in dict.fromkeys(typed.compared):
            if compared.literal == value and path in compared.paths:
                yield text, f"{path} {value!r}: {said}", None, compared.part
        for c in context.definition.components:
            if c.status is not None and c.status.phase is text:
                for matcher in (m for ms in c.status.mappings.values() for m in ms):
                    if matcher.phase is not None and matcher.phase.value == value:
                        yield matcher.phase, f"{path} {value!r}: {said}", None, None
