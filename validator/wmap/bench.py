"""Measure: process CPU time, minimum and median of batches, with the machine described. Never a test."""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap._version import __version__
from wmap.api import Catalog
from wmap.catalog import default_folder, definition_files
from wmap.check import validate_paths
from wmap.definition import load_trusted
from wmap.expr import forget_parsed
from wmap.reading.objects import read_objects
from wmap.reading.plan import compile_plan

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTAINER = {
    "name": "main",
    "image": "registry.example/trainer:1",
    "resources": {"requests": {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "4"}},
}


def _template() -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "bench"}}, "spec": {"containers": [_CONTAINER]}}


def jobset(groups: int = 2) -> dict[str, Any]:
    """A new JobSet with that many groups."""
    jobs = [
        {"name": f"group-{i}", "replicas": 2, "template": {"spec": {"template": _template()}}} for i in range(groups)
    ]
    return _object("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": jobs})


def raycluster(groups: int = 2) -> dict[str, Any]:
    """A new RayCluster with that many worker groups."""
    workers = [
        {"groupName": f"group-{i}", "replicas": 2, "maxReplicas": 4, "template": _template()} for i in range(groups)
    ]
    return _object("ray.io/v1", "RayCluster", {"headGroupSpec": {"template": _template()}, "workerGroupSpecs": workers})


def pytorchjob() -> dict[str, Any]:
    """A new PyTorchJob with a master and workers."""
    specs = {"Master": {"replicas": 1, "template": _template()}, "Worker": {"replicas": 3, "template": _template()}}
    return _object("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": specs})


def _object(version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "bench", "namespace": "bench"}, "spec": spec}


def _batches(call: Callable[[], object], batches: int, times: int) -> list[float]:
    """Seconds of CPU for one call, batch by batch; the first call is not counted."""
    call()
    found = []
    for _ in range(batches):
        begin = time.process_time()
        for _ in range(times):
            call()
        found.append((time.process_time() - begin) / times)
    return found


def _summed(found: list[float], times: int) -> dict[str, float]:
    """The least and the median of batches."""
    return {
        "min": min(found),
        "median": statistics.median(found),
        "max": max(found),
        "batches": len(found),
        "times": times,
    }


def _timed(call: Callable[[], object], batches: int, times: int) -> dict[str, float]:
    return _summed(_batches(call, batches, times), times)


def measure(*, quick: bool = False) -> dict[str, Any]:
    """All measurements, in seconds of CPU of this process (start-up: wall time of a new process).

    What takes little is measured in rounds, one after the other, so that a machine that is slow for some seconds is not slow for
    all batches of one thing.
    """
    rounds, batches, times = (1, 3, 50) if quick else (10, 6, 400)
    many = 2_000 if quick else 10_000
    catalog = Catalog.load()
    results: dict[str, Any] = {}
    results["start: wmap --version"] = _started(3 if quick else 10)
    results["validate the catalog, parsed anew"] = _timed(_validated_anew, 1 if quick else 5, 1)
    results[f"read {many} mixed objects from JSON Lines"] = _stream(many)
    if not quick:
        results[f"read {10 * many} mixed objects from JSON Lines"] = _stream(10 * many, 1)
    pods = _pods(many)
    calls: dict[str, tuple[Callable[[], object], int, int]] = {}
    for name, pattern in (("JobSet", "jobset-*"), ("InferenceService, the largest", "*-inferenceservice-*")):
        file = next(f for f in definition_files(default_folder()) if f.match(f"{pattern}.yaml"))
        calls[f"load and compile one definition ({name})"] = partial(_compiled_anew, file.read_bytes()), 3, 1
    for name, obj in (
        ("JobSet of two groups", jobset()),
        ("RayCluster of two groups", raycluster()),
        ("PyTorchJob", pytorchjob()),
    ):
        calls[f"read one {name}"] = partial(catalog.read, obj), batches, times
    for count in (10, 100, 1_000, 10_000):
        calls[f"read a RayCluster of {count} groups"] = (
            partial(catalog.read, raycluster(count)), 1, max(1, 1_000 // count)
        )  # fmt: skip
    calls[f"attribute {many} pods"] = partial(catalog.read, jobset(), pods), 1, 1
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, (call, number, repeated) in calls.items():
            found[name] += _batches(call, number, repeated)
    results |= {name: _summed(found[name], repeated) for name, (_, _, repeated) in calls.items()}
    return {"schemaVersion": 1, "machine": _machine(), "seconds": results}


def _validated_anew() -> None:
    """Judge the catalog as a new process does, but for loading Python itself."""
    forget_parsed()
    validate_paths([])


def _compiled_anew(definition: bytes) -> None:
    """Load and compile a definition of which no expression was parsed before."""
    forget_parsed()
    compile_plan(load_trusted(definition))


def _pods(count: int) -> list[dict[str, Any]]:
    prefix = "jobset.sigs.k8s.io/"
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"bench-group-{i % 2}-{i}",
                "namespace": "bench",
                "labels": {
                    f"{prefix}jobset-name": "bench",
                    f"{prefix}replicatedjob-name": f"group-{i % 2}",
                    f"{prefix}job-index": str(i // 2),
                },
                "ownerReferences": [
                    {
                        "apiVersion": "batch/v1",
                        "kind": "Job",
                        "name": f"bench-group-{i % 2}-{i // 2}",
                        "controller": True,
                    }
                ],
            },
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        }
        for i in range(count)
    ]


def _stream(many: int, batches: int = 3) -> dict[str, float]:
    """Reading a stream, in a process of its own, so that the peak of memory is that of the stream alone."""
    call = [sys.executable, "-m", "wmap.bench", str(many), str(batches)]
    done = subprocess.run(call, check=True, capture_output=True)  # noqa: S603  # ourselves
    result: dict[str, float] = json.loads(done.stdout)
    return result


def stream_here(many: int, batches: int) -> dict[str, float]:
    """Read that many mixed objects from JSON Lines: seconds of CPU, and the peak of this process's memory in MiB."""
    catalog = Catalog.load()
    objects = [json.dumps(o()) for o in (jobset, raycluster, pytorchjob)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "objects.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            lines.writelines(objects[i % 3] + "\n" for i in range(many))

        def run() -> int:
            return sum(r.totals.pods for r in catalog.read_many(o.value for o in read_objects([file])))

        result = _timed(run, batches, 1)
    result["peakMiB"] = _peak()
    return result


def _peak() -> float:
    """The peak of this process's memory in MiB: of its own, where the system says so; else with that of who started it."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _started(batches: int) -> dict[str, float]:
    found = []
    for _ in range(batches):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "wmap", "--version"], check=True, capture_output=True)  # ourselves
        found.append(time.perf_counter() - begin)
    return {"min": min(found), "median": statistics.median(found), "max": max(found), "batches": batches, "times": 1}


def _machine() -> dict[str, Any]:
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        model = next(
            (line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")),
            "",
        )
    return {
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "wmap": __version__,
    }


def render(result: dict[str, Any]) -> str:
    """The measurements as a table for people."""
    machine = result["machine"]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, wmap {machine['wmap']}",
        "",
    ]
    for name, m in result["seconds"].items():
        extra = f"   peak {m['peakMiB']:.0f} MiB" if "peakMiB" in m else ""
        lines.append(f"{name:45} min {_unit(m['min']):>10}   median {_unit(m['median']):>10}{extra}")
    return "\n".join(lines) + "\n"


def _unit(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.1f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


if __name__ == "__main__":
    print(json.dumps(stream_here(int(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201  # read by the bench that started it
