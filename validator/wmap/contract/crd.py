"""CRD manifests: which kinds they declare, in which versions, and the tree of each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wmap.contract.model import Facts
from wmap.contract.tree import Node, SchemaProblem, tree_of
from wmap.definition.yamlio import Limits, decode, read_documents
from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = Limits(size=8 * 2**20)
"""An API server takes no object of more than 3 MiB; files with several CRDs are larger."""

_GROUP = "apiextensions.k8s.io/"


@dataclass(frozen=True)
class Declared:
    """One version of one kind, as a CRD declares it. ``open``: nothing is pruned from its objects (``preserveUnknownFields``)."""

    group: str
    version: str
    kind: str
    scope: str
    served: bool
    storage: bool
    deprecated: bool
    tree: Node = field(repr=False, compare=False)
    open: bool = False


def read_crds(data: bytes, file: str) -> list[Declared]:
    """The kinds that a manifest declares: YAML or JSON, several documents, lists; other kinds in it are passed over.

    Raises:
        InputError: it cannot be read, holds no CRD, or one that is no good; says which and where.
    """
    found: list[Declared] = []
    others: list[str] = []
    for document, line in read_documents(decode(data, file=file, limits=LIMITS), file=file, limits=LIMITS):
        for item in items_of(document):
            if isinstance(item, dict) and item.get("kind") == "CustomResourceDefinition":
                found += _declared(item, f"{file}:{line}")
            else:
                others.append(_described(item))
    if not found:
        held = ", ".join(sorted(set(others))) or "nothing"
        raise InputError(
            f"{file}: there is no CustomResourceDefinition in it, but {held}",
            hint="give the files that the framework's repository keeps for `kubectl apply`",
        )
    return found


def items_of(document: Any) -> Iterator[Any]:
    """A document, or the items of a list of objects."""
    if isinstance(document, dict) and str(document.get("kind", "")).endswith("List"):
        items = document.get("items")
        if isinstance(items, list):
            for item in items:
                yield from items_of(item)
            return
    yield document


def _described(item: Any) -> str:
    if not isinstance(item, dict):
        return "a list" if isinstance(item, list) else "a text" if isinstance(item, str) else "a value"
    return f"{item.get('kind') or 'a map without a kind'}" + (f" {v}" if (v := item.get("apiVersion")) else "")


def _declared(crd: dict[str, Any], where: str) -> list[Declared]:
    metadata = crd.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    where = f"{where}: CRD {name or 'without a name'}"
    api = str(crd.get("apiVersion", ""))
    if not api.startswith(_GROUP) or api[len(_GROUP) :] not in ("v1", "v1beta1"):
        raise InputError(f"{where}: apiVersion {api!r} is not known", hint=f"known are {_GROUP}v1 and {_GROUP}v1beta1")
    spec = crd.get("spec")
    if not isinstance(spec, dict):
        raise InputError(f"{where}: it has no spec", hint="take the whole manifest")
    group, kind = spec.get("group"), _map(spec.get("names")).get("kind")
    if not isinstance(group, str) or not isinstance(kind, str):
        raise InputError(f"{where}: spec.group or spec.names.kind is missing", hint="take the whole manifest")
    open_ended = spec.get("preserveUnknownFields", api.endswith("v1beta1")) is True
    versions = _versions(spec, where)
    stored = [v["name"] for v in versions if v.get("storage") is True]
    if len(stored) != 1:
        raise InputError(
            f"{where}: {len(stored)} versions are stored ({', '.join(stored) or 'none'}), not one",
            hint="exactly one of spec.versions has storage: true",
        )
    return [_version(v, spec, where, (group, kind), open_ended=open_ended) for v in versions]


def _versions(spec: dict[str, Any], where: str) -> list[dict[str, Any]]:
    versions = spec.get("versions")
    if not versions and isinstance(spec.get("version"), str):
        versions = [{"name": spec["version"], "served": True, "storage": True}]
    if not isinstance(versions, list) or not all(
        isinstance(v, dict) and isinstance(v.get("name"), str) for v in versions
    ):
        raise InputError(f"{where}: spec.versions is no list of named versions", hint="take the whole manifest")
    names = [v["name"] for v in versions]
    if len(set(names)) != len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"{where}: the version {twice} stands twice", hint="keep one of them")
    return versions


def _version(
    version: dict[str, Any], spec: dict[str, Any], where: str, kind: tuple[str, str], *, open_ended: bool
) -> Declared:
    name = version["name"]
    schema = _map(version.get("schema") or spec.get("validation")).get("openAPIV3Schema")
    if not isinstance(schema, dict):
        raise InputError(
            f"{where}: version {name} of {kind[1]} has no schema", hint="schema.openAPIV3Schema is what a contract is"
        )
    try:
        tree = tree_of(schema)
    except SchemaProblem as problem:
        raise InputError(f"{where}: version {name}: {problem}", hint="an API server refuses such a CRD") from None
    _object(tree)
    return Declared(
        group=kind[0],
        version=name,
        kind=kind[1],
        scope=str(spec.get("scope", "Namespaced")),
        served=version.get("served") is True,
        storage=version.get("storage") is True,
        deprecated=version.get("deprecated") is True,
        tree=tree,
        open=open_ended,
    )


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _object(node: Node) -> None:
    """Say of the root, and of each embedded object, what the API server holds of every object: its metadata is never pruned."""
    for key in ("apiVersion", "kind"):
        node.named.setdefault(key, Node(Facts(type="string")))
    metadata = node.named.setdefault("metadata", Node(Facts(type="object")))
    metadata.facts = replace(metadata.facts, type=None, ref="ObjectMeta")
    _embedded(node)


def _embedded(node: Node) -> None:
    for _, child in node.below():
        if child.facts.embedded:
            _object(child)
        else:
            _embedded(child)
