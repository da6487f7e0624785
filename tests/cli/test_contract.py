"""``wmap contract``, as a person calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wmap.contract import Store

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


TYPES = 'package v1\n\ntype ConditionType string\n\nconst (\n\tThingReady ConditionType = "Ready"\n\tPrefix = "some.dev"\n\tNameLabel = Prefix + "/name"\n)\n'
ROLE = "kind: ClusterRole\nrules: [{apiGroups: [batch], resources: [jobs], verbs: [create]}]\n"


def test_build_from_source_and_roles(tmp_path):
    """The vocabulary comes from Go source with file and line, and what the roles name is stored beside."""
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "types.go").write_text(TYPES)
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "role.yaml").write_text(ROLE)
    store = tmp_path / "store"
    code, _, err = contract(
        "build", "--framework", "some", "--release", "v1.0.0", "--crd", tmp_path / "crd.yaml", "--source", tmp_path,
        "--rbac", tmp_path / "role.yaml", "--out", store,
    )  # fmt: skip
    assert (code, err) == (0, "")
    terms = {t.value: (str(t.kind), t.file, t.line) for t in Store(store).vocabulary("some", "v1.0.0").terms}
    assert terms["Ready"] == ("condition", "api/types.go", 6)
    assert terms["some.dev/name"] == ("label", "api/types.go", 8)
    assert Store(store).rights("some", "v1.0.0") == {"batch/jobs"}


def test_source_that_does_not_parse_leaves_the_store_as_it_was(tmp_path):
    """Go that is none is an error with file and line, and nothing is written."""
    (tmp_path / "types.go").write_text("package v1\n\nconst (\n")
    (tmp_path / "crd.yaml").write_text(CRD)
    store = tmp_path / "store"
    code, _, err = contract(
        "build", "--framework", "some", "--release", "v1.0.0", "--crd", tmp_path / "crd.yaml", "--source", tmp_path, "--out", store
    )  # fmt: skip
    assert code == 1
    assert "types.go" in err
    assert not store.exists()


def test_drift_of_the_catalog():
    """No definition breaks between stored releases; an unknown definition is an error of the call."""
    done = [
        subprocess.run([sys.executable, "-m", "wmap", "drift", *a], capture_output=True, text=True, check=False)
        for a in (["jobset-x-k8s-io-jobset-v1alpha2", "-o", "json"], ["jobsett"], ["--since", "v1", "--latest"])
    ]
    assert [d.returncode for d in done] == [0, 2, 2]
    assert json.loads(done[0].stdout)["drift"][0]["releases"][0] == "v0.2.3"


def test_drift_against_crds_that_break_a_definition(tmp_path):
    """A break is exit 1, and says which field is gone."""
    (tmp_path / "crd.yaml").write_text(
        CRD.replace("some.dev", "jobset.x-k8s.io")
        .replace("Thing", "JobSet")
        .replace("name: v1", "name: v1alpha2")
        .replace("things", "jobsets")
    )
    call = [sys.executable, "-m", "wmap", "drift", "jobset-x-k8s-io-jobset-v1alpha2", "--against", str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert ".spec.replicatedJobs: the field is gone" in done.stdout
