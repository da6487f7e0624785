"""A small right definition of a JobSet, and what breaks each property in it: the tests of the tests."""

from __future__ import annotations

GOOD = """\
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: jobset-x-k8s-io-jobset-v1alpha2}
spec:
  structureDefinition:
    rootComponent:
      name: jobset
      kind: {group: jobset.x-k8s.io, version: v1alpha2, kind: JobSet}
      statusDefinition:
        conditionsDefinition:
          {path: .status.conditions, typeFieldName: type, statusFieldName: status, reasonFieldName: reason, messageFieldName: message}
        statusMappings:
          completed: [{byConditions: [{type: Completed, status: "True"}]}]
          failed: [{byConditions: [{type: Failed, status: "True"}]}]
          running: [{byExpression: {expression: 'any(.status.replicatedJobsStatus[]?; .ready > 0)', expectedResult: "true"}}]
      suspendDefinition:
        suspendActions: [{path: .spec.suspend, value: "true"}]
        resumeActions: [{path: .spec.suspend, value: "false"}]
    childComponents:
    - name: replicatedjob
      ownerRef: jobset
      specDefinition: {podTemplateSpecPath: ".spec.replicatedJobs[]?.template.spec.template"}
      instanceIdPath: .spec.replicatedJobs[]?.name
      scaleDefinition:
        replicasPath: ".spec.replicatedJobs[]? | ([.replicas // 1, 0] | max) * (.template.spec.parallelism // 1)"
      podSelector:
        componentTypeSelector: {keyPath: '.metadata.labels["jobset.sigs.k8s.io/replicatedjob-name"]'}
        componentInstanceSelector: {idPath: '.metadata.labels["jobset.sigs.k8s.io/replicatedjob-name"]'}
"""
"""Holds all properties."""


def bad(right: str, wrong: str) -> str:
    """The right definition with something wrong in it.

    Raises:
        ValueError: what should be replaced is not there.
    """
    if right not in GOOD:
        raise ValueError(right)
    return GOOD.replace(right, wrong)
