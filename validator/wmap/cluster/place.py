"""A namespace to try objects in: an object, its status and its pods are written as a fixture has them, and taken away again."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from wmap.cluster.server import FIELD_MANAGER, MERGE, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wmap.cluster.server import Resource, Server

STRICT = {"fieldValidation": "Strict", "fieldManager": FIELD_MANAGER}
LABEL = "wmap.dev/run"
"""The label of the namespaces that are ours on a cluster."""
HOLD = "wmap.dev/leaving"
"""A finalizer that keeps a pod that is leaving."""
NO_ONE = "00000000-0000-0000-0000-000000000000"
"""The uid of an owner that is not there."""
MOMENT = "2026-01-01T00:00:00Z"
_ACCOUNT = 60.0
"""Seconds until a namespace has its service account."""
_ATTEMPTS = 5
_CONTAINER = {"name": "main", "image": "none.invalid/image"}


class Place:
    """A namespace of a server, and one beside it for what a fixture has in another one.

    ``alone``: no controller of Kubernetes runs. Where one does, pods are of a scheduler that is not there, so that nothing starts them, and
    one that is taken away because its owner is not there is made again.
    """

    def __init__(
        self, server: Server, namespace: str, *, alone: bool = True, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.server = server
        self.namespace = namespace
        self._alone = alone
        self._pause = pause
        self._pods: list[tuple[str, str]] = []
        self._made: set[str] = set()

    def make(self) -> None:
        """Make the namespace.

        Raises:
            Refused: the server refuses.
        """
        self._make(self.namespace)

    def _make(self, namespace: str) -> None:
        if namespace not in self._made:
            try:
                self.server.ask(
                    "POST", "/api/v1/namespaces", {"metadata": {"name": namespace, "labels": {LABEL: "true"}}}
                )
            except Refused as error:
                if error.code != 409:
                    raise
            self._made.add(namespace)
            if not self._alone:
                self._account(namespace)

    def _account(self, namespace: str) -> None:
        """Wait for the service account that every pod has."""
        until = time.monotonic() + _ACCOUNT
        while True:
            try:
                self.server.ask("GET", f"/api/v1/namespaces/{namespace}/serviceaccounts/default")
            except Refused as error:
                if error.code != 404 or time.monotonic() > until:
                    raise
                self._pause(0.05)
            else:
                return

    def try_out(self, resource: Resource, obj: Any) -> None:
        """Let the server judge an object strictly, and keep nothing.

        Raises:
            Refused: it refuses.
        """
        query = {**STRICT, "dryRun": "All"}
        self.server.ask("POST", resource.path(self.namespace), self.own(obj), query=query)

    def create(self, resource: Resource, obj: Any) -> Any:
        """Create an object, and give it as the server keeps it.

        Raises:
            Refused: the server refuses.
        """
        own = self.own(obj)
        if (obj.get("metadata") or {}).get("deletionTimestamp") is None:
            return self.server.ask("POST", resource.path(self.namespace), own, query=STRICT)
        own["metadata"]["finalizers"] = [HOLD]
        made = self.server.ask("POST", resource.path(self.namespace), own, query=STRICT)
        path = resource.path(self.namespace, made["metadata"]["name"])
        self.server.ask("DELETE", path, query={"gracePeriodSeconds": "0"})
        return self.server.ask("GET", path)

    def own(self, obj: Any) -> Any:
        """The object as it is written here: in this namespace, without what only a server writes."""
        metadata = {k: v for k, v in (obj.get("metadata") or {}).items() if k not in _SERVERS}
        metadata["namespace"] = self.namespace
        metadata.setdefault("name", "workload")
        if metadata.get("ownerReferences"):
            metadata["ownerReferences"] = [{"uid": NO_ONE, **r} for r in metadata["ownerReferences"]]
        return {**{k: v for k, v in obj.items() if k != "status"}, "metadata": metadata}

    def put_status(self, resource: Resource, live: Any, status: Any) -> Any:
        """Replace the status of an object that is there; gives it as it is then.

        Raises:
            Refused: the server refuses.
        """
        document = {**live, "status": status}
        path = resource.path(self.namespace, live["metadata"]["name"], "status")
        return self.server.ask("PUT", path, document, query=STRICT)

    def get(self, resource: Resource, name: str) -> Any:
        """An object as it is now.

        Raises:
            Refused: it is not there.
        """
        return self.server.ask("GET", resource.path(self.namespace, name))

    def patch(self, resource: Resource, name: str, patch: Any, content: str, manager: str) -> Any:
        """Patch an object, as what a field manager of this name writes.

        Raises:
            Refused: the server refuses.
        """
        query = {**STRICT, "fieldManager": manager}
        return self.server.ask("PATCH", resource.path(self.namespace, name), patch, content=content, query=query)

    def delete(self, resource: Resource, name: str) -> None:
        """Take an object away, also one that is leaving."""
        self._delete(resource.path(self.namespace, name))

    def _delete(self, path: str) -> None:
        query = {"gracePeriodSeconds": "0", "propagationPolicy": "Background"}
        with contextlib.suppress(Refused):
            gone = self.server.ask("DELETE", path, query=query)
            if ((gone or {}).get("metadata") or {}).get("finalizers"):
                self.server.ask("PATCH", path, {"metadata": {"finalizers": None}}, content=MERGE)

    def put_pods(self, pods: Sequence[Any], obj: Any, live: Any) -> list[Any]:
        """Create pods as a fixture has them, and give them as the server keeps them, in the same order.

        A pod that the object owns is owned by the one that is there. What a fixture leaves out of a pod is filled in as little as a server
        insists on.

        Raises:
            Refused: the server refuses one.
        """
        self.clear_pods()
        resource = self.server.resource("v1", "Pod")
        assert resource is not None  # noqa: S101  # every server has pods
        home = (obj.get("metadata") or {}).get("namespace")
        found = []
        for number, pod in enumerate(pods):
            metadata = pod.get("metadata") or {}
            elsewhere = metadata.get("namespace") not in (None, home)
            namespace = f"{self.namespace}-beside" if elsewhere else self.namespace
            self._make(namespace)
            name = metadata.get("name") or f"pod-{number}"
            if (obj.get("apiVersion"), obj.get("kind"), name) == (
                "v1",
                "Pod",
                live["metadata"]["name"],
            ) and not elsewhere:
                found.append(live)  # a pod that is the workload itself
                continue
            path = resource.path(namespace)
            # first in the list that is taken away again: an interrupt may come before the answer
            self._pods.append((path, name))
            document = _pod(pod, name, namespace, obj, live)
            if not self._alone:
                document["spec"].setdefault("schedulerName", "wmap.dev/nobody")
            found.append({"apiVersion": "v1", "kind": "Pod", **self._keep_pod(path, name, document, pod)})
        return found

    def _keep_pod(self, path: str, name: str, document: Any, pod: Any) -> Any:
        for attempt in range(_ATTEMPTS):
            try:
                kept = self.server.ask("POST", path, document, query=STRICT)
                if pod.get("status"):
                    kept = self.server.ask(
                        "PUT", f"{path}/{name}/status", {**kept, "status": pod["status"]}, query=STRICT
                    )
                if (pod.get("metadata") or {}).get("deletionTimestamp") is not None:
                    self.server.ask("DELETE", f"{path}/{name}", query={"gracePeriodSeconds": "0"})
                    kept = self.server.ask("GET", f"{path}/{name}")
            except Refused as error:
                if self._alone or error.code not in (404, 409) or attempt == _ATTEMPTS - 1:
                    raise
                self._delete(f"{path}/{name}")
            else:
                return kept
        raise AssertionError

    def clear_pods(self) -> None:
        """Take the pods away."""
        for path, name in self._pods:
            self._delete(f"{path}/{name}")
        self._pods.clear()

    def remove(self) -> None:
        """Take the namespaces away."""
        for namespace in sorted(self._made):
            self._delete(f"/api/v1/namespaces/{namespace}")
        self._made.clear()


_SERVERS = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "managedFields",
    "selfLink",
)
"""What only a server writes in the metadata of an object."""


def _pod(pod: Any, name: str, namespace: str, obj: Any, live: Any) -> Any:
    metadata = {k: v for k, v in (pod.get("metadata") or {}).items() if k not in _SERVERS}
    owners = [_owner(r, obj, live) for r in metadata.pop("ownerReferences", None) or ()]
    spec = dict(pod.get("spec") or {})
    spec["containers"] = [{**_CONTAINER, **c} for c in spec.get("containers") or [{}]]
    finalizers = [HOLD] if (pod.get("metadata") or {}).get("deletionTimestamp") is not None else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **metadata,
            "name": name,
            "namespace": namespace,
            "ownerReferences": owners,
            "finalizers": finalizers,
        },
        "spec": spec,
    }


def _owner(reference: Any, obj: Any, live: Any) -> Any:
    """An owner reference as it is written here: to the object that is there, where it is to that of the fixture."""
    own = obj.get("metadata") or {}
    uid = reference.get("uid")
    same = uid == own.get("uid") if uid is not None else False
    named = (reference.get("kind"), reference.get("name")) == (obj.get("kind"), own.get("name"))
    if (same and uid is not None) or (named and uid is None):
        uid = live["metadata"]["uid"]
    return {**reference, "uid": uid or NO_ONE}


def required_times(schema: Any, value: Any) -> Any:
    """The value with a time wherever the schema of a CRD demands one that a fixture leaves out, as fixtures have no times."""
    if not isinstance(schema, dict):
        return value
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        more = schema.get("additionalProperties")
        filled = {k: required_times(properties.get(k, more), v) for k, v in value.items()}
        filled |= dict(_missing(schema, value))
        return filled
    if isinstance(value, list):
        return [required_times(schema.get("items"), v) for v in value]
    return value


def _missing(schema: Any, value: Any) -> Iterator[tuple[str, str]]:
    for key in schema.get("required") or ():
        if key not in value and (schema.get("properties") or {}).get(key, {}).get("format") == "date-time":
            yield key, MOMENT
