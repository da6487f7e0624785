"""A target to try things on: a JobSet at its newest supported release, with the catalog's definition or another."""

from __future__ import annotations

from pathlib import Path

from wmap.contract import Store
from wmap.definition import load
from wmap.fuzz.podfile import load_pods
from wmap.fuzz.samples import of_fixtures
from wmap.fuzz.target import targets

REPOSITORY = Path(__file__).resolve().parents[2]
JOBSET = "jobset-x-k8s-io-jobset-v1alpha2"
STORE = Store()


def target_of(text, name=JOBSET, samples=True):
    """The target of a definition's text, with the pods and the samples of the catalog's fixtures."""
    result = load(text, file=f"{name}.yaml")
    assert result.definition is not None, result.findings
    folder = REPOSITORY / "fixtures" / name
    (found,) = targets(result.definition, STORE, None, load_pods(folder), of_fixtures(folder) if samples else ())
    return found


def catalog_target(name):
    """The target of a definition of the catalog."""
    (file,) = (REPOSITORY / "catalog").glob(f"*/{name}.yaml")
    return target_of(file.read_text(), name)


def jobset(*jobs, **more):
    """A JobSet with these replicated jobs."""
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "w", "namespace": "ns"},
        "spec": {"replicatedJobs": list(jobs)},
        **more,
    }


def job(name, replicas=1, **spec):
    """A replicated job of one container."""
    return {
        "name": name,
        "replicas": replicas,
        "template": {"spec": {**spec, "template": {"spec": {"containers": [{"name": "main", "image": "i"}]}}}},
    }
