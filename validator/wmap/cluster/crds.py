"""CustomResourceDefinitions: found in folders, installed until they are served, and taken away where two frameworks claim one name."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from wmap.cluster.server import APPLY, FIELD_MANAGER, Refused
from wmap.definition.yamlio import OBJECT_LIMITS, YamlProblem, decode, read_documents
from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from wmap.cluster.server import Server

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISHED = 60.0
"""Seconds until a CRD that was installed must be served."""
_STEP = 0.1


def read_folder(folder: Path) -> list[dict[str, Any]]:
    """The CRDs of the YAML files of a folder, by name; all else in them is left out.

    Raises:
        CallError: there is no such folder, no CRD in it, or a file that cannot be read.
    """
    if not folder.is_dir():
        raise CallError(f"there is no folder {folder}", hint="name one that holds CRD manifests")
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.y*ml")):
        try:
            text = decode(file.read_bytes(), file=str(file), limits=OBJECT_LIMITS)
            for document in _items(d for d, _ in read_documents(text, file=str(file))):
                if document.get("kind") == "CustomResourceDefinition":
                    found[document["metadata"]["name"]] = document
        except (YamlProblem, OSError, KeyError, TypeError, AttributeError) as error:
            raise CallError(f"{file} cannot be read as CRDs: {' '.join(str(error).split())[:200]}") from error
    if not found:
        raise CallError(f"{folder} holds no CRD", hint="name the folder of a release")
    return [found[name] for name in sorted(found)]


def install(
    server: Server,
    crds: Iterable[dict[str, Any]],
    *,
    stored: Mapping[str, str] | None = None,
    pause: Callable[[float], None] = time.sleep,
    within: float = ESTABLISHED,
) -> list[str]:
    """Install CRDs by server-side apply, and wait until each of their versions is served; gives their names.

    A conversion by webhook is replaced by none, as no webhook runs; then only what is stored as it is written keeps all its fields:
    ``stored`` names the version to store, by name of the CRD. One that is there with other schemas (another framework's, or another
    release's) is taken away first, with its objects.

    Raises:
        Refused: the server refuses one.
        EnvironmentFailure: one is not served in time; says what it says of itself.
    """
    wanted = [_prepared(c, (stored or {}).get(c["metadata"]["name"])) for c in crds]
    for crd in wanted:
        name = crd["metadata"]["name"]
        there = _get(server, name)
        if there is not None and _spec(there) != _spec(crd):
            remove(server, [name], pause=pause)
        server.ask(
            "PATCH", f"{CRDS}/{name}", crd, content=APPLY, query={"fieldManager": FIELD_MANAGER, "force": "true"}
        )
    until = time.monotonic() + within
    for crd in wanted:
        while (lacks := _lacks(server, crd)) is not None:
            if time.monotonic() > until:
                raise EnvironmentFailure(
                    f"{crd['metadata']['name']} is not served after {within:.0f} seconds: {lacks}",
                    hint="is it a valid CRD?",
                )
            pause(_STEP)
    server.forget()
    return [c["metadata"]["name"] for c in wanted]


def remove(server: Server, names: Iterable[str], *, pause: Callable[[float], None] = time.sleep) -> None:
    """Take CRDs away, with all their objects, and wait until they are gone.

    Raises:
        EnvironmentFailure: one does not go in time.
    """
    for name in names:
        try:
            server.ask("DELETE", f"{CRDS}/{name}")
        except Refused as error:
            if error.code != 404:
                raise
            continue
        until = time.monotonic() + ESTABLISHED
        while _get(server, name) is not None:
            if time.monotonic() > until:
                raise EnvironmentFailure(f"{name} does not go away", hint="do its objects have finalizers?")
            pause(_STEP)
    server.forget()


def _prepared(crd: dict[str, Any], stored: str | None) -> dict[str, Any]:
    spec = {k: v for k, v in crd["spec"].items() if k != "conversion"}
    if stored is not None:
        spec["versions"] = [{**v, "storage": v["name"] == stored} for v in spec["versions"]]
    return {
        "apiVersion": crd["apiVersion"],
        "kind": crd["kind"],
        "metadata": {"name": crd["metadata"]["name"]},
        "spec": spec,
    }


def _spec(crd: dict[str, Any]) -> Any:
    """What tells two CRDs of one name apart: the schemas of their versions."""
    return [(v["name"], v.get("served"), v.get("storage"), v.get("schema")) for v in crd["spec"].get("versions") or ()]


def _get(server: Server, name: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = server.ask("GET", f"{CRDS}/{name}")
    except Refused as error:
        if error.code != 404:
            raise
        return None
    return found


def _lacks(server: Server, crd: dict[str, Any]) -> str | None:
    """Why a CRD is not served yet, None where it is."""
    name, spec = crd["metadata"]["name"], crd["spec"]
    there = _get(server, name)
    said = {c["type"]: c for c in (there or {}).get("status", {}).get("conditions") or ()}
    for kind in ("NamesAccepted", "Established"):
        if said.get(kind, {}).get("status") != "True":
            return str(said.get(kind, {}).get("message") or f"it is not {kind}")
    for version in spec["versions"]:
        if not version.get("served"):
            continue
        path = f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
        try:
            server.ask("GET", path, query={"limit": "1"})
            server.forget()
            if not any(r.plural == spec["names"]["plural"] for r in server.resources(spec["group"], version["name"])):
                return f"{version['name']} is not in the list of kinds"
        except Refused as error:
            return error.message
    return None


def _items(documents: Iterable[Any]) -> Iterator[Any]:
    for document in documents:
        if isinstance(document, dict) and document.get("kind") == "List":
            yield from _items(document.get("items") or ())
        elif isinstance(document, dict):
            yield document
