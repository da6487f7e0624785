"""Words of a status that no mapping knows."""

from __future__ import annotations

import pytest

from wmap import Catalog

MILVUS = {"apiVersion": "milvus.io/v1beta1", "kind": "Milvus", "metadata": {"name": "m"}, "spec": {}}


@pytest.mark.parametrize(
    ("word", "warned"),
    [("Healthy", []), ("", []), (None, []), ("Deleting", []), ("Wobbling", ["unknown-status"])],
)
def test_a_phase_that_neither_a_mapping_nor_a_release_has_is_warned_of(word, warned):
    """Deleting is a word of the operator that no mapping shows, and that is all right; Wobbling is none."""
    reading = Catalog.load().read({**MILVUS, "status": {"status": word}})
    assert [w.code for w in reading.warnings] == warned


def test_names_in_an_expression_of_a_status_are_no_words():
    """What was read beside, and is a name, is told only where the status says nothing that is known."""
    obj = {"apiVersion": "ray.io/v1", "kind": "RayService", "status": {"activeServiceStatus": {"rayClusterName": "c"}}}
    assert Catalog.load().read(obj).warnings == ()
