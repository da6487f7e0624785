"""Rules about suspending and resuming. L7xx."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from wmap.check.rule import Context, Found, rule
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wmap.definition.model import SuspendDefinition, Text

_SUSPEND = """
spec: {structureDefinition: {rootComponent: {suspendDefinition: {
  suspendActions: [{path: .spec.suspend, value: '%s'}], resumeActions: [{path: %s, value: '%s'}]}}}}
"""
_GOOD = _SUSPEND % ("true", ".spec.suspend", "false")


def _suspends(context: Context) -> Iterator[SuspendDefinition]:
    yield from (c.suspend for c in context.definition.components if c.suspend is not None)


def _decoded(text: Text) -> tuple[Any] | None:
    """The value of a JSON text, None where it is none: strictly, without NaN and Infinity."""
    try:
        return (json.loads(text.value, parse_constant=_refuse),)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _path(context: Context, text: Text) -> str:
    """A path in canonical text."""
    expression = context.parsed(text)
    return text.value if expression is None else expression.normal


@rule(
    "L701",
    "suspend-value",
    Severity.ERROR,
    "The values of suspend and resume actions are JSON.",
    "Consumers decode them before they write.",
    source="the public library of the format",
    bad=_SUSPEND % ("yes", ".spec.suspend", "false"),
    good=_GOOD,
)
def suspend_value(context: Context) -> Iterator[Found]:
    """Not JSON."""
    for suspend in _suspends(context):
        for action in (*suspend.suspend, *suspend.resume):
            if _decoded(action.value) is None:
                hint = 'write "true", "false", "0" or "\\"text\\""'
                yield action.value, f"{action.value.value:.40} is not JSON", hint, None


@rule(
    "L702",
    "resume-like-suspend",
    Severity.ERROR,
    "Resuming writes something else than suspending.",
    "The same value at the same path cannot do both.",
    source="the public library of the format applies the actions in order",
    bad=_SUSPEND % ("true", ".spec.suspend", "true"),
    good=_GOOD,
)
def resume_like_suspend(context: Context) -> Iterator[Found]:
    """The same value at the same path."""
    for suspend in _suspends(context):
        written = {(_path(context, a.path), _canonical(a.value)) for a in suspend.suspend}
        for action in suspend.resume:
            if (_path(context, action.path), _canonical(action.value)) in written:
                hint = "write the value of a running workload"
                yield action.value, "resuming writes what suspending writes", hint, None


@rule(
    "L703",
    "never-resumed",
    Severity.WARNING,
    "What suspending writes, resuming writes too.",
    "A field that is left as it was suspended keeps the workload from running.",
    source="this catalog: suspending and then resuming restores the reading",
    bad=_SUSPEND % ("true", ".spec.paused", "false"),
    good=_GOOD,
)
def never_resumed(context: Context) -> Iterator[Found]:
    """A path that suspending writes alone."""
    for suspend in _suspends(context):
        restored = {_path(context, a.path) for a in suspend.resume}
        for action in suspend.suspend:
            if _path(context, action.path) not in restored:
                hint = "add a resume action for it"
                yield action.path, "suspending writes here, resuming does not", hint, None


_HALTS = re.compile(r"(?i)(suspend|pause|stop|halt)(ed)?$")


@rule(
    "L704",
    "resumes-to-suspend",
    Severity.ERROR,
    "Suspending switches on what is called suspend, stop or pause; resuming switches it off.",
    "The other way round a scheduler starts what it wants to hold back, and stops what it admits.",
    source="the names of the fields themselves",
    bad=_SUSPEND % ("false", ".spec.suspend", "true"),
    good=_GOOD,
)
def resumes_to_suspend(context: Context) -> Iterator[Found]:
    """The value says the opposite of the field's name."""
    for suspend in _suspends(context):
        for actions, wrong in ((suspend.suspend, False), (suspend.resume, True)):
            for action in actions:
                expression, value = context.parsed(action.path), _decoded(action.value)
                names = [p[-1] for p in expression.reads if isinstance(p[-1], str)] if expression is not None else []
                if (
                    value is not None
                    and value[0] in (wrong, str(wrong).lower())
                    and any(_HALTS.search(n) for n in names)
                ):
                    what = "suspending" if actions is suspend.suspend else "resuming"
                    yield action.value, f"{what} writes {action.value} to {names[0]}", "exchange the two values", None


def _canonical(text: Text) -> str:
    """Equal for JSON texts of equal values."""
    decoded = _decoded(text)
    return text.value if decoded is None else json.dumps(decoded[0], sort_keys=True)
