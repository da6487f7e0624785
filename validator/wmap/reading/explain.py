"""Explain: which expression, at which line of the definition, read each value, and from which place of the object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wmap.definition.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component, Definition, Text
    from wmap.expr import Path


class Explained(NamedTuple):
    """One value of a reading: what it is, the expression and its line, and what it read from where.

    ``results`` holds each result with the places of the object that it was read from (``.spec.replicas``).
    """

    subject: str
    component: str
    field: str
    line: int
    expression: str
    results: tuple[tuple[Any, tuple[str, ...]], ...]


def explain(definition: Definition, obj: Any) -> tuple[Explained, ...]:
    """Explain every expression of the definition that reads the object, in document order."""
    return tuple(
        Explained(
            subject,
            component.name.value,
            text.field,
            text.span().line,
            text.value,
            tuple((value, tuple(place(p) for p in paths)) for value, paths in text.expression.places(obj)),
        )
        for component in definition.components
        for subject, text in _texts(component)
    )


def place(path: Path) -> str:
    """A place of the object as a jq path: ``.spec.groups[0].name``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isascii() and step.isidentifier():
            text += f".{step}"
        else:
            text += '["' + step.replace("\\", "\\\\").replace('"', '\\"') + '"]'
    return text if text.startswith(".") else f".{text}"


def _texts(component: Component) -> Iterator[tuple[str, Text]]:
    if component.instance_id:
        yield "instance ids", component.instance_id
    if component.spec:
        for subject, text in (
            ("pod template", component.spec.pod_template),
            ("pod spec", component.spec.pod_spec),
            ("pod metadata", component.spec.metadata),
        ):
            if text:
                yield subject, text
        for fragment, text in (component.spec.fragments or {}).items():
            yield fragment.value.removesuffix("Path"), text
    if component.scale:
        for subject, text in (
            ("replicas", component.scale.replicas),
            ("minimum", component.scale.min_replicas),
            ("maximum", component.scale.max_replicas),
        ):
            if text:
                yield subject, text
    status = component.status
    if status:
        if status.phase:
            yield "phase", status.phase
        if status.conditions:
            yield "conditions", status.conditions.path
        told: dict[tuple[str, int], tuple[Text, dict[str, None]]] = {}
        for name in Status:
            for matcher in status.mappings.get(name, ()):
                if matcher.expression:
                    # one expression may tell several statuses
                    text = matcher.expression.expression
                    told.setdefault((text.value, text.span().line), (text, {}))[1][name.phase] = None
        for text, names in told.values():
            yield f"status {', '.join(names)}", text
    if component.suspend:
        for action in component.suspend.suspend:
            yield "suspend", action.path
