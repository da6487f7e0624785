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


@pytest.mark.parametrize(("text", "warned"), [("2", []), ("", ["bad-value"]), ("abc", ["bad-value"]), (None, [])])
def test_a_text_that_is_to_be_a_number_and_is_none_is_warned_of(text, warned):
    """The lower bound of a Knative Service is a text of an annotation: abc counts as none, and that is said once."""
    obj = {
        "apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"template": {"metadata": {"annotations": {"autoscaling.knative.dev/min-scale": text}}, "spec": {"containers": [{"image": "i"}]}}},
    }  # fmt: skip
    warnings = Catalog.load().read(obj).warnings
    assert [w.code for w in warnings] == warned
    assert all("autoscaling.knative.dev/min-scale" in w.message and "no number" in w.message for w in warnings)


def test_names_in_an_expression_of_a_status_are_no_words():
    """What was read beside, and is a name, is told only where the status says nothing that is known."""
    obj = {"apiVersion": "ray.io/v1", "kind": "RayService", "status": {"activeServiceStatus": {"rayClusterName": "c"}}}
    assert Catalog.load().read(obj).warnings == ()
