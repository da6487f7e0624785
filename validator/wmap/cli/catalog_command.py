"""``wmap catalog``."""

from __future__ import annotations

import click

from wmap.cli.options import at_option, catalog_of, output_option, write


@click.group()
def command() -> None:
    """List and show the definitions of the catalog."""


@command.command("list")
@at_option
@click.pass_context
def list_definitions(ctx: click.Context, at: str | None) -> None:
    """List the definitions and the kinds that they read."""
    definitions = catalog_of(ctx, at).definitions.all()
    width = max(len(d.name.value) for d in definitions)
    write("".join(f"{d.name.value:{width}}  {d.kind}\n" for d in definitions))


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
