"""CRDs on a real API server: that of the format, and those of frameworks."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from wmap.cluster.crds import install, read_folder, remove
from wmap.cluster.server import Refused
from wmap.definition.crd import crd
from wmap.errors import CallError, EnvironmentFailure
from wmap.reading.patch import apply_merge_patch

if TYPE_CHECKING:
    from wmap.cluster.server import Server

pytestmark = pytest.mark.usefixtures("loopback")
ROOT = Path(__file__).parents[2]
ENTRIES = sorted(p for p in ROOT.glob("catalog/*/*.yaml") if p.name != "framework.yaml")
STRICT = {"dryRun": "All", "fieldValidation": "Strict"}
GOOD: dict[str, Any] = {
    "apiVersion": "run.ai/v1alpha1",
    "kind": "Karta",
    "metadata": {"name": "example-com-job-v1"},
    "spec": {
        "structureDefinition": {
            "rootComponent": {
                "name": "job",
                "kind": {"group": "example.com", "version": "v1", "kind": "Job"},
                "statusDefinition": {"statusMappings": {"running": [{"byPhase": "Running"}]}, "phaseDefinition": {"path": ".status.phase"}},
            },
            "childComponents": [{"name": "worker", "ownerRef": "job", "specDefinition": {"podTemplateSpecPath": ".spec.template"}}],
        }
    },
}  # fmt: skip
KIND = {"group": "a.example.com", "version": "v1", "kind": "A"}


@pytest.fixture(scope="session")
def kartas(server: Server) -> str:
    """The path of definitions on a server that has the CRD of the format."""
    install(server, [crd()])
    found = server.resource("run.ai/v1alpha1", "Karta")
    assert found is not None
    return found.path()


@pytest.mark.parametrize("file", ENTRIES, ids=lambda p: p.stem)
def test_every_entry_is_admitted(server: Server, kartas: str, file: Path) -> None:
    """The server takes each definition of the catalog, with strict validation."""
    sent = yaml.safe_load(file.read_text())
    assert server.ask("POST", kartas, sent, query=STRICT)["spec"] == sent["spec"]


def _worker(**more: Any) -> dict[str, Any]:
    return {"name": "worker", "ownerRef": "job", "specDefinition": {"podTemplateSpecPath": ".spec.template"}, **more}


def _structure(**more: Any) -> dict[str, Any]:
    return {"spec": {"structureDefinition": more}}


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (_structure(rootComponents={}), "unknown field"),
        (_structure(rootComponent={"name": None}), "name: Required"),
        (_structure(rootComponent={"name": 5}), "must be of type string"),
        (_structure(rootComponent={"name": ""}), "at least 1"),
        (_structure(rootComponent={"kind": {"version": "1"}}), "should match"),
        (_structure(rootComponent={"statusDefinition": None}), "the root has a status definition"),
        (_structure(rootComponent={"kind": None}), "the root has a kind"),
        (_structure(rootComponent={"kind": {"group": "", "version": "v1"}}), "only Pod has an empty group"),
        (_structure(additionalChildKinds=[KIND, {**KIND, "group": "b.example.com"}]), "Duplicate value"),
        (_structure(childComponents=[_worker(), _worker()]), "component names are unique"),
        (_structure(childComponents=[_worker(name="job")]), "component names are unique"),
        (_structure(childComponents=[_worker(ownerRef="nobody")]), "every ownerRef names another component"),
        (_structure(childComponents=[_worker(ownerRef="worker")]), "every ownerRef names another component"),
        (_structure(childComponents=[_worker(ownerRef="b"), _worker(name="b", ownerRef="worker")]), "every ownerRef names"),
        (_structure(childComponents=[_worker(specDefinition={})]), "in exactly one form"),
        (_structure(childComponents=[_worker(specDefinition={"podSpecPath": ".a", "podTemplateSpecPath": ".b"})]), "in exactly one form"),
        (_structure(childComponents=[_worker(specDefinition={"metadataPath": ".a", "podTemplateSpecPath": ".b"})]), "metadataPath goes with"),
        (_structure(childComponents=[_worker(instanceIdPath=".a")]), "come together"),
        (_structure(childComponents=[_worker(podSelector={"componentTypeSelector": {}})]), "a selector has keyPath or matchLabels"),
        (_structure(childComponents=[_worker(podSelector={"componentTypeSelector": {"matchLabels": {"a": "b"}, "value": "x"}})]), "value needs keyPath"),
    ],
)  # fmt: skip
def test_what_the_schema_refuses_the_server_refuses(
    server: Server, kartas: str, patch: dict[str, Any], said: str
) -> None:
    """A definition that is wrong in one way is refused by that, in words."""
    server.ask("POST", kartas, GOOD, query=STRICT)
    with pytest.raises(Refused, match=said) as caught:
        server.ask("POST", kartas, apply_merge_patch(copy.deepcopy(GOOD), patch), query=STRICT)
    assert caught.value.code in (400, 422)


def _example(**schema: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
            "scope": "Namespaced",
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/"}}},
            "versions": [
                {"name": v, "served": True, "storage": v == "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": schema}}}}}
                for v in ("v1", "v1beta1")
            ],
        },
    }  # fmt: skip


def test_two_frameworks_that_claim_one_name_run_one_after_the_other(server: Server) -> None:
    """The second CRD of a name takes the place of the first, whose fields are gone; conversion needs no webhook."""
    assert install(server, [_example(first={"type": "string"})]) == ["things.example.com"]
    for version, name in (("v1", "first"), ("v1beta1", "first")):
        one = server.resource(f"example.com/{version}", "Thing")
        assert one is not None
        thing = {
            "apiVersion": f"example.com/{version}",
            "kind": "Thing",
            "metadata": {"name": "a"},
            "spec": {name: "x"},
        }
        server.ask("POST", one.path("default"), thing, query=STRICT)
    install(server, [_example(second={"type": "string"})])
    one = server.resource("example.com/v1", "Thing")
    assert one is not None
    with pytest.raises(Refused, match=r"unknown field .spec\.first"):
        server.ask("POST", one.path("default"), {**thing, "apiVersion": "example.com/v1"}, query=STRICT)


def test_a_crd_that_is_never_served_is_said_to_be_that(server: Server) -> None:
    """A name that another kind has is not accepted; the message says so, once the time is over."""
    install(server, [_example()])
    taken = _example()
    taken["metadata"]["name"] = "others.example.com"
    taken["spec"]["names"] = {**taken["spec"]["names"], "plural": "others"}
    with pytest.raises(
        EnvironmentFailure, match=r"others\.example\.com is not served after 1 seconds: .*already in use"
    ):
        install(server, [taken], within=1)
    remove(server, ["others.example.com"])


def test_folders_without_crds_are_named(tmp_path: Path) -> None:
    """No folder, no CRD and a broken file are errors of the call."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.yaml").write_text("kind: CustomResourceDefinition\nmetadata: 3\n")
    for name in ("none", "empty", "broken"):
        with pytest.raises(CallError):
            read_folder(tmp_path / name)


def test_the_crds_of_upstream_are_installed(server: Server, upstream: Path) -> None:
    """Those of JobSet and of LeaderWorkerSet are served, with the subresource that their status is written by."""
    for folder, version, kind in (
        ("jobset/v0.11.1", "jobset.x-k8s.io/v1alpha2", "JobSet"),
        ("lws/v0.8.0", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
    ):
        install(server, read_folder(upstream / folder))
        found = server.resource(version, kind)
        assert found is not None
        assert "status" in found.subresources
