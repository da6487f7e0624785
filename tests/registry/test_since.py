"""What a pull request changes is judged, what was wrong before is old: in real checkouts."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from tests.repositories import Origin

from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Level
from wmap.registry.since import validate_since
from wmap.report.findings import FORMATS

TEXT = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-%(kind)s-v1}
spec:
  structureDefinition:
    rootComponent:
      name: root
      kind: {group: example.com, version: v1, kind: %(Kind)s}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings: {running: [{byPhase: Running}]}
      specDefinition: {podTemplateSpecPath: %(path)s}
"""
BAD = ".spec.a | now"
A, B = "catalog/one/example-com-a-v1.yaml", "catalog/two/example-com-b-v1.yaml"
CASE = "description: d\nobject: {apiVersion: example.com/v1, kind: A, spec: {template: {}}, status: {phase: %s}}\nexpect: {status: {phase: %s}}\n"
FRAMEWORK = "apiVersion: wmap/v1\nkind: Framework\nname: %s\ndisplayName: X\nrepository: https://example.com/x\nlicence: MIT\ntagPattern: v*\n"


def _text(kind, path=".spec.template"):
    return TEXT % {"kind": kind.lower(), "Kind": kind, "path": path}


@pytest.fixture
def origin(tmp_path):
    """A checkout on a branch that left main; A has an error, B has none, and both have a good fixture."""
    made = Origin(tmp_path / "origin")
    files = {
        A: _text("A", BAD),
        B: _text("B"),
        "fixtures/example-com-a-v1/one.yaml": CASE % ("Running", "Running"),
        "fixtures/example-com-b-v1/one.yaml": (CASE % ("Running", "Running")).replace("kind: A", "kind: B"),
        "catalog/one/framework.yaml": FRAMEWORK % "one",
        "catalog/two/framework.yaml": FRAMEWORK % "two",
    }
    made.commit(files)
    made.git("checkout", "--quiet", "-b", "work")
    return made


def _errors(result):
    return [(f.code, f.definition, f.old) for f in result.findings if f.severity == "error"]


def test_only_what_is_touched_is_judged(origin):
    """An untouched entry with an error is left alone; nothing touched is nothing judged."""
    result = validate_since(origin.folder, "main")
    assert (result.definitions, result.findings, result.since.touched) == (0, (), ())
    origin.write({B: "# more\n" + _text("B")})
    result = validate_since(origin.folder, "main")
    assert (result.definitions, _errors(result)) == (1, [])
    assert [(t.name, t.status, t.level, t.through) for t in result.since.touched] == [
        ("example-com-b-v1", None, None, (B,))
    ]


def test_a_finding_that_was_there_before_is_old_when_lines_move(origin):
    """The old error moves down and stays old; a new one beside it is new."""
    origin.write({A: "# one\n# two\n" + _text("A", BAD)})
    assert _errors(validate_since(origin.folder, "main")) == [("L202", "example-com-a-v1", True)]
    text = _text("A", BAD).replace("path: .status.phase", "path: '.status.phase | now'")
    origin.write({A: text})
    found = validate_since(origin.folder, "main")
    assert sorted(old for _, _, old in _errors(found)) == [False, True]
    assert [t.level for t in found.since.touched] == ["major"]


def test_a_fixture_touches_its_entry_and_its_finding_is_new(origin):
    """A fixture that fails now is new even where another failed at the same place before and was mended."""
    name = "fixtures/example-com-b-v1/%s.yaml"
    bad = (CASE % ("Running", "Failed")).replace("kind: A", "kind: B")
    good = (CASE % ("Running", "Running")).replace("kind: A", "kind: B")
    origin.write({name % "old": bad})
    origin.git("add", "--all")
    origin.git("commit", "--quiet", "--message", "x")
    origin.git("branch", "--force", "main")
    origin.write({name % "another": bad})
    assert [(f.file.rsplit("/")[-1], f.old) for f in validate_since(origin.folder, "main").findings] == [
        ("another.yaml", False), ("old.yaml", True),
    ]  # fmt: skip
    origin.write({name % "old": good})
    assert [(f.file.rsplit("/")[-1], f.old) for f in validate_since(origin.folder, "main").findings] == [
        ("another.yaml", False)
    ]


def test_a_framework_and_a_contract_touch_their_entries(origin):
    """All entries of a framework are judged when its framework.yaml or one of its contracts changes."""
    origin.write({"catalog/two/framework.yaml": FRAMEWORK % "two" + "homePage: https://example.com\n"})
    origin.write({"schemas/contracts/one/v1/a.txt": "x"})
    found = validate_since(origin.folder, "main", level=Level.LINT)
    assert [(t.name, t.level) for t in found.since.touched] == [
        ("example-com-a-v1", None),
        ("example-com-b-v1", "patch"),
    ]
    assert _errors(found) == [("L202", "example-com-a-v1", True)]


def test_a_rename_keeps_what_was_wrong_old_and_a_deletion_is_major(origin):
    """The old name's findings are the new name's; both are major, and the fixtures left behind are a new finding."""
    (origin.folder / A).unlink()
    (origin.folder / B).unlink()
    origin.write({"catalog/one/example-com-aa-v1.yaml": _text("A", BAD).replace("-a-v1", "-aa-v1")})
    found = validate_since(origin.folder, "main")
    assert [(t.name, t.path, t.status, t.level, t.previous) for t in found.since.touched] == [
        ("example-com-aa-v1", "catalog/one/example-com-aa-v1.yaml", "renamed", "major", "example-com-a-v1"),
        ("example-com-b-v1", None, "removed", "major", None),
    ]
    codes = {(f.code, f.old) for f in found.findings if f.severity == "error"}
    assert codes == {("L202", True), ("L802", False), ("F004", False)}
    assert "example-com-b-v1: deleted, which is a major change" in FORMATS["text"](found)


def test_a_folder_of_fixtures_that_was_left_before_is_old(origin):
    """A stray folder of the base is old; one that a deletion leaves is new."""
    origin.write({"fixtures/nobody/one.yaml": "x"})
    origin.git("add", "--all")
    origin.git("commit", "--quiet", "--message", "x")
    origin.git("branch", "--force", "main")
    (origin.folder / B).unlink()
    found = validate_since(origin.folder, "main").findings
    assert [(f.file.rsplit("/")[-1], f.old) for f in found] == [("example-com-b-v1", False), ("nobody", True)]


def test_a_kind_of_an_untouched_entry_is_not_read_twice(origin):
    """A new entry that reads the kind of one that is not touched is a finding."""
    origin.write({"catalog/one/example-com-b-v1.yaml": _text("B")})
    assert [c for c, _, _ in _errors(validate_since(origin.folder, "main"))] == ["L803"]


def test_what_was_broken_at_the_base_is_old_while_it_is(origin):
    """A file that is no YAML before and after has an old finding; one that breaks has a new one."""
    origin.write({A: "a: [", B: "b: ["})
    assert [(f.file.rsplit("/")[-1], f.old) for f in validate_since(origin.folder, "main").findings if f.level == "schema"] == [
        ("example-com-a-v1.yaml", False), ("example-com-b-v1.yaml", False),
    ]  # fmt: skip
    origin.git("commit", "--quiet", "--all", "--message", "broken")
    origin.git("branch", "--force", "main")
    origin.write({A: "# still\na: ["})
    assert [(f.definition, f.old) for f in validate_since(origin.folder, "main").findings if f.level == "schema"] == [
        (None, True)
    ]


def test_a_broken_framework_of_the_base_is_said(origin, repository):
    """Where the base cannot be judged, nothing is called old, and the reason is given."""
    name = "jobset-x-k8s-io-jobset-v1alpha2"
    framework = (repository / "catalog/jobset/framework.yaml").read_text()
    text = (repository / f"catalog/jobset/{name}.yaml").read_text()
    origin.write({"catalog/jobset/framework.yaml": "nothing: 1\n", f"catalog/jobset/{name}.yaml": text})
    origin.git("add", "--all")
    origin.git("commit", "--quiet", "--message", "x")
    origin.git("branch", "--force", "main")
    origin.write({"catalog/jobset/framework.yaml": framework})
    found = validate_since(origin.folder, "main", level=Level.CONTRACT)
    assert [t.name for t in found.since.touched] == [name]
    assert {f.old for f in found.findings} == {False}
    assert next(n.reason for n in found.not_run).startswith("what was wrong before cannot be told: ")


def test_what_main_did_since_is_not_judged(origin):
    """The merge base counts, not the tip of the ref."""
    origin.git("checkout", "--quiet", "main")
    origin.write({B: _text("B", ".spec.other")})
    origin.git("commit", "--quiet", "--all", "--message", "main")
    origin.git("checkout", "--quiet", "work")
    assert validate_since(origin.folder, "main").since.touched == ()


def test_a_first_catalog_is_all_new(tmp_path):
    """Where the base had no catalog every entry is added, and its findings are new."""
    made = Origin(tmp_path / "origin")
    made.commit({"README.md": "x"})
    made.git("branch", "base")
    made.write({A: _text("A", BAD)})
    found = validate_since(made.folder, "base")
    assert ([t.status for t in found.since.touched], _errors(found)) == (
        ["added"],
        [("L202", "example-com-a-v1", False)],
    )


def test_only_some_paths_are_judged(origin):
    """Of the touched entries those below the paths are judged; a path that is not there is a wrong call."""
    origin.write({A: "# x\n" + _text("A", BAD), B: "# x\n" + _text("B")})
    found = validate_since(origin.folder, "main", paths=[origin.folder / "catalog/two"])
    assert ([t.name for t in found.since.touched], found.definitions) == (["example-com-b-v1"], 1)
    with pytest.raises(CallError, match="does not exist"):
        validate_since(origin.folder, "main", paths=[origin.folder / "nothing"])


def test_a_shallow_clone_judges_nothing_and_says_what_to_fetch(origin, tmp_path):
    """Without the merge base the whole catalog is not taken for changed."""
    origin.git("checkout", "--quiet", "work")
    for i in range(2):
        origin.write({B: f"# {i}\n" + _text("B")})
        origin.git("commit", "--quiet", "--all", "--message", "x")
    clone = tmp_path / "clone"
    origin.git("clone", "--quiet", "--depth=1", "--branch=work", origin.url, str(clone))
    with pytest.raises(EnvironmentFailure) as raised:
        validate_since(clone, "origin/main")
    assert raised.value.hint == "its history is cut off: git fetch --unshallow origin main:refs/remotes/origin/main"


def test_every_format_tells_old_from_new(origin, repository):
    """Each format says which findings are old and what the change means; old ones fail nothing unless they are to count."""
    origin.write({A: "# x\n" + _text("A", BAD).replace("root\n", "top\n")})
    found = validate_since(origin.folder, "main", level=Level.LINT)
    document = json.loads(FORMATS["json"](found))
    Draft202012Validator(json.loads((repository / "schemas" / "validate.schema.json").read_text())).validate(document)
    assert [f["old"] for f in document["findings"] if f["severity"] == "error"] == [True]
    assert document["since"]["touched"][0]["level"] == "major"
    assert "error L001 expression-syntax (old): " in FORMATS["text"](found) or "(old): " in FORMATS["text"](found)
    assert "1 error (1 old)" in FORMATS["text"](found)
    suite = ET.fromstring(FORMATS["junit"](found))  # noqa: S314  # our own
    assert suite.attrib["failures"] == "0"
    assert "(old)" in "".join(x.text or "" for x in suite.iter("system-out"))
    github = FORMATS["github"](found)
    assert "::error" not in github
    assert "1 old: " in github
    assert "a major change for consumers: example-com-a-v1 changed" in github
    page = FORMATS["markdown"](found)
    assert "## The catalog passes" in page
    assert "**major** example-com-a-v1: changed" in page
    result = json.loads(FORMATS["sarif"](found))["runs"][0]["results"]
    assert [(r["baselineState"], "suppressions" in r) for r in result if r["level"] == "error"] == [("unchanged", True)]


def test_the_command_fails_for_new_findings_only(origin):
    """Exit code 0 with old errors, 1 with --all or a new one, 2 for a wrong call."""

    def run(*arguments):
        call = [sys.executable, "-m", "wmap", *arguments]
        return subprocess.run(call, cwd=origin.folder, capture_output=True, text=True, check=False)

    origin.write({A: "# x\n" + _text("A", BAD)})
    since = ("validate", "--changed-since", "main", "--level", "lint")
    assert run(*since).returncode == 0
    everything = run(*since, "--all", "-o", "junit")
    assert everything.returncode == 1
    assert 'failures="1"' in everything.stdout.splitlines()[1]
    origin.write({B: _text("B", BAD)})
    assert run(*since).returncode == 1
    assert run("--catalog", "catalog", *since).returncode == 1
    for wrong in (
        ("validate", "--all"),
        ("validate", "--changed-since", "--help=x"),
        ("--catalog", "catalog/one", *since),
    ):
        done = run(*wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("wmap: ")
        assert "Traceback" not in done.stderr
