"""A sigstore of the tests' own, offline: an authority that certifies identities, a log of certificates, and a log of signatures.

What it makes has the form that sigstore's services give, so the reference client verifies it; its keys are made anew in each run.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

if TYPE_CHECKING:
    from pathlib import Path

NOW = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
ISSUER = ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
TIMESTAMPS = ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
ORIGIN = "log.example.org - 1"


def _new() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _spki(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)


def _sign(key: ec.EllipticCurvePrivateKey, data: bytes) -> bytes:
    return key.sign(data, ec.ECDSA(hashes.SHA256()))


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _id(key: ec.EllipticCurvePrivateKey) -> bytes:
    return hashlib.sha256(_spki(key)).digest()


@dataclass
class Service:
    """The services: ``ca`` certifies, ``ct`` logs certificates, ``rekor`` logs signatures."""

    ca: ec.EllipticCurvePrivateKey = field(default_factory=_new)
    ct: ec.EllipticCurvePrivateKey = field(default_factory=_new)
    rekor: ec.EllipticCurvePrivateKey = field(default_factory=_new)

    def __post_init__(self) -> None:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of the tests")])
        self._root = (
            self._certificate(name, name, self.ca)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(self._usage(sign=False, certify=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.ca.public_key()), critical=False)
            .sign(self.ca, hashes.SHA256())
        )

    def trust_root(self, file: Path) -> str:
        """Write the trust root as sigstore's TUF repository has it."""
        valid = {"start": "2026-01-01T00:00:00Z"}

        def log(key: ec.EllipticCurvePrivateKey) -> dict[str, Any]:
            public = {"rawBytes": _b64(_spki(key)), "keyDetails": "PKIX_ECDSA_P256_SHA_256", "validFor": valid}
            base = "https://log.example.org"
            return {
                "baseUrl": base,
                "hashAlgorithm": "SHA2_256",
                "publicKey": public,
                "logId": {"keyId": _b64(_id(key))},
            }

        root = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self.rekor)],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "example.org", "commonName": "authority of the tests"},
                    "uri": "https://ca.example.org",
                    "certChain": {"certificates": [{"rawBytes": _b64(self._root.public_bytes(form.Encoding.DER))}]},
                    "validFor": valid,
                }
            ],
            "ctlogs": [log(self.ct)],
            "timestampAuthorities": [],
        }
        file.write_text(json.dumps(root))
        return str(file)

    def signed(self, payload: bytes, identity: str, issuer: str) -> bytes:
        """The sigstore bundle of a statement, signed by an identity that an issuer vouches for."""
        key = _new()
        leaf = self._leaf(key, identity, issuer)
        kind = "application/vnd.in-toto+json"
        signature = _sign(key, f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload)
        pem = leaf.public_bytes(form.Encoding.PEM)
        envelope = {"payload": _b64(payload), "payloadType": kind, "signatures": [{"sig": _b64(signature)}]}
        body = json.dumps(
            {
                "apiVersion": "0.0.1",
                "kind": "dsse",
                "spec": {
                    "envelopeHash": {
                        "algorithm": "sha256",
                        "value": hashlib.sha256(json.dumps(envelope).encode()).hexdigest(),
                    },
                    "payloadHash": {"algorithm": "sha256", "value": hashlib.sha256(payload).hexdigest()},
                    "signatures": [{"signature": _b64(signature), "verifier": _b64(pem)}],
                },
            },
            separators=(",", ":"),
            sort_keys=True,
        ).encode()
        document = {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {
                "certificate": {"rawBytes": _b64(leaf.public_bytes(form.Encoding.DER))},
                "tlogEntries": [self._logged(body)],
            },
            "dsseEnvelope": envelope,
        }
        return json.dumps(document).encode()

    def _logged(self, body: bytes) -> dict[str, Any]:
        """An entry of a log that holds nothing else: its hash is the root of the tree."""
        root = hashlib.sha256(b"\0" + body).digest()
        time, name = int(NOW.timestamp()), _id(self.rekor)
        head = f"{ORIGIN}\n1\n{_b64(root)}\n"
        note = (
            f"{head}\n\u2014 {ORIGIN.split(' ', maxsplit=1)[0]} {_b64(name[:4] + _sign(self.rekor, head.encode()))}\n"
        )
        promised = json.dumps(
            {"body": _b64(body), "integratedTime": time, "logID": name.hex(), "logIndex": 0},
            separators=(",", ":"),
            sort_keys=True,
        )
        return {
            "logIndex": "0",
            "logId": {"keyId": _b64(name)},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"},
            "integratedTime": str(time),
            "inclusionPromise": {"signedEntryTimestamp": _b64(_sign(self.rekor, promised.encode()))},
            "inclusionProof": {
                "logIndex": "0", "rootHash": _b64(root), "treeSize": "1", "hashes": [], "checkpoint": {"envelope": note},
            },
            "canonicalizedBody": _b64(body),
        }  # fmt: skip

    def _leaf(self, key: ec.EllipticCurvePrivateKey, identity: str, issuer: str) -> x509.Certificate:
        """A certificate of ten minutes for an identity, and the word of the log of certificates that it was logged."""
        builder = (
            self._certificate(x509.Name([]), self._root.subject, key)
            .add_extension(self._usage(sign=True, certify=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.ca.public_key()), critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.UniformResourceIdentifier(identity)]), critical=True)
            .add_extension(x509.UnrecognizedExtension(ISSUER, issuer.encode()), critical=False)
        )
        before = builder.sign(self.ca, hashes.SHA256()).tbs_certificate_bytes
        stamp = int(NOW.timestamp() * 1000)
        logged = (
            b"\0\0"
            + stamp.to_bytes(8, "big")
            + b"\0\1"
            + _id(self.ca)
            + len(before).to_bytes(3, "big")
            + before
            + b"\0\0"
        )
        signature = _sign(self.ct, logged)
        word = (
            b"\0"
            + _id(self.ct)
            + stamp.to_bytes(8, "big")
            + b"\0\0"
            + b"\4\3"
            + len(signature).to_bytes(2, "big")
            + signature
        )
        listed = len(word).to_bytes(2, "big") + word
        words = len(listed).to_bytes(2, "big") + listed
        octets = b"\x04" + (bytes([len(words)]) if len(words) < 128 else b"\x81" + bytes([len(words)])) + words
        return builder.add_extension(x509.UnrecognizedExtension(TIMESTAMPS, octets), critical=False).sign(
            self.ca, hashes.SHA256()
        )

    def _certificate(
        self, subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(
                NOW - dt.timedelta(minutes=5) if subject != issuer else dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
            )
            .not_valid_after(
                NOW + dt.timedelta(minutes=5) if subject != issuer else dt.datetime(2036, 1, 1, tzinfo=dt.UTC)
            )
        )

    def _usage(self, *, sign: bool, certify: bool) -> x509.KeyUsage:
        return x509.KeyUsage(
            digital_signature=sign, key_cert_sign=certify, crl_sign=certify, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
        )  # fmt: skip
