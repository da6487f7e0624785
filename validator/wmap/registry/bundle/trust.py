"""What stands beside a bundle, its provenance and signature, judged by what the reader trusts: a key, or an identity and a trust root."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.envelope import hint_of, public_key, read_envelope, verify
from wmap.registry.bundle.keyless import verify_keyless
from wmap.registry.bundle.provenance import LARGEST, Provenance, check_statement

if TYPE_CHECKING:
    from wmap.registry.bundle.content import Bundle

PROVENANCE = ".provenance.json"
SIGNATURE = ".sigstore.json"
"""What follows the name of an archive in those of the files beside it."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose signature is asked for: a public key (PEM file), or an identity, who vouches for it, and sigstore's trust root (file).

    Raises:
        CallError: both are named, a part of the second is missing, or one is empty.
    """

    key: str | None = None
    root: str | None = None
    identity: str | None = None
    issuer: str | None = None

    def __post_init__(self) -> None:
        """See that one way is named, whole."""
        if "" in (self.key, self.root, self.identity, self.issuer):
            # a variable that is not set must not pass for a signature that nobody asked for
            raise CallError("a key, trust root, identity or issuer is empty", hint="name it, or leave its option out")
        keyless = (self.root, self.identity, self.issuer)
        if any(keyless) and not all(keyless):
            raise CallError(
                "a keyless signature is checked by a trust root, an identity and an issuer",
                hint="give --trust-root, --identity and --issuer",
            )
        if self.key and self.root:
            raise CallError("a signature is checked by a key or by a trust root", hint="give one of them")

    @property
    def asked(self) -> bool:
        """Whether a signature is asked for."""
        return bool(self.key or self.root)


@dataclass(frozen=True, slots=True)
class Beside:
    """The files beside a bundle, as bytes, None where there is none."""

    provenance: bytes | None = None
    signature: bytes | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a bundle's origin.

    ``provenance``: what its statement says; ``signer``: who signed that, by the trust asked for; ``signed``: there is a signature.
    """

    provenance: Provenance | None
    signed: bool
    signer: str | None


def read_beside(file: str) -> Beside:
    """What lies beside an archive.

    Raises:
        EnvironmentFailure: it cannot be read.
    """
    return Beside(_read(Path(file + PROVENANCE)), _read(Path(file + SIGNATURE)))


def judge(bundle: Bundle, beside: Beside, trust: Trust) -> Standing:
    """See that what stands beside a bundle is about it, and that who is trusted signed it.

    Raises:
        BundleError: it is not, or nobody did.
        CallError: the key or trust root cannot be used.
        EnvironmentFailure: a library that checks signatures is not installed.
    """
    said = None
    if beside.provenance is not None:
        said = check_statement(beside.provenance, bundle.digest, bundle.version)
    if beside.signature is None:
        if trust.asked:
            raise BundleError("it is not signed", hint=f"its signature lies beside it, as FILE{SIGNATURE}")
        return Standing(said, signed=False, signer=None)
    envelope = read_envelope(beside.signature)
    signed = check_statement(envelope.payload, bundle.digest, bundle.version)
    if beside.provenance is not None and beside.provenance != envelope.payload:
        raise BundleError("its provenance is not the one that was signed", hint="fetch both again")
    signer = None
    if trust.key is not None:
        if envelope.keyless:
            raise BundleError(
                "it is signed by an identity, not by a key", hint="give --trust-root, --identity and --issuer"
            )
        key = public_key(trust.key)
        verify(envelope, key)
        signer = f"the key {hint_of(key)}"
    elif trust.root is not None and trust.identity is not None and trust.issuer is not None:
        if not envelope.keyless:
            raise BundleError("it is signed by a key, not by an identity", hint="give --key")
        # what sigstore verified is read again: two readers of one file may disagree
        payload = verify_keyless(beside.signature, trust.root, trust.identity, trust.issuer)
        if payload != envelope.payload:
            raise BundleError("its signature is over another statement than it shows", hint="fetch it again")
        signer = trust.identity
    return Standing(said or signed, signed=True, signer=signer)


def _read(place: Path) -> bytes | None:
    try:
        with place.open("rb") as opened:
            return opened.read(4 * LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EnvironmentFailure(f"{place} cannot be read: {error.strerror}") from error
