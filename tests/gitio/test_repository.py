"""Git access: what is fetched, what is refused, and what a hostile repository cannot do."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from tests.repositories import Origin

from wmap.errors import CallError, EnvironmentFailure
from wmap.gitio import GitLimits, Repository, check_ref, check_url, default_cache

FILES: dict[str, str | bytes] = {"a/one.yaml": "one\n", "b/two.go": "package b\n", "b/binary": b"\0\xff\n\n"}


@pytest.fixture
def origin(tmp_path):
    """A repository with one tag."""
    made = Origin(tmp_path / "origin")
    made.commit(FILES, "v1.0.0")
    return made


@pytest.fixture
def cache(tmp_path):
    """The place of the cache."""
    return tmp_path / "cache"


def _blobs(repository):
    return {name for name, (kind, _) in repository._objects().items() if kind == "blob"}


def _left(cache: Path) -> list[str]:
    """What is in the cache beside locks."""
    return [p.name for p in cache.iterdir() if p.suffix != ".lock"] if cache.exists() else []


def test_tags_are_listed_with_their_commits(origin, cache):
    """An annotated tag stands for the commit that it refers to."""
    second = origin.commit(FILES, "v1.1.0", annotated=True)
    tags = Repository(origin.url, cache).tags()
    assert tags == {"v1.0.0": origin.git("rev-parse", "v1.0.0"), "v1.1.0": second}


def test_a_tag_is_fetched_without_contents(origin, cache):
    """The paths of its files are known, and no blob is there."""
    repository = Repository(origin.url, cache)
    tree = repository.fetch_tag("v1.0.0")
    assert sorted(tree.files) == sorted(FILES)
    assert (tree.commit, tree.date) == (origin.git("rev-parse", "v1.0.0"), "2026-03-05")
    assert _blobs(repository) == set()
    assert not repository.unfiltered


def test_only_the_files_that_are_asked_for_are_fetched(origin, cache):
    """The contents are those of the commit, byte for byte."""
    repository = Repository(origin.url, cache)
    tree = repository.fetch_tag("v1.0.0")
    assert repository.read(tree, ["a/one.yaml", "b/binary"]) == {
        k: _bytes(FILES[k]) for k in ("a/one.yaml", "b/binary")
    }
    assert _blobs(repository) == {tree.files["a/one.yaml"], tree.files["b/binary"]}
    assert repository.read(tree, []) == {}


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def test_several_tags_share_the_cache_and_a_second_run_needs_no_repository(origin, cache):
    """What was fetched stays."""
    origin.commit({"a/one.yaml": "changed\n"}, "v2.0.0")
    repository = Repository(origin.url, cache)
    first, second = repository.fetch_tag("v1.0.0"), repository.fetch_tag("v2.0.0")
    read = [repository.read(t, ["a/one.yaml"])["a/one.yaml"] for t in (first, second)]
    origin.folder.rename(origin.folder.with_name("gone"))
    again = Repository(origin.url, cache)
    assert again.read(again.fetch_commit(first.commit), ["a/one.yaml"]) == {"a/one.yaml": read[0]}
    assert read == [b"one\n", b"changed\n"]
    assert len(_left(cache)) == 1


def test_a_server_that_does_not_filter_is_noticed_and_still_read(tmp_path, cache):
    """It sends everything without a word; the files are right all the same."""
    origin = Origin(tmp_path / "full", filters=False)
    origin.commit(FILES, "v1.0.0")
    repository = Repository(origin.url, cache)
    tree = repository.fetch_tag("v1.0.0")
    assert repository.unfiltered
    assert len(_blobs(repository)) == len(FILES)
    assert repository.read(tree, ["a/one.yaml"]) == {"a/one.yaml": b"one\n"}


@pytest.mark.parametrize("filters", [True, False])
def test_the_size_is_limited_and_the_cache_left_clean(tmp_path, cache, filters):
    """With a filter the contents that are asked for count, without one all that is sent."""
    origin = Origin(tmp_path / "big", filters=filters)
    origin.commit({"big": os.urandom(300_000), "small": "x"}, "v1.0.0")
    repository = Repository(origin.url, cache, GitLimits(size=200_000))
    with pytest.raises(EnvironmentFailure, match=r"larger than the limit of 0\.1907 MiB") as caught:
        repository.read(repository.fetch_tag("v1.0.0"), ["big"])
    assert origin.url in caught.value.message
    assert _left(cache) == []


def test_one_file_and_the_number_of_files_are_limited(origin, cache):
    """A glob that takes in too much is named."""
    repository = Repository(origin.url, cache, GitLimits(file_size=3, files=2))
    tree = repository.fetch_tag("v1.0.0")
    with pytest.raises(EnvironmentFailure, match=r"a/one\.yaml has 4 bytes; at most 3 are read"):
        repository.read(tree, ["a/one.yaml"])
    with pytest.raises(EnvironmentFailure, match="3 files are asked for; at most 2"):
        repository.read(tree, FILES)


def test_time_is_limited(origin, cache):
    """A call that takes too long ends, with all that it started."""
    repository = Repository(origin.url, cache, GitLimits(seconds=0))
    with pytest.raises(EnvironmentFailure, match="it takes longer than 0 s"):
        repository.fetch_commit(origin.git("rev-parse", "HEAD"))
    assert _left(cache) == []


def test_a_missing_tag_is_named_with_the_nearest(origin, cache):
    """Nothing is left in the cache."""
    with pytest.raises(EnvironmentFailure, match=r"has no tag v1\.0\.1") as caught:
        Repository(origin.url, cache).fetch_tag("v1.0.1")
    assert caught.value.hint == "did you mean v1.0.0?"
    assert caught.value.exit_code == 3
    assert _left(cache) == []


def test_a_missing_file_is_named(origin, cache):
    """A path that the commit does not have."""
    repository = Repository(origin.url, cache)
    with pytest.raises(EnvironmentFailure, match="has no file c at"):
        repository.read(repository.fetch_tag("v1.0.0"), ["c"])


@pytest.mark.parametrize("place", ["nothing", "folder", "file"])
def test_what_cannot_be_reached_or_is_no_repository_is_named(tmp_path, cache, place):
    """The message holds the address and what git says."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    url = f"file://{tmp_path / place}"
    with pytest.raises(EnvironmentFailure, match="its tags cannot be listed: fatal:") as caught:
        Repository(url, cache).tags()
    assert caught.value.message.startswith(url)


def test_a_commit_that_is_not_there_leaves_a_warm_cache_as_it_was(origin, cache):
    """What was fetched before is still of use."""
    repository = Repository(origin.url, cache)
    tree = repository.fetch_tag("v1.0.0")
    with pytest.raises(EnvironmentFailure, match="cannot be fetched"):
        repository.fetch_commit("0" * 40)
    assert repository.read(tree, ["b/two.go"]) == {"b/two.go": b"package b\n"}
    assert not [p for p in repository.folder.rglob("*") if p.name.startswith("tmp_") or p.suffix == ".lock"]


def test_a_cache_that_cannot_be_written_is_named(origin, tmp_path):
    """It may be a file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFailure, match=r"the cache .* cannot be used"):
        Repository(origin.url, tmp_path / "file").fetch_tag("v1.0.0")


def test_a_damaged_cache_is_named(origin, cache):
    """It is the place that is of no use, not the repository."""
    repository = Repository(origin.url, cache)
    repository.fetch_tag("v1.0.0")
    (repository.folder / "config").write_text("[broken")
    with pytest.raises(EnvironmentFailure, match=r"its cache .*\.git cannot be read \(remove it\)"):
        repository.fetch_tag("v1.0.0")


def test_a_commit_is_found_by_its_beginning(origin, cache):
    """As go.mod names it; one that is not there gives nothing."""
    commit = origin.commit({"x": "y"})
    repository = Repository(origin.url, cache)
    assert repository.commit_of(commit[:12]) == commit
    assert repository.commit_of("0" * 12) is None
    with pytest.raises(CallError, match="no beginning of a commit"):
        repository.commit_of("--all")


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch x'", "--upload-pack=touch x", "http://example.org/x", "git://example.org/x", "https:///x", "https://-x/y",
        "ssh://-oProxyCommand=x/y", "https://user:secret@example.org/x", "https://example.org/x\ny", "file://", "example.org:x",
        "ssh://-o@example.org/x", "fd::17", "", "https://example.org",
    ],
)  # fmt: skip
def test_addresses_that_git_may_not_be_given_are_refused(url, cache):
    """Other protocols, options in disguise, passwords."""
    with pytest.raises(CallError) as caught:
        Repository(url, cache)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["https://example.org/a/b", "ssh://git@example.org:22/a", "file:///a b".replace(" ", "-")]
)
def test_addresses_of_the_three_protocols_are_taken(url):
    """https, ssh and file."""
    assert check_url(url) == url


@pytest.mark.parametrize(
    "name",
    [
        "--upload-pack=touch x",
        "-v",
        "a..b",
        "a b",
        "a:b",
        "a^",
        "v1~1",
        "@",
        "@{u}",
        "",
        "a\nb",
        "x.lock",
        "/a",
        "a//b",
        "*",
    ],
)
def test_names_that_git_may_not_be_given_are_refused(name, origin, cache):
    """Options in disguise, and what git itself forbids."""
    with pytest.raises(CallError, match="is no name of a tag"):
        check_ref(name)
    with pytest.raises(CallError):
        Repository(origin.url, cache).fetch_tag(name)


def test_a_tag_that_looks_like_an_option_is_not_listed(origin, cache):
    """The repository may have one; git is never given it."""
    commit = origin.git("rev-parse", "HEAD")
    packed = origin.folder / ".git" / "packed-refs"
    packed.write_text(f"# pack-refs with: peeled fully-peeled sorted \n{commit} refs/tags/--upload-pack=x\n")
    assert set(Repository(origin.url, cache).tags()) == {"v1.0.0"}


def test_a_hostile_repository_runs_nothing(origin, cache, tmp_path, monkeypatch):
    """Hooks, filters, submodules, links, and settings of the repository and of the caller are without effect."""
    marker = tmp_path / "marker"
    for name in ("post-checkout", "post-merge", "reference-transaction", "post-update", "pre-auto-gc"):
        hook = origin.folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
        hook.chmod(0o755)
    origin.git("config", "uploadpack.packObjectsHook", f"touch {marker};")
    origin.git("config", "core.fsmonitor", f"touch {marker}")
    (origin.folder / "link").symlink_to("/etc/passwd")
    attributes = {
        ".gitattributes": "*.yaml filter=lfs\n",
        ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = ext::touch x\n',
    }
    commit = origin.commit({**FILES, **attributes}, "v2.0.0")
    origin.git("update-index", "--add", "--cacheinfo", f"160000,{commit},s")
    origin.git("commit", "--quiet", "--message", "submodule")
    origin.git("tag", "v3.0.0")
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    (template / "reference-transaction").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (template / "reference-transaction").chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(template.parent))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{tmp_path}/other.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", origin.url)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    marker.unlink(missing_ok=True)  # the hooks ran for the commits above, which shows that they work
    repository = Repository(origin.url, cache)
    tree = repository.fetch_tag("v3.0.0")
    assert "link" not in tree.files
    assert "s" not in tree.files
    assert repository.read(tree, ["a/one.yaml"]) == {"a/one.yaml": b"one\n"}
    assert not marker.exists()
    assert not list(repository.folder.glob("hooks/*"))


def test_a_tree_that_holds_itself_many_times_over_is_refused(origin, cache):
    """It is small in the repository, and endless when it is listed."""
    tree = origin.git("rev-parse", "HEAD^{tree}")
    for level in range(6):
        lines = "".join(f"040000 tree {tree}\td{level}{i}\n" for i in range(10))
        (origin.folder / "lines").write_text(lines)
        tree = origin.git("-c", "alias.t=!git mktree <lines", "t")
    origin.git("tag", "v6.0.0", origin.git("commit-tree", tree, "-m", "x"))
    repository = Repository(origin.url, cache, GitLimits(output=1_000_000))
    with pytest.raises(EnvironmentFailure, match="git writes more than 1,000,000 bytes"):
        repository.fetch_tag("v6.0.0")


def test_a_repository_around_the_temporary_folder_is_not_found(origin, cache, tmp_path, monkeypatch):
    """Its configuration would send git elsewhere."""
    around = Origin(tmp_path / "around")
    around.git("config", f"url.file://{tmp_path}/other.insteadOf", origin.url)
    monkeypatch.setattr(tempfile, "tempdir", str(around.folder))
    assert set(Repository(origin.url, cache).tags()) == {"v1.0.0"}


def test_replaced_objects_are_not_read(origin, cache):
    """A replacement that stands in the cache changes nothing."""
    repository = Repository(origin.url, cache)
    tree = repository.fetch_tag("v1.0.0")
    repository.read(tree, FILES)
    replaced = repository.folder / "refs" / "replace" / tree.files["a/one.yaml"]
    replaced.parent.mkdir(parents=True)
    replaced.write_text(tree.files["b/two.go"] + "\n")
    assert repository.read(tree, ["a/one.yaml"]) == {"a/one.yaml": b"one\n"}


def test_without_git_the_environment_is_at_fault(origin, cache, monkeypatch, tmp_path):
    """The message says what to install."""
    repository = Repository(origin.url, cache)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(EnvironmentFailure, match="git"):
        repository.tags()


def test_the_cache_lies_where_caches_do(monkeypatch, tmp_path):
    """XDG_CACHE_HOME counts where it is an absolute path."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "wmap" / "git"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_cache() == Path.home() / ".cache" / "wmap" / "git"
