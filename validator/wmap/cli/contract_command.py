"""``wmap contract``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wmap.cli.contract_sync_command import sync
from wmap.cli.options import output_option, write, write_bytes
from wmap.errors import CallError, EnvironmentFailure

if TYPE_CHECKING:
    from wmap.contract import KindName, Store, Term

_store = click.option(
    "--store", "folder", metavar="DIR", type=click.Path(path_type=Path), help="The store, not that of the package."
)
_path = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Build, show and compare contracts: what a release of a framework promises."""


command.add_command(sync)


@command.command("build")
@click.option("--framework", required=True, metavar="NAME", help="The framework.")
@click.option("--release", required=True, metavar="TAG", help="The release.")
@click.option("--crd", "crds", multiple=True, required=True, metavar="FILE", type=_path, help="A manifest of CRDs.")
@click.option("--constants", metavar="FILE", type=_path, help="A table of constants: name, type, value, file.")
@click.option("--source", metavar="DIR", type=_path, help="The Go source of the operator.")
@click.option("--rbac", "roles", multiple=True, metavar="FILE", type=_path, help="A manifest of the operator's roles.")
@click.option("--repository", metavar="URL", help="Where the release is from.")
@click.option("--commit", metavar="SHA", help="Its commit.")
@click.option("--date", metavar="DATE", help="Its date.")
@click.option("--out", metavar="DIR", type=_path, help="The store to put it into.")
@click.pass_context
def build(
    ctx: click.Context,
    framework: str,
    release: str,
    crds: tuple[Path, ...],
    constants: Path | None,
    source: Path | None,
    roles: tuple[Path, ...],
    repository: str | None,
    commit: str | None,
    date: str | None,
    out: Path | None,
) -> None:
    """Make the contracts and the vocabulary of one release, and put them into the store."""
    from wmap.contract import Store  # noqa: PLC0415  # loaded when the command runs
    from wmap.contract.build import KUBERNETES, add_release, build_release, check_name, digest  # noqa: PLC0415  # the same
    from wmap.contract.reference import framework_of  # noqa: PLC0415  # the same
    from wmap.data import data_root  # noqa: PLC0415  # the same

    check_name("framework", framework)
    check_name("release", release)
    if framework == KUBERNETES:
        raise CallError("the core types of Kubernetes are not made from CRDs", hint="`make contracts` makes them")
    if constants is not None and source is not None:
        raise CallError("--constants and --source exclude each other", hint="give one of them")
    terms: tuple[Term, ...] = ()
    read = []
    if constants is not None:
        from wmap.contract.vocabulary import read_constants  # noqa: PLC0415  # the same

        data = _bytes(constants)
        terms = read_constants(_text(data, constants), file=str(constants))
        read = [(constants.as_posix(), digest(data))]
    elif source is not None:
        terms, read = _source(source)
    known = framework_of(Path(ctx.find_root().obj or data_root() / "catalog"), framework)
    if known is not None:
        from wmap.contract.vocabulary import apply_rules  # noqa: PLC0415  # the same

        terms = (*apply_rules(terms, known.vocabulary), *known.words_at(release))
    rights: tuple[str, ...] | None = None
    if roles:
        from wmap.contract.rights import read_rights  # noqa: PLC0415  # the same

        given = [(path.as_posix(), _bytes(path)) for path in roles]
        rights = tuple(sorted({r for file, data in given for r in read_rights(data, file)}))
        read = [*read, *((file, digest(data)) for file, data in given)]
    built = build_release(
        release,
        [(path.as_posix(), _bytes(path)) for path in crds],
        terms=terms,
        places=known.core_types if known else (),
        repository=repository,
        commit=commit,
        date=date,
        read=read,
        rights=rights,
    )
    folder = out or Store().folder
    add_release(folder, framework, release, built)
    write(
        f"{framework} {release}: {len(built.bodies)} contracts and {len(built.terms)} terms put into {folder}\n"
        + "".join(f"  {name}\n" for name in sorted(built.bodies))
    )


@command.command("show")
@click.argument("framework", required=False)
@click.argument("release", required=False)
@click.argument("kind", required=False)
@output_option("text", "json")
@_store
def show(framework: str | None, release: str | None, kind: str | None, form: str, folder: Path | None) -> None:
    """Show what the store has: the releases of FRAMEWORK, the kinds of RELEASE, the fields of KIND.

    KIND is a name (RayCluster), with a version where there are several (v1/RayCluster), or with its group too.
    """
    from wmap.contract import Store  # noqa: PLC0415  # loaded when the command runs
    from wmap.report import contracts as report  # noqa: PLC0415  # the same
    from wmap.report.data import dump  # noqa: PLC0415  # the same

    store = Store(folder)
    if framework is None:
        document = report.frameworks(store)
        text = report.frameworks_text(store)
    elif release is None:
        document = report.releases(store, framework)
        text = report.releases_text(store, framework)
    elif kind is None:
        document = report.release(store, framework, release)
        text = report.release_text(store, framework, release)
    else:
        found = [store.contract(framework, release, *name) for name in _kinds(store, framework, [release], kind)]
        contracts = [contract for contract in found if contract is not None]
        document = {"schemaVersion": 1, "contracts": [report.contract(contract) for contract in contracts]}
        text = "\n".join(report.contract_text(contract) for contract in contracts)
    if form == "json":
        write_bytes(dump(document, "json"))
    else:
        write(text)


@command.command("diff")
@click.argument("framework")
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@click.argument("kind", required=False)
@output_option("text", "json", "markdown")
@_store
def diff(framework: str, old: str, new: str, kind: str | None, form: str, folder: Path | None) -> None:
    """Compare the releases A and B of FRAMEWORK: fields, types, defaults, enums and vocabulary."""
    from wmap.contract import Store  # noqa: PLC0415  # loaded when the command runs
    from wmap.contract.diff import diff_releases  # noqa: PLC0415  # the same
    from wmap.report import contract_diff as report  # noqa: PLC0415  # the same
    from wmap.report.data import dump  # noqa: PLC0415  # the same

    store = Store(folder)
    kinds = None if kind is None else _kinds(store, framework, [old, new], kind)
    found = diff_releases(store, framework, old, new, kinds)
    if form == "json":
        write_bytes(dump(report.document(found), "json"))
    else:
        write(report.markdown(found) if form == "markdown" else report.text(found))


def _kinds(store: Store, framework: str, releases: list[str], wanted: str) -> list[KindName]:
    """The kinds of releases that a text names: ``Kind``, ``version/Kind`` or ``group/version/Kind``.

    Raises:
        CallError: there is none.
    """
    import difflib  # noqa: PLC0415  # rarely needed

    names = sorted({name for release in releases for name in store.kinds(framework, release)})
    parts = wanted.split("/")
    found = [name for name in names if list(name)[-len(parts) :] == parts]
    if not found:
        near = difflib.get_close_matches(parts[-1], [name.kind for name in names], 1, 0.5)
        raise CallError(
            f"{framework} {' and '.join(releases)} has no kind {wanted}",
            hint=f"did you mean {near[0]}?" if near else f"it has {', '.join(map(str, names))}",
        )
    return found


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CallError(f"there is no file {path}", hint="give the path of a manifest or table") from None
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}") from error


def _text(data: bytes, path: Path) -> str:
    from wmap.contract.crd import LIMITS  # noqa: PLC0415  # loaded when the command runs
    from wmap.definition.yamlio import decode  # noqa: PLC0415  # the same

    return decode(data, file=str(path), limits=LIMITS)


def _source(folder: Path) -> tuple[tuple[Term, ...], list[tuple[str, str]]]:
    from wmap.contract.build import digest  # noqa: PLC0415  # loaded when the command runs
    from wmap.contract.gosource import is_source, read_source  # noqa: PLC0415  # the same

    if not folder.is_dir():
        raise CallError(f"there is no folder {folder}", hint="--source takes the root of the operator's repository")
    files = {
        path.relative_to(folder).as_posix(): _bytes(path)
        for path in sorted(folder.rglob("*.go"))
        if path.is_file() and not path.is_symlink()
    }
    chosen = {name: data for name, data in files.items() if is_source(name)}
    return read_source(chosen), [(name, digest(data)) for name, data in chosen.items()]
