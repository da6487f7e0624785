"""The rules of level ``cluster``: what an API server with the CRDs of a release says of a definition. K0xx.

The examples are files: the CRD that is served, the definition, and a fixture.
"""

from __future__ import annotations

from wmap.check.rule import Rule
from wmap.findings import Level, Severity

_CRD = """\
# file: crds/jobs.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  names: {kind: Job, plural: jobs, singular: job, listKind: JobList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, minimum: 0, default: 1}
              paused: {type: boolean}
              template: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              phase: {type: string, enum: [Running, Failed]}
"""
_DEFINITION = """\
# file: catalog/one/example-com-job-v1.yaml
apiVersion: run.ai/v1alpha1
kind: Karta
metadata: {name: example-com-job-v1}
spec:
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: example.com, version: v1, kind: Job}
      specDefinition: {podTemplateSpecPath: .spec.template}
      scaleDefinition: {replicasPath: .spec.replicas // 1}
      statusDefinition:
        phaseDefinition: {path: .status.phase}
        statusMappings:
          running: [{byPhase: Running}]
          failed: [{byPhase: Failed}]
      suspendDefinition:
        suspendActions: [{path: .spec.paused, value: "true"}]
        resumeActions: [{path: .spec.paused, value: "false"}]
"""
_FIXTURE = """\
# file: fixtures/example-com-job-v1/one.yaml
description: a job of two pods
object:
  apiVersion: example.com/v1
  kind: Job
  metadata: {name: a, namespace: ns}
  spec: {replicas: 2, template: {spec: {containers: [{name: main, image: i}]}}}
  status: {phase: Running}
pods: [{metadata: {name: a-0, namespace: ns, labels: {job: a}}}]
expect: {totals: {pods: 2}, status: {phase: Running}, attribution: {pods: [{component: job}]}}
"""
GOOD = _CRD + _DEFINITION + _FIXTURE
_SERVER = "what kube-apiserver answers with the CRDs of the release"


def _rule(code: str, name: str, summary: str, rationale: str, bad: str, severity: Severity = Severity.ERROR) -> Rule:
    return Rule(code, name, Level.CLUSTER, severity, summary, rationale, _SERVER, bad, GOOD)


DRIFT = _rule(
    "K001",
    "served-schema-drifts",
    "The schema that a server serves is the contract that is stored of the release.",
    "A contract is read from files; what a cluster serves is what users have.",
    GOOD.replace("default: 1", "default: 3"),
)
REFUSED = _rule(
    "K002",
    "object-refused",
    "An API server takes the objects of fixtures and samples, strictly.",
    "What no server takes is no workload: a fixture of it shows nothing. One that shows odd input says why it is refused.",
    GOOD.replace("spec: {replicas: 2,", "spec: {replicas: -1,").replace("pods: 2}", "pods: 0}"),
)
TAKEN = _rule(
    "K003",
    "object-taken",
    "An object that a fixture says to be refused is refused.",
    "A reason that does not hold any more hides what the fixture could show.",
    GOOD.replace("expect: ", "refused: replicas must be odd\nexpect: "),
)
DEFAULTS = _rule(
    "K004",
    "default-missed",
    "An object reads the same before and after the server fills in its defaults.",
    "Consumers see some workloads before they are created, and most after: a default that a definition misses is two answers.",
    GOOD.replace(".spec.replicas // 1", ".spec.replicas // 2")
    .replace("spec: {replicas: 2, ", "spec: {")
    .replace("totals: {pods: 2}", "totals: {gpus: 0}"),
)
READING = _rule(
    "K005",
    "reading-on-cluster",
    "What came back from a server reads as the fixture says.",
    "A server drops and rewrites: the fixture must hold for what is really there.",
    GOOD.replace("type: object, x-kubernetes", "type: object, nullable: true, x-kubernetes").replace(
        "expect: {totals: {pods: 2}", "expect: {workload: {name: b}, totals: {pods: 2}"
    ),
)
STATUS_REFUSED = _rule(
    "K006",
    "status-refused",
    "An API server takes the statuses of fixtures.",
    "No operator can have written a status that the server refuses.",
    GOOD.replace("status: {phase: Running}\npods", "status: {phase: Paused}\npods").replace(
        "status: {phase: Running}, attr", "status: {phase: Undefined}, attr"
    ),
)
CHANGE = _rule(
    "K007",
    "change-on-cluster",
    "A change by a definition is taken by the server, and changes what it says and nothing else.",
    "A wrong path edits the wrong pod, or leaves an object that nobody can create.",
    GOOD.replace(
        "template: {type: object, x-kubernetes-preserve-unknown-fields: true}",
        "template: {type: object, properties: {spec: {type: object, properties: {containers: {type: array, items: {type: object, "
        "properties: {name: {type: string}, image: {type: string}}}}}}}}",
    ),
)
SUSPEND = _rule(
    "K008",
    "suspend-on-cluster",
    "Suspending and resuming are taken by the server, and read as that.",
    "A scheduler that suspends a workload counts on its pods going away.",
    GOOD.replace("suspendActions: [{path: .spec.paused", "suspendActions: [{path: .spec.stopped"),
)
PODS = _rule(
    "K009",
    "pods-on-cluster",
    "Pods that are created with a fixture's labels belong where the fixture says.",
    "Labels that no server takes, or that mean something else there, put pods into the wrong gang.",
    GOOD.replace("labels: {job: a}", 'labels: {job: "no label value"}'),
)
RULES: tuple[Rule, ...] = (DRIFT, REFUSED, TAKEN, DEFAULTS, READING, STATUS_REFUSED, CHANGE, SUSPEND, PODS)
