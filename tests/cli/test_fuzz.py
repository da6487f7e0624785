"""``wmap fuzz`` as a person calls it: exit codes, formats, progress, bad calls, and what an interruption leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from wmap.fuzz.properties import PROPERTIES

REPOSITORY = Path(__file__).resolve().parents[2]
JOBSET = "jobset-x-k8s-io-jobset-v1alpha2"
P1 = next(p.rule for p in PROPERTIES if p.code == "P1")


@pytest.fixture
def catalog(tmp_path):
    """A catalog with one definition, which iterates over null."""
    folder = tmp_path / "catalog" / "jobset"
    folder.mkdir(parents=True)
    (folder / f"{JOBSET}.yaml").write_text(P1.bad)
    (tmp_path / "fixtures").mkdir()
    return folder.parent


def _fuzz(catalog, *arguments):
    """Run the command in the folder around the catalog; gives exit code, output, error output."""
    command = [sys.executable, "-m", "wmap", "--catalog", str(catalog), "fuzz", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=catalog.parent, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_a_finding_is_shown_with_its_manifest(catalog):
    """Place, property, expression, the smallest object as YAML, the call that repeats it; progress stands on stderr; exit 1."""
    code, out, err = _fuzz(catalog, "--examples", 30, "--property", "P1")
    assert code == 1
    first, *rest = out.splitlines()
    assert first.startswith(f"catalog/jobset/{JOBSET}.yaml:23:23: ")
    assert "error P1 path-raises: raises: Cannot iterate over null" in first
    assert rest[:6] == [
        "  expression:",
        "    .spec.replicatedJobs[].name",
        "  object:",
        "    apiVersion: jobset.x-k8s.io/v1alpha2",
        "    kind: JobSet",
        "  again: wmap fuzz " + rest[5].partition("wmap fuzz ")[2],
    ]
    assert rest[-1] == "1 definition, 30 objects: 1 finding"
    assert err == f"{JOBSET}: 30 objects, 1 finding\n"


def test_the_call_that_is_shown_finds_it_again(catalog):
    """What stands behind `again:` gives the same finding."""
    _, out, _ = _fuzz(catalog, "--examples", 30, "--property", "P1", "--seed", 5)
    again = next(line for line in out.splitlines() if line.startswith("  again: "))
    code, repeated, _ = _fuzz(catalog, *again.removeprefix("  again: wmap fuzz ").split())
    assert code == 1
    assert repeated.splitlines()[1:6] == out.splitlines()[1:6]


def test_findings_flow_through_the_formats_of_validate(catalog):
    """JSON holds the schema of a validation, with level fuzz; SARIF knows the rule."""
    code, out, _ = _fuzz(catalog, "--examples", 30, "--property", "P1", "-o", "json")
    document = json.loads(out)
    Draft202012Validator(json.loads((REPOSITORY / "schemas" / "validate.schema.json").read_text())).validate(document)
    (finding,) = document["findings"]
    assert (code, finding["code"], finding["level"]) == (1, "P1", "fuzz")
    assert finding["hint"].startswith("`wmap fuzz ")
    run = json.loads(_fuzz(catalog, "--examples", 30, "--property", "P1", "-o", "sarif")[1])["runs"][0]
    rule = run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"]]
    assert rule["id"] == "P1"


def test_a_finding_is_saved_where_fixtures_are(catalog):
    """The path is said on stderr; the file is in the definition's folder beside the catalog."""
    _, _, err = _fuzz(catalog, "--examples", 30, "--property", "P1", "--save")
    (file,) = (catalog.parent / "fixtures" / JOBSET).iterdir()
    assert file.name in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--property", "P44"], "no property is called P44"),
        (["jobsett"], "no definition is called jobsett"),
        (["--time", "soon"], "soon is no time"),
        (["--examples", "0"], "0 is not in the range"),
        (["--samples", "nowhere"], "there is no folder of samples at nowhere"),
        (["--release", "v9"], "the store has no release v9"),
        (["-o", "xml"], "no output format is called xml"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(catalog, arguments, words):
    """Exit 2, one message, no output."""
    code, out, err = _fuzz(catalog, *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_without_the_extra_the_environment_failed(catalog):
    """Exit 3 and what to install; nothing is imported before it is needed."""
    script = (
        "import sys; sys.modules['hypothesis'] = None; from wmap.cli.main import main; "
        f"sys.argv = ['wmap', '--catalog', {str(catalog)!r}, 'fuzz']; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "hypothesis is not installed" in done.stderr
    assert "pip install 'wmap[fuzz]'" in done.stderr


def test_an_interruption_reports_what_there_is(catalog):
    """Ctrl-C after the first definition: its findings are shown, exit 130."""
    (catalog / "jobset" / "zz.yaml").write_text(P1.good)
    command = [sys.executable, "-m", "wmap", "--catalog", str(catalog), "fuzz", "--time", "10m", "--property", "P1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=catalog.parent)
    first = process.stderr.readline()
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert first.startswith(JOBSET)
    assert (process.returncode, "Traceback" in err) == (130, False)
    assert "P1 path-raises" in out
    assert out.splitlines()[-1].startswith("interrupted: ")


def test_a_validation_of_level_fuzz_has_the_findings(catalog):
    """`wmap validate --level fuzz` fuzzes what passed before, and lists what it did not."""
    (catalog / "jobset" / f"{JOBSET}.yaml").write_text(
        (REPOSITORY / "catalog" / "jobset" / f"{JOBSET}.yaml").read_text()
    )
    command = [sys.executable, "-m", "wmap", "--catalog", str(catalog), "validate", "--level", "fuzz"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=catalog.parent, check=False)
    assert done.returncode == 0
    assert "levels schema, lint, contract, fixture, fuzz" in done.stdout
    assert "not run: fuzz: this version" not in done.stdout
