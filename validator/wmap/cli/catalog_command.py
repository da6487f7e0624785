"""``wmap catalog``."""

from __future__ import annotations

import click

from wmap.cli.options import catalog_of, write


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
