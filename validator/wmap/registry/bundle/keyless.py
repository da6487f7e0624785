"""Keyless signatures: made in CI through sigstore, with the identity of the workflow; verified offline against a trust root.

The trust root is a file that the verifier has pinned (``trusted_root.json`` of sigstore's TUF repository): nothing is fetched.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.provenance import MEDIA_TYPE

if TYPE_CHECKING:
    from sigstore.models import TrustedRoot

_MISSING = "sigstore is not installed"
_EXTRA = "pip install 'wmap[bundle]'"


def sign_keyless(payload: bytes) -> bytes:
    """The sigstore bundle of a statement, signed with the identity that the CI gives this process.

    Raises:
        EnvironmentFailure: ``sigstore`` is not installed, there is no such identity, or a service of sigstore fails.
    """
    try:
        from sigstore.dsse import Statement  # noqa: PLC0415  # an extra
        from sigstore.errors import Error  # noqa: PLC0415  # the same
        from sigstore.models import ClientTrustConfig  # noqa: PLC0415  # the same
        from sigstore.oidc import IdentityError, IdentityToken, detect_credential  # noqa: PLC0415  # the same
        from sigstore.sign import SigningContext  # noqa: PLC0415  # the same
    except ImportError as error:
        raise EnvironmentFailure(_MISSING, hint=_EXTRA) from error
    try:
        token = detect_credential()
    except IdentityError as error:
        raise EnvironmentFailure(
            f"the CI gives no identity: {_short(error)}", hint="permissions: id-token: write"
        ) from error
    if token is None:
        raise EnvironmentFailure(
            "there is no identity to sign with: this is no CI that sigstore knows",
            hint="sign with a key of your own: --key FILE",
        )
    try:
        context = SigningContext.from_trust_config(ClientTrustConfig.production())
        with context.signer(IdentityToken(token)) as signer:
            return signer.sign_dsse(Statement(payload)).to_json().encode()
    except (Error, OSError, ValueError) as error:
        raise EnvironmentFailure(f"sigstore did not sign it: {_short(error)}", hint="try again later") from error


def verify_keyless(data: bytes, root: str, identity: str, issuer: str) -> bytes:
    """See that an identity signed a sigstore bundle, by a pinned trust root; gives what was signed. No network.

    ``identity`` is the certificate's (for a workflow its address and ref), ``issuer`` who vouched for it.

    Raises:
        CallError: there is no such trust root, or it is none.
        BundleError: the signature does not hold.
        EnvironmentFailure: ``sigstore`` is not installed.
    """
    try:
        from sigstore.errors import Error  # noqa: PLC0415  # an extra
        from sigstore.models import Bundle  # noqa: PLC0415  # the same
        from sigstore.verify import Verifier  # noqa: PLC0415  # the same
        from sigstore.verify.policy import Identity  # noqa: PLC0415  # the same
    except ImportError as error:
        raise EnvironmentFailure(_MISSING, hint=_EXTRA) from error
    verifier = Verifier(trusted_root=_trust_root(root))
    try:
        kind, payload = verifier.verify_dsse(Bundle.from_json(data), Identity(identity=identity, issuer=issuer))
    except (Error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BundleError(
            f"the signature does not hold: {_short(error)}", hint="check --trust-root, --identity and --issuer"
        ) from error
    if kind != MEDIA_TYPE:
        raise BundleError(f"the signature is not over an in-toto statement but {kind[:100]!r}")
    return payload


def _trust_root(file: str) -> TrustedRoot:
    from sigstore.errors import Error  # noqa: PLC0415  # an extra
    from sigstore.models import TrustedRoot  # noqa: PLC0415  # the same

    if not Path(file).is_file():
        raise CallError(f"there is no file {file}", hint="name sigstore's trusted_root.json, as you pinned it")
    try:
        return TrustedRoot.from_file(file)
    except (Error, ValueError, KeyError, TypeError) as error:
        raise CallError(
            f"{file} is no trust root of sigstore: {_short(error)}", hint="name its trusted_root.json"
        ) from error
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error


def _short(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:300] + "..."
