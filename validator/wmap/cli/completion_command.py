"""``wmap completion``."""

from __future__ import annotations

import click

from wmap.cli.options import write


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL; its shell reads it at start-up."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  # loaded when the command runs

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101  # click knows the three
    write(kind(ctx.find_root().command, {}, "wmap", "_WMAP_COMPLETE").source() + "\n")
