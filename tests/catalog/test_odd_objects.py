"""Odd objects of every kind: what is absent is normal input, what cannot be read is said, and nothing raises.

The objects are the fixtures of each definition, with one of the places that the definition reads changed at a time.
"""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from wmap import Catalog
from wmap.catalog import Definitions
from wmap.definition.yamlio import read_documents
from wmap.expr import Step
from wmap.reading.plan import compile_plan
from wmap.reading.read import read

REPOSITORY = Path(__file__).resolve().parents[2]
DEFINITIONS = Definitions(REPOSITORY / "catalog").all()
CATALOG = Catalog.load()
OF_ANOTHER_TYPE = {
    "object": ["text", 3, [], True],
    "array": ["text", 3, {}, True],
    "string": [3, [], {}, True],
    "integer": ["three", 1.5, [], {}, True],
    "boolean": ["true", 1, [], {}],
    "int-or-string": [1.5, [], {}, True],
    "number": ["three", [], {}, True],
}


def objects_of(definition):
    """The object of each fixture of the definition."""
    for file in sorted((REPOSITORY / "fixtures" / definition.name.value).glob("[!_]*.yaml")):
        ((fixture, _),) = read_documents(file.read_text())
        yield file.stem, fixture["object"]


def places(value, steps, at=()):
    """The places of a document that a static path goes through."""
    if at:
        yield at
    if not steps:
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if isinstance(value, dict) and step in value:
            yield from places(value[step], rest, (*at, step))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from places(value[i], rest, (*at, i))
    elif isinstance(value, dict) and isinstance(step, Step):
        for key in value:
            yield from places(value[key], rest, (*at, key))


def read_places(plan, obj):
    """All places of the object that the definition reads, without repetition."""
    found = {}
    for expression, _, below in plan.admitted._readers:
        for path in expression.reads:
            found.update(dict.fromkeys(places(obj, (*path, *below))))
    return list(found)


def changed(obj, at, value):
    """The object with another value at a place."""
    made = copy.deepcopy(obj)
    here = made
    for step in at[:-1]:
        here = here[step]
    here[at[-1]] = value
    return made


def without(obj, at):
    """The object without what stands at a place."""
    made = copy.deepcopy(obj)
    here = made
    for step in at[:-1]:
        here = here[step]
    del here[at[-1]]
    return made


def declared(plan, at):
    """The one type that the contract gives to a place, None where it does not say or there are several."""
    here = plan.admitted._made()
    for step in at:
        here = (here.named.get(step) or here.each) if isinstance(step, str) else here.each
        if here is None:
            return None
    (kind,) = here.types if len(here.types) == 1 else (None,)
    return kind


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name.value)
def test_what_is_null_or_missing_is_read_as_absent(definition):
    """Null at any place that is read, and the place taken away, read alike, but for entries of arrays, and never raise."""
    plan = compile_plan(definition)
    for case, obj in objects_of(definition):
        for at in read_places(plan, obj):
            null = read(plan, changed(obj, at, None))
            if not isinstance(at[-1], int):
                gone = read(plan, without(obj, at))
                # a key of a map whose value is null is there: the section without anything
                if (null.totals, null.status) != (gone.totals, gone.status):
                    assert declared(plan, at) in ("object", None), (case, at)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name.value)
def test_a_value_of_another_type_is_said(definition):
    """A text, a number, a list or a map where the contract has something else is read as far as it goes, with a warning."""
    plan = compile_plan(definition)
    seen = 0
    for case, obj in objects_of(definition):
        before = {w.message for w in read(plan, obj).warnings}
        for at in read_places(plan, obj):
            for value in OF_ANOTHER_TYPE.get(declared(plan, at), ()):
                warnings = {w.message for w in read(plan, changed(obj, at, value)).warnings}
                assert warnings - before, (case, at, value)
                seen += 1
    assert seen > 20


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name.value)
def test_empty_extreme_and_unicode_values_never_raise(definition):
    """Empty texts and lists, huge and negative numbers, other letters and emoji, wrong case: a reading comes of each."""
    plan = compile_plan(definition)
    for _, obj in objects_of(definition):
        for at in read_places(plan, obj):
            here = obj
            for step in at:
                here = here[step]
            odd = [
                "",
                "\u00fcbung-\U0001f680",
                "x" * 5_000,
                "e\u0301",
                "UNKNOWN",
                -1,
                0,
                2**31,
                10**30,
                [],
                {},
                [None],
                {"": None},
            ]
            odd += [here.upper(), here.lower(), here.title()] if isinstance(here, str) else []
            for value in odd:
                reading = read(plan, changed(obj, at, value))
                assert reading.totals.pods >= 0
                assert reading.to_dict()["status"]["phase"] == reading.status.phase


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name.value)
def test_long_lists_are_read_whole(definition):
    """A list that is read grown to 1,200 entries, all of other names, is read whole; consumers' limit is said."""
    plan = compile_plan(definition)
    for _, obj in objects_of(definition):
        for at in read_places(plan, obj):
            here = obj
            for step in at:
                here = here[step]
            if not isinstance(here, list) or not here or not isinstance(here[0], dict):
                continue
            grown = [copy.deepcopy(here[0]) for _ in range(1_200)]
            for i, entry in enumerate(grown):
                for key in ("name", "groupName", "type"):
                    if isinstance(entry.get(key), str):
                        entry[key] = f"{entry[key]}-{i}"
            reading = read(plan, changed(obj, at, grown))
            many = [i for c in reading.components for i in [c.instances] if len(i) >= 1_000]
            if many:
                assert "too-many-results" in {w.code for w in reading.warnings}
                assert all(len(i) == 1_200 for i in many)


def test_the_word_of_a_phase_in_wrong_case_is_no_phase():
    """An operator's words are read as they are: `running` in another case does not read Running."""
    for definition in DEFINITIONS:
        plan = compile_plan(definition)
        for _, obj in objects_of(definition):
            for word in ("rUNNING", "cOMPLETE", "fAILED", "rEADY"):
                for field in ("phase", "state", "status", "jobDeploymentStatus"):
                    if isinstance(obj.get("status"), dict) and isinstance(obj["status"].get(field), str):
                        phase = read(plan, changed(obj, ("status", field), word)).status.phase
                        known = read(plan, obj).status.phase
                        assert phase in ("Undefined", "Initializing", "Degraded") or phase == known
