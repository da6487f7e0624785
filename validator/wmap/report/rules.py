"""The pages of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wmap.findings import Level

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


def render_page(rule: Rule) -> str:
    """The page of one rule in Markdown."""
    silence = (
        f"Where an exception is right, say so at the place: `# wmap: ignore[{rule.code}] because ...`, at the line of the finding or the"
        " line above it."
        if rule.level in (Level.LINT, Level.CONTRACT) and not rule.code.startswith("L9")
        else "It cannot be silenced."
    )
    parts = [
        f"# {rule.code} {rule.name}\n",
        f"Level {rule.level}, {rule.severity}, since 0.1.0.\n",
        f"{rule.summary}\n",
        f"## Why\n\n{rule.rationale}\n\nSource: {rule.source}.\n",
    ]
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        parts.append(f"## {title}\n\n```yaml\n{example.strip(chr(10))}\n```\n")
    parts.append(f"## To silence it\n\n{silence}\n")
    parts.append("Made by `wmap rule --write docs/rules`; the examples are run as tests.\n")
    return "\n".join(parts)


def render_index(rules: Sequence[Rule]) -> str:
    """The list of all pages in Markdown."""
    rows = [f"| [{r.code}]({r.code}.md) | {r.name} | {r.level} | {r.severity} | {r.summary} |" for r in rules]
    head = (
        "# Rules\n\nMade by `wmap rule --write docs/rules`.\n\n"
        "| code | name | level | severity | what it holds |\n| --- | --- | --- | --- | --- |\n"
    )
    return head + "\n".join(row.replace("\n", " ") for row in rows) + "\n"


def pages(rules: Sequence[Rule]) -> dict[str, str]:
    """The files of ``docs/rules`` by name."""
    return {"README.md": render_index(rules), **{f"{r.code}.md": render_page(r) for r in rules}}
