"""Change a workload through its definition: the pods of a component, suspend, resume. Nothing else of the object differs."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

from wmap.definition.model import Fragment
from wmap.errors import CallError, InputError
from wmap.expr import MISSING, EvaluationError, get_at, set_at
from wmap.reading.patch import same
from wmap.reading.settings import AFFINITIES, CONTAINER_NAME, MAPS, RESOURCES, SCALARS, check_setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wmap.definition.model import Component, Definition, SuspendAction, Text
    from wmap.expr import Path


class ChangeError(InputError):
    """The definition cannot express the change on this object; nothing was changed."""


def change(
    definition: Definition,
    obj: Any,
    *,
    component: str | Sequence[str],
    instance: str | None = None,
    settings: Mapping[str, Any],
) -> Any:
    """The object with the settings changed in the pods of a component (of one instance, or of all).

    Several components are changed together: what they share with each other, and with no other, can be changed only so.

    Keys: ``schedulerName``, ``priorityClassName``, ``nodeAffinity``, ``podAffinity``, ``image`` (of the first container, or
    ``image.CONTAINER``), ``label.NAME``, ``annotation.NAME``, ``request.RESOURCE``, ``limit.RESOURCE`` (of the first
    container, or ``request.CONTAINER/RESOURCE``).

    Raises:
        CallError: no such component or key, a value that does not fit, or an instance of several components.
        ChangeError: the object or the definition has no place for it.
    """
    for key, value in settings.items():
        check_setting(key, value)
    names = [component] if isinstance(component, str) else list(dict.fromkeys(component))
    if instance is not None and len(names) > 1:
        raise CallError("an instance is one of a component, and several are named", hint="name one, or no instance")
    targets = [_target(definition, name) for name in names]
    chosen = {target.name.value: _chosen(target, obj, instance) for target in targets}
    changed = obj
    for target in targets:
        for key, value in settings.items():
            for i in chosen[target.name.value]:
                changed = _set(target, changed, i, key, value)
    _refuse_shared(definition, obj, changed, chosen)
    return changed


def _target(definition: Definition, name: str) -> Component:
    target = definition.component(name)
    if target is not None and target.spec is not None:
        return target
    names = [c.name.value for c in definition.components if c.is_leaf]
    near = difflib.get_close_matches(name, names, 1, 0.4)
    raise CallError(
        f"{definition.name} has no component {name} with pods",
        hint=f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}",
    )


def suspend(definition: Definition, obj: Any) -> Any:
    """The object, suspended.

    Raises:
        ChangeError: the definition has no way to suspend, or none for this object.
    """
    return _act(definition, obj, "suspend")


def resume(definition: Definition, obj: Any) -> Any:
    """The object, resumed.

    Raises:
        ChangeError: the definition has no way to resume, or none for this object.
    """
    return _act(definition, obj, "resume")


def _act(definition: Definition, obj: Any, what: str) -> Any:
    suspender = next((c.suspend for c in definition.components if c.suspend), None)
    if suspender is None:
        raise ChangeError(
            f"the definition {definition.name} has no way to {what} a {definition.kind.kind}",
            hint="what it leaves out stands in docs/limits.md; where the workload has replicas, scale it instead",
        )
    actions: tuple[SuspendAction, ...] = suspender.suspend if what == "suspend" else suspender.resume
    changed = obj
    written = 0
    for action in actions:
        try:
            value = json.loads(action.value.value)
        except ValueError:
            raise ChangeError(f"the definition writes {action.value.value!r}, which is not JSON") from None
        for path in _paths(action.path, changed):
            changed = _assign(changed, path, value, action.path)
            written += 1
    if not written:
        first = actions[0].path
        where = (
            f"{definition.file}:{first.span().line}"
            if definition.file
            else f"{definition.name}, line {first.span().line}"
        )
        raise ChangeError(
            f"this {definition.kind.kind} cannot be {what.rstrip('e')}ed as it is: the place that the definition writes is not there",
            hint=f"{_short(first, 200)} selects none; the reason stands at {where}",
        )
    return changed


def _chosen(component: Component, obj: Any, instance: str | None) -> list[int]:
    """The positions of the instances that are changed."""
    if component.instance_id is None:
        if instance is not None:
            raise CallError(f"{component.name} has no instances", hint="leave --instance out")
        return [0]
    try:
        ids = component.instance_id.expression.evaluate(obj)
    except EvaluationError as error:
        raise ChangeError(f"the instances of {component.name} cannot be read: {error.message}") from None
    chosen = [i for i, found in enumerate(ids) if instance is None or found == instance]
    if not chosen:
        what = f"no instance {instance}" if instance is not None else "no instances"
        raise ChangeError(
            f"{component.name} has {what} in this object",
            hint=f"there are: {', '.join(map(str, ids))}" if ids else None,
        )
    return chosen


def _paths(text: Text, obj: Any) -> list[Path]:
    try:
        return text.expression.paths(obj)
    except EvaluationError as error:
        raise ChangeError(
            f"{_short(text)} addresses no place in this object: {error.message}",
            hint=f"it is {text.field.removeprefix('spec.structureDefinition.')}, line {text.span().line} of the definition",
        ) from None


def _short(text: Text, most: int = 80) -> str:
    """An expression on one line, cut where it is a program."""
    line = " ".join(text.value.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def _shown(path: Path) -> str:
    """A place of the object, as people write it."""
    from wmap.reading.explain import place  # noqa: PLC0415  # only where a change is refused

    return place(path)


def _place(text: Text, obj: Any, position: int) -> Path:
    paths = _paths(text, obj)
    if position >= len(paths):
        raise ChangeError(
            f"{_short(text)} addresses {len(paths)} places in this object, the one asked for is not among them"
        )
    return paths[position]


def _assign(obj: Any, path: Path, value: Any, text: Text) -> Any:
    try:
        return set_at(obj, path, value)
    except EvaluationError as error:
        raise ChangeError(f"{_short(text)} cannot be written: {error.message}") from None


def _base(component: Component) -> tuple[Text, tuple[str, ...], Text | None] | None:
    """The path of the pod template or spec, the steps to the PodSpec below it, and the path of the metadata."""
    spec = component.spec
    assert spec is not None  # noqa: S101  # a leaf has one
    if spec.pod_template is not None:
        return spec.pod_template, ("spec",), spec.pod_template
    if spec.pod_spec is not None:
        return spec.pod_spec, (), spec.metadata
    return None


def _refuse_shared(definition: Definition, before: Any, after: Any, chosen: Mapping[str, list[int]]) -> None:
    """Refuse what was written where other pods are described too: those of another component, or of another instance."""
    written = list(_written(before, after, ()))
    others: dict[str, Text] = {}
    mine = " and ".join(chosen)
    for other in definition.components:
        name = other.name.value
        for text, place, i in _described(other, before):
            if i in chosen.get(name, ()) or not any(w[: len(place)] == place for w in written):
                continue
            if name in chosen:
                ids = other.instance_id.expression.evaluate(before) if other.instance_id else []
                mine = f"{name} {', '.join(str(ids[n]) for n in chosen[name])}"
                hint = f"leave --instance out to change all of {name}, or give {mine} one of its own first"
                raise _shared(mine, f"{name} {ids[i]}", text, hint)
            others.setdefault(name, text)
    if others:
        together = " ".join(f"--component {name}" for name in (*chosen, *others))
        hint = f"to change them together: {together}; else give {mine} one of its own first"
        raise _shared(mine, " and ".join(others), next(iter(others.values())), hint)


def _shared(mine: str, theirs: str, text: Text, hint: str) -> ChangeError:
    what = "template" if text.field.endswith("podTemplateSpecPath") else f"place ({text.field.rpartition('.')[2]})"
    return ChangeError(
        f"the pods of {mine} and {theirs} are made from one {what} in this object: changing {mine} would change {theirs} too",
        hint=hint,
    )


def _written(before: Any, after: Any, at: Path) -> Iterator[Path]:
    """The places of the values that differ, down to those that hold no others."""
    if isinstance(after, dict) and after:
        old = before if isinstance(before, dict) else {}
        for key, value in after.items():
            yield from _written(old.get(key, MISSING), value, (*at, key))
    elif isinstance(after, list) and after:
        entries = before if isinstance(before, list) else []
        for i, value in enumerate(after):
            yield from _written(entries[i] if i < len(entries) else MISSING, value, (*at, i))
    elif before is MISSING or not same(before, after):
        yield at


def _described(component: Component, obj: Any) -> Iterator[tuple[Text, Path, int]]:
    """The places that describe the pods of each instance that the object has: the expression, the place, the position."""
    spec = component.spec
    if spec is None:
        return
    texts = [t for t in (spec.pod_template, spec.pod_spec, spec.metadata, *(spec.fragments or {}).values()) if t]
    there: set[int] = set()
    most = 0
    for text in texts:
        try:
            values = text.expression.evaluate(obj)
        except EvaluationError:
            continue
        most = max(most, len(values))
        there.update(i for i, value in enumerate(values) if value is not None)
    if spec.fragments and (component.instance_id is not None or _is_scaled(component, obj)):
        # parts are what may be said of a pod, not the pod
        there.update(range(most))
    for text in texts:
        try:
            places = text.expression.paths(obj)
        except EvaluationError:
            continue  # it can be read, not written
        yield from ((text, place, i) for i, place in enumerate(places) if i in there)


def _is_scaled(component: Component, obj: Any) -> bool:
    """Whether the scale of a component gives it pods."""
    text = component.scale.replicas if component.scale is not None else None
    try:
        count = text.expression.first(obj) if text is not None else None
    except EvaluationError:
        return False
    return isinstance(count, int | float) and count > 0


def _set(component: Component, obj: Any, position: int, key: str, value: Any) -> Any:
    head, _, name = key.partition(".")
    base = _base(component)
    fragments = component.spec.fragments or {} if component.spec else {}

    def fragment(which: Fragment) -> tuple[Text, Path]:
        text = fragments.get(which)
        if text is None:
            raise ChangeError(f"the definition has no place for {key} of {component.name} ({which.value})")
        return text, _place(text, obj, position)

    if base is not None:
        text, below, metadata = base
        spec = (*_place(text, obj, position), *below)
        if get_at(obj, _place(text, obj, position)) in (MISSING, None):
            raise ChangeError(
                f"the object has nothing at {_shown(_place(text, obj, position))}, where the pods of {component.name} are described",
                hint="what is not there cannot be changed: write it into the object first",
            )
        if key in SCALARS:
            return _assign(obj, (*spec, key), value, text)
        if key in AFFINITIES:
            return _assign(obj, (*spec, "affinity", key), value, text)
        if head in MAPS:
            if metadata is None:
                raise ChangeError(
                    f"the definition has no place for the {MAPS[head][0]} of {component.name} (metadataPath)"
                )
            where = (*_place(metadata, obj, position), *(("metadata",) if below else ()), MAPS[head][0])
            return _assign(obj, (*where, name), value, metadata)
        return _container(obj, (*spec, "containers"), key, value, text)
    # the list of containers is null, not empty, where the object does not have the component
    if Fragment.CONTAINERS in fragments and not any(_is_there(text, obj, position) for text in fragments.values()):
        raise ChangeError(f"the object has no {component.name}: all of its pieces are empty")
    if key in SCALARS:
        text, path = fragment(SCALARS[key])
        return _assign(obj, path, value, text)
    if key in AFFINITIES:
        text, path = fragment(AFFINITIES[key])
        return _assign(obj, path, value, text)
    if head in MAPS:
        text, path = fragment(MAPS[head][1])
        return _assign(obj, (*path, name), value, text)
    if head == "image" and not name and Fragment.IMAGE in fragments:
        # the pieces of the main container come before the list of all
        text, path = fragment(Fragment.IMAGE)
        return _assign(obj, path, value, text)
    if head in RESOURCES and not CONTAINER_NAME.match(name) and Fragment.RESOURCES in fragments:
        text, path = fragment(Fragment.RESOURCES)
        return _assign(obj, (*path, RESOURCES[head], name), value, text)
    if Fragment.CONTAINERS in fragments:
        text, path = fragment(Fragment.CONTAINERS)
        return _container(obj, path, key, value, text)
    if Fragment.CONTAINER in fragments:
        text, path = fragment(Fragment.CONTAINER)
        _, short = _which(key, [get_at(obj, path)])
        return _in_container(obj, path, short, value, text)
    which = Fragment.IMAGE if head == "image" else Fragment.RESOURCES
    raise ChangeError(f"the definition has no place for {key} of {component.name} ({which.value})")


def _is_there(text: Text, obj: Any, position: int) -> bool:
    """Whether a piece has a value for the instance at this position."""
    try:
        found = text.expression.evaluate(obj)
    except EvaluationError:
        return False
    return position < len(found) and found[position] is not None


def _container(obj: Any, path: Path, key: str, value: Any, text: Text) -> Any:
    """Set something of the container that the key names, else of the first."""
    containers = get_at(obj, path)
    if not isinstance(containers, list) or not containers:
        raise ChangeError(f"there are no containers to set {key} in")
    index, short = _which(key, containers)
    return _in_container(obj, (*path, index), short, value, text)


def _which(key: str, containers: list[Any]) -> tuple[int, str]:
    """Which of the containers the key names (else the first), and the key without that name."""
    head, _, name = key.partition(".")
    names = [c.get("name") if isinstance(c, dict) else None for c in containers]
    wanted = name if head == "image" else name.partition("/")[0]
    index = 0
    rest = name
    if wanted and wanted in names:
        index = names.index(wanted)
        rest = "" if head == "image" else name.partition("/")[2]
    elif (head == "image" and name) or CONTAINER_NAME.match(name):
        raise ChangeError(f"there is no container {wanted}", hint=f"there are: {', '.join(map(str, names))}")
    return index, head if head == "image" else f"{head}.{rest}"


def _in_container(obj: Any, path: Path, key: str, value: Any, text: Text) -> Any:
    head, _, name = key.partition(".")
    if head == "image":
        return _assign(obj, (*path, "image"), value, text)
    return _assign(obj, (*path, "resources", RESOURCES[head], name), value, text)
