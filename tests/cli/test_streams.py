"""What is listed is read and written as a stream: memory does not grow with the count, and the bytes stay the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wmap.report.data import dump, dump_list

JOB = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "spec": {
        "replicatedJobs": [
            {
                "name": "workers",
                "replicas": 2,
                "template": {"spec": {"parallelism": 3, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}},
            }
        ]
    },
}  # fmt: skip
PROGRAM = """
import sys
from wmap.cli.main import main
sys.argv[0] = "wmap"
try:
    main()
finally:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(int(peak.split()[1]) // 1024, file=sys.stderr)
"""
"""Says the peak of its own memory. What ``getrusage`` says begins at the size of the process that started it."""
ROOM = 6
"""MiB by which a run of ten times as many objects may differ: noise of the allocator."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of JSON Lines, by how many objects they hold."""
    folder = tmp_path_factory.mktemp("objects")
    found = {}
    for count in (200, 2_000, 20_000):
        found[count] = folder / f"{count}.jsonl"
        with found[count].open("w") as lines:
            for i in range(count):
                lines.write(json.dumps({**JOB, "metadata": {"name": f"job-{i}", "namespace": "n"}}) + "\n")
    return found


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="not run: the peak is read from /proc")


def _peak(file, form, count):
    """List the file in a process of its own; gives the peak of its memory in MiB, and checks that all was listed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "get", "-f", str(file), "-o", form],
        capture_output=True,
        check=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.stdout.count(b"job-") == count
    return int(done.stderr)


@needs_proc
@pytest.mark.parametrize(
    ("form", "few", "many"), [("jsonl", 2_000, 20_000), ("json", 2_000, 20_000), ("yaml", 200, 2_000)]
)
def test_memory_does_not_grow_with_the_count(files, form, few, many):
    """Ten times as many objects take no more memory."""
    assert _peak(files[many], form, many) - _peak(files[few], form, few) < ROOM


@needs_proc
def test_a_table_keeps_its_cells_alone(files):
    """A table of 18,000 lines more takes the room of their cells, about half a kibibyte each, and not that of readings."""
    assert _peak(files[20_000], "table", 20_000) - _peak(files[2_000], "table", 2_000) < 20


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("documents", [[], [{"a": 1}], [{"a": [1, {"b": "x\ny"}]}, {}, {"c": None}]])
def test_a_list_in_pieces_has_the_bytes_of_the_whole(documents, form):
    """Written as they come, documents give the same list as written at once."""
    assert b"".join(dump_list(iter(documents), form)) == dump(documents, form)
