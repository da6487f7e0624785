"""``wmap change``."""

from __future__ import annotations

import click

from wmap.cli.options import catalog_of, file_option, one_object, output_option, write_bytes


@click.command()
@file_option
@click.option(
    "--component",
    "components",
    multiple=True,
    required=True,
    metavar="NAME",
    help="The component whose pods are changed; again, where several are made from one template.",
)
@click.option("--instance", metavar="ID", help="One instance of it; without it, all.")
@click.option(
    "--set", "pairs", multiple=True, required=True, metavar="KEY=VALUE", help="What to set; may be given again."
)
@output_option("yaml", "json", "merge-patch", "json-patch")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    components: tuple[str, ...],
    instance: str | None,
    pairs: tuple[str, ...],
    form: str,
) -> None:
    """Change the pods of a component, or of several together, and nothing else.

    Keys: schedulerName, priorityClassName, image, image.CONTAINER, label.NAME, annotation.NAME,
    request.RESOURCE, limit.RESOURCE (of the first container, or request.CONTAINER/RESOURCE), nodeAffinity and podAffinity (JSON).
    """
    from wmap.reading.settings import parse_settings  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.data import dump_change  # noqa: PLC0415  # loaded when the command runs

    obj = one_object(files)
    changed = catalog_of(ctx).change(obj, component=components, instance=instance, settings=parse_settings(pairs))
    write_bytes(dump_change(obj, changed, form))
