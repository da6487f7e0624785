"""The provider ``envtest``: etcd and kube-apiserver as processes of this machine, on loopback, in a folder of their own.

The binaries are those of the folder that ``KUBEBUILDER_ASSETS`` names, else of ``make envtest``, else of ``setup-envtest``. Nothing of it
gives pods a life: they are what a test writes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wmap.cluster.provider import Facts, uninterrupted
from wmap.cluster.server import Refused, Server
from wmap.errors import EnvironmentFailure

if TYPE_CHECKING:
    from types import TracebackType

PROGRAMS = ("etcd", "kube-apiserver")
_READY = 60.0
_STEP = 0.05
_LAST = 8


def assets() -> Path:
    """The folder of the binaries.

    Raises:
        EnvironmentFailure: there is none; says how to get one.
    """
    named = os.environ.get("KUBEBUILDER_ASSETS")
    places = [Path(named)] if named else []
    if not named:
        places.append(built())
        program = shutil.which("setup-envtest")
        if program is not None:
            done = subprocess.run([program, "use", "-i", "-p", "path"], capture_output=True, text=True, check=False)  # noqa: S603  # found on PATH
            if done.returncode == 0 and done.stdout.strip():
                places.append(Path(done.stdout.strip()))
    for place in places:
        if all(os.access(place / p, os.X_OK) for p in PROGRAMS):
            return place
    where = f"{named} (KUBEBUILDER_ASSETS) holds" if named else "this machine has"
    raise EnvironmentFailure(
        f"{where} no {' and no '.join(PROGRAMS)}",
        hint="make envtest builds them with Go; setup-envtest fetches them; KUBEBUILDER_ASSETS names their folder",
    )


def built() -> Path:
    """Where ``make envtest`` puts the binaries."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "wmap" / "envtest"


class Envtest:
    """A control plane of two processes.

    ``logs``: where the logs are kept when it failed. ``ready``: seconds until it must be.

    Raises:
        EnvironmentFailure: on entry: no binaries, no space, or a process that does not come up (the end of its log is shown).
    """

    def __init__(self, *, logs: Path | None = None, ready: float = _READY) -> None:
        self._logs = logs
        self._ready = ready
        self._processes: list[tuple[str, subprocess.Popen[bytes]]] = []
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

    @property
    def folder(self) -> Path:
        """All that it keeps: data, certificates, logs."""
        assert self._folder is not None, "the cluster is there within its context"  # noqa: S101  # a call of ours
        return self._folder

    def __enter__(self) -> Self:
        """Start it, and wait until it is ready."""
        binaries = assets()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="wmap-envtest-"))
            self._start(binaries)
        except OSError as error:
            self._end(failed=True)
            raise EnvironmentFailure(f"the control plane cannot be started: {error.strerror or error}") from error
        except BaseException:
            self._end(failed=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it, and take its folder away."""
        self._end(failed=kind is not None)

    def _start(self, binaries: Path) -> None:
        folder = self.folder
        key = folder / "sa.key"
        self._service_key(key)
        token = secrets.token_hex(16)
        tokens = folder / "tokens.csv"
        tokens.touch(mode=0o600)
        tokens.write_text(f'{token},wmap,wmap,"system:masters"\n')
        client, peer, api = _free_ports(3)
        store, own = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
        self._launch(
            "etcd",
            [
                str(binaries / "etcd"), "--data-dir", str(folder / "etcd"), "--unsafe-no-fsync", "--log-level", "error",
                "--listen-client-urls", store, "--advertise-client-urls", store, "--listen-peer-urls", own,
                "--initial-advertise-peer-urls", own, "--initial-cluster", f"default={own}",
            ],
        )  # fmt: skip
        self._launch(
            "kube-apiserver",
            [
                str(binaries / "kube-apiserver"), "--etcd-servers", store, "--bind-address", "127.0.0.1",
                "--advertise-address", "127.0.0.1",
                "--secure-port", str(api), "--cert-dir", str(folder / "certs"), "--service-cluster-ip-range", "10.0.0.0/16",
                "--endpoint-reconciler-type", "none", "--allow-privileged", "--service-account-issuer", "https://kubernetes.default.svc",
                "--service-account-key-file", str(key), "--service-account-signing-key-file", str(key),
                "--token-auth-file", str(tokens), "--authorization-mode", "RBAC", "--disable-admission-plugins", "ServiceAccount",
            ],
        )  # fmt: skip
        kubeconfig = folder / "kubeconfig"
        kubeconfig.touch(mode=0o600)
        # the certificate that the server makes for itself holds its authority, too
        kubeconfig.write_text(
            f"""apiVersion: v1
kind: Config
current-context: wmap
clusters: [{{name: wmap, cluster: {{server: "https://127.0.0.1:{api}", certificate-authority: {folder / "certs" / "apiserver.crt"}}}}}]
users: [{{name: wmap, user: {{token: {token}}}}}]
contexts: [{{name: wmap, context: {{cluster: wmap, user: wmap, namespace: default}}}}]
"""
        )
        self._wait(kubeconfig)

    def _wait(self, kubeconfig: Path) -> None:
        until = time.monotonic() + self._ready
        while True:
            for name, process in self._processes:
                if process.poll() is not None:
                    raise EnvironmentFailure(
                        f"{name} ended with {process.returncode}; its log ends: {self._tail(name)}",
                        hint="are its ports taken, or the disk full?",
                    )
            if (self.folder / "certs" / "apiserver.crt").is_file():
                with contextlib.suppress(Refused, EnvironmentFailure):
                    server = self._server or Server(str(kubeconfig))
                    self._server = server
                    server.ready()
                    break
            if time.monotonic() > until:
                raise EnvironmentFailure(
                    f"kube-apiserver is not ready after {self._ready:.0f} seconds; its log ends: {self._tail('kube-apiserver')}",
                    hint="is the machine very busy?",
                )
            time.sleep(_STEP)
        self._facts = Facts("envtest", str(kubeconfig), self.server.version(), pods=False, crds=True)

    def _launch(self, name: str, command: list[str]) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            # in a session of its own: an interrupt of the terminal is for us, and we stop it in order
            process = subprocess.Popen(  # noqa: S603  # a program that KUBEBUILDER_ASSETS or make envtest names
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=self.folder
            )
        self._processes.append((name, process))

    def _service_key(self, file: Path) -> None:
        """The key that signs tokens of service accounts, which the server insists on."""
        try:
            from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415  # an extra
            from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415  # the same
        except ImportError as error:
            raise EnvironmentFailure("cryptography is not installed", hint="pip install 'wmap[cluster]'") from error
        file.touch(mode=0o600)
        file.write_bytes(
            rsa.generate_private_key(65537, 2048).private_bytes(
                form.Encoding.PEM, form.PrivateFormat.TraditionalOpenSSL, form.NoEncryption()
            )
        )

    def _tail(self, name: str) -> str:
        try:
            lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        except OSError:
            return "(no log)"
        return " | ".join(line[:300] for line in lines[-_LAST:]) or "(empty)"

    def _stop(self) -> None:
        # all that they hold is thrown away, and an API server that loses its store takes 20 seconds to end in order
        for _, process in reversed(self._processes):
            process.kill()
            process.wait()
        self._processes.clear()

    def _end(self, *, failed: bool) -> None:
        if self._server is not None:
            self._server.close()
        with uninterrupted():
            try:
                self._stop()
                if self._folder is not None:
                    if failed and self._logs is not None:
                        self._logs.mkdir(parents=True, exist_ok=True)
                        for log in self._folder.glob("*.log"):
                            shutil.copy(log, self._logs / log.name)
                    shutil.rmtree(self._folder, ignore_errors=True)
            finally:
                self._folder = self._server = self._facts = None


def _free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody has, all different."""
    with contextlib.ExitStack() as held:
        found = []
        for _ in range(count):
            one = held.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            found.append(one.getsockname()[1])
        return found
