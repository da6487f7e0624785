"""``wmap validate``."""

from __future__ import annotations

from pathlib import Path

import click

from wmap.cli.options import write
from wmap.findings import Level, Severity, worst


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--level",
    type=click.Choice([str(x) for x in Level]),
    default="fixture",
    show_default=True,
    help="Run all levels up to this one.",
)
@click.option(
    "--release",
    metavar="TAG|all",
    help="Judge level contract against this release, or all stored ones; else those that are supported and the newest.",
)
@click.option(
    "--fail-on",
    type=click.Choice([str(x) for x in Severity]),
    default="error",
    show_default=True,
    help="The least severity that fails the run.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help="text (default), json, sarif, junit, github or markdown; may be given again, with a file.",
)
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[str, ...], level: str, release: str | None, fail_on: str, outputs: tuple[str, ...]
) -> int:
    """Judge definitions: schema, lint, contracts, fixtures, and where asked fuzzing. Without PATH, the whole catalog."""
    from wmap.check import validate_paths  # noqa: PLC0415  # loaded when the command runs
    from wmap.errors import CallError, EnvironmentFailure  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.findings import FORMATS  # noqa: PLC0415  # loaded when the command runs

    wanted = [o.partition("=") for o in outputs or ("text",)]
    for form, _, _ in wanted:
        if form not in FORMATS:
            raise CallError(f"no output format is called {form}", hint=f"there are: {', '.join(FORMATS)}")
    folder = ctx.find_root().obj
    catalog = Path(folder) if folder else None
    places = [Path(p) for p in paths]
    result = validate_paths(places, catalog=catalog, level=Level(level), release=release)
    if Level(level).rank >= Level.FUZZ.rank:
        from wmap.fuzz.level import with_fuzz  # noqa: PLC0415  # loaded where it is asked for

        result = with_fuzz(result, places, catalog, release)
    for form, _, file in wanted:
        text = FORMATS[form](result)
        if not file:
            write(text)
            continue
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise EnvironmentFailure(f"{file} cannot be written: {error.strerror}") from error
    found = worst(result.findings)
    return 1 if found is not None and found.rank >= Severity(fail_on).rank else 0
