"""The selftest: definitions that are broken on purpose, what each breaking changes, and which level notices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wmap.definition.yamlio import read_documents
from wmap.errors import CallError, InputError
from wmap.expr import parse
from wmap.findings import Level
from wmap.fuzz.selftest.judge import Judge, Verdict
from wmap.fuzz.selftest.operators import Mutant, Operator
from wmap.fuzz.selftest.run import Options, SelftestResult, operators, selftest
from wmap.report.selftest import as_json, as_markdown, as_text

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "fixtures"
JOBSET = REPOSITORY / "catalog/jobset/jobset-x-k8s-io-jobset-v1alpha2.yaml"
((DOCUMENT, _),) = read_documents(JOBSET.read_text())


@pytest.fixture(scope="module")
def judge():
    """The judge of the JobSet's mutants."""
    return Judge(JOBSET, FIXTURES)


def mutants(name):
    """The mutants that one operator makes of the JobSet."""
    (operator,) = [o for o in operators() if o.name == name]
    return list(operator.mutants(DOCUMENT))


@pytest.mark.parametrize(
    ("text", "kind", "broken"),
    [
        (".a.replicas", "wrong field", '.["a"]["replica"]'),
        (".a.b", "field left out", '.["a"]'),
        (".a[0]", "wrong index", '.["a"][1]'),
        (".a[]", "first entry only", '.["a"][0]'),
        (".a[]?", "missing ?", '.["a"][]'),
        (".a // 1", "dropped default", '.["a"]'),
        (".a == 1", "wrong comparison", '(.["a"] != 1)'),
        (".a >= 1", "wrong comparison", '(.["a"] > 1)'),
        (".a * .b", "dropped factor", '.["b"]'),
        (".a + .b", "dropped term", '.["a"]'),
        (".a and .b", "dropped condition", '.["b"]'),
        (".a[] | (.b // 1)", "default outside the iteration", '((.["a"][] | .["b"]) // 1)'),
        (".a | not", "dropped not", '.["a"]'),
        ("[.a, .b] | min", "min for max", '([(.["a"], .["b"])] | max)'),
        (".a[] | select(.b)", "dropped select", '(.["a"][] | .)'),
        (".a[] | select(.b)", "inverted select", '(.["a"][] | select((.["b"] | not)))'),
        ("if .a then 1 else 2 end", "swapped branches", 'if .["a"] then 2 else 1 end'),
        ("if .a then 1 else 2 end", "dropped branch", "2"),
        (".a == true", "wrong boolean", '(.["a"] == false)'),
        (".a + 7", "off by one", '(.["a"] + 6)'),
        ('.a == "True"', "misspelt word", '(.["a"] == "Trux")'),
        ('.a == "True"', "word in wrong case", '(.["a"] == "true")'),
    ],
)
def test_an_expression_is_broken_as_an_author_might(text, kind, broken):
    """Each way to break an expression makes the one that is meant, and it still parses."""
    found = {m.text for m in parse(text).mutants() if m.kind == kind}
    assert broken in found
    assert all(parse(t).text == t for t in found)


def test_there_are_at_least_forty_ways_each_with_its_name():
    """The ways are many, told apart by name, and say what an author did."""
    names = [o.name for o in operators()]
    assert len(names) == len(set(names)) > 70
    assert all(o.breaks for o in operators())


def test_no_mutant_is_the_definition_itself_and_it_stays_as_it_is():
    """A mutant differs from the definition, which breaking it does not touch."""
    before = json.dumps(DOCUMENT)
    for operator in operators():
        for mutant in list(operator.mutants(DOCUMENT))[:3]:
            assert mutant.document != DOCUMENT
    assert json.dumps(DOCUMENT) == before


@pytest.mark.parametrize(
    ("name", "level", "code"),
    [
        ("dropped action", Level.SCHEMA, "S006"),
        ("result in quotes", Level.LINT, "L508"),
        ("suspend and resume swapped", Level.LINT, "L704"),
        ("dropped ids", Level.LINT, "L301"),
        ("swapped names of fields", Level.CONTRACT, "C117"),
        ("misspelt result", Level.CONTRACT, "C114"),
        ("template for pod spec", Level.CONTRACT, "C116"),
        ("misspelt condition", Level.CONTRACT, "C201"),
        ("dropped gang", Level.LINT, "L609"),
        ("dropped replica selector", Level.FIXTURE, "F001"),
    ],
)
def test_the_first_level_that_notices_is_named(judge, name, level, code):
    """A mutant is caught at the first level that finds something new, with the rule that says so."""
    verdict = judge.verdict(mutants(name)[0])
    assert verdict.changes is not None
    assert (verdict.caught, verdict.code) == (level, code)


def test_a_mutant_that_changes_nothing_is_told_apart(judge):
    """A definition that means the same is no mutant that was missed."""
    same = json.loads(json.dumps(DOCUMENT))
    same["metadata"]["annotations"] = {"note": "x"}
    assert judge.verdict(Mutant("noted", "metadata", same)).changes is None


def test_a_mutant_that_only_a_property_refutes_is_caught_by_fuzzing(judge, tmp_path):
    """Without fixtures that look there, fuzzing finds that a default conjures pods."""
    blind = Judge(JOBSET, tmp_path)
    broken = json.loads(json.dumps(DOCUMENT).replace('.spec.suspend"', '.spec.suspended"'))
    found = blind.verdict(Mutant("conjured", "ids", broken))
    assert found.changes is not None
    assert found.caught in (Level.CONTRACT, Level.FUZZ)
    assert judge.name == blind.name


def test_a_definition_that_cannot_be_read_is_not_broken_further(tmp_path):
    """A definition that fails level schema is refused, with what to do."""
    file = tmp_path / "x.yaml"
    file.write_text("kind: Karta\n")
    with pytest.raises(InputError, match="level schema"):
        Judge(file, FIXTURES)


@pytest.mark.parametrize("options", [{"sites": 0}, {"jobs": 0}])
def test_numbers_that_make_no_sense_are_refused(options):
    """Sites and jobs are larger than 0."""
    with pytest.raises(CallError):
        selftest([JOBSET], Options(FIXTURES, **options))


def test_the_same_seed_chooses_the_same_places():
    """Two runs with one seed give the same verdicts, in one process or in two; another seed chooses other places."""
    pod = REPOSITORY / "catalog/kubernetes/apps-statefulset-v1.yaml"
    job = REPOSITORY / "catalog/kubernetes/batch-cronjob-v1.yaml"
    alone = selftest([pod, job], Options(FIXTURES, sites=1))
    together = selftest([job, pod], Options(FIXTURES, sites=1, jobs=2))
    other = selftest([pod, job], Options(FIXTURES, sites=1, seed=7))
    assert alone.verdicts == together.verdicts != other.verdicts


def verdict(caught, changes="status"):
    """A verdict of a level."""
    return Verdict("x-io-thing-v1", "wrong field", ".spec.x", changes, caught, None if caught is None else "C101")


def test_the_shares_are_of_what_changes_a_reading():
    """What changes nothing counts nowhere; survivors lower the first share, late catches the second."""
    result = SelftestResult(
        1, [verdict(Level.LINT), verdict(Level.CONTRACT), verdict(Level.FIXTURE), verdict(None), verdict(None, None)]
    )
    assert (result.caught, result.early, result.good) == (0.75, 0.5, False)
    assert len(result.survivors) == 1
    assert SelftestResult(1, [verdict(Level.LINT)]).good


def test_every_format_names_survivors_and_shares():
    """Text, Markdown and JSON say how much was caught, by what, and which mutant survived where."""
    result = SelftestResult(1, [verdict(Level.LINT), verdict(None)], interrupted=True)
    for text in (as_text(result), as_markdown(result)):
        assert "interrupted: 1 definitions, 2 mutants: 2 change what a consumer sees" in text
        assert "50.0%" in text
        assert ".spec.x" in text
    document = json.loads(as_json(result))
    assert document["summary"]["caughtShare"] == 0.5
    assert [m["caught"] for m in document["mutants"]] == ["lint", None]


def test_an_operator_gives_nothing_where_it_does_not_apply():
    """A definition without gangs has none to drop."""
    none = Operator("nothing", "nothing is done", lambda _: iter(()))
    assert list(none.mutants(DOCUMENT)) == []
