"""The provider envtest: up on loopback, gone without a trace, and clear where it cannot be."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wmap.cluster.envtest import Envtest, assets
from wmap.cluster.server import Refused, Resource, Server
from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from wmap.cluster.server import Server as Running

pytestmark = pytest.mark.usefixtures("loopback")


def _processes(folder: Path) -> list[str]:
    """The processes of this machine whose command names a folder."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = one.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in command:
            found.append(command)
    return found


def test_nothing_of_a_cluster_is_left(binaries: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Within the context an API server answers; after it no process and no folder is there, also after an interrupt."""
    monkeypatch.setenv("KUBEBUILDER_ASSETS", binaries)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupted() -> None:
        with Envtest() as cluster:
            assert cluster.facts.version.startswith("v1.")
            assert cluster.server.resource("v1", "Pod") is not None
            assert len(_processes(tmp_path)) == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert _processes(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_does_not_come_up_is_shown_by_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What etcd said last stands in the message, and its log is kept where that is asked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("etcd", "kube-apiserver"):
        (folder / name).write_text("#!/bin/sh\necho no space left on this device >&2\nexit 4\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
    with (
        pytest.raises(EnvironmentFailure, match="ended with 4; its log ends: no space left"),
        Envtest(logs=tmp_path / "logs"),
    ):
        pass
    assert "no space left" in (tmp_path / "logs" / "etcd.log").read_text()


def test_missing_binaries_are_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how to get them."""
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    with pytest.raises(EnvironmentFailure, match="holds no etcd and no kube-apiserver") as caught:
        assets()
    assert "make envtest" in str(caught.value)


def test_what_a_server_refuses_is_told_in_its_words(server: Running) -> None:
    """The code and reason of a refusal are kept, and its message names the field."""
    pods = server.resource("v1", "Pod")
    assert isinstance(pods, Resource)
    with pytest.raises(Refused, match=r"metadata\.name") as caught:
        server.ask("POST", pods.path("default"), {"spec": {"containers": []}})
    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    with pytest.raises(Refused) as caught:
        server.ask("GET", pods.path("default", "none"))
    assert (caught.value.code, caught.value.reason) == (404, "NotFound")


def test_objects_come_page_by_page(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is longer than a page is given whole, each object with its kind."""
    monkeypatch.setattr("wmap.cluster.server.PAGE", 2)
    maps = server.resource("v1", "ConfigMap")
    assert maps is not None
    for number in range(5):
        server.ask("POST", maps.path("default"), {"metadata": {"name": f"page-{number}", "labels": {"of": "pages"}}})
    found = list(server.objects(maps, selector="of=pages"))
    assert [o["metadata"]["name"] for o in found] == [f"page-{n}" for n in range(5)]
    assert {(o["apiVersion"], o["kind"]) for o in found} == {("v1", "ConfigMap")}


@pytest.mark.parametrize("text", ["", "{", "clusters: 3", "a: [", "contexts: []\n"])
def test_a_broken_kubeconfig_is_one_message(tmp_path: Path, text: str) -> None:
    """A kubeconfig that cannot be used, and one that is not there, are errors of the call."""
    (tmp_path / "config").write_text(text)
    for file in (tmp_path / "config", tmp_path / "none"):
        with pytest.raises(CallError, match="kubeconfig"):
            Server(str(file))


def test_a_dead_host_is_one_message(tmp_path: Path) -> None:
    """A server that is not there is said to be that."""
    (tmp_path / "config").write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "users: [{name: a, user: {token: x}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n"
    )
    with pytest.raises(EnvironmentFailure, match=r"127\.0\.0\.1:1 cannot be reached"):
        Server(str(tmp_path / "config")).version()
