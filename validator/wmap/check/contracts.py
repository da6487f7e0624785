"""Rules about the fields that a release has: names, types, alignment, defaults. C1xx."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wmap.check.judged import Judged, on_pod
from wmap.check.rule import Found, rule
from wmap.contract.model import step
from wmap.contract.rights import may_touch, plural
from wmap.findings import Level, Severity
from wmap.infer import Verdict, aligned, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Text
    from wmap.infer import Typing, UnknownField

_SOURCE = "the CRD of the release, and how consumers evaluate a path (wmap contract show)"
_ROOT = "spec: {structureDefinition: {rootComponent: %s}}"
_CHILD = "spec: {structureDefinition: {childComponents: [%s]}}"
_GROUPS = """{name: job, ownerRef: jobset, specDefinition: {podTemplateSpecPath: '.spec.replicatedJobs[]?.template.spec.template'},
  instanceIdPath: '%s', scaleDefinition: {replicasPath: '%s'},
  podSelector: {componentInstanceSelector: {idPath: '.metadata.labels["%s"]'}}}"""
_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
_IDS, _SCALE = ".spec.replicatedJobs[]?.name", ".spec.replicatedJobs[]? | (.replicas // 1)"
_GOOD = _CHILD % (_GROUPS % (_IDS, _SCALE, _LABEL))

_OTHER = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: %s}
spec:
  structureDefinition:
    rootComponent:
      name: root
      kind: {group: %s, version: %s, kind: %s}
      %s
"""
_PHASE = "statusDefinition: {phaseDefinition: {path: .status.state}, statusMappings: {failed: [{byPhase: failed}]}}"
_KNATIVE = ("serving-knative-dev-service-v1", "serving.knative.dev", "v1", "Service")
_AFFINITY = """specDefinition: {fragmentedPodSpecDefinition: {%s}}
      statusDefinition: {statusMappings: {failed: [{byExpression: {expression: .metadata.name, expectedResult: a}}]}}"""


def unknown_path(unknown: UnknownField) -> str:
    """The path that the release does not have."""
    return unknown.parent + step(unknown.key)


def _unknown(context: Judged) -> Iterator[tuple[Text, UnknownField, Typing]]:
    for text, _ in context.texts:
        typed = context.typing(text)
        if typed is not None:
            for unknown in typed.unknown_fields:
                yield text, unknown, typed


def _elsewhere(context: Judged, text: Text, unknown: UnknownField) -> tuple[str, ...]:
    """The stored releases that have a field which this one has not, under its name or below another."""
    if on_pod(text) or context.stored is None:
        return ()
    return context.stored.knowing(context.expressions[text.value], unknown.part)


def harmless(context: Judged, text: Text, typed: Typing, unknown: UnknownField) -> bool:
    """Whether a field that only other releases have does no harm at this one.

    The expression reads more than the unknown field, so it may be another release's name for the same; or it is the place of
    the phase or of the conditions, which then tell nothing, beside mappings that look elsewhere.
    """
    status = context.definition.root.status
    if status is not None:
        paths = (status.phase, status.conditions.path if status.conditions is not None else None)
        if text in paths and any(m.expression or m.phase for ms in status.mappings.values() for m in ms):
            return True
    deepest = [p for p in typed.reads if p and not any(q != p and q.startswith(p) for q in typed.reads)]
    return any(not unknown.parent.startswith(p) for p in deepest)


@rule(
    "C101",
    "unknown-field",
    Severity.ERROR,
    "A path reads fields that the release has.",
    "A field that is not there reads as null for ever: a scale of none, a phase that never comes, a pod that is never changed.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (_IDS, ".spec.replicatedJobs[]? | (.replica // 1)", _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def unknown_field(context: Judged) -> Iterator[Found]:
    """The contract does not name it."""
    for text, unknown, typed in _unknown(context):
        elsewhere = _elsewhere(context, text, unknown)
        if elsewhere and harmless(context, text, typed, unknown):
            continue
        kind = "a pod" if on_pod(text) else f"{context.definition.kind.kind}"
        message = f"{kind} has no field {unknown_path(unknown)}"
        near = nearest(unknown)
        hints = [f"did you mean {' or '.join(near)}?"] if near else []
        if elsewhere and context.stored is not None:
            hints.append(f"it exists in {context.stored.spans(elsewhere)}")
        if not hints and unknown.names:
            shown = ", ".join(unknown.names[:8])
            hints.append(f"there are {shown}{', ...' if len(unknown.names) > 8 else ''}")
        yield text, message, "; ".join(hints) or None, unknown.part


@rule(
    "C102",
    "field-of-another-release",
    Severity.INFO,
    "A field that only other releases have is read beside the one that takes its place.",
    "It is how one definition holds for releases that spell a field differently; when no such release is used any more, it can go.",
    source=_SOURCE,
    bad="spec: {structureDefinition: {rootComponent: {statusDefinition: {statusMappings: {running: [{byExpression: {expression: "
    "'(.status.replicatedJobsStatus // .status.ReplicatedJobsStatus) != null', expectedResult: 'true'}}]}}}}}",
    good="spec: {structureDefinition: {rootComponent: {statusDefinition: {statusMappings: {running: [{byExpression: {expression: "
    "'.status.replicatedJobsStatus != null', expectedResult: 'true'}}]}}}}}",
    level=Level.CONTRACT,
    everywhere=True,
)
def field_of_another_release(context: Judged) -> Iterator[Found]:
    """Other stored releases have it."""
    for text, unknown, typed in _unknown(context):
        elsewhere = _elsewhere(context, text, unknown)
        if elsewhere and harmless(context, text, typed, unknown) and context.stored is not None:
            message = f"{unknown_path(unknown)} is not in this release, but in {context.stored.spans(elsewhere)}"
            yield text, message, None, unknown.part


@rule(
    "C103",
    "not-served",
    Severity.ERROR,
    "The release serves the version of the kind that the definition reads.",
    "No object of it can exist: the definition reads nothing.",
    source=_SOURCE,
    bad=_ROOT % "{kind: {version: v1alpha1}}",
    good=_GOOD,
    level=Level.CONTRACT,
)
def not_served(context: Judged) -> Iterator[Found]:
    """Not in the release, or not served any more."""
    if context.contract is not None and context.contract.served:
        return
    kind = context.definition.kind
    have = context.stored.with_field("") if context.stored is not None else ()
    hint = f"it is in {context.stored.spans(have)}" if have and context.stored is not None else None
    found = "does not have it" if context.contract is None else "does not serve it any more"
    yield context.at("spec.structureDefinition.rootComponent.kind"), f"{kind}: the release {found}", hint, None


@rule(
    "C104",
    "deprecated",
    Severity.WARNING,
    "The version of the kind is not marked deprecated.",
    "It goes in a coming release: the definition of the new version is needed before.",
    source=_SOURCE,
    bad=_OTHER
    % ("nvidia-com-dynamographdeployment-v1alpha1", "nvidia.com", "v1alpha1", "DynamoGraphDeployment", _PHASE),
    good=_OTHER
    % ("nvidia-com-dynamographdeployment-v1beta1", "nvidia.com", "v1beta1", "DynamoGraphDeployment", _PHASE),
    level=Level.CONTRACT,
)
def deprecated(context: Judged) -> Iterator[Found]:
    """The CRD says so."""
    if context.contract is not None and context.contract.deprecated:
        where = context.at("spec.structureDefinition.rootComponent.kind")
        yield where, f"{context.definition.kind} is deprecated", "add a definition of the version that follows", None


def _wanted(context: Judged) -> Iterator[tuple[Text, tuple[str, ...], str]]:
    """Each path with the types that its results must have, and what for."""
    for c in context.definition.components:
        if c.spec is not None:
            for text in (c.spec.pod_template, c.spec.pod_spec, c.spec.metadata):
                if text is not None:
                    yield text, ("object",), "the pods are described by an object"
        if c.scale is not None:
            for text in (c.scale.replicas, c.scale.min_replicas, c.scale.max_replicas):
                if text is not None:
                    yield text, ("number",), "a count is a number"
        if c.instance_id is not None:
            yield c.instance_id, ("string",), "the name of an instance is a string"
        if c.status is not None and c.status.phase is not None:
            yield c.status.phase, ("string",), "a phase is a string"
        if c.status is not None and c.status.conditions is not None:
            yield c.status.conditions.path, ("array",), "conditions are an array"


@rule(
    "C105",
    "wrong-result-type",
    Severity.ERROR,
    "A path gives values of the type that its field in the format needs.",
    "Consumers convert the result; one of another type fails the component.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (_IDS, ".spec.replicatedJobs[]?.name", _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def wrong_type(context: Judged) -> Iterator[Found]:
    """No result, or only some, can be of the type."""
    for text, types, why in _wanted(context):
        typed = context.typing(text)
        if typed is None or typed.unknown_fields:
            continue
        wrong = [t for t in typed.shape.types if t not in types and t != "null"]
        if wrong and not typed.shape.unknown:
            may = "gives" if not set(types) & set(typed.shape.types) else "may give"
            yield text, f"it {may} {_a(wrong)}: {why}", _of(typed), None


def _a(types: list[str]) -> str:
    return " or ".join(f"an {t}" if t[0] in "ao" else f"a {t}" for t in types)


def _of(typed: Typing) -> str | None:
    paths = typed.shape.paths
    return f"it is what the release has at {', '.join(paths[:3])}" if paths else None


@rule(
    "C106",
    "may-raise",
    Severity.ERROR,
    "No expression raises on an object that the release admits.",
    "A path that raises makes a consumer's whole reading of the component fail, its status included.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (_IDS, ".spec.replicatedJobs[].replicas", _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def may_raise(context: Judged) -> Iterator[Found]:
    """Iterating what may be absent, indexing what is no object, arithmetic with null, and the like."""
    for text, _ in context.texts:
        typed = context.typing(text)
        if typed is None or on_pod(text):
            continue
        # one is enough for a piece
        for raises in {r.part: r for r in reversed(typed.raises)}.values():
            where = f" where {raises.path} is absent or of another kind" if raises.path else ""
            hint = "`[]?` iterates only what is there" if "iterate" in raises.message else "`?` or `//` say what then"
            yield text, f"it {'raises' if raises.always else 'may raise'}{where}: {raises.message}", hint, raises.part


@rule(
    "C107",
    "id-may-be-null",
    Severity.ERROR,
    "The name of an instance is there on every object that the release admits.",
    "An id that is null fails the component for consumers.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (".spec.replicatedJobs[]?.template.spec.podReplacementPolicy", _SCALE, _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def id_may_be_null(context: Judged) -> Iterator[Found]:
    """The field is neither required nor has a default."""
    for c in context.definition.components:
        typed = context.typing(c.instance_id) if c.instance_id is not None else None
        if c.instance_id is not None and typed is not None and typed.may_be_null and not typed.unknown_fields:
            defaulted = set(typed.shape.paths) & set(typed.null_by_absence)
            if not defaulted or not set(typed.shape.paths) <= defaulted:
                yield c.instance_id, "an id may be null: the release does not require it", _of(typed), None


def _paired(component: Component) -> Iterator[Text]:
    if component.spec is not None:
        spec = component.spec
        for text in (spec.pod_template, spec.pod_spec, spec.metadata, *(spec.fragments or {}).values()):
            if text is not None:
                yield text
    if component.scale is not None:
        scale = component.scale
        yield from (t for t in (scale.replicas, scale.min_replicas, scale.max_replicas) if t is not None)


def _alignments(context: Judged) -> Iterator[tuple[Text, Text, Typing, Typing]]:
    for c in context.definition.components:
        ids = context.typing(c.instance_id) if c.instance_id is not None else None
        if c.instance_id is None or ids is None:
            continue
        for text in _paired(c):
            typed = context.typing(text)
            if typed is not None:
                yield c.instance_id, text, ids, typed


@rule(
    "C108",
    "paths-misaligned",
    Severity.ERROR,
    "Ids, pod templates and counts come from the same entries, one each.",
    "Consumers pair them by position: a path that drops an entry gives its neighbours' counts to others, or fails.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (_IDS, ".spec.replicatedJobs[]?.replicas // 1", _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def misaligned(context: Judged) -> Iterator[Found]:
    """There are objects on which the numbers of results differ."""
    for ids, text, first, second in _alignments(context):
        found = aligned(first, second)
        if found.verdict is Verdict.REFUTED:
            why = found.reason or "the numbers of results differ"
            hint = f"iterate as {ids.value} does, and put defaults inside: .groups[] | (.replicas // 1)"
            yield (
                text,
                f"it does not pair with instanceIdPath: {why}",
                hint,
                (found.part if found.second else None),
            )


@rule(
    "C109",
    "alignment-unknown",
    Severity.INFO,
    "That ids, pod templates and counts pair up can be proved from the contract.",
    "What cannot be proved is left to fixtures and fuzzing.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (_IDS, ".spec as $s | $s.replicatedJobs | map(.replicas // 1) | sort | .[]", _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def alignment_unknown(context: Judged) -> Iterator[Found]:
    """Neither proved nor refuted."""
    for _, text, first, second in _alignments(context):
        found = aligned(first, second)
        if found.verdict is Verdict.UNKNOWN:
            why = found.reason or "the numbers of results cannot be compared"
            yield text, f"it cannot be proved to pair with instanceIdPath: {why}", None, None


@rule(
    "C110",
    "default-differs",
    Severity.WARNING,
    "A default in the definition is the default of the release.",
    "An object whose field is absent is read before the API server has filled it in, or without: both must mean the same.",
    source=_SOURCE,
    bad=_CHILD % (_GROUPS % (_IDS, ".spec.replicatedJobs[]? | (.replicas // 2)", _LABEL)),
    good=_GOOD,
    level=Level.CONTRACT,
)
def default_differs(context: Judged) -> Iterator[Found]:
    """The CRD gives another."""
    for text, _ in context.texts:
        typed = context.typing(text)
        if typed is None or context.contract is None or on_pod(text):
            continue
        for default in dict.fromkeys(typed.defaults):
            there = context.contract.find(default.path)
            if there is not None and there.facts.has_default and there.facts.default != default.literal:
                ours, theirs = json.dumps(default.literal), json.dumps(there.facts.default)
                yield text, f"it takes {ours} where {default.path} is absent, the release {theirs}", None, default.part


@rule(
    "C111",
    "wrong-value",
    Severity.ERROR,
    "The value that suspends or resumes is one that the field takes.",
    "The API server refuses the change, or prunes the field.",
    source=_SOURCE,
    bad=_ROOT
    % """{suspendDefinition: {suspendActions: [{path: .spec.suspend, value: '"yes"'}],
  resumeActions: [{path: .spec.suspend, value: 'false'}]}}""",
    good=_ROOT
    % """{suspendDefinition: {suspendActions: [{path: .spec.suspend, value: 'true'}],
  resumeActions: [{path: .spec.suspend, value: 'false'}]}}""",
    level=Level.CONTRACT,
)
def wrong_value(context: Judged) -> Iterator[Found]:
    """Of another type, or not in the enumeration."""
    for c in context.definition.components:
        if c.suspend is None:
            continue
        for action in (*c.suspend.suspend, *c.suspend.resume):
            typed = context.typing(action.path)
            if typed is None or typed.unknown_fields or typed.shape.unknown:
                continue
            try:
                value = json.loads(action.value.value)
            except ValueError:
                continue
            if not typed.shape.admits(value):
                yield action.value, f"{action.path.value} does not take {action.value.value}", _of(typed), None


@rule(
    "C113",
    "child-kind-without-rights",
    Severity.INFO,
    "The operator may touch the kinds that the definition says it manages.",
    "A kind that the operator's roles do not name is not made by it at this release: it is of another release, or a mistake.",
    source="the roles of the operator at the release, where a contract was built with them (wmap contract build --rbac)",
    bad="spec: {structureDefinition: {additionalChildKinds: [{group: batch, version: v1, kind: CronJob}]}}",
    good="spec: {structureDefinition: {additionalChildKinds: [{group: batch, version: v1, kind: Job}]}}",
    level=Level.CONTRACT,
)
def child_kind_without_rights(context: Judged) -> Iterator[Found]:
    """No role names its resource."""
    history = context.stored
    rights = history.store.rights(history.framework, context.release) if history is not None else None
    if rights is None:
        return
    for i, kind in enumerate(context.definition.additional_child_kinds):
        if not may_touch(rights, kind.group, kind.kind):
            where = context.at(f"spec.structureDefinition.additionalChildKinds[{i}]")
            yield where, f"no role of the operator names {kind.group or 'core'}/{plural(kind.kind)}", None, None


@rule(
    "C112",
    "untyped-place",
    Severity.INFO,
    "What an expression reads is declared by the release.",
    "Below a field that keeps unknown fields nothing can be checked; framework.yaml can say what is really there (coreTypes).",
    source=_SOURCE,
    bad=_OTHER % (*_KNATIVE, _AFFINITY % "nodeAffinityPath: .spec.template.spec.affinity.nodeAffinity"),
    good=_OTHER % (*_KNATIVE, _AFFINITY % "imagePath: '.spec.template.spec.containers[0].image'"),
    level=Level.CONTRACT,
)
def untyped_place(context: Judged) -> Iterator[Found]:
    """The contract keeps what it does not know."""
    for text, _ in context.texts:
        typed = context.typing(text)
        for place in dict.fromkeys(typed.unknown_places) if typed is not None else ():
            yield text, f"the release does not say what is at {place.path or 'this place'}", None, place.part
