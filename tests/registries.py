"""A real registry of the CNCF distribution project on loopback, and servers that answer by a script where none would fail on demand."""

from __future__ import annotations

import datetime as dt
import hashlib
import http.server
import ipaddress
import os
import re
import shutil
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_socket
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCE = Path(__file__).with_name("registry") / "distribution"
CACHE = Path(__file__).resolve().parents[1] / ".cache" / "distribution"
USER, PASSWORD = "reader", "open sesame"
# bcrypt, with the least cost, of the password above
HTPASSWD = f"{USER}:$2a$05$3tpQeupNHbxOKtJKDt4z4.TAWZAg6UYKYyM65xh3zubobxrUQ.V6S\n"


@dataclass
class Running:
    """A registry that runs: its address, and the certificate that it shows (its own authority)."""

    host: str
    certificate: str


@pytest.fixture
def loopback() -> Iterator[None]:
    """Let a test reach this machine and nothing else."""
    pytest_socket.enable_socket()
    pytest_socket.socket_allow_hosts(["127.0.0.1"], allow_unix_socket=True)
    yield
    pytest_socket._remove_restrictions()
    pytest_socket.disable_socket(allow_unix_socket=True)


@pytest.fixture(scope="session")
def registry_program() -> str:
    """The program of the registry, built once with Go; the tests that use it are reported as not run where Go is absent."""
    if shutil.which("go") is None:
        pytest.skip("not run: no Go on this machine, so no registry to push to")
    pinned = hashlib.sha256(b"".join((SOURCE / n).read_bytes() for n in ("go.mod", "go.sum", "main.go"))).hexdigest()
    program = CACHE / f"distribution-{pinned[:16]}"
    if not program.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = program.with_suffix(f".{os.getpid()}")
        environment = {
            **os.environ,
            "GOFLAGS": "-mod=readonly -buildvcs=false",
            "GOTOOLCHAIN": "local",
            "CGO_ENABLED": "0",
        }
        done = subprocess.run(
            ["go", "build", "-trimpath", "-o", str(made), "."],
            cwd=SOURCE,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        made.replace(program)
    return str(program)


def certificate(folder: Path) -> tuple[str, str]:
    """A certificate of this machine that is its own authority, and its key, as PEM files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "registry of the tests")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(form.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    )
    return str(folder / "cert.pem"), str(folder / "key.pem")


@pytest.fixture(scope="session")
def registry(registry_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A registry with TLS and basic authentication, on a free port."""
    folder = tmp_path_factory.mktemp("registry")
    cert, key = certificate(folder)
    (folder / "htpasswd").write_text(HTPASSWD)
    (folder / "config.yml").write_text(
        f"""
version: 0.1
log: {{level: info, accesslog: {{disabled: true}}}}
storage: {{inmemory: {{}}}}
http:
  addr: 127.0.0.1:0
  secret: of the tests
  tls: {{certificate: {cert}, key: {key}}}
auth: {{htpasswd: {{realm: tests, path: {folder / "htpasswd"}}}}}
"""
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "OTEL_TRACES_EXPORTER": "none"}
    process = subprocess.Popen(
        [registry_program, "serve", str(folder / "config.yml")],
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        host = ""
        for line in process.stderr or ():
            found = re.search(r"listening on (127\.0\.0\.1:[0-9]+)", line)
            if found:
                host = found[1]
                break
        assert host, "the registry did not start"
        drain = threading.Thread(target=lambda: [None for _ in process.stderr or ()], daemon=True)
        drain.start()
        yield Running(host, cert)
    finally:
        process.terminate()
        process.wait(timeout=20)
        drain.join(timeout=5)
        if process.stderr is not None:
            process.stderr.close()


@dataclass
class Script:
    """What a scripted server answers: for each request ``(method, path)`` the next of its answers, the last one again and again."""

    answers: dict[tuple[str, str], list[tuple[int, dict[str, str], bytes]]] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    host: str = ""

    def says(self, method: str, path: str, code: int, body: bytes = b"", **headers: str) -> None:
        """Add an answer."""
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        self.answers.setdefault((method, path), []).append((code, named, body))


@pytest.fixture
def scripted(loopback: None) -> Iterator[Callable[[], Script]]:  # noqa: ARG001  # it is on loopback
    """Start a server that answers by a script."""
    servers: list[tuple[http.server.ThreadingHTTPServer, threading.Thread]] = []

    def start() -> Script:
        script = Script()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                script.asked.append((self.command, self.path, dict(self.headers)))
                answers = script.answers.get((self.command, self.path.split("?")[0]), [(404, {}, b"")])
                code, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
                self.close_connection = headers.get("Connection") == "close"

            do_GET = do_HEAD = do_PUT = do_POST = answer  # noqa: N815  # the names of http.server

            def log_message(self, *_: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                # a client that goes away is what some tests are about
                pass

        server = Server(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        servers.append((server, thread))
        script.host = f"127.0.0.1:{server.server_address[1]}"
        script.says("GET", "/v2/", 200)
        return script

    yield start
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
