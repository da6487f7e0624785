"""``wmap catalog``."""

from __future__ import annotations

import click

from wmap.cli.options import catalog_of, output_option, write


@click.group()
def command() -> None:
    """List and show the definitions of the catalog."""


@command.command("list")
@click.pass_context
def list_definitions(ctx: click.Context) -> None:
    """List the definitions and the kinds that they read."""
    definitions = catalog_of(ctx).definitions.all()
    width = max(len(d.name.value) for d in definitions)
    write("".join(f"{d.name.value:{width}}  {d.kind}\n" for d in definitions))


@command.command("show")
@click.argument("name")
@click.pass_context
def show(ctx: click.Context, name: str) -> None:
    """Print the definition NAME as it stands in its file."""
    from pathlib import Path  # noqa: PLC0415  # loaded when the command runs

    definition = catalog_of(ctx).definitions.named(name)
    write(Path(definition.file or "").read_text(encoding="utf-8"))


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
