"""Core types recognised by structure, and what comes out is exactly the tree that went in."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from wmap.contract import Contract, Facts, Store, kubernetes
from wmap.contract.recognise import Recognised, nearest
from wmap.contract.tree import Node

OLD, NEW = "v1.25.0", "v1.33.0"


@pytest.fixture
def template():
    """A pod template of Kubernetes 1.33, written out as a CRD does it."""
    return copy.deepcopy(kubernetes.whole(NEW, "PodTemplateSpec"))


def kind(template, version=NEW):
    """The contract of a kind with this pod template."""
    tree = Node(Facts(type="object"), {"template": template})
    store = Store()
    return Contract(
        "some", "v1", "some.dev", "v1", "Thing", Recognised(version).facts(tree), lambda n: store.core(n, version)
    )


def test_a_pod_template_is_one_line(template):
    """A pod template as the version of Kubernetes has it is a reference, and nothing else is stored."""
    assert kind(template).fields == {"": Facts(type="object"), ".template": Facts(ref="PodTemplateSpec")}


def test_what_it_lacks_is_not_there(template):
    """A field that the kind's template lacks is not there; the ones beside it are."""
    del template.named["spec"].named["resources"]
    found = kind(template)
    assert found.fields[".template"].lacks == (".spec.resources",)
    assert found.find(".template.spec.resources") is None
    assert found.find(".template.spec.containers[].resources").ref == "ResourceRequirements"


def test_another_version_of_kubernetes(template):
    """The same template against an older version has the newer fields as its own, and is the same tree."""
    found = kind(template, OLD)
    assert kubernetes.whole(OLD, "PodSpec").at(".resources") is None
    assert found.find(".template.spec.resources.limits{}").type == "int-or-string"
    assert found.find(".template").ref == "PodTemplateSpec"


def test_the_nearest_version(template):
    """The version of Kubernetes is the one whose pods differ least."""
    assert nearest([Node(Facts(type="object"), {"template": template})]) == NEW
    assert nearest([Node(Facts(type="object"))]) == kubernetes.versions()[-1]


@pytest.mark.parametrize(
    "change",
    [{"required": True}, {"has_default": True, "default": "x"}, {"enum": ("A", "B")}, {"nullable": True}],
)
def test_what_matters_is_kept(template, change):
    """A default, an enum, required and nullable that the core type does not have stand in the kind's own contract."""
    place = template.named["spec"].named["nodeName"]
    place.facts = replace(place.facts, **change)
    found = kind(template)
    assert found.fields[".template.spec.nodeName"] == Facts(type="string", **change)
    assert len(found.fields) == 3


def test_a_field_of_another_type(template):
    """A field of another type stands as it is in the kind, and nothing of the core type is below it."""
    template.named["spec"].named["affinity"] = Node(Facts(type="object", preserve=True))
    found = kind(template)
    assert found.find(".template.spec.affinity").preserve
    assert found.find(".template.spec.affinity.nodeAffinity") is None


def test_metadata_that_the_api_server_prunes(template):
    """Bare metadata within a pod template has no labels: the API server prunes them."""
    template.named["metadata"] = Node(Facts(type="object"))
    found = kind(template)
    assert found.find(".template").ref == "PodTemplateSpec"
    assert found.find(".template.metadata").type == "object"
    assert found.find(".template.metadata.labels") is None


def test_a_field_more(template):
    """Fields of the kind's own beside those of a core type are there too."""
    template.named["spec"].named["model"] = Node(Facts(type="string"))
    found = kind(template)
    assert found.find(".template.spec.model").type == "string"
    assert found.find(".template.spec.nodeName").type == "string"


def test_half_a_pod_is_none(template):
    """A spec that lacks half of a pod's fields is written out: it is no pod."""
    spec = template.named["spec"]
    for name in sorted(
        spec.named.keys() - {"containers", "initContainers", "volumes", "nodeSelector", "restartPolicy", "tolerations"}
    ):
        del spec.named[name]
    found = kind(template)
    assert (found.find(".template").ref, found.find(".template.spec").ref) == (None, None)
    assert found.find(".template.spec.containers[]").ref == "Container"


@pytest.mark.parametrize(
    "names", [("name",), ("name", "value"), ("limits", "requests", "cpu", "memory"), ("key", "operator")]
)
def test_no_core_type(names):
    """A few common names make no core type."""
    tree = Node(Facts(type="object"), {name: Node(Facts(type="string")) for name in names})
    assert Recognised(NEW).named(tree) is None
