"""``wmap contract sync``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wmap.cli.options import write
from wmap.errors import CallError

if TYPE_CHECKING:
    from wmap.contract.framework import Framework
    from wmap.contract.sync import Outcome


@click.command("sync")
@click.argument("frameworks", nargs=-1, metavar="[FRAMEWORK]...")
@click.option("--release", metavar="TAG", help="This release.")
@click.option("--latest", is_flag=True, help="The newest release (the default).")
@click.option("--all", "every", is_flag=True, help="All releases.")
@click.option(
    "--cache", "cache", metavar="DIR", type=click.Path(path_type=Path), help="Where fetched repositories are kept."
)
@click.option(
    "--out", "store", metavar="DIR", type=click.Path(path_type=Path), help="The store of contracts to add to."
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(1),
    default=600.0,
    show_default=True,
    help="For a call of git.",
)
@click.option(
    "--max-size",
    metavar="MIB",
    type=click.IntRange(1),
    default=512,
    show_default=True,
    help="For a repository in the cache.",
)
@click.pass_context
def sync(
    ctx: click.Context, frameworks: tuple[str, ...], release: str | None, latest: bool, every: bool, cache: Path | None,
    store: Path | None, timeout: float, max_size: int,
) -> None:  # fmt: skip
    """Build contracts from the frameworks' own git repositories.

    Where the CRDs and the source of a release lie stands in catalog/FRAMEWORK/framework.yaml. Without a FRAMEWORK all of the
    catalog are taken.
    """
    from wmap.contract.sync import Sync, Wanted  # noqa: PLC0415  # loaded when the command runs
    from wmap.gitio import GitLimits, default_cache  # noqa: PLC0415  # the same

    if sum((release is not None, latest, every)) > 1:
        raise CallError("--release, --latest and --all exclude each other", hint="give one of them")
    chosen = _chosen(ctx.find_root().obj, frameworks)
    if release is not None and len(chosen) > 1:
        raise CallError("--release names the release of one framework", hint="name the framework, too")
    limits = GitLimits(seconds=timeout, size=max_size * 2**20)
    run = Sync(cache=cache or default_cache(), store=store or _default_store(), limits=limits)
    worst = 0
    for framework in chosen:
        for outcome in run.run(framework, Wanted(release, every)):
            worst = max(worst, outcome.problem.exit_code if outcome.problem else 0)
            _tell(outcome)
    if worst:
        ctx.exit(worst)


def _chosen(folder: str | None, names: tuple[str, ...]) -> list[Framework]:
    import difflib  # noqa: PLC0415  # loaded when the command runs

    from wmap.catalog import default_folder  # noqa: PLC0415  # the same
    from wmap.contract.framework import load_frameworks  # noqa: PLC0415  # the same

    known = load_frameworks(Path(folder) if folder else default_folder())
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            raise CallError(f"the catalog holds no framework {name}", hint=hint)
    return [known[name] for name in sorted(set(names) or known)]


def _default_store() -> Path:
    from wmap.data import data_root  # noqa: PLC0415  # loaded when the command runs

    root = data_root()
    if root.name == "_data":
        raise CallError("the contracts of an installed package are not changed", hint="name a folder: --out DIR")
    return root / "schemas" / "contracts"


def _tell(outcome: Outcome) -> None:
    """What was built on standard output, a problem on standard error."""
    if outcome.problem is not None:
        hint = f"\n  hint: {outcome.problem.hint}" if outcome.problem.hint else ""
        message = outcome.problem.message
        who = (
            ""
            if message.startswith(outcome.framework)
            else f"{outcome.framework} {outcome.release or ''}".strip() + ": "
        )
        click.echo(f"wmap: {who}{message}{hint}", err=True)
    elif outcome.built is not None:
        built = outcome.built
        write(
            f"{outcome.framework} {outcome.release}: {_count(len(built.crds), 'CRD file')}, {_count(len(built.terms), 'constant')}"
            f" at {built.commit[:12]} of {built.date}\n"
        )
        if built.unfiltered:
            click.echo(f"wmap: {outcome.framework}: its server does not filter: it sent all files", err=True)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
