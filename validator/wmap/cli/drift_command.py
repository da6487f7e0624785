"""``wmap drift``."""

from __future__ import annotations

from pathlib import Path

import click

from wmap.cli.options import catalog_of, output_option, write


@click.command()
@click.argument("names", nargs=-1, metavar="[DEFINITION]...")
@click.option("--since", metavar="TAG", help="Compare the stored releases from this one on only.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Compare the newest stored release with the CRDs in a folder instead.",
)
@click.option("--latest", is_flag=True, help="Compare the newest stored release with the newest tag upstream instead.")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where --latest keeps git repositories.")
@output_option("text", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    since: str | None,
    against: Path | None,
    latest: bool,
    cache: Path | None,
    form: str,
) -> int:
    """Say what changed between upstream releases that definitions read. Exit 1 where a reading breaks."""
    from wmap.check.against import drift_against, drift_latest  # noqa: PLC0415  # loaded when the command runs
    from wmap.check.drift import drift  # noqa: PLC0415  # loaded when the command runs
    from wmap.contract import Store  # noqa: PLC0415  # loaded when the command runs
    from wmap.errors import CallError  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.drift import FORMATS  # noqa: PLC0415  # loaded when the command runs

    if sum((since is not None, against is not None, latest)) > 1:
        raise CallError("--since, --against and --latest exclude each other", hint="ask one at a time")
    definitions = catalog_of(ctx).definitions
    chosen = [definitions.named(n) for n in names] if names else definitions.all()
    store = Store()
    if against is not None:
        found = drift_against(chosen, store, against)
    elif latest:
        from wmap.gitio import default_cache  # noqa: PLC0415  # the same

        found = drift_latest(chosen, store, cache or default_cache())
    else:
        found = [d for d in (drift(x, store, since=since) for x in chosen) if d is not None]
    write(FORMATS[form](found))
    return 1 if any(d.broken for d in found) else 0
