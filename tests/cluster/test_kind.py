"""Clusters of kind, in Docker: made, run on and deleted; what a run that died left; drift that is installed on purpose."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_kind.cluster import KindCluster
from tests.cluster.test_run import DRIFTS, changed

from wmap.api import Catalog
from wmap.cluster.current import Current
from wmap.cluster.kind import Kind, clusters, delete, left
from wmap.cluster.matrix import entries_of
from wmap.cluster.outcome import Result, Step
from wmap.cluster.run import Run
from wmap.cluster.source import Source
from wmap.contract import Store
from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.cluster.server import Server

pytestmark = pytest.mark.usefixtures("loopback")
TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wmap" / "kind"
LAB = Path(os.environ.get("WMAP_LAB", Path(__file__).parents[3] / "shared" / "lab"))
DEAD = 4_194_304
"""No process has this number: it is the largest that Linux gives, and one more."""


@pytest.fixture(scope="session")
def tools() -> Iterator[None]:
    """The programs on the path; the tests that need them are reported as not run where they, or Docker, are absent."""
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{TOOLS}{os.pathsep}{before}"
    try:
        for program in ("kind", "kubectl", "docker"):
            if shutil.which(program) is None:
                pytest.skip(f"not run: no {program} on this machine")
        if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
            pytest.skip("not run: Docker does not answer")
        yield
    finally:
        os.environ["PATH"] = before


@pytest.fixture(scope="session")
def image(tools: None) -> str | None:
    """The node image: that of WMAP_KIND_IMAGE, else that of the lab, else (None) kind's own."""
    del tools
    named = os.environ.get("WMAP_KIND_IMAGE")
    if named:
        return named
    listed = ["docker", "images", "--format", "{{.Repository}}:{{.Tag}}", "wmap-kind-node"]
    found = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    if not found and (LAB / "kind").is_dir():
        pytest.skip("not run: the node image is not built (tools/kind/prepare)")
    return found[0] if found else None


@pytest.fixture(scope="session")
def config() -> Path | None:
    """The configuration of kind that the lab has for this machine."""
    file = LAB / "kind" / "kind-config.yaml"
    return file if file.is_file() else None


@pytest.fixture(scope="session")
def kubeconfig(image: str | None, config: Path | None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cluster for the tests of this file, by its kubeconfig."""
    folder = tmp_path_factory.mktemp("kind")
    kind, kubectl = (Path(shutil.which(p) or "") for p in ("kind", "kubectl"))
    before = Path.cwd()
    os.chdir(folder)  # it keeps a folder where it is made
    try:
        cluster = KindCluster("wmap-tests", folder / "kubeconfig", image, kind, kubectl)
    finally:
        os.chdir(before)
    try:
        cluster.create(config)
        yield folder / "kubeconfig"
    finally:
        delete("wmap-tests")


@pytest.fixture
def server(kubeconfig: Path) -> Iterator[Server]:
    """Its API server, as the provider of clusters that are there has it."""
    with Current(kubeconfig=str(kubeconfig), crds=True) as current:
        assert current.facts.provider == "current"
        yield current.server


def test_a_cluster_is_made_run_on_and_deleted(
    image: str | None, config: Path | None, upstream: Path, tmp_path: Path
) -> None:
    """JobSet and KubeRay hold in a cluster of kind in each step, kinds of Kubernetes are only tried there, and nothing is left of it."""
    source, store = Source(upstream, tmp_path), Store()
    entries = entries_of(
        Catalog.load().definitions.all(), store, source, frameworks=["jobset", "kuberay", "kubernetes"]
    )
    with Kind(image=image, config=config, logs=tmp_path / "logs") as cluster:
        name, kubeconfig = cluster.name, Path(cluster.facts.kubeconfig)
        assert name in clusters()
        outcomes = Run(cluster.server, source, Path("fixtures"), store, alone=False).all(entries)
    assert [o for o in outcomes if o.result is Result.FAILED] == []
    for framework in ("jobset", "kuberay"):
        assert {o.step for o in outcomes if o.subject.framework == framework} == set(Step)
    told = {o.reason for o in outcomes if o.subject.framework == "kubernetes" and o.result is Result.NOT_RUN}
    assert told == {"the cluster acts on objects of this kind: they are only tried, by dry runs"}
    assert name not in clusters()
    assert not kubeconfig.exists()
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize(("old", "new", "said"), DRIFTS, ids=["renamed", "default", "enum", "version"])
def test_drift_in_a_cluster_is_reported_and_nothing_else(
    server: Server, tmp_path: Path, old: str, new: str, said: list[str]
) -> None:
    """A CRD with a renamed field, another default, a removed value or a dropped version gives one finding, which says so."""
    found = [f for o in changed(server, tmp_path, old, new) if o.step is Step.SCHEMA for f in o.findings]
    assert [f.message.split(" (")[0] for f in found] == said


def test_a_cluster_in_use_keeps_nothing_of_a_run(kubeconfig: Path, upstream: Path) -> None:
    """On a cluster that is there, objects are tried by dry runs, what was installed goes away, and the namespace too."""
    command = [
        sys.executable, "-m", "wmap", "cluster", "run", "--provider", "current", "--kubeconfig", str(kubeconfig), "--allow-crds",
        "--framework", "lws", "--crds", str(upstream), "-o", "text",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tries fixtures of LeaderWorkerSet by dry runs, and creates none" in done.stderr
    assert "0 failed, 0 not run" in done.stdout
    with Current(kubeconfig=str(kubeconfig)) as current:
        assert current.server.resource("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet") is None
        spaces = current.server.ask("GET", "/api/v1/namespaces", query={"labelSelector": "wmap.dev/run"})["items"]
        assert [n["metadata"]["name"] for n in spaces if "deletionTimestamp" not in n["metadata"]] == []


def test_what_a_run_that_died_left_is_found_and_deleted(image: str | None, config: Path | None) -> None:
    """A cluster whose run was killed is told by its name, and the next run deletes it."""
    code = (
        "import sys; from pathlib import Path; from wmap.cluster.kind import Kind\n"
        f"k = Kind(image={image!r}, config={config and str(config)!r} and Path({str(config)!r}))\n"
        "k.__enter__(); print(k.name, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert name in clusters()
        process.send_signal(signal.SIGKILL)
    assert left(name)
    delete(name)
    assert name not in clusters()


def test_a_running_run_and_others_keep_their_clusters() -> None:
    """Only clusters of ours whose process is gone count as left."""
    assert [left(n) for n in (f"wmap-run-{os.getpid()}", "wmap-run-1", "wmap-kept", "kind", f"wmap-run-{DEAD}")] == [
        False, False, False, False, True,
    ]  # fmt: skip


def test_an_image_that_is_not_there_is_one_message(tools: None) -> None:
    """Kind's own words are told where it cannot make a cluster, and nothing is left of it."""
    del tools
    cluster = Kind(image="none.invalid/node:v1")
    with pytest.raises(EnvironmentFailure, match="kind create cluster failed"), cluster:
        pass
    assert cluster.name not in clusters()


def test_a_configuration_that_is_not_there_is_a_wrong_call(tools: None, tmp_path: Path) -> None:
    """The file is named before anything is made."""
    del tools
    with pytest.raises(CallError, match="there is no file"), Kind(config=tmp_path / "none.yaml"):
        pass


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ([], "no kind on this machine"),
        (["kind"], "no Docker on this machine"),
        (["kind", "docker"], "Docker does not answer: no daemon"),
    ],
)
def test_missing_programs_are_named(
    there: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without kind, without Docker, and where Docker does not answer, the message says which, and what to do."""
    for name in there:
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho no daemon >&2\nexit 1\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFailure, match=said) as caught, Kind():
        pass
    assert "envtest" in str(caught.value.hint)
