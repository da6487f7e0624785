"""What a server serves of a kind, by its OpenAPI v3 documents, as the CRD that would make it, or as core types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wmap.cluster.crds import CRDS
from wmap.cluster.server import Refused
from wmap.contract.build import openapi_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wmap.cluster.server import Server
    from wmap.contract.build import Release

_MARKERS: tuple[Any, ...] = ({}, 0, "", False)
"""Defaults that only say that Go has a zero value there."""


def served_manifests(server: Server, kinds: Iterable[tuple[str, str]]) -> list[tuple[str, bytes]]:
    """A manifest for each of the kinds (group and kind) that is served by a CRD: the schemas are those of the server's OpenAPI v3.

    A server without OpenAPI v3 is asked for its CRDs instead.

    Raises:
        Refused: the server does not let us read them.
        EnvironmentFailure: it cannot be reached.
    """
    found = []
    for group, kind in sorted(set(kinds)):
        try:
            crd = _from_openapi(server, group, kind)
        except Refused as error:
            if error.code != 404:
                raise
            crd = _from_crds(server, group, kind)
        if crd is not None:
            found.append((f"{kind}.{group}", json.dumps(crd).encode()))
    return found


def served_core(server: Server) -> Release:
    """The core types and kinds of Kubernetes that a server serves.

    Raises:
        Refused: the server does not let us read its OpenAPI v3, or has none.
        EnvironmentFailure: it cannot be reached.
    """
    definitions: dict[str, Any] = {}
    for path in ("api/v1", "apis/apps/v1", "apis/batch/v1", "apis/autoscaling/v2"):
        definitions |= server.ask("GET", f"/openapi/v3/{path}")["components"]["schemas"]
    return openapi_release({name: _as_swagger(schema) for name, schema in definitions.items()})


def _from_openapi(server: Server, group: str, kind: str) -> dict[str, Any] | None:
    versions = [v["version"] for v in server.ask("GET", f"/apis/{group}").get("versions") or ()]
    found: list[dict[str, Any]] = []
    plural, scope = "", "Namespaced"
    for version in versions:
        resource = server.resource(f"{group}/{version}", kind)
        if resource is None:
            continue
        plural, scope = resource.plural, "Namespaced" if resource.namespaced else "Cluster"
        document = server.ask("GET", f"/openapi/v3/apis/{group}/{version}")
        schema = _of_kind(document, group, version, kind)
        if schema is not None:
            status: dict[str, Any] = {"status": {}} if "status" in resource.subresources else {}
            own = {"name": version, "served": True, "storage": not found, "subresources": status}
            found.append({**own, "schema": {"openAPIV3Schema": _structural(schema)}})
    if not found:
        return None
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": scope, "names": {"kind": kind, "plural": plural}, "versions": found},
    }


def _from_crds(server: Server, group: str, kind: str) -> dict[str, Any] | None:
    try:
        listed = server.ask("GET", CRDS)["items"]
    except Refused as error:
        if error.code != 404:
            raise
        return None
    own = ((c, c["spec"]) for c in listed)
    crd = next((c for c, s in own if (s["group"], s["names"]["kind"]) == (group, kind)), None)
    return None if crd is None else {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **crd}


def _of_kind(document: Mapping[str, Any], group: str, version: str, kind: str) -> dict[str, Any] | None:
    wanted = {"group": group, "version": version, "kind": kind}
    for schema in ((document.get("components") or {}).get("schemas") or {}).values():
        if wanted in (schema.get("x-kubernetes-group-version-kind") or ()):
            return dict(schema)
    return None


def _structural(schema: Any) -> Any:
    """A schema as a CRD has it: references, which only lead to the metadata of objects, are objects."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema or any("$ref" in s for s in schema.get("allOf") or () if isinstance(s, dict)):
        return {"type": "object"}
    out = {k: v for k, v in schema.items() if k != "x-kubernetes-group-version-kind"}
    if isinstance(out.get("properties"), dict):
        out["properties"] = {k: _structural(v) for k, v in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in out:
            out[key] = _structural(out[key])
    return out


def _as_swagger(schema: Any) -> Any:
    """A schema of OpenAPI v3 in the form of the definitions that contracts of Kubernetes are made of."""
    if isinstance(schema, list):
        return [_as_swagger(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    references = [s["$ref"] for s in schema.get("allOf") or () if isinstance(s, dict) and "$ref" in s]
    if references:
        return {"$ref": references[0]}
    return {k: _as_swagger(v) for k, v in schema.items() if not (k == "default" and v in _MARKERS)}
