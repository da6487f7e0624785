"""How long a server that is busy asks to be left alone."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 60.0
"""Seconds of all waits that one server may ask for, together."""


def retry_after(status: int, said: str) -> float | None:
    """The seconds that a busy server (429, 503) asks to wait, None where it is not busy or says nothing.

    ``said`` is its header ``Retry-After``: a number, or a date.
    """
    said = said.strip()
    if status not in (429, 503) or not said:
        return None
    if said.isascii() and said.isdigit() and len(said) < 10:
        return float(said)
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
