"""``wmap get``."""

from __future__ import annotations

import click

from wmap.cli.options import at_option, catalog_of, file_option, known_objects, output_option, write, write_bytes


@click.command()
@file_option
@at_option
@output_option("table", "wide", "json", "jsonl", "yaml")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], at: str | None, form: str) -> None:
    """List objects with phase, pods and GPUs, one line each. JSON Lines are read as a stream, and JSON and YAML written as one."""
    from wmap.report.data import dump, dump_list  # noqa: PLC0415  # loaded when the command runs

    catalog = catalog_of(ctx, at)
    readings = catalog.read_many(known_objects(catalog, files))
    if form == "jsonl":
        for reading in readings:
            write_bytes(dump(reading.to_dict(), "jsonl"))
    elif form in ("table", "wide"):
        from wmap.report.table import render  # noqa: PLC0415  # loaded when the command runs

        write(render(readings, wide=form == "wide"))
    else:
        for piece in dump_list((r.to_dict() for r in readings), form):
            write_bytes(piece)
