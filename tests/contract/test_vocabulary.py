"""What the constants of a release are, and how they are read from a table."""

from __future__ import annotations

import pytest

from wmap.contract.framework import TermRule, load_frameworks
from wmap.contract.model import Term, TermKind, Vocabulary
from wmap.contract.vocabulary import apply_rules, classify, read_constants
from wmap.errors import InputError

TYPES = "api/v1/x_types.go"

# what the operators' sources and the reference pages say that these are
KNOWN = [
    # typed condition types, also of imported packages, also misspelt
    ("JobSetCompleted", "JobSetConditionType", "Completed", "condition"),
    ("HeadPodReady", "RayClusterConditionType", "HeadPodReady", "condition"),
    ("JobSucceeded", "JobConditionType", "Succeeded", "condition"),
    ("ConditionReady", "ConditionType", "Ready", "condition"),
    ("ServiceConditionRoutesReady", "apis.ConditionType", "RoutesReady", "condition"),
    ("EtcdReady", "MiluvsConditionType", "EtcdReady", "condition"),
    ("Initialized", "corev1.PodConditionType", "Initialized", "condition"),
    # untyped condition types
    ("NIMServiceConditionReady", "", "NIM_SERVICE_READY", "condition"),
    ("ConditionTypePodCliqueScheduled", "", "PodCliqueScheduled", "condition"),
    ("PodAutoscalerConditionSKSReady", "", "SKSReady", "condition"),
    ("TrainJobComplete", "string", "Complete", "condition"),
    ("TrainJobSuspended", "string", "Suspended", "condition"),
    # reasons
    ("JobFailed", "JobFailedReason", "AppFailed", "reason"),
    ("NoActiveCluster", "RayServiceConditionReason", "NoActiveCluster", "reason"),
    ("FailedJobsReason", "", "FailedJobs", "reason"),
    ("TrainJobSuspendedReason", "string", "Suspended", "reason"),
    ("ConditionReasonInSync", "", "InSync", "reason"),
    ("ReasonMilvusStopped", "string", "MilvusStopped", "reason"),
    ("mpiJobEvictReason", "", "MPIJobEvicted", "reason"),
    ("reason", "", "AllGroupsReady", "reason"),
    # phases
    ("JobStatusRunning", "JobStatus", "RUNNING", "phase"),
    ("JobDeploymentStatusComplete", "JobDeploymentStatus", "Complete", "phase"),
    ("Failed", "ClusterState", "failed", "phase"),
    ("PodGangPhaseRunning", "PodGangPhase", "Running", "phase"),
    ("StatusHealthy", "MilvusHealthStatus", "Healthy", "phase"),
    ("LauncherActive", "MPIJobLauncherStatusType", "Active", "phase"),
    ("NIMCacheStatusPVCCreated", "", "PVC-Created", "phase"),
    ("FailedState", "", "failed", "phase"),
    # labels
    ("RayClusterLabelKey", "", "ray.io/cluster", "label"),
    ("JobSetNameKey", "string", "jobset.sigs.k8s.io/jobset-name", "label"),
    ("GroupNameKey", "string", "jobset.sigs.k8s.io/group-name", "label"),
    ("ReplicatedJobReplicas", "string", "jobset.sigs.k8s.io/replicatedjob-replicas", "label"),
    ("LabelPodClique", "", "grove.io/podclique", "label"),
    ("KubeLabelDynamoComponent", "", "nvidia.com/dynamo-component", "label"),
    ("MultiNodeRoleLabelKey", "", "multinode/role", "label"),
    ("ReplicaTypeLabelDeprecated", "", "replica-type", "label"),
    ("labelMPIRoleType", "", "mpi-job-role", "label"),
    ("YuniKornPodApplicationIDLabelName", "string", "applicationId", "label"),
    ("InferenceServiceGenerationPodLabelKey", "", "isvc.generation", "label"),
    # annotations
    ("ExclusiveKeyAnnotationKey", "string", "leaderworkerset.sigs.k8s.io/exclusive-topology", "annotation"),
    ("AnnotationCheckSum", "", "checksum/config", "annotation"),
    ("annDGDSpec", "", "nvidia.com/dgd-spec", "annotation"),
    ("PodServiceLabelAddedAnnotation", "", "milvus.io/pod-service-label-added", "annotation"),
    ("ModelFormatAnnotationKey", "", "modelFormat", "annotation"),
    # what looks like one of them and is none
    ("ConditionSeverityInfo", "ConditionSeverity", "Info", "other"),
    ("RayClusterStatusConditions", "featuregate.Feature", "RayClusterStatusConditions", "other"),
    ("RestartPolicyNever", "RestartPolicy", "Never", "other"),
    ("noCMConditionMessage", "", "The ready condition does not exist.", "other"),
    ("TrainJobSuspendedMessage", "", "TrainJob is suspended", "other"),
    ("TrainJobKind", "string", "TrainJob", "other"),
    ("StatusPath", "", "/api/serve/deployments/status", "other"),
    ("GCSFaultToleranceRedisCleanupFinalizer", "", "ray.io/gcs-ft-redis-cleanup-finalizer", "other"),
    ("finalizerName", "", "nvidia.com/finalizer", "other"),
    ("KubeflowJobController", "", "kubeflow.org/mpi-operator", "other"),
    ("TPUContainerResourceName", "", "google.com/tpu", "other"),
    ("NoScheduleTaintKey", "string", "alpha.jobset.sigs.k8s.io/no-schedule", "other"),
    ("podGangSchedulingGate", "", "grove.io/podgang-pending-creation", "other"),
    ("MilvusIO", "", "milvus.io/", "other"),
    ("DefaultMilvusBaseImage", "", "milvusdb/milvus", "other"),
    ("LabelComponentNamePodGang", "", "podgang", "other"),
    ("AnnotationAutoMNNVLEnabled", "", "enabled", "other"),
    ("KubeLabelValueTrue", "", "true", "other"),
    ("LabelWorker", "", "worker", "other"),
    ("envNameStatusURL", "", "KUBEFLOW_TRAINER_SERVER_URL", "other"),
    ("JobOwnerKey", "", ".metadata.controller", "other"),
    ("DatasetMountPath", "string", "/workspace/dataset", "other"),
]


@pytest.mark.parametrize(("name", "go_type", "value", "kind"), KNOWN)
def test_a_constant_is_what_its_type_and_name_say(name, go_type, value, kind):
    """Type first, then a key with a slash, then the name."""
    assert classify(name, go_type, value, TYPES) is TermKind(kind)


def test_a_state_after_a_kind_is_a_condition_in_a_file_of_types_only():
    """Elsewhere such a constant may be anything."""
    assert classify("TrainJobFailed", "string", "Failed", "pkg/util.go") is TermKind.OTHER


def test_a_table_is_read_sorted_and_without_doubles():
    """Headers, blank lines, results of functions and doubles fall away."""
    text = (
        "name\ttype\tvalue\tfile\nb\tJobStatus\tX\tz.go\nb\tJobStatus\tX\tz.go\n\nerr\terrors.New\tno\tz.go\n"
        "setup\tctrl.Log.WithName\tsetup\tz.go\na\t\tray.io/cluster\ta.go\r\nempty\t\t\ta.go\n"
    )
    assert read_constants(text) == (
        Term("ray.io/cluster", TermKind.LABEL, "a", "", "a.go"),
        Term("X", TermKind.PHASE, "b", "JobStatus", "z.go"),
    )


@pytest.mark.parametrize("line", ["a\tb\tc", "\tb\tc\td", "a\tb\tc\td\te", "a\tb\tc\t"])
def test_a_line_with_other_columns_is_refused(line):
    """The message names the file and the line."""
    with pytest.raises(InputError, match=r"x\.tsv:2: \d columns; a constant has name, type, value and file"):
        read_constants(f"name\ttype\tvalue\tfile\n{line}\n", file="x.tsv")


def test_a_prefix_that_is_of_another_package_is_put_right():
    """A table may have taken GroupName from another package; the file's own GroupName tells, and only that file is changed."""
    text = (
        "GroupName\t\tserving.example\ta/r.go\nGroupNamePrefix\t\tscaling.example/\ta/r.go\n"
        "ServiceLabelKey\t\tscaling.example/service\ta/r.go\nSidecarKey\t\tqueue.scaling.example/cpu\ta/r.go\n"
        "ClassLabelKey\t\tscaling.example/class\tb/r.go\n"
    )
    values = {t.name: t.value for t in read_constants(text)}
    assert values["ServiceLabelKey"] == "serving.example/service"
    assert values["SidecarKey"] == "queue.serving.example/cpu"
    assert values["ClassLabelKey"] == "scaling.example/class"


@pytest.mark.upstream
def test_labels_of_knative_services_have_their_own_prefix(upstream):
    """The labels that Knative Serving writes on pods begin with serving.knative.dev, those of the autoscaler do not."""
    for table in sorted((upstream / "knative-serving").glob("*/constants.tsv")):
        values = {t.name: t.value for t in read_constants(table.read_text())}
        assert values["RevisionLabelKey"] == "serving.knative.dev/revision"
        assert values["MinScaleAnnotationKey"].startswith("autoscaling.knative.dev/min")


def test_rules_of_a_framework_win_over_the_name():
    """By Go name, by value, or both; the first that fits counts."""
    terms = read_constants("A\t\tOne\tx.go\nB\t\tOne\tx.go\nC\t\tTwo\tx.go\n")
    rules = (
        TermRule(TermKind.REASON, name="A", value="One"),
        TermRule(TermKind.PHASE, value="One"),
        TermRule(TermKind.LABEL, name="C"),
        TermRule(TermKind.OTHER, name="C"),
    )
    assert [t.kind for t in apply_rules(terms, rules)] == [TermKind.REASON, TermKind.PHASE, TermKind.LABEL]


@pytest.mark.upstream
@pytest.mark.parametrize(
    ("framework", "release", "kind", "values"),
    [
        ("jobset", "v0.11.1", "condition", {
            "Completed", "Failed", "Suspended", "StartupPolicyInProgress", "StartupPolicyCompleted"}),
        ("jobset", "v0.11.1", "phase", set()),
        ("lws", "v0.4.2", "condition", {"Available", "Progressing", "UpgradeInProgress"}),
        ("lws", "v0.5.1", "condition", {"Available", "Progressing", "UpdateInProgress"}),
        ("lws", "v0.4.2", "reason", {"AllGroupsReady", "GroupsAreProgressing", "GroupsAreUpgrading", "FailedCreate"}),
        ("kuberay", "v1.6.1", "condition", {
            "RayClusterProvisioned", "HeadPodReady", "ReplicaFailure", "RayClusterSuspending", "RayClusterSuspended",
            "Ready", "UpgradeInProgress", "RollbackInProgress"}),
        ("training-operator", "v1.9.0", "condition", {
            "Created", "Running", "Restarting", "Succeeded", "Suspended", "Failed", "Complete"}),
    ],
)  # fmt: skip
def test_the_catalogs_frameworks_have_the_words_of_their_reference_pages(
    upstream, repository, framework, release, kind, values
):
    """All condition types of a release are known, and nothing else is taken for one; so with phases and reasons."""
    rules = load_frameworks(repository / "catalog")[framework].vocabulary
    text = (upstream / framework / release / "constants.tsv").read_text()
    terms = apply_rules(read_constants(text), rules)
    assert set(Vocabulary(framework, release, terms).of(TermKind(kind))) == values


@pytest.mark.upstream
def test_a_state_that_is_never_written_is_in_the_vocabulary_and_in_a_note(upstream, repository):
    """The state failed of a RayCluster is no dead word by its source alone; since v1.2 a note tells."""
    framework = load_frameworks(repository / "catalog")["kuberay"]
    terms = read_constants((upstream / "kuberay" / "v1.6.1" / "constants.tsv").read_text())
    assert "failed" in Vocabulary("kuberay", "v1.6.1", terms).of(TermKind.PHASE)
    about = [n.about.value for n in framework.notes_about("RayCluster", "v1.6.1") if n.about]
    assert "failed" in about
    assert "failed" not in [n.about.value for n in framework.notes_about("RayCluster", "v1.1.1") if n.about]
