"""The pages of the catalog: fresh, whole, and harmless whatever a definition holds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from wmap.catalog import Definitions
from wmap.definition import load
from wmap.report.pages import limits_in, render_index, render_page

REPOSITORY = Path(__file__).resolve().parents[2]
DEFINITIONS = Definitions(REPOSITORY / "catalog").all()
LIMITS = limits_in((REPOSITORY / "docs" / "limits.md").read_text())


def page_of(name, **more):
    """The page of a definition of the catalog, without its releases."""
    definition = next(d for d in DEFINITIONS if d.name.value == name)
    return render_page(definition, more.get("framework"), more.get("limits", LIMITS), more.get("support", ()))


def test_the_pages_are_fresh(tmp_path):
    """docs/catalog is what `make pages` makes of the catalog, the stored contracts and the table of limits."""
    subprocess.run([sys.executable, REPOSITORY / "tools" / "pages", tmp_path], check=True)
    made = {p.name: p.read_text() for p in tmp_path.iterdir()}
    assert made == {p.name: p.read_text() for p in (REPOSITORY / "docs" / "catalog").iterdir()}


def test_the_readme_links_every_page():
    """A person finds the page of each definition from the README."""
    readme = (REPOSITORY / "README.md").read_text()
    for d in DEFINITIONS:
        assert f"(docs/catalog/{d.name.value}.md)" in readme


def test_every_limit_is_of_a_kind_that_is_there():
    """A row of the table of limits names kinds of the catalog, `all`, or `checks`: none is lost on the pages."""
    kinds = {d.kind.kind for d in DEFINITIONS} | {"all", "checks"}
    assert {k for limit in LIMITS for k in limit.of} <= kinds


@pytest.mark.parametrize("row", ["| two | cells |", "| a | all | x |\n| a | all | y |", "| Not An Id | all | x |"])
def test_a_row_of_limits_that_cannot_be_read_is_said(row):
    """A malformed row, or an id that stands twice, is an error, not a row that is left out."""
    with pytest.raises(ValueError, match="no row of id, kinds and limit"):
        limits_in(f"| id | of | limit |\n| --- | --- | --- |\n{row}\n")


def test_a_page_tells_phases_in_the_order_in_which_they_count():
    """The first row of the table that holds is the phase: Failed before Completed before Running."""
    page = page_of("jobset-x-k8s-io-jobset-v1alpha2")
    phases = re.findall(r"^\| (Failed|Completed|Suspended|Degraded|Running|Initializing) \|", page, re.MULTILINE)
    assert phases == ["Failed", "Completed", "Suspended", "Degraded", "Running", "Initializing"]
    assert "condition `Completed` is True" in page


def test_a_page_tells_the_tree_the_gang_and_the_suspension():
    """Owners point at their children; the gang and the actions are named."""
    page = page_of("jobset-x-k8s-io-jobset-v1alpha2")
    assert 'c0["jobset<br/>JobSet (jobset.x-k8s.io/v1alpha2)"]' in page
    assert "pods of each entry of replicatedJobs" in page
    assert "  c0 --> c1\n" in page
    assert "* `jobset`: one, all pods below `jobset`" in page
    assert "* to suspend: `.spec.suspend` becomes `true`" in page


def test_an_expression_stands_as_in_the_file_once():
    """A long expression that several phases use stands once, on the lines of the file, with what it reads."""
    page = page_of("ray-io-rayjob-v1")
    assert page.count('(.status.jobDeploymentStatus // "") as $deployment\n| (.status.jobStatus') == 1
    assert "Reads `.status.jobDeploymentStatus`, `.status.jobStatus`" in page


def test_what_cannot_be_written_is_told():
    """A part through which nothing can be written is listed as only read."""
    text = (REPOSITORY / "catalog/lws/leaderworkerset-x-k8s-io-leaderworkerset-v1.yaml").read_text()
    before = ".spec.leaderWorkerTemplate.leaderTemplate // .spec.leaderWorkerTemplate.workerTemplate"
    assert before in text
    result = load(text.replace(before, "'{a: .spec.x} | .a'"))
    page = render_page(result.definition, None, (), ())
    nothing = "scheduler name, labels, annotations, priority class, node affinity, pod affinity, resources, image"
    assert f"| leader | nothing | {nothing} |" in page
    assert f"| worker | {nothing} |  |" in page


HOSTILE = "x](http://evil) <script>alert(1)</script> `a` | b @org \u202e \x1b[31m"


def test_hostile_text_does_nothing_on_a_page():
    """Names, conditions and expressions of a stranger make no markup, no link, no row, no other diagram."""
    quoted = HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    result = load(f"""\
# {HOSTILE.replace(chr(27), "")}
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {{name: x-io-thing-v1}}
spec:
  structureDefinition:
    rootComponent:
      name: "thing {quoted}"
      kind: {{group: x.io, version: v1, kind: Thing}}
      statusDefinition:
        phaseDefinition: {{path: .status.phase}}
        statusMappings: {{running: [{{byPhase: "{quoted}"}}]}}
    childComponents:
    - name: "child {quoted}"
      ownerRef: "thing {quoted}"
      specDefinition: {{podTemplateSpecPath: '.spec["{HOSTILE.replace(chr(27), "")}"]'}}
""")
    assert result.definition is not None, result.findings
    for page in (render_page(result.definition, None, (), ()), render_index([(result.definition, None)])):
        outside = re.sub(r"(`+).*?\1", "", page, flags=re.DOTALL)
        assert "<script>" not in outside.replace("\\<script\\>", "")
        assert "](http://evil)" not in outside
        assert "\x1b" not in page
        assert "\u202e" not in page
        rows = [line for line in page.split("\n") if line.startswith("| ")]
        assert len({line.replace("\\|", "").count("|") for line in rows if "Running" in line} | {3}) == 1
    assert render_page(result.definition, None, (), ()).count("flowchart") == 1


def test_a_kind_without_a_stored_contract_says_so():
    """Where no contract is stored the page says that, instead of an empty table."""
    assert "No contract of this kind is stored." in page_of("core-pod-v1")
