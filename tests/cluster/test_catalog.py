"""The whole catalog on a real API server, at the newest release of each framework: every fixture, step by step, and upstream's samples."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wmap.api import Catalog
from wmap.cluster.matrix import entries_of
from wmap.cluster.outcome import Result, Step
from wmap.cluster.run import Run
from wmap.cluster.source import Source
from wmap.contract import Store

if TYPE_CHECKING:
    from wmap.cluster.server import Server

pytestmark = pytest.mark.usefixtures("loopback")
FRAMEWORKS = sorted(p.parent.name for p in Path("catalog").glob("*/framework.yaml"))
WEBHOOK = "jobset"
"""Its samples need a webhook that does not run here."""


def _expected(lab: Path, framework: str, groups: set[str]) -> dict[str, bool]:
    """Whether each sample of a framework is taken, by its file: as recorded of a real server, apart from what a namespace says."""
    with (lab / "samples-dry-run.tsv").open(newline="") as table:
        rows = [r for r in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE) if r["framework"] == framework]
    column = "bare" if framework == WEBHOOK else "prepared"
    own = [r for r in rows if r["apiVersion"].rpartition("/")[0] in groups]
    return {r["file"]: r[column] == "pass" or "<your-namespace>" in r["cause"] for r in own}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_fixture_holds_and_samples_are_taken_as_known(
    server: Server, upstream: Path, tmp_path: Path, framework: str
) -> None:
    """Schema, admission, defaults, statuses, changes, suspension and pods of every fixture; samples pass or fail as a real server said."""
    source, store = Source(upstream, tmp_path), Store()
    entries = entries_of(Catalog.load().definitions.all(), store, source, frameworks=[framework])
    outcomes = Run(server, source, Path("fixtures"), store, samples=upstream / framework / "samples").all(entries)
    assert [o for o in outcomes if o.result is Result.FAILED] == []
    steps = {o.step for o in outcomes}
    assert {Step.SCHEMA, Step.ADMIT, Step.DEFAULTS, Step.STATUS, Step.PODS} <= steps
    fixtures = {p.name for e in entries for p in Path("fixtures", e.definition.name.value).glob("[!_]*.yaml")}
    assert fixtures <= {Path(o.subject.file).name for o in outcomes}
    tried = [o for o in outcomes if o.step is Step.ADMIT and "samples" in o.subject.file]
    found: dict[str, bool] = {}
    for o in tried:
        name = Path(o.subject.file).name
        found[name] = found.get(name, True) and o.result is Result.PASSED
    groups = {e.definition.kind.group for e in entries}
    assert found == _expected(upstream.parent / "lab", framework, groups)
