"""A schema as a tree of nodes: what a contract is made from, before core types are recognised in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from wmap.contract.model import Facts, step, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")

MAX_DEPTH = 90
"""How deep a schema may be; the deepest of real ones are near 25."""

_COPIED = {
    "format": "format",
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_items",
    "maxItems": "max_items",
    "minProperties": "min_properties",
    "maxProperties": "max_properties",
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-map-type": "map_type",
}
_TEXTS = ("format", "pattern", "list_type", "map_type")
_TYPES = ("object", "array", "string", "integer", "number", "boolean", "int-or-string", None)
_FLAGS = {
    "nullable": "nullable",
    "uniqueItems": "unique_items",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "x-kubernetes-preserve-unknown-fields": "preserve",
    "x-kubernetes-embedded-resource": "embedded",
}


class SchemaProblem(ValueError):
    """What is wrong with a schema; ``path`` is the place in the kind."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path or 'the root'}: {problem}")


@dataclass(slots=True)
class Node:
    """One place of a schema: its facts, and what is below it."""

    facts: Facts
    named: dict[str, Node] = field(default_factory=dict)
    items: Node | None = None
    values: Node | None = None

    @property
    def bare(self) -> bool:
        """Whether nothing is said of what is below."""
        return not self.named and self.items is None and self.values is None

    def below(self) -> Iterator[tuple[str, Node]]:
        """The nodes right below, with the step to each."""
        for name, node in self.named.items():
            yield step(name), node
        if self.items is not None:
            yield "[]", self.items
        if self.values is not None:
            yield "{}", self.values

    def at(self, path: str) -> Node | None:
        """The node at a path below this one."""
        here: Node | None = self
        for kind, key in steps_of(path):
            if here is None:
                return None
            here = here.items if kind == "[]" else here.values if kind == "{}" else here.named.get(key)
        return here


def flat(node: Node, path: str = "") -> Iterator[tuple[str, Facts]]:
    """The facts of a tree by path."""
    yield path, node.facts
    for suffix, child in node.below():
        yield from flat(child, path + suffix)


def count(node: Node) -> int:
    """How many places a tree has."""
    return 1 + sum(count(child) for _, child in node.below())


def tree_of(schema: Any, path: str = "", depth: int = 0) -> Node:
    """The tree of a structural schema (also of an old one that is not quite structural).

    Raises:
        SchemaProblem: it is no schema, refers to another one, or is too deep.
    """
    if not isinstance(schema, dict):
        raise SchemaProblem(path, f"a schema is a map, this is {_called(schema)}")
    if depth > MAX_DEPTH:
        raise SchemaProblem(path, f"the schema is more than {MAX_DEPTH} levels deep")
    if "$ref" in schema:
        raise SchemaProblem(path, f"$ref {schema['$ref']!r} refers to nothing: the schema of a CRD must be whole")
    node = Node(_checked(facts_of, schema, path))
    _below(node, schema, path, depth)
    for part in _parts(schema, "allOf", path):
        _narrow(node, part, path)
    _alternatives(node, schema, path)
    return node


def facts_of(schema: dict[str, Any]) -> Facts:
    """What a schema says of its own place, not of what is below.

    Raises:
        TypeError: a value is not of the kind that schemas have there.
    """
    said = _copied(schema)
    said |= {to: True for key, to in _FLAGS.items() if schema.get(key) is True}
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string") is True or (kind is None and _int_or_string(schema)):
        kind = "int-or-string"
    elif kind is None and ("properties" in schema or "additionalProperties" in schema):
        kind = "object"
    if kind not in _TYPES:
        raise TypeError(f"type is {kind!r}; it is one of object, array, string, integer, number, boolean")
    said["type"] = kind
    if "default" in schema:
        said |= {"has_default": True, "default": schema["default"]}
    for key, to in (("enum", "enum"), ("x-kubernetes-list-map-keys", "list_keys")):
        values = schema.get(key, [])
        if not isinstance(values, list):
            raise TypeError(f"{key} is {_called(values)}")
        said[to] = tuple(values)
    rules = schema.get("x-kubernetes-validations") or []
    said["rules"] = tuple(str(rule.get("rule", "")) for rule in rules if isinstance(rule, dict))
    return Facts(**said)


def _checked(read: Callable[[dict[str, Any]], _T], schema: dict[str, Any], path: str) -> _T:
    try:
        return read(schema)
    except (TypeError, ValueError) as error:
        raise SchemaProblem(path, f"the schema is malformed: {error}") from None


def _copied(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, to in _COPIED.items():
        value = schema.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, str if to in _TEXTS else int | float):
            raise TypeError(f"{key} is {_called(value)}")
        found[to] = value
    return found


def _int_or_string(schema: dict[str, Any]) -> bool:
    for key in ("anyOf", "oneOf"):
        parts = schema.get(key)
        if isinstance(parts, list) and len(parts) == 2 and all(isinstance(p, dict) for p in parts):
            return {p.get("type") for p in parts} == {"integer", "string"}
    return False


def _below(node: Node, schema: dict[str, Any], path: str, depth: int) -> None:
    properties = schema.get("properties")
    if properties is not None:
        if not isinstance(properties, dict):
            raise SchemaProblem(path, f"properties is a map, this is {_called(properties)}")
        for name, part in properties.items():
            node.named[name] = tree_of(part, path + step(name), depth + 1)
    items = schema.get("items")
    if items is not None:
        node.items = tree_of(items, path + "[]", depth + 1)
    values = schema.get("additionalProperties")
    if values is True:
        node.values = Node(Facts(preserve=True))
    elif values not in (None, False):
        node.values = tree_of(values, path + "{}", depth + 1)
    for name in _strings(schema.get("required")):
        if name in node.named:
            child = node.named[name]
            child.facts = replace(child.facts, required=True)


def _parts(schema: dict[str, Any], key: str, path: str) -> list[dict[str, Any]]:
    parts = schema.get(key)
    if parts is None:
        return []
    if not isinstance(parts, list) or not all(isinstance(p, dict) for p in parts):
        raise SchemaProblem(path, f"{key} is a list of schemas, this is {_called(parts)}")
    return parts


def _narrow(node: Node, part: dict[str, Any], path: str) -> None:
    """Apply one value validation of ``allOf``: what is said twice holds twice, so the narrower stays."""
    if "$ref" in part:
        raise SchemaProblem(path, f"$ref {part['$ref']!r} refers to nothing: the schema of a CRD must be whole")
    facts = node.facts
    said: dict[str, Any] = {}
    for to, new in _checked(_copied, part, path).items():
        old = getattr(facts, to)
        if old is None:
            said[to] = new
        elif to.startswith("min"):
            said[to] = max(old, new)
        elif to.startswith("max"):
            said[to] = min(old, new)
    if "enum" in part:
        values = _list(part["enum"], "enum", path)
        said["enum"] = tuple(v for v in facts.enum if v in values) if facts.enum else tuple(values)
    node.facts = replace(facts, **said)
    for name in _strings(part.get("required")):
        if name in node.named:
            node.named[name].facts = replace(node.named[name].facts, required=True)
    properties = part.get("properties")
    for name, deeper in properties.items() if isinstance(properties, dict) else ():
        if name in node.named and isinstance(deeper, dict):
            _narrow(node.named[name], deeper, path + step(name))
    if node.items is not None and isinstance(part.get("items"), dict):
        _narrow(node.items, part["items"], path + "[]")
    for deeper in _parts(part, "allOf", path):
        _narrow(node, deeper, path)
    _alternatives(node, part, path)


def _alternatives(node: Node, schema: dict[str, Any], path: str) -> None:
    """Keep what ``anyOf`` and ``oneOf`` say of required fields and of values; ``not`` only narrows, and is left out."""
    for key, to in (("anyOf", "any_of"), ("oneOf", "one_of")):
        parts = _parts(schema, key, path)
        if not parts:
            continue
        required = [tuple(_strings(p.get("required"))) for p in parts]
        if all(required) and not getattr(node.facts, to):
            said: Any = {to: tuple(required)}
            node.facts = replace(node.facts, **said)
        enums = [p.get("enum") for p in parts]
        if all(isinstance(e, list) for e in enums) and not node.facts.enum:
            values: list[Any] = []
            for value in (v for e in enums for v in e or ()):
                if value not in values:
                    values.append(value)
            node.facts = replace(node.facts, enum=tuple(values))


def _list(value: Any, name: str, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise SchemaProblem(path, f"{name} is a list, this is {_called(value)}")
    return value


def _strings(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _called(value: Any) -> str:
    return {dict: "a map", list: "a list", str: "a text", type(None): "null"}.get(type(value), repr(value))
