"""``wmap rule``."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from wmap.cli.options import write


@click.command()
@click.argument("code", required=False)
@click.option(
    "--write",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a page for each rule into a folder.",
)
def command(code: str | None, folder: Path | None) -> None:
    """Explain the rule CODE (or name); without one, list all rules."""
    from wmap.check import rules  # noqa: PLC0415  # loaded when the command runs
    from wmap.cluster.rules import RULES as CLUSTER  # noqa: PLC0415  # loaded when the command runs
    from wmap.errors import CallError, EnvironmentFailure  # noqa: PLC0415  # loaded when the command runs
    from wmap.fuzz import fuzz_rules  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.rules import pages, render_list, render_rule  # noqa: PLC0415  # loaded when the command runs

    known = (*rules(), *fuzz_rules(), *CLUSTER)
    if folder is not None:
        if code is not None:
            raise CallError("--write writes the pages of all rules", hint="leave the code out")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, page in pages(known).items():
                (folder / name).write_text(page, encoding="utf-8")
        except OSError as error:
            raise EnvironmentFailure(f"{folder} cannot be written: {error.strerror}") from error
        return
    if code is None:
        write(render_list(known))
        return
    found = next((r for r in known if code.upper() == r.code or code.lower() == r.name), None)
    if found is None:
        names = [n for r in known for n in (r.code, r.name)]
        near = difflib.get_close_matches(code.upper(), names, 1, 0.6) or difflib.get_close_matches(
            code.lower(), names, 1, 0.5
        )
        hint = f"did you mean {near[0]}? " if near else ""
        raise CallError(f"no rule is called {code}", hint=f"{hint}`wmap rule` lists all")
    write(render_rule(found))
