"""The committed store against the reference material: fresh, exact, and right on what is known of the releases."""

from __future__ import annotations

import hashlib

import pytest

from wmap.contract import Store
from wmap.contract.crd import read_crds
from wmap.contract.framework import load_frameworks
from wmap.contract.reference import rebuild, sources
from wmap.contract.tables import reference_terms

pytestmark = pytest.mark.upstream
STORE = Store()
KEPT = (
    "required",
    "nullable",
    "has_default",
    "default",
    "enum",
    "rules",
    "one_of",
    "any_of",
    "minimum",
    "maximum",
    "embedded",
)


def test_every_release_is_stored(upstream):
    """The store has every release of the material, with its commit."""
    stored = {
        (f, r): STORE.entry(f, r)["commit"] for f in STORE.frameworks() if f != "kubernetes" for r in STORE.releases(f)
    }
    assert stored == {(s.framework, s.release): s.commit for s in sources(upstream)}


def test_what_was_read_is_what_is_there(upstream):
    """Each file that the store was made from still has the digest that it had then."""
    read = {
        item["path"]: item["sha256"]
        for framework in STORE.frameworks()
        if framework != "kubernetes"
        for release in STORE.releases(framework)
        for item in STORE.entry(framework, release)["read"]
    }
    assert read == {path: hashlib.sha256((upstream / path).read_bytes()).hexdigest() for path in read}


def test_a_rebuild_gives_the_same_bytes(upstream, repository, tmp_path):
    """Frameworks built anew give the committed files byte for byte."""
    for framework in ("jobset", "knative-serving", "kubernetes", "lws"):
        rebuild(upstream, tmp_path, repository / "catalog", [framework])
        new, old = (
            {p.relative_to(root): p.read_bytes() for p in (root / framework).rglob("*.json")}
            for root in (tmp_path, STORE.folder)
        )
        assert new == old


def differences(place, node):
    """Where a contract and the schema it was made from differ."""
    if node.facts.ref:
        return
    for name in KEPT:
        if getattr(place.facts, name) != getattr(node.facts, name):
            yield place.path, name
    if (place.type, place.preserve) != (node.facts.type, node.facts.preserve):
        yield place.path, "type"
    if {name for name, _ in place.children()} != set(node.named):
        yield place.path, "fields"
    pairs = [
        (place.items, node.items),
        (place.values, node.values),
        *((place.named(n), c) for n, c in node.named.items()),
    ]
    for below, child in pairs:
        if (below is None) != (child is None):
            yield place.path, "below"
        elif below is not None:
            yield from differences(below, child)


@pytest.mark.parametrize(
    ("framework", "release"),
    [
        ("kuberay", "v1.1.1"),
        ("jobset", "v0.2.3"),
        ("knative-serving", "knative-v1.18.0"),
        ("mpi-operator", "v0.3.0"),
        ("kserve", "v0.8.0"),
        ("grove", "v0.1.0-alpha.10"),
        ("trainer", "v2.2.0"),
    ],
)
def test_a_contract_is_its_schema(upstream, framework, release):
    """With core types followed, every field, type, default and enum of a contract is that of the CRD, and no other is there."""
    compared = 0
    for path in sorted((upstream / framework / release).glob("*.yaml")):
        for one in read_crds(path.read_bytes(), path.name):
            contract = STORE.contract(framework, release, one.group, one.version, one.kind)
            declared = {
                p for p, f in contract.fields.items() if f.ref and one.tree.at(p) is not None and one.tree.at(p).bare
            }
            found = [
                d for d in differences(contract.root, one.tree) if not any(d[0].startswith(p) for p in declared if p)
            ]
            assert found == []
            compared += 1
    assert compared


def find(framework, release, kind, path, version=""):
    """The place of a kind at a release."""
    (name,) = [k for k in STORE.kinds(framework, release) if k.kind == kind and version in ("", k.version)]
    return STORE.contract(framework, release, *name).find(path)


def test_jobset_spelt_its_status_in_capitals():
    """JobSet v0.2.3 has the status ReplicatedJobsStatus, v0.5.2 replicatedJobsStatus."""
    assert find("jobset", "v0.2.3", "JobSet", ".status.ReplicatedJobsStatus") is not None
    assert find("jobset", "v0.2.3", "JobSet", ".status.replicatedJobsStatus") is None
    assert find("jobset", "v0.5.2", "JobSet", ".status.replicatedJobsStatus") is not None


def test_rayjob_has_no_conditions():
    """RayJob at KubeRay 1.6 has no status.conditions."""
    assert find("kuberay", "v1.6.1", "RayJob", ".status.conditions", version="v1") is None


def test_lws_names_the_type_of_subgroups():
    """LeaderWorkerSet has subGroupPolicyType since v0.6, and never had type."""
    assert (
        find("lws", "v0.5.1", "LeaderWorkerSet", ".spec.leaderWorkerTemplate.subGroupPolicy.subGroupPolicyType") is None
    )
    assert (
        find("lws", "v0.6.2", "LeaderWorkerSet", ".spec.leaderWorkerTemplate.subGroupPolicy.subGroupPolicyType")
        is not None
    )
    assert find("lws", "v0.8.0", "LeaderWorkerSet", ".spec.leaderWorkerTemplate.subGroupPolicy.type") is None


def test_hosts_of_a_worker_group():
    """RayCluster has numOfHosts since v1.1, and replicas default to 0."""
    path = ".spec.workerGroupSpecs[]"
    assert find("kuberay", "v1.0.0", "RayCluster", f"{path}.numOfHosts", version="v1") is None
    assert find("kuberay", "v1.1.1", "RayCluster", f"{path}.numOfHosts", version="v1").facts.default == 1
    assert find("kuberay", "v1.6.1", "RayCluster", f"{path}.replicas", version="v1").facts.default == 0


def test_a_default_that_went():
    """NIMService had a default of one replica in v2.0.2, and has none in v3.0.2."""
    assert find("nim-operator", "v2.0.2", "NIMService", ".spec.replicas").facts.default == 1
    assert not find("nim-operator", "v3.0.2", "NIMService", ".spec.replicas").facts.has_default


@pytest.mark.parametrize("release", STORE.releases("knative-serving"))
def test_a_revision_is_no_pod(release):
    """The template of a Knative Service is no pod template: it has no restartPolicy to set."""
    assert find("knative-serving", release, "Service", ".spec.template").ref is None
    assert find("knative-serving", release, "Service", ".spec.template.spec.containers[].image").type == "string"
    assert find("knative-serving", release, "Service", ".spec.template.spec.restartPolicy") is None


@pytest.mark.parametrize(
    ("framework", "kind", "path"),
    [
        ("jobset", "JobSet", ".spec.replicatedJobs[].template.spec.template"),
        ("lws", "LeaderWorkerSet", ".spec.leaderWorkerTemplate.workerTemplate"),
        ("training-operator", "PyTorchJob", ".spec.pytorchReplicaSpecs{}.template"),
    ],
)
def test_pod_templates_have_labels(framework, kind, path):
    """At every release, the pod template of a kind is one, and keeps its labels."""
    for release in STORE.releases(framework):
        template = find(framework, release, kind, path)
        assert (release, template.ref) == (release, "PodTemplateSpec")
        assert template.child("metadata").child("labels").values.type == "string"


def test_the_store_is_small():
    """The whole store stays under 12 MB."""
    assert sum(p.stat().st_size for p in STORE.folder.rglob("*.json")) < 12_000_000


def test_the_vocabularies_are_what_the_frameworks_say_now(upstream, repository):
    """A change of framework.yaml that leaves words out, or adds some, is in the stored vocabulary of every release."""
    known = load_frameworks(repository / "catalog")
    for source in sources(upstream):
        terms = reference_terms(upstream, source.framework, source.release, known.get(source.framework))
        stored = STORE.vocabulary(source.framework, source.release).terms
        assert set(terms) == set(stored), (source.framework, source.release)
