"""The children of a testbed that are MariaDB's own: Secrets, ConfigMap, StatefulSet.

Secrets reach a container as files, and only the entries that it needs: the server gets `init.sql`
and the key file, the agent its own password and the token, a client the rest.
"""

import base64
from importlib import resources

from encbench.api import labels
from encbench.core import pods
from encbench.engines import pod
from encbench.engines.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.engines.mariadb import layout, users
from encbench.engines.mariadb.settings import server_cnf
from encbench.ports import Body

SHUTDOWN_SECONDS = 60
"""For the server to write what is dirty; a volume that goes with its testbed needs no more."""


def credentials_secret(context: DatabaseContext, random_token: RandomToken) -> Body:
    """Users, passwords and token, fresh at each call; immutable once created."""
    made = users.generate(random_token)
    entries = {
        "username": made.username,
        "password": made.password,
        "agent-password": made.agent_password,
        "token": made.token,
        "sysbench.conf": users.sysbench_conf(made),
        "init.sql": users.init_sql(made),
    }
    return _secret(context, context.credentials_name, entries)


def keys_secret(context: DatabaseContext, random_token: RandomToken) -> Body | None:
    """A fresh key file for file_key_management: one key of 256 bits with the number 1."""
    at_rest = context.spec.mode.at_rest
    if at_rest is None or at_rest.key_secret_ref is not None:
        return None
    return _secret(context, context.keys_name, {layout.KEY_FILE: f"1;{random_token(32)}\n"})


def config_map(context: DatabaseContext) -> Body:
    """The option file and the script that makes the data directory; nothing secret in either."""
    script = resources.files("encbench.engines.mariadb").joinpath("initialise.sh")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": context.metadata(context.name),
        "data": {
            "server.cnf": server_cnf(context.spec, layout.POD),
            "initialise.sh": script.read_text(encoding="utf-8"),
        },
    }


def service(context: DatabaseContext) -> Body:
    """The headless Service."""
    return pod.service(context, layout.PORT)


def volume_claim(context: DatabaseContext) -> Body:
    """The claim of the data volume."""
    return pod.volume_claim(context)


def stateful_set(context: DatabaseContext) -> Body:
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
                "spec": _pod_spec(context),
            },
        },
    }


def _secret(context: DatabaseContext, name: str, entries: dict[str, str]) -> Body:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": context.metadata(name),
        "type": "Opaque",
        "immutable": True,
        "data": {
            key: base64.b64encode(value.encode()).decode("ascii") for key, value in entries.items()
        },
    }


def _pod_spec(context: DatabaseContext) -> Body:
    instance = context.spec.instance
    spec: Body = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "shareProcessNamespace": True,
        "terminationGracePeriodSeconds": SHUTDOWN_SECONDS,
        "securityContext": pods.pod_security(),
        "initContainers": [_initialise(context)],
        "containers": [_server(context), pod.agent(context, _AGENT)],
        "volumes": _volumes(context),
    }
    if instance.image_pull_secrets:
        spec["imagePullSecrets"] = [{"name": name} for name in instance.image_pull_secrets]
    if instance.placement.node_selector:
        spec["nodeSelector"] = dict(instance.placement.node_selector)
    if instance.placement.tolerations:
        spec["tolerations"] = [entry.to_dict() for entry in instance.placement.tolerations]
    return spec


_AGENT = pod.AgentSetup(engine="mariadb", volume=layout.POD.volume, socket=layout.POD.socket)


def _server(context: DatabaseContext) -> Body:
    return {
        **_container(context, "server"),
        "command": [
            "mariadbd",
            f"--defaults-file={layout.POD.server_cnf}",
            # Not in the option file, which mariadb-install-db reads as well.
            f"--init-file={layout.POD.init_sql}",
        ],
        "ports": [{"name": "database", "containerPort": layout.PORT, "protocol": "TCP"}],
        "readinessProbe": pod.readiness(),
        "volumeMounts": [
            *_common_mounts(context),
            pods.mount("server-credentials", layout.POD.credentials),
        ],
    }


def _initialise(context: DatabaseContext) -> Body:
    """It may use what the server will: a pod requests the larger of init and main containers."""
    return {
        **_container(context, "initialise"),
        "command": ["sh", layout.POD.initialise, layout.POD.volume, layout.POD.server_cnf],
        "volumeMounts": _common_mounts(context),
    }


def _container(context: DatabaseContext, name: str) -> Body:
    instance = context.spec.instance
    return {
        "name": name,
        "image": instance.image,
        "imagePullPolicy": instance.image_pull_policy,
        "resources": pod.server_resources(instance.resources),
        "securityContext": pods.container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _common_mounts(context: DatabaseContext) -> list[Body]:
    mounts = [
        pods.mount("data", layout.POD.volume, read_only=False),
        pods.mount("config", layout.POD.config),
        pods.mount("scratch", "/tmp", read_only=False),  # noqa: S108 an emptyDir of this pod
    ]
    if context.spec.mode.at_rest is not None:
        mounts.append(pods.mount("keys", layout.POD.keys))
    return mounts


def _volumes(context: DatabaseContext) -> list[Body]:
    volumes: list[Body] = [
        {"name": "data", "persistentVolumeClaim": {"claimName": context.claim_name}},
        {"name": "config", "configMap": {"name": context.name}},
        {"name": "scratch", "emptyDir": {}},
        pods.secret_volume(
            "server-credentials", context.credentials_name, {"init.sql": "init.sql"}
        ),
        pod.agent_volume(context),
    ]
    at_rest = context.spec.mode.at_rest
    if at_rest is not None:
        own = at_rest.key_secret_ref
        secret, entry = (own.name, own.key) if own else (context.keys_name, layout.KEY_FILE)
        volumes.append(pods.secret_volume("keys", secret, {entry: layout.KEY_FILE}))
    return volumes
