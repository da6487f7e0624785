"""The errors that every room raises: about the call or the environment, never about the user's data.

What is wrong with the data is a finding (``wmap.findings``) and is returned. Every error says what happened, where,
and what to do; its ``exit_code`` is what the command line ends with (design: 1 the artefact is bad, 2 the call was
wrong, 3 the environment failed, 130 interrupted).
"""

from __future__ import annotations

from typing import ClassVar


class WmapError(Exception):
    """The base of all errors of this package.

    Attributes:
        message: what happened and where, one sentence without a final full stop.
        hint: what to do about it, or None where nothing can be advised.
        exit_code: the exit code of the command line.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  hint: {self.hint}"


class CallError(WmapError):
    """The call was wrong: an argument, a path that does not exist, a folder without files."""

    exit_code = 2


class EnvironmentFailure(WmapError):
    """The environment failed: no permission, no space, no network, no program."""

    exit_code = 3


class InputError(WmapError):
    """The artefact is bad and cannot be read at all: not YAML, no kind, too large, a kind that no definition knows."""

    exit_code = 1


class UnknownKindError(InputError):
    """No definition reads objects of this kind.

    Attributes:
        kind: which, as ``v1 ConfigMap``.
    """

    def __init__(self, kind: str, *, hint: str | None = None) -> None:
        super().__init__(f"no definition reads {kind}", hint=hint)
        self.kind = kind
