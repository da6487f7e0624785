"""The roles of an operator: which resources they let it change."""

from __future__ import annotations

import pytest

from wmap.contract.rights import may_touch, plural, read_rights
from wmap.errors import InputError

ROLE = b"""\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager}
rules:
- {apiGroups: [batch], resources: [jobs, jobs/status], verbs: [create, get]}
- {apiGroups: [""], resources: [services], verbs: ["*"]}
- {apiGroups: [""], resources: [nodes], verbs: [get, list]}
- {nonResourceURLs: [/metrics], verbs: [get]}
"""


def test_the_resources_that_may_be_changed_are_read():
    """What may only be looked at is left out, and a subresource is its resource; lists and other kinds are taken apart."""
    assert read_rights(ROLE, "role.yaml") == ("/services", "batch/jobs")
    listed = b'{"kind": "List", "items": [{"kind": "Role", "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["patch"]}]}]}'
    assert read_rights(listed, "role.json") == ("*/*",)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"kind: ConfigMap\n", "there is no role in it"),
        (b"kind: Role\nrules: 5\n", "no list of objects"),
        (b"kind: Role\nrules: [{verbs: create}]\n", "verbs of a rule is no list"),
    ],
)
def test_what_is_no_role_is_refused(data, words):
    """A file without roles, or with one that is no good, is an error that names the file."""
    with pytest.raises(InputError, match=words) as caught:
        read_rights(data, "role.yaml")
    assert "role.yaml" in caught.value.message


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("Job", "jobs"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Gateway", "gateways"),
        ("Batch", "batches"),
    ],
)
def test_the_resource_of_a_kind_is_its_plural(kind, wanted):
    """Kinds become resources by the rules that Kubernetes' own follow."""
    assert plural(kind) == wanted


def test_rights_name_a_kind_or_all():
    """A star stands for every group, and for every resource."""
    rights = frozenset({"batch/jobs", "apps/*", "*/services"})
    found = [
        may_touch(rights, *k) for k in (("batch", "Job"), ("batch", "CronJob"), ("apps", "Deployment"), ("", "Service"))
    ]
    assert found == [True, False, True, True]
