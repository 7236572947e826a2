"""The children of a testbed whatever the engine: Secrets, ConfigMap, Service, claim, StatefulSet.

An engine says what goes in; `pod` has the parts of the pod itself. Secrets reach a container as
files, and only the entries that it needs.
"""

from collections.abc import Mapping
from typing import Any

from encbench.engines import confidential
from encbench.engines.context import DatabaseContext
from encbench.engines.pod import AGENT_PORT
from encbench.kube import labels, secrets
from encbench.ports import Body


def secret(context: DatabaseContext, name: str, entries: Mapping[str, str]) -> Body:
    """A Secret, immutable once created."""
    return secrets.secret(context.metadata(name), entries)


def config_map(context: DatabaseContext, files: Mapping[str, str]) -> Body:
    """Files for the server's containers; nothing secret in any."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": context.metadata(context.name),
        "data": {**files, **confidential.files(context)},
    }


def service(context: DatabaseContext, port: int) -> Body:
    """A headless Service: clients resolve the pod's own address, and no proxy stands between."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": context.metadata(context.name),
        "spec": {
            "clusterIP": "None",
            "selector": context.selector,
            "ports": [
                _service_port("database", port),
                _service_port("metrics", AGENT_PORT),
                *(_service_port(name, number) for name, number in confidential.ports(context)),
            ],
        },
    }


def volume_claim(context: DatabaseContext) -> Body:
    """The claim of the data volume.

    Owned by the testbed rather than made by the StatefulSet, whose claims outlive it by default.
    """
    storage, volume = context.spec.instance.embedded.storage, context.spec.mode.volume
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": storage.size}},
    }
    class_name = (volume and volume.storage_class_name) or storage.class_name
    if class_name is not None:
        spec["storageClassName"] = class_name
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": context.metadata(context.claim_name),
        "spec": spec,
    }


def stateful_set(context: DatabaseContext, pod_spec: Body) -> Body:
    """The database. Its pod is replaced only when it is deleted, never by a changed template.

    An upgrade of the operator changes the agent's image: a rolling update would then restart every
    database in the middle of its trials.
    """
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": context.metadata(context.name),
        "spec": {
            "serviceName": context.name,
            "replicas": 1,
            "selector": {"matchLabels": context.selector},
            "updateStrategy": {"type": "OnDelete"},
            "template": {
                "metadata": {"labels": {**context.labels, labels.SCRAPE: "true"}},
                "spec": pod_spec,
            },
        },
    }


def _service_port(name: str, port: int) -> Body:
    return {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}
