"""A bundle as manifests for ``kubectl apply``, as a kustomization, or as a Helm chart.

The definitions stand in the order of their names, after the CRD where that is asked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wmap.definition.crd import PLURAL, crd
from wmap.definition.yamlio import read_documents
from wmap.report.data import dump
from wmap.report.neutral import plain

if TYPE_CHECKING:
    from wmap.registry.bundle import Bundle

CHART = "workload-map-catalog"
MANAGED = "app.kubernetes.io/managed-by"
PART = "app.kubernetes.io/part-of"
BUNDLE = "wmap.dev/bundle"
FRAMEWORK = "wmap.dev/framework"
DIGEST = "wmap.dev/bundle-digest"

_CRD_FILE = f"crd-{PLURAL}.yaml"
_LONGEST = 63


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object for the API server, and the file that it goes into."""

    file: str
    document: dict[str, Any]


def manifests(bundle: Bundle) -> list[Manifest]:
    """The definitions of a bundle by name, with the labels that say where they came from; those that were yanked are left out."""
    made: list[Manifest] = []
    for entry in bundle.index.definitions:
        if entry.yanked is not None:
            continue
        (value, _), *_ = read_documents(bundle.files[entry.file].decode())
        metadata = dict(value["metadata"])
        metadata["labels"] = {
            **metadata.get("labels", {}), MANAGED: "wmap", PART: CHART, BUNDLE: label(bundle.version), FRAMEWORK: entry.framework,
        }  # fmt: skip
        metadata["annotations"] = {**metadata.get("annotations", {}), DIGEST: bundle.digest}
        made.append(Manifest(f"karta-{entry.name}.yaml", {**value, "metadata": metadata}))
    return made


def label(text: str) -> str:
    """A version as the value of a label, which has no ``+`` and at most 63 characters."""
    return text.replace("+", "_")[:_LONGEST].rstrip("-._")


def as_yaml(bundle: Bundle, *, with_crd: bool = False) -> bytes:
    """One stream of documents."""
    head = f"# workload map catalog {bundle.version}, {bundle.digest}{_left_out(bundle)}\n"
    documents = ([crd()] if with_crd else []) + [m.document for m in manifests(bundle)]
    return head.encode() + b"".join(b"---\n" + dump(d, "yaml") for d in documents)


def as_files(bundle: Bundle, form: str, *, with_crd: bool = False) -> dict[str, bytes]:
    """The files of a folder, by their path in it: ``dir``, ``kustomize`` or ``helm``.

    ``kubectl apply -f DIR`` takes the files of ``dir`` by name: the CRD stands first. A definition needs the CRD to be served; where both
    are applied at once and the first time, apply again, or wait for the CRD (``kubectl wait --for=condition=Established``).
    """
    found = manifests(bundle)
    if form == "helm":
        return _chart(bundle, found, with_crd=with_crd)
    files = {m.file: dump(m.document, "yaml") for m in found}
    if with_crd:
        files[_CRD_FILE] = dump(crd(), "yaml")
    if form == "kustomize":
        files["kustomization.yaml"] = dump(
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": sorted(files),
            },
            "yaml",
        )
    return dict(sorted(files.items()))


def _chart(bundle: Bundle, found: list[Manifest], *, with_crd: bool) -> dict[str, bytes]:
    chart = {
        "apiVersion": "v2",
        "name": CHART,
        "description": "Workload Map definitions: how the pods, replicas and status of AI workloads are read",
        "type": "application",
        "version": bundle.version,
        "appVersion": bundle.version,
        "annotations": {DIGEST: bundle.digest, "licenses": bundle.index.licence},
    }
    files = {"Chart.yaml": dump(chart, "yaml"), "values.yaml": b"# the chart has no values\n{}\n"}
    for manifest in found:
        files[f"templates/{manifest.file}"] = _literal(dump(manifest.document, "yaml"))
    if with_crd:
        # Helm installs what lies here first, and never as a template
        files[f"crds/{_CRD_FILE}"] = dump(crd(), "yaml")
    return dict(sorted(files.items()))


def _literal(text: bytes) -> bytes:
    """A text that Helm's templates give back as it is."""
    return text.replace(b"{{", b'{{ "{{" }}')


def _left_out(bundle: Bundle) -> str:
    return "".join(
        f"\n# left out: {e.name}, yanked: {plain(json.dumps(e.yanked))}"
        for e in bundle.index.definitions
        if e.yanked is not None
    )
