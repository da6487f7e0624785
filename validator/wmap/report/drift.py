"""Drift as text, JSON and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.check.drift import Change, Drift, Effect, to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def as_text(found: Sequence[Drift]) -> str:
    """A heading for each definition, then its changes by effect, the worst first."""
    lines: list[str] = []
    for drift in found:
        lines.append(f"{drift.definition} ({drift.framework} {_span(drift)})")
        lines += [f"  {_line(c)}" for c in drift.changes]
        if not drift.changes:
            lines.append("  nothing that it reads changed")
        lines.append(f"  {_count(drift.unread, 'change')} of fields that it does not read")
    lines.append(_sums(found))
    return "\n".join(lines) + "\n"


def as_json(found: Sequence[Drift]) -> str:
    """The document of ``wmap drift -o json``."""
    import orjson  # noqa: PLC0415  # only for JSON

    document = {"schemaVersion": 1, "drift": [to_dict(d) for d in found]}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def as_markdown(found: Sequence[Drift]) -> str:
    """A table for each definition that drifts; what nothing reads is counted."""
    parts = ["# Drift", "", _sums(found), ""]
    for drift in found:
        parts += [f"## {drift.definition}", "", f"{drift.framework}, {_span(drift)}", ""]
        if drift.changes:
            parts += ["| effect | releases | what | change |", "| --- | --- | --- | --- |"]
            parts += [
                f"| {c.effect} | {c.old} to {c.new} | `{_cell(c.subject)}` | {_cell(c.message)} |"
                for c in drift.changes
            ]
            parts.append("")
        parts += [f"{_count(drift.unread, 'change')} of fields that it does not read.", ""]
    return "\n".join(parts)


FORMATS: dict[str, Callable[[Sequence[Drift]], str]] = {"text": as_text, "json": as_json, "markdown": as_markdown}
"""The formats of ``-o``."""


def _line(change: Change) -> str:
    where = f" [{_short(change.fields[0])}{_more(change)}]" if change.fields else ""
    return f"{change.effect:7} {change.old} -> {change.new}  {change.subject}: {change.message}{where}"


def _short(field: str) -> str:
    return field.removeprefix("spec.").removeprefix("structureDefinition.").removeprefix("rootComponent.")


def _more(change: Change) -> str:
    return f" and {len(change.fields) - 1} more" if len(change.fields) > 1 else ""


def _span(drift: Drift) -> str:
    return f"{drift.releases[0]} to {drift.releases[-1]}" if drift.releases else "no release"


def _sums(found: Sequence[Drift]) -> str:
    number = {e: sum(c.effect is e for d in found for c in d.changes) for e in Effect}
    said = [f"{n} {e} ({e.meaning})" for e, n in number.items() if n]
    return f"{_count(len(found), 'definition')}: {', '.join(said) or 'no change of what they read'}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("`", "'")
