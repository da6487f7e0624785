"""Options and steps that several commands share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from wmap.api import Catalog

_NAMED = 10
"""Kinds without a definition that are named."""

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


at_option = click.option(
    "--at",
    "at",
    metavar="REF",
    help="Read the catalog of the git repository here (or around --catalog) as it is at REF.",
)


def catalog_of(ctx: click.Context, at: str | None = None) -> Catalog:
    """The catalog that the call names, at a git ref where one is given."""
    from wmap.api import Catalog  # noqa: PLC0415  # loaded when a command needs it

    if at is not None:
        return Catalog.load(git=git_place(ctx.find_root().obj), ref=at)
    return Catalog.load(ctx.find_root().obj)


def git_place(folder: str | None) -> str:
    """Where the repository of a call is looked for: at the catalog that is named, else around the working directory."""
    if folder is not None:
        return folder
    from pathlib import Path  # noqa: PLC0415  # only for a ref

    here = Path.cwd()
    # the top of the checkout: below it, a folder would be taken for the catalog
    return str(next((p for p in (here, *here.parents) if (p / ".git").exists()), here))


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


def known_objects(catalog: Catalog, files: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The objects that a definition reads, as they come; those of other kinds are named on standard error at the end.

    Raises:
        UnknownKindError: all are of kinds without a definition.
    """
    from wmap.errors import UnknownKindError  # noqa: PLC0415  # loaded when a command needs it
    from wmap.reading.objects import read_objects  # noqa: PLC0415  # the same

    first: UnknownKindError | None = None
    skipped: dict[str, int] = {}
    count = 0
    some = False
    for found in read_objects(files):
        try:
            catalog.definition_for(found.value)
        except UnknownKindError as error:
            first = first or error
            count += 1
            if error.kind in skipped or len(skipped) < _NAMED:
                skipped[error.kind] = skipped.get(error.kind, 0) + 1
            continue
        some = True
        yield found.value
    if first is None:
        return
    if not some:
        raise first
    from wmap.report.neutral import plain  # noqa: PLC0415  # the same

    kinds = ", ".join(plain(f"{kind} ({times})" if times > 1 else kind, 100) for kind, times in skipped.items())
    more = " and others" if sum(skipped.values()) < count else ""
    what = f"{count} object{'' if count == 1 else 's'} of kinds without a definition"
    sys.stdout.flush()
    sys.stderr.write(f"wmap: skipped {what}: {kinds}{more}\n")


def write(text: str) -> None:
    """Write to standard output as it is."""
    sys.stdout.write(text)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def keep(files: Mapping[Path, bytes | None]) -> None:
    """Write files, each whole, and none where one cannot be written; None takes a file away that is there.

    All are written beside their places before the first takes its place. A link is followed; a file keeps its rights.

    Raises:
        CallError: a folder is not there, a place holds something else than a file, or two are the same.
        EnvironmentFailure: one cannot be written.
    """
    import os  # noqa: PLC0415  # loaded when a command needs it
    import stat  # noqa: PLC0415  # the same
    import tempfile  # noqa: PLC0415  # the same
    from pathlib import Path  # noqa: PLC0415  # the same

    waiting: list[tuple[str, Path, Path]] = []
    gone: list[Path] = []
    taken: set[Path] = set()
    shown = Path()
    try:
        for shown, data in files.items():
            place = Path(os.path.realpath(shown))
            if not shown.name or not place.parent.is_dir():
                raise CallError(f"there is no folder {shown.parent}", hint="make it first, and name a file in it")
            if place in taken:
                raise CallError(f"{shown} is to be written twice", hint="give the outputs different names")
            taken.add(place)
            try:
                # a name that is too long is found here, and not between two renames
                mode = place.lstat().st_mode
            except FileNotFoundError:
                mode = stat.S_IFREG | 0o644
            if not stat.S_ISREG(mode):
                raise CallError(f"{shown} is there and no file", hint="name a file, or one that is not there yet")
            if data is None:
                gone.append(place)
                continue
            handle, name = tempfile.mkstemp(prefix=".wmap-", dir=place.parent)
            waiting.append((name, place, shown))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(stat.S_IMODE(mode))
        for place in gone:
            place.unlink(missing_ok=True)
        for name, place, shown in waiting:  # noqa: B007  # the message names it
            Path(name).replace(place)
    except OSError as error:
        raise EnvironmentFailure(f"{shown} cannot be written: {error.strerror}") from error
    finally:
        for name, _, _ in waiting:
            Path(name).unlink(missing_ok=True)


def keep_folder(place: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder whole or not at all; one that is there must be empty, so that nothing of another version stays in it.

    Raises:
        CallError: the folder holds something, or where it is to lie is not there.
        EnvironmentFailure: it cannot be written.
    """
    import shutil  # noqa: PLC0415  # loaded when a command needs it
    import tempfile  # noqa: PLC0415  # the same
    from pathlib import Path  # noqa: PLC0415  # the same

    if not place.parent.is_dir():
        raise CallError(f"there is no folder {place.parent}", hint="make it first")
    made: str | None = None
    try:
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise CallError(f"{place} is there and not an empty folder", hint="take it away, or name another")
        made = tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent)
        for name, data in files.items():
            file = Path(made, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        Path(made).chmod(0o755)
        Path(made).replace(place)
    except OSError as error:
        raise EnvironmentFailure(f"{place} cannot be written: {error.strerror}") from error
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
