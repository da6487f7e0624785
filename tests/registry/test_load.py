"""The catalog at a git ref, in real repositories."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tests.repositories import Origin

from wmap import Catalog
from wmap.cli.main import cli
from wmap.errors import CallError, EnvironmentFailure
from wmap.findings import Level

NAME = "jobset-x-k8s-io-jobset-v1alpha2"
PATH = f"catalog/jobset/{NAME}.yaml"
RAY = "catalog/kuberay/ray-io-raycluster-v1.yaml"
OBJECT = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "a"},
    "spec": {"replicatedJobs": []},
}


@pytest.fixture
def origin(tmp_path, repository):
    """A repository with a catalog of one definition at v1.0.0, and of two at v1.1.0 and main."""
    made = Origin(tmp_path / "origin")
    jobset, ray = (repository / PATH).read_text(), (repository / RAY).read_text()
    made.commit({PATH: jobset, "catalog/jobset/framework.yaml": "name: jobset\n"}, "v1.0.0")
    made.commit({PATH: "# later\n" + jobset, RAY: ray}, "v1.1.0", annotated=True)
    return made


def _names(catalog):
    return [d.name.value for d in catalog.definitions.all()]


def test_a_ref_is_read_from_the_object_database(origin):
    """Each ref gives the definitions of its commit, whatever lies in the working tree."""
    (origin.folder / PATH).write_text("broken")
    assert _names(Catalog.load(git=origin.folder, ref="v1.0.0")) == [NAME]
    assert _names(Catalog.load(git=origin.folder, ref="HEAD~1")) == [NAME]
    assert _names(Catalog.load(git=origin.folder, ref="v1.1.0")) == [NAME, "ray-io-raycluster-v1"]
    assert _names(Catalog.load(git=origin.folder)) == [NAME, "ray-io-raycluster-v1"]


def test_a_bare_clone_a_packed_one_and_a_worktree_are_read(origin, tmp_path):
    """A bare clone with packed refs, and a linked worktree at an older commit, give what their refs say."""
    origin.git("clone", "--quiet", "--bare", str(origin.folder), str(tmp_path / "bare.git"))
    origin.git("--git-dir", str(tmp_path / "bare.git"), "pack-refs", "--all")
    origin.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"), "v1.0.0")
    assert _names(Catalog.load(git=tmp_path / "bare.git", ref="v1.0.0")) == [NAME]
    assert _names(Catalog.load(git=tmp_path / "tree")) == [NAME]
    assert len(_names(Catalog.load(git=tmp_path / "tree" / "catalog", ref="main"))) == 2


def test_a_repository_of_sha256_is_read(tmp_path, repository):
    """A repository whose objects are named by SHA-256 is read like any other."""
    made = Origin(tmp_path / "first")
    made.git("init", "--quiet", "--object-format=sha256", str(tmp_path / "long"))
    made.folder = tmp_path / "long"
    commit = made.commit({PATH: (repository / PATH).read_text()}, "v1")
    assert len(commit) == 64
    assert _names(Catalog.load(git=made.folder, ref=commit)) == [NAME]


def test_readings_say_their_origin(origin):
    """A reading says which ref its definition is from, and its file is named as git names it."""
    catalog = Catalog.load(git=origin.folder, ref="v1.0.0")
    assert catalog.read(OBJECT).to_dict()["definition"] == {"name": NAME, "origin": "git:v1.0.0"}
    assert catalog.definition_for(OBJECT).file == f"v1.0.0:{PATH}"


def test_a_catalog_of_a_ref_is_validated(origin):
    """The definitions of a ref are judged; level fixture is said to be not run."""
    result = Catalog.load(git=origin.folder, ref="v1.0.0").validate()
    assert (result.definitions, [f for f in result.findings if f.severity == "error"]) == (1, [])
    assert [(x.level, x.reason) for x in result.not_run] == [(Level.FIXTURE, "there is no folder of fixtures")]


def test_replacement_objects_and_grafts_have_no_effect(origin):
    """A replacement of a commit, or of its file, does not change what a ref gives."""
    old, new = origin.git("rev-parse", "v1.0.0"), origin.git("rev-parse", "main")
    origin.git("replace", old, new)
    (origin.folder / ".git" / "info").mkdir(exist_ok=True)
    (origin.folder / ".git" / "info" / "grafts").write_text(f"{new}\n")
    assert _names(Catalog.load(git=origin.folder, ref="v1.0.0")) == [NAME]
    assert _names(Catalog.load(git=origin.folder, ref="main~1")) == [NAME]


def test_the_configuration_of_a_repository_has_no_effect(origin, tmp_path):
    """A promisor remote, an include, a monitor or an alias of a hostile repository run nothing, also where an object is missing."""
    mark = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\n")
    trap.chmod(0o755)
    (tmp_path / "included").write_text(f"[core]\n\tfsmonitor = {trap}\n")
    blob = origin.git("rev-parse", f"v1.0.0:{PATH}")
    with (origin.folder / ".git" / "config").open("a") as file:
        file.write(
            f"[core]\n\tfsmonitor = {trap}\n\tsshCommand = {trap}\n\tpager = {trap}\n[include]\n\tpath = {tmp_path}/included\n"
            f'[alias]\n\tcat-file = "!{trap}"\n[extensions]\n\tpartialClone = evil\n'
            f'[remote "evil"]\n\turl = file://{origin.folder}\n\tuploadpack = {trap}\n\tpromisor = true\n'
        )
    (origin.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(EnvironmentFailure, match="does not hold the contents of"):
        Catalog.load(git=origin.folder, ref="v1.0.0")
    assert len(_names(Catalog.load(git=origin.folder, ref="main"))) == 2
    assert not mark.exists()


def test_links_of_a_tree_are_not_followed(origin):
    """A symbolic link in the catalog is no definition."""
    (origin.folder / "catalog" / "link.yaml").symlink_to("/etc/hostname")
    origin.git("add", "--all")
    origin.git("commit", "--quiet", "--message", "link")
    assert len(_names(Catalog.load(git=origin.folder))) == 2


@pytest.mark.parametrize("ref", ["--help", "", "a:b", "v1..v2", "@{u}", "a b", "a\nb", "^main", "main^{tree}", ":/x"])
def test_what_is_no_ref_is_refused(origin, ref):
    """Options, ranges, searches and paths are refused before git sees them."""
    with pytest.raises(CallError, match="is no name of a commit"):
        Catalog.load(git=origin.folder, ref=ref)


def test_an_unknown_ref_names_the_nearest(origin):
    """A ref that is not there is a wrong call, and the nearest is named."""
    with pytest.raises(CallError, match=r"has no commit v1\.2\.0") as raised:
        Catalog.load(git=origin.folder, ref="v1.2.0")
    assert "v1.1.0" in (raised.value.hint or "")


def test_a_shallow_clone_says_that_its_history_is_cut_off(origin, tmp_path):
    """A commit beyond the cut is not there, and the hint says what to fetch."""
    origin.git("clone", "--quiet", "--depth=1", "--branch=main", origin.url, str(tmp_path / "shallow"))
    with pytest.raises(EnvironmentFailure) as raised:
        Catalog.load(git=tmp_path / "shallow", ref="HEAD~1")
    assert raised.value.hint == "its history is cut off: git fetch --unshallow --tags origin"
    with pytest.raises(EnvironmentFailure) as raised:
        Catalog.load(git=tmp_path / "shallow", ref="mian")
    assert (raised.value.hint or "").startswith("did you mean main? or its history is cut off")


@pytest.mark.parametrize(
    ("ref", "near"),
    [
        ("HAED", "HEAD"),
        ("head", "HEAD"),
        ("HAED~1", "HEAD~1"),
        ("HED^", "HEAD^"),
        ("m", "main"),
        ("mian", "main"),
        ("V1.1.0", "v1.1.0"),
        ("v2", "v1.1.0"),
        ("v1", "v1.1.0, v1.0.0"),
    ],
)
def test_the_nearest_name_is_offered(origin, ref, near):
    """Also for HEAD, for short names, for another case, and with the steps that follow the name."""
    with pytest.raises(CallError, match="has no commit") as raised:
        Catalog.load(git=origin.folder, ref=ref)
    assert raised.value.hint == f"did you mean {near}?"


def test_an_ancestor_that_is_not_there_is_no_wrong_name(origin):
    """Where the name is right and its history is shorter, no other name is offered."""
    with pytest.raises(CallError, match="has no commit HEAD~99") as raised:
        Catalog.load(git=origin.folder, ref="HEAD~99")
    assert (raised.value.hint or "").endswith("no such ancestor")


def test_no_repository_no_commit_and_no_catalog_are_said(origin, tmp_path):
    """A folder outside of a repository, an unborn HEAD and a ref without a catalog each have a message of their own."""
    with pytest.raises(CallError, match="is not in a git repository"):
        Catalog.load(git=tmp_path)
    (origin.folder / ".hidden").mkdir()
    with pytest.raises(CallError, match=r"holds no definition below \.hidden/ at HEAD"):
        Catalog.load(git=origin.folder / ".hidden")
    with pytest.raises(CallError, match="there is no folder"):
        Catalog.load(git=tmp_path / "nowhere")
    with pytest.raises(CallError, match="has no commit HEAD") as raised:
        Catalog.load(git=Origin(tmp_path / "unborn").folder)
    assert raised.value.hint == "it has no commit yet"
    origin.commit({"README": "x"}, "v2")
    with pytest.raises(CallError, match="holds no definition below catalog/ at v2"):
        Catalog.load(git=origin.folder, ref="v2")


def test_a_ref_needs_a_repository_and_a_folder_excludes_it(origin):
    """A ref alone, and a folder beside a repository, are wrong calls."""
    with pytest.raises(CallError, match="of no repository"):
        Catalog.load(ref="v1")
    with pytest.raises(CallError, match="not from both"):
        Catalog.load(origin.folder / "catalog", git=origin.folder)


def test_the_stand_in_is_removed(origin, tmp_path, monkeypatch):
    """Nothing is left in the folder for temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    Catalog.load(git=origin.folder, ref="v1.0.0")
    assert not any((tmp_path / "temporary").iterdir())


def test_commands_read_at_a_ref(origin, tmp_path, monkeypatch):
    """List, show, describe and get read the catalog of the repository around the working directory at a ref."""
    monkeypatch.chdir(origin.folder / "catalog")
    (tmp_path / "object.json").write_text(json.dumps(OBJECT))
    given = ["-f", str(tmp_path / "object.json"), "-o", "json", "--at", "v1.0.0"]

    def call(*arguments):
        return CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False).output

    assert [line.split()[0] for line in call("catalog", "list", "--at", "v1.0.0").splitlines()] == [NAME]
    assert call("catalog", "show", NAME, "--at", "v1.1.0").startswith("# later\n")
    assert not call("catalog", "show", NAME, "--at", "v1.0.0").startswith("# later\n")
    assert json.loads(call("describe", *given))["definition"]["origin"] == "git:v1.0.0"
    assert json.loads(call("get", *given))[0]["definition"]["origin"] == "git:v1.0.0"
