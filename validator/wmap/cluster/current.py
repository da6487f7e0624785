"""The provider ``current``: a cluster that is there, by a context of the kubeconfig. Nothing of it is started or stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from wmap.cluster.provider import Facts
from wmap.cluster.server import Server

if TYPE_CHECKING:
    from types import TracebackType


class Current:
    """The cluster of a context (None: the current one). ``crds``: cluster-scoped things may be installed.

    Raises:
        CallError: on entry: there is no such kubeconfig or context.
        EnvironmentFailure: on entry: the cluster cannot be reached.
    """

    def __init__(self, *, kubeconfig: str | None = None, context: str | None = None, crds: bool = False) -> None:
        self._kubeconfig = kubeconfig
        self._context = context
        self._crds = crds
        self._server: Server | None = None
        self._facts: Facts | None = None

    @property
    def facts(self) -> Facts:
        """What is known of the cluster."""
        assert self._facts is not None, "the cluster is there within its context"  # noqa: S101  # a call of ours
        return self._facts

    @property
    def server(self) -> Server:
        """Its API server."""
        assert self._server is not None, "the cluster is there within its context"  # noqa: S101  # a call of ours
        return self._server

    def __enter__(self) -> Self:
        """Reach it."""
        self._server = Server(self._kubeconfig, self._context)
        self._facts = Facts("current", self._kubeconfig or "", self._server.version(), pods=True, crds=self._crds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the connections go."""
        if self._server is not None:
            self._server.close()
