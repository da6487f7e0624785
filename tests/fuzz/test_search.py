"""Making small, mutating, walking, time limits, replays, samples: the pieces that a search is made of."""

from __future__ import annotations

import copy
import random
import threading

import pytest
from tests.fuzz.targets import JOBSET, REPOSITORY, catalog_target, job, jobset

from wmap.errors import CallError, InputError
from wmap.fuzz.engine import Failure, Origin, Search, seed_of
from wmap.fuzz.limit import TookTooLong, at_most
from wmap.fuzz.mutate import mutated
from wmap.fuzz.podfile import load_pods
from wmap.fuzz.property import Property, Violation, rule_of
from wmap.fuzz.reduce import reduced
from wmap.fuzz.replays import keep_replays, load_replays
from wmap.fuzz.samples import of_fixtures, of_folder
from wmap.fuzz.walk import changed, places_of, without


def _choices(seed):
    return random.Random(seed)  # noqa: S311  # choices, no secrets


def _endless():
    while True:
        pass


def test_an_object_is_made_as_small_as_what_it_shows():
    """What shows a group of three or more keeps only that; of a thousand others none is left."""
    obj = jobset(job("first"), *[job(f"n{i}") for i in range(1000)], job("last", 7), status={"a": 1})

    def shows(candidate):
        return any(j.get("replicas", 0) >= 3 for j in candidate.get("spec", {}).get("replicatedJobs", []))

    small = reduced(obj, shows)
    assert small == {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "spec": {"replicatedJobs": [{"replicas": 3}]},
    }


def test_what_cannot_be_smaller_stays():
    """An object of which every part is needed is given back as it is, and so is one where no try is left."""
    obj = jobset(job("a", 5))
    assert reduced(obj, lambda candidate: candidate == obj) == obj
    assert reduced(obj, lambda _: True, tries=0) == obj


def test_a_mutation_leaves_the_sample_alone_and_follows_its_numbers():
    """The same numbers give the same mutations; the sample is not touched; most differ from it; the kind stays."""
    sample = jobset(job("a"), job("b", 2, parallelism=3), status={"conditions": [{"type": "Failed", "status": "True"}]})
    before = copy.deepcopy(sample)
    first = [mutated([sample], _choices(i)) for i in range(300)]
    assert first == [mutated([sample], _choices(i)) for i in range(300)]
    assert sample == before
    assert sum(o != sample for o in first) > 200
    assert {o["kind"] for o in first} == {"JobSet"}


def test_mutations_are_of_every_sort():
    """Among a thousand there are dropped, null, empty, repeated, reordered, renamed and unknown parts."""
    sample = jobset(job("a", 2), job("b", 3))
    found = [mutated([sample], _choices(i)) for i in range(1000)]
    jobs = [o["spec"].get("replicatedJobs") for o in found if isinstance(o.get("spec"), dict)]
    lists = [j for j in jobs if isinstance(j, list)]
    names = [[e.get("name") for e in j if isinstance(e, dict)] for j in lists]
    assert None in jobs
    assert [] in lists
    assert any(n.count("a") == 2 for n in names)
    assert ["b", "a"] in names
    assert any("xUnknown" in o.get("spec", {}) for o in found if isinstance(o.get("spec"), dict))
    assert any("replicatedJobsx" in o["spec"] for o in found if isinstance(o.get("spec"), dict))


def test_places_differences_and_removals():
    """A path of a contract has its places; the highest differences are given; a removal touches nothing else."""
    obj = {"a": [{"n": 1}, {}, {"n": 2}], "m": {"x": {"n": 3}}}
    assert list(places_of(obj, ".a[].n")) == [("a", 0, "n"), ("a", 2, "n")]
    assert list(places_of(obj, ".m{}.n")) == [("m", "x", "n")]
    assert without(obj, ("a", 1)) == {"a": [{"n": 1}, {"n": 2}], "m": {"x": {"n": 3}}}
    assert list(changed(obj, {"a": [{"n": 1}, {"k": 0}, {"n": True}], "m": {}})) == [
        ("a", 1, "k"),
        ("a", 2, "n"),
        ("m", "x"),
    ]


def test_what_takes_too_long_is_ended():
    """Endless work is stopped when the time is over; outside the main thread there is no limit, and no error."""
    with pytest.raises(TookTooLong), at_most(0.05):
        _endless()
    ended = []

    def work():
        with at_most(0.05):
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def _prop(look):
    return Property(rule_of("P1", "test", look, "", ""), look)


def test_a_property_that_hangs_is_a_finding_with_the_object():
    """It is reported as such, with the manifest as it was."""

    def hangs(_):
        """It hangs."""
        while True:
            yield from ()

    search = Search(catalog_target(JOBSET), [_prop(hangs)], seconds=0.05)
    search.replay([(jobset(job("a")), 0)])
    (failure,) = search.failures()
    assert failure.violation.message == "takes more than 0.05 s on this object"
    assert failure.obj == jobset(job("a"))


def test_a_property_that_crashes_is_a_finding():
    """Whatever goes wrong while a reading is checked is said with its type, and the search goes on."""

    def crashes(case):
        """It crashes."""
        raise ZeroDivisionError(case.twist)
        yield

    search = Search(catalog_target(JOBSET), [_prop(crashes)])
    search.replay([(jobset(), 3), (jobset(), 4)])
    (failure,) = search.failures()
    assert failure.violation.message == "raises ZeroDivisionError: 3"
    assert search.objects == 2


def test_two_searches_with_one_seed_find_the_same():
    """Drawn and mutated objects are the same for a seed, and others for another one."""

    def objects(seed):
        tried = []

        def keep(case):
            """It holds."""
            tried.append(case.obj)
            return iter(())

        search = Search(catalog_target(JOBSET), [_prop(keep)])
        search.draw(20, seed)
        search.mutate(20, seed)
        return tried

    assert objects(1) == objects(1) != objects(2)
    assert seed_of(1, "a") == seed_of(1, "a") != seed_of(2, "a")
    assert 0 <= seed_of(7, "x", 3) < 2**63


def test_what_failed_is_tried_first_the_next_time(tmp_path):
    """Failures are kept in files; what no longer fails is forgotten; what does not read is left out."""
    failure = Failure(Violation("P1", "m"), jobset(job("ü")), 5, Origin.DRAWN)
    folder = tmp_path / "x"
    assert load_replays(folder) == []
    keep_replays(folder, [failure])
    (folder / "0.json").write_text("{")
    assert load_replays(folder) == [(jobset(job("ü")), 5)]
    keep_replays(folder, [])
    assert load_replays(folder) == []


def test_samples_of_fixtures_are_the_objects_after_each_step():
    """Every fixture gives its object; a file that begins with a line below is none."""
    found = of_fixtures(REPOSITORY / "fixtures" / JOBSET)
    assert len(found) > len(list((REPOSITORY / "fixtures" / JOBSET).glob("[!_]*.yaml")))
    assert {o["kind"] for o in found} == {"JobSet"}
    assert of_fixtures(REPOSITORY / "none") == ()


def test_samples_of_a_folder_are_by_kind_and_broken_files_are_named(tmp_path):
    """Several documents, lists and JSON are read; what is no YAML is skipped and named; no folder is an error of the call."""
    (tmp_path / "a.yaml").write_text(
        "apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]\n"
    )
    (tmp_path / "b.json").write_text('{"apiVersion": "batch/v1", "kind": "Job"}')
    (tmp_path / "c.yaml").write_text("a: [")
    (tmp_path / "d.txt").write_text("a: [")
    found = of_folder(tmp_path)
    assert {kind: len(objs) for kind, objs in found.by_kind.items()} == {("v1", "Pod"): 2, ("batch/v1", "Job"): 1}
    (broken,) = found.broken
    assert broken.file.endswith("c.yaml")
    with pytest.raises(CallError):
        of_folder(tmp_path / "none")


POD_FILE = (
    "source: s\ncomponents: {a: [{releases: '>=v1.0.0', labels: {x: '{instance}-{next}'}}, {labels: {x: old}}]}\n"
)


def test_a_declaration_of_pods_is_by_release_and_fills_in_its_words(tmp_path):
    """The first entry whose releases fit is taken; without a file nothing is declared."""
    (tmp_path / "_pods.yaml").write_text(POD_FILE)
    pods = load_pods(tmp_path)
    new, old = pods.marks("a", "v1.2.0"), pods.marks("a", "v0.9.0")
    assert new.at({"instance": "i", "next": "1"})["labels"] == {"x": "i-1"}
    assert old.at({})["labels"] == {"x": "old"}
    assert pods.marks("b", "v1.2.0") is None
    assert load_pods(tmp_path / "none").components == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("components: {}\n", "says no source"),
        ("source: s\ncomponents: []\n", "components is no map"),
        ("source: s\ncomponents: {a: {label: {}}}\n", "components.a: has labels"),
        ("source: s\ncomponents: {a: {labels: {x: 1}}}\n", "components.a.labels: is no map of texts"),
        ("source: s\ncomponents: {a: {labels: {x: '{who}'}}}\n", "unknown word who"),
        ("source: s\ncomponents: {a: {releases: 1}}\n", "releases: is no text"),
        ("source: s\nnotScale: [a]\n", "notScale is no map"),
        ("a: [\n", "_pods.yaml:"),
    ],
)
def test_a_broken_declaration_of_pods_says_where(tmp_path, text, words):
    """Each is an error of the file that names the place."""
    (tmp_path / "_pods.yaml").write_text(text)
    with pytest.raises(InputError, match=words):
        load_pods(tmp_path)


def test_every_declaration_of_the_catalog_is_of_components_that_exist():
    """What a definition does not have is declared nowhere, and each names its source."""
    folders = sorted(p.parent for p in (REPOSITORY / "fixtures").glob("*/_pods.yaml"))
    assert len(folders) >= 15
    for folder in folders:
        pods, leaves = load_pods(folder), {c.name for c in catalog_target(folder.name).plan.leaves}
        assert set(pods.components) <= leaves, folder.name
        assert len(pods.source) > 20
