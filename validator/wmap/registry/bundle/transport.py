"""Requests to an OCI registry: ``oras`` signs in and speaks; what it does not do is done here.

Every answer goes through a size cap, every blob and manifest is held to its digest, Retry-After is honoured, every wait ends, and
passwords go to the registry that they are for, over TLS, and to nobody else.
"""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from wmap.busy import LONGEST_WAIT, retry_after
from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.credentials import from_helper
from wmap.registry.bundle.index import digest_of
from wmap.registry.bundle.reference import is_tag

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.registry.bundle.reference import Reference

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LARGEST_MANIFEST = 4 * 1024 * 1024
TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and to wait for the next byte."""

_EXTRA = "pip install 'wmap[bundle]'"
_ATTEMPTS = 4
_CHUNK = 64 * 1024
# how OpenSSL calls an answer that is no TLS
_NO_TLS = ("wrong version number", "record layer failure", "http request")
_AROUND = re.compile(r"^<?[\w.]*Connection(?:\([^)]*\)| object at 0x[0-9a-f]+>): |\[Errno -?[0-9]+\] ")


class Remote:
    """A repository of a registry.

    ``authority``: a file of certificates to trust, by default the system's; ``plain``: HTTP without TLS; ``pause`` waits some seconds.

    Raises:
        EnvironmentFailure: ``oras`` is not installed; the registry cannot be reached, is not trusted, or refuses.
        CallError: there is no such file of certificates, or the Docker configuration is broken.
    """

    def __init__(
        self,
        reference: Reference,
        *,
        authority: str | None = None,
        plain: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            import requests  # noqa: PLC0415  # an extra
            from oras.logger import logger  # noqa: PLC0415  # the same
            from oras.provider import Registry  # noqa: PLC0415  # the same
        except ImportError as error:
            raise EnvironmentFailure("oras is not installed", hint=_EXTRA) from error
        if authority is not None and not Path(authority).is_file():
            raise CallError(f"there is no file {authority}", hint="name the certificates of the registry's authority")
        # what a helper of credentials says of its failure may hold what it was to keep
        logger.logger.disabled = True
        self.reference = reference
        self._requests = requests
        self._pause = pause
        self._waited = 0.0
        self._base = f"{'http' if plain else 'https'}://{reference.host}"
        verify: bool | str = (
            authority or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        )

        def make(kind: str) -> Any:
            made = Registry(reference.host, insecure=plain, tls_verify=verify, auth_backend=kind)
            self._limit(made.session)
            return made

        self._make = make
        self._verify = verify
        self._oras = self._signed_in()

    def manifest(self, name: str, *, most: int = LARGEST_MANIFEST) -> bytes | None:
        """The manifest of a tag or digest, None where there is none.

        Raises:
            BundleError: it is not what its digest says, or is too large.
            EnvironmentFailure: the registry fails or refuses.
        """
        answer = self._ask("GET", f"manifests/{name}", headers={"Accept": MANIFEST}, stream=True)
        if answer.status_code == 404:
            answer.close()
            return None
        self._fine(answer, f"{self._repository}:{name}")
        data = self._body(answer, most)
        if name.startswith("sha256:") and digest_of(data) != name:
            raise BundleError(
                f"the registry gave another manifest than {name}: its digest is {digest_of(data)}",
                hint="ask its operator",
            )
        return data

    def blob(self, digest: str, size: int, most: int) -> bytes:
        """A blob of a size and digest, both of which are held to.

        Raises:
            BundleError: it has another digest or size, or is too large.
            EnvironmentFailure: the registry fails or refuses.
        """
        if size > most:
            raise BundleError(f"the blob {digest} has {size:,} bytes; at most {most:,} are read")
        answer = self._ask("GET", f"blobs/{digest}", stream=True)
        self._fine(answer, f"the blob {digest}")
        data = self._body(answer, size)
        if len(data) != size or digest_of(data) != digest:
            raise BundleError(
                f"the registry gave another blob than {digest}: {len(data):,} bytes with the digest {digest_of(data)}",
                hint="fetch it again, or ask the registry's operator",
            )
        return data

    def put_blob(self, data: bytes) -> str:
        """Store a blob, where it is not there yet; gives its digest.

        Raises:
            EnvironmentFailure: the registry fails or refuses.
        """
        digest = digest_of(data)
        there = self._ask("HEAD", f"blobs/{digest}")
        if there.status_code == 200:
            return digest
        if there.status_code != 404:
            self._fine(there, self._repository)
        begun = self._ask("POST", "blobs/uploads/")
        self._fine(begun, self._repository)
        place = urljoin(begun.url, begun.headers.get("Location", ""))
        if urlsplit(place)[:2] != urlsplit(self._base)[:2]:
            raise EnvironmentFailure(
                f"{self.reference.host} sends an upload to another place, where its password does not belong",
                hint="ask its operator",
            )
        joint = "&" if urlsplit(place).query else "?"
        done = self._send(
            "PUT", f"{place}{joint}digest={digest}", data=data, headers={"Content-Type": "application/octet-stream"}
        )
        self._fine(done, f"the blob {digest}")
        return digest

    def tags(self) -> list[str]:
        """The tags of the repository, as far as the registry lists them at once; none where it does not tell.

        Raises:
            BundleError: the answer is too large.
            EnvironmentFailure: the registry fails.
        """
        answer = self._ask("GET", "tags/list", stream=True)
        if answer.status_code != 200:
            answer.close()
            return []
        try:
            found = json.loads(self._body(answer, LARGEST_MANIFEST))["tags"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return []
        return [t for t in found if isinstance(t, str) and is_tag(t)] if isinstance(found, list) else []

    def put_manifest(self, name: str, data: bytes) -> None:
        """Store a manifest under a tag or its digest.

        Raises:
            EnvironmentFailure: the registry fails or refuses.
        """
        done = self._ask("PUT", f"manifests/{name}", data=data, headers={"Content-Type": MANIFEST})
        self._fine(done, f"{self._repository}:{name}")

    @property
    def _repository(self) -> str:
        return f"{self.reference.host}/{self.reference.repository}"

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        return self._send(method, f"{self._base}/v2/{self.reference.repository}/{path}", **more)

    def _signed_in(self) -> Any:
        """The library, set up for the way in which this registry wants to be signed in to."""
        first = self._make("token").session
        asked = self._greeted(lambda: first.get(f"{self._base}/v2/", verify=self._verify))
        wanted = asked.headers.get("Www-Authenticate", "") if asked.status_code == 401 else ""
        kind, _, _ = wanted.partition(" ")
        made = self._make("basic" if kind.lower() == "basic" else "token")
        answer_challenge = made.auth.authenticate_request

        def guarded(answer: Any, headers: dict[str, str], **more: Any) -> Any:
            # each answer may name another place to sign in at
            self._check_realm(answer.headers.get("Www-Authenticate", ""))
            signed, changed = answer_challenge(answer, headers, **more)
            if not changed:
                # no way to sign in that is left to try: the library would say so without the answer's number
                self._fine(answer, self._repository)
            return signed, changed

        made.auth.authenticate_request = guarded
        # the library takes a helper that is missing or fails for one that has no login
        made.auth._get_auth_from_creds_store = from_helper  # noqa: SLF001  # it has no public place for this
        if not wanted:
            return made
        try:
            folder = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
            config = folder / "config.json"
            made.auth.load_configs(
                made.get_container(f"{self.reference.host}/{self.reference.repository}"),
                [str(config)] if config.is_file() else [],
            )
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            # its text may hold what it could not read
            raise CallError(
                f"the Docker configuration cannot be read ({type(error).__name__})",
                hint="docker login writes it; DOCKER_CONFIG names its folder",
            ) from None
        if kind.lower() == "basic" and not getattr(made.auth, "_basic_auth", None):
            raise EnvironmentFailure(
                f"{self.reference.host} asks for a login, and the Docker configuration has none for it (401)",
                hint=f"docker login {self.reference.host}",
            )
        return made

    def _greeted(self, send: Callable[[], Any]) -> Any:
        """The first answer of a registry, or why it does not understand."""
        plain, host = self._base.startswith("http:"), self.reference.host
        tls = f"{host} seems to speak TLS, and --plain-http asks without it"
        try:
            answer = self._once(send)
        except EnvironmentFailure:
            if plain and _speaks_tls(host):
                raise EnvironmentFailure(tls, hint="leave --plain-http out") from None
            raise
        if plain and answer.status_code not in (200, 401) and _speaks_tls(host):
            raise EnvironmentFailure(tls, hint="leave --plain-http out")
        return answer

    def _check_realm(self, wanted: str) -> None:
        """Where tokens are given: a password is sent there, so never without TLS, unless the registry has none itself."""
        from oras.auth.utils import parse_auth_header  # noqa: PLC0415  # an extra

        if wanted.partition(" ")[0].lower() != "bearer":
            return
        realm = urlsplit(parse_auth_header(wanted).realm or "")
        if realm.scheme != "https" and not (self._base.startswith("http:") and realm.scheme == "http"):
            raise EnvironmentFailure(
                f"{self.reference.host} sends its users to {realm.scheme or 'no'}://{realm.netloc} to sign in, which is not TLS",
                hint="ask its operator",
            )

    def _limit(self, session: Any) -> None:
        """Every request of a session ends: the library sets no time limit."""
        from requests.adapters import HTTPAdapter  # noqa: PLC0415  # an extra

        class Adapter(HTTPAdapter):
            """Sets the time limit where none is."""

            def send(self, request: Any, **options: Any) -> Any:  # type: ignore[override]
                return super().send(request, **{**options, "timeout": options.get("timeout") or TIMEOUT})

        for scheme in ("https://", "http://"):
            session.mount(scheme, Adapter())

    def _send(self, method: str, url: str, **more: Any) -> Any:
        """An answer, once the registry has a moment: 429 and 503 with Retry-After are waited for."""
        for attempt in range(_ATTEMPTS):
            answer = self._once(
                lambda: self._oras.do_request.__wrapped__(
                    self._oras,
                    url,
                    method,
                    more.get("data"),
                    dict(more.get("headers", {})),
                    None,
                    more.get("stream", False),
                )
            )
            wait = retry_after(answer.status_code, answer.headers.get("Retry-After", ""))
            if wait is None or attempt == _ATTEMPTS - 1:
                return answer
            if self._waited + wait > LONGEST_WAIT:
                answer.close()
                raise EnvironmentFailure(
                    f"{self.reference.host} is busy and asks to wait {wait:.0f} seconds ({answer.status_code})",
                    hint="try again then",
                )
            answer.close()
            self._waited += wait
            self._pause(wait)
        raise AssertionError  # pragma: no cover  # the last attempt returns

    def _once(self, send: Callable[[], Any]) -> Any:
        errors = self._requests.exceptions
        host = self.reference.host
        try:
            return send()
        except errors.SSLError as error:
            if any(said in _reason(error).lower() for said in _NO_TLS):
                raise EnvironmentFailure(
                    f"{host} does not seem to speak TLS: {_reason(error)}",
                    hint="see that it is the right port; --plain-http asks without TLS",
                ) from None
            raise EnvironmentFailure(
                f"{host} is not trusted: {_reason(error)}",
                hint="name its authority with --ca-file, or see that this is the right host",
            ) from None
        except errors.Timeout as error:
            raise EnvironmentFailure(f"{host} does not answer in time", hint="try again later") from error
        except (errors.RequestException, OSError) as error:
            raise EnvironmentFailure(
                f"{host} cannot be reached: {_reason(error)}", hint="is the registry up, and is it the right port?"
            ) from None
        except ValueError as error:
            raise EnvironmentFailure(
                f"{host} answers with what is not understood: {_reason(error)}", hint="is it a registry?"
            ) from None

    def _fine(self, answer: Any, what: str) -> None:
        """Nothing, where an answer is good.

        Raises:
            EnvironmentFailure: it is not; says what the registry said.
        """
        code, host = answer.status_code, self.reference.host
        if code < 300:
            return
        answer.close()
        if code == 401:
            raise EnvironmentFailure(f"{host} refuses the login (401)", hint=f"docker login {host}")
        if code == 403:
            raise EnvironmentFailure(
                f"{host} does not allow this with {self._repository} (403)", hint="ask its owner for the right"
            )
        if code == 404:
            raise EnvironmentFailure(f"there is no {what} (404)", hint="see that name and tag are right")
        if code == 429:
            raise EnvironmentFailure(f"{host} gets too many requests (429)", hint="try again later")
        raise EnvironmentFailure(f"{host} failed: {code} {answer.reason or ''}".rstrip(), hint="try again later")

    def _body(self, answer: Any, most: int) -> bytes:
        """All of an answer, of at most ``most`` bytes."""

        def read() -> bytes:
            kept = bytearray()
            for piece in answer.iter_content(_CHUNK):
                kept += piece
                if len(kept) > most:
                    raise BundleError(f"the registry's answer has more than {most:,} bytes")
            return bytes(kept)

        try:
            data: bytes = self._once(read)
            return data
        finally:
            answer.close()


def _speaks_tls(host: str) -> bool:
    """Whether a handshake of TLS succeeds there; whose certificate it is does not matter."""
    place = urlsplit(f"//{host}")
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asking.check_hostname = False
    asking.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((place.hostname or "", place.port or 80), TIMEOUT[0]) as plain,
            asking.wrap_socket(plain, server_hostname=place.hostname),
        ):
            return True
    except (OSError, ValueError):
        return False


def _reason(error: BaseException) -> str:
    """The innermost cause, in its own words: what stands around it holds addresses of objects."""
    inner: BaseException = error
    while True:
        below = getattr(inner, "reason", None) or next((a for a in inner.args if isinstance(a, BaseException)), None)
        if not isinstance(below, BaseException):
            break
        inner = below
    said = " ".join(str(getattr(inner, "strerror", None) or inner).split())
    return _AROUND.sub("", said)[:200] or type(inner).__name__
