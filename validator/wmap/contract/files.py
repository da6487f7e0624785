"""The files of the store: contracts and vocabularies as JSON, one field or term a line, sorted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import orjson

from wmap.contract.model import Facts, Fields, Term, TermKind
from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA_VERSION = 1
_TUPLES = ("enum", "list_keys", "rules", "lacks")
_DEEP = ("one_of", "any_of")
_PLAIN = tuple((f.name, f.default) for f in fields(Facts) if f.name not in ("has_default", "default"))


@dataclass(frozen=True)
class Body:
    """What a contract file says, but for the releases that share it. ``kubernetes`` is the version of its core types."""

    group: str
    version: str
    kind: str
    scope: str
    served: bool
    storage: bool
    deprecated: bool
    kubernetes: str
    fields: Mapping[str, Facts]


class LazyFacts(Fields):
    """Facts by path, made from their JSON when they are first asked for."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self._raw = raw
        self._made: dict[str, Facts] = {}

    def __getitem__(self, path: str) -> Facts:
        found = self._made.get(path)
        if found is None:
            found = self._made[path] = facts_from(self._raw[path])
        return found

    def get(self, path: str, default: Any = None) -> Any:
        """The facts at a path, else the default."""
        return self[path] if path in self._raw else default

    def __contains__(self, path: object) -> bool:
        return path in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


def facts_from(said: dict[str, Any]) -> Facts:
    """Facts from their JSON."""
    found = dict(said)
    for name in _TUPLES:
        if name in found:
            found[name] = tuple(found[name])
    for name in _DEEP:
        if name in found:
            found[name] = tuple(tuple(part) for part in found[name])
    if "default" in found:
        found["has_default"] = True
    return Facts(**found)


def facts_to(facts: Facts) -> dict[str, Any]:
    """The JSON of facts: what is not as it is by itself."""
    said = {name: value for name, default in _PLAIN if (value := getattr(facts, name)) != default}
    if facts.has_default:
        said["default"] = facts.default
    return said


def contract_bytes(framework: str, body: Body, releases: Sequence[str]) -> bytes:
    """A contract file."""
    head = {
        "schemaVersion": SCHEMA_VERSION,
        "framework": framework,
        "group": body.group,
        "version": body.version,
        "kind": body.kind,
        "scope": body.scope,
        "served": body.served,
        "storage": body.storage,
        "deprecated": body.deprecated,
        "kubernetes": body.kubernetes,
        "releases": list(releases),
    }
    return _lines(head, "fields", {path: facts_to(body.fields[path]) for path in sorted(body.fields)})


def vocabulary_bytes(framework: str, terms: Sequence[Term], releases: Sequence[str]) -> bytes:
    """A vocabulary file: each term as value, what it is, name, type, file, line."""
    head = {"schemaVersion": SCHEMA_VERSION, "framework": framework, "releases": list(releases)}
    rows = sorted([t.value, str(t.kind), t.name, t.type, t.file, t.line] for t in terms)
    return _lines(head, "terms", rows)


def index_bytes(framework: str, releases: dict[str, Any]) -> bytes:
    """The index of a framework: what each release is, and in which files."""
    head = {"schemaVersion": SCHEMA_VERSION, "framework": framework, "releases": releases}
    return orjson.dumps(head, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _lines(head: dict[str, Any], name: str, body: dict[str, Any] | list[Any]) -> bytes:
    if isinstance(body, dict):
        rows = [orjson.dumps(k) + b": " + orjson.dumps(v) for k, v in body.items()]
        brackets = (b"{", b"}")
    else:
        rows = [orjson.dumps(row) for row in body]
        brackets = (b"[", b"]")
    lines = [orjson.dumps(k) + b": " + orjson.dumps(v) + b"," for k, v in head.items()]
    inner = brackets[0] + b"\n" + b",\n".join(rows) + b"\n" + brackets[1] if rows else brackets[0] + brackets[1]
    return b"{\n" + b"\n".join(lines) + b"\n" + orjson.dumps(name) + b": " + inner + b"\n}\n"


def parse(data: bytes, file: str) -> dict[str, Any]:
    """The JSON of a file of the store.

    Raises:
        InputError: it is none.
    """
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InputError(
            f"{file}: it is not JSON: {error}", hint="`make contracts`, or `git checkout` it: it is generated"
        ) from None
    if not isinstance(found, dict) or found.get("schemaVersion") != SCHEMA_VERSION:
        raise InputError(f"{file}: its schemaVersion is not {SCHEMA_VERSION}", hint="`make contracts`, or update wmap")
    return found


def body_from(raw: dict[str, Any]) -> Body:
    """What a contract file says."""
    names = ("group", "version", "kind", "scope", "served", "storage", "deprecated", "kubernetes")
    return Body(**{name: raw[name] for name in names}, fields=LazyFacts(raw["fields"]))


def terms_from(raw: dict[str, Any]) -> tuple[Term, ...]:
    """The terms of a vocabulary file."""
    return tuple(Term(value, TermKind(kind), *rest) for value, kind, *rest in raw["terms"])
