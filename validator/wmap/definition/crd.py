"""The CustomResourceDefinition of the format, made of ``schemas/definition.schema.json``.

An API server that has it refuses what level ``schema`` refuses: the schema is structural, list maps and sets are said to be such, and
what JSON Schema cannot say of one object (names, owners, forms) is said in CEL. Cycles of three or more owners are beyond CEL, which has
no recursion; rule L102 finds them.
"""

from __future__ import annotations

from typing import Any

from wmap.definition.load import API_VERSION, KIND
from wmap.definition.validate import schema

GROUP, VERSION = API_VERSION.split("/")
PLURAL = "kartas"

_COMPONENTS = 64
_NAME = 253
_KINDS = 64
"""Bounds that the server needs to work out what its rules cost; the catalog is far below."""

_COPIED = ("type", "description", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "default", "enum")
_FORMS = ("podTemplateSpecPath", "podSpecPath", "fragmentedPodSpecDefinition")


def crd() -> dict[str, Any]:
    """The CustomResourceDefinition, as an object of ``apiextensions.k8s.io/v1``."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {"kind": KIND, "listKind": f"{KIND}List", "plural": PLURAL, "singular": KIND.lower()},
            "scope": "Cluster",
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "additionalPrinterColumns": [
                        {
                            "name": title,
                            "type": "string",
                            "jsonPath": f".spec.structureDefinition.rootComponent.kind.{f}",
                        }
                        for title, f in (("Group", "group"), ("Version", "version"), ("Kind", "kind"))
                    ],
                    "schema": {"openAPIV3Schema": _root()},
                }
            ],
        },
    }


def _root() -> dict[str, Any]:
    whole = schema("definition")
    made = _structural(whole, whole["$defs"])
    # the server itself judges these, and admits more in metadata than a file of the catalog may have
    made["properties"] |= {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
    }
    structure = made["properties"]["spec"]["properties"]["structureDefinition"]
    root = structure["properties"]["rootComponent"]
    children = structure["properties"]["childComponents"]
    children["maxItems"] = _COMPONENTS
    structure["properties"]["additionalChildKinds"]["maxItems"] = _KINDS
    for component in (root, children["items"]):
        component["x-kubernetes-validations"] = _component_rules()
        component["properties"]["name"]["maxLength"] = _NAME
        component["properties"]["specDefinition"]["x-kubernetes-validations"] = _form_rules()
        selector = component["properties"]["podSelector"]["properties"]["componentTypeSelector"]
        selector["x-kubernetes-validations"] = _selector_rules()
        selector["properties"]["matchLabels"]["maxProperties"] = _KINDS
    children["items"]["properties"]["ownerRef"]["maxLength"] = _NAME
    root["x-kubernetes-validations"] += [
        _rule("has(self.kind)", "the root has a kind"),
        _rule("has(self.statusDefinition)", "the root has a status definition"),
    ]
    structure["x-kubernetes-validations"] = _tree_rules()
    return made


def _structural(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema without references, in the words that a structural schema may use."""
    if "$ref" in node:
        node = {**definitions[node["$ref"].removeprefix("#/$defs/")], **{k: v for k, v in node.items() if k != "$ref"}}
    made: dict[str, Any] = {key: node[key] for key in _COPIED if key in node}
    if "const" in node:
        made |= {"type": "string", "enum": [node["const"]]}
    if "pattern" in node:
        # RE2 knows no lookahead, and its end of text is the end: the guard against a last line break is not needed
        made["pattern"] = node["pattern"].replace(r"$(?!\n)", "$")
    if "properties" in node:
        made["properties"] = {name: _structural(child, definitions) for name, child in node["properties"].items()}
        if node.get("required"):
            made["required"] = node["required"]
    elif isinstance(node.get("additionalProperties"), dict):
        made["additionalProperties"] = _structural(node["additionalProperties"], definitions)
    if "items" in node:
        made["items"] = _structural(node["items"], definitions)
        if node.get("uniqueItems"):
            made["x-kubernetes-list-type"] = "set"
        elif "x-unique-by" in node:
            made |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [node["x-unique-by"]]}
    return made


def _rule(rule: str, message: str) -> dict[str, str]:
    return {"rule": rule, "message": message}


def _component_rules() -> list[dict[str, str]]:
    both = "has(self.podSelector) && has(self.podSelector.componentInstanceSelector)"
    return [
        _rule(
            "!has(self.kind) || self.kind.group != '' || self.kind.version == 'v1'",
            "only core kinds have an empty group",
        ),
        _rule(f"has(self.instanceIdPath) == ({both})", "instanceIdPath and componentInstanceSelector come together"),
    ]


def _form_rules() -> list[dict[str, str]]:
    count = " + ".join(f"(has(self.{form}) ? 1 : 0)" for form in _FORMS)
    return [
        _rule(f"{count} == 1", f"pods are described in exactly one form: {', '.join(_FORMS)}"),
        _rule("!has(self.metadataPath) || has(self.podSpecPath)", "metadataPath goes with podSpecPath"),
    ]


def _selector_rules() -> list[dict[str, str]]:
    return [
        _rule("has(self.keyPath) || has(self.matchLabels)", "a selector has keyPath or matchLabels"),
        _rule("!has(self.value) || has(self.keyPath)", "value needs keyPath"),
    ]


def _tree_rules() -> list[dict[str, str]]:
    children = "self.childComponents"
    none = f"!has({children})"
    return [
        _rule(
            f"{none} || {children}.all(c, c.name != self.rootComponent.name && {children}.exists_one(d, d.name == c.name))",
            "component names are unique",
        ),
        _rule(
            f"{none} || {children}.all(c, c.ownerRef == self.rootComponent.name || "
            f"{children}.exists(d, d.name == c.ownerRef && d.name != c.name && d.ownerRef != c.name))",
            "every ownerRef names another component, and owners lead to the root",
        ),
        _rule(
            "!has(self.rootComponent.kind) || self.rootComponent.kind.group != '' || self.rootComponent.kind.kind == 'Pod'",
            "of roots, only Pod has an empty group",
        ),
    ]
