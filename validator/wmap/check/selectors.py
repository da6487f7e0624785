"""Rules about which pod belongs to which component. L4xx."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.expr import ExpressionError, parse
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import Component

_TWO = """
spec: {structureDefinition: {childComponents: [
  {name: head, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.head}%s},
  {name: worker, ownerRef: job, specDefinition: {podTemplateSpecPath: .spec.worker}%s}]}}
"""
_BY = ", podSelector: {componentTypeSelector: {keyPath: '%s', value: %s}}"
_HEAD = _BY % (".metadata.labels.role", "head")
_WORKER = _BY % (".metadata.labels.role", "worker")


@rule(
    "L401",
    "leaf-without-selector",
    Severity.ERROR,
    "With several leaves each has a type selector.",
    "A leaf without one never gets a pod.",
    source="the public library of the format: with exactly one leaf no selector is looked at, with more each needs one",
    bad=_TWO % (_HEAD, ""),
    good=_TWO % (_HEAD, _WORKER),
)
def leaf_without_selector(context: Context) -> Iterator[Found]:
    """No componentTypeSelector."""
    leaves = context.leaves
    for component in leaves if len(leaves) > 1 else ():
        if component.selector is None or component.selector.component_type is None:
            yield (
                component.name,
                f"no pod can be {component.name}'s: it has no componentTypeSelector",
                "add podSelector.componentTypeSelector",
                None,
            )


@rule(
    "L402",
    "selectors-overlap",
    Severity.ERROR,
    "Selectors of sibling leaves exclude each other.",
    "The first that matches wins, so the pods of the second are counted as the first's.",
    source="the public library of the format takes the first leaf in document order that matches",
    bad=_TWO % (_HEAD, _HEAD),
    good=_TWO % (_HEAD, _WORKER),
)
def selectors_overlap(context: Context) -> Iterator[Found]:
    """A selector that matches whatever another one matches: only what is certain."""
    earlier: list[tuple[Component, dict[str, str | None]]] = []
    for component in context.leaves:
        asks = _asks(context, component)
        if not asks:
            continue
        for other, theirs in earlier:
            if _implies(asks, theirs):
                message = (
                    f"every pod of {component.name} is {other.name}'s: it matches that selector, which comes first"
                )
            elif _implies(theirs, asks):
                message = f"every pod of {other.name} matches the selector of {component.name} too"
            else:
                continue
            yield component.name, message, "tell them apart by another label or value", None
        earlier.append((component, asks))


def _asks(context: Context, component: Component) -> dict[str, str | None]:
    """What a selector asks of a pod: for each path (in canonical text) the value, None where any will do."""
    selector = component.selector.component_type if component.selector else None
    if selector is None:
        return {}
    asks: dict[str, str | None] = {
        parse(f".metadata.labels[{json.dumps(label)}]").normal: text.value
        for label, text in selector.match_labels.items()
    }
    key = context.parsed(selector.key)
    if selector.key is not None:
        if key is None:
            return {}
        asks[key.normal] = selector.value.value if selector.value else asks.get(key.normal)
    return asks


def _implies(narrow: dict[str, str | None], wide: dict[str, str | None]) -> bool:
    """Whether what satisfies ``narrow`` satisfies ``wide``."""
    return all(path in narrow and value in (None, narrow[path]) for path, value in wide.items())


@rule(
    "L403",
    "selector-precedence",
    Severity.ERROR,
    "A key path with a value has no operator at top level that the comparison would take apart.",
    'Consumers evaluate `<keyPath> == "<value>"` without brackets, so a // or | in it takes the comparison in.',
    source='the public library of the format evaluates the text <keyPath> == "<value>"',
    bad=_TWO % (_HEAD, _BY % (".metadata.labels.role // .metadata.labels.type", "worker")),
    good=_TWO % (_HEAD, _BY % ("(.metadata.labels.role // .metadata.labels.type)", "worker")),
)
def selector_precedence(context: Context) -> Iterator[Found]:
    """A key path that, with the comparison behind it, is another expression than in brackets, or none."""
    for component in context.definition.components:
        selector = component.selector.component_type if component.selector else None
        key = context.parsed(selector.key) if selector else None
        if selector is None or selector.key is None or selector.value is None or key is None:
            continue
        literal = json.dumps(selector.value.value)
        try:
            same = parse(f"{key.text} == {literal}").normal == parse(f"({key.text}\n) == {literal}").normal
        except ExpressionError:
            same = False
        if not same:
            yield (
                selector.key,
                f"with == {literal} behind it, it means something else",
                "put the key path in brackets",
                key.top_level_operator,
            )


@rule(
    "L404",
    "value-without-key",
    Severity.ERROR,
    "A selector has a key path or labels, and a value only with a key path.",
    "The API server refuses it otherwise.",
    source="the format's schema: at least one of keyPath and matchLabels, and value needs keyPath",
    bad=_TWO % (_HEAD, ", podSelector: {componentTypeSelector: {value: worker}}"),
    good=_TWO % (_HEAD, _WORKER),
)
def value_without_key(context: Context) -> Iterator[Found]:
    """A value alone, or nothing."""
    for component in context.definition.components:
        selector = component.selector.component_type if component.selector else None
        if selector is None or selector.key is not None:
            continue
        if selector.value is not None:
            yield selector.value, "there is a value, but no keyPath", "add keyPath", None
        elif not selector.match_labels:
            yield component.name, f"the selector of {component.name} is empty", "add keyPath or matchLabels", None


@rule(
    "L405",
    "selector-value-quote",
    Severity.ERROR,
    "The value of a selector has neither a quote nor a backslash.",
    "It is put into an expression as text.",
    source='the public library of the format evaluates the text <keyPath> == "<value>"',
    bad=_TWO % (_HEAD, _BY % (".metadata.labels.role", """'wor"ker'""")),
    good=_TWO % (_HEAD, _WORKER),
)
def selector_value_quote(context: Context) -> Iterator[Found]:
    """A quote or a backslash."""
    for component in context.definition.components:
        selector = component.selector.component_type if component.selector else None
        if selector is not None and selector.value is not None and any(c in selector.value.value for c in '"\\'):
            yield (
                selector.value,
                "the value breaks the expression that it is put into",
                "leave quotes and backslashes out",
                None,
            )


@rule(
    "L406",
    "pod-value-several",
    Severity.WARNING,
    "The paths that tell the instance and the replica group of a pod give one value.",
    "A pod for which one gives none, or several, cannot be grouped.",
    source="the public library of the format: exactly one result, not null and not empty",
    bad=_TWO % (_HEAD, _WORKER.replace("worker}", "worker}, replicaSelector: {keyPath: '.metadata.labels[]'}")),
    good=_TWO % (_HEAD, _WORKER.replace("worker}", "worker}, replicaSelector: {keyPath: .metadata.labels.group}")),
)
def pod_value_several(context: Context) -> Iterator[Found]:
    """None, or several results on a pod."""
    for component in context.definition.components:
        selector = component.selector
        for text in (selector.instance_id, selector.replica_key) if selector else ():
            expression = context.parsed(text)
            if text is not None and expression is not None and not expression.single:
                yield text, "it may give no result, or several, on one pod", "address one label", None
