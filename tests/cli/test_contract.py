"""``wmap contract``, as a person calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.some.dev}
spec:
  group: some.dev
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, default: 1}
"""
CONSTANTS = "name\ttype\tvalue\tfile\nThingUpgrading\tConditionType\tUpgradeInProgress\tapi/types.go\n"


def contract(*arguments, cwd=REPOSITORY):
    """Run the command; gives exit code, output, error output."""
    done = subprocess.run(
        [sys.executable, "-m", "wmap", "contract", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def made(tmp_path):
    """A folder with a store of two releases, built by the command."""
    (tmp_path / "one.yaml").write_text(CRD)
    (tmp_path / "two.yaml").write_text(CRD.replace(", default: 1", ""))
    (tmp_path / "one.tsv").write_text(CONSTANTS)
    (tmp_path / "two.tsv").write_text(CONSTANTS.replace("UpgradeInProgress", "UpdateInProgress"))
    for release, name in (("v1.0.0", "one"), ("v1.1.0", "two")):
        code, out, err = contract(
            "build", "--framework", "some", "--release", release, "--crd", f"{name}.yaml", "--constants", f"{name}.tsv",
            "--out", "store", cwd=tmp_path,
        )  # fmt: skip
        assert (code, err) == (0, "")
        assert out == f"some {release}: 1 contracts and 1 terms put into store\n  some.dev/v1/Thing\n"
    return tmp_path


def test_show(made):
    """The store, a release and a kind are shown a line each."""
    assert contract("show", "--store", "store", cwd=made)[1] == "some  v1.0.0, v1.1.0\n"
    code, out, _ = contract("show", "some", "v1.0.0", "Thing", "--store", "store", cwd=made)
    assert code == 0
    assert out == (
        "Thing some.dev/v1 of some v1.0.0 (stored)\n"
        "  .apiVersion     string\n"
        "  .kind           string\n"
        "  .metadata       ObjectMeta\n"
        "  .spec           object\n"
        "  .spec.replicas  integer; default 1\n"
    )


def test_show_as_json(made):
    """The fields of a kind are given as JSON as they are stored."""
    _, out, _ = contract("show", "some", "v1.0.0", "v1/Thing", "--store", "store", "-o", "json", cwd=made)
    (found,) = json.loads(out)["contracts"]
    assert found["fields"][".spec.replicas"] == {"type": "integer", "default": 1}


def test_diff(made):
    """A default that went, and a condition that was renamed, are said."""
    code, out, _ = contract("diff", "some", "v1.0.0", "v1.1.0", "--store", "store", cwd=made)
    assert code == 0
    lines = [line.strip() for line in out.splitlines()]
    assert "~ .spec.replicas: default 1 -> none" in lines
    assert "UpgradeInProgress -> UpdateInProgress: renamed?" in lines


def test_diff_for_programs_and_for_reviews(made):
    """The same is given as JSON and as Markdown."""
    _, out, _ = contract("diff", "some", "v1.0.0", "v1.1.0", "--store", "store", "-o", "json", cwd=made)
    assert json.loads(out)["kinds"][0]["changes"] == [
        {"change": "default", "path": ".spec.replicas", "old": 1, "new": None, "core": None, "at": None}
    ]
    _, out, _ = contract("diff", "some", "v1.0.0", "v1.1.0", "--store", "store", "-o", "markdown", cwd=made)
    assert "- `~ .spec.replicas: default 1 -> none`\n" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("show", "kubray"), 2, "did you mean kuberay?"),
        (("show", "lws", "v0.5.2"), 2, "has no release v0.5.2 of lws"),
        (("show", "lws", "v0.5.1", "LeaderWorkerSets"), 2, "did you mean LeaderWorkerSet?"),
        (("diff", "lws", "v0.5.1", "v9"), 2, "has no release v9 of lws"),
        (("build", "--framework", "../x", "--release", "v1", "--crd", "x.yaml"), 2, "is no name of a framework"),
        (("build", "--framework", "x", "--release", "v1", "--crd", "no.yaml"), 2, "there is no file no.yaml"),
        (("build", "--framework", "x", "--release", "v1", "--crd", "README.md", "--out", "/dev/null/x"), 1, "README.md"),
        (("build", "--framework", "kubernetes", "--release", "v1", "--crd", "x.yaml"), 2, "not made from CRDs"),
    ],
)  # fmt: skip
def test_bad_calls(arguments, code, message):
    """What cannot be had is named, with what to do, and the exit code says whose fault it is."""
    found, out, err = contract(*arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_a_store_that_cannot_be_written(tmp_path):
    """A store that cannot be written is the environment's fault."""
    (tmp_path / "one.yaml").write_text(CRD)
    (tmp_path / "store").write_text("a file")
    code, _, err = contract(
        "build", "--framework", "x", "--release", "v1", "--crd", "one.yaml", "--out", "store", cwd=tmp_path
    )
    assert code == 3
    assert "cannot be written" in err
