"""A control plane for the tests of this folder: etcd and kube-apiserver on loopback; not run where their binaries are absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_socket
from tests.registries import loopback

from wmap.cluster.envtest import Envtest, assets
from wmap.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.cluster.server import Server


@pytest.fixture(scope="session")
def binaries() -> str:
    """Where the binaries are."""
    try:
        return str(assets())
    except EnvironmentFailure as error:
        pytest.skip(f"not run: {error.message}")


@pytest.fixture(scope="session")
def server(binaries: str) -> Iterator[Server]:
    """An API server that serves Kubernetes' own kinds."""
    assert binaries
    pytest_socket.enable_socket()
    with Envtest() as cluster:
        yield cluster.server


__all__ = ["loopback"]
