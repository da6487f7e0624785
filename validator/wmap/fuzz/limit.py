"""Limits of a run: at most so much time for one thing, and Ctrl-C, which is never lost."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 20.0
"""What all properties may take on one object; a reading of a thousand instances takes some hundredths of it."""


class TookTooLong(Exception):
    """The time is over."""


@contextmanager
def at_most(seconds: float = SECONDS) -> Iterator[None]:
    """Raise ``TookTooLong`` in what takes longer; without effect outside the main thread and where there are no timers.

    Raises:
        TookTooLong: the time is over.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_asked: list[bool] = []


@contextmanager
def interruptible() -> Iterator[None]:
    """Remember Ctrl-C, so that ``stop_if_asked`` raises it again where it was swallowed.

    Python drops what is raised in a callback of the garbage collector or a finalizer, and Hypothesis has such callbacks.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def asked(*_: object) -> None:
        _asked.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, asked)
    try:
        yield
        stop_if_asked()
    finally:
        _asked.clear()
        signal.signal(signal.SIGINT, before)


def stop_if_asked() -> None:
    """Raise ``KeyboardInterrupt`` once more where Ctrl-C was pressed within ``interruptible``."""
    if _asked:
        raise KeyboardInterrupt
