"""Rules about what stands at the places that a definition names, or leaves out: pods, conditions, counts. C116 to C119."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.judged import Judged, on_pod
from wmap.check.rule import Found, rule
from wmap.contract.model import step
from wmap.definition.model import Fragment
from wmap.findings import Level, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Text
    from wmap.expr.static import Place

_SOURCE = "the CRD of the release, and how consumers read a pod (wmap contract show)"
_CHILD = """spec: {structureDefinition: {childComponents: [{name: job, ownerRef: jobset, specDefinition: {%s}, scaleDefinition:
  {replicasPath: '%s'}, instanceIdPath: '.spec.replicatedJobs[]?.name',
  podSelector: {componentInstanceSelector: {idPath: '.metadata.labels["jobset.sigs.k8s.io/replicatedjob-name"]'}}}]}}"""
_SCALE = ".spec.replicatedJobs[]? | (.replicas // 1) * (.template.spec.parallelism // 1) + 0 * (.template.spec.completions // 1)"
_TEMPLATE = "podTemplateSpecPath: '.spec.replicatedJobs[]?.template.spec.template'"
_GOOD = _CHILD % (_TEMPLATE, _SCALE)
_CONDITIONS = """spec: {structureDefinition: {rootComponent: {statusDefinition: {conditionsDefinition: {path: .status.conditions,
  typeFieldName: %s}, statusMappings: {failed: [{byConditions: [{type: Failed, status: 'True'}]}]}}}}}"""

_TEXTS = {
    Fragment.SCHEDULER_NAME: "schedulerName",
    Fragment.PRIORITY_CLASS_NAME: "priorityClassName",
    Fragment.IMAGE: "image",
}
_NAMED = {**_TEXTS, Fragment.LABELS: "labels", Fragment.ANNOTATIONS: "annotations"}
_HAVE = {
    Fragment.RESOURCES: ("requests",),
    Fragment.POD_AFFINITY: ("requiredDuringSchedulingIgnoredDuringExecution", "[]", "topologyKey"),
    Fragment.NODE_AFFINITY: ("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
    Fragment.CONTAINERS: ("[]", "image"),
    Fragment.CONTAINER: ("image",),
}
COUNTS = (
    "replicas",
    "minReplicas",
    "maxReplicas",
    "minAvailable",
    "parallelism",
    "numOfHosts",
    "nodeCount",
    "numNodes",
    "size",
)
"""What counts of pods are called."""


def _pieces(c: Component) -> Iterator[tuple[Text, str, tuple[str, ...], str | None]]:
    """Each path of a component's pods: what it is for, what must stand below it, and what it must be called."""
    spec = c.spec
    if spec is None:
        return
    if spec.pod_template is not None:
        yield spec.pod_template, "a pod template", ("spec", "containers"), None
    if spec.pod_spec is not None:
        yield spec.pod_spec, "a pod spec", ("containers",), None
    for fragment, text in (spec.fragments or {}).items():
        yield text, f"the {fragment.value.removesuffix('Path')} of a pod", _HAVE.get(fragment, ()), _NAMED.get(fragment)


def _lacks(place: Place, below: tuple[str, ...]) -> bool:
    """Whether the release says what stands at a place, and it is not that."""
    here: Place | None = place
    for key in below:
        if here is None or here.preserve or here.type is None:
            return False
        here = here.items if key == "[]" else here.named(key)
        if here is None:
            return True
    return False


@rule(
    "C116",
    "wrong-piece",
    Severity.ERROR,
    "A path of a pod, or of a piece of one, leads to what the release has for it.",
    "Consumers read nothing of the pod there, and what they write goes to another field.",
    source=_SOURCE,
    bad=_CHILD % ("podSpecPath: '.spec.replicatedJobs[]?.template.spec.template'", _SCALE),
    good=_GOOD,
    level=Level.CONTRACT,
)
def wrong_piece(context: Judged) -> Iterator[Found]:
    """A template without containers, an affinity of the other kind, labels that are annotations."""
    names = set(_NAMED.values())
    for c in context.definition.components:
        for text, what, below, called in _pieces(c):
            typed = context.typing(text)
            if typed is None or typed.unknown_fields:
                continue
            for place in typed.shape.places:
                last = place.path.rpartition(".")[2]
                if _lacks(place, below) or (called is not None and last in names and last != called):
                    yield text, f"{place.path} is not {what}", f"it has no {'.'.join(below)}" if below else None, None
                    break


@rule(
    "C117",
    "condition-fields",
    Severity.ERROR,
    "The fields of a condition are called as in the release.",
    "A type that is read from another field is never found: no condition ever matches.",
    source=_SOURCE,
    bad=_CONDITIONS % "reason",
    good=_CONDITIONS % "type",
    level=Level.CONTRACT,
)
def condition_fields(context: Judged) -> Iterator[Found]:
    """The entries have a field of the usual name, and the definition says another."""
    for c in context.definition.components:
        conditions = c.status.conditions if c.status is not None else None
        typed = context.typing(conditions.path) if conditions is not None else None
        if conditions is None or typed is None:
            continue
        items = [i for p in typed.shape.places if (i := p.items) is not None]
        said = {
            "type": conditions.type_field,
            "status": conditions.status_field,
            "reason": conditions.reason_field,
            "message": conditions.message_field,
        }
        for usual, name in said.items():
            if name != usual and any(i.named(usual) is not None for i in items):
                yield conditions.path, f"the {usual} of a condition is in its field {usual}, not in {name}", None, None


@rule(
    "C118",
    "unread-count",
    Severity.WARNING,
    "A count that stands beside the pods of a component is read.",
    "A count that is left out makes too few or too many pods: a gang that waits for ever, or begins too soon.",
    source=_SOURCE,
    bad=_CHILD % (_TEMPLATE, ".spec.replicatedJobs[]? | (.template.spec.parallelism // 1)"),
    good=_GOOD,
    level=Level.CONTRACT,
)
def unread_count(context: Judged) -> Iterator[Found]:
    """A number called replicas, parallelism, size or the like, above a pod template, that no expression reads."""
    typed = {text: context.typing(text) for text, _ in context.texts if not on_pod(text)}
    read = {path for t in typed.values() if t is not None for path in t.reads}
    said: set[str] = set()
    for c in context.definition.components:
        for text, *_ in _pieces(c):
            found = typed.get(text) or context.typing(text)
            for place in found.shape.places if found is not None else ():
                for path in _counts_above(context, place.path):
                    if path not in read and path not in said:
                        said.add(path)
                        yield (
                            text,
                            f"nothing reads {path}, a count above these pods",
                            "multiply by it, or say why not",
                            None,
                        )


def _counts_above(context: Judged, path: str) -> Iterator[str]:
    """The counts in the objects that lead to a place."""
    contract = context.contract
    while path and contract is not None:
        path = path[: max(path.rfind("."), path.rfind("["), path.rfind("{"), 0)]
        place = contract.find(path)
        if place is None or place.type != "object" or path in ("", ".status"):
            continue
        for name in COUNTS:
            child = place.named(name)
            if child is not None and child.type == "integer":
                yield path + step(name)


@rule(
    "C119",
    "unread-pods",
    Severity.WARNING,
    "Each pod template of a kind belongs to a component.",
    "Pods of a component that was forgotten are in no total and in no gang.",
    source=_SOURCE,
    bad=_CHILD % ("podTemplateSpecPath: '.spec.replicatedJobs[]?.template.metadata'", _SCALE),
    good=_GOOD,
    level=Level.CONTRACT,
)
def unread_pods(context: Judged) -> Iterator[Found]:
    """A place below the spec that is a pod template or a pod spec, and that no expression looks at."""
    if context.contract is None:
        return
    typed = [context.typing(text) for text, _ in context.texts if not on_pod(text)]
    read = {path for t in typed if t is not None for path in t.reads}
    for field, facts in context.contract.fields.items():
        below = _PODS_OF.get(facts.ref or "")
        if below is not None and field.startswith(".spec") and field + below not in read:
            message = f"nothing reads the pods described at {field}{below}"
            yield context.definition.root.name, message, "add a component for it, or say why there is none", None


_PODS_OF = {
    "PodTemplateSpec": "",
    "PodSpec": "",
    "JobTemplateSpec": ".spec.template",
    "JobSpec": ".template",
    "DeploymentSpec": ".template",
    "StatefulSetSpec": ".template",
    "CronJobSpec": ".jobTemplate.spec.template",
}
"""Core types that describe pods, and where."""
