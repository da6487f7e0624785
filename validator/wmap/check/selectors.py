"""Rules about which pod belongs to which component. L4xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    bad=_TWO % (_HEAD, _HEAD),
    good=_TWO % (_HEAD, _WORKER),
)
def selectors_overlap(context: Context) -> Iterator[Found]:
    """The same selector twice."""
    seen: dict[tuple[object, ...], str] = {}
    for component in context.leaves:
        selector = component.selector.component_type if component.selector else None
        if selector is None:
            continue
        key = context.parsed(selector.key)
        same = (
            key.normal if key is not None else None,
            selector.value.value if selector.value else None,
            tuple(sorted((k, t.value) for k, t in selector.match_labels.items())),
        )
        if same in seen:
            yield (
                component.name,
                f"{component.name} has the same selector as {seen[same]}",
                "tell them apart by another label or value",
                None,
            )
        seen.setdefault(same, component.name.value)


@rule(
    "L403",
    "selector-precedence",
    Severity.ERROR,
    "A key path with a value has no operator at top level.",
    'Consumers evaluate `<keyPath> == "<value>"` without brackets, so a // or | in it takes the comparison in.',
    bad=_TWO % (_HEAD, _BY % (".metadata.labels.role // .metadata.labels.type", "worker")),
    good=_TWO % (_HEAD, _BY % ("(.metadata.labels.role // .metadata.labels.type)", "worker")),
)
def selector_precedence(context: Context) -> Iterator[Found]:
    """An operator outside brackets."""
    for component in context.definition.components:
        selector = component.selector.component_type if component.selector else None
        key = context.parsed(selector.key) if selector else None
        if selector is None or selector.key is None or selector.value is None or key is None:
            continue
        if key.top_level_operator is not None:
            yield (
                selector.key,
                "the value is compared with the right side of the operator only",
                "put the key path in brackets",
                key.top_level_operator,
            )


@rule(
    "L404",
    "value-without-key",
    Severity.ERROR,
    "A selector has a key path or labels, and a value only with a key path.",
    "The API server refuses it otherwise.",
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
