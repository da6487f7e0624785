"""Level contract: its rules by their examples, the known answers on real releases, and what holds for which releases."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from wmap.check import rules, validate, validate_paths
from wmap.check.releases import judge_contract
from wmap.contract import Store
from wmap.contract.build import add_release, load_releases
from wmap.contract.store import default_folder
from wmap.definition import load
from wmap.definition.yamlio import read_documents
from wmap.errors import CallError
from wmap.findings import Level, Severity
from wmap.reading.patch import apply_merge_patch
from wmap.report.data import dump

BASE = """
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: jobset-x-k8s-io-jobset-v1alpha2}
spec:
  structureDefinition:
    rootComponent:
      name: jobset
      kind: {group: jobset.x-k8s.io, version: v1alpha2, kind: JobSet}
      statusDefinition:
        conditionsDefinition: {path: .status.conditions, typeFieldName: type, statusFieldName: status, reasonFieldName: reason, messageFieldName: message}
        statusMappings:
          completed: [{byConditions: [{type: Completed, status: 'True'}]}]
"""
CONTRACT = [r for r in rules() if r.level is Level.CONTRACT]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The store of the package, in which JobSet's newest release knows the roles of its operator."""
    folder = tmp_path_factory.mktemp("store") / "contracts"
    shutil.copytree(default_folder(), folder)
    newest = "v0.11.1"
    built = load_releases(folder, "jobset")[newest]
    add_release(folder, "jobset", newest, replace(built, rights=("/services", "batch/jobs")))
    return Store(folder)


def _definition(text, file="x.yaml"):
    result = load(text, file=file)
    assert result.definition is not None, result.findings
    return result.definition


def _example(text):
    """A whole definition, or the base with an example laid over it."""
    if text.startswith("apiVersion"):
        return text
    ((base, _),) = read_documents(BASE)
    ((patch, _),) = read_documents(text)
    return dump(apply_merge_patch(base, patch), "yaml").decode()


def _found(store, text, release=None):
    return judge_contract(_definition(_example(text)), store, release).findings


@pytest.mark.parametrize("rule", CONTRACT, ids=lambda r: r.code)
def test_the_bad_example_of_a_rule_breaks_it(store, rule):
    """The bad example gives a finding of the rule, with a place in the file."""
    found = [f for f in _found(store, rule.bad) if f.code == rule.code]
    assert found
    assert all(f.span is not None and f.field for f in found)


@pytest.mark.parametrize("rule", CONTRACT, ids=lambda r: r.code)
def test_the_good_example_of_a_rule_breaks_no_rule_as_an_error(store, rule):
    """The good example gives no finding of the rule, and no error of any other."""
    found = _found(store, rule.good)
    assert [f for f in found if f.code == rule.code or f.severity is Severity.ERROR] == []


KIND = """
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
CONDITIONS = "conditionsDefinition: {path: .status.conditions}, statusMappings: {running: [{byConditions: [{type: %s, status: 'True'}]}]}"
PHASE = "phaseDefinition: {path: .status.state}, statusMappings: {%s: [{byPhase: %s}]}"
GROUPS = """{name: worker, ownerRef: root, instanceIdPath: '.spec.workerGroupSpecs[]?.groupName',
  specDefinition: {podTemplateSpecPath: '.spec.workerGroupSpecs[]?.template'}, scaleDefinition: {replicasPath: '%s'}}"""
LEAF = (
    "{name: leaf, ownerRef: root, specDefinition: {podTemplateSpecPath: '%s'}, scaleDefinition: {replicasPath: '%s'}}"
)
LWS = ("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet")
RAY = ("ray.io", "v1", "RayCluster")


@pytest.mark.parametrize(
    ("definition", "release", "code", "words"),
    [
        (KIND % ("ray.io", "v1", "RayJob", CONDITIONS % "Running", ""), "v1.6.1", "C101", "RayJob has no field .status.conditions"),
        (KIND % (*RAY, PHASE % ("failed", "failed"), ""), "v1.6.1", "C205", "never written since v1.2.0"),
        (KIND % (*RAY, PHASE % ("failed", "faild"), ""), "v1.6.1", "C201", "'faild' is no phase"),
        (KIND % (*LWS, ANY, LEAF % (".spec.leaderWorkerTemplate.workerTemplate", ".spec.leaderWorkerTemplate.subGroupPolicy.type")),
         "v0.8.0", "C101", ".spec.leaderWorkerTemplate.subGroupPolicy.type"),
        (KIND % (*RAY, ANY, GROUPS % ".spec.workerGroupSpecs[]?.replicas // 1"), "v1.6.1", "C108", "does not pair"),
        (KIND % (*RAY, ANY, GROUPS % ".spec.workerGroupSpecs[]?.replicas // 1"), "v1.6.1", "C110", "it takes 1"),
        (KIND % (*LWS, CONDITIONS % "UpgradeInProgress", ""), "v0.5.1", "C201", "UpgradeInProgress"),
        (KIND % (*LWS, CONDITIONS % "UpdateInProgress", ""), "v0.4.2", "C201", "UpdateInProgress"),
        (KIND % ("serving.knative.dev", "v1", "Service", ANY, LEAF % (".spec.template", ".spec.template.spec.restartPolicy")),
         "knative-v1.20.1", "C101", ".spec.template.spec.restartPolicy"),
        (KIND % (*RAY, ANY, GROUPS % ".spec.workerGroupSpecs[].replicas"), "v1.6.1", "C106", "Cannot iterate over null"),
        (KIND % (*RAY, ANY, GROUPS % ".spec.workerGroupSpecs[]?.groupName"), "v1.6.1", "C105", "a count is a number"),
        (KIND % ("ray.io", "v1alpha1", "RayJob", ANY, ""), "v0.6.0", None, ""),
    ],
)  # fmt: skip
def test_the_known_answers(store, definition, release, code, words):
    """What is known to be wrong with a path or a word at a release is found there."""
    found = _found(store, definition.strip(), release)
    if code is None:
        assert [f for f in found if f.severity is Severity.ERROR] == []
        return
    assert any(words in f.message for f in found if f.code == code), [(f.code, f.message) for f in found]


def test_the_nearest_name_is_said(store):
    """The hint names the field that was meant."""
    text = KIND % (
        *LWS,
        ANY,
        LEAF % (".spec.leaderWorkerTemplate.workerTemplate", ".spec.leaderWorkerTemplate.subGroupPolicy.type"),
    )
    (found,) = (f for f in _found(store, text.strip(), "v0.8.0") if f.code == "C101")
    assert "subGroupPolicyType" in found.hint


BOTH = """{running: [{byConditions: [{type: UpdateInProgress, status: 'True'}]},
  {byConditions: [{type: UpgradeInProgress, status: 'True'}]}]}"""


def test_a_word_that_was_renamed_may_be_mapped_in_both_spellings(store):
    """Beside the new spelling the old one is no error; alone it is, with the releases that had it."""
    both = KIND % (*LWS, f"conditionsDefinition: {{path: .status.conditions}}, statusMappings: {BOTH}", "")
    assert {f.code for f in _found(store, both.strip(), "v0.8.0")} & {"C201", "C206"} == {"C206"}
    (alone,) = (
        f for f in _found(store, (KIND % (*LWS, CONDITIONS % "UpgradeInProgress", "")).strip()) if f.code == "C201"
    )
    assert "v0.4.2" in alone.hint


def test_a_finding_of_some_releases_names_them(store):
    """A field that came later is missing at the older releases only; a literal is dead only where all are."""
    text = (KIND % (*RAY, ANY, GROUPS % ".spec.workerGroupSpecs[]? | (.numOfHosts // 1)")).strip()
    (found,) = (f for f in _found(store, text, "all") if f.code == "C101")
    assert found.releases == ("v1.0.0",)
    assert "v1.1.1" in (found.hint or "") + found.message


def test_a_kind_that_no_release_has_is_said_as_not_run(store):
    """A definition of a kind without a contract is not judged, and the result says so."""
    result = judge_contract(_definition((KIND % ("nobody.dev", "v1", "Thing", ANY, "")).strip()), store)
    assert (result.findings, [n.reason for n in result.not_run]) == (
        [],
        ["no contract of nobody.dev/v1 Thing is stored"],
    )


def test_a_release_that_is_not_stored_is_refused(store):
    """The call names a release that there is not."""
    with pytest.raises(CallError, match="no release v9"):
        _found(store, "{}", "v9")


def test_an_ignore_silences_a_finding_of_level_contract():
    """The comment works at its place, and is used: no finding is left, also none about the ignore."""
    status = "phaseDefinition: {path: .status.state}, statusMappings: {failed: [{byPhase: failed}]}"
    text = (KIND % (*RAY, status, "")).strip().replace(
        "      statusDefinition:", "      # wmap: ignore[C205] because old releases write it\n      statusDefinition:"
    )  # fmt: skip
    codes = {f.code for f in validate([("ray-io-raycluster-v1.yaml", text)], level=Level.CONTRACT).findings}
    assert not codes & {"C205", "L901", "L902"}


def test_the_catalog_passes_at_every_release_that_it_supports():
    """Every definition of the catalog passes level contract, with the ignores that it gives reasons for."""
    found = validate_paths([], level=Level.CONTRACT)
    assert [f.message for f in found.findings if f.severity is not Severity.INFO] == []
    assert found.not_run == ()


def test_releases_that_share_a_tree_may_have_other_core_types_below_it(store):
    """A field of a core type that came with a version of Kubernetes is missing before it, and there from it on."""
    text = KIND % ("batch", "v1", "Job", ANY, LEAF % (".spec.template", ".status.terminating"))
    (found,) = (f for f in _found(store, text.strip(), "all") if f.code == "C101")
    assert found.releases == ("v1.25.0", "v1.26.0", "v1.27.0")
