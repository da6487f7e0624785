"""Where a bundle comes from, as an in-toto statement (v1) with SLSA provenance (v1): repository, commit, builder, materials.

It lies beside the archive, not in it: it names the archive's digest, and the same tree must give the same archive whoever builds it.
There is no time in it, so the same build gives the same statement.
"""

from __future__ import annotations

import configparser
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from wmap._version import __version__
from wmap.addresses import without_user
from wmap.errors import CallError
from wmap.registry.bundle.archive import BundleError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wmap.gitio import LocalRepository

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "https://wmap.dev/bundle/v1"
LOCAL_BUILDER = "https://wmap.dev/builders/local"
"""The builder of a bundle that no known continuous integration made."""
MEDIA_TYPE = "application/vnd.in-toto+json"
LARGEST = 1024 * 1024
"""Bytes of the largest statement that is read."""

# `ext::`, `fd::` and the like name a program that git would run, and `C:` a disk
_SCP = re.compile(r"(?:[^@/:\s]+@)?([A-Za-z0-9][A-Za-z0-9.-]+):(?!/)([A-Za-z0-9._~+/-]+)\Z", re.ASCII)
_SCHEMES = ("https", "ssh", "git")
_ESCAPED = re.compile(r"\\(.)")
_HEX = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a statement says, once it was read.

    ``digest`` (``sha256:HEX``) is that of the archive it is about; ``repository`` and ``commit`` are what it was built of.
    """

    digest: str
    version: str
    repository: str
    commit: str
    builder: str


def statement(
    digest: str, *, version: str, ref: str | None, repository: str, commit: str, dirty: bool, environ: Mapping[str, str]
) -> bytes:
    """The statement of a bundle: JSON, the same for the same build.

    ``digest`` is the archive's, ``ref`` what was asked for (None: the checkout), ``dirty``: files were taken that are in no commit.
    """
    material: dict[str, Any] = {"uri": f"git+{repository}@{commit}", "digest": {"gitCommit": commit}}
    if dirty:
        material["annotations"] = {"dirty": True}
    details: dict[str, Any] = {"builder": {"id": _builder(environ), "version": {"wmap": __version__}}}
    run = _run(environ)
    if run is not None:
        details["metadata"] = {"invocationId": run}
    document = {
        "_type": STATEMENT,
        "subject": [{"name": f"wmap-catalog-{version}.tar", "digest": {"sha256": digest.removeprefix("sha256:")}}],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"repository": repository, "ref": ref, "version": version},
                "resolvedDependencies": [material],
            },
            "runDetails": details,
        },
    }
    return (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode("ascii")


def read_statement(data: bytes) -> Provenance:
    """What a statement says.

    Raises:
        BundleError: it is none of a bundle.
    """
    if len(data) > LARGEST:
        raise BundleError(f"the provenance has {len(data):,} bytes; at most {LARGEST:,} are read")
    try:
        document = json.loads(data)
        if document["_type"] != STATEMENT or document["predicateType"] != PREDICATE:
            raise BundleError("the provenance is no in-toto statement of form v1 with SLSA provenance v1")
        (subject,) = document["subject"]
        build = document["predicate"]["buildDefinition"]
        said = Provenance(
            f"sha256:{subject['digest']['sha256']}",
            build["externalParameters"]["version"],
            build["externalParameters"]["repository"],
            build["resolvedDependencies"][0]["digest"]["gitCommit"],
            document["predicate"]["runDetails"]["builder"]["id"],
        )
        texts = (said.digest, said.version, said.repository, said.commit, said.builder)
        if not all(isinstance(t, str) for t in texts) or not _HEX.match(subject["digest"]["sha256"]):
            raise BundleError("the provenance says something else than texts, or no SHA-256")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise BundleError(
            "the provenance is no statement that wmap writes", hint="wmap bundle build writes it"
        ) from error
    return said


def check_statement(data: bytes, digest: str, version: str) -> Provenance:
    """What a statement says, where it is about the archive of this digest and version.

    Raises:
        BundleError: it is about another, or is none.
    """
    said = read_statement(data)
    if said.digest != digest or said.version != version:
        raise BundleError(
            f"the provenance is of {said.version[:100]!r} with the digest {said.digest}, the bundle is {version} with {digest}",
            hint="fetch both again, or build the bundle again",
        )
    return said


def repository_of(repository: LocalRepository, asked: str | None, environ: Mapping[str, str]) -> str:
    """The address of a repository as its provenance names it: asked for, else of the CI, else its remote ``origin``.

    Names of users, passwords and queries are left out.

    Raises:
        CallError: what was asked for is no address.
    """
    if asked is not None:
        found = _clean(asked)
        if found is None:
            raise CallError(
                f"{without_user(asked)[:200]!r} is no address of a repository",
                hint="write it as https://github.com/org/repository",
            )
        return found
    server, name = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_REPOSITORY")
    if server and name:
        found = _clean(f"{server}/{name}")
        if found is not None:
            return found
    return _clean(_origin(repository)) or "https://wmap.dev/repositories/unknown"


def _origin(repository: LocalRepository) -> str:
    # the file is read as text and not by git: a hostile configuration may name programs and other files
    config = configparser.RawConfigParser(strict=False, allow_no_value=True, comment_prefixes=("#", ";"))
    try:
        lines = (repository.common / "config").read_text(encoding="utf-8", errors="replace").splitlines()
        config.read_string("\n".join(line.strip() for line in lines))
        written = config.get('remote "origin"', "url", fallback="") or ""
    except (OSError, configparser.Error):
        return ""
    # git quotes a value that holds the start of a comment
    return _ESCAPED.sub(r"\1", written[1:-1]) if len(written) > 1 and written[0] == written[-1] == '"' else written


def _clean(address: str) -> str | None:
    """An address of https, ssh or git without secrets, None where it is another, or a folder of this machine."""
    if not address.isprintable():
        return None
    scp = _SCP.match(address) if "://" not in address else None
    if scp:
        address = f"ssh://{scp[1]}/{scp[2]}"
    try:
        parts = urlsplit(address)
        if parts.scheme not in _SCHEMES or not parts.hostname or not parts.hostname[0].isalnum():
            return None
        host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
    except ValueError:
        return None
    cleaned = urlunsplit((parts.scheme, host, parts.path.removesuffix("/").removesuffix(".git"), "", ""))
    return cleaned if cleaned.isascii() and cleaned.isprintable() and " " not in cleaned else None


def _builder(environ: Mapping[str, str]) -> str:
    server, workflow = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_WORKFLOW_REF")
    if environ.get("GITHUB_ACTIONS") == "true" and server and workflow:
        return f"{server}/{workflow}"
    return LOCAL_BUILDER


def _run(environ: Mapping[str, str]) -> str | None:
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, name, run = (environ.get(n) for n in names)
    if environ.get("GITHUB_ACTIONS") != "true" or not (server and name and run):
        return None
    return f"{server}/{name}/actions/runs/{run}/attempts/{environ.get('GITHUB_RUN_ATTEMPT', '1')}"
