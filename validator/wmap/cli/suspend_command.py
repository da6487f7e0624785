"""``wmap suspend``."""

from __future__ import annotations

import click

from wmap.cli.options import catalog_of, file_option, one_object, output_option, write_bytes


@click.command()
@file_option
@output_option("yaml", "json", "merge-patch", "json-patch")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], form: str) -> None:
    """Suspend a workload, as its definition says: prints the object, or a patch."""
    from wmap.report.data import dump_change  # noqa: PLC0415  # loaded when the command runs

    obj = one_object(files)
    write_bytes(dump_change(obj, catalog_of(ctx).suspend(obj), form))
