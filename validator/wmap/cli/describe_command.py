"""``wmap describe``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wmap.cli.options import at_option, catalog_of, file_option, known_objects, output_option, write, write_bytes

if TYPE_CHECKING:
    from wmap.reading.model import Reading


@click.command()
@file_option
@click.option(
    "--pods", "pod_files", multiple=True, metavar="PATH", help="The pods to attribute: a file, a folder, or -."
)
@click.option("--explain", is_flag=True, help="Say which expression read each value, and from where.")
@at_option
@output_option("tree", "json", "jsonl", "yaml")
@click.pass_context
def command(
    ctx: click.Context, files: tuple[str, ...], pod_files: tuple[str, ...], at: str | None, *, explain: bool, form: str
) -> None:
    """Show what a definition reads from objects.

    The tree of the workload with its phase, pods, GPUs and gangs; with --pods also which pod belongs where.
    """
    from wmap.reading.objects import read_pods  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.data import dump  # noqa: PLC0415  # loaded when the command runs

    catalog = catalog_of(ctx, at)
    pods = [p.value for p in read_pods(pod_files)] if pod_files else None
    readings: list[Reading] = []
    texts: list[str] = []
    for obj in known_objects(catalog, files):
        reading = catalog.warned(catalog.read(obj, pods))
        if form == "jsonl":
            write_bytes(dump(reading.to_dict(), "jsonl"))
        elif form == "tree":
            from wmap.report.tree import render, render_explained  # noqa: PLC0415  # loads rich

            texts.append(render(reading))
            if explain:
                texts.append(render_explained(catalog.explain(obj)))
        else:
            readings.append(reading)
    if form == "tree":
        write("\n".join(texts))
    elif form != "jsonl":
        documents = [r.to_dict() for r in readings]
        write_bytes(dump(documents[0] if len(documents) == 1 else documents, form))
