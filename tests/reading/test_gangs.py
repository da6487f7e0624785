"""The sizes of gangs, against the consumers' rule written down a second time, on every fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from wmap import Catalog
from wmap.definition.yamlio import read_documents

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = sorted((REPOSITORY / "fixtures").glob("*/*.yaml"))


def _subtree(definition, obj, name):
    """scale(C) x the sum of the children's subtrees, a missing or zero factor left out, as schedulers compute it."""
    component = definition.component(name)

    def values(text):
        return text.expression.evaluate(obj) if text is not None else []

    scale = component.scale
    least = values(scale.min_replicas) if scale else []
    now = values(scale.replicas) if scale else []
    own = sum((least[i] if i < len(least) and (least[i] or 0) > 0 else now[i]) or 0 for i in range(len(now)))
    below = [c.name.value for c in definition.children if c.owner.value == name]
    if not below:
        return own
    total = sum(_subtree(definition, obj, child) for child in below)
    return total * (own or 1)


@pytest.mark.parametrize("file", FIXTURES, ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_a_gang_has_the_size_that_schedulers_compute(file):
    """The minimum of each gang is the size of its member's subtree."""
    ((fixture, _),) = read_documents(file.read_text())
    catalog = Catalog.load()
    definition = catalog.definition_for(fixture["object"])
    gangs = catalog.read(fixture["object"]).gangs
    assert [g.min_pods for g in gangs] == [_subtree(definition, fixture["object"], g.component) for g in gangs]


def test_what_the_object_does_not_have_is_no_gang():
    """A member that owns no pods itself gives a row where the object has a component below it, and none where it has not."""
    catalog = Catalog.load()
    head = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "x"}}
    assert catalog.read({**head, "spec": {"replicatedJobs": []}}).gangs == ()
    (gang,) = catalog.read({**head, "spec": {"replicatedJobs": [{"name": "a", "replicas": 0}]}}).gangs
    assert gang.min_pods == 0
