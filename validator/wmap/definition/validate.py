"""Level ``schema``: the JSON Schema's findings, worded for people, at the key or value that is wrong."""

from __future__ import annotations

import difflib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from wmap.data import data_root
from wmap.findings import Finding, Level, Severity, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.yamlio import Marked, YamlProblem

SCHEMA_RULES: dict[str, tuple[str, str]] = {
    "S001": ("not-yaml", "A file of the catalog is YAML text as kubectl reads it."),
    "S002": ("not-a-definition", "A definition is one map with apiVersion run.ai/v1alpha1 and kind Karta."),
    "S003": ("unknown-key", "The API server drops or refuses fields that the format does not have."),
    "S004": ("missing-field", "The format requires the field."),
    "S005": ("wrong-type", "Each field has one type; all leaves of the format are texts."),
    "S006": ("bad-value", "The value is not one that the format allows."),
    "S007": (
        "duplicate-entry",
        "List maps and sets of the format hold each key once: the API server refuses a second.",
    ),
    "S008": ("too-large", "A definition is a short text; size and nesting are limited."),
    "S009": ("duplicate-key", "A key that stands twice is read differently by different readers."),
    "S010": ("multiple-documents", "One file holds one definition."),
    "S011": ("alias-or-tag", "Aliases are limited and tags refused: a file comes from a stranger."),
}
"""Code -> (name, why)."""

_SHOWN = 80
_CODES = {name: code for code, (name, _) in SCHEMA_RULES.items()}
_TYPES = {
    "object": "a map",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
}


@cache
def schema(name: str) -> Any:
    """One of the project's JSON Schemas, by its name (``definition``)."""
    return json.loads((data_root() / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))


@cache
def validator(name: str) -> Any:
    """A jsonschema validator for one of the project's schemas; imported late, it takes a while."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  # readings do not need it

    return Draft202012Validator(schema(name))


def finding(
    kind: str, message: str, *, file: str | None, span: Span | None, hint: str | None = None, field: str | None = None,
    definition: str | None = None,
) -> Finding:  # fmt: skip
    """A finding of a schema rule, by the rule's name."""
    return Finding(_CODES[kind], kind, Level.SCHEMA, Severity.ERROR, message, hint, definition, file, span, field)


def from_problem(problem: YamlProblem, file: str | None) -> Finding:
    """The finding for a file that cannot be read."""
    span = None
    if problem.line is not None and problem.column is not None:
        span = Span(problem.line, problem.column, problem.line, problem.column + 1)
    return finding(problem.kind, problem.problem, file=file, span=span, hint=problem.hint)


def check_shape(document: Marked, name: str, *, file: str | None, definition: str | None = None) -> list[Finding]:
    """What is wrong with the shape of a document, by one of the project's schemas."""
    found: list[Finding] = []
    for error in sorted(validator(name).iter_errors(document.value), key=lambda e: [str(p) for p in e.absolute_path]):
        found.extend(_reword(error, document, name, file, definition))
    found.extend(_duplicates(schema(name), schema(name), document, "", file, definition))
    return found


def at(document: Marked, path: list[Any]) -> tuple[Marked, Span]:
    """The value at a path and its place."""
    current = document
    for step in path:
        if isinstance(step, int):
            current = current.items[step]
        else:
            assert current.entries is not None  # noqa: S101  # the path is of this document
            current = current.entries[step][1]
    return current, current.mark.whole


def field_of(path: list[Any]) -> str:
    """A path as a dotted field: ``spec.items[0].name``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else str(step))
    return text


def _reword(error: Any, document: Marked, name: str, file: str | None, definition: str | None) -> Iterator[Finding]:
    path = list(error.absolute_path)
    node, span = at(document, path)
    field = field_of(path)
    where = field or "the document"

    def one(kind: str, message: str, hint: str | None = None, place: Span | None = None, of: str = field) -> Finding:
        return finding(kind, message, file=file, span=place or span, hint=hint, field=of or None, definition=definition)

    rule = error.validator
    if rule == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for key in error.instance:
            if key not in known and node.entries is not None:
                yield one(
                    "unknown-key",
                    f"unknown field `{key}` in {where}",
                    _nearest(key, known, name),
                    node.entries[key][0].whole,
                    field_of([*path, key]),
                )
    elif rule == "required":
        # one error for each missing field; the message alone says which: 'name' is a required property
        key = next(k for k in error.validator_value if error.message.startswith(f"{k!r} "))
        described = _described(name, error.schema.get("properties", {}).get(key, {}))
        yield one("missing-field", f"{where} has no `{key}`", f"add `{key}`" + (f": {described}" if described else ""))
    elif rule == "type":
        wanted = error.validator_value if isinstance(error.validator_value, str) else error.validator_value[0]
        hint = "write it in quotes" if wanted == "string" and not isinstance(error.instance, dict | list) else None
        if error.instance is None:
            hint = "leave the field out, or give it a value"
        yield one("wrong-type", f"{where} is {_what(error.instance)}; {_TYPES[wanted]} is wanted", hint)
    elif rule == "const":
        yield one("bad-value", f"{where} is {_shown(error.instance)}; it must be {error.validator_value!r}")
    elif rule == "uniqueItems":
        yield one("duplicate-entry", f"{where} holds the same entry twice", "keep one of them")
    elif rule in ("minItems", "minProperties", "minLength"):
        yield one("bad-value", f"{where} is empty", "give it a value, or leave the field out")
    elif rule == "anyOf":
        choices = " or ".join(f"`{c['required'][0]}`" for c in error.validator_value)
        yield one("missing-field", f"{where} has neither {choices}", "add one of them")
    elif rule == "pattern":
        form = error.schema["description"]
        yield one("bad-value", f"{where} is {_shown(error.instance)}, which is not of the form wanted", f"write {form}")
    else:  # maxLength is the one rule left: a test holds the schemas to the rules that are worded here
        wanted, length = error.validator_value, len(error.instance)
        yield one("bad-value", f"{where} has {length:,} characters; at most {wanted:,} are allowed", "shorten it")


@cache
def _homes(name: str) -> dict[str, str]:
    """For each field of a schema the name of the first object that has it."""
    found: dict[str, str] = {}

    def walk(holder: str, node: Any) -> None:
        for key, below in node.get("properties", {}).items():
            found.setdefault(key, holder)
            walk(key, below)
        if "items" in node:
            walk(holder, node["items"])

    for holder, node in schema(name).get("$defs", {}).items():
        walk(holder, node)
    walk("the document", schema(name))
    return found


def _nearest(key: str, known: list[str], name: str) -> str:
    near = difflib.get_close_matches(key, known, 1, 0.7)
    if near:
        return f"did you mean `{near[0]}`?"
    holder = _homes(name).get(key)
    if holder is not None:
        return f"`{key}` belongs to {holder}"
    return "known here: " + ", ".join(known)


def _described(name: str, node: Any) -> str | None:
    """What a property is for: its own description, or that of the definition that it refers to."""
    if "description" not in node and "$ref" in node:
        node = schema(name)["$defs"][node["$ref"].rpartition("/")[2]]
    text: str | None = node.get("description")
    return text


def _shown(value: Any) -> str:
    """A value in a message: its beginning, where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _what(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a text"


def _duplicates(
    root: Any, node: Any, document: Marked, path: str, file: str | None, definition: str | None
) -> Iterator[Finding]:
    """Entries of a list map that have the same key (``x-unique-by`` in the schema)."""
    if "$ref" in node:
        node = root["$defs"][node["$ref"].rpartition("/")[2]]
    key = node.get("x-unique-by")
    if key is not None:
        seen: set[str] = set()
        for i, item in enumerate(document.items):
            entry = (item.entries or {}).get(key)
            if entry is None or not isinstance(entry[1].value, str):
                continue
            value = entry[1].value
            if value in seen:
                yield finding(
                    "duplicate-entry",
                    f"{path} has two entries with the {key} {value!r}",
                    file=file,
                    span=entry[1].mark.whole,
                    hint="the API server refuses the second: keep one",
                    field=f"{path}[{i}].{key}",
                    definition=definition,
                )
            seen.add(value)
    for i, item in enumerate(document.items):
        yield from _duplicates(root, node.get("items", {}), item, f"{path}[{i}]", file, definition)
    for name, (_, below) in (document.entries or {}).items():
        inner = node.get("properties", {}).get(name)
        if inner is not None:
            yield from _duplicates(root, inner, below, f"{path}.{name}" if path else name, file, definition)
