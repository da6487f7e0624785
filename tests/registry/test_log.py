"""The history of entries in real repositories: log and blame, through renames, merges and broken versions."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from tests.repositories import Origin

from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.gitio import LocalRepository
from wmap.gitio.history import commits
from wmap.registry.blame import blame
from wmap.registry.log import log
from wmap.report.history import blame_json, blame_text, log_json, log_text

TEXT = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-job-v1}
spec:
  structureDefinition:
    rootComponent:
      name: root
      kind: {group: example.com, version: v1, kind: Job}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings: {running: [{byPhase: Running}]}
    childComponents:
    - {name: worker, ownerRef: root, specDefinition: {podTemplateSpecPath: .spec.template}, scaleDefinition: {replicasPath: .spec.replicas}}
    additionalChildKinds: [{group: apps, version: v1, kind: Deployment}, {group: "", version: v1, kind: Service}]
"""
NAME = "example-com-job-v1"
OLD, NEW = f"catalog/one/{NAME}.yaml", f"catalog/two/{NAME}.yaml"
SCALE = "spec.structureDefinition.childComponents[worker].scaleDefinition.replicasPath"


def _commit(origin, subject, files):
    """Commit these files beside what is there; None deletes one."""
    for path, text in files.items():
        if text is None:
            (origin.folder / path).unlink()
        else:
            origin.write({path: text})
    origin.git("add", "--all")
    origin.git("commit", "--quiet", "--message", subject)
    return origin.git("rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path):
    """An entry that came, was laid out, broke and was mended, counted otherwise, moved, and was called otherwise."""
    made = Origin(tmp_path / "origin")
    _commit(made, "first", {OLD: TEXT, "README.md": "x"})
    made.git("tag", "v1.0.0")
    _commit(made, "layout", {OLD: "# more\n" + TEXT})
    _commit(made, "broken", {OLD: "# more\nx: [\n"})
    _commit(made, "mended", {OLD: "# more\n" + TEXT})
    _commit(made, "count", {OLD: TEXT.replace(".spec.replicas", ".spec.count")})
    _commit(made, "else", {"README.md": "y"})
    _commit(made, "folder", {OLD: None, NEW: TEXT.replace(".spec.replicas", ".spec.count")})
    renamed = TEXT.replace(".spec.replicas", ".spec.count").replace("job-v1}", "jobs-v1}")
    _commit(made, "name", {NEW: None, NEW.replace("job", "jobs"): renamed})
    return made


def _rows(found):
    return [(r.commit.subject, r.level) for r in found.commits]


HISTORY = [
    ("name", "major"),
    ("folder", "patch"),
    ("count", "major"),
    ("mended", "minor"),
    ("broken", "major"),
    ("layout", None),
    ("first", "minor"),
]


def test_the_log_of_an_entry_follows_its_renames(origin):
    """Each commit that touched it, newest first, with the level of what it did; commits of other files are left out."""
    found = log(origin.folder, "example-com-jobs-v1")
    assert _rows(found) == HISTORY
    assert (found.left, found.fetch) == (0, None)
    assert found.commits[0].entries[0].previous == NAME
    assert (found.commits[1].entries[0].before_path, found.commits[1].entries[0].after_path) == (OLD, NEW)
    assert [r.commit.refs for r in found.commits if r.commit.refs] == [("v1.0.0",)]
    assert {r.commit.author for r in found.commits} == {"a"}
    assert found.commits[0].commit.date == "2026-03-04T23:30:00-02:00"


def test_the_log_of_the_catalog_says_all_entries_of_a_commit(origin):
    """Without a definition every commit that touched the catalog is there; the number is limited, and what is left is said."""
    assert _rows(log(origin.folder)) == HISTORY
    found = log(origin.folder, most=2)
    assert (_rows(found), found.left) == (HISTORY[:2], 5)
    assert _rows(log(origin.folder, ref="v1.0.0")) == HISTORY[-1:]
    assert log(origin.folder / "catalog" / "two").commits[0].commit.subject == "name"


def test_a_deleted_entry_has_a_log(origin):
    """An entry that is no more is found by its name, and its end is a major change."""
    _commit(origin, "gone", {NEW.replace("job", "jobs"): None})
    assert _rows(log(origin.folder, "example-com-jobs-v1"))[:2] == [("gone", "major"), ("name", "major")]
    with pytest.raises(CallError, match="is deleted at HEAD"):
        blame(origin.folder, "example-com-jobs-v1", SCALE)
    with pytest.raises(CallError, match="no definition is, or was, called nothing") as raised:
        log(origin.folder, "nothing")
    assert raised.value.hint is not None


def test_blame_finds_the_commit_of_a_text_through_renames_and_broken_versions(origin):
    """The commit that wrote what stands there now: not the layout, not the one that broke or moved the file."""
    assert blame(origin.folder, "example-com-jobs-v1", SCALE).commit.subject == "count"
    assert blame(origin.folder, "example-com-jobs-v1", "metadata.name").commit.subject == "name"
    found = blame(origin.folder, "example-com-jobs-v1", "ownerRef")
    assert (found.commit.subject, found.text, found.line) == ("first", "root", 13)
    assert found.file == NEW.replace("job", "jobs")
    assert blame(origin.folder, NAME, SCALE, "v1.0.0").text == ".spec.replicas"


@pytest.mark.parametrize(
    ("field", "path"),
    [
        (SCALE, SCALE),
        ("spec.structureDefinition.childComponents[0].scaleDefinition.replicasPath", SCALE),
        ("scaleDefinition.replicasPath", SCALE),
        ("[worker].replicasPath", SCALE),
        ("statusMappings.running[0].byPhase", "spec.structureDefinition.rootComponent.statusDefinition.statusMappings.running[0].byPhase"),
        ("[apps/v1 Deployment].group", "spec.structureDefinition.additionalChildKinds[apps/v1 Deployment].group"),
        ("spec.structureDefinition.additionalChildKinds[1].kind", "spec.structureDefinition.additionalChildKinds[v1 Service].kind"),
    ],
)  # fmt: skip
def test_a_field_is_named_by_its_path_or_the_end_of_it(origin, field, path):
    """Items of lists by index or by name; the end is enough where one field has it."""
    assert blame(origin.folder, "example-com-jobs-v1", field).path == path


@pytest.mark.parametrize(
    ("field", "message", "hint"),
    [
        (".kind", "4 fields of", "write more of it: spec."),
        ("replicaPath", "has no field replicaPath", f"did you mean {SCALE}?"),
        ("", "has no field", "paths are as"),
        ("xyzzy", "has no field xyzzy", "paths are as"),
    ],
)
def test_a_field_that_is_not_there_names_the_nearest(origin, field, message, hint):
    """Several, or none: a wrong call that says what to write."""
    with pytest.raises(CallError, match=message) as raised:
        blame(origin.folder, "example-com-jobs-v1", field)
    assert (raised.value.hint or "").startswith(hint)


def test_blame_of_what_is_broken_now_is_said(origin):
    """A definition that is no YAML at the ref has no fields to blame anybody for."""
    with pytest.raises(InputError, match="is no YAML at HEAD~5"):
        blame(origin.folder, NAME, SCALE, "HEAD~5")


def test_blame_walks_the_graph_of_merges(tmp_path):
    """Of two branches that changed two fields each change is found on its branch, whatever order the commits are listed in."""
    made = Origin(tmp_path / "origin")
    _commit(made, "first", {OLD: TEXT + "# end\n"})
    made.git("checkout", "--quiet", "-b", "side")
    _commit(made, "phase", {OLD: TEXT.replace(".status.phase", ".status.state") + "# end\n"})
    made.git("checkout", "--quiet", "main")
    _commit(made, "count", {OLD: TEXT.replace(".spec.replicas", ".spec.count") + "# end\n"})
    made.git("merge", "--quiet", "--no-edit", "--no-ff", "--message", "merge", "side")
    assert blame(made.folder, NAME, SCALE).commit.subject == "count"
    assert blame(made.folder, NAME, "phaseDefinition.path").commit.subject == "phase"
    assert blame(made.folder, NAME, "ownerRef").commit.subject == "first"
    assert {s for s, _ in _rows(log(made.folder, NAME))} >= {"count", "phase", "first"}


def test_a_change_that_only_a_merge_made_is_the_merge(tmp_path):
    """What no parent has came with the merge itself."""
    made = Origin(tmp_path / "origin")
    _commit(made, "first", {OLD: TEXT})
    made.git("checkout", "--quiet", "-b", "side")
    _commit(made, "side", {OLD: TEXT + "# side\n"})
    made.git("checkout", "--quiet", "main")
    _commit(made, "main", {"README.md": "x"})
    made.git("merge", "--quiet", "--no-commit", "--no-ff", "side")
    _commit(made, "merge", {OLD: TEXT.replace(".spec.replicas", ".spec.evil")})
    assert blame(made.folder, NAME, SCALE).commit.subject == "merge"
    assert _rows(log(made.folder, NAME))[0] == ("merge", "major")
    assert _rows(log(made.folder))[0] == ("merge", "major")


def test_a_cut_history_says_where_it_ends_and_what_to_fetch(origin, tmp_path):
    """In a shallow clone the oldest commit is not taken for the one that added everything."""
    clone = tmp_path / "clone"
    origin.git("clone", "--quiet", "--depth=4", "--branch=main", origin.url, str(clone))
    for name in (None, "example-com-jobs-v1"):
        found = log(clone, name)
        assert [(r.commit.subject, r.level, r.cut) for r in found.commits][-1] == ("count", None, True)
        assert found.fetch == "its history is cut off: git fetch --unshallow --tags origin"
        assert "unknown  a: count" in log_text(found, name)
    with pytest.raises(EnvironmentFailure, match="is older than what is here") as raised:
        blame(clone, "example-com-jobs-v1", "ownerRef")
    assert raised.value.hint == found.fetch
    with pytest.raises(EnvironmentFailure, match="no definition is called other"):
        log(clone, "other")


def test_heads_of_all_kinds(origin, tmp_path):
    """A detached head and a bare clone have a log; an unborn head, and a folder without git, are wrong calls."""
    origin.git("checkout", "--quiet", "--detach", "v1.0.0")
    assert _rows(log(origin.folder, NAME)) == [("first", "minor")]
    origin.git("clone", "--quiet", "--bare", str(origin.folder), str(tmp_path / "bare.git"))
    assert _rows(log(tmp_path / "bare.git", "example-com-jobs-v1", "main")) == HISTORY
    unborn = Origin(tmp_path / "unborn")
    with pytest.raises(CallError, match="has no commit HEAD") as raised:
        log(unborn.folder)
    assert raised.value.hint == "it has no commit yet"
    (tmp_path / "none").mkdir()
    with pytest.raises(CallError, match="is not in a git repository"):
        log(tmp_path / "none")


def test_hostile_settings_of_a_repository_have_no_effect(origin, tmp_path):
    """Neither a diff driver, nor a text converter, a mail map, a signature program or an order file is looked at."""
    mark, trap = tmp_path / "ran", tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\n")
    trap.chmod(0o755)
    with (origin.folder / ".git" / "config").open("a") as file:
        file.write(
            f"[diff]\n\texternal = {trap}\n\torderFile = {trap}\n[gpg]\n\tprogram = {trap}\n[log]\n\tshowSignature = true\n"
            f'\tmailmap = true\n[diff "x"]\n\ttextconv = {trap}\n\tcommand = {trap}\n[core]\n\tpager = {trap}\n'
        )  # fmt: skip
    (origin.folder / ".git" / "info").mkdir(exist_ok=True)
    (origin.folder / ".git" / "info" / "attributes").write_text("* diff=x\n")
    _commit(origin, "map", {".mailmap": "evil <a@example.org>\n"})
    origin.git("replace", origin.git("rev-parse", "HEAD~1"), origin.git("rev-parse", "v1.0.0"))
    found = log(origin.folder, "example-com-jobs-v1")
    assert _rows(found) == HISTORY
    assert {r.commit.author for r in found.commits} == {"a"}
    assert not mark.exists()


def test_odd_commits_are_read(origin):
    """A commit without an author's name, with an impossible date, or a subject of control characters is shown harmlessly."""
    tree = origin.git("rev-parse", "HEAD^{tree}")
    parent = origin.git("rev-parse", "HEAD")
    text = (
        f"tree {tree}\nparent {parent}\nauthor  <x> 99999999999 +9999\ncommitter b <b> 1 +0000\n"
        "gpgsig -----BEGIN\n author fake <f> 1 +0000\n -----END\n\n\x1b[31mred\x07\n\nauthor other <o> 1 +0000\n"
    )
    path = origin.folder / "commit"
    path.write_text(text)
    name = origin.git("hash-object", "-t", "commit", "-w", "--literally", str(path))
    with LocalRepository.around(origin.folder) as repository:
        found = commits(repository, [name])[name]
        assert commits(repository, []) == {}
    assert (found.author, found.date, found.subject, found.parents) == ("", "", "\x1b[31mred\x07", (parent,))
    with LocalRepository.around(origin.folder) as repository, pytest.raises(EnvironmentFailure, match="does not hold"):
        commits(repository, ["0" * 40])


def test_the_formats_are_as_documented(origin, repository):
    """JSON satisfies its schema; text has a line for each commit, with what moved below it."""
    found = log(origin.folder, "example-com-jobs-v1")
    schema = json.loads((repository / "schemas" / "catalog-log.schema.json").read_text())
    for document in (log_json(found, "HEAD", "x"), log_json(log(origin.folder, most=1), "HEAD", None)):
        Draft202012Validator(schema).validate(json.loads(document))
    lines = log_text(found, "x").splitlines()
    assert lines[0].split("  ", 1)[1] == "2026-03-04  major    a: name"
    assert lines[1] == f"    {NEW} -> {NEW.replace('job', 'jobs')}"
    assert "    major example-com-jobs-v1 (was example-com-job-v1): renamed" in log_text(log(origin.folder), None)
    assert log_text(log(origin.folder, most=1), None).endswith(
        "6 older commits are not shown: --max-count 0 shows all\n"
    )
    got = blame(origin.folder, "example-com-jobs-v1", "additionalChildKinds")
    schema = json.loads((repository / "schemas" / "catalog-blame.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads(blame_json(got)))
    assert blame_text(got).splitlines()[2].startswith('    [{"group": "apps", ')


def test_the_commands_give_the_documented_codes(origin):
    """0 with a history; 2 for what is not there, 1 where it is no YAML; never a traceback."""

    def run(*arguments):
        call = [sys.executable, "-m", "wmap", "catalog", *arguments]
        done = subprocess.run(call, cwd=origin.folder, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout

    assert run("log")[0] == 0
    assert json.loads(run("log", "example-com-jobs-v1", "-o", "json", "-n", "1")[1])["left"] == 6
    assert run("blame", "example-com-jobs-v1", "ownerRef")[1].splitlines()[0].endswith("a: first")
    assert json.loads(run("blame", "example-com-jobs-v1", "ownerRef", "-o", "json")[1])["line"] == 13
    assert run("log", "nothing") == (2, "")
    assert run("log", "--at", "--upload-pack=x") == (2, "")
    assert run("blame", NAME, "ownerRef", "--at", "HEAD~5") == (1, "")
