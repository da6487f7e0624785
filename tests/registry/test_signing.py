"""Signatures with a key pair: over the provenance, in a sigstore bundle, and refused wherever one part is another."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import given
from hypothesis import strategies as st
from tests.bundles import built

from wmap.errors import CallError, InputError
from wmap.registry.bundle import BundleError, Trust, read_bundle
from wmap.registry.bundle.envelope import private_key, public_key, read_envelope, sign, verify
from wmap.registry.bundle.trust import Beside, judge


@cache
def _key(name: str) -> ec.EllipticCurvePrivateKey:
    # a scalar that is worked out from a name: the same key each time, and another for each name
    return ec.derive_private_key(int.from_bytes(name.encode(), "big") + 2, ec.SECP256R1())


def _private(folder: Path, key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey, password: bytes = b"") -> str:
    how: form.KeySerializationEncryption = form.BestAvailableEncryption(password) if password else form.NoEncryption()
    file = folder / "private.pem"
    file.write_bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, how))
    return str(file)


def _public(folder: Path, name: str) -> str:
    file = folder / f"{name}.pem"
    public = _key(name).public_key()
    file.write_bytes(public.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))
    return str(file)


def _judge(beside: Beside, trust: Trust) -> str | None:
    return judge(read_bundle(built().data), beside, trust).signer


def test_a_signed_bundle_is_vouched_for_by_its_key(tmp_path: Path) -> None:
    """Who signed is named, and the repository that the signed statement names is known."""
    beside = Beside(built().statement, sign(built().statement, _key("ours")))
    standing = judge(read_bundle(built().data), beside, Trust(key=_public(tmp_path, "ours")))
    assert standing.signer is not None
    assert standing.signer.startswith("the key ")
    assert standing.provenance is not None
    assert standing.provenance.repository == "https://example.org/maps"


def test_the_signature_is_over_the_encoding_of_dsse(tmp_path: Path) -> None:
    """Another implementation of ECDSA over the encoding as DSSE's specification words it agrees."""
    document = json.loads(sign(built().statement, _key("ours")))["dsseEnvelope"]
    payload = base64.b64decode(document["payload"])
    kind = document["payloadType"]
    signed = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    public = public_key(_public(tmp_path, "ours"))
    public.verify(base64.b64decode(document["signatures"][0]["sig"]), signed, ec.ECDSA(hashes.SHA256()))
    assert payload == built().statement


def test_signing_twice_gives_the_same_file() -> None:
    """The signature is worked out from key and statement alone."""
    assert sign(built().statement, _key("ours")) == sign(built().statement, _key("ours"))


def test_another_key_is_refused(tmp_path: Path) -> None:
    """A bundle signed by somebody else is not taken for one of ours."""
    beside = Beside(built().statement, sign(built().statement, _key("theirs")))
    with pytest.raises(BundleError, match=r"did not sign it: the signature names the key"):
        _judge(beside, Trust(key=_public(tmp_path, "ours")))


def test_a_signature_over_another_archive_is_refused(tmp_path: Path) -> None:
    """A true signature of another bundle does not vouch for this one, with and without a key to check it."""
    other = built().statement.replace(read_bundle(built().data).digest[7:].encode(), b"0" * 64)
    signature = sign(other, _key("ours"))
    for trust in (Trust(), Trust(key=_public(tmp_path, "ours"))):
        with pytest.raises(BundleError, match=r"with the digest sha256:000"):
            _judge(Beside(None, signature), trust)


def test_a_provenance_other_than_the_signed_one_is_refused(tmp_path: Path) -> None:
    """The statement beside the archive must be the signed one, byte by byte."""
    signature = sign(built().statement, _key("ours"))
    forged = built().statement.replace(b"example.org", b"example.net")
    with pytest.raises(BundleError, match="is not the one that was signed"):
        _judge(Beside(forged, signature), Trust(key=_public(tmp_path, "ours")))


def test_a_missing_signature_is_refused_when_asked_for(tmp_path: Path) -> None:
    """Taking the signature away does not make a bundle pass that was to be signed."""
    with pytest.raises(BundleError, match="it is not signed"):
        _judge(Beside(built().statement), Trust(key=_public(tmp_path, "ours")))


def test_a_signature_that_nobody_asked_for_is_not_called_checked() -> None:
    """Without a key the signature is read, and nobody is named as signer."""
    beside = Beside(built().statement, sign(built().statement, _key("theirs")))
    standing = judge(read_bundle(built().data), beside, Trust())
    assert (standing.signed, standing.signer) == (True, None)


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_any_changed_byte_of_the_payload_is_refused(at: int, change: int) -> None:
    """The signature holds for the bytes that were signed alone."""
    document = json.loads(sign(built().statement, _key("ours")))
    payload = bytearray(base64.b64decode(document["dsseEnvelope"]["payload"]))
    payload[at % len(payload)] ^= change
    document["dsseEnvelope"]["payload"] = base64.b64encode(bytes(payload)).decode()
    envelope = read_envelope(json.dumps(document).encode())
    with pytest.raises(BundleError, match="did not sign it"):
        verify(envelope, _key("ours").public_key())


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=5), lambda c: st.lists(c, max_size=3), max_leaves=6))
def test_a_broken_signature_file_is_one_message(value: object) -> None:
    """Whatever else stands in a place of a signature file, it is refused by a message."""
    places = (
        ("mediaType",),
        ("verificationMaterial",),
        ("dsseEnvelope",),
        ("dsseEnvelope", "payload"),
        ("dsseEnvelope", "payloadType"),
        ("dsseEnvelope", "signatures"),
    )
    for path in places:
        document = json.loads(sign(built().statement, _key("ours")))
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = value
        with pytest.raises(InputError):
            verify(read_envelope(json.dumps(document).encode()), _key("ours").public_key())


@pytest.mark.parametrize(
    ("curve", "said"), [("p384", "another kind"), ("ed25519", "another kind"), ("text", "no private key")]
)
def test_a_key_of_another_kind_is_refused(tmp_path: Path, curve: str, said: str) -> None:
    """One kind of key signs; another is named as what it is not, before anything is signed."""
    file = tmp_path / "private.pem"
    if curve == "text":
        file.write_text("no key", encoding="utf-8")
    elif curve == "p384":
        _private(tmp_path, ec.generate_private_key(ec.SECP384R1()))
    else:
        _private(tmp_path, ed25519.Ed25519PrivateKey.generate())
    with pytest.raises(CallError, match=said):
        private_key(str(file), None)


def test_a_key_with_a_password_needs_it(tmp_path: Path) -> None:
    """The right password opens the key; none, a wrong one, and one for a key without are told apart."""
    locked = _private(tmp_path, _key("ours"), b"s3cret")
    assert private_key(locked, b"s3cret").private_numbers() == _key("ours").private_numbers()
    with pytest.raises(CallError, match="needs a password"):
        private_key(locked, None)
    with pytest.raises(CallError, match="the password is wrong"):
        private_key(locked, b"other")
    with pytest.raises(CallError, match="has no password"):
        private_key(_private(tmp_path, _key("ours")), b"s3cret")


def test_a_public_key_is_no_private_one_and_the_other_way_round(tmp_path: Path) -> None:
    """Mixed up key files are refused with what to do."""
    with pytest.raises(CallError, match="no private key"):
        private_key(_public(tmp_path, "ours"), None)
    with pytest.raises(CallError, match="no public key"):
        public_key(_private(tmp_path, _key("ours")))


def test_trust_is_named_whole_and_in_one_way() -> None:
    """A keyless signature needs all three of its parts, and a key excludes them."""
    with pytest.raises(CallError, match="trust root, an identity and an issuer"):
        Trust(root="r", identity="i")
    with pytest.raises(CallError, match="by a key or by a trust root"):
        Trust(key="k", root="r", identity="i", issuer="u")


def test_a_key_does_not_check_a_keyless_signature_nor_the_other_way_round(tmp_path: Path) -> None:
    """The way in which it was signed and the one asked for must be one."""
    signature = json.loads(sign(built().statement, _key("ours")))
    by_root = Trust(root=str(tmp_path / "r.json"), identity="i", issuer="u")
    with pytest.raises(BundleError, match="signed by a key, not by an identity"):
        _judge(Beside(None, json.dumps(signature).encode()), by_root)
    signature["verificationMaterial"] = {"certificate": {"rawBytes": ""}}
    with pytest.raises(BundleError, match="signed by an identity, not by a key"):
        _judge(Beside(None, json.dumps(signature).encode()), Trust(key=_public(tmp_path, "ours")))
