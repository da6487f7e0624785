"""Bundles in OCI registries: pushed to and pulled from the registry of the CNCF distribution project, and from servers that fail."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import socket
import ssl
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tests.bundles import built
from tests.registries import PASSWORD, USER, certificate

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle import BundleError, read_bundle
from wmap.registry.bundle.envelope import sign
from wmap.registry.bundle.exchange import ARCHIVE, ARTIFACT, Pushed, pull, push
from wmap.registry.bundle.index import digest_of
from wmap.registry.bundle.reference import Reference, is_reference
from wmap.registry.bundle.transport import MANIFEST, Remote
from wmap.registry.bundle.trust import Beside, Trust

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.registries import Running, Script

pytestmark = pytest.mark.usefixtures("loopback")


def _built(version: str, more: bytes = b"") -> tuple[bytes, Beside]:
    """An archive, and what stands beside it."""
    made = built(version, more)
    return made.data, Beside(made.statement)


def _push(remote: Remote, data: bytes, beside: Beside) -> Pushed:
    return push(remote, read_bundle(data), data, beside)


def _login(folder: Path, host: str, monkeypatch: pytest.MonkeyPatch, password: str = PASSWORD) -> None:
    auth = base64.b64encode(f"{USER}:{password}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))


@pytest.fixture
def place(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Callable[[str], Remote]:
    """A repository of the registry, of the test's own: a function from ``:TAG`` or ``@DIGEST`` to it."""
    _login(tmp_path, registry.host, monkeypatch)
    name = f"{registry.host}/maps/{re.sub('[^a-z0-9]+', '-', request.node.name)[:60].strip('-')}"
    return lambda more="": Remote(Reference.of(name + more), authority=registry.certificate)


def test_what_is_pushed_is_pulled(place: Callable[[str], Remote]) -> None:
    """Archive, provenance and signature come back byte by byte, and verify with the key."""
    data, beside = _built("1.0.0")
    assert beside.provenance is not None
    signed = Beside(beside.provenance, sign(beside.provenance, ec.derive_private_key(7, ec.SECP256R1())))
    pushed = _push(place(""), data, signed)
    assert (pushed.tags, pushed.fresh) == (("1.0.0", "latest"), True)
    for more in ("", ":1.0.0", f"@{pushed.manifest}", f":1.0.0@{pushed.manifest}"):
        found = pull(place(more))
        assert (found.data, found.beside, found.manifest) == (data, signed, pushed.manifest)


def test_the_manifest_names_what_it_is(place: Callable[[str], Remote]) -> None:
    """Any OCI client sees kind, version and where it comes from."""
    data, beside = _built("1.0.0")
    _push(place(""), data, beside)
    document = json.loads(place("").manifest("1.0.0") or b"")
    assert document["artifactType"] == ARTIFACT
    assert document["config"]["digest"] == digest_of(b"{}")
    assert [layer["mediaType"] for layer in document["layers"]] == [ARCHIVE, "application/vnd.in-toto+json"]
    assert document["annotations"]["org.opencontainers.image.version"] == "1.0.0"
    assert document["annotations"]["org.opencontainers.image.source"] == "https://example.org/maps"


def test_latest_is_the_newest_release(place: Callable[[str], Remote]) -> None:
    """An older version and a release candidate do not become the latest."""
    for version, tags in (("1.1.0", ("1.1.0", "latest")), ("1.0.0", ("1.0.0",)), ("2.0.0-rc.1", ("2.0.0-rc.1",))):
        assert _push(place(""), *_built(version)).tags == tags
    assert pull(place("")).bundle.version == "1.1.0"


def test_a_version_is_never_published_twice(place: Callable[[str], Remote]) -> None:
    """The same archive may be pushed again, such as with its signature; another one of the version is refused."""
    _push(place(""), *_built("1.0.0"))
    again = _push(place(""), *_built("1.0.0"))
    assert not again.fresh
    with pytest.raises(BundleError, match=r"1\.0\.0 is there with the digest"):
        _push(place(""), *_built("1.0.0", b"# another\n"))
    assert pull(place("")).data == _built("1.0.0")[0]


def _signed(beside: Beside, number: int) -> Beside:
    assert beside.provenance is not None
    return Beside(beside.provenance, sign(beside.provenance, ec.derive_private_key(number, ec.SECP256R1())))


def test_a_push_adds_to_a_version(place: Callable[[str], Remote]) -> None:
    """Provenance and signature may come after the archive, and the same push may be repeated."""
    data, beside = _built("1.0.0")
    for standing in (Beside(None), beside, _signed(beside, 7)):
        _push(place(""), data, standing)
        again = _push(place(""), data, pull(place("")).beside)
        assert (again.fresh, again.manifest) == (False, pull(place("")).manifest)
        assert pull(place(":1.0.0")).beside == standing


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (
            Beside(None),
            r"its provenance \(which this push does not have\) and its signature \(which this push does not",
        ),
        (Beside(built("1.0.0").statement), r"away its signature \(which this push does not have\)"),
        (_signed(Beside(built("1.0.0").statement), 8), r"away its signature \(this push has another\)"),
    ],
    ids=["bare", "unsigned", "of another key"],
)
def test_a_push_takes_nothing_away(place: Callable[[str], Remote], standing: Beside, said: str) -> None:
    """What was published beside a version stays: a push without it, or with another, is refused and says what would be lost."""
    data, beside = _built("1.0.0")
    signed = _signed(beside, 7)
    before = _push(place(""), data, signed)
    with pytest.raises(BundleError, match=said):
        _push(place(""), data, standing)
    for more in ("", ":1.0.0"):
        found = pull(place(more))
        assert (found.manifest, found.beside) == (before.manifest, signed)


def test_a_manifest_that_says_more_is_kept(place: Callable[[str], Remote]) -> None:
    """A tool may have added annotations to a version; the same push again leaves them."""
    data, beside = _built("1.0.0")
    _push(place(""), data, beside)
    document = json.loads(place("").manifest("1.0.0") or b"")
    more = json.dumps({**document, "annotations": {**document["annotations"], "example.org/scanned": "yes"}}).encode()
    place("").put_manifest("1.0.0", more)
    assert _push(place(""), data, beside).manifest == digest_of(more)
    assert place("").manifest("1.0.0") == more


def test_what_is_not_there_is_said_to_be_not_there(place: Callable[[str], Remote]) -> None:
    """An unknown repository and an unknown tag end with what was looked for."""
    with pytest.raises(EnvironmentFailure, match=r"there is no 127\.0\.0\.1:[0-9]+/maps/.*:3\.0\.0 \(404\)"):
        pull(place(":3.0.0"))


def test_without_a_release_the_newest_tags_are_named(place: Callable[[str], Remote]) -> None:
    """A repository of release candidates has no latest: what it has is named, the newest first; so it is for an unknown tag."""
    for version in ("1.0.0-rc.2", "1.0.0-rc.10"):
        _push(place(""), *_built(version))
    with pytest.raises(EnvironmentFailure, match=r"has no latest \(404\): no release was pushed there") as caught:
        pull(place(""))
    assert caught.value.hint == "name a tag; its newest tags are 1.0.0-rc.10, 1.0.0-rc.2"
    with pytest.raises(EnvironmentFailure, match=r"there is no .*:1\.0\.0 \(404\)") as caught:
        pull(place(":1.0.0"))
    assert caught.value.hint == "its newest tags are 1.0.0-rc.10, 1.0.0-rc.2"


@pytest.mark.parametrize("answer", [b"", b"[]", b'{"tags": null}', b'{"tags": [3, "\\u001b", ""]}', b"[" * 50_000])
def test_a_list_of_tags_that_is_none_changes_nothing(scripted: Callable[[], Script], answer: bytes) -> None:
    """Where the registry lists no tags, the message is that there is no such name."""
    script = scripted()
    script.says("GET", "/v2/maps/x/tags/list", 200, answer)
    with pytest.raises(EnvironmentFailure, match=r"\(404\)") as caught:
        pull(_remote(script))
    assert caught.value.hint == "see that name and tag are right"


def test_another_digest_than_the_asked_for_is_refused(place: Callable[[str], Remote]) -> None:
    """The digest of the archive that was asked for is held to."""
    _push(place(""), *_built("1.0.0"))
    with pytest.raises(BundleError, match=r"has the digest .*, not sha256:000"):
        pull(place(""), digest=f"sha256:{'0' * 64}")


def test_a_pull_asks_for_the_signature_that_is_trusted(place: Callable[[str], Remote], tmp_path: Path) -> None:
    """A bundle without the signature that is asked for is not given."""
    from cryptography.hazmat.primitives import serialization as form

    key = tmp_path / "key.pub"
    public = ec.derive_private_key(7, ec.SECP256R1()).public_key()
    key.write_bytes(public.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))
    _push(place(""), *_built("1.0.0"))
    with pytest.raises(BundleError, match="it is not signed"):
        pull(place(""), Trust(key=str(key)))


def test_a_dirty_version_is_not_published(place: Callable[[str], Remote]) -> None:
    """What was built of files that are in no commit stays at home; so does a version under another's tag."""
    with pytest.raises(CallError, match="is no version to publish"):
        _push(place(""), *_built("1.0.0+dirty"))
    with pytest.raises(CallError, match=r"the bundle is 1\.0\.0, and is pushed as that"):
        _push(place(":2.0.0"), *_built("1.0.0"))


def test_a_wrong_password_is_refused_and_not_shown(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the registry and neither user nor password."""
    _login(tmp_path, registry.host, monkeypatch, "wrong secret")
    with pytest.raises(EnvironmentFailure, match=r"\(401\)") as caught:
        pull(Remote(Reference.of(f"{registry.host}/maps/x"), authority=registry.certificate))
    said = str(caught.value) + repr(caught.value.__cause__)
    assert "secret" not in said
    assert base64.b64encode(f"{USER}:wrong secret".encode()).decode() not in said


def test_without_a_login_the_message_says_how_to_log_in(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A registry that wants a login gets none from an empty configuration."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(EnvironmentFailure, match="asks for a login") as caught:
        Remote(Reference.of(f"{registry.host}/maps/x"), authority=registry.certificate)
    assert f"docker login {registry.host}" in str(caught.value)


def test_a_credential_helper_is_asked(registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that the Docker configuration names gives user and password."""
    helper = tmp_path / "docker-credential-tests"
    secret = json.dumps({"Username": USER, "Secret": PASSWORD})
    helper.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{secret}'\n")
    helper.chmod(0o755)
    (tmp_path / "config.json").write_text(json.dumps({"credHelpers": {registry.host: "tests"}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    import os

    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    remote = Remote(Reference.of(f"{registry.host}/maps/none"), authority=registry.certificate)
    assert remote.manifest("1.0.0") is None


def _helper(folder: Path, host: str, monkeypatch: pytest.MonkeyPatch, script: str | None, key: str) -> None:
    """A Docker configuration that names a helper, and the helper, where there is a script."""
    named = {"credHelpers": {host: "tests"}} if key == "credHelpers" else {"credsStore": "tests"}
    (folder / "config.json").write_text(json.dumps(named))
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    if script is not None:
        program = folder / "docker-credential-tests"
        program.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n")
        program.chmod(0o755)


@pytest.mark.parametrize("key", ["credHelpers", "credsStore"])
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (None, "is not in PATH"),
        ("echo secret; echo secret >&2; exit 3", r"fails \(exit code 3\)"),
        ("echo secret", "answers with something else than a login"),
        ("echo '[\"secret\"]'", "answers with something else than a login"),
        ("""echo '{"Username": 3, "Secret": "secret"}'""", "answers with something else than a login"),
        ("kill -9 $$", r"fails \(exit code -9\)"),
    ],
    ids=["missing", "failing", "no JSON", "no object", "no name", "killed"],
)
def test_a_helper_that_gives_no_login_is_named(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, script: str | None, said: str
) -> None:
    """A credential helper that is missing, fails or answers rubbish is told by its name, and its answer is never shown."""
    _helper(tmp_path, registry.host, monkeypatch, script, key)
    with pytest.raises(EnvironmentFailure, match=f"credential helper docker-credential-tests.*{said}") as caught:
        Remote(Reference.of(f"{registry.host}/maps/x"), authority=registry.certificate)
    assert "secret" not in str(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__)


def test_a_helper_without_a_login_is_no_failure(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper that knows the host not is asked in vain: the message says how to log in."""
    script = "echo credentials not found in native keychain; exit 1"
    _helper(tmp_path, registry.host, monkeypatch, script, "credsStore")
    with pytest.raises(EnvironmentFailure, match="the Docker configuration has none for it"):
        Remote(Reference.of(f"{registry.host}/maps/x"), authority=registry.certificate)


def test_a_helper_is_no_path(registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the configuration names runs by its name from PATH alone."""
    (tmp_path / "config.json").write_text(json.dumps({"credsStore": "../../x"}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    with pytest.raises(CallError, match="names no credential helper that can be"):
        Remote(Reference.of(f"{registry.host}/maps/x"), authority=registry.certificate)


@pytest.mark.parametrize("text", ["{", "[]", '{"auths": 3}', '{"auths": {"x": 3}}'])
def test_a_broken_configuration_is_one_message(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """A Docker configuration that cannot be read is named, and nothing of it is shown."""
    (tmp_path / "config.json").write_text(text.replace('"x"', f'"{registry.host}"'))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises((CallError, EnvironmentFailure), match="Docker configuration"):
        Remote(Reference.of(f"{registry.host}/maps/x"), authority=registry.certificate)


def test_a_certificate_that_nobody_trusts_is_refused(registry: Running, tmp_path: Path) -> None:
    """Neither the system nor another authority vouches for the registry's certificate."""
    other, _ = certificate(tmp_path)
    for authority in (None, other):
        with pytest.raises(EnvironmentFailure, match="is not trusted") as caught:
            Remote(Reference.of(f"{registry.host}/maps/x"), authority=authority)
        assert "object at 0x" not in str(caught.value)


def test_tls_with_a_registry_that_has_none_and_the_other_way_round(
    registry: Running, scripted: Callable[[], Script]
) -> None:
    """HTTP to a port of TLS, and TLS to a port of HTTP, are one message each."""
    with pytest.raises(EnvironmentFailure, match="seems to speak TLS") as caught:
        pull(Remote(Reference.of(f"{registry.host}/maps/x"), plain=True))
    assert caught.value.hint == "leave --plain-http out"
    with pytest.raises(EnvironmentFailure, match="does not seem to speak TLS") as caught:
        Remote(Reference.of(f"{scripted().host}/maps/x"))
    assert "--plain-http" in (caught.value.hint or "")


def test_a_port_of_tls_that_answers_nothing_in_plain_is_known(tmp_path: Path) -> None:
    """A server that only ends the connection when it is asked without TLS is known by its handshake."""
    cert, key = certificate(tmp_path)
    speaks = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    speaks.load_cert_chain(cert, key)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)

        def serve() -> None:
            for _ in range(2):
                taken, _address = server.accept()
                with contextlib.suppress(OSError), speaks.wrap_socket(taken, server_side=True) as spoken:
                    spoken.recv(1)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with pytest.raises(EnvironmentFailure, match="seems to speak TLS"):
            Remote(Reference.of(f"127.0.0.1:{server.getsockname()[1]}/maps/x"), plain=True)
        thread.join(timeout=30)


def test_a_registry_that_is_down_is_one_message() -> None:
    """A port where nobody listens is said to be that, at once."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(EnvironmentFailure, match=rf"127\.0\.0\.1:{port} cannot be reached: .*[Rr]efused"):
        Remote(Reference.of(f"127.0.0.1:{port}/maps/x"))


def _remote(script: Script, pause: Callable[[float], None] = lambda _: None) -> Remote:
    return Remote(Reference.of(f"{script.host}/maps/x:1.0.0"), plain=True, pause=pause)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (403, r"does not allow this with .*/maps/x \(403\)"),
        (429, "too many requests"),
        (500, "failed: 500"),
        (503, "failed: 503"),
    ],
)
def test_each_refusal_has_its_message(scripted: Callable[[], Script], code: int, said: str) -> None:
    """What a registry answers is told in words, with its number."""
    script = scripted()
    script.says("GET", "/v2/maps/x/manifests/1.0.0", code)
    with pytest.raises(EnvironmentFailure, match=said):
        pull(_remote(script))


def test_a_busy_registry_is_waited_for(scripted: Callable[[], Script]) -> None:
    """The seconds of Retry-After are waited, and then it is asked again."""
    script, waits = scripted(), []
    path = "/v2/maps/x/manifests/1.0.0"
    script.says("GET", path, 429, Retry_After="7")
    script.says("GET", path, 503, Retry_After="2")
    script.says("GET", path, 404)
    with pytest.raises(EnvironmentFailure, match=r"\(404\)"):
        pull(_remote(script, waits.append))
    assert waits == [7.0, 2.0]


@pytest.mark.parametrize("wait", ["3600", "Fri, 31 Dec 2999 23:59:59 GMT"])
def test_a_registry_that_asks_for_too_long_is_left(scripted: Callable[[], Script], wait: str) -> None:
    """More than a minute is not waited; the message says how long it would be."""
    script, waits = scripted(), []
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 429, Retry_After=wait)
    with pytest.raises(EnvironmentFailure, match=r"asks to wait [0-9]+ seconds \(429\)"):
        pull(_remote(script, waits.append))
    assert waits == []


def test_a_registry_that_stays_busy_is_left(scripted: Callable[[], Script]) -> None:
    """After a few tries it is said to be busy."""
    script, waits = scripted(), []
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 429, Retry_After="1")
    with pytest.raises(EnvironmentFailure, match=r"too many requests \(429\)"):
        pull(_remote(script, waits.append))
    assert waits == [1.0, 1.0, 1.0]


def _manifest(data: bytes, **changes: object) -> bytes:
    layer = {"mediaType": ARCHIVE, "digest": digest_of(data), "size": len(data), **changes}
    return json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "artifactType": ARTIFACT, "layers": [layer]}).encode()


@pytest.mark.parametrize("change", [b"", b"\0"], ids=["another", "longer"])
def test_a_blob_of_another_digest_is_refused(scripted: Callable[[], Script], change: bytes) -> None:
    """A registry that gives something else than the manifest names is not believed."""
    data, _ = _built("1.0.0")
    wrong = data[:-1] + b"\1" + change if not change else data + change
    script = scripted()
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 200, _manifest(data))
    script.says("GET", f"/v2/maps/x/blobs/{digest_of(data)}", 200, wrong)
    with pytest.raises(BundleError, match=r"another blob|more than"):
        pull(_remote(script))


def test_a_manifest_of_another_digest_is_refused(scripted: Callable[[], Script]) -> None:
    """What is named by digest has that digest."""
    script, digest = scripted(), f"sha256:{'0' * 64}"
    script.says("GET", f"/v2/maps/x/manifests/{digest}", 200, _manifest(b"x"))
    with pytest.raises(BundleError, match="another manifest than sha256:000"):
        pull(Remote(Reference.of(f"{script.host}/maps/x@{digest}"), plain=True))


def test_a_blob_that_ends_early_is_one_message(scripted: Callable[[], Script]) -> None:
    """A connection that breaks in the middle gives nothing."""
    data, _ = _built("1.0.0")
    script = scripted()
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 200, _manifest(data))
    script.says(
        "GET", f"/v2/maps/x/blobs/{digest_of(data)}", 200, data[:100], Content_Length=str(len(data)), Connection="close"
    )
    with pytest.raises(EnvironmentFailure, match="cannot be reached"):
        pull(_remote(script))


@pytest.mark.parametrize(
    "manifest",
    [
        b"", b"{", b"[]", b"3", b"{}", b"[" * 50_000, _manifest(b"x", mediaType="text/plain"), _manifest(b"x", size=-1), _manifest(b"x", size=True),
        _manifest(b"x", size=10**12), _manifest(b"x", digest="sha256:../../x"), _manifest(b"x", digest=5), b"x" * (5 * 1024 * 1024),
        json.dumps({"artifactType": ARTIFACT, "layers": []}).encode(), json.dumps({"artifactType": "a", "layers": []}).encode(),
    ],
)  # fmt: skip
def test_what_is_no_bundle_is_refused_before_it_is_fetched(scripted: Callable[[], Script], manifest: bytes) -> None:
    """An image, a broken or a hostile manifest is one message, and no layer is asked for."""
    script = scripted()
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 200, manifest)
    with pytest.raises(BundleError):
        pull(_remote(script))
    assert not [path for _, path, _ in script.asked if "/blobs/" in path]


def test_a_password_is_not_sent_to_another_place(
    scripted: Callable[[], Script], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A registry that sends an upload to another host does not get the login sent there."""
    script, other = scripted(), scripted()
    _login(tmp_path, script.host, monkeypatch)
    script.says("POST", "/v2/maps/x/blobs/uploads/", 202, Location=f"http://{other.host}/take")
    with pytest.raises(EnvironmentFailure, match="sends an upload to another place"):
        _push(_remote(script), *_built("1.0.0"))
    assert other.asked == []


def test_tokens_are_not_asked_for_without_tls(
    scripted: Callable[[], Script],
) -> None:
    """A registry with TLS that sends its users to a place without it does not get their password sent there."""
    script = scripted()
    remote = _remote(script)
    remote._base = remote._base.replace("http://", "https://")
    with pytest.raises(EnvironmentFailure, match="which is not TLS"):
        remote._check_realm(f'Bearer realm="http://{script.host}/token",service="x"')


def test_a_token_is_asked_for_and_used(scripted: Callable[[], Script]) -> None:
    """A registry that gives tokens to anyone is signed in to without a password."""
    script = scripted()
    challenge = f'Bearer realm="http://{script.host}/token",service="x",scope="repository:maps/x:pull"'
    script.answers[("GET", "/v2/")] = [(401, {"Www-Authenticate": challenge}, b"")]
    script.says("GET", "/token", 200, b'{"token": "of-the-day"}')
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 401, Www_Authenticate=challenge)
    script.says("GET", "/v2/maps/x/manifests/1.0.0", 404)
    assert _remote(script).manifest("1.0.0") is None
    assert script.asked[-1][2]["Authorization"] == "Bearer of-the-day"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "a/b:1",
        "host.example/UPPER:1",
        "host.example/a:",
        "host.example/a@sha256:12",
        "host.example/../a:1",
        "-o.example/a:1 ",
        "h.e/a:1\n",
    ],
)
def test_what_names_nothing_in_a_registry_is_refused(text: str) -> None:
    """A host has a dot or a port, a repository small letters, a digest 64 digits."""
    with pytest.raises(CallError, match="names nothing in a registry"):
        Reference.of(text)


def test_files_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies here is a file, and so is a path without a tag; a name with host and tag, or with oci://, is in a registry."""
    monkeypatch.chdir(tmp_path)
    assert not is_reference("out.d/bundle.tar")
    assert not is_reference("bundle.tar")
    assert is_reference("registry.example.org/maps:1.0.0")
    assert is_reference("oci://anything")
    (tmp_path / "a.b").mkdir()
    (tmp_path / "a.b" / "c:1").touch()
    assert not is_reference("a.b/c:1")
