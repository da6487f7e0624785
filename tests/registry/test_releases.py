"""Which version a bundle may have: what the tags of the repository give away, and what a clone lacks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.bundles import LWS, of_lws
from tests.repositories import Origin

from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle import build

if TYPE_CHECKING:
    from pathlib import Path

FETCH = "its history is cut off: git fetch --unshallow --tags"


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    """A repository with one release, and a comment since."""
    made = Origin(tmp_path / "origin")
    made.commit({**of_lws()}, "v1.0.0")
    made.commit({**of_lws(b"# a comment\n")})
    return made


def _shallow(origin: Origin, folder: Path, *options: str) -> Path:
    origin.git("clone", "--quiet", "--depth=1", *options, origin.url, str(folder))
    return folder


@pytest.mark.parametrize("call", [{"following": True}, {"version": "0.2.0"}, {"version": "3.0.0"}])
def test_a_shallow_clone_without_a_release_says_what_to_fetch(
    origin: Origin, tmp_path: Path, call: dict[str, bool | str]
) -> None:
    """Where the last release lies beyond what was cloned, no version is taken for the first one."""
    place = _shallow(origin, tmp_path / "shallow")
    with pytest.raises(EnvironmentFailure, match="does not hold the release before this commit") as caught:
        build(place, **call)  # type: ignore[arg-type]
    assert caught.value.hint == FETCH


def test_a_tag_that_hangs_together_with_nothing_is_no_base(origin: Origin, tmp_path: Path) -> None:
    """A shallow clone that got the tag, but not what lies between, asks for the rest."""
    place = _shallow(origin, tmp_path / "shallow")
    origin.git("-C", str(place), "fetch", "--quiet", "--depth=1", "origin", "tag", "v1.0.0")
    with pytest.raises(EnvironmentFailure) as caught:
        build(place, following=True)
    assert caught.value.hint == FETCH


def test_a_newer_release_that_may_lie_beyond_is_asked_for(origin: Origin, tmp_path: Path) -> None:
    """Of a clone that holds one release, but not how a newer one came to be, no version is worked out."""
    origin.git("checkout", "--quiet", "-b", "side")
    origin.commit({**of_lws(b"# side\n")}, "v1.0.2")
    origin.git("checkout", "--quiet", "main")
    origin.commit({**of_lws(b"# main\n")}, "v1.0.1")
    origin.commit({**of_lws(b"# more\n")})
    place = _shallow(origin, tmp_path / "shallow", "--depth=2", "--branch=main")
    origin.git("-C", str(place), "fetch", "--quiet", "--depth=1", "origin", "tag", "v1.0.2")
    with pytest.raises(EnvironmentFailure, match=r"how v1\.0\.2 and this commit hang together"):
        build(place, following=True)


def test_a_shallow_clone_that_reaches_to_the_release_is_enough(origin: Origin, tmp_path: Path) -> None:
    """What is cut off only beyond the last release changes nothing."""
    origin.commit({**of_lws(b"# 1\n")}, "v1.0.1")
    origin.commit({**of_lws(b"# 2\n")})
    place = _shallow(origin, tmp_path / "shallow", "--depth=2")
    assert build(place, following=True).index.version == "1.0.2"


def test_at_a_shallow_tag_the_same_bytes_or_none_come_out(origin: Origin, tmp_path: Path) -> None:
    """A clone of one tag does not know the release before, which stands in the index: it builds nothing rather than another bundle."""
    origin.commit({**of_lws(b"# 1\n")}, "v1.0.1")
    place = _shallow(origin, tmp_path / "shallow", "--branch=v1.0.1")
    with pytest.raises(EnvironmentFailure):
        build(place)
    origin.git("-C", str(place), "fetch", "--quiet", "--unshallow", "--tags")
    assert build(place).data == build(origin.folder).data


def test_without_any_tag_it_is_said_that_this_is_taken_for_the_first_release(tmp_path: Path) -> None:
    """A whole clone without tags may lack them alone, so the note says how to get them."""
    made = Origin(tmp_path / "origin")
    made.commit({**of_lws()})
    built = build(made.folder, following=True)
    assert built.index.version == "0.1.0"
    assert built.note is not None
    assert "git fetch --tags" in built.note


def test_releases_elsewhere_are_named_where_none_is_in_the_history(tmp_path: Path) -> None:
    """A branch that shares nothing with the released one begins anew, and the note names the newest release."""
    made = Origin(tmp_path / "origin")
    made.commit({**of_lws()}, "v1.0.0")
    made.git("checkout", "--quiet", "--orphan", "other")
    made.commit({**of_lws(b"# other\n")})
    assert build(made.folder, following=True).note == (
        "taken for the first release: no tag is in its history (v1.0.0 is elsewhere)"
    )


def test_a_release_is_built_again_as_itself(origin: Origin) -> None:
    """At a tag the next version is that of the tag, byte by byte: nothing changed since."""
    again = build(origin.folder, at="v1.0.0", following=True)
    assert again.index.version == "1.0.0"
    assert again.data == build(origin.folder, at="v1.0.0").data
    assert again.note is None


@pytest.mark.parametrize("version", ["0.5.0", "1.0.0-rc.1"])
def test_below_the_tag_of_the_commit_no_version_is_taken(origin: Origin, version: str) -> None:
    """A release counts on the very commit that it tags."""
    with pytest.raises(CallError, match=r"is too low: the changes since 1\.0\.0 are nothing") as caught:
        build(origin.folder, at="v1.0.0", version=version)
    assert caught.value.hint == "1.0.1 is the lowest"


def test_what_lies_changed_at_a_tag_is_a_change_since_it(tmp_path: Path) -> None:
    """Files that are not committed follow the release on which they lie."""
    made = Origin(tmp_path / "origin")
    made.commit({**of_lws()}, "v1.0.0")
    made.write({**of_lws(b"# lying\n")})
    assert build(made.folder, following=True, dirty=True).index.version == "1.0.1+dirty"


def test_a_version_of_another_commit_is_not_given_again(origin: Origin) -> None:
    """A release of a sibling branch is given away, whether it is asked for or worked out; its commit is named."""
    origin.git("checkout", "--quiet", "-b", "side", "v1.0.0")
    taken = origin.commit({**of_lws(b"# side\n")}, "v1.0.1", annotated=True)
    origin.git("checkout", "--quiet", "main")
    with pytest.raises(CallError, match=rf"1\.0\.1 is given away: v1\.0\.1 is the commit {taken[:12]}"):
        build(origin.folder, following=True)
    with pytest.raises(CallError, match=taken[:12]):
        build(origin.folder, version="1.0.1")
    assert build(origin.folder, version="1.0.2").index.version == "1.0.2"


def test_a_later_version_is_not_given_to_an_earlier_commit(origin: Origin) -> None:
    """A version of a commit that came later is given away, too."""
    origin.commit({**of_lws(b"# later\n")}, "v1.1.0")
    with pytest.raises(CallError, match="is given away"):
        build(origin.folder, at="HEAD~1", version="1.1.0")


def test_the_readings_decide_what_a_new_mapping_means(tmp_path: Path) -> None:
    """The next version is that of a break where a new mapping takes objects from the phase that they had, as catalog diff says."""
    text = of_lws()[LWS]
    degraded = b"          degraded:\n"
    assert text.count(degraded) == 1
    more = text.replace(degraded, degraded + b'          - byConditions: [{type: Available, status: "True"}]\n')
    made = Origin(tmp_path / "origin")
    made.commit({**of_lws()}, "v1.0.0")
    made.commit({**of_lws(), LWS: more})
    assert build(made.folder, following=True).index.version == "2.0.0"


def test_a_branch_that_is_called_like_a_version_is_no_release(origin: Origin) -> None:
    """Only tags give versions away."""
    origin.git("branch", "v9.0.0")
    assert build(origin.folder, following=True).index.version == "1.0.1"
    assert build(origin.folder, following=True).index.definitions[0].file == LWS


def test_a_tag_of_something_else_is_no_release(origin: Origin) -> None:
    """A tag that names a file and no commit is left out."""
    origin.git("tag", "v9.0.0", f"HEAD:{LWS}")
    assert build(origin.folder, following=True).index.version == "1.0.1"
