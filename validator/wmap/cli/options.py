"""Options and steps that several commands share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from wmap.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.api import Catalog

file_option = click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A file, a folder, or - for standard input.",
)


def output_option(*formats: str) -> Callable[[Any], Any]:
    """``-o FORMAT``, the first format being the default."""
    return click.option(
        "-o", "--output", "form", type=click.Choice(formats), default=formats[0], show_default=True, help="The format."
    )


def catalog_of(ctx: click.Context) -> Catalog:
    """The catalog that the call names."""
    from wmap.api import Catalog  # noqa: PLC0415  # loaded when a command needs it

    return Catalog.load(ctx.find_root().obj)


def one_object(files: tuple[str, ...]) -> dict[str, Any]:
    """The one object that the files hold.

    Raises:
        CallError: they hold none, or several.
    """
    from wmap.reading.objects import read_objects  # noqa: PLC0415  # loaded when a command needs it

    found = list(read_objects(files))
    if len(found) != 1:
        raise CallError(
            f"{', '.join(files)}: {len(found)} objects; this command takes one", hint="give a file that holds one"
        )
    return found[0].value


def write(text: str) -> None:
    """Write to standard output as it is."""
    sys.stdout.write(text)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
