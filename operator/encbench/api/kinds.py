"""The kinds of `encbench.io`, and the Kubernetes kinds that the operator handles, as data."""

from dataclasses import dataclass

from encbench.api.base import API_VERSION


@dataclass(frozen=True)
class Kind:
    """How to address one kind of object on the API server."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool = True
    short: str = ""
    """What kubectl takes as well, where there is such a name."""


def _own(kind: str, plural: str, short: str = "") -> Kind:
    return Kind(API_VERSION, kind, plural, short=short)


INSTANCE_TEMPLATE = _own("InstanceTemplate", "instancetemplates", "itpl")
ENCRYPTION_MODE = _own("EncryptionMode", "encryptionmodes", "emode")
WORKLOAD = _own("Workload", "workloads", "ewl")
CAMPAIGN = _own("Campaign", "campaigns", "camp")
TESTBED = _own("Testbed", "testbeds", "tbed")
TRIAL = _own("Trial", "trials", "trl")
OVERHEAD_REPORT = _own("OverheadReport", "overheadreports", "ohr")

STATEFUL_SET = Kind("apps/v1", "StatefulSet", "statefulsets")
JOB = Kind("batch/v1", "Job", "jobs")
POD = Kind("v1", "Pod", "pods")
SERVICE = Kind("v1", "Service", "services")
SECRET = Kind("v1", "Secret", "secrets")
CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
PERSISTENT_VOLUME_CLAIM = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
PERSISTENT_VOLUME = Kind("v1", "PersistentVolume", "persistentvolumes", namespaced=False)
STORAGE_CLASS = Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", namespaced=False)
POD_DISRUPTION_BUDGET = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")
LEASE = Kind("coordination.k8s.io/v1", "Lease", "leases")
EVENT = Kind("events.k8s.io/v1", "Event", "events")
LIMIT_RANGE = Kind("v1", "LimitRange", "limitranges")
NODE = Kind("v1", "Node", "nodes", namespaced=False)
POLICY_BINDING = Kind(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    namespaced=False,
)
NAMESPACE = Kind("v1", "Namespace", "namespaces", namespaced=False)
