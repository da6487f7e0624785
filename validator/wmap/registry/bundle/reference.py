"""Names of bundles in OCI registries: ``HOST[:PORT]/REPOSITORY[:TAG][@sha256:DIGEST]``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from wmap.addresses import without_user
from wmap.errors import CallError

SCHEME = "oci://"

_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}"
_REFERENCE = re.compile(
    rf"(?P<host>{_HOST})/(?P<repository>{_PART}(?:/{_PART})*)(?::(?P<tag>{_TAG}))?(?:@(?P<digest>sha256:[0-9a-f]{{64}}))?\Z",
    re.ASCII,
)
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in a registry. ``tag`` and ``digest`` (``sha256:HEX``, of the manifest) are None where they are not given."""

    host: str
    repository: str
    tag: str | None
    digest: str | None

    @classmethod
    def of(cls, text: str) -> Reference:
        """The reference that a text is, with or without ``oci://``.

        Raises:
            CallError: it is none, or holds a user or password; these are never shown.
        """
        said = without_user(text)
        if said != text:
            raise CallError(
                f"the name of {said[:200]!r} holds a user or password",
                hint="leave it out: the login is that of the Docker configuration (docker login HOST)",
            )
        name = text.removeprefix(SCHEME)
        found = _REFERENCE.match(name) if len(name) <= _LONGEST else None
        if found is None or not _is_host(found["host"]):
            raise CallError(
                f"{text[:200]!r} names nothing in a registry",
                hint="write HOST/REPOSITORY:TAG or HOST/REPOSITORY@sha256:DIGEST, such as oci://registry.example.org/maps/catalog:1.4.0",
            )
        return cls(found["host"], found["repository"], found["tag"], found["digest"])

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.host}/{self.repository}{tag}" + (f"@{self.digest}" if self.digest else "")


def is_tag(text: str) -> bool:
    """Whether a text can be a tag."""
    return re.fullmatch(_TAG, text, re.ASCII) is not None


def is_reference(text: str) -> bool:
    """Whether an argument that may be a file names a bundle in a registry: it says so, or there is no such file and it looks like one."""
    if text.startswith(SCHEME):
        return True
    plain = without_user(text)
    if plain != text:
        # no path to be shown as it is, but a name in a registry with a login in it
        return not os.path.lexists(text) and is_reference(plain)
    found = _REFERENCE.match(text) if len(text) <= _LONGEST else None
    # without a tag or digest it looks like a path
    return (
        found is not None
        and _is_host(found["host"])
        and bool(found["tag"] or found["digest"])
        and not os.path.lexists(text)
    )


def _is_host(text: str) -> bool:
    """A registry's host has a dot, a port, or is this machine: else it is the first part of a path."""
    if text.endswith("]"):
        return True
    _, mark, port = text.rpartition(":")
    return 0 < int(port) < 65_536 if mark else "." in text or text == "localhost"
