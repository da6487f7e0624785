"""A Kubernetes API server, spoken to as it answers: JSON in, JSON out, and what it refuses in words.

The ``kubernetes`` client signs in and holds the connection (TLS, tokens, exec plugins). Its dynamic client is not used: it has no strict
field validation, without which an API server drops what it does not know.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wmap.busy import LONGEST_WAIT, retry_after
from wmap.errors import CallError, EnvironmentFailure, WmapError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

EXTRA = "pip install 'wmap[cluster]'"
TIMEOUT = (10, 60)
"""Seconds to connect, and to wait for an answer."""
PAGE = 500
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
FIELD_MANAGER = "wmap"
_ATTEMPTS = 10


class Refused(WmapError):
    """The server understood a request and refused it. ``code`` is HTTP's, ``reason`` Kubernetes' (``Invalid``, ``Conflict``, ...)."""

    exit_code = 3

    def __init__(self, message: str, code: int, reason: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind as a server serves it; ``group`` is empty for the core. ``subresources``: such as ``status`` and ``scale``."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    subresources: frozenset[str]

    def path(self, namespace: str | None = None, name: str | None = None, subresource: str | None = None) -> str:
        """The path of its objects, or of one."""
        path = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        if self.namespaced and namespace is not None:
            path += f"/namespaces/{namespace}"
        path += f"/{self.plural}"
        if name is not None:
            path += f"/{name}"
        return path if subresource is None else f"{path}/{subresource}"


class Server:
    """An API server, by a kubeconfig (a path, or None for the usual places) and a context (None: its current one).

    ``pause`` waits some seconds. Nothing is asked before the first request.

    Raises:
        CallError: there is no such kubeconfig or context.
        EnvironmentFailure: the ``kubernetes`` client is not installed.
    """

    def __init__(
        self, kubeconfig: str | None = None, context: str | None = None, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        try:
            from kubernetes import client, config  # noqa: PLC0415  # an extra
            from kubernetes.config import ConfigException  # noqa: PLC0415  # the same
            from yaml import YAMLError  # noqa: PLC0415  # the same
        except ImportError as error:
            raise EnvironmentFailure("the Kubernetes client is not installed", hint=EXTRA) from error
        settings = client.Configuration()
        try:
            config.load_kube_config(kubeconfig, context, settings, persist_config=False)  # type: ignore[no-untyped-call]
        except ConfigException as error:
            raise CallError(
                f"the kubeconfig cannot be used: {_short(error)}",
                hint="name one by KUBECONFIG or --kubeconfig, and a context of it",
            ) from error
        except (OSError, ValueError, TypeError, KeyError, AttributeError, YAMLError) as error:
            raise CallError(f"the kubeconfig cannot be read: {_short(error)}", hint="kubectl config view") from error
        # the library would try three times, and say nothing of the first two
        settings.retries = False
        self.host = settings.host
        self._client = client.ApiClient(settings)
        self._pause = pause
        self._waited = 0.0
        self._groups: dict[str, list[Resource]] = {}

    def close(self) -> None:
        """Let the connections go."""
        self._client.rest_client.pool_manager.clear()

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content: str = "application/json",
    ) -> Any:
        """One request; gives the document that the server answers with. Waits where the server is busy and says for how long.

        Raises:
            Refused: the server refuses (4xx, such as 403, 404, 409, 422), or fails (5xx).
            EnvironmentFailure: it cannot be reached, or does not answer in time.
        """
        headers = self._headers()
        if body is not None:
            headers["Content-Type"] = content
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(_ATTEMPTS):
            code, answered, text = self._send(method, path, query, headers, data)
            wait = retry_after(code, answered.get("Retry-After", ""))
            if wait is None or self._waited + wait > LONGEST_WAIT or attempt == _ATTEMPTS - 1:
                break
            self._waited += wait
            self._pause(wait)
        try:
            document = json.loads(text) if text else None
        except (ValueError, RecursionError):
            document = None
        if code >= 300:
            raise _refused(code, document, text, f"{method} {path}")
        if document is None and text:
            raise EnvironmentFailure(f"{self.host}{path} does not answer with JSON", hint="is it an API server?")
        return document

    def exists(self, path: str) -> bool:
        """Whether there is an object at a path; only its metadata is sent.

        Raises:
            Refused: the server refuses for another reason than that it is not there.
            EnvironmentFailure: it cannot be reached.
        """
        headers = {**self._headers(), "Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
        code, _, text = self._send("GET", path, None, headers, None)
        if code not in (200, 404):
            raise _refused(code, None, text, f"GET {path}")
        return code == 200

    def objects(
        self, resource: Resource, namespace: str | None = None, *, selector: str | None = None
    ) -> Iterator[Any]:
        """The objects of a kind, page by page; in all namespaces where none is named.

        Raises:
            Refused: the server refuses.
            EnvironmentFailure: it cannot be reached.
        """
        query = {"limit": str(PAGE)}
        if selector is not None:
            query["labelSelector"] = selector
        while True:
            page = self.ask("GET", resource.path(namespace), query=query)
            head = {"apiVersion": page.get("apiVersion"), "kind": (page.get("kind") or "").removesuffix("List")}
            for item in page.get("items") or ():
                yield {**head, **item}
            more = (page.get("metadata") or {}).get("continue")
            if not more:
                return
            query["continue"] = more

    def ready(self) -> None:
        """Nothing, where the server is ready.

        Raises:
            Refused: it is not.
            EnvironmentFailure: it cannot be reached.
        """
        code, _, text = self._send("GET", "/readyz", None, self._headers(), None)
        if code != 200:
            raise _refused(code, None, text, "GET /readyz")

    def version(self) -> str:
        """The version of Kubernetes, such as ``v1.36.3``."""
        return str(self.ask("GET", "/version").get("gitVersion"))

    def resources(self, group: str, version: str) -> list[Resource]:
        """The kinds of a group and version, empty where it is not served."""
        key = f"{group}/{version}"
        if key not in self._groups:
            path = f"/apis/{group}/{version}" if group else f"/api/{version}"
            try:
                found = self.ask("GET", path).get("resources") or []
            except Refused as error:
                if error.code != 404:
                    raise
                return []
            below: dict[str, set[str]] = {}
            for one in found:
                plural, slash, sub = one["name"].partition("/")
                if slash:
                    below.setdefault(plural, set()).add(sub)
            self._groups[key] = [
                Resource(group, version, r["kind"], r["name"], r["namespaced"], frozenset(below.get(r["name"], ())))
                for r in found
                if "/" not in r["name"]
            ]
        return self._groups[key]

    def resource(self, api_version: str, kind: str) -> Resource | None:
        """A kind as it is served, None where it is not."""
        group, _, version = api_version.rpartition("/")
        return next((r for r in self.resources(group, version) if r.kind == kind), None)

    def forget(self) -> None:
        """Ask anew for the kinds that are served: some were added or taken away."""
        self._groups.clear()

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        self._client.update_params_for_auth(headers, [], ["BearerToken"], "", "", None)
        return headers

    def _send(
        self, method: str, path: str, query: Mapping[str, str] | None, headers: dict[str, str], data: bytes | None
    ) -> tuple[int, Mapping[str, str], str]:
        from urllib.parse import urlencode  # noqa: PLC0415  # with the client

        from urllib3.exceptions import HTTPError, NewConnectionError  # noqa: PLC0415  # the same
        from urllib3.exceptions import TimeoutError as Late  # noqa: PLC0415  # the same

        url = self.host + path + (f"?{urlencode(query)}" if query else "")
        try:
            answer = self._client.rest_client.pool_manager.request(
                method, url, body=data, headers=headers, timeout=_timeout(), retries=False, redirect=False
            )
        except (HTTPError, OSError) as error:
            # a refused connection is a kind of timeout to urllib3
            if isinstance(error, Late) and not isinstance(error, NewConnectionError):
                raise EnvironmentFailure(f"{self.host} does not answer in time", hint="is the cluster up?") from error
            raise EnvironmentFailure(
                f"{self.host} cannot be reached: {_short(error)}",
                hint="is the cluster up, and the context the right one?",
            ) from error
        return answer.status, answer.headers, answer.data.decode("utf-8", "replace")


def _timeout() -> Any:
    from urllib3.util import Timeout  # noqa: PLC0415  # with the client

    return Timeout(connect=TIMEOUT[0], read=TIMEOUT[1])


def _refused(code: int, document: Any, text: str, asked: str) -> Refused:
    said = document if isinstance(document, dict) else {}
    message = str(said.get("message") or text or "no reason given").strip()
    reason = str(said.get("reason") or "")
    return Refused(f"{asked}: {code} {reason}: {message[:2000]}".replace("  ", " "), code, reason)


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if " object at 0x" in text or "Connection(" in text:
        text = text.rpartition(": ")[2]
    return text[:300] or type(error).__name__
