"""The changelog's section of a version: worst first, put where a reader looks, and once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.bundles import LWS, files, of_lws
from tests.repositories import Origin

from wmap.errors import CallError
from wmap.registry.bundle import build
from wmap.report.changelog import insert, section

if TYPE_CHECKING:
    from pathlib import Path

JOBSET = "catalog/jobset/jobset-x-k8s-io-jobset-v1alpha2.yaml"


def _section(tmp_path: Path, *states: dict[str, bytes]) -> str:
    origin = Origin(tmp_path / "origin")
    for number, state in enumerate(states):
        origin.commit(dict(state), None if number + 1 == len(states) else f"v1.0.{number}")
    built = build(origin.folder, version="1.0.0") if len(states) == 1 else build(origin.folder, following=True)
    index = built.index
    return section(index.version, built.date, built.differences, first=index.since is None)


def test_the_first_version_names_what_it_holds(tmp_path: Path) -> None:
    """Without a version before it, each definition is new."""
    assert _section(tmp_path, of_lws()) == (
        "## 1.0.0 - 2026-03-05\n\n### Added\n\n- `leaderworkerset-x-k8s-io-leaderworkerset-v1`\n"
    )


def test_what_breaks_stands_first(tmp_path: Path) -> None:
    """A renamed component is a break, a new definition a gain: in this order, each under its heading."""
    new = files("catalog/jobset/framework.yaml", JOBSET)
    text = (
        of_lws()[LWS]
        .replace(b"name: worker\n", b"name: follower\n")
        .replace(b"componentName: worker", b"componentName: follower")
    )
    assert text != of_lws()[LWS]
    made = _section(tmp_path, of_lws(), {**of_lws(), **new, LWS: text})
    assert made.startswith(
        "## 2.0.0 - 2026-03-05\n\n### Breaking\n\n- `leaderworkerset-x-k8s-io-leaderworkerset-v1` changed\n"
    )
    assert "`worker` to `follower`" in made
    assert (
        made.index("### Breaking") < made.index("### Added") < made.index("- `jobset-x-k8s-io-jobset-v1alpha2` added")
    )


def test_what_nobody_sees_is_said_to_be_that(tmp_path: Path) -> None:
    """A comment is a new version and no change to consumers."""
    text = of_lws()[LWS] + b"# a comment\n"
    assert "Nothing that consumers see.\n" in _section(tmp_path, of_lws(), {**of_lws(), LWS: text})


def test_a_section_stands_before_the_newest_version() -> None:
    """It follows what is unreleased, and all else stays as it is."""
    text = "# Changelog\n\n## Unreleased\n\n- x\n\n## [1.0.0] - 2026-01-01\n\n- y\n"
    assert insert(text, "1.1.0", "## 1.1.0 - 2026-02-02\n\n- z\n") == (
        "# Changelog\n\n## Unreleased\n\n- x\n\n## 1.1.0 - 2026-02-02\n\n- z\n\n## [1.0.0] - 2026-01-01\n\n- y\n"
    )


def test_a_new_changelog_has_a_head() -> None:
    """Where there is no file, one begins."""
    assert insert(None, "1.0.0", "## 1.0.0 - 2026-01-01\n\n- z\n").startswith("# Changelog\n\nThe format")


def test_a_version_is_told_once() -> None:
    """A second section of a version is refused, however its heading is written."""
    for heading in ("## 1.0.0 - x", "## [1.0.0]", "## v1.0.0"):
        with pytest.raises(CallError, match="has a section"):
            insert(f"# C\n\n{heading}\n", "1.0.0", "## 1.0.0\n")
