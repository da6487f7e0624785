"""The archive of a bundle: a plain tar whose bytes follow from its files alone, and a reader that takes nothing else.

The form is POSIX ustar: regular files only, sorted by name, owner 0, mode 0644, time 0, ended by two zero blocks. What is read must be
byte for byte what would be written of the same files, so an archive that merely decodes alike is refused.
"""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK = 512
_END = b"\0" * (2 * BLOCK)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)*\Z", re.ASCII)
_LONGEST_NAME = 200
_TYPES = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"5": "a folder",
    b"6": "a pipe",
    b"x": "an extended (pax) header",
    b"g": "a global (pax) header",
    b"L": "a long name of GNU tar",
    b"K": "a long link of GNU tar",
    b"S": "a sparse file",
}


class BundleError(InputError):
    """A file is no bundle, or not one that can be trusted: says what is wrong with it, and where."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold: files, bytes of one, and bytes of all."""

    files: int = 5_000
    file: int = 4 * 1024 * 1024
    total: int = 64 * 1024 * 1024


DEFAULT_LIMITS = ArchiveLimits()


def check_name(name: str) -> str:
    """The name of a file, where an archive may hold it: relative, ASCII, no ``..``, no hidden file.

    Raises:
        BundleError: it may not.
    """
    if len(name) > _LONGEST_NAME or not _NAME.match(name):
        raise BundleError(
            f"{name[:_LONGEST_NAME]!r} is no name of a file of a bundle",
            hint="names are relative, of letters, digits and -_.+, and no part begins with a dot",
        )
    return name


def pack(files: Mapping[str, bytes], limits: ArchiveLimits = DEFAULT_LIMITS) -> bytes:
    """The archive of files: name -> contents. The same files give the same bytes everywhere.

    Raises:
        BundleError: a name that no archive may hold, or more than the limits allow.
    """
    if len(files) > limits.files:
        raise BundleError(f"{len(files):,} files are too many for a bundle: at most {limits.files:,}")
    pieces: list[bytes] = []
    total = 0
    for name in sorted(files):
        data = files[name]
        total += len(data)
        if len(data) > limits.file or total > limits.total:
            raise BundleError(
                f"{name}: {len(data):,} bytes are too many: at most {limits.file:,} a file and {limits.total:,} in all"
            )
        info = tarfile.TarInfo(check_name(name))
        info.size = len(data)
        info.mode = 0o644
        try:
            header = info.tobuf(tarfile.USTAR_FORMAT)
        except ValueError as error:
            raise BundleError(f"{name}: the name is too long for a bundle", hint="shorten its folders") from error
        pieces += [header, data, b"\0" * (-len(data) % BLOCK)]
    return b"".join([*pieces, _END])


def unpack(data: bytes, limits: ArchiveLimits = DEFAULT_LIMITS) -> dict[str, bytes]:
    """The files of an archive: name -> contents, sorted; nothing is written anywhere.

    Raises:
        BundleError: it is no archive of the form above; says what stands where.
    """
    if len(data) > limits.total + (limits.files + 2) * 2 * BLOCK:
        raise BundleError(f"{len(data):,} bytes are too many for a bundle: at most {limits.total:,}")
    files: dict[str, bytes] = {}
    at = total = 0
    while True:
        header = data[at : at + BLOCK]
        if len(header) < BLOCK:
            raise BundleError(
                "it is empty, and no bundle" if not data else f"it is cut off after {len(data):,} bytes",
                hint="fetch it again",
            )
        if not header.strip(b"\0"):
            break
        name, size = _header(header, at)
        if name in files:
            raise BundleError(f"it holds {name} twice")
        total += size
        if size > limits.file or total > limits.total or len(files) >= limits.files:
            raise BundleError(
                f"{name}: {size:,} bytes; a bundle holds at most {limits.file:,} a file, {limits.total:,} in all, "
                f"and {limits.files:,} files"
            )
        begin = at + BLOCK
        content = data[begin : begin + size]
        if len(content) < size:
            raise BundleError(f"{name} is cut off after {len(content):,} of {size:,} bytes", hint="fetch it again")
        files[name] = content
        at = begin + size + (-size % BLOCK)
    _check_canonical(data, files, limits)
    return files


def _header(header: bytes, at: int) -> tuple[str, int]:
    """The name and size that a header gives."""
    if header[257:265] != b"ustar\x0000":
        raise BundleError(
            "it is no bundle: it does not begin as a tar archive" if at == 0 else f"no header of a file at byte {at:,}",
            hint="wmap bundle build writes bundles",
        )
    prefix = _text(header[345:500], at)
    name = _text(header[:100], at)
    name = f"{prefix}/{name}" if prefix else name
    kind = header[156:157]
    if kind != b"0":
        said = _TYPES.get(kind, f"a thing of type {kind!r}")
        raise BundleError(f"{name[:_LONGEST_NAME]!r} is {said}; a bundle holds regular files only")
    check_name(name)
    digits = header[124:136].rstrip(b"\0 ")
    if not digits or not all(0x30 <= d <= 0x37 for d in digits):
        raise BundleError(f"{name}: its size is no number", hint="fetch it again")
    return name, int(digits, 8)


def _text(field: bytes, at: int) -> str:
    text = field.partition(b"\0")[0]
    try:
        return text.decode("ascii")
    except UnicodeDecodeError:
        raise BundleError(f"the header at byte {at:,} holds a name that is not ASCII") from None


def _check_canonical(data: bytes, files: dict[str, bytes], limits: ArchiveLimits) -> None:
    names = list(files)
    if names != sorted(names):
        raise BundleError("its files are not in the order of their names: something else wrote it")
    wanted = pack(files, limits)
    if data != wanted:
        first = next(
            (i for i, (a, b) in enumerate(zip(data, wanted, strict=False)) if a != b), min(len(data), len(wanted))
        )
        raise BundleError(
            f"byte {first:,} is not as wmap writes it: the archive was changed, or something else wrote it",
            hint="fetch it again",
        )
