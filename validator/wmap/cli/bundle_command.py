"""``wmap bundle``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wmap.cli.options import git_place, output_option, write, write_bytes
from wmap.errors import CallError, EnvironmentFailure
from wmap.report.neutral import plain

if TYPE_CHECKING:
    from wmap.registry.bundle import Bundle


@click.group()
def command() -> None:
    """Build, verify and show bundles: the catalog as one file."""


@command.command("build")
@click.option("--at", "at", metavar="REF", help="Bundle the catalog as it is at REF, not as it lies in the checkout.")
@click.option(
    "--version", "version", metavar="V", help="The version of the bundle; by default that of a tag of the commit."
)
@click.option("--next", "following", is_flag=True, help="Work the version out from the changes since the last release.")
@click.option("--dirty", is_flag=True, help="Take files that are not committed; the version is marked.")
@click.option("--out", "out", metavar="FILE", help="Write FILE; by default wmap-catalog-VERSION.tar.")
@click.pass_context
def build_command(
    ctx: click.Context, at: str | None, version: str | None, out: str | None, *, following: bool, dirty: bool
) -> None:
    """Write the catalog as one archive: the same files and version give the same bytes everywhere."""
    from wmap.registry.bundle import build, read_bundle  # noqa: PLC0415  # loaded when the command runs

    built = build(git_place(ctx.find_root().obj), at=at, version=version, following=following, dirty=dirty)
    bundle = read_bundle(built.data)
    place = Path(out or f"wmap-catalog-{bundle.version}.tar")
    _keep(place, built.data)
    write(f"{plain(str(place))}\n{_summary(bundle)}commit      {built.commit}\n")


@command.command("verify")
@click.argument("file", metavar="FILE")
@click.option("--digest", metavar="sha256:HEX", help="Refuse any other archive.")
def verify(file: str, digest: str | None) -> None:
    """Check all of a bundle: its form, checksums, index and every definition. Nothing is unpacked."""
    write(f"{plain(file)} is whole; it is not signed\n{_summary(_read(file, digest))}")


@command.command("show")
@click.argument("file", metavar="FILE")
@output_option("text", "json")
def show(file: str, form: str) -> None:
    """Show what a bundle holds, once it is verified."""
    bundle = _read(file)
    if form == "json":
        write_bytes(bundle.index.dump())
        return
    write(_summary(bundle))
    width = max(len(e.name) for e in bundle.index.definitions)
    for entry in bundle.index.definitions:
        said = "new" if entry.fresh else str(entry.level or "")
        releases = ", ".join(s.release for s in entry.supported)
        write(f"{plain(f'{entry.name:{width}}  {said:5}  {releases}')}\n")


def _summary(bundle: Bundle) -> str:
    index = bundle.index
    since = f", {index.since.level or 'nothing'} since {index.since.version}" if index.since is not None else ""
    return plain(f"version     {index.version}{since}") + (
        f"\ndefinitions {len(index.definitions)}\ndigest      {bundle.digest}\nsize        {bundle.size:,} bytes\n"
    )


def _read(file: str, digest: str | None = None) -> Bundle:
    from wmap.registry.bundle.content import load_bundle  # noqa: PLC0415  # loaded when the command runs

    return load_bundle(file, digest)


def _keep(place: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    if not place.parent.is_dir():
        raise CallError(f"there is no folder {place.parent}", hint="make it first")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    except OSError as error:
        raise EnvironmentFailure(f"{place} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(place)
    except OSError as error:
        raise EnvironmentFailure(f"{place} cannot be written: {error.strerror}") from error
    finally:
        Path(name).unlink(missing_ok=True)
