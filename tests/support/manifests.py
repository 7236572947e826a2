"""Small valid objects of each kind for tests; a test changes what it is about."""

import copy
from typing import Any

from encbench.api import kinds
from encbench.api.kinds import Kind
from encbench.ports import Body

IMAGE = "registry.example.com/tool:1"
UID = "6f9b2a51-0000-4000-8000-000000000001"

_RESOURCES = {"cpu": "1", "memory": "512Mi"}
_INSTANCE = {
    "engine": "mariadb",
    "version": "10.11",
    "image": IMAGE,
    "resources": _RESOURCES,
    "storage": {"size": "1Gi"},
}
_CLIENT = {"image": IMAGE, "resources": _RESOURCES}
_SYSBENCH = {"script": "oltp_read_write"}
_WORKLOAD = {"sysbench": _SYSBENCH, "load": {"concurrency": [8]}, "client": _CLIENT}
_ARM = {"name": "tde", "role": "treatment", "modeRef": "tde"}
_REF = {"name": "study", "uid": UID}

SPECS: dict[Kind, dict[str, Any]] = {
    kinds.INSTANCE_TEMPLATE: _INSTANCE,
    kinds.ENCRYPTION_MODE: {},
    kinds.WORKLOAD: _WORKLOAD,
    kinds.CAMPAIGN: {
        "matrix": [{"instanceRefs": ["small"], "modeRefs": ["tde"], "workloadRefs": ["oltp"]}],
        "baselineModeRef": "plain",
    },
    kinds.TESTBED: {
        "campaignRef": _REF,
        "cell": "c1",
        "instanceRef": "small",
        "arm": _ARM,
        "instance": _INSTANCE,
        "mode": {"atRest": {"method": "engine"}},
        "dataset": {"sysbench": _SYSBENCH, "client": _CLIENT},
        "maxConnections": 16,
        "stepDeadlines": {},
        "specHash": "0" * 64,
    },
    kinds.TRIAL: {
        "campaignRef": _REF,
        "testbedRef": _REF,
        "cell": "c1",
        "instanceRef": "small",
        "workloadRef": "oltp",
        "arm": _ARM,
        "block": 1,
        "order": 1,
        "concurrency": 8,
        "seed": 1,
        "workload": _WORKLOAD,
        "storagePrefix": "ns/study-6f9b2a51",
        "stepDeadlines": {},
        "specHash": "0" * 64,
    },
    kinds.OVERHEAD_REPORT: {"campaignRef": _REF},
}


def body(kind: Kind, name: str, namespace: str, **spec: Any) -> Body:
    """An object of one of our kinds; `spec` replaces fields of the small valid one.

    None removes a field.
    """
    whole = {name: value for name, value in {**SPECS[kind], **spec}.items() if value is not None}
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": copy.deepcopy(whole),
    }


def config_map(name: str, namespace: str, **data: str) -> Body:
    """A ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }


def job(name: str, namespace: str, image: str = IMAGE) -> Body:
    """A Job of one pod."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "tool", "image": image}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": {"spec": pod}},
    }
