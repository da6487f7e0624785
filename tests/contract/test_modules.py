"""The constants of imported modules: which stored version stands for a release."""

from __future__ import annotations

import pytest

from wmap.contract.model import TermKind
from wmap.contract.modules import module_terms, stored_modules
from wmap.errors import EnvironmentFailure, InputError

README = """\
| framework | releases | module | use |
| --- | --- | --- | --- |
| demo | v1.5.0 | example.org/common v0.4.3 | v0.4.3 |
| demo | v1.7.0 and later | none: its own | |
| near | near-v1.N | example.org/pkg release-1.N | the nearest release-1.N here |
| late | v0.1.0 to v0.2.0 | example.org/pkg at a commit | the nearest in time |
| gone | v1 | example.org/gone v1 | v1 |
"""
SOURCES = """\
framework\trelease\trepository\tcommit\tdate
near\tnear-v1.8.0\tx\tx\t2022-10-18
near\tnear-v1.12.0\tx\tx\t2023-10-23
other\tv1.12.0\tx\tx\t2021-01-01
late\tv0.1.0\tx\tx\t2023-09-01
late\tv0.2.0\tx\tx\t2026-01-01
"""


@pytest.fixture
def folder(tmp_path):
    """A folder as the reference material is laid out."""
    modules = tmp_path / "modules"
    for name in (
        "example.org_common/v0.4.3",
        "example.org_pkg/release-1.8",
        "example.org_pkg/release-1.12",
        "example.org_pkg/main-2026-02-01",
    ):
        (modules / name).mkdir(parents=True)
        (modules / name / "constants.tsv").write_text("ConditionReady\tConditionType\tReady\tapis/condition.go\n")
    (modules / "README.md").write_text(README)
    (tmp_path / "sources.tsv").write_text(SOURCES)
    return tmp_path


@pytest.mark.parametrize(
    ("framework", "release", "version"),
    [
        ("demo", "v1.5.0", "v0.4.3"),
        ("near", "near-v1.12.3", "release-1.12"),
        ("near", "near-v1.9.0", "release-1.8"),
        ("late", "v0.1.0", "release-1.12"),  # 2023-09-01: 52 days before release 1.12 of `near`, not of `other`
        ("late", "v0.2.0", "main-2026-02-01"),
    ],
)
def test_the_stored_version_that_stands_for_a_release_is_found(folder, framework, release, version):
    """The one that is named, the nearest number, the nearest in time."""
    assert [m.version for m in stored_modules(folder, framework, release)] == [version]


@pytest.mark.parametrize(
    ("framework", "release"), [("demo", "v1.6.0"), ("demo", "v1.8.0"), ("late", "v0.3.0"), ("x", "v1")]
)
def test_a_release_that_imports_none_has_none(folder, framework, release):
    """The table does not say so, or says that there is none."""
    assert module_terms(folder, framework, release) == ()


def test_terms_say_which_module_they_are_of(folder):
    """MODULE@VERSION/FILE."""
    (term,) = module_terms(folder, "demo", "v1.5.0")
    assert (term.file, term.kind) == ("example.org/common@v0.4.3/apis/condition.go", TermKind.CONDITION)


def test_a_version_that_is_not_there_is_an_error(folder):
    """The table names what does not lie there, or a table cannot be read."""
    with pytest.raises(InputError, match=r"there is no example\.org/gone v1 for gone v1"):
        stored_modules(folder, "gone", "v1")
    (folder / "sources.tsv").unlink()
    with pytest.raises(EnvironmentFailure, match=r"sources\.tsv cannot be read"):
        stored_modules(folder, "late", "v0.1.0")


@pytest.mark.upstream
@pytest.mark.parametrize(
    ("framework", "release", "module", "condition"),
    [
        ("training-operator", "v1.5.0", "github.com/kubeflow/common@v0.4.3", "Succeeded"),
        ("training-operator", "v1.6.0", "github.com/kubeflow/common@v0.4.6", "Restarting"),
        ("mpi-operator", "v0.3.0", "github.com/kubeflow/common@v0.3.4", "Running"),
        ("knative-serving", "knative-v1.20.1", "knative.dev/pkg@release-1.20", "Ready"),
        ("kserve", "v0.8.0", "knative.dev/pkg@release-1.8", "Ready"),
    ],
)
def test_conditions_of_modules_belong_to_the_releases_that_import_them(upstream, framework, release, module, condition):
    """Without them the condition types of these releases would be unknown words."""
    terms = module_terms(upstream, framework, release)
    assert all(t.file.startswith(f"{module}/") for t in terms)
    assert condition in {t.value for t in terms if t.kind is TermKind.CONDITION}
