"""The vocabulary of a release from the reference material."""

from __future__ import annotations

import pytest

from wmap.contract.framework import load_frameworks
from wmap.contract.model import TermKind, Vocabulary
from wmap.contract.tables import reference_terms
from wmap.errors import EnvironmentFailure


@pytest.mark.upstream
@pytest.mark.parametrize("release", ["v1.7.0", "v1.8.1", "v1.9.0"])
def test_words_of_tests_and_of_other_products_do_not_count(upstream, repository, release):
    """The label group-name went with v1.6; that tests of the operator use it, and TrainJob's words, say nothing of PyTorchJob."""
    framework = load_frameworks(repository / "catalog")["training-operator"]
    terms = reference_terms(upstream, "training-operator", release, framework)
    vocabulary = Vocabulary("training-operator", release, terms)
    assert "group-name" not in vocabulary.of(TermKind.LABEL)
    assert set(vocabulary.of(TermKind.CONDITION)) == {
        "Created",
        "Running",
        "Restarting",
        "Succeeded",
        "Suspended",
        "Failed",
    }


@pytest.mark.upstream
def test_words_of_imported_modules_count(upstream, repository):
    """Up to v1.6 the conditions and labels of jobs stand in kubeflow/common."""
    framework = load_frameworks(repository / "catalog")["training-operator"]
    vocabulary = Vocabulary(
        "training-operator", "v1.5.0", reference_terms(upstream, "training-operator", "v1.5.0", framework)
    )
    assert set(vocabulary.of(TermKind.CONDITION)) == {"Created", "Running", "Restarting", "Succeeded", "Failed"}
    assert "group-name" in vocabulary.of(TermKind.LABEL)


@pytest.mark.upstream
def test_reasons_that_are_put_together_at_run_time_are_words(upstream, repository):
    """The source declares Suspended; the operator writes PyTorchJobSuspended."""
    framework = load_frameworks(repository / "catalog")["training-operator"]
    words = {r: reference_terms(upstream, "training-operator", r, framework) for r in ("v1.6.0", "v1.8.1")}
    assert "PyTorchJobSuspended" in {t.value for t in words["v1.8.1"]}
    assert "PyTorchJobSuspended" not in {t.value for t in words["v1.6.0"]}


@pytest.mark.upstream
def test_a_framework_that_the_catalog_does_not_have_is_read_whole(upstream):
    """Without framework.yaml every file counts."""
    terms = reference_terms(upstream, "grove", "v0.1.0-alpha.8")
    assert "grove.io/podclique" in Vocabulary("grove", "v0.1.0-alpha.8", terms).of(TermKind.LABEL)


@pytest.mark.upstream
def test_every_layout_of_the_catalog_fits_the_tables(upstream, repository):
    """The globs of each framework take in source of every release that is there."""
    for name, framework in load_frameworks(repository / "catalog").items():
        for table in sorted((upstream / name).glob("*/constants.tsv")):
            assert any("@" not in t.file for t in reference_terms(upstream, name, table.parent.name, framework))


def test_a_release_that_is_not_there_is_named(tmp_path):
    """The environment lacks it."""
    with pytest.raises(EnvironmentFailure, match=r"constants\.tsv cannot be read"):
        reference_terms(tmp_path, "demo", "v1")
