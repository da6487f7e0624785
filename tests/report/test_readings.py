"""Readings for people: what an object says does nothing to a terminal."""

from __future__ import annotations

from wmap import Catalog
from wmap.report.table import render as table
from wmap.report.tree import render as tree
from wmap.report.tree import render_explained

ESCAPE = "\x1b]0;owned\x07\u202egnp"
OBJECT = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": f"a{ESCAPE}", "namespace": f"n{ESCAPE}"},
    "spec": {
        "replicatedJobs": [
            {"name": f"j{ESCAPE}", "replicas": ESCAPE, "template": {"spec": {"template": {"spec": {"containers": []}}}}}
        ]
    },
    "status": {"conditions": [{"type": "Failed", "status": "True", "reason": ESCAPE, "message": f"m{ESCAPE}"}]},
}
PODS = [{"metadata": {"name": f"p{ESCAPE}", "labels": {"jobset.sigs.k8s.io/replicatedjob-name": f"x{ESCAPE}"}}}]


def test_no_escape_of_an_object_reaches_a_terminal():
    """Names, reasons, messages and values in tree, table and explanation are written out where they are control characters."""
    catalog = Catalog.load()
    reading = catalog.read(OBJECT, PODS)
    shown = [tree(reading), table([reading], wide=True), render_explained(catalog.explain(OBJECT))]
    for text in shown:
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\u202e" not in text
    assert "JobSet n\\x1b]0;owned\\x07\\u202egnp/a\\x1b" in shown[0]
    assert "j\\x1b]0;owned" in shown[0]
    assert "a\\x1b]0;owned" in shown[1]


def test_a_range_is_shown_where_only_the_minimum_differs():
    """Of 3 parts of a graph 1 is enough to start: the line of the instance says so, as the total does."""
    graph = {
        "apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "g"},
        "spec": {"components": [{"name": "a", "replicas": 3, "podTemplate": {"spec": {"containers": []}}}]},
    }  # fmt: skip
    lines = tree(Catalog.load().read(graph)).splitlines()
    assert [line.strip(" └─") for line in lines[2:4]] == ["a: 3 pods; 1 to 3 pods", "total   3 pods (1 to 3), 0 GPUs"]
