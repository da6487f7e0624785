"""``wmap bench``."""

from __future__ import annotations

from pathlib import Path

import click

from wmap.cli.options import write


@click.command()
@click.option("--json", "file", metavar="FILE", help="Write the measurements as JSON too.")
@click.option("--quick", is_flag=True, help="Fewer and smaller batches.")
def command(file: str | None, *, quick: bool) -> None:
    """Measure reading, compiling, attribution and start-up; process CPU time, minimum and median of batches."""
    from wmap.bench import measure, render  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.data import dump  # noqa: PLC0415  # loaded when the command runs

    result = measure(quick=quick)
    write(render(result))
    if file:
        Path(file).write_bytes(dump(result, "json"))
