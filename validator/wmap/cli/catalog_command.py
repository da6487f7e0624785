"""``wmap catalog``."""

from __future__ import annotations

import click

from wmap.cli.options import at_option, catalog_of, git_place, output_option, write
from wmap.report.neutral import plain


@click.group()
def command() -> None:
    """List and show the definitions of the catalog."""


@command.command("list")
@at_option
@click.pass_context
def list_definitions(ctx: click.Context, at: str | None) -> None:
    """List the definitions, the kinds that they read, and which are deprecated, replaced or yanked."""
    catalog = catalog_of(ctx, at)
    definitions = catalog.definitions.all()
    width = max(len(d.name.value) for d in definitions)
    for definition in definitions:
        life = catalog.life(definition.name.value)
        said = f"  ({plain(life.said())})" if life is not None else ""
        write(plain(f"{definition.name.value:{width}}  {definition.kind}") + f"{said}\n")


@command.command("show")
@click.argument("name")
@at_option
@click.pass_context
def show(ctx: click.Context, name: str, at: str | None) -> None:
    """Print the definition NAME as it stands in its file."""
    definitions = catalog_of(ctx, at).definitions
    write(definitions.text(definitions.named(name)))


@command.command("matrix")
@output_option("text", "json", "markdown")
@click.pass_context
def matrix(ctx: click.Context, form: str) -> None:
    """Say which definition holds for which stored upstream release."""
    from wmap.check.matrix import matrix as cells  # noqa: PLC0415  # loaded when the command runs
    from wmap.contract import Store  # noqa: PLC0415  # the same
    from wmap.report.matrix import FORMATS  # noqa: PLC0415  # the same

    found = list(cells(catalog_of(ctx).definitions.all(), Store()))
    write(FORMATS[form](found))


@command.command("diff")
@click.argument("refs", metavar="A..B")
@click.option("--no-readings", is_flag=True, help="Compare the definitions only; read no objects with both versions.")
@output_option("text", "json", "markdown")
@click.pass_context
def diff(ctx: click.Context, refs: str, form: str, *, no_readings: bool) -> int:
    """Say what changed between two refs, and what it means to consumers: major, minor or patch.

    A..B: from A to B; A..: from A to HEAD; A...B: from where B left A; A: from A to the checkout as it lies. Fixtures and drawn objects
    are read with both versions of each changed entry. Exit code 1: a reading differs where the comparison saw at most a patch.
    """
    from wmap.registry.diff import diff as compared  # noqa: PLC0415  # loaded when the command runs
    from wmap.registry.diff import wrong  # noqa: PLC0415  # the same
    from wmap.report.differences import FORMATS  # noqa: PLC0415  # the same

    found = compared(git_place(ctx.find_root().obj), refs, readings=not no_readings)
    write(FORMATS[form](found))
    return 1 if wrong(found) else 0


@command.command("log")
@click.argument("name", metavar="[DEFINITION]", required=False)
@click.option("--at", "at", metavar="REF", default="HEAD", show_default=True, help="Begin at REF.")
@click.option(
    "-n",
    "--max-count",
    "most",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Show at most so many; 0: all.",
)
@output_option("text", "json")
@click.pass_context
def log(ctx: click.Context, name: str | None, at: str, most: int, form: str) -> None:
    """Show the commits that changed the catalog, or one DEFINITION, and what each change means to consumers.

    Renames are followed. `nothing`: it only looks different.
    """
    from wmap.registry.log import log as logged  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.history import log_json, log_text  # noqa: PLC0415  # the same

    found = logged(git_place(ctx.find_root().obj), name, at, most or None)
    write(log_json(found, at, name) if form == "json" else log_text(found, name))


@command.command("blame")
@click.argument("name", metavar="DEFINITION")
@click.argument("field", metavar="FIELD")
@click.option("--at", "at", metavar="REF", default="HEAD", show_default=True, help="The text that FIELD has at REF.")
@output_option("text", "json")
@click.pass_context
def blame(ctx: click.Context, name: str, field: str, at: str, form: str) -> None:
    """Say which commit gave FIELD of DEFINITION its present text.

    FIELD is a path such as spec.structureDefinition.childComponents[worker].instanceIdPath, or the end of one: [worker].instanceIdPath.
    """
    from wmap.registry.blame import blame as blamed  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.history import blame_json, blame_text  # noqa: PLC0415  # the same

    found = blamed(git_place(ctx.find_root().obj), name, field, at)
    write(blame_json(found) if form == "json" else blame_text(found))
