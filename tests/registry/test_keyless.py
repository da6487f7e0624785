"""Keyless signatures: verified offline by a pinned trust root, for one identity of one issuer, and for nobody else."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
import sigstore
from tests.bundles import built
from tests.sigstore_service import Service

from wmap.errors import CallError
from wmap.registry.bundle import BundleError, Trust, read_bundle
from wmap.registry.bundle.trust import Beside, judge

IDENTITY = "https://github.com/example/maps/.github/workflows/release.yml@refs/tags/v1.0.0"
ISSUER = "https://token.actions.githubusercontent.com"
SERVICE = Service()


@pytest.fixture
def root(tmp_path: Path) -> str:
    """The trust root of the service that signs."""
    return SERVICE.trust_root(tmp_path / "trusted_root.json")


def _judge(signature: bytes, root: str, identity: str = IDENTITY, issuer: str = ISSUER) -> str | None:
    trust = Trust(root=root, identity=identity, issuer=issuer)
    return judge(read_bundle(built().data), Beside(built().statement, signature), trust).signer


def test_the_identity_that_signed_is_vouched_for(root: str) -> None:
    """A workflow's signature verifies for that workflow and its issuer."""
    assert _judge(SERVICE.signed(built().statement, IDENTITY, ISSUER), root) == IDENTITY


def test_another_identity_or_issuer_is_refused(root: str) -> None:
    """A true signature of another workflow, or of one that somebody else vouches for, is not ours."""
    signature = SERVICE.signed(built().statement, IDENTITY, ISSUER)
    for identity, issuer in (
        (IDENTITY.replace("v1.0.0", "v1.0.1"), ISSUER),
        (IDENTITY, "https://accounts.example.org"),
    ):
        with pytest.raises(BundleError, match="the signature does not hold"):
            _judge(signature, root, identity, issuer)


def test_another_authority_is_refused(root: str) -> None:
    """Anyone can run such services; only those of the pinned trust root count, each of the three."""
    for strange in (
        Service(),
        Service(ct=SERVICE.ct, rekor=SERVICE.rekor),
        Service(ca=SERVICE.ca, rekor=SERVICE.rekor),
    ):
        with pytest.raises(BundleError, match="the signature does not hold"):
            _judge(strange.signed(built().statement, IDENTITY, ISSUER), root)
    # the root's certificate is made anew from the same key, so only the log differs here
    with pytest.raises(BundleError, match="the signature does not hold"):
        _judge(Service(ca=SERVICE.ca, ct=SERVICE.ct).signed(built().statement, IDENTITY, ISSUER), root)


def test_what_sigstore_publishes_is_a_trust_root_and_does_not_vouch_for_us() -> None:
    """The trust root that the client carries can be pinned; a signature by the tests' services is nothing to it."""
    (recorded,) = Path(sigstore.__file__).parent.glob("_store/*tuf-repo-cdn.sigstore.dev/trusted_root.json")
    with pytest.raises(BundleError, match="the signature does not hold"):
        _judge(SERVICE.signed(built().statement, IDENTITY, ISSUER), str(recorded))


def test_a_changed_payload_is_refused(root: str) -> None:
    """Who changes the statement after it was signed and logged is found out."""
    document = json.loads(SERVICE.signed(built().statement, IDENTITY, ISSUER))
    changed = built().statement.replace(b"example.org", b"example.net")
    document["dsseEnvelope"]["payload"] = base64.b64encode(changed).decode()
    trust = Trust(root=root, identity=IDENTITY, issuer=ISSUER)
    with pytest.raises(BundleError, match="the signature does not hold"):
        judge(read_bundle(built().data), Beside(changed, json.dumps(document).encode()), trust)


@pytest.mark.parametrize("missing", ["tlogEntries", "certificate"])
def test_a_signature_without_its_proof_is_refused(root: str, missing: str) -> None:
    """Without the log's entry, or the certificate, nothing is proven."""
    document = json.loads(SERVICE.signed(built().statement, IDENTITY, ISSUER))
    del document["verificationMaterial"][missing]
    with pytest.raises(BundleError):
        _judge(json.dumps(document).encode(), root)


def test_a_key_is_not_an_identity(root: str) -> None:
    """A bundle signed by a key is refused where an identity is asked for, and says so."""
    from cryptography.hazmat.primitives.asymmetric import ec

    from wmap.registry.bundle.envelope import sign

    with pytest.raises(BundleError, match="signed by a key, not by an identity"):
        _judge(sign(built().statement, ec.derive_private_key(7, ec.SECP256R1())), root)


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"mediaType": "x"}'])
def test_what_is_no_trust_root_is_named(tmp_path: Path, text: str) -> None:
    """A file that is none, and a file that is not there, are errors of the call."""
    (tmp_path / "root.json").write_text(text)
    for file in (tmp_path / "root.json", tmp_path / "none.json"):
        with pytest.raises(CallError):
            _judge(SERVICE.signed(built().statement, IDENTITY, ISSUER), str(file))
