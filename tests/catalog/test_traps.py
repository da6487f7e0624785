"""Every trap of a kind has a fixture, or a row in the table of limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from wmap.catalog import Definitions
from wmap.definition.yamlio import read_documents
from wmap.report.pages import limits_in

REPOSITORY = Path(__file__).resolve().parents[2]
((TRAPS, _),) = read_documents((Path(__file__).parent / "traps.yaml").read_text())
LIMITS = {limit.id: limit for limit in limits_in((REPOSITORY / "docs" / "limits.md").read_text())}
DEFINITIONS = {d.name.value: d for d in Definitions(REPOSITORY / "catalog").all()}
FIXTURES = {name: sorted((REPOSITORY / "fixtures" / name).glob("[!_]*.yaml")) for name in DEFINITIONS}
OF_KUBERNETES = {"apps-deployment-v1", "apps-statefulset-v1", "batch-cronjob-v1", "batch-job-v1", "core-pod-v1"}


def cases(name):
    """The fixtures of a definition, as values."""
    return [read_documents(file.read_text()).__next__()[0] for file in FIXTURES[name]]


def test_every_definition_of_a_framework_has_its_traps_written_down():
    """No kind is without traps but those that the others are made of."""
    assert set(TRAPS) == set(DEFINITIONS) - OF_KUBERNETES


@pytest.mark.parametrize("name", TRAPS)
def test_every_trap_has_a_fixture(name):
    """A fixture's `covers` names each trap: the wrong reading would fail there."""
    covered = {i for case in cases(name) for i in case.get("covers", ())}
    assert set(TRAPS[name]) - {"limits"} - covered == set()


@pytest.mark.parametrize("name", TRAPS)
def test_what_the_format_cannot_tell_is_a_limit_of_the_kind(name):
    """A trap that no fixture can show names a row of docs/limits.md that is of this kind."""
    for i in TRAPS[name].get("limits", ()):
        assert DEFINITIONS[name].kind.kind in LIMITS[i].of


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_definition_has_twelve_fixtures_and_pods_in_four(name):
    """Each definition has at least twelve fixtures, four of them with pods, and each says why its numbers are so."""
    found = cases(name)
    with_pods = [c for c in found if "pods" in c or any("pods" in step for step in c.get("steps", ()))]
    assert len(found) >= 12
    assert len(with_pods) >= 4
    assert all(c["description"] and c["covers"] for c in found)
