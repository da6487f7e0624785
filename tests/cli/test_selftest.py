"""``wmap selftest`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

REPOSITORY = Path(__file__).resolve().parents[2]
NAME = "apps-statefulset-v1"


def run(*arguments):
    """The command, run from the repository's root."""
    return subprocess.run(
        [sys.executable, "-m", "wmap", "selftest", *arguments],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        check=False,
    )


def test_one_definition_is_broken_and_judged():
    """The sums stand at the end, the exit code says whether the shares are as wanted, and progress goes to standard error."""
    done = run(NAME, "--sites", "1", "-o", "json")
    document = json.loads(done.stdout)
    schema = json.loads((REPOSITORY / "schemas" / "selftest.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    summary = document["summary"]
    assert done.returncode == (0 if summary["good"] else 1)
    assert sum(summary["levels"].values()) == summary["caught"] <= summary["changing"] <= summary["mutants"]
    assert {m["definition"] for m in document["mutants"]} == {NAME}
    assert done.stderr.startswith(f"{NAME}: {summary['mutants']} mutants, ")


def test_the_ways_are_listed():
    """--list names each way with what an author did."""
    done = run("--list")
    assert done.returncode == 0
    assert "ids of another list" in done.stdout
    assert "the ids are those of another component" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("no-such-definition",), "no definition is called"), (("--sites", "0"), "sites"), (("-o", "sarif"), "sarif")],
)
def test_a_call_that_is_wrong_exits_with_two(arguments, words):
    """Unknown definitions, numbers and formats are said in one line."""
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
