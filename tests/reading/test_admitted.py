"""Values that no contract admits, where a definition reads them: each is said, with its place, and all else is read."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap import Catalog
from wmap.contract.model import Facts, Field
from wmap.definition.yamlio import read_documents
from wmap.expr import parse
from wmap.reading import admitted
from wmap.reading.plan import compile_plan
from wmap.reading.read import read

REPOSITORY = Path(__file__).resolve().parents[2]
CATALOG = Catalog.load()

JOBSET = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "train"},
    "spec": {
        "suspend": False,
        "replicatedJobs": [
            {
                "name": "workers",
                "replicas": 2,
                "template": {"spec": {"parallelism": 1, "template": {"spec": {"containers": [{"name": "main"}]}}}},
            }
        ],
    },
    "status": {"conditions": [{"type": "Completed", "status": "True", "reason": "AllJobsCompleted"}]},
}


def said(obj):
    """What a reading says of values that no contract admits."""
    return [w.message for w in CATALOG.read(obj).warnings if w.code == admitted.CODE]


def changed(*path, value):
    """The JobSet with another value at a place."""
    obj = copy.deepcopy(JOBSET)
    here = obj
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return obj


def test_an_object_that_the_contract_admits_is_read_in_silence():
    """A usual JobSet has no warning at all."""
    assert CATALOG.read(JOBSET).warnings == ()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("spec", "suspend"), "yes", ".spec.suspend is a string; the contract says boolean"),
        (("spec", "suspend"), 0, ".spec.suspend is a number; the contract says boolean"),
        (("spec", "replicatedJobs"), {"a": 1}, ".spec.replicatedJobs is an object; the contract says array"),
        (("spec", "replicatedJobs", 0), None, ".spec.replicatedJobs[0] is null, which the contract does not admit"),
        (("spec",), [], ".spec is an array; the contract says object"),
        (
            ("status", "conditions", 0, "status"),
            "true",
            ".status.conditions[0].status is 'true', which is none of True, False, Unknown",
        ),
        (("status", "restarts"), "3", ".status.restarts is a string; the contract says integer"),
        (("status", "restarts"), 2**31, ".status.restarts is 2147483648, more than 2147483647"),
        (
            ("spec", "replicatedJobs", 0, "template", "spec", "parallelism"),
            1.5,
            ".spec.replicatedJobs[0].template.spec.parallelism is a number; the contract says integer",
        ),
    ],
)
def test_a_value_that_is_not_admitted_is_said_with_its_place(path, value, message):
    """The warning names the place in the object, what stands there, and what may stand there."""
    assert message in said(changed(*path, value=value))


def test_null_and_absence_are_normal_input():
    """A field that is null, or not there, is what the API server takes for absent."""
    assert said(changed("spec", "suspend", value=None)) == []
    assert said(changed("status", value=None)) == []
    assert said({k: JOBSET[k] for k in ("apiVersion", "kind")}) == []


def test_a_whole_number_may_be_written_with_a_point():
    """JSON does not tell 2.0 from 2."""
    assert said(changed("status", "restarts", value=2.0)) == []


def test_what_a_definition_does_not_read_is_not_looked_at():
    """Only the fields that are read are held to the contract: this is no validator of objects."""
    assert said(changed("spec", "ttlSecondsAfterFinished", value="soon")) == []


def test_the_warning_names_the_expression_and_the_component():
    """A person finds what reads the value."""
    obj = changed("spec", "replicatedJobs", 0, "template", "spec", "template", value=[])
    (found,) = [w for w in CATALOG.read(obj).warnings if w.code == admitted.CODE]
    assert found.component == "replicatedjob"
    assert found.expression == ".spec.replicatedJobs[]?.template.spec.template"


def test_what_was_said_of_a_count_is_not_said_twice():
    """A count that is no number has one warning, not two."""
    obj = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": "3", "template": {"spec": {"containers": []}}},
    }
    about = [w for w in CATALOG.read(obj).warnings if "replicas" in w.message or "'3'" in w.message]
    assert [w.code for w in about] == ["bad-replicas"]


def test_many_bad_values_give_twenty_warnings_and_a_count():
    """A list of a thousand bad entries does not make a thousand lines."""
    found = said(changed("spec", "replicatedJobs", value=[7] * 1000))
    assert len(found) == admitted.MOST + 1
    assert found[-1] == "980 more values that the contract does not admit"


def test_a_value_that_one_of_the_newest_contracts_admits_is_admitted():
    """The release of an object is not known: what v1alpha1 of a field was before is not wrong."""
    place = admitted._place(
        [Field("", Facts(type="string", enum=("a", "b")), ()), Field("", Facts(type="string", enum=("b", "c")), ())],
        (parse("."), None),
    )
    assert [list(admitted.refusals(place, v, ".x")) == [] for v in ("a", "b", "c", "d")] == [True, True, True, False]


def test_a_bound_counts_only_where_every_contract_has_one():
    """Where one release has no bound there is none; else the widest."""
    free = admitted._place(
        [Field("", Facts(type="number", maximum=3), ()), Field("", Facts(type="number"), ())], (parse("."), None)
    )
    wide = admitted._place(
        [Field("", Facts(type="number", maximum=3), ()), Field("", Facts(type="number", maximum=5), ())],
        (parse("."), None),
    )
    assert (free.high, wide.high) == (None, 5)


@pytest.mark.parametrize(
    ("facts", "good", "bad"),
    [
        (Facts(type="string", min_length=2, max_length=3), ["ab", "abc"], ["a", "abcd", 4]),
        (Facts(type="string", pattern="^[a-z]+$"), ["ab"], ["aB", ""]),
        (Facts(type="string", pattern="(?<!"), ["anything"], []),
        (Facts(type="integer", minimum=1, format="int32"), [1, 2.0], [0, 2**31, 1.5, True, "1"]),
        (Facts(type="number"), [1, 1.5], [True, "1"]),
        (Facts(type="int-or-string"), [1, "50%"], [1.5, True, []]),
        (Facts(type="boolean"), [True, False], [0, "true"]),
        (Facts(type="array"), [[]], [{}]),
        (Facts(type="object"), [{}], [[]]),
        (Facts(), [1, "a", [], {}], []),
    ],
)
def test_each_fact_of_a_field_bounds_its_value(facts, good, bad):
    """Types, lengths, patterns and numbers are held; a pattern that Python does not read is not."""
    root = admitted.Place((parse("."), None), frozenset({"object"}))
    root.named["x"] = admitted._place([Field("", facts, ())], (parse("."), None))
    quick = admitted.generate(root)
    for value in good:
        assert quick({"x": value})
        assert list(admitted.refusals(root, {"x": value}, "")) == []
    for value in bad:
        assert not quick({"x": value})
        assert len(list(admitted.refusals(root, {"x": value}, ""))) == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**33) | st.just(1.5) | st.sampled_from(["True", "x", "", "a b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["spec", "status", "suspend", "replicatedJobs", "conditions", "status"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(spec=VALUES, status=VALUES, conditions=VALUES, replicas=VALUES)
def test_the_generated_check_agrees_with_the_one_that_says_why(spec, status, conditions, replicas):
    """A function that is generated after some readings refuses exactly the objects for which there is a reason."""
    root = compile_plan(CATALOG.definition_for(JOBSET)).admitted._made()
    quick = admitted.generate(root)
    for obj in (
        {"spec": spec, "status": status},
        changed("status", "conditions", value=conditions),
        changed("spec", "replicatedJobs", 0, "replicas", value=replicas),
    ):
        assert quick(obj) == (list(admitted.refusals(root, obj, "")) == [])


@pytest.mark.parametrize("definition", CATALOG.definitions.all(), ids=lambda d: d.name.value)
def test_every_fixture_is_read_alike_before_and_after_the_check_is_generated(definition):
    """The first readings and the later ones say the same of every fixture."""
    plan = compile_plan(definition)
    quick = admitted.generate(plan.admitted._made())
    for file in sorted((REPOSITORY / "fixtures" / definition.name.value).glob("[!_]*.yaml")):
        ((fixture, _),) = read_documents(file.read_text())
        obj = fixture["object"]
        early = [w for w in read(plan, obj).warnings if w.code == admitted.CODE]
        assert quick(obj) == (early == [])


def test_a_kind_without_a_stored_contract_is_read_without_this_check(tmp_path):
    """Somebody's own kind has no contract: nothing is said."""
    text = (REPOSITORY / "catalog/lws/leaderworkerset-x-k8s-io-leaderworkerset-v1.yaml").read_text()
    text = text.replace("leaderworkerset.x-k8s.io", "own.example.com").replace(
        "leaderworkerset-x-k8s-io", "own-example-com"
    )
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "own-example-com-leaderworkerset-v1.yaml").write_text(text)
    obj = {
        "apiVersion": "own.example.com/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "x"},
        "spec": {"rolloutStrategy": 4},
    }
    reading = Catalog.load(tmp_path).read(obj)
    assert [w for w in reading.warnings if w.code == admitted.CODE] == []


def test_a_plan_that_has_read_can_be_pickled():
    """Readings in several processes take the plan along; the generated function is made anew."""
    plan = compile_plan(CATALOG.definition_for(JOBSET))
    for _ in range(12):
        read(plan, JOBSET)
    again = pickle.loads(pickle.dumps(plan))  # noqa: S301  # our own bytes
    assert read(again, JOBSET) == read(plan, JOBSET)


def test_a_hostile_definition_cannot_make_the_check_too_deep():
    """More iterations than Python nests loops are cut off, not a crash."""
    root = admitted.Place((parse("."), None), frozenset())
    tree = admitted._Tree(root, [_Endless()])
    tree.add(tuple(admitted.Step.EACH for _ in range(90)), (parse("."), None))
    assert admitted.generate(root)([[[[]]]])


class _Endless:
    """A field whose items are arrays of such fields, without end."""

    facts = Facts(type="array")
    type = "array"

    @property
    def items(self):
        return self

    values = None
