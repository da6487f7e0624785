"""Push a bundle to an OCI registry, and pull it from there, with its provenance and signature.

A bundle is one manifest (``artifactType`` ``application/vnd.wmap.bundle.v1``): the archive is its first layer, provenance and signature
follow. Its tag is the version; ``latest`` is the newest release. A version's archive never changes, nor does what stands beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle.archive import DEFAULT_LIMITS, BundleError
from wmap.registry.bundle.content import read_bundle
from wmap.registry.bundle.envelope import SIGSTORE_BUNDLE
from wmap.registry.bundle.index import digest_of
from wmap.registry.bundle.provenance import LARGEST, MEDIA_TYPE
from wmap.registry.bundle.transport import MANIFEST
from wmap.registry.bundle.trust import PROVENANCE, SIGNATURE, Beside, Trust, judge
from wmap.registry.bundle.version import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wmap.registry.bundle.content import Bundle
    from wmap.registry.bundle.transport import Remote
    from wmap.registry.bundle.trust import Standing

ARTIFACT = "application/vnd.wmap.bundle.v1"
ARCHIVE = "application/vnd.wmap.bundle.v1.tar"
EMPTY = "application/vnd.oci.empty.v1+json"
LATEST = "latest"

_VERSION = "org.opencontainers.image.version"
_TITLE = "org.opencontainers.image.title"
_MOST = {
    ARCHIVE: DEFAULT_LIMITS.total + 2 * DEFAULT_LIMITS.files * 1024,
    MEDIA_TYPE: LARGEST,
    SIGSTORE_BUNDLE: 4 * LARGEST,
}
"""Bytes that are read of each kind of layer."""
_SHOWN = 5
_CALLED = {ARCHIVE: "archive", MEDIA_TYPE: "provenance", SIGSTORE_BUNDLE: "signature"}


@dataclass(frozen=True, slots=True)
class Pulled:
    """A bundle as a registry gave it, verified. ``manifest`` is the digest of the manifest that names it."""

    data: bytes
    bundle: Bundle
    beside: Beside
    standing: Standing
    manifest: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did. ``tags`` are those that name the bundle since; ``fresh``: it was not there before."""

    manifest: str
    tags: tuple[str, ...]
    fresh: bool


def push(remote: Remote, bundle: Bundle, data: bytes, beside: Beside, trust: Trust | None = None) -> Pushed:
    """Store a bundle, of which ``data`` is the archive, under its version, and as ``latest`` where it is the newest release.

    Where the version is there, a push may only add to it: the same archive, what stood beside it, and more.

    Raises:
        BundleError: what stands beside it does not hold, or the version is there with something that would be lost.
        CallError: its version cannot be a tag, or is not the tag that was asked for.
        EnvironmentFailure: the registry fails or refuses.
    """
    standing = judge(bundle, beside, trust or Trust())
    version = Version.of(bundle.version)
    if version.build:
        raise CallError(
            f"{version} is no version to publish: it was built of files that are in no commit",
            hint="commit them, and build again",
        )
    wanted = remote.reference.tag
    if wanted not in (None, str(version)) or remote.reference.digest is not None:
        raise CallError(f"the bundle is {version}, and is pushed as that", hint=f"leave {wanted or 'the digest'} out")
    layers = [(ARCHIVE, data, f"wmap-catalog-{version}.tar")]
    if beside.provenance is not None:
        layers.append((MEDIA_TYPE, beside.provenance, layers[0][2] + PROVENANCE))
    if beside.signature is not None:
        layers.append((SIGSTORE_BUNDLE, beside.signature, layers[0][2] + SIGNATURE))
    manifest = _manifest(bundle, standing, layers)
    before = remote.manifest(str(version))
    if before is not None and not _adds(version, remote, before, {kind: digest_of(made) for kind, made, _ in layers}):
        # it may say more of itself than this program writes
        manifest = before
    latest = _is_newest(remote, version)
    for _, content, _ in [*layers, ("", b"{}", "")]:
        remote.put_blob(content)
    # the tag comes last: it never names what is not there whole
    if manifest != before:
        remote.put_manifest(str(version), manifest)
    if latest:
        remote.put_manifest(LATEST, manifest)
    return Pushed(digest_of(manifest), (str(version), *([LATEST] if latest else [])), before is None)


def _adds(version: Version, remote: Remote, before: bytes, layers: Mapping[str, str]) -> bool:
    """Whether layers (kind to digest) are more than those of the manifest that is there under their version.

    Raises:
        BundleError: something of it would be lost.
    """
    name = f"{remote.reference.host}/{remote.reference.repository}:{version}"
    there = {kind: digest for kind, (digest, _) in _layers(before, name).items()}
    if there[ARCHIVE] != layers[ARCHIVE]:
        raise BundleError(
            f"{version} is there with the digest {there[ARCHIVE]}, this archive has {layers[ARCHIVE]}",
            hint="a version is never published twice: take another",
        )
    lost = [kind for kind, digest in there.items() if layers.get(kind) != digest]
    if lost:
        said = " and ".join(
            f"its {_CALLED[kind]} ({'which this push does not have' if kind not in layers else 'this push has another'})"
            for kind in lost
        )
        raise BundleError(
            f"{version} is there, and this push would take away {said}",
            hint="a push only adds to a version: fetch what stands beside it with wmap bundle pull, and push that with it",
        )
    return there != layers


def pull(remote: Remote, trust: Trust | None = None, digest: str | None = None) -> Pulled:
    """A bundle of a registry, by tag (``latest`` where none is named) or by the manifest's digest, verified before it is given.

    ``digest`` is that which the archive must have.

    Raises:
        BundleError: it is none, or does not hold.
        EnvironmentFailure: there is none, or the registry fails or refuses.
    """
    reference = remote.reference
    name = reference.digest or reference.tag or LATEST
    manifest = remote.manifest(name)
    if manifest is None:
        raise _missing(remote)
    layers = _layers(manifest, str(reference))
    archive = layers[ARCHIVE]
    if digest is not None and archive[0] != digest:
        raise BundleError(
            f"{reference} has the digest {archive[0]}, not {digest[:80]}", hint="see that it is the right one"
        )
    found = {kind: remote.blob(blob, size, _MOST[kind]) for kind, (blob, size) in layers.items()}
    data = found[ARCHIVE]
    try:
        bundle = read_bundle(data)
        beside = Beside(found.get(MEDIA_TYPE), found.get(SIGSTORE_BUNDLE))
        standing = judge(bundle, beside, trust or Trust())
    except BundleError as error:
        raise BundleError(f"{reference}: {error.message}", hint=error.hint) from error
    tag = Version.read(reference.tag or "")
    if tag is not None and str(tag) != bundle.version:
        raise BundleError(f"{reference} holds the bundle {bundle.version}", hint="ask who publishes there")
    return Pulled(data, bundle, beside, standing, digest_of(manifest))


def _missing(remote: Remote) -> EnvironmentFailure:
    """What to say of a name that a registry does not have: what else is there."""
    reference = remote.reference
    tags = remote.tags() if reference.digest is None else []
    versions = sorted((v for t in tags if (v := Version.read(t)) is not None), key=lambda v: v.key, reverse=True)
    newest = [str(v) for v in versions[:_SHOWN]] or sorted(tags, reverse=True)[:_SHOWN]
    if not newest:
        return EnvironmentFailure(f"there is no {reference} (404)", hint="see that name and tag are right")
    there = f"its newest tags are {', '.join(newest)}" if len(newest) > 1 else f"its only tag is {newest[0]}"
    if reference.tag is None:
        return EnvironmentFailure(
            f"{reference} has no {LATEST} (404): no release was pushed there", hint=f"name a tag; {there}"
        )
    return EnvironmentFailure(f"there is no {reference} (404)", hint=there)


def _manifest(bundle: Bundle, standing: Standing, layers: list[tuple[str, bytes, str]]) -> bytes:
    said = {
        _VERSION: bundle.version,
        _TITLE: "Workload Map catalog",
        "org.opencontainers.image.licenses": bundle.index.licence,
    }
    if standing.provenance is not None:
        said["org.opencontainers.image.source"] = standing.provenance.repository
        said["org.opencontainers.image.revision"] = standing.provenance.commit
    document = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": ARTIFACT,
        "config": _descriptor(EMPTY, b"{}"),
        "layers": [{**_descriptor(kind, data), "annotations": {_TITLE: name}} for kind, data, name in layers],
        "annotations": dict(sorted(said.items())),
    }
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _descriptor(kind: str, data: bytes) -> dict[str, Any]:
    return {"mediaType": kind, "digest": digest_of(data), "size": len(data)}


def _layers(manifest: bytes, name: str) -> dict[str, tuple[str, int]]:
    """Digest and size of each layer of a bundle's manifest, by kind.

    Raises:
        BundleError: it is the manifest of something else.
    """
    found: dict[str, tuple[str, int]] = {}
    try:
        document = json.loads(manifest)
        if document.get("artifactType") != ARTIFACT:
            raise BundleError(f"{name} is no bundle but {str(document.get('artifactType'))[:100]!r}")
        for layer in document["layers"]:
            kind, digest, size = layer["mediaType"], layer["digest"], layer["size"]
            right = isinstance(size, int) and not isinstance(size, bool) and size >= 0 and len(digest) == 71
            if not right or not digest.startswith("sha256:") or set(digest[7:]) - set("0123456789abcdef"):
                raise BundleError(f"{name}: a layer has no size, or no SHA-256")
            if kind not in _MOST or kind in found:
                raise BundleError(f"{name}: a layer is {str(kind)[:100]!r}, which is unknown or stands twice")
            found[kind] = (digest, size)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BundleError(f"{name} is no bundle: its manifest cannot be read") from error
    if ARCHIVE not in found:
        raise BundleError(f"{name} is no bundle: it has no archive")
    return found


def _named(remote: Remote, tag: str) -> tuple[str, str | None] | None:
    """The digest of the archive that a tag names, and its version, None where there is no such tag."""
    manifest = remote.manifest(tag)
    if manifest is None:
        return None
    layers = _layers(manifest, f"{remote.reference.host}/{remote.reference.repository}:{tag}")
    said = json.loads(manifest).get("annotations")
    version = said.get(_VERSION) if isinstance(said, dict) else None
    return layers[ARCHIVE][0], version if isinstance(version, str) else None


def _is_newest(remote: Remote, version: Version) -> bool:
    """Whether ``latest`` is to name a version: a release, and no older than what it names."""
    if not version.release:
        return False
    named = _named(remote, LATEST)
    before = None if named is None else Version.read(named[1] or "")
    return before is None or before.key <= version.key
