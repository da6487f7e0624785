"""``wmap fuzz``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wmap.cli.options import catalog_of, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from wmap.fuzz import Outcome

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def _seconds(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """A time: ``90``, ``60s``, ``5m``."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,6})([smh]?)", value)
    if found is None or int(found[1]) == 0:
        raise click.BadParameter(f"{value} is no time; write 60s, 5m")
    return float(int(found[1]) * _UNITS[found[2]])


@click.command()
@click.argument("names", nargs=-1, metavar="[DEFINITION]...")
@click.option(
    "--release", metavar="TAG|all", help="The release whose objects are drawn; else the newest supported one."
)
@click.option("--property", "codes", multiple=True, metavar="CODE", help="Try this property only; may be given again.")
@click.option(
    "--examples",
    type=click.IntRange(1, 1_000_000),
    default=200,
    show_default=True,
    help="Objects drawn, and as many mutated.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="The same seed finds the same."
)
@click.option("--time", "seconds", callback=_seconds, metavar="TIME", help="Go on in rounds for so long: 60s, 5m.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes.")
@click.option("--save", is_flag=True, help="Write what fails as fixtures.")
@click.option("--samples", type=click.Path(path_type=Path), metavar="DIR", help="Mutate the manifests of a folder too.")
@click.option(
    "-o",
    "--output",
    "form",
    default="text",
    metavar="FORMAT",
    help="text (default), json, sarif, junit, github or markdown.",
)
@click.pass_context
def command(
    ctx: click.Context, names: tuple[str, ...], release: str | None, codes: tuple[str, ...], examples: int, seed: int,
    seconds: float | None, jobs: int, save: bool, samples: Path | None, form: str,
) -> int:  # fmt: skip
    """Find the object that breaks a definition before a cluster does."""
    from wmap.check.run import fixtures_of, near  # noqa: PLC0415  # loaded when the command runs
    from wmap.errors import CallError  # noqa: PLC0415  # the same
    from wmap.fuzz import Options, fuzz  # noqa: PLC0415  # the same
    from wmap.fuzz.save import save_fixtures  # noqa: PLC0415  # the same
    from wmap.report.fuzz import FORMATS, render  # noqa: PLC0415  # the same

    if form not in FORMATS:
        raise CallError(f"no output format is called {form}", hint=f"there are: {', '.join(FORMATS)}")
    definitions = catalog_of(ctx).definitions
    named = [Path(definitions.named(n).file or "") for n in dict.fromkeys(names)]
    files = [near(f) for f in (named or definitions.files)]
    fixtures = fixtures_of(definitions.folder)
    options = Options(
        examples=examples, seed=seed, release=release, codes=codes, seconds=seconds, jobs=jobs, samples=samples,
        fixtures=fixtures, replays=Path(".wmap") / "fuzz",
    )  # fmt: skip
    result = fuzz(files, options, _progress(len(files)))
    write(render(result, form))
    if save:
        for path in save_fixtures(result.found, fixtures):
            sys.stderr.write(f"wmap: wrote {path}: work out by hand what must be read\n")
    if result.interrupted:
        return 130
    return 1 if result.found else 0


def _progress(files: int) -> Callable[[Outcome], None]:
    """One line a definition that is done; on a terminal one line that is written over."""
    done: list[str] = []
    found = [0]
    terminal = sys.stderr.isatty()

    def progress(outcome: Outcome) -> None:
        done.append(outcome.name)
        found[0] += len(outcome.found)
        if terminal:
            share = min(1.0, len(set(done)) / files)
            bar = "#" * round(30 * share)
            end = "\n" if len(done) == files else ""
            sys.stderr.write(
                f"\r[{bar:30}] {len(set(done))}/{files}, {found[0]} findings  {outcome.name:.40}\033[K{end}"
            )
        else:
            count = len(outcome.found)
            sys.stderr.write(f"{outcome.name}: {outcome.objects} objects, {count} finding{'' if count == 1 else 's'}\n")
        sys.stderr.flush()

    return progress
