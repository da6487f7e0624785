"""The files of a bundle, checked: what a reader may use, and not before all of it holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wmap.addresses import without_user
from wmap.catalog import FRAMEWORK, Definitions, is_definition
from wmap.contract.framework import check_framework
from wmap.definition import load, load_trusted
from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Severity
from wmap.registry.bundle.archive import DEFAULT_LIMITS, ArchiveLimits, BundleError, pack, unpack
from wmap.registry.bundle.index import INDEX, SUMS, Index, digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

LICENCE = "LICENSE"
SCHEMA = "schemas/definition.schema.json"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle whose every file was checked. ``digest`` is that of the archive, ``files`` what it holds, by name."""

    digest: str
    index: Index
    files: Mapping[str, bytes]
    size: int

    @property
    def version(self) -> str:
        """Its version."""
        return self.index.version

    def definitions(self) -> Definitions:
        """Its definitions, for a catalog."""
        top = f"bundle:{self.version}"
        return Definitions(
            Path(top),
            contents={Path(f"{top}:{n}"): d for n, d in self.files.items() if n.startswith("catalog/")},
        )


def assemble(index: Index, files: Mapping[str, bytes], limits: ArchiveLimits = DEFAULT_LIMITS) -> bytes:
    """The archive of an index and the files that it speaks of.

    Raises:
        BundleError: a name that no archive may hold, or too much.
    """
    inside = {**files, INDEX: index.dump()}
    return pack({**inside, SUMS: _sums(inside)}, limits)


def read_bundle(data: bytes, limits: ArchiveLimits = DEFAULT_LIMITS) -> Bundle:
    """The bundle that some bytes are: form, checksums, index, and every definition by the schema of the format.

    Raises:
        BundleError: they are none, or not as they were built; says what is wrong.
        EnvironmentFailure: it asks for a newer reader.
    """
    files = unpack(data, limits)
    for needed in (INDEX, SUMS):
        if needed not in files:
            raise BundleError(f"it holds no {needed}", hint="wmap bundle build writes bundles")
    sums = files.pop(SUMS)
    _check_sums(sums, files)
    index = Index.load(files[INDEX])
    if files[INDEX] != index.dump():
        raise BundleError(f"{INDEX} is not as wmap writes it")
    _check_files(index, files)
    return Bundle(digest_of(data), index, files, len(data))


def load_bundle(file: str | PathLike[str], digest: str | None = None) -> Bundle:
    """The bundle in a file, as ``open_bundle`` gives it."""
    return open_bundle(file, digest)[0]


def open_bundle(file: str | PathLike[str], digest: str | None = None) -> tuple[Bundle, bytes]:
    """The bundle in a file, and the bytes of its archive; ``digest`` refuses any other archive.

    Raises:
        CallError: there is no such file.
        BundleError: it is no bundle, or has another digest.
        EnvironmentFailure: it cannot be read, or asks for a newer reader.
    """
    place = Path(file)
    if not os.path.isfile(file):  # noqa: PTH113  # a name that no file can have is none, too
        said = without_user(str(file)) if ":" in str(file) else str(file)
        raise CallError(f"there is no file {said}", hint="name a bundle, as wmap bundle build writes it")
    most = DEFAULT_LIMITS.total + 2 * DEFAULT_LIMITS.files * 1024
    try:
        with place.open("rb") as opened:
            data = opened.read(most)
    except OSError as error:
        raise EnvironmentFailure(f"{place} cannot be read: {error.strerror}") from error
    if digest is not None and digest_of(data) != digest:
        raise BundleError(f"{place} has the digest {digest_of(data)}, not {digest[:80]}", hint="fetch it again")
    try:
        return read_bundle(data), data
    except BundleError as error:
        raise BundleError(f"{place}: {error.message}", hint=error.hint) from error


def _sums(files: Mapping[str, bytes]) -> bytes:
    """The checksums, one file a line, as ``sha256sum`` writes and checks them."""
    lines = (f"{digest_of(files[name]).removeprefix('sha256:')}  {name}\n" for name in sorted(files))
    return "".join(lines).encode("ascii")


def _check_sums(sums: bytes, files: Mapping[str, bytes]) -> None:
    if sums == _sums(files):
        return
    said: dict[str, str] = {}
    for line in sums.decode("ascii", "replace").splitlines():
        digest, _, name = line.partition("  ")
        said[name] = digest
    for name in files:
        if name not in said:
            raise BundleError(f"{SUMS} does not name {name}: the file was added", hint="fetch the bundle again")
        if said[name] != digest_of(files[name]).removeprefix("sha256:"):
            raise BundleError(f"{name} is not what {SUMS} says: it was changed", hint="fetch the bundle again")
    missing = sorted(set(said) - set(files))
    if missing:
        raise BundleError(f"{missing[0][:200]!r} is named in {SUMS} and not there", hint="fetch the bundle again")
    raise BundleError(f"{SUMS} is not as wmap writes it")


def _check_files(index: Index, files: Mapping[str, bytes]) -> None:
    entries = {e.file: e for e in index.definitions}
    names = [e.name for e in index.definitions]
    if len(set(names)) < len(names) or len(entries) < len(names):
        raise BundleError(f"{INDEX} names a definition twice")
    for name in files:
        path = PurePosixPath(name)
        known = name in (INDEX, LICENCE, SCHEMA) or name in entries
        folder = len(path.parts) == 3 and path.parts[0] == "catalog"
        if not known and not (folder and path.name == FRAMEWORK):
            raise BundleError(f"{name} is no file of a bundle: {INDEX} does not name it")
    for needed in (LICENCE, SCHEMA):
        if needed not in files:
            raise BundleError(f"it holds no {needed}")
    for entry in index.definitions:
        data = files.get(entry.file)
        if data is None:
            raise BundleError(f"{entry.file} is named in {INDEX} and not there")
        if digest_of(data) != entry.digest:
            raise BundleError(f"{entry.file} is not the file whose digest stands in {INDEX}")
        check_definition(entry.file, data)
        definition = load_trusted(data, file=entry.file)
        kind = definition.kind
        if definition.name.value != entry.name or (kind.group, kind.version, kind.kind) != (
            entry.group,
            entry.version,
            entry.kind,
        ):
            raise BundleError(f"{entry.file} is {definition.name.value} of {kind}, and {INDEX} says otherwise")
    for name, data in files.items():
        if name.endswith(f"/{FRAMEWORK}"):
            check_framework_file(name, data)


def check_definition(file: str, data: bytes) -> None:
    """See that a file holds a definition that the schema of the format admits.

    Raises:
        BundleError: it does not.
    """
    result = load(data, file=file)
    bad = next((f for f in result.findings if f.severity is Severity.ERROR), None)
    if bad is not None or result.definition is None:
        said = f"{bad.message} ({bad.code})" if bad is not None else "it holds no definition"
        raise BundleError(f"{file}: {said}", hint="wmap validate says more")


def check_framework_file(file: str, data: bytes) -> None:
    """See that a file is a ``framework.yaml``.

    Raises:
        BundleError: it is not.
    """
    checked = check_framework(data, file=file)
    if checked.framework is None:
        first = next(iter(checked.findings), None)
        raise BundleError(f"{file}: {first.message if first is not None else 'it cannot be read'}")


def is_bundled(path: str) -> bool:
    """Whether a file of a checkout, by its path, goes into a bundle."""
    place = PurePosixPath(path)
    if path in (LICENCE, SCHEMA):
        return True
    return (
        len(place.parts) == 3 and place.parts[0] == "catalog" and (place.name == FRAMEWORK or is_definition(Path(path)))
    )
