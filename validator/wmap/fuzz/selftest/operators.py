"""The ways to break a definition: each takes the document and gives broken ones, at each place where it applies.

A document is the YAML of a definition as JSON values. Where several fields have one text (an anchor and its aliases), an edit of
the text is one of all of them, as it is for an author.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from wmap.expr import ExpressionError, parse
from wmap.expr import Mutant as BrokenExpression

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken definition: by which operator, where, and the document."""

    operator: str
    place: str
    document: Document


@dataclass(frozen=True, slots=True)
class Operator:
    """A way to break a definition. ``breaks`` is what an author would have done, in a few words."""

    name: str
    breaks: str
    apply: Callable[[Document], Iterator[tuple[str, Document]]]

    def mutants(self, document: Document) -> Iterator[Mutant]:
        """The document broken at each place where this can be done; the document itself stays as it is."""
        for place, broken in self.apply(document):
            if broken != document:
                yield Mutant(self.name, place, broken)


OPERATORS: list[Operator] = []
_Apply = Callable[[Document], Iterator[tuple[str, Document]]]


def operator(name: str, breaks: str) -> Callable[[_Apply], _Apply]:
    """Register a function as an operator."""

    def register(apply: _Apply) -> _Apply:
        OPERATORS.append(Operator(name, breaks, apply))
        return apply

    return register


# --- parts of a document


def structure(document: Document) -> dict[str, Any]:
    """``spec.structureDefinition``."""
    found: dict[str, Any] = document["spec"]["structureDefinition"]
    return found


def components(document: Document) -> list[dict[str, Any]]:
    """The root, then the children."""
    parts = structure(document)
    return [parts["rootComponent"], *(parts.get("childComponents") or [])]


def leaves(document: Document) -> list[dict[str, Any]]:
    """The components that own pods."""
    return [c for c in components(document) if "specDefinition" in c]


def edited(document: Document, edit: Callable[..., object], *what: Any) -> Document:
    """A copy, edited: ``edit(copy, *what)``."""
    made = copy.deepcopy(document)
    edit(made, *what)
    return made


def replaced(document: Any, old: str, new: str) -> Any:
    """The document with another text in all fields that have this one."""
    if isinstance(document, dict):
        return {k: replaced(v, old, new) for k, v in document.items()}
    if isinstance(document, list):
        return [replaced(v, old, new) for v in document]
    return new if document == old else document


def each_component(
    document: Document, edit: Callable[[dict[str, Any]], object], only: Callable[[dict[str, Any]], object]
) -> Iterator[tuple[str, Document]]:
    """The document with one component edited, for each that fits."""
    for i, c in enumerate(components(document)):
        if only(c):
            yield c["name"], edited(document, lambda made, i: edit(components(made)[i]), i)


def each_pair(
    document: Document, swap: Callable[[dict[str, Any], dict[str, Any]], None], only: Callable[[dict[str, Any]], object]
) -> Iterator[tuple[str, Document]]:
    """The document with something of two components exchanged, for each two that fit."""
    found = components(document)
    for i, k in combinations([i for i, c in enumerate(found) if only(c)], 2):
        name = f"{found[i]['name']} and {found[k]['name']}"
        yield name, edited(document, lambda made, i, k: swap(components(made)[i], components(made)[k]), i, k)


def exchange(a: dict[str, Any], b: dict[str, Any], key: str) -> None:
    """Exchange what stands at a key of two maps."""
    a[key], b[key] = b[key], a[key]


def drop(key: str) -> Callable[[dict[str, Any]], object]:
    """An edit that takes a key away."""
    return lambda part: part.pop(key)


def has(key: str) -> Callable[[dict[str, Any]], object]:
    """Whether a part has a key."""
    return lambda part: key in part


def misspelt(word: str) -> str:
    """The word with its last letter wrong."""
    return word[:-1] + ("x" if word[-1:] != "x" else "y")


# --- structure


@operator("wrong kind of the root", "the version of another release")
def _root_version(document: Document) -> Iterator[tuple[str, Document]]:
    yield "root", edited(document, lambda d: components(d)[0]["kind"].update(version="v9"))


@operator("wrong owner", "ownerRef names another component")
def _wrong_owner(document: Document) -> Iterator[tuple[str, Document]]:
    names = [c["name"] for c in components(document)]
    for i, c in enumerate(components(document)):
        for name in names:
            if "ownerRef" in c and name not in (c["ownerRef"], c["name"]):
                yield c["name"], edited(document, lambda d, i, n: components(d)[i].update(ownerRef=n), i, name)


@operator("renamed component", "a component is renamed, what refers to it is not")
def _renamed(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(document, lambda c: c.update(name=f"{c['name']}-x"), lambda _: True)


@operator("dropped component", "a child component is left out")
def _dropped_component(document: Document) -> Iterator[tuple[str, Document]]:
    for i, c in enumerate(structure(document).get("childComponents") or []):
        yield c["name"], edited(document, lambda d, i: structure(d)["childComponents"].pop(i), i)


@operator("kind of a component twice", "additionalChildKinds has a kind that a component has")
def _kind_twice(document: Document) -> Iterator[tuple[str, Document]]:
    for c in components(document)[1:]:
        if c.get("kind"):
            yield (
                c["name"],
                edited(
                    document,
                    lambda d, k: structure(d).setdefault("additionalChildKinds", []).append(dict(k)),
                    c["kind"],
                ),
            )


@operator("swapped templates", "two components have each other's pod template")
def _swapped_templates(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_pair(document, lambda a, b: exchange(a, b, "specDefinition"), has("specDefinition"))


@operator("template for pod spec", "the path of a template is given as that of a pod spec, or the other way")
def _form(document: Document) -> Iterator[tuple[str, Document]]:
    def other(c: dict[str, Any]) -> None:
        spec = c["specDefinition"]
        if "podTemplateSpecPath" in spec:
            spec["podSpecPath"] = spec.pop("podTemplateSpecPath")
        else:
            spec.pop("metadataPath", None)
            spec["podTemplateSpecPath"] = spec.pop("podSpecPath")

    yield from each_component(
        document, other, lambda c: {"podTemplateSpecPath", "podSpecPath"} & set(c.get("specDefinition", ()))
    )


@operator("dropped fragment", "one part of a pod that is described in parts is left out")
def _dropped_fragment(document: Document) -> Iterator[tuple[str, Document]]:
    for i, c in enumerate(components(document)):
        parts = c.get("specDefinition", {}).get("fragmentedPodSpecDefinition", {})
        for key in parts if len(parts) > 1 else ():
            edit = lambda d, i, k: components(d)[i]["specDefinition"]["fragmentedPodSpecDefinition"].pop(k)  # noqa: E731
            yield f"{c['name']}.{key}", edited(document, edit, i, key)


@operator("swapped fragments", "two parts of a pod have each other's path")
def _swapped_fragments(document: Document) -> Iterator[tuple[str, Document]]:
    for i, c in enumerate(components(document)):
        parts = c.get("specDefinition", {}).get("fragmentedPodSpecDefinition", {})
        for a, b in combinations(parts, 2):

            def edit(d: Document, i: int, a: str, b: str) -> None:
                found = components(d)[i]["specDefinition"]["fragmentedPodSpecDefinition"]
                found[a], found[b] = found[b], found[a]

            yield f"{c['name']}: {a} and {b}", edited(document, edit, i, a, b)


# --- scale and instances


@operator("dropped scale", "a component has no scale")
def _dropped_scale(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(document, drop("scaleDefinition"), has("scaleDefinition"))


def _bounds(c: dict[str, Any]) -> bool:
    return {"minReplicasPath", "maxReplicasPath"} <= set(c.get("scaleDefinition", ()))


@operator("min and max swapped", "the minimum is read where the maximum is")
def _swapped_bounds(document: Document) -> Iterator[tuple[str, Document]]:
    def swap(c: dict[str, Any]) -> None:
        scale = c["scaleDefinition"]
        scale["minReplicasPath"], scale["maxReplicasPath"] = scale["maxReplicasPath"], scale["minReplicasPath"]

    yield from each_component(document, swap, _bounds)


@operator("replicas for minimum", "the minimum is read as the replicas, or the other way")
def _replicas_for_minimum(document: Document) -> Iterator[tuple[str, Document]]:
    def swap(c: dict[str, Any]) -> None:
        scale = c["scaleDefinition"]
        scale["minReplicasPath"], scale["replicasPath"] = scale["replicasPath"], scale["minReplicasPath"]

    yield from each_component(
        document, swap, lambda c: {"minReplicasPath", "replicasPath"} <= set(c.get("scaleDefinition", ()))
    )


@operator("dropped minimum", "the minimum is not read")
def _dropped_minimum(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(
        document,
        lambda c: c["scaleDefinition"].pop("minReplicasPath"),
        lambda c: "minReplicasPath" in c.get("scaleDefinition", ()),
    )


@operator("swapped scales", "two components have each other's scale")
def _swapped_scales(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_pair(document, lambda a, b: exchange(a, b, "scaleDefinition"), has("scaleDefinition"))


def _owners(document: Document) -> dict[str, str]:
    return {c["name"]: c["ownerRef"] for c in components(document) if "ownerRef" in c}


@operator(
    "scale of the owner twice", "the pods of the whole are counted at the leaf, and multiplied by the owner again"
)
def _wrong_unit(document: Document) -> Iterator[tuple[str, Document]]:
    by_name = {c["name"]: c for c in components(document)}
    owners = _owners(document)
    for i, c in enumerate(components(document)):
        owner = by_name.get(owners.get(c["name"], ""), {})
        scale = owner.get("scaleDefinition", {}).get("replicasPath")
        own = c.get("scaleDefinition", {}).get("replicasPath")
        if own and scale and "instanceIdPath" not in owner:
            text = f"({scale}) as $owner | ({own}) | . * ($owner // 1)"
            edit = lambda d, i, t: components(d)[i]["scaleDefinition"].update(replicasPath=t)  # noqa: E731
            yield c["name"], edited(document, edit, i, text)


@operator("scale on the owner", "the scale of a leaf stands at its owner")
def _scale_on_owner(document: Document) -> Iterator[tuple[str, Document]]:
    names = [c["name"] for c in components(document)]
    for i, c in enumerate(components(document)):
        owner = c.get("ownerRef")
        if (
            "scaleDefinition" in c
            and owner in names
            and "scaleDefinition" not in components(document)[names.index(owner)]
        ):

            def edit(d: Document, i: int, k: int) -> None:
                components(d)[k]["scaleDefinition"] = components(d)[i].pop("scaleDefinition")

            yield c["name"], edited(document, edit, i, names.index(owner))


@operator("constant scale", "a scale is 1 instead of what the object says")
def _constant_scale(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(
        document,
        lambda c: c["scaleDefinition"].update(replicasPath="1"),
        lambda c: c.get("scaleDefinition", {}).get("replicasPath", "1") != "1",
    )


@operator("dropped ids", "a component that reads a list has no ids")
def _dropped_ids(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(document, drop("instanceIdPath"), has("instanceIdPath"))


@operator("ids of another list", "the ids are those of another component")
def _other_ids(document: Document) -> Iterator[tuple[str, Document]]:
    paths = [c["instanceIdPath"] for c in components(document) if "instanceIdPath" in c]
    others = [*paths, ".status.conditions[]?.type", ".spec.template.spec.containers[]?.name"]
    for i, c in enumerate(components(document)):
        for path in others if "instanceIdPath" in c else ():
            if path != c["instanceIdPath"]:
                yield c["name"], edited(document, lambda d, i, p: components(d)[i].update(instanceIdPath=p), i, path)


# --- selectors


def _type_selector(c: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = c.get("podSelector", {}).get("componentTypeSelector", {})
    return found


@operator("swapped selectors", "two components have each other's selector")
def _swapped_selectors(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_pair(document, lambda a, b: exchange(a, b, "podSelector"), _type_selector)


@operator("dropped selector", "a component has no selector")
def _dropped_selector(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(document, drop("podSelector"), has("podSelector"))


@operator("dropped type selector", "a component does not say which pods are its own")
def _dropped_type(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(document, lambda c: c["podSelector"].pop("componentTypeSelector"), _type_selector)


@operator("misspelt value of a selector", "the value that a label must have has a wrong letter")
def _selector_value(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(
        document,
        lambda c: _type_selector(c).update(value=misspelt(_type_selector(c)["value"])),
        lambda c: "value" in _type_selector(c),
    )


@operator("dropped value of a selector", "any value of the label will do")
def _dropped_value(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(
        document, lambda c: _type_selector(c).pop("value"), lambda c: "value" in _type_selector(c)
    )


@operator("misspelt label", "the key of a label has a wrong letter")
def _misspelt_label(document: Document) -> Iterator[tuple[str, Document]]:
    texts = {t for c in components(document) for t in _strings(c.get("podSelector"))}
    texts |= {t for t in _strings(document["spec"].get("optimizationInstructions")) if t.startswith(".metadata")}
    for text in sorted(texts):
        for key in _quoted(text):
            yield key, replaced(document, text, text.replace(f'"{key}"', f'"{misspelt(key)}"'))


@operator("dropped instance selector", "pods do not say of which instance they are")
def _dropped_instance(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(
        document,
        lambda c: c["podSelector"].pop("componentInstanceSelector"),
        lambda c: "componentInstanceSelector" in c.get("podSelector", ()),
    )


@operator("dropped replica selector", "pods do not say of which replica they are")
def _dropped_replica(document: Document) -> Iterator[tuple[str, Document]]:
    yield from each_component(
        document,
        lambda c: c["podSelector"].pop("replicaSelector"),
        lambda c: "replicaSelector" in c.get("podSelector", ()),
    )


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value


def _quoted(text: str) -> list[str]:
    return [part for part in text.split('"')[1::2] if "/" in part or "-" in part]


# --- expressions


def expressions(document: Document) -> list[tuple[str, str]]:
    """Each expression once, with the name of a field that holds it."""
    found: dict[str, str] = {}

    def look(value: Any, field: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                look(inner, key)
        elif isinstance(value, list):
            for inner in value:
                look(inner, field)
        elif isinstance(value, str) and (
            field.endswith("Path") or field in ("path", "expression", "groupByKeyPaths", "filters")
        ):
            found.setdefault(value, field)

    look(document["spec"], "")
    return list(found.items())


def in_expressions(document: Document, kinds: Callable[[str], bool]) -> Iterator[tuple[str, Document]]:
    """The document with one expression broken in a way of these kinds, at each place of each expression."""
    for text, field in expressions(document):
        for mutant in _mutants_of(text):
            if kinds(mutant.kind):
                yield f"{field}: {mutant.text}", replaced(document, text, mutant.text)


@lru_cache(maxsize=512)
def _mutants_of(text: str) -> tuple[BrokenExpression, ...]:
    try:
        return tuple(parse(text).mutants())
    except ExpressionError:
        return ()
