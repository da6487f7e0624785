"""``wmap cluster``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wmap.cli.options import catalog_of, keep, write
from wmap.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.cluster.outcome import Outcome
    from wmap.cluster.provider import Provider

PROVIDERS = ("envtest", "kind", "current")


@click.group()
def command() -> None:
    """Run definitions on a real API server, and see where they are wrong there."""


def _provider_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which cluster, and how it is made."""
    for option in reversed((
        click.option("--provider", type=click.Choice(PROVIDERS), default="envtest", show_default=True, help="What gives the cluster."),
        click.option("--image", metavar="IMAGE", help="kind: the node image."),
        click.option("--kubernetes", "version", metavar="VERSION", help="kind: the version of Kubernetes, as v1.36.3."),
        click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="kind: its configuration."),
        click.option("--keep", "kept", is_flag=True, help="kind: use the cluster that an earlier run kept, and keep it."),
        click.option("--kubeconfig", metavar="FILE", help="current: the kubeconfig; else as kubectl finds it."),
        click.option("--context", metavar="NAME", help="current: the context; else its current one."),
        click.option("--allow-crds", is_flag=True, help="current: install what is cluster-scoped, and take it away again."),
        click.option("--logs", type=click.Path(path_type=Path), metavar="DIR", help="Keep the logs here where something fails."),
    )):  # fmt: skip
        function = option(function)
    return function


def _provider(named: dict[str, Any]) -> Provider:
    """The provider that the options say.

    Raises:
        CallError: an option belongs to another one.
    """
    from wmap.errors import CallError  # noqa: PLC0415  # loaded when the command runs

    of_one = {"kind": ("image", "version", "config", "kept"), "current": ("kubeconfig", "context", "allow_crds")}
    provider = named["provider"]
    for owner, options in of_one.items():
        given = [o for o in options if named[o]]
        if owner != provider and given:
            called = {"version": "kubernetes", "kept": "keep"}.get(given[0], given[0]).replace("_", "-")
            raise CallError(f"--{called} is for --provider {owner}", hint=f"name --provider {owner}, or leave it out")
    if provider == "kind":
        from wmap.cluster.kind import Kind  # noqa: PLC0415  # only this one is wanted

        return Kind(
            image=named["image"],
            version=named["version"],
            config=named["config"],
            keep=named["kept"],
            logs=named["logs"],
        )
    if provider == "current":
        from wmap.cluster.current import Current  # noqa: PLC0415  # the same

        return Current(kubeconfig=named["kubeconfig"], context=named["context"], crds=named["allow_crds"])
    from wmap.cluster.envtest import Envtest  # noqa: PLC0415  # the same

    return Envtest(logs=named["logs"])


@command.command("run")
@_provider_options
@click.option(
    "--framework", "frameworks", multiple=True, metavar="NAME", help="This framework only; may be given again."
)
@click.option("--definition", "names", multiple=True, metavar="NAME", help="This definition only; may be given again.")
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="TAG|all",
    help="This release; else the newest that there are CRDs of.",
)
@click.option(
    "--crds",
    "folder",
    type=click.Path(path_type=Path, exists=False),
    metavar="DIR",
    help="CRDs of a release, or a folder FRAMEWORK/RELEASE for each; else what `wmap contract sync` keeps.",
)
@click.option(
    "--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where `wmap contract sync` keeps repositories."
)
@click.option(
    "--samples",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Try the manifests of a folder too, or of FRAMEWORK/samples below it.",
)
@click.option("--jobs", type=click.IntRange(1, 32), default=1, show_default=True, help="Frameworks side by side.")
@click.option(
    "--fail-on",
    type=click.Choice([str(x) for x in Severity]),
    default="error",
    show_default=True,
    help="The least severity that fails the run.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help="text (default), json, junit or markdown; may be given again, with a file.",
)
@click.pass_context
def run(
    ctx: click.Context, /, frameworks: tuple[str, ...], names: tuple[str, ...], releases: tuple[str, ...], folder: Path | None,
    cache: Path | None, jobs: int, fail_on: str, outputs: tuple[str, ...], **named: Any,
) -> int:  # fmt: skip
    """Install CRDs, compare the served schema, and try every fixture: admit, read back, status, changes, suspension, pods."""
    from wmap.check.run import fixtures_of, near  # noqa: PLC0415  # loaded when the command runs
    from wmap.cluster.matrix import entries_of  # noqa: PLC0415  # the same
    from wmap.cluster.run import Run  # noqa: PLC0415  # the same
    from wmap.cluster.source import Source  # noqa: PLC0415  # the same
    from wmap.contract import Store  # noqa: PLC0415  # the same
    from wmap.errors import CallError  # noqa: PLC0415  # the same
    from wmap.gitio import default_cache  # noqa: PLC0415  # the same
    from wmap.report.cluster import FORMATS, worst  # noqa: PLC0415  # the same

    wanted = [o.partition("=") for o in outputs or ("text",)]
    for form, _, _ in wanted:
        if form not in FORMATS:
            raise CallError(f"no output format is called {form}", hint=f"there are: {', '.join(FORMATS)}")
    definitions = catalog_of(ctx).definitions
    chosen = [definitions.named(n) for n in dict.fromkeys(names)] if names else definitions.all()
    source = Source(folder, cache or default_cache())
    store = Store()
    entries = entries_of(chosen, store, source, frameworks=frameworks, releases=releases)
    provider = _provider(named)
    if named["provider"] == "current":
        _announce(named, entries)
    with provider:
        facts = provider.facts
        asked = source if facts.crds else None
        runner = Run(
            provider.server, asked, near(fixtures_of(definitions.folder)), store, tell=_progress(), jobs=jobs,
            create=named["provider"] != "current", alone=not facts.pods,
        )  # fmt: skip
        outcomes = runner.all(entries)
    files = {Path(file): FORMATS[form](outcomes, facts).encode() for form, _, file in wanted if file}
    keep(files)
    for form, _, file in wanted:
        if not file:
            write(FORMATS[form](outcomes, facts))
    found = worst(outcomes)
    return 1 if found is not None and found.rank >= Severity(fail_on).rank else 0


@command.command("up")
@_provider_options
def up(**named: Any) -> int:
    """Start a cluster, print how to reach it, and keep it until Ctrl-C (kind with --keep: beyond that)."""
    from wmap.errors import CallError  # noqa: PLC0415  # loaded when the command runs

    if named["provider"] == "current":
        raise CallError("a cluster that is there is not started", hint="name --provider envtest or kind")
    with _provider(named) as cluster:
        facts = cluster.facts
        if facts.provider == "kind" and named["kept"]:
            kubeconfig = _kept(Path(facts.kubeconfig).read_bytes())
            write(f"export KUBECONFIG={kubeconfig}\n")
            return 0
        write(f"export KUBECONFIG={facts.kubeconfig}\n")
        sys.stdout.flush()
        sys.stderr.write(f"wmap: {facts.provider}, Kubernetes {facts.version}; Ctrl-C takes it away\n")
        import signal  # noqa: PLC0415  # only here

        signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return 0


def _kept(kubeconfig: bytes) -> Path:
    """The kubeconfig of a kept cluster, where only its owner reads it."""
    from wmap.cluster.envtest import built  # noqa: PLC0415  # the folder of what is kept

    place = built().with_name("kind.kubeconfig")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch(mode=0o600)
    place.write_bytes(kubeconfig)
    return place


@command.command("down")
def down() -> None:
    """Delete the kind clusters that runs have kept, or left when they died."""
    from wmap.cluster.kind import KEPT, clusters, delete, left, programs  # noqa: PLC0415  # loaded when the command runs

    programs()
    found = [n for n in clusters() if n == KEPT or left(n)]
    for name in found:
        delete(name)
        write(f"deleted {name}\n")
    if not found:
        write("there is none of ours\n")


def _announce(named: dict[str, Any], entries: list[Any]) -> None:
    """Say what will be done to a cluster that is in use, before it is."""
    kinds = ", ".join(sorted({str(e.definition.kind.kind) for e in entries}))
    crds = "installs their CRDs and takes them away again" if named["allow_crds"] else "installs nothing"
    where = f"the context {named['context']}" if named["context"] else "the current context"
    sys.stderr.write(
        f"wmap: on {where}: makes a namespace wmap-* and takes it away again; {crds}; "
        f"tries fixtures of {kinds} by dry runs, and creates none\n"
    )


def _progress() -> Callable[[Outcome], None]:
    """A line for what failed or took long; on a terminal also one that is written over."""
    from wmap.cluster.outcome import Result, Step  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.cluster import progress  # noqa: PLC0415  # the same

    if sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415  # only on a terminal
        from rich.text import Text  # noqa: PLC0415  # the same

        console = Console(stderr=True)
        status = console.status("")
        status.start()
        count = [0, 0]

        def show(outcome: Outcome) -> None:
            count[0] += 1
            if outcome.result is Result.FAILED:
                count[1] += 1
                console.print(Text(progress(outcome), style="red"))
            status.update(
                Text(f"{count[0]} tried, {count[1]} failed: {outcome.step} {outcome.subject}"[: console.width - 4])
            )

        return show
    seen: set[str] = set()

    def tell(outcome: Outcome) -> None:
        named = f"{outcome.subject.framework} {outcome.subject.release} {outcome.subject.definition}"
        first = named not in seen
        seen.add(named)
        if first or outcome.result is Result.FAILED or outcome.step is Step.INSTALL:
            sys.stderr.write(f"{progress(outcome)}\n")
            sys.stderr.flush()

    return tell
