"""``wmap bundle`` on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.repositories import Origin

ROOT = Path(__file__).parents[2]


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    names = ("LICENSE", "schemas/definition.schema.json", "catalog/lws/framework.yaml")
    names += ("catalog/lws/leaderworkerset-x-k8s-io-leaderworkerset-v1.yaml",)
    made = Origin(tmp_path / "origin")
    made.commit({name: (ROOT / name).read_bytes() for name in names}, "v0.4.0")
    return made


def _wmap(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "WMAP_CATALOG"}
    return subprocess.run(
        [sys.executable, "-m", "wmap", "bundle", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_build_verify_and_show_go_together(origin: Origin) -> None:
    """What is built at a tag has its version, verifies, and shows its index."""
    built = _wmap(origin.folder, "build")
    assert (built.returncode, built.stderr) == (0, "")
    assert built.stdout.startswith("wmap-catalog-0.4.0.tar\n")
    verified = _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar")
    assert (verified.returncode, verified.stderr) == (0, "")
    shown = json.loads(_wmap(origin.folder, "show", "wmap-catalog-0.4.0.tar", "-o", "json").stdout)
    assert [d["kind"]["kind"] for d in shown["definitions"]] == ["LeaderWorkerSet"]


def test_what_is_no_bundle_ends_with_one(origin: Origin) -> None:
    """A file that is no bundle is a bad artefact: exit 1, one message, no traceback."""
    done = _wmap(origin.folder, "verify", "LICENSE")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("wmap: LICENSE: it is no bundle")


def test_wrong_calls_end_with_two(origin: Origin) -> None:
    """No such file, no such ref, no such version, and a folder that is not there are errors of the call."""
    for arguments in (
        ("verify", "none.tar"),
        ("build", "--at", "v9"),
        ("build", "--version", "x"),
        ("build", "--version", "1.0.0", "--next"),
        ("build", "--out", "none/b.tar"),
    ):
        done = _wmap(origin.folder, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "Traceback" not in done.stderr
