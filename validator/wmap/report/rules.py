"""The pages of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wmap.check.rule import Rule


def render_list(rules: Sequence[Rule]) -> str:
    """Code, severity, name and summary, a line each."""
    width = max(len(r.name) for r in rules)
    return "".join(f"{r.code}  {r.severity:7}  {r.name:{width}}  {r.summary}\n" for r in rules)


def render_rule(rule: Rule) -> str:
    """The page of one rule: what it holds, why, where that comes from, a bad and a good example."""
    parts = [
        f"{rule.code} {rule.name} ({rule.severity}, level {rule.level})",
        "",
        rule.summary,
        "",
        f"Why: {rule.rationale}",
    ]
    if rule.source:
        parts.append(f"Source: {rule.source}")
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        if example:
            parts += ["", f"{title}:", "", *(f"    {line}" for line in example.strip("\n").splitlines())]
    return "\n".join(parts) + "\n"
