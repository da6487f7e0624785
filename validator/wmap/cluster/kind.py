"""The provider ``kind``: a cluster in Docker, made and deleted by the kind command.

A cluster is called after the process that made it, so that a later run finds and deletes what one that died left.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wmap.cluster.provider import Facts, uninterrupted
from wmap.cluster.server import Server
from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

KEPT = "wmap-kept"
"""The name of a cluster that stays for later runs."""
_OURS = re.compile(r"wmap-run-(\d+)")
_IMAGE = "kindest/node:{version}"
_WAIT = "180s"
_LONG = 900.0
"""Seconds that creating a cluster may take, the pull of its image included."""
_SHORT = 60.0
_LAST = 6


class Kind:
    """A cluster of kind.

    ``image`` is the node image, else kind's own for ``version`` (``v1.36.3``), else kind's default. ``config`` is a kind configuration.
    ``keep``: it is called ``wmap-kept``, is used again where it is there, and stays. ``logs``: where its logs are kept when it failed.

    Raises:
        CallError: on entry: the configuration is no file.
        EnvironmentFailure: on entry: no kind, no Docker, or the cluster does not come up; says what to do.
    """

    def __init__(
        self,
        *,
        image: str | None = None,
        version: str | None = None,
        config: Path | None = None,
        keep: bool = False,
        logs: Path | None = None,
    ) -> None:
        self._image = image or (_IMAGE.format(version=version) if version else None)
        self._config = config
        self._keep = keep
        self._logs = logs
        self.name = KEPT if keep else f"wmap-run-{os.getpid()}"
        self._folder: Path | None = None
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
        """Make it, or find the one that was kept; what dead runs left is deleted first."""
        programs()
        if self._config is not None and not self._config.is_file():
            raise CallError(f"there is no file {self._config}", hint="name a configuration of kind, or leave it out")
        self._folder = Path(tempfile.mkdtemp(prefix="wmap-kind-"))
        kubeconfig = self._folder / "kubeconfig"
        try:
            there = clusters()
            for name in there:
                if left(name):
                    delete(name)
            if self._keep and KEPT in there:
                _kind(["export", "kubeconfig", "--name", KEPT, "--kubeconfig", str(kubeconfig)], _SHORT)
            else:
                self._create(kubeconfig)
            self._server = Server(str(kubeconfig))
            self._facts = Facts("kind", str(kubeconfig), self._server.version(), pods=True, crds=True)
        except BaseException:
            self._end(failed=True)
            raise
        return self

    def _create(self, kubeconfig: Path) -> None:
        command = ["create", "cluster", "--name", self.name, "--kubeconfig", str(kubeconfig), "--wait", _WAIT]
        command += ["--image", self._image] if self._image else []
        command += ["--config", str(self._config)] if self._config else []
        # kind would delete it itself, and with it what its logs say
        _kind([*command, "--retain"], _LONG)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delete it, but one that is kept."""
        self._end(failed=kind is not None)

    def _end(self, *, failed: bool) -> None:
        if self._server is not None:
            self._server.close()
        if failed and self._logs is not None:
            with contextlib.suppress(EnvironmentFailure, OSError):
                _kind(["export", "logs", str(self._logs / self.name), "--name", self.name], _SHORT)
        if not self._keep:
            with uninterrupted():
                delete(self.name)  # also where it was never finished
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def clusters() -> list[str]:
    """The names of kind's clusters on this machine.

    Raises:
        EnvironmentFailure: kind cannot be asked.
    """
    return [n for n in _kind(["get", "clusters"], _SHORT).split() if not n.startswith("No")]


def left(name: str) -> bool:
    """Whether a cluster is of a run of ours that is over."""
    found = _OURS.fullmatch(name)
    if found is None or int(found[1]) == os.getpid():
        return False
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def delete(name: str) -> None:
    """Delete a cluster; nothing where it is not there.

    Raises:
        EnvironmentFailure: kind cannot.
    """
    _kind(["delete", "cluster", "--name", name], _SHORT * 2)


def programs() -> None:
    """Nothing, where kind and Docker are there and answer.

    Raises:
        EnvironmentFailure: they are not; says what to do.
    """
    if shutil.which("kind") is None:
        raise EnvironmentFailure(
            "there is no kind on this machine",
            hint="go install sigs.k8s.io/kind@v0.33.0, or a release of it; or use --provider envtest",
        )
    if shutil.which("docker") is None:
        raise EnvironmentFailure("there is no Docker on this machine", hint="install it, or use --provider envtest")
    done = _run(["docker", "version", "--format", "{{.Server.Version}}"], _SHORT)
    if done.returncode:
        raise EnvironmentFailure(
            f"Docker does not answer: {_last(done.stderr or done.stdout)}",
            hint="start it, and be in its group; or use --provider envtest",
        )


def _kind(arguments: Sequence[str], within: float) -> str:
    done = _run(["kind", *arguments], within)
    if done.returncode:
        raise EnvironmentFailure(
            f"kind {' '.join(arguments[:2])} failed: {_last(done.stderr or done.stdout)}",
            hint="docker info, and kind's own messages, say more",
        )
    return done.stdout


def _run(command: Sequence[str], within: float) -> subprocess.CompletedProcess[str]:
    # in a session of its own: an interrupt of the terminal is for us, and we delete what was begun
    with subprocess.Popen(  # noqa: S603  # kind or docker, found on PATH
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=within)
        except subprocess.TimeoutExpired as error:
            _stop(process)
            raise EnvironmentFailure(
                f"{' '.join(command[:3])} does not end within {within:.0f} seconds", hint="is the machine very busy?"
            ) from error
        except BaseException:
            _stop(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _stop(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _last(text: str) -> str:
    said = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(said[-_LAST:])[:800] or "it says nothing"
