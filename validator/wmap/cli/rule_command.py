"""``wmap rule``."""

from __future__ import annotations

import click

from wmap.cli.options import write


@click.command()
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain the rule CODE (or name); without one, list all rules."""
    from wmap.check import rules  # noqa: PLC0415  # loaded when the command runs
    from wmap.errors import CallError  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.rules import render_list, render_rule  # noqa: PLC0415  # loaded when the command runs

    known = rules()
    if code is None:
        write(render_list(known))
        return
    found = next((r for r in known if code.upper() == r.code or code.lower() == r.name), None)
    if found is None:
        raise CallError(f"no rule is called {code}", hint="wmap rule lists all")
    write(render_rule(found))
