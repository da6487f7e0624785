"""``wmap selftest``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wmap.cli.options import catalog_of, output_option, write

if TYPE_CHECKING:
    from wmap.fuzz.selftest.judge import Verdict


@click.command()
@click.argument("names", nargs=-1, metavar="[DEFINITION]...")
@click.option(
    "--sites", type=click.IntRange(1, 10_000), default=2, show_default=True, help="Places for each way and definition."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Chooses the places.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes.")
@click.option("--list", "listed", is_flag=True, help="List the ways to break a definition.")
@output_option("text", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context, names: tuple[str, ...], sites: int, seed: int, jobs: int, listed: bool, form: str
) -> int:
    """Break the catalog's definitions on purpose, and say which level notices.

    Exit 1: less is caught than is wanted.
    """
    from wmap.check.run import fixtures_of, near  # noqa: PLC0415  # loaded when the command runs
    from wmap.fuzz.selftest.run import Options, operators, selftest  # noqa: PLC0415  # the same
    from wmap.report.selftest import FORMATS  # noqa: PLC0415  # the same

    if listed:
        width = max(len(o.name) for o in operators())
        write("".join(f"{o.name:{width}}  {o.breaks}\n" for o in operators()))
        return 0
    definitions = catalog_of(ctx).definitions
    files = [Path(definitions.named(n).file or "") for n in dict.fromkeys(names)] or definitions.files
    options = Options(fixtures_of(definitions.folder), sites=sites, seed=seed, jobs=jobs)
    result = selftest([near(f) for f in files], options, _progress)
    write(FORMATS[form](result))
    if result.interrupted:
        return 130
    return 0 if result.good else 1


def _progress(name: str, verdicts: list[Verdict]) -> None:
    survived = sum(1 for v in verdicts if v.changes is not None and v.caught is None)
    sys.stderr.write(f"{name}: {len(verdicts)} mutants, {survived} survived\n")
    sys.stderr.flush()
