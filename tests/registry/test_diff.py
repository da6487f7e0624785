"""The semantic diff of refs, in real repositories, and what the command says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from tests.repositories import Origin

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry import Semantic
from wmap.registry.diff import diff, wrong
from wmap.registry.differences import Change, Differences, EntryChanges, FrameworkChanges, Status, What
from wmap.registry.readings import Readings
from wmap.registry.resolve import Range
from wmap.report.differences import FORMATS

NAME = "jobset-x-k8s-io-jobset-v1alpha2"
PATH = f"catalog/jobset/{NAME}.yaml"
FIXTURE = f"fixtures/{NAME}/one.yaml"
OBJECT = "object: {apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {replicatedJobs: [{name: a}]}}\n"


@pytest.fixture
def origin(tmp_path, repository):
    """v1.0.0; v1.1.0 only looks different; main names instances otherwise and has another fixture; side left at v1.0.0."""
    made = Origin(tmp_path / "origin")
    text = (repository / PATH).read_text()
    made.commit({PATH: text, FIXTURE: OBJECT}, "v1.0.0")
    made.commit({PATH: "# later\n" + text, FIXTURE: OBJECT}, "v1.1.0")
    changed = text.replace("instanceIdPath: .spec.replicatedJobs[]?.name", "instanceIdPath: .spec.replicatedJobs[]?.id")
    made.commit({PATH: changed, FIXTURE: OBJECT.replace("name: a", "name: b, id: c")})
    made.git("branch", "side", "v1.0.0")
    return made


def test_two_refs_are_compared_by_meaning(origin):
    """A comment is nothing; another instance naming is major, and shows in the readings of the fixtures of both sides."""
    found = diff(origin.folder, "v1.0.0..v1.1.0")
    assert (found.differences.level, found.differences.entries) == (None, ())
    assert [(r.fixtures, r.different) for r in found.readings or ()] == [(1, 0)]
    found = diff(origin.folder, "v1.1.0..main")
    assert (found.differences.before, found.differences.after, found.differences.level) == ("v1.1.0", "main", "major")
    (readings,) = found.readings or ()
    assert (readings.fixtures, readings.first) == (
        2, ("components.replicatedjob.instances[0].id", "'b'", "'c'", FIXTURE),
    )  # fmt: skip
    assert wrong(found) == {}


def test_a_ref_is_compared_with_the_checkout_as_it_lies(origin):
    """A ref alone is compared with the files of the checkout; from the catalog's own folder too."""
    (origin.folder / PATH).unlink()
    origin.write({"catalog/other/framework.yaml": "x", "catalog/other/a.yaml": "broken"})
    for place in (origin.folder, origin.folder / "catalog"):
        found = diff(place, "main", readings=False)
        assert [(e.name, e.status) for e in found.differences.entries] == [("a", "added"), (NAME, "removed")]
        assert found.readings is None


def test_three_dots_are_from_where_the_second_left(origin):
    """What main did since is no change of a branch."""
    origin.git("checkout", "--quiet", "side")
    origin.write({PATH: "# side\n" + (origin.folder / PATH).read_text()})
    origin.git("commit", "--quiet", "--all", "--message", "side")
    assert diff(origin.folder, "main...side").differences.level is None
    assert diff(origin.folder, "main..side").differences.level is Semantic.MAJOR


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a..b", ("a", "b", False)),
        ("a..", ("a", "HEAD", False)),
        ("..b", ("HEAD", "b", False)),
        ("a...b", ("a", "b", True)),
        ("v1.0.0", ("v1.0.0", None, False)),
    ],
)
def test_a_range_is_taken_apart(text, found):
    """Both sides may be left out; three dots are from the merge base."""
    assert Range.of(text) == found


@pytest.mark.parametrize(
    "text", ["", "--upload-pack=x..main", "main..ext::sh", "a b..main", "main..a:b", "x.lock..main"]
)
def test_what_is_no_range_is_refused(origin, text):
    """Options, transports, paths and searches are refused before git sees them."""
    with pytest.raises(CallError, match="is no "):
        diff(origin.folder, text)


def test_an_unknown_ref_and_a_ref_without_a_catalog_are_wrong_calls(origin):
    """The nearest ref is named; where there is no catalog, not all of it is said to be new."""
    with pytest.raises(CallError) as raised:
        diff(origin.folder, "v1.0.1..main")
    assert "v1.0.0" in (raised.value.hint or "")
    origin.git("checkout", "--quiet", "--orphan", "empty")
    origin.commit({"README.md": "x"})
    with pytest.raises(CallError, match="holds no catalog/ at empty"):
        diff(origin.folder, "empty..main")


def test_a_shallow_clone_says_what_to_fetch(origin, tmp_path):
    """Where the base is beyond the cut nothing is reported as changed, and what the hint says makes it work."""
    clone = tmp_path / "clone"
    origin.git("clone", "--quiet", "--depth=1", "--branch=main", "--no-tags", origin.url, str(clone))
    with pytest.raises(EnvironmentFailure, match=r"has no commit v1\.0\.0") as raised:
        diff(clone, "v1.0.0..HEAD")
    assert raised.value.hint == "its history is cut off: git fetch --unshallow --tags origin v1.0.0"
    with pytest.raises(EnvironmentFailure) as raised:
        diff(clone, "HEAD~1..HEAD")
    assert raised.value.hint == "its history is cut off: git fetch --unshallow --tags origin"
    origin.git("-C", str(clone), *(raised.value.hint or "").partition(": git ")[2].split())
    assert diff(clone, "v1.0.0..HEAD", readings=False).differences.level is Semantic.MAJOR


def test_a_bare_clone_is_compared_and_has_no_checkout(origin, tmp_path):
    """Two refs of a bare clone are compared; it has no files that lie anywhere."""
    bare = tmp_path / "bare.git"
    origin.git("clone", "--quiet", "--bare", str(origin.folder), str(bare))
    assert diff(bare, "v1.0.0..main", readings=False).differences.level is Semantic.MAJOR
    with pytest.raises(CallError, match="there is no checkout"):
        diff(bare, "main")


@pytest.fixture
def nasty():
    """Differences with what a stranger may have written into names and texts."""
    text = "a\x1b[31m|`b`\n@someone <img>"
    changes = (
        Change(What.CHANGED, Semantic.MAJOR, f"x.{text}", text, None, "instances"),
        Change(What.CHANGED, Semantic.MAJOR, "y", text, None, "instances"),
        Change(What.READINGS, Semantic.MAJOR, "status.phase", "1", "2", "an error in it"),
    )
    from wmap.registry.diff import Diff

    entry = EntryChanges(text, Status.RENAMED, changes, "old", "catalog/a/b.yaml", "catalog/a/c.yaml")
    framework = FrameworkChanges(
        "a", (Change(What.ADDED, Semantic.MINOR, "supported.releases", None, "v1", "further"),)
    )
    readings = (Readings(text, 1, 2, 1, ("p", "1", "2", text), (text,)), Readings("same", 1, 2))
    return Diff(Differences(text, "b", (entry,), (framework,)), readings)


def test_every_format_says_all_of_it_and_keeps_strangers_quiet(nasty, repository):
    """Text, JSON and Markdown hold every change, the error of the comparison and what did not run; no escape survives."""
    schema = json.loads((repository / "schemas" / "catalog-diff.schema.json").read_text())
    document = json.loads(FORMATS["json"](nasty))
    Draft202012Validator(schema).validate(document)
    assert document["level"] == "major"
    assert document["readings"][0]["first"]["path"] == "p"
    text, page = FORMATS["text"](nasty), FORMATS["markdown"](nasty)
    assert "! ERROR IN THE COMPARISON readings status.phase: an error in it" in text
    assert "same only looks different; readings: 0 of 3 objects differ" in text
    assert "**error in the comparison**" in page
    assert text.count("instances") == page.count("instances") == 1
    for shown in (text, page, FORMATS["json"](nasty)):
        assert "\x1b" not in shown
    assert [r.name for r in wrong(nasty).values()] == [nasty.differences.entries[0].name]


def test_no_difference_is_said(origin):
    """Two equal states are one line, in every format."""
    found = diff(origin.folder, "main..main")
    assert FORMATS["text"](found) == "main -> main: no difference in meaning\n"
    assert FORMATS["markdown"](found) == "## main to main: no difference in meaning\n"


def test_the_command_gives_the_documented_codes(origin):
    """0 with differences of any level; 2 for a wrong call, with one message and the nearest ref."""

    def run(*arguments):
        call = [sys.executable, "-m", "wmap", "catalog", "diff", *arguments]
        return subprocess.run(call, cwd=origin.folder, capture_output=True, text=True, check=False)

    good = run("v1.1.0..", "-o", "json", "--no-readings")
    assert (good.returncode, good.stderr, json.loads(good.stdout)["level"]) == (0, "", "major")
    text = run("v1.1.0..main")
    assert text.stdout.startswith(
        f"v1.1.0 -> main: major\n\nmajor {NAME}: changed\n"
        "  ! changed spec.structureDefinition.childComponents[replicatedjob].instanceIdPath: instances may have other names\n"
        "      - .spec.replicatedJobs[]?.name\n      + .spec.replicatedJobs[]?.id\n  readings: "
    )
    bad = run("v2..main")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("wmap: ")
    assert "Traceback" not in bad.stderr
