"""The children of a testbed that are MariaDB's own: Secrets, ConfigMap, StatefulSet.

The server gets `init.sql`, the key file and its certificate, the agent its own password and the
token, a client the rest.
"""

from importlib import resources

from encbench.engines import children, pod, tls
from encbench.engines.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.engines.innodb import children as innodb
from encbench.engines.innodb.layout import KEY_FILE, PORT
from encbench.engines.innodb.users import entries
from encbench.engines.mariadb.layout import POD
from encbench.engines.mariadb.settings import server_cnf
from encbench.engines.mariadb.users import init_sql
from encbench.engines.users import generate
from encbench.kube import pods
from encbench.ports import Body


def credentials_secret(context: DatabaseContext, random_token: RandomToken) -> Body:
    """Users, passwords and token, fresh at each call; immutable once created."""
    made = generate(random_token)
    texts = entries(made, init_sql(made, context.spec.mode))
    return children.secret(context, context.credentials_name, texts)


def keys_secret(context: DatabaseContext, random_token: RandomToken) -> Body | None:
    """A fresh key file for file_key_management: one key of 256 bits with the number 1."""
    at_rest = context.spec.mode.tde
    if at_rest is None or at_rest.key_secret_ref is not None:
        return None
    return children.secret(context, context.keys_name, {KEY_FILE: f"1;{random_token(32)}\n"})


def config_map(context: DatabaseContext) -> Body:
    """The option file and the script that makes the data directory; nothing secret in either."""
    script = resources.files("encbench.engines.mariadb").joinpath("initialise.sh")
    return children.config_map(
        context,
        {
            "server.cnf": server_cnf(context.spec, POD),
            "initialise.sh": script.read_text(encoding="utf-8"),
        },
    )


def service(context: DatabaseContext) -> Body:
    """The headless Service."""
    return children.service(context, PORT)


def stateful_set(context: DatabaseContext) -> Body:
    """The database."""
    setup = pod.AgentSetup(engine="mariadb", volume=POD.volume, socket=POD.socket)
    spec = pod.spec(
        context,
        setup,
        initialise=_initialise(context),
        server=innodb.server(context, "mariadbd", POD, _mounts(context)),
        volumes=_volumes(context),
    )
    return children.stateful_set(context, spec)


def _initialise(context: DatabaseContext) -> Body:
    return {
        **pod.container(context, "initialise"),
        "command": ["sh", POD.initialise, POD.volume, POD.server_cnf],
        "volumeMounts": _mounts(context),
    }


def _mounts(context: DatabaseContext) -> list[Body]:
    mounts = [*pod.common_mounts(POD.volume, POD.config), *tls.mounts(context)]
    if context.spec.mode.tde is not None:
        mounts.append(pods.mount("keys", POD.keys))
    return mounts


def _volumes(context: DatabaseContext) -> list[Body]:
    volumes = pod.secret_volumes(context)
    at_rest = context.spec.mode.tde
    if at_rest is not None:
        own = at_rest.key_secret_ref
        secret, entry = (own.name, own.key) if own else (context.keys_name, KEY_FILE)
        volumes.append(pods.secret_volume("keys", secret, {entry: KEY_FILE}))
    return volumes
