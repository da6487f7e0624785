"""A shelf: a folder of bundles that any web server or bucket can host, and the static index of it, ``index.json``.

Every bundle on it is verified before it is named. A version that should not be used any more stays, and is said to be yanked, with the
reason.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.definition.validate import validator
from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.content import load_bundle
from wmap.registry.bundle.index import check_form
from wmap.registry.bundle.trust import PROVENANCE, SIGNATURE, Trust, judge, read_beside
from wmap.registry.bundle.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHELF = "index.json"
SCHEMA_VERSION = 1
_LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Shelved:
    """One bundle on a shelf.

    ``file``, ``provenance`` and ``signature`` are names in the folder, the last two None where there is none; ``level`` is what its update
    means to consumers since ``since``; ``yanked`` is why it should not be used, None: it may be.
    """

    version: str
    file: str
    digest: str
    size: int
    definitions: int
    since: str | None
    level: str | None
    minimum_reader: str
    provenance: str | None
    signature: str | None
    yanked: str | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """The bundles of a folder, the newest first."""

    bundles: tuple[Shelved, ...]

    @property
    def latest(self) -> str | None:
        """The newest release that was not yanked."""
        fit = (b.version for b in self.bundles if b.yanked is None and Version.of(b.version).release)
        return next(fit, None)

    def dump(self) -> bytes:
        """The text of ``index.json`` (``schemas/bundle-shelf.schema.json``)."""
        document = {
            "schemaVersion": SCHEMA_VERSION,
            "latest": self.latest,
            "bundles": [
                {
                    "version": b.version,
                    "file": b.file,
                    "digest": b.digest,
                    "size": b.size,
                    "definitions": b.definitions,
                    "since": b.since,
                    "level": b.level,
                    "minimumReader": b.minimum_reader,
                    "provenance": b.provenance,
                    "signature": b.signature,
                    "yanked": b.yanked,
                }
                for b in self.bundles
            ],
        }
        return (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode("ascii")


def shelf_of(folder: Path, *, yank: Mapping[str, str], unyank: Iterable[str] = (), trust: Trust | None = None) -> Shelf:
    """The shelf that a folder is: all its archives, verified, by ``trust`` where one is given; what was yanked stays so.

    ``yank``: version to reason; ``unyank``: versions that may be used again.

    Raises:
        CallError: no folder, or a version that is not there.
        BundleError: a bundle does not hold, two have one version, or a bundle is another than the index said before.
        EnvironmentFailure: a file cannot be read, or the index is of a newer form.
    """
    if not folder.is_dir():
        raise CallError(f"there is no folder {folder}", hint="make it, and put bundles into it")
    known = _known(folder / SHELF)
    found: dict[str, Shelved] = {}
    for file in sorted(folder.glob("*.tar")):
        made = _shelved(file, trust or Trust())
        other = found.get(made.version)
        if other is not None:
            raise BundleError(f"{file} and {other.file} are both {made.version}", hint="keep one of them")
        before = known.get(made.version)
        if before is not None and before["digest"] != made.digest:
            raise BundleError(
                f"{file} is {made.version} with the digest {made.digest}; it was published with {before['digest']}",
                hint="a version is never published twice: put the first one back, or take another version",
            )
        found[made.version] = replace(made, yanked=before["yanked"] if before is not None else None)
    if not found:
        raise CallError(f"there is no bundle in {folder}", hint="wmap bundle build --out makes one")
    for version, reason in {**dict.fromkeys(unyank), **yank}.items():
        if version not in found:
            raise CallError(f"there is no bundle of {version[:100]!r} in {folder}", hint=f"there is {', '.join(found)}")
        found[version] = replace(found[version], yanked=reason)
    return Shelf(tuple(sorted(found.values(), key=lambda b: (Version.of(b.version).key, b.version), reverse=True)))


def _shelved(file: Path, trust: Trust) -> Shelved:
    bundle, beside = load_bundle(file), read_beside(str(file))
    try:
        judge(bundle, beside, trust)
    except BundleError as error:
        raise BundleError(f"{file}: {error.message}", hint=error.hint) from error
    since = bundle.index.since
    return Shelved(
        bundle.version, file.name, bundle.digest, bundle.size, len(bundle.index.definitions),
        None if since is None else since.version,
        None if since is None or since.level is None else str(since.level),
        bundle.index.minimum_reader,
        None if beside.provenance is None else file.name + PROVENANCE,
        None if beside.signature is None else file.name + SIGNATURE,
    )  # fmt: skip


def _known(file: Path) -> dict[str, Any]:
    """What the index said before, by version."""
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error.strerror}") from error
    try:
        document: Any = json.loads(data) if len(data) <= _LARGEST else None
        fits = validator("bundle-shelf").is_valid(document)
    except (ValueError, RecursionError):
        document, fits = None, False
    check_form(str(file), document, SCHEMA_VERSION, "update wmap: an older one would lose what it does not know")
    if not fits:
        # what was yanked would be lost, and a version could be published twice
        raise BundleError(f"{file} is no index that wmap writes", hint="put the old one back, or take it away")
    return {b["version"]: b for b in document["bundles"]}
