"""What every engine's database pod has in common: its shape, the agent, readiness.

What it shares with the clients' pods is in `core.pods`; the other children are in `children`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.base import Resources
from encbench.engines import confidential, fuse, prepare, tls
from encbench.engines.context import DatabaseContext
from encbench.engines.images import server_image
from encbench.kube import pods
from encbench.kube.pods import container_security, mount, resources, secret_volume
from encbench.ports import Body

AGENT_PORT = 9470
AGENT_CPU = "50m"
AGENT_MEMORY = "96Mi"
AGENT_CREDENTIALS = "/etc/encbench/agent"

HEALTH_PERIOD = 2
"""Seconds between readiness queries. The agent answers them over its open connection: a client
process started in the server's container each time would cost more CPU than the agent itself."""

SHUTDOWN_SECONDS = 60
"""For the server to write what is dirty; a volume that goes with its testbed needs no more."""
SLOW_SHUTDOWN_SECONDS = 600


@dataclass(frozen=True)
class AgentSetup:
    """Where the agent finds the server."""

    engine: str
    volume: str
    """Mount point of the data volume, as in the server's container."""
    socket: str
    """The server's unix socket, on the data volume."""
    cpu: str = AGENT_CPU


def spec(
    context: DatabaseContext,
    setup: AgentSetup,
    *,
    initialise: Body,
    server: Body,
    volumes: Sequence[Body],
) -> Body:
    """The pod's spec: these two containers and the agent, on `volumes` and those that all have.

    All have `data` (the measured volume), `config` (the ConfigMap), `scratch` and the agent's own.
    """
    instance = context.spec.instance
    made: Body = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "shareProcessNamespace": True,
        "terminationGracePeriodSeconds": _shutdown_seconds(context),
        "securityContext": pods.pod_security(),
        "initContainers": [*prepare.containers(context), initialise],
        "containers": [server, agent(context, setup)],
        "volumes": [
            {"name": "data", "persistentVolumeClaim": {"claimName": context.claim_name}},
            {"name": "config", "configMap": {"name": context.name}},
            {"name": "scratch", "emptyDir": {}},
            *volumes,
        ],
    }
    if instance.image_pull_secrets:
        made["imagePullSecrets"] = [{"name": name} for name in instance.image_pull_secrets]
    if instance.placement.node_selector:
        made["nodeSelector"] = dict(instance.placement.node_selector)
    if instance.placement.tolerations:
        made["tolerations"] = [entry.to_dict() for entry in instance.placement.tolerations]
    return confidential.beside(context, fuse.between(context, made))


def _shutdown_seconds(context: DatabaseContext) -> int:
    """A server whose volume outlives it must end by itself, however much it has to write."""
    return SLOW_SHUTDOWN_SECONDS if context.spec.follows_trials else SHUTDOWN_SECONDS


def container(context: DatabaseContext, name: str) -> Body:
    """A container of the server's image; `command` and `volumeMounts` are its builder's.

    The init container may use what the server will: a pod requests the larger of init and main
    containers.
    """
    instance = context.spec.instance
    return {
        "name": name,
        "image": server_image(instance),
        "imagePullPolicy": instance.image_pull_policy,
        "resources": server_resources(instance.embedded.resources),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def server(
    context: DatabaseContext, port: int, command: Sequence[str], mounts: Sequence[Body]
) -> Body:
    """The server's own container, ready while it answers queries."""
    return {
        **container(context, "server"),
        "command": list(command),
        "ports": [{"name": "database", "containerPort": port, "protocol": "TCP"}],
        "readinessProbe": readiness(),
        "volumeMounts": list(mounts),
    }


_FILES = (
    "ulimit -S -n 65536 2>/dev/null || ulimit -S -n `ulimit -H -n`; "  # a runtime with fewer
    'exec "$0" "$@"'
)


def with_files(command: Sequence[str]) -> list[str]:
    """The command of a server that opens a file for each connection.

    Some runtimes give a process 1,024 until it asks. MariaDB asks for more than it needs, and where
    that is above what it may have goes on with those 1,024 and lets the other clients hang; and
    MySQL 5.7 lays out memory for each of the thousand million that other runtimes give.
    """
    return ["sh", "-c", _FILES, *command]


def common_mounts(volume: str, config: str) -> list[Body]:
    """Mounts of the volumes that every pod has, for the server's containers."""
    return [
        mount("data", volume, read_only=False),
        mount("config", config),
        mount("scratch", "/tmp", read_only=False),  # noqa: S108 an emptyDir of this pod
    ]


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
        "resources": resources(setup.cpu, AGENT_MEMORY),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            mount("data", setup.volume),
            mount("agent-credentials", AGENT_CREDENTIALS),
        ],
    }


def secret_volumes(context: DatabaseContext) -> list[Body]:
    """What every engine's server and agent need of the credentials, each no more than its own."""
    name = context.credentials_name
    own = {"agent-password": "agent-password", "token": "token"}
    return [
        secret_volume("server-credentials", name, {"init.sql": "init.sql"}),
        secret_volume("agent-credentials", name, own),
        *tls.volumes(context),
    ]
