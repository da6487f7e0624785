"""A kind that is not in the catalog, and definitions of it made of pieces."""

from __future__ import annotations

from wmap.definition import load

ROOT = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: x-io-thing-v1}
spec:
  structureDefinition:
    rootComponent:
      name: thing
      kind: {group: x.io, version: v1, kind: Thing}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings: {running: [{byPhase: Up}]}
"""


def definition(children: str, *, root: str = "", more: str = ""):
    """A definition with these child components, more of the root component, and more behind the structure."""
    text = ROOT + root + "    childComponents:\n" + children + more
    result = load(text)
    assert result.definition is not None, result.findings
    return result.definition


def thing(spec, **more):
    """An object of the kind."""
    return {"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": "n"}, "spec": spec, **more}
