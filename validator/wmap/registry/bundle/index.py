"""``index.json`` of a bundle: what it holds, for which releases, and what its update means to consumers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from wmap.contract.framework import Life
from wmap.definition.validate import validator
from wmap.errors import EnvironmentFailure
from wmap.registry.bundle.archive import BundleError
from wmap.registry.bundle.version import Version
from wmap.registry.differences import Semantic

SCHEMA_VERSION = 1
INDEX = "index.json"
SUMS = "SHA256SUMS"
MINIMUM_READER = "0.1.0"
"""The oldest ``wmap`` that reads bundles of this form."""


def digest_of(data: bytes) -> str:
    """``sha256:`` and the hexadecimal SHA-256 of some bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Supported:
    """One upstream release that a definition is judged for.

    ``contract`` is the digest of the kind's contract there, None where none is stored.
    """

    release: str
    contract: str | None


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One definition of a bundle.

    ``level``: what the change since the last bundle means to those who read by it; None: nothing changed. ``fresh``: it was not in the last
    bundle. ``deprecated``, ``replaced_by`` and ``yanked`` are its life, None where there is nothing to say.
    """

    name: str
    framework: str
    file: str
    group: str
    version: str
    kind: str
    digest: str
    level: Semantic | None
    fresh: bool
    supported: tuple[Supported, ...]
    deprecated: str | None = None
    replaced_by: str | None = None
    yanked: str | None = None

    @property
    def life(self) -> Life | None:
        """What became of it, None where there is nothing to say."""
        said = self.deprecated, self.replaced_by, self.yanked
        return Life(self.name, *said) if any(said) else None


@dataclass(frozen=True, slots=True)
class Since:
    """The bundle before this one, and what the update means to consumers; ``level`` None: nothing that means anything."""

    version: str
    level: Semantic | None
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """What a bundle says of itself. ``licence`` is an SPDX expression; ``since`` None: there was no bundle before."""

    version: str
    licence: str
    since: Since | None
    definitions: tuple[IndexEntry, ...]
    minimum_reader: str = MINIMUM_READER

    def dump(self) -> bytes:
        """The text of ``index.json``: the same index gives the same bytes."""
        return (json.dumps(self.document(), indent=2, ensure_ascii=True) + "\n").encode("ascii")

    def document(self) -> dict[str, Any]:
        """The document of ``schemas/bundle-index.schema.json``."""
        return {
            "schemaVersion": SCHEMA_VERSION,
            "version": self.version,
            "licence": self.licence,
            "minimumReader": self.minimum_reader,
            "since": None
            if self.since is None
            else {
                "version": self.since.version,
                "level": _level(self.since.level),
                "removed": list(self.since.removed),
            },
            "definitions": [
                {
                    "name": e.name,
                    "framework": e.framework,
                    "file": e.file,
                    "kind": {"group": e.group, "version": e.version, "kind": e.kind},
                    "digest": e.digest,
                    "new": e.fresh,
                    "level": _level(e.level),
                    "supported": [{"release": s.release, "contract": s.contract} for s in e.supported],
                    "deprecated": e.deprecated,
                    "replacedBy": e.replaced_by,
                    "yanked": e.yanked,
                }
                for e in self.definitions
            ],
        }

    @classmethod
    def load(cls, data: bytes) -> Index:
        """The index that a text is.

        Raises:
            BundleError: it is none.
            EnvironmentFailure: it is of a form that this program is too old for.
        """
        try:
            document = json.loads(data, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise BundleError(f"{INDEX} is no JSON") from error
        if not isinstance(document, dict):
            raise BundleError(f"{INDEX} is no object")
        _check_readable(document)
        found = next(iter(validator("bundle-index").iter_errors(document)), None)
        if found is not None:
            raise BundleError(f"{INDEX}: {found.json_path}: {_short(found.message)}")
        since = document["since"]
        return cls(
            document["version"],
            document["licence"],
            None if since is None else Since(since["version"], _semantic(since["level"]), tuple(since["removed"])),
            tuple(
                IndexEntry(
                    e["name"], e["framework"], e["file"], e["kind"]["group"], e["kind"]["version"], e["kind"]["kind"],
                    e["digest"], _semantic(e["level"]), e["new"],
                    tuple(Supported(s["release"], s["contract"]) for s in e["supported"]),
                    e["deprecated"], e["replacedBy"], e["yanked"],
                )
                for e in document["definitions"]
            ),
            document["minimumReader"],
        )  # fmt: skip


def check_form(what: str, document: Any, known: int, hint: str) -> None:
    """Nothing, where a document is of a form that this program knows, or says none.

    Raises:
        EnvironmentFailure: its ``schemaVersion`` is newer.
    """
    from wmap._version import __version__  # noqa: PLC0415  # the version of the reader

    said = document.get("schemaVersion") if isinstance(document, dict) else None
    if isinstance(said, int) and not isinstance(said, bool) and said > known:
        raise EnvironmentFailure(
            f"{what} is of form {said}, and wmap {__version__} reads up to form {known}", hint=hint
        )


def _check_readable(document: dict[str, Any]) -> None:
    from wmap._version import __version__  # noqa: PLC0415  # the version of the reader

    check_form("the bundle", document, SCHEMA_VERSION, "update wmap, or take an older bundle")
    least, own = Version.read(str(document.get("minimumReader"))), Version.read(__version__)
    if least is not None and own is not None and own.key < least.key:
        raise EnvironmentFailure(
            f"the bundle asks for wmap {least} or newer, and this is {__version__}",
            hint="update wmap, or take an older bundle",
        )


def _refuse(word: str) -> None:
    raise ValueError(word)


def _level(level: Semantic | None) -> str | None:
    return None if level is None else str(level)


def _semantic(text: str | None) -> Semantic | None:
    return None if text is None else Semantic(text)


def _short(message: str) -> str:
    return message if len(message) <= 300 else message[:300] + "..."
