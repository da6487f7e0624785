"""A signature as a file: a DSSE envelope in a sigstore bundle (v0.3, JSON), made with a key pair (ECDSA P-256).

What is signed is the provenance statement, which names the digest of the archive; so one signature holds both.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.provenance import LARGEST, MEDIA_TYPE

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

SIGSTORE_BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json"
_MOST = 4 * LARGEST


@dataclass(frozen=True, slots=True)
class Envelope:
    """A sigstore bundle that was read: nothing of it is verified yet.

    ``payload`` is what was signed; ``keyless``: it holds a certificate, and no hint of a key.
    """

    payload: bytes
    signatures: tuple[bytes, ...]
    keyless: bool
    hint: str | None


def pre_authentication(kind: str, payload: bytes) -> bytes:
    """What is signed of a payload: DSSE's pre-authentication encoding (v1)."""
    name = kind.encode()
    return b"DSSEv1 %d %s %d %s" % (len(name), name, len(payload), payload)


def sign(payload: bytes, key: EllipticCurvePrivateKey) -> bytes:
    """The sigstore bundle of a statement, signed with a private key; the same for the same statement and key."""
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415  # only where something is signed
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # the same

    signature = key.sign(pre_authentication(MEDIA_TYPE, payload), ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    document = {
        "mediaType": SIGSTORE_BUNDLE,
        "verificationMaterial": {"publicKey": {"hint": hint_of(key.public_key())}, "tlogEntries": []},
        "dsseEnvelope": {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": MEDIA_TYPE,
            "signatures": [{"sig": base64.b64encode(signature).decode(), "keyid": ""}],
        },
    }
    return (json.dumps(document, indent=2) + "\n").encode("ascii")


def read_envelope(data: bytes) -> Envelope:
    """The envelope of a sigstore bundle.

    Raises:
        BundleError: it is none, or signs no in-toto statement.
    """
    if len(data) > _MOST:
        raise BundleError(f"the signature has {len(data):,} bytes; at most {_MOST:,} are read")
    try:
        document: Any = json.loads(data)
        kind = document["mediaType"]
        if kind != SIGSTORE_BUNDLE:
            raise BundleError(f"the signature is of form {str(kind)[:100]!r}, and not a sigstore bundle of form v0.3")
        envelope, material = document["dsseEnvelope"], document["verificationMaterial"]
        if envelope["payloadType"] != MEDIA_TYPE:
            raise BundleError(
                f"the signature is not over an in-toto statement but {str(envelope['payloadType'])[:100]!r}"
            )
        keyless = "certificate" in material or "x509CertificateChain" in material
        hint = None if keyless else material["publicKey"].get("hint")
        return Envelope(
            base64.b64decode(envelope["payload"], validate=True),
            tuple(base64.b64decode(s["sig"], validate=True) for s in envelope["signatures"]),
            keyless,
            hint if isinstance(hint, str) else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise BundleError("the signature is no sigstore bundle", hint="wmap bundle sign writes it") from error


def verify(envelope: Envelope, key: EllipticCurvePublicKey) -> None:
    """See that a key signed an envelope.

    Raises:
        BundleError: it did not.
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # only where a signature is checked
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415  # the same
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # the same

    signed = pre_authentication(MEDIA_TYPE, envelope.payload)
    for signature in envelope.signatures:
        try:
            key.verify(signature, signed, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            continue
        return
    other = "" if envelope.hint in (None, hint_of(key)) else f": the signature names the key {envelope.hint[:100]}"
    raise BundleError(f"the key {hint_of(key)} did not sign it{other}", hint="is it the key of who released it?")


def private_key(file: str, password: bytes | None) -> EllipticCurvePrivateKey:
    """The private key of a PEM file.

    Raises:
        CallError: there is no such file, it holds none, or not of the curve P-256; the password is missing or wrong.
        EnvironmentFailure: it cannot be read, or ``cryptography`` is not installed.
    """
    _installed()
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # only where something is signed
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # the same
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415  # the same

    try:
        key = load_pem_private_key(_pem(file), password)
    except TypeError as error:
        hint = "put it into WMAP_KEY_PASSWORD" if password is None else "unset WMAP_KEY_PASSWORD"
        raise CallError(
            f"{file}: {'the key needs a password' if password is None else 'the key has no password'}", hint=hint
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise CallError(
            f"{file} holds no private key that can be read"
            + ("" if password is None else ", or the password is wrong"),
            hint="openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 makes one",
        ) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise CallError(
            f"{file} holds a key of another kind than ECDSA P-256",
            hint="openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 makes one",
        )
    return key


def public_key(file: str) -> EllipticCurvePublicKey:
    """The public key of a PEM file.

    Raises:
        CallError: there is no such file, or it holds none of the curve P-256.
        EnvironmentFailure: it cannot be read, or ``cryptography`` is not installed.
    """
    _installed()
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # only where a signature is checked
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # the same
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415  # the same

    try:
        key = load_pem_public_key(_pem(file))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise CallError(
            f"{file} holds no public key", hint="openssl pkey -in KEY -pubout writes that of a private key"
        ) from error
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise CallError(f"{file} holds a key of another kind than ECDSA P-256", hint="signatures are made with P-256")
    return key


def hint_of(key: EllipticCurvePublicKey) -> str:
    """How a key is named: the SHA-256 of its DER form, in base 64."""
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415  # only where a key is used

    der = key.public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


def _pem(file: str) -> bytes:
    if not Path(file).is_file():
        raise CallError(f"there is no file {file or repr(file)}", hint="name a key in PEM form")
    try:
        with Path(file).open("rb") as opened:
            return opened.read(LARGEST)
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error


def _installed() -> None:
    try:
        import cryptography  # noqa: F401, PLC0415  # an extra
    except ImportError as error:
        raise EnvironmentFailure("cryptography is not installed", hint="pip install 'wmap[bundle]'") from error
