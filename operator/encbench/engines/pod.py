"""What every engine's database pod has in common: the agent, readiness, the volume.

What it shares with the clients' pods is in `core.pods`.
"""

from dataclasses import dataclass
from typing import Any

from encbench.api.base import Resources
from encbench.core.pods import container_security, mount, resources, secret_volume
from encbench.engines.context import DatabaseContext
from encbench.ports import Body

AGENT_PORT = 9470
AGENT_CPU = "50m"
AGENT_MEMORY = "96Mi"
AGENT_CREDENTIALS = "/etc/encbench/agent"

HEALTH_PERIOD = 2
"""Seconds between readiness queries. The agent answers them over its open connection: a client
process started in the server's container each time would cost more CPU than the agent itself."""


@dataclass(frozen=True)
class AgentSetup:
    """Where the agent finds the server."""

    engine: str
    volume: str
    """Mount point of the data volume, as in the server's container."""
    socket: str
    """The server's unix socket, on the data volume."""


def server_resources(own: Resources) -> Body:
    """The template's resources."""
    return resources(own.cpu, own.memory)


def readiness() -> Body:
    """Ready while the agent's query is answered.

    There is no liveness probe and no startup probe: either could only cause a restart, and a
    restart during a measurement must be seen, not made.
    """
    return {
        "httpGet": {"path": "/healthz", "port": AGENT_PORT},
        "periodSeconds": HEALTH_PERIOD,
        "timeoutSeconds": 3,
        "failureThreshold": 3,
    }


def agent(context: DatabaseContext, setup: AgentSetup) -> Body:
    """The agent's container. It mounts the volumes `data` (read-only) and `agent-credentials`."""
    environment = {
        "ENCBENCH_ENGINE": setup.engine,
        "ENCBENCH_VOLUME": setup.volume,
        "ENCBENCH_SOCKET": setup.socket,
        "ENCBENCH_CREDENTIALS": AGENT_CREDENTIALS,
        "ENCBENCH_PORT": str(AGENT_PORT),
    }
    return {
        "name": "agent",
        "image": context.agent_image,
        "imagePullPolicy": context.agent_pull_policy,
        "command": ["python3", "-m", "encbench.sidecars.agent"],
        "env": [{"name": name, "value": value} for name, value in environment.items()],
        "ports": [{"name": "metrics", "containerPort": AGENT_PORT, "protocol": "TCP"}],
        "resources": resources(AGENT_CPU, AGENT_MEMORY),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            mount("data", setup.volume),
            mount("agent-credentials", AGENT_CREDENTIALS),
        ],
    }


def agent_volume(context: DatabaseContext) -> Body:
    """The entries of the credentials that the agent needs."""
    entries = {"agent-password": "agent-password", "token": "token"}
    return secret_volume("agent-credentials", context.credentials_name, entries)


def service(context: DatabaseContext, port: int) -> Body:
    """A headless Service: clients resolve the pod's own address, and no proxy stands between."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": context.metadata(context.name),
        "spec": {
            "clusterIP": "None",
            "selector": context.selector,
            "ports": [_service_port("database", port), _service_port("metrics", AGENT_PORT)],
        },
    }


def _service_port(name: str, port: int) -> Body:
    return {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}


def volume_claim(context: DatabaseContext) -> Body:
    """The claim of the data volume.

    Owned by the testbed rather than made by the StatefulSet, whose claims outlive it by default.
    """
    storage = context.spec.instance.storage
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": storage.size}},
    }
    if storage.class_name is not None:
        spec["storageClassName"] = storage.class_name
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": context.metadata(context.claim_name),
        "spec": spec,
    }
