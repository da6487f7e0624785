"""Cluster runs on a real API server: the rules by their examples, drift that is installed on purpose, what is left behind."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wmap.cluster.outcome import Result, Step
from wmap.cluster.rules import GOOD, RULES
from wmap.cluster.run import Entry, Run
from wmap.cluster.source import Source
from wmap.contract import Store
from wmap.contract.build import add_release, build_release
from wmap.definition.load import load
from wmap.errors import EnvironmentFailure

if TYPE_CHECKING:
    from wmap.check.rule import Rule
    from wmap.cluster.outcome import Outcome
    from wmap.cluster.server import Server

pytestmark = pytest.mark.usefixtures("loopback")
CRD, DEFINITION, FIXTURE = (
    "crds/jobs.yaml",
    "catalog/one/example-com-job-v1.yaml",
    "fixtures/example-com-job-v1/one.yaml",
)


def _files(example: str) -> dict[str, str]:
    """The files of an example, each below a line with its name."""
    _, *pieces = re.split(r"^# file: (.*)\n", example, flags=re.MULTILINE)
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def _run(server: Server, folder: Path, files: dict[str, str], **more: Any) -> list[Outcome]:
    """What a run finds of these files, where the contract is that of the good CRD."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    add_release(folder / "store", "one", "v1.0.0", build_release("v1.0.0", [(CRD, _files(GOOD)[CRD].encode())]))
    definition = load(files[DEFINITION], file=DEFINITION).definition
    assert definition is not None
    entries = [Entry(definition, "one", "v1.0.0", newest=True)]
    source = Source(folder / "crds", folder / "cache")
    return Run(server, source, folder / "fixtures", Store(folder / "store"), **more).all(entries)


def changed(server: Server, folder: Path, old: str, new: str) -> list[Outcome]:
    """What a run finds where one text of the good CRD is another on the server."""
    files = _files(GOOD)
    assert files[CRD].count(old) == 1
    files[CRD] = files[CRD].replace(old, new)
    return _run(server, folder, files)


def _codes(outcomes: list[Outcome]) -> set[str]:
    return {f.code for o in outcomes for f in o.findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_the_bad_example_of_a_rule_breaks_it_alone(server: Server, rule: Rule, tmp_path: Path) -> None:
    """A server that has what the bad example says gives a finding of the rule, and of no other."""
    assert _codes(_run(server, tmp_path, _files(rule.bad))) == {rule.code}


def test_the_good_example_passes_each_step(server: Server, tmp_path: Path) -> None:
    """Nothing fails, each step ran, and nothing that was made is left but namespaces that are on their way out."""
    outcomes = _run(server, tmp_path, _files(GOOD))
    assert {o.result for o in outcomes} == {Result.PASSED}
    assert {o.step for o in outcomes} == set(Step)
    assert server.resource("example.com/v1", "Job") is None
    left = server.ask("GET", "/api/v1/namespaces", query={"labelSelector": "wmap.dev/run"})["items"]
    assert [n["metadata"]["name"] for n in left if "deletionTimestamp" not in n["metadata"]] == []
    assert server.ask("GET", "/api/v1/pods")["items"] == []


DRIFTS = [
    ("replicas: {type: integer, minimum: 0, default: 1}", "size: {type: integer, minimum: 0, default: 1}", [".spec.replicas: the field is gone"]),
    ("default: 1", "default: 2", [".spec.replicas: its default was 1, and is 2"]),
    ("enum: [Running, Failed]", "enum: [Running]", [".status.phase: it does not take 'Failed' any more"]),
    ("name: v1\n", "name: v2\n", ["Job: example.com/v1 Job is gone"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), DRIFTS, ids=["renamed", "default", "enum", "version"])
def test_drift_is_reported_and_nothing_else(
    server: Server, tmp_path: Path, old: str, new: str, said: list[str]
) -> None:
    """A renamed field, another default, a value of an enumeration that went and a dropped version are told, each as one finding."""
    found = [f for o in changed(server, tmp_path, old, new) if o.step is Step.SCHEMA for f in o.findings]
    assert [f.message.split(" (")[0] for f in found] == said
    assert {f.code for f in found} == {"K001"}


def test_what_is_only_tried_is_not_created(server: Server, tmp_path: Path) -> None:
    """Where objects are not to be created, a dry run judges them, and no further step runs."""
    outcomes = _run(server, tmp_path, _files(GOOD), create=False)
    assert {o.step: o.result for o in outcomes} == dict.fromkeys((Step.INSTALL, Step.SCHEMA, Step.ADMIT), Result.PASSED)


def test_a_fixture_that_cannot_be_read_is_a_failure(server: Server, tmp_path: Path) -> None:
    """What is wrong with a fixture is said with its own rule, and the others run."""
    files = {**_files(GOOD), "fixtures/example-com-job-v1/broken.yaml": "object: 1\n"}
    outcomes = _run(server, tmp_path, files)
    assert _codes(outcomes) == {"F002"}
    assert sum(o.result is Result.PASSED for o in outcomes) > 5


def test_a_crd_that_is_refused_fails_its_release(server: Server, tmp_path: Path) -> None:
    """A CRD that the server does not take is a failed installation, in the server's words; nothing else of it runs."""
    files = _files(GOOD)
    files[CRD] = files[CRD].replace("openAPIV3Schema:\n        type: object", "openAPIV3Schema:\n        type: string")
    (only,) = _run(server, tmp_path, files)
    assert (only.step, only.result) == (Step.INSTALL, Result.FAILED)
    assert "must be object at the root" in str(only.reason)


def test_a_server_that_dies_ends_the_run(binaries: str, tmp_path: Path) -> None:
    """Where the server goes away in the middle, the run ends as a failure of the environment, and its processes are gone."""
    from wmap.cluster.envtest import Envtest  # a server of its own

    assert binaries
    with Envtest() as cluster:
        processes = [p for _, p in cluster._processes]

        def tell(outcome: Outcome) -> None:
            if outcome.step is Step.ADMIT:
                processes[-1].kill()
                processes[-1].wait()

        with pytest.raises(EnvironmentFailure, match=r"cannot be reached|does not answer"):
            _run(cluster.server, tmp_path, _files(GOOD), tell=tell)
    assert [p.poll() is not None for p in processes] == [True, True]


def test_frameworks_run_side_by_side(server: Server, tmp_path: Path, upstream: Path) -> None:
    """With two jobs the outcomes are those of one job, in the same order."""
    from wmap.api import Catalog  # the catalog
    from wmap.cluster.matrix import entries_of  # the same

    source = Source(upstream, tmp_path)
    definitions = Catalog.load().definitions.all()
    entries = entries_of(definitions, Store(), source, frameworks=["lws", "knative-serving"])
    one, two = (Run(server, source, Path("fixtures"), jobs=n).all(entries) for n in (1, 2))
    assert [replace(o, seconds=0) for o in one] == [replace(o, seconds=0) for o in two]
    assert {o.result for o in one} == {Result.PASSED}
