"""Addresses for people: users and passwords are left out, also of what is malformed."""

from __future__ import annotations

import pytest

from wmap.addresses import without_user, without_users


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("oci://user:secret@host.example/a:1", "oci://host.example/a:1"),
        ("user:secret@host.example/a:1", "host.example/a:1"),
        ("oci://user:se@cr/et@host.example/a:1", "oci://host.example/a:1"),
        ("oci://user:secret%40host.example/a", "oci://host.example/a"),
        (f"oci://user:secret@host.example/a@sha256:{'0' * 64}", f"oci://host.example/a@sha256:{'0' * 64}"),
        ("https://user:secret@", "https://"),
        ("host.example/a:1", "host.example/a:1"),
        (f"host.example/a@sha256:{'0' * 64}", f"host.example/a@sha256:{'0' * 64}"),
    ],
)
def test_an_address_is_shown_from_its_host_on(address: str, shown: str) -> None:
    """What stands before the host goes, whatever is in it; a digest stays."""
    assert without_user(address) == shown


def test_the_addresses_within_a_text_are_shown_from_their_hosts_on() -> None:
    """A password in a message goes; the user of ssh and all else stays."""
    text = "got (oci://u:secret@h.e/x) and https://token@h.e, ssh://git@h.e/x, ssh://git:secret@h.e, a@example.org"
    assert without_users(text) == "got (oci://h.e/x) and https://h.e, ssh://git@h.e/x, ssh://h.e, a@example.org"
