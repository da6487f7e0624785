"""``wmap validate``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wmap.cli.options import git_place, write
from wmap.findings import Level, Severity, worst

if TYPE_CHECKING:
    from wmap.check.run import Result


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
    "--changed-since",
    "ref",
    metavar="REF",
    help="Judge only what the checkout changes since it left REF; what was wrong before is old, and fails nothing.",
)
@click.option("--all", "old_counts", is_flag=True, help="With --changed-since: old findings fail the run too.")
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
    ctx: click.Context,
    paths: tuple[str, ...],
    level: str,
    release: str | None,
    ref: str | None,
    fail_on: str,
    outputs: tuple[str, ...],
    *,
    old_counts: bool,
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
    if old_counts and ref is None:
        raise CallError("--all counts old findings, of which there are none", hint="say --changed-since REF")
    if ref is not None:
        result = _changed(folder, places, ref, Level(level), release, old_counts=old_counts)
    else:
        result = validate_paths(places, catalog=catalog, level=Level(level), release=release)
    if Level(level).rank >= Level.FUZZ.rank and ref is None:
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
    found = worst([f for f in result.findings if result.counts(f)])
    return 1 if found is not None and found.rank >= Severity(fail_on).rank else 0


def _changed(
    folder: str | None, places: list[Path], ref: str, level: Level, release: str | None, *, old_counts: bool
) -> Result:
    """What the checkout around the catalog changes since a ref."""
    from wmap.errors import CallError  # noqa: PLC0415  # loaded when the command runs
    from wmap.registry.since import validate_since  # noqa: PLC0415  # the same
    from wmap.registry.state import CATALOG  # noqa: PLC0415  # the same

    top = Path(git_place(None))
    if folder is not None:
        named = Path(folder).resolve()
        top = next((p for p in (named, *named.parents) if (p / ".git").exists()), named)
        if named not in (top, top / CATALOG):
            raise CallError(
                f"{folder} is not the {CATALOG}/ at the top of a checkout",
                hint="--changed-since judges that one; leave --catalog out, or name it",
            )
    result = validate_since(top, ref, paths=places, level=level, release=release)
    assert result.since is not None  # noqa: S101  # it is of a validation since a ref
    return replace(result, since=replace(result.since, old_counts=old_counts))
