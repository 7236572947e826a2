"""The children of a testbed that are PostgreSQL's own: Secret, ConfigMap, StatefulSet.

The init container gets `init.sql`, the server its certificate, the agent its own password and the
token, a client the rest.
"""

from importlib import resources

from encbench.api.scalars import parse_quantity
from encbench.engines import children, pod, tls
from encbench.engines.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.engines.postgresql import users
from encbench.engines.postgresql.layout import PASSWD, POD, PORT
from encbench.engines.postgresql.settings import openssl_conf, server_conf
from encbench.engines.users import entries, generate
from encbench.kube import pods
from encbench.ports import Body

SCRIPTS = ("initialise.sh", "start.sh")

_USERS = f"encbench:x:{pods.USER_ID}:{pods.USER_ID}::/:/bin/sh\n"


def credentials_secret(context: DatabaseContext, random_token: RandomToken) -> Body:
    """Users, passwords and token, fresh at each call; immutable once created."""
    made = generate(random_token)
    texts = entries(made, users.sysbench_conf(made), users.init_sql(made))
    return children.secret(context, context.credentials_name, texts)


def keys_secret(_context: DatabaseContext, _random_token: RandomToken) -> Body | None:
    """No mode of PostgreSQL has a key of the server's own."""
    return None


def config_map(context: DatabaseContext) -> Body:
    """Settings, rules of access, the name of the user, and the scripts; nothing secret in any."""
    in_transit = context.spec.mode.in_transit
    folder = resources.files("encbench.engines.postgresql")
    files = {
        "postgresql.conf": server_conf(context.spec, POD),
        "pg_hba.conf": users.host_rules(tls=in_transit is not None),
        PASSWD: _USERS,
        **{name: folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS},
    }
    if in_transit is not None:
        files["openssl.cnf"] = openssl_conf(in_transit)
    return children.config_map(context, files)


def service(context: DatabaseContext) -> Body:
    """The headless Service."""
    return children.service(context, PORT)


def stateful_set(context: DatabaseContext) -> Body:
    """The database."""
    setup = pod.AgentSetup(
        engine="postgresql",
        volume=POD.volume,
        socket=POD.socket,
        cpu=_agent_cpu(context.spec.max_connections),
    )
    spec = pod.spec(
        context,
        setup,
        initialise=_initialise(context),
        server=_server(context),
        volumes=_volumes(context),
    )
    return children.stateful_set(context, spec)


def _agent_cpu(connections: int) -> str:
    """A tenth of a thousandth of a core more for each connection.

    Each is a process that is read each second, which costs 27 µs: so a reading takes a fraction of
    that second.
    """
    return f"{round(parse_quantity(pod.AGENT_CPU) * 1000) + connections // 10}m"


def _server(context: DatabaseContext) -> Body:
    mounts = [
        *pod.common_mounts(POD.volume, POD.config),
        pods.mount("shared-memory", "/dev/shm", read_only=False),  # noqa: S108 an emptyDir
        *tls.mounts(context),
    ]
    command = ["sh", POD.start, POD.volume, POD.server_conf]
    made = pod.server(context, PORT, command, mounts)
    if context.spec.mode.in_transit is not None:
        made["env"] = [{"name": "OPENSSL_CONF", "value": POD.openssl_conf}]
    return made


def _initialise(context: DatabaseContext) -> Body:
    return {
        **pod.container(context, "initialise"),
        "command": ["sh", POD.initialise, POD.volume, POD.server_conf, POD.init_sql],
        "volumeMounts": [
            *pod.common_mounts(POD.volume, POD.config),
            {**pods.mount("config", "/etc/passwd"), "subPath": PASSWD},
            pods.mount("server-credentials", POD.credentials),
        ],
    }


def _volumes(context: DatabaseContext) -> list[Body]:
    return [
        # A container's own /dev/shm holds 64 MiB, which one parallel query can fill. This one
        # counts as the server's memory.
        {"name": "shared-memory", "emptyDir": {"medium": "Memory"}},
        *pod.secret_volumes(context),
    ]
