"""P7: each pod that an operator makes is attributed to the component and instance that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmap.definition.model import Fragment
from wmap.fuzz.examples import GOOD, bad
from wmap.fuzz.property import Case, Property, Violation, evaluated, rule_of
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.fuzz.podfile import PodMarks
    from wmap.fuzz.target import Target
    from wmap.reading.plan import ComponentPlan

_MOST = 3
"""Pods made of one instance."""


def pods_are_attributed(case: Case) -> Iterator[Violation]:
    """Each pod made of a component, with the labels that the operator writes, is attributed to that component and instance.

    A pod that is taken for one of another component, or of none, is missing from its gang: the gang waits for ever, and a
    dashboard shows a workload without pods.
    """
    target = case.target
    made = list(_pods(case))
    if not made:
        return
    choices = case.choices("pods")
    choices.shuffle(made)
    if len(made) > 1 and choices.random() < 0.3:  # some are missing now and then
        made.pop()
    stranger = _stranger(case)
    pods = [pod for _, _, pod in made]
    reading = read(target.plan, case.obj, [*pods, stranger])
    attribution = reading.attribution
    assert attribution is not None  # noqa: S101  # pods were given
    found = {p.name: (p.component, p.instance) for p in attribution.pods}
    unmatched = {p.name: p.reason for p in attribution.unmatched}
    for component, instance, pod in made:
        name = pod["metadata"]["name"]
        if name in unmatched:
            yield _violation(case, component, f"a pod of {component.name} is unmatched: {unmatched[name]}", pod)
        elif found[name] != (component.name, instance):
            other = "/".join(map(str, found[name]))
            text = f"a pod of {component.name}/{instance} is attributed to {other}"
            yield _violation(case, component, text, pod)
    if stranger["metadata"]["name"] in found:
        yield Violation("P7", "a pod that another workload owns is attributed to this one", about="stranger")


def _violation(case: Case, component: ComponentPlan, message: str, pod: Any) -> Violation:
    selector = case.target.definition.components[component.index].selector
    kind = selector.component_type if selector is not None else None
    return Violation("P7", message, kind.key if kind is not None else None, about=component.name, pods=(pod,))


def _pods(case: Case) -> Iterator[tuple[ComponentPlan, str | None, Any]]:
    """Pods of each instance of the object: component, id, pod."""
    target = case.target
    metadata = case.obj.get("metadata") or {}
    name = metadata.get("name") or "w"
    number = 0
    for component in target.plan.components:
        marks = target.pods.marks(component.name, target.release) if component.is_leaf else None
        instances = case.reading.components[component.index].instances
        ids = [i.id for i in instances]
        if marks is None or len(set(ids)) < len(ids):
            continue
        own = _own_labels(component, case.obj)
        for position, instance in enumerate(instances):
            if instance.id == "":
                continue
            for index in range(min(instance.pods, _MOST)):
                words = {
                    "name": name,
                    "namespace": metadata.get("namespace") or "default",
                    "instance": instance.id or "",
                    "replica": str(index % 2),
                    "index": str(index),
                    "next": str(index + 1),
                }
                pod = _pod(marks, words, number, leaving=case.twist % 5 == number % 5)
                theirs = own[position] if position < len(own) else None
                if isinstance(theirs, dict):
                    # what the operator writes comes over what the template says
                    pod["metadata"]["labels"] = {**theirs, **pod["metadata"]["labels"]}
                yield component, instance.id, pod
                number += 1


def _own_labels(component: ComponentPlan, obj: Any) -> list[Any]:
    """The labels that the object itself gives to the pods of each instance."""
    fragment = component.fragments.get(Fragment.LABELS)
    if fragment is not None:
        return evaluated(fragment, obj) or []
    found = evaluated(component.template or component.metadata, obj) or []
    if component.template is not None:
        found = [t.get("metadata") if isinstance(t, dict) else None for t in found]
    return [m.get("labels") if isinstance(m, dict) else None for m in found]


def _pod(marks: PodMarks, words: dict[str, str], number: int, *, leaving: bool) -> Any:
    """One pod as the API server gives it; ``leaving``: it is being deleted."""
    metadata = {"name": f"pod-{number}", "namespace": words["namespace"], **marks.at(words)}
    if leaving:
        metadata["deletionTimestamp"] = "2024-01-01T00:00:00Z"
    ready = [{"type": "Ready", "status": "True"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "main"}]},
        "status": {"phase": "Running", "conditions": ready},
    }


def _stranger(case: Case) -> Any:
    """A pod that a workload of the same kind and another name owns."""
    kind = case.target.plan.kind
    metadata = case.obj.get("metadata") or {}
    owner = {"apiVersion": kind.api_version, "kind": kind.kind, "name": "stranger", "uid": "2", "controller": True}
    return {"metadata": {"name": "stranger-0", "namespace": metadata.get("namespace"), "ownerReferences": [owner]}}


def _declared(target: Target) -> str | None:
    if len(target.plan.leaves) == 1 and target.plan.leaves[0].ids is None:
        return "with one component and no instances every pod is its"
    declared = target.pods.components
    missing = [c.name for c in target.plan.leaves if target.pods.marks(c.name, target.release) is None]
    if not declared or len(missing) == len(target.plan.leaves):
        return (
            f"fixtures/{target.name}/_pods.yaml does not say what the operator writes on pods of {', '.join(missing)}"
        )
    return None


P7 = Property(
    rule_of(
        "P7",
        "pod-not-attributed",
        pods_are_attributed,
        bad(
            "idPath: '.metadata.labels[\"jobset.sigs.k8s.io/replicatedjob-name\"]'",
            "idPath: '.metadata.labels[\"jobset.sigs.k8s.io/job-index\"]'",
        ),
        GOOD,
    ),
    pods_are_attributed,
    _declared,
)
