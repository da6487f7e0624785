"""``wmap bundle``."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmap.cli.options import git_place, keep, keep_folder, output_option, write, write_bytes
from wmap.errors import CallError, EnvironmentFailure
from wmap.report.neutral import lines, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wmap.registry.bundle import Built, Bundle
    from wmap.registry.bundle.transport import Remote
    from wmap.registry.bundle.trust import Standing, Trust


def _gathered(
    options: Sequence[Callable[..., Any]], names: Sequence[str], into: str, made: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: some options, given to the command as the one thing that they make."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def called(*args: Any, **given: Any) -> Any:
            values = [given.pop(name) for name in names]
            return command(*args, **given, **{into: made(*values)})

        decorated: Callable[..., Any] = called
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def _trust(*said: str | None) -> Trust:
    from wmap.registry.bundle.trust import Trust  # noqa: PLC0415  # loaded when the command runs

    return Trust(*said)


def _connected(authority: str | None, plain_http: bool) -> Callable[[str], Remote]:
    def connect(name: str) -> Remote:
        from wmap.registry.bundle.reference import Reference  # noqa: PLC0415  # loaded when the command runs
        from wmap.registry.bundle.transport import Remote  # noqa: PLC0415  # the same

        return Remote(Reference.of(name), authority=authority, plain=plain_http)

    return connect


trust_options = _gathered(
    (
        click.option("--key", metavar="PEM", help="Ask for the signature of this public key."),
        click.option("--trust-root", "root", metavar="FILE", help="The pinned trust root of sigstore."),
        click.option("--identity", metavar="ID", help="Ask for the signature of this identity, such as a workflow."),
        click.option("--issuer", metavar="URL", help="Who vouches for the identity."),
    ),
    ("key", "root", "identity", "issuer"),
    "trust",
    _trust,
)
"""``trust``: whose signature is asked for."""
registry_options = _gathered(
    (
        click.option("--ca-file", metavar="FILE", help="Certificates to trust for the registry, not the system's."),
        click.option("--plain-http", is_flag=True, help="Talk to the registry without TLS."),
    ),
    ("ca_file", "plain_http"),
    "connect",
    _connected,
)
"""``connect``: from the name of a bundle in a registry to its repository."""


def _digest(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001  # click's signature
    if value is not None and not re.fullmatch("sha256:[0-9a-f]{64}", value):
        raise CallError(f"{value[:100]!r} is no digest", hint="write sha256: and 64 hexadecimal digits")
    return value


digest_option = click.option("--digest", metavar="sha256:HEX", callback=_digest, help="Refuse any other archive.")


@click.group()
def command() -> None:
    """Build, sign, verify, exchange and render bundles: the catalog as one file."""


@command.command("build")
@click.option("--at", "at", metavar="REF", help="Bundle the catalog as it is at REF, not as it lies in the checkout.")
@click.option(
    "--version", "version", metavar="V", help="The version of the bundle; by default that of a tag of the commit."
)
@click.option("--next", "following", is_flag=True, help="Work the version out from the changes since the last release.")
@click.option("--dirty", is_flag=True, help="Take files that are not committed; the version is marked.")
@click.option("--out", "out", metavar="FILE", help="Write FILE; by default wmap-catalog-VERSION.tar.")
@click.option(
    "--repository", "address", metavar="URL", help="The repository in the provenance; by default the CI's, or origin."
)
@click.option("--changelog", metavar="FILE", help="Write the section of this version into a changelog, too.")
@click.pass_context
def build_command(
    ctx: click.Context,
    at: str | None,
    version: str | None,
    out: str | None,
    address: str | None,
    changelog: str | None,
    *,
    following: bool,
    dirty: bool,
) -> None:
    """Write the catalog as one archive, and its provenance beside it.

    The same files and version give the same bytes everywhere.
    """
    from wmap.registry.bundle import build, read_bundle  # noqa: PLC0415  # loaded when the command runs
    from wmap.registry.bundle.trust import PROVENANCE  # noqa: PLC0415  # the same

    built = build(
        git_place(ctx.find_root().obj), at=at, version=version, following=following, dirty=dirty, address=address
    )
    bundle = read_bundle(built.data)
    place = Path(f"wmap-catalog-{bundle.version}.tar" if out is None else out)
    beside = Path(f"{place}{PROVENANCE}")
    files = {place: built.data, beside: built.statement}
    if changelog is not None:
        log = Path(changelog)
        if log in files:
            raise CallError(f"{log} is to be written twice", hint="give the changelog another name")
        files[log] = _changed(log, built)
    keep(files)
    note = "" if built.note is None else f"note        {built.note}\n"
    write(lines("".join(f"{name}\n" for name in files) + f"{_summary(bundle)}commit      {built.commit}\n{note}"))


@command.command("sign")
@click.argument("file", metavar="FILE")
@click.option("--key", metavar="PEM", help="The private key (ECDSA P-256); WMAP_KEY_PASSWORD holds its password.")
@click.option("--keyless", is_flag=True, help="Sign as the workflow that runs this, through sigstore.")
def sign_command(file: str, key: str | None, *, keyless: bool) -> None:
    """Sign a bundle: its provenance, which names its digest. Writes FILE.sigstore.json."""
    import os  # noqa: PLC0415  # for the password alone

    from wmap.registry.bundle.envelope import private_key, sign  # noqa: PLC0415  # the same
    from wmap.registry.bundle.keyless import sign_keyless  # noqa: PLC0415  # the same
    from wmap.registry.bundle.trust import PROVENANCE, SIGNATURE, Beside, Trust, judge, read_beside  # noqa: PLC0415  # the same

    if (key is not None) == keyless:
        raise CallError("a bundle is signed with a key, or keyless", hint="give --key PEM or --keyless")
    _check_file(file, "sign")
    bundle, beside = _read(file), read_beside(file)
    if beside.provenance is None:
        raise CallError(f"there is no {file}{PROVENANCE}", hint="the provenance is what is signed: wmap bundle build")
    judge(bundle, Beside(beside.provenance), Trust())
    if key is not None:
        password = os.environ.get("WMAP_KEY_PASSWORD")
        signed = sign(beside.provenance, private_key(key, password.encode() if password else None))
    else:
        signed = sign_keyless(beside.provenance)
    place = Path(file + SIGNATURE)
    keep({place: signed})
    write(f"{plain(str(place))}\n")


@command.command("verify")
@click.argument("file", metavar="FILE|REF")
@digest_option
@trust_options
@registry_options
def verify(
    file: str,
    digest: str | None,
    *,
    trust: Trust,
    connect: Callable[[str], Remote],
) -> None:
    """Check all of a bundle: its form, checksums, index and every definition, and what stands beside it.

    It is a file, or in a registry (oci://HOST/REPOSITORY:VERSION). Nothing is unpacked or written.
    """
    bundle, standing = _judged(file, trust, digest, connect)
    write(lines(f"{file} is whole; {_standing(standing)}\n{_summary(bundle)}{_origin(standing)}"))


@command.command("push")
@click.argument("file", metavar="FILE")
@click.argument("ref", metavar="REF")
@trust_options
@registry_options
def push_command(
    file: str,
    ref: str,
    *,
    trust: Trust,
    connect: Callable[[str], Remote],
) -> None:
    """Store a bundle, its provenance and signature in an OCI registry: HOST/REPOSITORY, tagged with its version.

    Signed in as the Docker configuration says. The newest release is tagged latest, too. A version is never replaced: a push may only
    add provenance or signature to one that is there.
    """
    from wmap.registry.bundle.content import open_bundle  # noqa: PLC0415  # loaded when the command runs
    from wmap.registry.bundle.exchange import push  # noqa: PLC0415  # the same
    from wmap.registry.bundle.reference import Reference  # noqa: PLC0415  # the same
    from wmap.registry.bundle.trust import read_beside  # noqa: PLC0415  # the same

    reference = Reference.of(ref)
    _check_file(file, "push")
    bundle, data = open_bundle(file)
    pushed = push(connect(ref), bundle, data, read_beside(file), trust)
    write(plain(f"{reference.host}/{reference.repository}@{pushed.manifest}") + "\n")
    write(f"tagged {', '.join(pushed.tags)}{'' if pushed.fresh else ' (it was there before)'}\n")


@command.command("pull")
@click.argument("ref", metavar="REF")
@click.option("--out", "out", metavar="FILE", help="Write FILE; by default wmap-catalog-VERSION.tar.")
@digest_option
@trust_options
@registry_options
def pull_command(
    ref: str,
    out: str | None,
    digest: str | None,
    *,
    trust: Trust,
    connect: Callable[[str], Remote],
) -> None:
    """Fetch a bundle from an OCI registry, verify it, and write it with its provenance and signature.

    Without a tag or digest it is the latest. Nothing is written that does not hold.
    """
    from wmap.registry.bundle.exchange import pull  # noqa: PLC0415  # loaded when the command runs
    from wmap.registry.bundle.trust import PROVENANCE, SIGNATURE  # noqa: PLC0415  # the same

    found = pull(connect(ref), trust, digest)
    place = Path(f"wmap-catalog-{found.bundle.version}.tar" if out is None else out)
    files = {
        Path(f"{place}{PROVENANCE}"): found.beside.provenance,
        Path(f"{place}{SIGNATURE}"): found.beside.signature,
        place: found.data,
    }
    # what is None would be of another bundle that lay here
    keep(files)
    said = "".join(f"{name}\n" for name, data in reversed(files.items()) if data is not None)
    write(lines(f"{said}{_standing(found.standing)}\n{_summary(found.bundle)}{_origin(found.standing)}"))


@command.command("show")
@click.argument("file", metavar="FILE|REF")
@registry_options
@output_option("text", "json")
def show(file: str, form: str, *, connect: Callable[[str], Remote]) -> None:
    """Show what a bundle holds, once it is verified."""
    from wmap.registry.bundle.trust import Trust  # noqa: PLC0415  # loaded when the command runs

    bundle, _ = _judged(file, Trust(), None, connect)
    if form == "json":
        write_bytes(bundle.index.dump())
        return
    write(lines(_summary(bundle)))
    width = max(len(e.name) for e in bundle.index.definitions)
    for entry in bundle.index.definitions:
        said = "new" if entry.fresh else str(entry.level or "")
        releases = ", ".join(s.release for s in entry.supported)
        life = f"  ({entry.life.said()})" if entry.life is not None else ""
        write(f"{plain(f'{entry.name:{width}}  {said:5}  {releases}{life}')}\n")


@command.command("render")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--at", "at", metavar="REF", help="Render the catalog as it is at REF.")
@click.option(
    "--version",
    "version",
    metavar="V",
    help="Render the release V, by its tag; the checkout by the name of its next version, or of a pre-release.",
)
@click.option("--dirty", is_flag=True, help="Take files that are not committed; the version is marked.")
@click.option("--crd", is_flag=True, help="Begin with the CustomResourceDefinition of the format.")
@click.option("--out", "out", metavar="PATH", help="Where to write; by default yaml goes to standard output.")
@digest_option
@trust_options
@output_option("yaml", "dir", "kustomize", "helm")
@click.pass_context
def render(
    ctx: click.Context,
    file: str | None,
    at: str | None,
    version: str | None,
    out: str | None,
    digest: str | None,
    form: str,
    *,
    dirty: bool,
    crd: bool,
    trust: Trust,
) -> None:
    """Give the definitions of a bundle, once it is verified, as manifests for kubectl, kustomize or Helm.

    Without FILE, those of the repository here. Of a registry's, wmap bundle pull makes a FILE.
    """
    from wmap.registry.bundle import build, read_bundle  # noqa: PLC0415  # the same
    from wmap.registry.bundle.build import tag_of  # noqa: PLC0415  # the same
    from wmap.registry.bundle.trust import judge, read_beside  # noqa: PLC0415  # the same
    from wmap.report.manifests import as_files, as_yaml  # noqa: PLC0415  # the same

    if file is not None:
        _check_file(file, "render")
        if at is not None or version is not None or dirty:
            raise CallError("a bundle has its version", hint="leave --at, --version and --dirty out, or FILE")
        bundle = _read(file, digest)
        judge(bundle, read_beside(file), trust)
    elif trust.asked or digest is not None:
        raise CallError("a digest or signature is that of a bundle", hint="name its FILE")
    else:
        place = git_place(ctx.find_root().obj)
        if at is None and version is not None and not dirty:
            at = tag_of(place, version)
        bundle = read_bundle(build(place, at=at, version=version, dirty=dirty, to_use=True).data)
    if form == "yaml":
        data = as_yaml(bundle, with_crd=crd)
        if out is None or out == "-":
            write_bytes(data)
            return
        keep({Path(out): data})
    elif out is None:
        raise CallError(f"{form} is a folder", hint="name it with --out DIR")
    else:
        keep_folder(Path(out), as_files(bundle, form, with_crd=crd))
    write(f"{plain(out)}\n")


@command.command("index")
@click.argument("folder", metavar="DIR")
@click.option("--yank", multiple=True, metavar="V=REASON", help="Say that a version should not be used, and why.")
@click.option("--unyank", multiple=True, metavar="V", help="Say that it may be used again.")
@trust_options
def index_command(
    folder: str,
    yank: tuple[str, ...],
    unyank: tuple[str, ...],
    *,
    trust: Trust,
) -> None:
    """Write DIR/index.json: the bundles in DIR, each verified, for a web server or bucket to host."""
    from wmap.registry.bundle.shelf import SHELF, shelf_of  # noqa: PLC0415  # the same

    reasons: dict[str, str] = {}
    for said in yank:
        version, _, reason = said.partition("=")
        if not reason.strip():
            raise CallError(f"{said[:100]!r} gives no reason", hint="write --yank VERSION=REASON")
        if version in unyank:
            raise CallError(f"{version} is to be yanked, and to be used again", hint="give one of --yank and --unyank")
        reasons[version] = reason.strip()
    shelf = shelf_of(Path(folder), yank=reasons, unyank=unyank, trust=trust)
    place = Path(folder) / SHELF
    keep({place: shelf.dump()})
    write(f"{plain(str(place))}\n")
    width = max(len(b.version) for b in shelf.bundles)
    for b in shelf.bundles:
        mark = f"yanked: {b.yanked}" if b.yanked else "latest" if b.version == shelf.latest else ""
        write(f"{plain(f'{b.version:{width}}  {b.digest}  {mark}'.rstrip())}\n")


def _changed(place: Path, built: Built) -> bytes:
    """A changelog with the section of what was built."""
    from wmap.report.changelog import insert, section  # noqa: PLC0415  # the same

    if place.exists() and not place.is_file():
        # a pipe would be waited for
        raise CallError(f"{place} is there and no file", hint="name a changelog in Markdown")
    try:
        text = place.read_text(encoding="utf-8") if place.exists() else None
    except UnicodeDecodeError as error:
        raise CallError(f"{place} is no UTF-8 text", hint="name a changelog in Markdown") from error
    except OSError as error:
        raise EnvironmentFailure(f"{place} cannot be read: {error.strerror}") from error
    index = built.index
    return insert(
        text, index.version, section(index.version, built.date, built.differences, first=index.since is None)
    ).encode()


def _summary(bundle: Bundle) -> str:
    index = bundle.index
    since = f", {index.since.level or 'nothing'} since {index.since.version}" if index.since is not None else ""
    return (
        f"version     {index.version}{since}\ndefinitions {len(index.definitions)}\n"
        f"digest      {bundle.digest}\nsize        {bundle.size:,} bytes\n"
    )


def _standing(standing: Standing) -> str:
    if standing.signer is not None:
        return f"signed by {standing.signer}"
    if standing.signed:
        return "its signature is NOT checked: say whose it must be with --key, or with --trust-root"
    return "it is not signed"


def _origin(standing: Standing) -> str:
    said = standing.provenance
    if said is None:
        return ""
    mark = "" if standing.signer is not None else " (not vouched for)"
    return f"repository  {said.repository}{mark}\ncommit      {said.commit}\nbuilder     {said.builder}\n"


def _check_file(name: str, command: str) -> None:
    """Nothing, where a name is not that of a bundle in a registry, which this command does not take."""
    from wmap.registry.bundle.reference import Reference, is_reference  # noqa: PLC0415  # loaded when the command runs

    if is_reference(name):
        reference = Reference.of(name)
        raise CallError(
            f"{command} takes the file of a bundle, and {reference} is in a registry",
            hint=f"fetch it first: wmap bundle pull oci://{reference}",
        )


def _read(file: str, digest: str | None = None) -> Bundle:
    from wmap.registry.bundle.content import load_bundle  # noqa: PLC0415  # loaded when the command runs

    return load_bundle(file, digest)


def _judged(name: str, trust: Trust, digest: str | None, connect: Callable[[str], Remote]) -> tuple[Bundle, Standing]:
    """The bundle of a file or registry, verified, and what is known of its origin."""
    from wmap.registry.bundle.reference import is_reference  # noqa: PLC0415  # loaded when the command runs

    if is_reference(name):
        from wmap.registry.bundle.exchange import pull  # noqa: PLC0415  # the same

        found = pull(connect(name), trust, digest)
        return found.bundle, found.standing
    from wmap.registry.bundle.trust import judge, read_beside  # noqa: PLC0415  # the same

    bundle = _read(name, digest)
    return bundle, judge(bundle, read_beside(name), trust)
