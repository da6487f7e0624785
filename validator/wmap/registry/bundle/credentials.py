"""Logins that a credential helper of the Docker configuration keeps: a program ``docker-credential-NAME``, asked by its protocol.

What such a program writes may hold the secret, so nothing of it is ever shown.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
from typing import Any

from wmap.errors import CallError, EnvironmentFailure

SECONDS = 60.0
"""What a helper may take: it may ask its user."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}\Z", re.ASCII)
# how a helper says that it has no login for a host, by the protocol
_NONE = b"credentials not found in native keychain"


def from_helper(name: object, host: str) -> str | None:
    """The login for a host that the helper ``docker-credential-NAME`` keeps, as basic authentication has it; None: it has none.

    Raises:
        CallError: the Docker configuration names none that can be.
        EnvironmentFailure: the helper is not there, fails, or answers with something else than a login.
    """
    if not isinstance(name, str) or not _NAME.match(name):
        raise CallError(
            f"the Docker configuration names no credential helper that can be for {host}",
            hint="credsStore and credHelpers hold the NAME of a program docker-credential-NAME",
        )
    program = f"docker-credential-{name}"
    helper = f"the credential helper {program}, which the Docker configuration names for {host},"
    by_hand = f"see what it says: echo {host} | {program} get"
    try:
        done = subprocess.run([program, "get"], input=host.encode(), capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
    except FileNotFoundError:
        raise EnvironmentFailure(
            f"{helper} is not in PATH", hint=f"install it, or take it out of the configuration and docker login {host}"
        ) from None
    except subprocess.TimeoutExpired:
        raise EnvironmentFailure(f"{helper} does not answer within {SECONDS:g} seconds", hint=by_hand) from None
    except OSError as error:
        raise EnvironmentFailure(f"{helper} cannot be run: {error.strerror}", hint="see its rights") from None
    if done.returncode != 0:
        if _NONE in done.stdout or _NONE in done.stderr:
            return None
        raise EnvironmentFailure(f"{helper} fails (exit code {done.returncode})", hint=by_hand)
    try:
        answer: Any = json.loads(done.stdout)
    except (ValueError, RecursionError):
        answer = None
    found = [answer.get(key) for key in ("Username", "Secret")] if isinstance(answer, dict) else []
    said = [word for word in found if isinstance(word, str)]
    if len(said) != 2:
        raise EnvironmentFailure(f"{helper} answers with something else than a login", hint=by_hand)
    return base64.b64encode(":".join(said).encode()).decode() if any(said) else None
