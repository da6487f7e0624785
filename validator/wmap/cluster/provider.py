"""What gives a cluster to run on, and takes it away again."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from wmap.cluster.server import Server


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a cluster.

    ``provider`` is the name of what gave it, ``kubeconfig`` the file that reaches it, ``version`` that of its API server (``v1.36.3``).
    ``pods``: something gives pods a life. ``crds``: cluster-scoped things may be installed.
    """

    provider: str
    kubeconfig: str
    version: str
    pods: bool
    crds: bool


class Provider(Protocol):
    """A context manager: a cluster is there within, and gone after it, also where it ended by an error or an interrupt."""

    @property
    def facts(self) -> Facts:
        """What is known of the cluster; within the context."""
        ...

    @property
    def server(self) -> Server:
        """Its API server; within the context."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interrupt that comes within waits until the end: a cluster is taken away whole."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
