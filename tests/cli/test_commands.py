"""The command line, as a person calls it: outputs, exit codes, bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "docs" / "examples" / "leader-workers.yaml"
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "default"}


def wmap(*arguments, stdin=None, cwd=REPOSITORY):
    """Run the command; gives exit code, output, error output."""
    done = subprocess.run(
        [sys.executable, "-m", "wmap", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=ENVIRONMENT,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_describe_shows_one_workload():
    """A leader and two workers of 4 GPUs are one workload of 3 pods, 12 GPUs and one gang of 3."""
    code, out, err = wmap("describe", "-f", EXAMPLE)
    assert (code, err) == (0, "")
    assert out == (
        "JobSet training/leader-workers  Initializing\n"
        "└── replicatedjob (Job)\n"
        "    ├── leader: 1 pod, 4 GPUs; each cpu 4, memory 16Gi, nvidia.com/gpu 4; registry.example/trainer:1.4\n"
        "    └── workers: 2 pods, 8 GPUs; each cpu 4, memory 16Gi, nvidia.com/gpu 4; registry.example/trainer:1.4\n"
        "total   3 pods, 12 GPUs, cpu 12, memory 48Gi\n"
        "gang    one gang of 3 pods, 12 GPUs (jobset)\n"
    )


def test_the_readme_shows_the_real_output():
    """The example in the README is what the command prints."""
    _, out, _ = wmap("describe", "-f", EXAMPLE)
    assert out in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_describe_as_json_is_the_documented_document():
    """The JSON output satisfies its schema, for one object and for several."""
    schema = Draft202012Validator(json.loads((REPOSITORY / "schemas" / "describe.schema.json").read_text()))
    code, out, _ = wmap("describe", "-f", EXAMPLE, "-o", "json")
    document = json.loads(out)
    assert code == 0
    assert list(schema.iter_errors(document)) == []
    assert (document["totals"]["pods"], document["totals"]["gpus"], document["status"]["phase"]) == (
        3,
        12,
        "Initializing",
    )
    _, out, _ = wmap("describe", "-f", EXAMPLE, "-f", EXAMPLE, "-o", "json")
    assert [d["totals"]["pods"] for d in json.loads(out)] == [3, 3]
    _, out, _ = wmap("describe", "-f", EXAMPLE, "-f", EXAMPLE, "-o", "jsonl")
    assert [json.loads(line) for line in out.splitlines()] == [document, document]


def test_explain_says_expression_line_and_place():
    """Every value can say by which expression it was read, and from where."""
    code, out, _ = wmap("describe", "-f", EXAMPLE, "--explain")
    assert code == 0
    assert '"leader"  from .spec.replicatedJobs[0].name' in out


def test_get_is_a_line_an_object():
    """A table has a head and one line for each object."""
    code, out, _ = wmap("get", "-f", EXAMPLE.parent)
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["NAMESPACE", "NAME", "KIND", "PHASE", "PODS", "GPUS"],
        ["training", "leader-workers", "JobSet", "Initializing", "3", "12"],
    ]
    assert wmap("get", "-f", EXAMPLE, "-o", "wide")[1].splitlines()[1].split()[6:8] == ["3", "1x3"]


def test_objects_come_from_standard_input_lists_and_json_lines(tmp_path):
    """YAML, JSON, JSON Lines and List objects are read alike, from files and standard input."""
    _, text, _ = wmap("suspend", "-f", EXAMPLE, "-o", "json")
    obj = json.loads(text)
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": [obj, obj]})
    lines = json.dumps(obj) + "\n\n" + json.dumps(obj) + "\n"
    typed = json.dumps(
        {
            "apiVersion": obj["apiVersion"],
            "kind": "JobSetList",
            "items": [{k: v for k, v in obj.items() if k in ("metadata", "spec")}],
        },
        indent=1,
    )
    for source, count in (
        (listed, 2),
        (lines, 2),
        (typed, 1),
        (json.dumps(obj, indent=2), 1),
        (EXAMPLE.read_text() + "---\n---\n" + EXAMPLE.read_text(), 2),
    ):
        code, out, err = wmap("get", "-f", "-", "-o", "jsonl", stdin=source)
        assert (code, err) == (0, "")
        assert [json.loads(line)["totals"]["pods"] for line in out.splitlines()] == [3] * count
    (tmp_path / "a.jsonl").write_text(lines)
    assert len(wmap("get", "-f", tmp_path)[1].splitlines()) == 3


def test_pods_are_attributed(tmp_path):
    """With pods, each is attributed or listed as unmatched."""
    labels = {"jobset.sigs.k8s.io/replicatedjob-name": "leader"}
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": n, "labels": x}} for n, x in (("p", labels), ("q", {}))
    ]
    file = tmp_path / "pods.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "PodList", "items": pods}))
    code, out, _ = wmap("describe", "-f", EXAMPLE, "--pods", file)
    assert code == 0
    assert "pod     p: replicatedjob leader" in out
    assert "pod     q: unmatched" in out


def test_eval_prints_one_value_a_line():
    """An expression gives one JSON value a line; a bad one says the column."""
    assert wmap("eval", "-f", EXAMPLE, ".spec.replicatedJobs[].name")[:2] == (0, '"leader"\n"workers"\n')
    code, out, err = wmap("eval", "-f", EXAMPLE, ".a | del(.b)")
    assert (code, out) == (2, "")
    assert "column 6" in err
    assert wmap("eval", "-f", EXAMPLE, ".spec[].x")[0] == 1


def test_change_and_suspend_print_a_patch():
    """A change is the whole object, a merge patch or a JSON patch."""
    code, out, _ = wmap("suspend", "-f", EXAMPLE, "-o", "merge-patch")
    assert (code, json.loads(out)) == (0, {"spec": {"suspend": True}})
    code, out, _ = wmap(
        "change",
        "-f",
        EXAMPLE,
        "--component",
        "replicatedjob",
        "--instance",
        "leader",
        "--set",
        "image=x:2",
        "-o",
        "json-patch",
    )
    operations = json.loads(out)
    assert [o["path"].rpartition("/")[2] for o in operations] == ["name", "name", "image", "image"]
    assert [o["op"] for o in operations] == ["test", "test", "test", "replace"]
    code, out, _ = wmap("resume", "-f", EXAMPLE)
    assert "suspend: false" in out


def test_the_catalog_is_clean():
    """The catalog of the project has nothing to warn of, and all levels ran."""
    code, out, _ = wmap("validate", "-o", "json")
    document = json.loads(out)
    schema = Draft202012Validator(json.loads((REPOSITORY / "schemas" / "validate.schema.json").read_text()))
    assert list(schema.iter_errors(document)) == []
    assert {f["severity"] for f in document["findings"]} <= {"info"}
    assert (code, document["summary"]["errors"], document["summary"]["warnings"], document["notRun"]) == (0, 0, 0, [])


def test_a_finding_fails_the_run_and_shows_its_place(tmp_path):
    """A definition with a wrong path is exit 1, with file, line, column, the piece and a hint."""
    source = REPOSITORY / "catalog" / "jobset" / "jobset-x-k8s-io-jobset-v1alpha2.yaml"
    file = tmp_path / source.name
    file.write_text(
        source.read_text().replace(
            "instanceIdPath: .spec.replicatedJobs[]?.name", "instanceIdPath: .spec.replicatedJobs[]?.name // 1"
        )
    )
    code, out, _ = wmap("validate", file)
    assert code == 1
    assert "L203 default-outside-iteration" in out
    assert "not run: fixture of jobset-x-k8s-io-jobset-v1alpha2: level lint found errors" in out
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "name // 1" in text)
    assert f"{file}:{line}:23: error" in out
    code, out, _ = wmap("validate", file, "-o", f"json={tmp_path / 'out.json'}", "-o", "text", "--level", "schema")
    assert (code, json.loads((tmp_path / "out.json").read_text())["findings"]) == (0, [])


def test_a_fixture_that_disagrees_is_found(tmp_path):
    """A fixture that expects another count is an error at the line of the expectation."""
    source = REPOSITORY / "catalog" / "jobset" / "jobset-x-k8s-io-jobset-v1alpha2.yaml"
    (tmp_path / "catalog" / "jobset").mkdir(parents=True)
    (tmp_path / "catalog" / "jobset" / source.name).write_text(source.read_text())
    fixture = tmp_path / "fixtures" / source.stem / "one.yaml"
    fixture.parent.mkdir(parents=True)
    good = REPOSITORY / "fixtures" / source.stem / "zero-replicas.yaml"
    fixture.write_text(good.read_text().replace("totals: {pods: 2, gpus: 16}", "totals: {pods: 3, gpus: 16}"))
    (fixture.parent / "broken.yaml").write_text("description: x\nobject: {kind: A}\n")
    (tmp_path / "fixtures" / "unknown").mkdir()
    code, out, _ = wmap("--catalog", tmp_path / "catalog", "validate", "-o", "json")
    found = {(f["code"], f["message"]) for f in json.loads(out)["findings"]}
    assert code == 1
    assert ("F001", "expect.totals.pods: expected 3, got 2") in found
    assert {c for c, _ in found} >= {"F001", "F002", "F004"}


def test_rules_are_explained():
    """A rule says what it holds, why, and shows a bad and a good example."""
    code, out, _ = wmap("rule", "l203")
    assert code == 0
    assert all(word in out for word in ("L203 default-outside-iteration", "Why:", "Bad:", "Good:"))
    assert len(wmap("rule")[1].splitlines()) > 40
    assert wmap("rule", "X999")[0] == 2


def test_the_catalog_lists_and_shows_its_definitions():
    """The list names each definition with its kind; show prints the file."""
    assert "ray-io-raycluster-v1" in wmap("catalog", "list")[1]
    assert wmap("catalog", "show", "ray-io-raycluster-v1")[1].startswith("# RayCluster")
    assert wmap("catalog", "show", "ray-io-rayclster-v1")[0] == 2


def test_start_up_loads_no_heavy_library():
    """--version and --help import neither jsonschema nor lark nor rich nor yaml."""
    program = "import sys\nfrom wmap.cli.main import run\nsys.argv[1:] = ['%s']\nrun()\nprint(sorted({'jsonschema', 'lark', 'rich', 'yaml'} & set(sys.modules)))"
    for option in ("--version", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", program % option], capture_output=True, text=True, env=ENVIRONMENT, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"
    assert wmap("--version")[1].startswith("wmap ")


BAD = {
    "missing": (["describe", "-f", "nowhere.yaml"], None, 2, "does not exist"),
    "empty name": (["get", "-f", ""], None, 2, "the name of a file is empty"),
    "empty folder": (["get", "-f", "empty"], None, 2, "holds no file"),
    "no kind": (["describe", "-f", "-"], "a: 1\n", 1, "no kind"),
    "no version": (["describe", "-f", "-"], "kind: JobSet\n", 1, "no apiVersion"),
    "a list": (["describe", "-f", "-"], "- 1\n", 1, "no object"),
    "nothing": (["describe", "-f", "-"], "", 1, "empty"),
    "not yaml": (["describe", "-f", "-"], "a: [", 1, "not YAML"),
    "not json": (["describe", "-f", "broken.json"], None, 1, "not JSON"),
    "unknown kind": (
        ["describe", "-f", "-"],
        "apiVersion: ray.io/v1\nkind: RayClusters\n",
        1,
        "the nearest is ray.io/v1 RayCluster",
    ),
    "pods of another kind": (["describe", "-f", str(EXAMPLE), "--pods", str(EXAMPLE)], None, 1, "among the pods"),
    "no file": (["describe"], None, 2, "Missing option"),
    "unknown command": (["desribe"], None, 2, "No such command"),
    "unknown format": (["validate", "-o", "xml"], None, 2, "there are: text, json"),
    "unknown catalog": (["--catalog", "nowhere", "validate"], None, 2, "no catalog"),
    "two objects": (["suspend", "-f", str(EXAMPLE), "-f", str(EXAMPLE)], None, 2, "takes one"),
    "validate nothing": (["validate", "nowhere.yaml"], None, 2, "does not exist"),
    "unwritable": (["validate", "-o", "json=nowhere/x.json"], None, 3, "cannot be written"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_message(case, tmp_path):
    """Bad input gives one message with a hint and the documented exit code, and writes nothing."""
    arguments, stdin, expected, words = BAD[case]
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.json").write_text('{"a": 1')
    code, out, err = wmap(*arguments, stdin=stdin, cwd=tmp_path)
    assert (code, out) == (expected, "")
    assert words in err


MIXED = """
{apiVersion: v1, kind: ConfigMap}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}}
---
{apiVersion: v1, kind: Service}
---
{apiVersion: v1, kind: ConfigMap}
"""


@pytest.mark.parametrize("call", [("describe",), ("describe", "-o", "jsonl"), ("get",), ("get", "-o", "json")])
def test_objects_of_kinds_without_a_definition_are_skipped(call):
    """What can be read is printed; the kinds of what cannot are named in one line, and that is no error."""
    code, out, err = wmap(*call, "-f", "-", stdin=MIXED)
    assert (code, "Pod" in out, "ConfigMap" in out) == (0, True, False)
    assert err == "wmap: skipped 3 objects of kinds without a definition: v1 ConfigMap (2), v1 Service\n"


@pytest.mark.parametrize("call", [("describe",), ("get",), ("get", "-o", "json")])
def test_without_an_object_that_can_be_read_the_first_kind_is_an_error(call):
    """Where no object can be read nothing is printed, and the first says which kinds are known."""
    code, out, err = wmap(*call, "-f", "-", stdin="{apiVersion: v1, kind: ConfigMap}")
    assert (code, out) == (1, "")
    assert "no definition reads v1 ConfigMap" in err


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"), (b"[]", "list"), (b"a: [", "not YAML"), (b"a: \x00", "NUL"), (b"x" * (51 * 2**20), "at most"), (b"\xff", "UTF-8"),
    ],
)  # fmt: skip
def test_a_bad_definition_is_a_finding(data, words, tmp_path):
    """What is no definition is a finding of level schema, exit 1."""
    file = tmp_path / "x.yaml"
    file.write_bytes(data)
    code, out, _ = wmap("validate", file)
    assert code == 1
    assert words in out
    assert "not run: lint of x: level schema found errors" in out


def test_a_closed_pipe_ends_quietly(tmp_path):
    """When the reader of the output goes away, as `head` does, nothing is said, and the exit code is 3."""
    file = tmp_path / "many.jsonl"
    obj = json.loads(wmap("suspend", "-f", EXAMPLE, "-o", "json")[1])
    file.write_text((json.dumps(obj) + "\n") * 500)
    process = subprocess.Popen(
        [sys.executable, "-m", "wmap", "get", "-f", str(file), "-o", "jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=60) == 3
    assert err == ""


def test_a_short_output_into_a_closed_pipe_ends_quietly():
    """The same holds where the output fits into the buffer and is only written at the end."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "wmap", "catalog", "list"],
            stdout=gone,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            check=False,
        )
    assert (done.returncode, done.stderr) == (3, b"")


def test_bench_measures_and_writes_json(tmp_path):
    """A quick bench says the machine and gives minimum and median of each measurement."""
    code, out, _ = wmap("bench", "--quick", "--json", tmp_path / "bench.json")
    document = json.loads((tmp_path / "bench.json").read_text())
    assert code == 0
    assert "read one JobSet of two groups" in out
    assert all(0 < m["min"] <= m["median"] <= m["max"] for m in document["seconds"].values())
