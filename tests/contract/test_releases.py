"""The order of releases and their ranges."""

from __future__ import annotations

import pytest

from wmap.contract.releases import in_order, in_range, release_key
from wmap.errors import InputError


@pytest.mark.parametrize(
    "tags",
    [
        ["v0.1.0-alpha.1", "v0.1.0-alpha.3", "v0.1.0-alpha.10", "v0.1.0-beta.1", "v0.1.0"],
        ["v0.2.3", "v0.5.2", "v0.7.3", "v0.10.1", "v0.11.1"],
        ["knative-v1.8.0", "knative-v1.12.0", "knative-v1.15.2", "knative-v1.20.1"],
        ["main-2025-06-15", "main-2025-09-30", "main-2026-01-29"],
        ["v1.0.0-rc2", "v1.0.0-rc10", "v1.0.0"],
        ["latest", "v0.1.0"],
    ],
)
def test_releases_sort_by_their_numbers(tags):
    """Numbers count as numbers, and a pre-release comes before its release."""
    newest_first = tags[::-1]
    assert sorted(newest_first, key=release_key) == tags
    assert in_order(newest_first) == tags


def test_zeros_at_the_end_and_build_metadata_do_not_count():
    """v1.2, v1.2.0 and v1.2.0+build are the same release in the order."""
    assert release_key("v1.2") == release_key("v1.2.0") == release_key("v1.2.0+build.7")


@pytest.mark.parametrize(
    ("tag", "text", "inside"),
    [
        ("v1.1.0", "", True),
        ("v1.1.0", None, True),
        ("v1.1.0", ">=v1.0.0 <v1.2.0", True),
        ("v1.2.0", ">=v1.0.0 <v1.2.0", False),
        ("v1.2.0", "<=v1.2.0", True),
        ("v1.2.0", ">v1.2.0", False),
        ("v1.1.0", "v1.1.0", True),
        ("v1.1.1", "v1.1.0", False),
        ("v1.1.1", "=v1.1.1", True),
        ("v1.2.0-rc.1", ">=v1.2.0", False),
        ("knative-v1.12.0", ">=v1.9 <v1.13", True),
        ("main-2025-06-15", ">=main-2025-06-15 <2025-09-30", True),
    ],
)
def test_a_range_holds_where_all_its_comparators_do(tag, text, inside):
    """Comparators are joined by and; a tag alone is exactly that one."""
    assert in_range(tag, text) is inside


@pytest.mark.parametrize("text", [">=", "~1.0", ">= v1.0", ">=v1.0,<v2", "latest", ">=latest"])
def test_what_is_no_range_is_refused(text):
    """A part that is no comparator is named."""
    with pytest.raises(InputError, match="is no range of releases"):
        in_range("v1.0.0", text)
