"""The database's pod, assembled once: what every engine has, the engine's parts, the mode's.

`kube.pods` has what database and client pods share; `children` has the other objects.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from encbench.api.scalars import parse_quantity
from encbench.core.certificates import AUTHORITY, CERTIFICATE, FOLDER, KEY
from encbench.database import enclave, fuse, golden, proxy
from encbench.database.context import DatabaseContext
from encbench.engines.engine import ServerContainer
from encbench.engines.layout import CONFIG, CREDENTIALS, VOLUME
from encbench.kube import affinity, pods
from encbench.kube.pods import Part, mount, resources, secret_volume
from encbench.ports import Body
from encbench.wire import environment as names
from encbench.wire import sidecar

AGENT_PORT = 9470
"""Metrics and health, in the clear."""
AGENT_CONTROL_PORT = 9472
"""The rest, by TLS."""
AGENT_CPU = "50m"
AGENT_MEMORY = "96Mi"
AGENT_CREDENTIALS = "/etc/encbench/agent"

HEALTH_PERIOD = 2
"""Seconds between readiness queries. The agent answers them over its open connection, because
starting a client process in the server's container each time would cost more CPU than the agent."""

SHUTDOWN_SECONDS = 60
"""For the server to write dirty pages; a volume that is deleted with its testbed needs no more."""
SLOW_SHUTDOWN_SECONDS = 600
"""A server whose volume outlives it must end by itself, however much it still has to write."""


def spec(context: DatabaseContext) -> Body:
    """The pod's spec."""
    instance, programs = context.spec.instance, context.programs
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "shareProcessNamespace": True,
        "terminationGracePeriodSeconds": (
            SLOW_SHUTDOWN_SECONDS if context.spec.follows_trials else SHUTDOWN_SECONDS
        ),
        "securityContext": pods.pod_security(),
        "initContainers": [
            *golden.containers(context),
            *fuse.containers(context),
            _container(context, "initialise", context.engine.initialise),
        ],
        "containers": [_server(context), _agent(context), *proxy.containers(context)],
        "volumes": _volumes(context),
        "affinity": affinity.of_database(context.spec),
        **pods.placing(
            instance.placement, programs.marks, instance.image_pull_secrets, programs.pull_secrets
        ),
    }


def _container(
    context: DatabaseContext,
    name: str,
    own: ServerContainer,
    mounts: Sequence[Part] = (),
    **more: Any,
) -> Part:
    """A container of the server's image; `mounts` and `more` only the server's own container has.

    The init container may use as much as the server, because a pod requests the larger of its init
    and main containers.
    """
    instance, mode = context.spec.instance, context.spec.mode
    limits = instance.embedded.resources
    keys = _keys(context)
    has_tls13 = mode.in_transit is not None and mode.in_transit.version == "TLSv1.3"
    if has_tls13 and own.tls13_environment:
        more["env"] = pods.environment(own.tls13_environment)
    return pods.container(
        name,
        (instance.image, instance.image_pull_policy),
        own.command,
        resources(limits.cpu, limits.memory, context.spec.cpu_share),
        [
            fuse.data_mount(mode, read_only=False),
            mount("config", CONFIG),
            mount("scratch", "/tmp", read_only=False),  # noqa: S108 an emptyDir of this pod
            *own.mounts,
            *(mount(volume["name"], path) for path, volume in keys.items() if own.needs_keys),
            *(enclave.mounts(mode) if own.needs_keys else []),
            *([mount("server-credentials", CREDENTIALS)] if own.runs_init_sql else []),
            *mounts,
        ],
        **more,
    )


def _keys(context: DatabaseContext) -> dict[str, Part]:
    """The volumes of certificate and key for TLS, and of the key of TDE, by their folders.

    Every arm has certificates in its credentials Secret, so that arms differ in the mode only. Root
    owns the files and the pod's group reads them, mode 0440: PostgreSQL rejects a key with wider
    permissions.
    """
    mode, key, found = context.spec.mode, context.key_file, dict[str, Part]()
    if mode.in_transit is not None:
        entries = {name: name for name in (AUTHORITY, CERTIFICATE, KEY)}
        found[FOLDER] = secret_volume("tls", context.credentials_name, entries)
    if key is not None and mode.tde is not None:
        found[key.folder] = secret_volume("keys", context.keys_name, {key.name: key.name})
    return found


def _server(context: DatabaseContext) -> Part:
    """The server's own container, ready while the server answers the agent's query.

    It has no liveness probe and no startup probe: either could only cause a restart, and the
    operator must detect restarts during a measurement, not cause them.
    """
    engine, mode = context.engine, context.spec.mode
    command = [*engine.server.command, *proxy.server_arguments(mode)]
    return _container(
        context,
        "server",
        replace(engine.server, command=command),
        proxy.server_mounts(mode),
        ports=pods.ports({"database": engine.facts.port}),
        readinessProbe={
            "httpGet": {"path": "/healthz", "port": AGENT_PORT},
            "periodSeconds": HEALTH_PERIOD,
            "timeoutSeconds": 3,
            "failureThreshold": 3,
        },
    )


def _agent(context: DatabaseContext) -> Part:
    """The agent. It reads the data, and whatever else the mode's proof needs."""
    engine, mode = context.engine, context.spec.mode
    environment = {
        names.ENGINE: engine.facts.name,
        names.VOLUME: VOLUME,
        names.SOCKET: engine.socket,
        names.CREDENTIALS: AGENT_CREDENTIALS,
        names.PORT: str(AGENT_PORT),
        names.CONTROL_PORT: str(AGENT_CONTROL_PORT),
        **fuse.agent_environment(mode),
        **proxy.agent_environment(context),
        **enclave.agent_environment(mode),
    }
    mounts = [
        fuse.data_mount(mode, read_only=True),
        mount("agent-credentials", AGENT_CREDENTIALS),
        *fuse.agent_mounts(mode),
        *proxy.agent_mounts(mode),
        *enclave.mounts(mode),
    ]
    return pods.container(
        "agent",
        context.programs.operator,
        ["python3", "-m", "encbench.sidecars.agent"],
        _agent_resources(context),
        mounts,
        env=pods.environment(environment),
        ports=pods.ports({"metrics": AGENT_PORT, "control": AGENT_CONTROL_PORT}),
    )


def _agent_resources(context: DatabaseContext) -> Part:
    """Where each connection is a process, a thousandth of a core more for every ten of them.

    Reading a process takes 27 µs of CPU, once a second; with this share a reading of all of them
    ends well within its second.

    A proof that searches every file takes seconds with so little. Databases that take turns are not
    of the class Guaranteed anyway, so their agents may use more, which they do between trials.
    """
    cpu, share = round(parse_quantity(AGENT_CPU) * 1000), context.spec.cpu_share
    if context.engine.process_per_connection:
        cpu += context.spec.max_connections // 10
    return resources(f"{cpu * share}m", AGENT_MEMORY, share)


def _volumes(context: DatabaseContext) -> list[Part]:
    """Secrets reach each container as files, and only the entries that it needs."""
    name, mode = context.credentials_name, context.spec.mode
    own = {entry: entry for entry in ("agent-password", *proxy.agent_entries(mode))}
    return [
        *fuse.data_volumes(context),
        {"name": "config", "configMap": {"name": context.name}},
        {"name": "scratch", "emptyDir": {}},
        *context.engine.volumes,
        secret_volume("server-credentials", name, {"init.sql": "init.sql"}),
        secret_volume("agent-credentials", name, own | sidecar.mounted("agent")),
        *_keys(context).values(),
        *proxy.volumes(context),
        *enclave.volumes(context),
    ]
