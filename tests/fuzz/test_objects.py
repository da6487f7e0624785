"""What is drawn: objects that the contract admits, with trouble in them, the same for the same numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.fuzz.targets import JOBSET, catalog_target, job, jobset

from wmap.fuzz import pieces
from wmap.fuzz.admits import defaulted, refusal
from wmap.fuzz.objects import Grower

NAMES = sorted(p.stem for p in (Path(__file__).resolve().parents[2] / "catalog").glob("*/*-*.yaml"))


def _drawn(target, count, seed=1):
    roll = random.Random(seed).randrange  # noqa: S311  # choices, no secrets
    grower = Grower(target)
    return [grower.draw(roll) for _ in range(count)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_admitted_by_the_contract(name):
    """Of each kind of the catalog, every object that is drawn is one that its contract admits, and some have pods to read."""
    target = catalog_target(name)
    objects = _drawn(target, 60)
    assert [why for why in (refusal(target.root, o) for o in objects) if why is not None] == []
    assert all((o["apiVersion"], o["kind"]) == (target.plan.kind.api_version, target.plan.kind.kind) for o in objects)


def test_the_same_numbers_draw_the_same_objects():
    """Nothing but the numbers decides."""
    target = catalog_target(JOBSET)
    assert json.dumps(_drawn(target, 50)) == json.dumps(_drawn(target, 50))


def test_the_simplest_choices_draw_the_simplest_object():
    """Zeros all the way leave out all that may be absent: this is what shrinking goes towards."""
    target = catalog_target(JOBSET)
    drawn = Grower(target).draw(lambda _: 0)
    assert drawn["spec"] == {}
    assert "status" not in drawn


def test_there_is_trouble_in_what_is_drawn():
    """Among 3,000 JobSets: no jobs, several, many, no replicas, none, unicode names, no status, conditions, unknown fields."""
    objects = _drawn(catalog_target(JOBSET), 3000)
    jobs = [o["spec"].get("replicatedJobs") for o in objects]
    entries = [j for js in jobs for j in js or []]
    seen = {
        "absent": None in jobs,
        "empty": [] in jobs,
        "several": any(len(j or []) > 2 for j in jobs),
        "many": any(len(j or []) == pieces.MANY for j in jobs),
        "zero": any(j.get("replicas") == 0 for j in entries),
        "no count": any("replicas" not in j for j in entries),
        "unicode": any(not str(j.get("name")).isascii() for j in entries),
        "no status": any("status" not in o for o in objects),
        "conditions": any(len(o.get("status", {}).get("conditions", [])) > 2 for o in objects),
        "unknown": any(pieces.UNKNOWN_FIELD in json.dumps(o) for o in objects),
    }
    assert [what for what, found in seen.items() if not found] == []


def test_conditions_are_those_of_the_release():
    """Types come from the vocabulary and the definition, one of them is nobody's."""
    objects = _drawn(catalog_target(JOBSET), 300)
    types = {c["type"] for o in objects for c in o.get("status", {}).get("conditions", [])}
    assert {"Completed", "Failed", "Suspended", "Other"} <= types


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"spec": {"replicatedJobs": 7}}, ".spec.replicatedJobs is a number, not array"),
        ({"spec": {"replicatedJobs": [job("a"), job("a")]}}, "two entries of .spec.replicatedJobs have the same name"),
        ({"spec": {"replicatedJobs": [{"name": "a"}]}}, ".spec.replicatedJobs[0].template is required"),
        ({"spec": {"replicatedJobs": [None]}}, ".spec.replicatedJobs[0] is null"),
        ({"spec": {"suspend": "true"}}, ".spec.suspend is a string, not boolean"),
        ({"spec": {"replicatedJobs": [job("a", 2**31)]}}, "is more than 2147483647"),
        ({"spec": {"startupPolicy": {"startupPolicyOrder": "Never"}}}, "is none of"),
    ],
)
def test_what_a_contract_does_not_admit_is_said_with_its_place(change, words):
    """Types, keys of list maps, required fields, nulls in arrays, bounds and enumerations are looked at."""
    assert words in refusal(catalog_target(JOBSET).root, {**jobset(), **change})


def test_null_stands_for_absent_where_a_field_may_be_absent():
    """The API server takes a null count for no count."""
    assert refusal(catalog_target(JOBSET).root, jobset({**job("a"), "replicas": None})) is None


def test_defaults_are_those_of_the_api_server():
    """A replicated job without a count is one, in the group called default; the object itself stays as it is."""
    given = jobset({"template": {}})
    done = defaulted(catalog_target(JOBSET).root, given)["spec"]["replicatedJobs"][0]
    assert (done["groupName"], done["replicas"]) == ("default", 1)
    assert given["spec"]["replicatedJobs"] == [{"template": {}}]


def test_samples_are_completed_with_what_is_required():
    """A condition of a fixture gets the time that nobody reads; what is there stays."""
    target = catalog_target(JOBSET)
    given = jobset(status={"conditions": [{"type": "Failed", "status": "True", "reason": "r", "message": "m"}]})
    assert refusal(target.root, given) is not None
    done = Grower(target).completed(given)
    assert refusal(target.root, done) is None
    assert done["status"]["conditions"][0].items() >= given["status"]["conditions"][0].items()
