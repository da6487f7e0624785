"""Drift between releases, on the stored contracts; against a folder of CRDs; the support matrix."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from tests.repositories import Origin

from wmap.catalog import Definitions
from wmap.check.against import drift_against, drift_latest
from wmap.check.drift import Effect, drift
from wmap.check.matrix import Cell, matrix
from wmap.contract import Store
from wmap.definition import load
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.report import drift as report
from wmap.report import matrix as table

KIND = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: x}
spec:
  structureDefinition:
    rootComponent:
      name: root
      kind: {group: %s, version: %s, kind: %s}
      statusDefinition: {%s}
    childComponents: [%s]
"""
ANY = "statusMappings: {failed: [{byExpression: {expression: .metadata.name, expectedResult: a}}]}"
CONDITION = "conditionsDefinition: {path: .status.conditions}, statusMappings: {running: [{byConditions: [{type: %s, status: 'True'}]}]}"
LEAF = (
    "{name: leaf, ownerRef: root, specDefinition: {podTemplateSpecPath: '%s'}, scaleDefinition: {replicasPath: '%s'}}"
)
GROUPS = """{name: worker, ownerRef: root, instanceIdPath: '.spec.workerGroupSpecs[]?.groupName',
  specDefinition: {podTemplateSpecPath: '.spec.workerGroupSpecs[]?.template'}, scaleDefinition: {replicasPath: '%s'}}"""
LWS = ("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet")
RAY = ("ray.io", "v1", "RayCluster")
NIM = ("apps.nvidia.com", "v1alpha1", "NIMService")
COUNTS = "statusMappings: {running: [{byExpression: {expression: '%s', expectedResult: 'true'}}]}"
OLD_COUNTS, BOTH_COUNTS = (
    ".status.ReplicatedJobsStatus != null",
    "(.status.replicatedJobsStatus // .status.ReplicatedJobsStatus) != null",
)
JOBSET = ("jobset.x-k8s.io", "v1alpha2", "JobSet")


@pytest.fixture(scope="module")
def store():
    """The store of the package."""
    return Store()


def _drift(store, *parts, since=None):
    result = load(KIND % parts)
    assert result.definition is not None, result.findings
    return drift(result.definition, store, since=since)


@pytest.mark.parametrize(
    ("parts", "effect", "old", "new", "subject", "words"),
    [
        ((*JOBSET, COUNTS % OLD_COUNTS, ""), Effect.BREAK, "v0.2.3", "v0.5.2", ".status.ReplicatedJobsStatus", "gone"),
        ((*JOBSET, COUNTS % BOTH_COUNTS, ""), Effect.HANDLED, "v0.2.3", "v0.5.2", ".status.ReplicatedJobsStatus", "gone"),
        ((*LWS, CONDITION % "UpgradeInProgress", ""), Effect.BREAK, "v0.4.2", "v0.5.1", "UpgradeInProgress", "UpdateInProgress"),
        ((*LWS, CONDITION % "UpdateInProgress", ""), Effect.GAIN, "v0.4.2", "v0.5.1", "UpdateInProgress", "there"),
        ((*RAY, ANY, GROUPS % ".spec.workerGroupSpecs[]? | (.replicas // 0)"), Effect.REVIEW, "v1.0.0", "v1.1.1",
         ".spec.workerGroupSpecs[].numOfHosts", "beside replicas"),
        ((*NIM, ANY, LEAF % (".spec.template", ".spec.replicas // 1")), Effect.SILENT, "v2.0.2", "v3.0.2", ".spec.replicas", "default"),
        (("kubeflow.org", "v1", "MPIJob", ANY, ""), Effect.BREAK, "v0.3.0", "v0.4.0", "MPIJob", "is gone"),
    ],
)  # fmt: skip
def test_the_known_changes(store, parts, effect, old, new, subject, words):
    """What is known to have changed between two releases is found between them, with what it does to the reading."""
    changes = _drift(store, *parts).changes
    found = [c for c in changes if c.effect is effect and c.subject == subject and words in c.message]
    assert [(c.old, c.new) for c in found] == [(old, new)], changes


def test_what_nothing_reads_is_counted(store):
    """A definition that reads a name only drifts nowhere; all changes of its kind are counted, none is listed."""
    found = _drift(store, *JOBSET, ANY, "", since="v0.7.3")
    assert (found.changes, found.releases) == ((), ("v0.7.3", "v0.8.2", "v0.10.1", "v0.11.1"))
    assert found.unread > 10
    assert not found.broken


def test_a_release_that_is_not_stored_is_refused(store):
    """Drift since a release that there is not is an error of the call."""
    with pytest.raises(CallError, match="no release v9"):
        _drift(store, *JOBSET, ANY, "", since="v9")


def test_a_kind_of_no_framework_drifts_nowhere(store):
    """Without contracts there is nothing to compare."""
    assert _drift(store, "nobody.dev", "v1", "Thing", ANY, "") is None


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobsets.jobset.x-k8s.io}
spec:
  group: jobset.x-k8s.io
  scope: Namespaced
  names: {kind: JobSet, plural: jobsets, singular: jobset, listKind: JobSetList}
  versions:
  - name: v1alpha2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {suspend: {type: string}}}, status: {type: object}}}}
"""


def test_a_folder_of_crds_is_compared_with_the_newest_release(store, tmp_path):
    """Fields that are gone from the CRDs, or are of another type, break the definition that reads them."""
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "other.yaml").write_text("kind: ConfigMap\napiVersion: v1\n")
    (found,) = drift_against([Definitions().named("jobset-x-k8s-io-jobset-v1alpha2")], store, tmp_path)
    broken = {c.subject for c in found.changes if c.effect is Effect.BREAK}
    assert {".spec.replicatedJobs", ".spec.suspend"} <= broken
    assert found.broken


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [(None, CallError, "holds no manifest"), ("kind: ConfigMap\n", CallError, "no CRD of a kind"), (CRD + "  versions: 5\n", InputError, "crd.yaml")],
)  # fmt: skip
def test_a_folder_without_such_crds_is_refused(store, tmp_path, text, error, words):
    """No manifests, none of the kind, or a broken one: an error that says which."""
    if text is not None:
        (tmp_path / "crd.yaml").write_text(text)
    with pytest.raises(error, match=words):
        drift_against([Definitions().named("jobset-x-k8s-io-jobset-v1alpha2")], store, tmp_path)


def test_the_reports_say_the_same(store):
    """Text, JSON and Markdown hold every change; the JSON has its schema's form."""
    found = [_drift(store, *LWS, CONDITION % "UpgradeInProgress", "")]
    document = json.loads(report.as_json(found))
    (entry,) = document["drift"]
    text, page = report.as_text(found), report.as_markdown(found)
    for change in entry["changes"]:
        assert change["subject"] in text
        assert change["subject"] in page
    assert document["schemaVersion"] == 1


def test_the_matrix_has_a_cell_for_each_release(store):
    """A release that does not have the kind is not served; what is broken says why."""
    result = load(KIND % (*LWS, CONDITION % "UpdateInProgress", ""))
    cells = {c.release: c for c in matrix([result.definition], store)}
    assert [cells[r].cell for r in ("v0.4.2", "v0.5.1")] == [Cell.BROKEN, Cell.OK]
    assert any("UpdateInProgress" in reason for reason in cells["v0.4.2"].reasons)
    ray = load(KIND % (*RAY, ANY, ""))
    assert next(iter(matrix([ray.definition], store))).cell is Cell.NOT_SERVED


def test_the_support_page_is_fresh(repository, store):
    """docs/support.md is what `wmap catalog matrix -o markdown` makes of the catalog and the stored contracts."""
    page = table.as_markdown(list(matrix(Definitions().all(), store)))
    assert (repository / "docs" / "support.md").read_text() == page


def test_the_outputs_have_schemas(repository, store):
    """The JSON of drift and of the matrix satisfies its schema."""
    for name, text in (
        ("drift", report.as_json([_drift(store, *JOBSET, COUNTS % OLD_COUNTS, "")])),
        ("matrix", table.as_json(list(matrix(Definitions().all()[:1], store)))),
    ):
        schema = json.loads((repository / "schemas" / f"{name}.schema.json").read_text())
        Draft202012Validator.check_schema(schema)
        assert list(Draft202012Validator(schema).iter_errors(json.loads(text))) == []


FRAMEWORK = """\
apiVersion: wmap/v1
kind: Framework
name: jobset
displayName: JobSet
homePage: https://jobset.example
repository: %s
licence: Apache-2.0
tagPattern: "v*"
layout: [{crds: ["crds/*.yaml"], source: ["api/*.go"]}]
"""
TYPES = 'package v1\n\ntype JobSetConditionType string\n\nconst JobSetDone JobSetConditionType = "Done"\n'


def test_the_newest_tag_upstream_is_compared_with_the_newest_stored_release(store, repository, tmp_path):
    """The tag is fetched from the framework's own repository, and nothing of it is stored."""
    origin = Origin(tmp_path / "origin")
    origin.commit({"crds/a.yaml": CRD, "api/types.go": TYPES}, "v0.12.0")
    folder = tmp_path / "catalog" / "jobset"
    folder.mkdir(parents=True)
    (folder / "framework.yaml").write_text(FRAMEWORK % origin.url)
    name = "jobset-x-k8s-io-jobset-v1alpha2"
    text = (repository / "catalog" / "jobset" / f"{name}.yaml").read_text()
    definition = load(text, file=str(folder / f"{name}.yaml")).definition
    (found,) = drift_latest([definition], store, tmp_path / "cache")
    assert found.releases[-1] == "v0.12.0"
    broken = {c.subject for c in found.changes if c.effect is Effect.BREAK}
    assert {".spec.replicatedJobs", "Suspended"} <= broken
    assert "v0.12.0" not in store.releases("jobset")


def test_a_repository_that_cannot_be_reached_fails_the_environment(store, tmp_path):
    """Without the repository there is no newest tag: the error names it."""
    folder = tmp_path / "catalog" / "jobset"
    folder.mkdir(parents=True)
    (folder / "framework.yaml").write_text(FRAMEWORK % f"file://{tmp_path}/nowhere")
    definition = load(KIND % (*JOBSET, ANY, ""), file=str(folder / "x.yaml")).definition
    with pytest.raises(EnvironmentFailure, match="nowhere"):
        drift_latest([definition], store, tmp_path / "cache")
