"""Addresses for people to read: without the user and password that somebody wrote into one."""

from __future__ import annotations

import re

# a digest comes after an @, too
_BEFORE = re.compile(r"([a-z][a-z0-9+.-]*://)?.*(?:@|%40)(?!sha256:[0-9a-f])", re.IGNORECASE | re.DOTALL)
# the user of ssh is no secret
_INSIDE = re.compile(
    r"\b((?!ssh:)[a-z][a-z0-9+.-]*://|ssh://(?=[^\s/@]*:))\S*(?:@|%40)(?!sha256:[0-9a-f])", re.IGNORECASE
)
_BARE = re.compile(r"[^\s(,'\"]*:\S*(?:@|%40)(?!sha256:[0-9a-f])", re.IGNORECASE)


def without_user(address: str) -> str:
    """An address without all that stands before its host; also one that is malformed, such as with ``/`` or ``@`` in its password."""
    return _BEFORE.sub(r"\1", address, count=1)


def without_users(text: str, *, bare: bool = False) -> str:
    """A text without the users and passwords of the addresses in it (``SCHEME://USER:PASSWORD@HOST``); a plain user of ssh stays.

    ``bare``: also of those without a scheme, which look like much else.
    """
    plain = _INSIDE.sub(r"\1", text)
    return _BARE.sub("", plain) if bare else plain
