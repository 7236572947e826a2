"""The children of a testbed that are MySQL's own: Secrets, ConfigMap, StatefulSet.

The server gets `init.sql` and its certificate, the agent its own password and the token, a client
the rest.
"""

from importlib import resources

from encbench.engines import children, pod, tls
from encbench.engines.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.engines.innodb import children as innodb
from encbench.engines.innodb.layout import PORT
from encbench.engines.innodb.users import entries
from encbench.engines.mysql import keyring
from encbench.engines.mysql.flavour import FLAVOURS
from encbench.engines.mysql.layout import POD
from encbench.engines.mysql.settings import server_cnf
from encbench.engines.mysql.users import init_sql
from encbench.engines.users import generate
from encbench.ports import Body


def credentials_secret(context: DatabaseContext, random_token: RandomToken) -> Body:
    """Users, passwords and token, fresh at each call; immutable once created."""
    made = generate(random_token)
    flavour = FLAVOURS[context.spec.instance.engine]
    texts = entries(made, init_sql(made, context.spec.mode, flavour))
    return children.secret(context, context.credentials_name, texts)


def keys_secret(context: DatabaseContext, random_token: RandomToken) -> Body | None:  # noqa: ARG001
    """None: the server makes its master keys itself, in its keyring."""
    return None


def config_map(context: DatabaseContext) -> Body:
    """Option file, the keyring's files, and the script that makes the data directory."""
    script = resources.files("encbench.engines.mysql").joinpath("initialise.sh")
    spec = context.spec
    return children.config_map(
        context,
        {
            "server.cnf": server_cnf(spec, POD),
            **keyring.files(spec.mode, spec.instance.version, POD),
            "initialise.sh": script.read_text(encoding="utf-8"),
        },
    )


def service(context: DatabaseContext) -> Body:
    """The headless Service."""
    return children.service(context, PORT)


def stateful_set(context: DatabaseContext) -> Body:
    """The database."""
    engine = context.spec.instance.engine
    setup = pod.AgentSetup(engine=engine, volume=POD.volume, socket=POD.socket)
    spec = pod.spec(
        context,
        setup,
        initialise=_initialise(context),
        server=innodb.server(context, POD.mysqld, POD, _mounts(context)),
        volumes=pod.secret_volumes(context),
    )
    return children.stateful_set(context, spec)


def _initialise(context: DatabaseContext) -> Body:
    return {
        **pod.container(context, "initialise"),
        "command": ["sh", POD.initialise, POD.volume, POD.config],
        "volumeMounts": _mounts(context),
    }


def _mounts(context: DatabaseContext) -> list[Body]:
    return [*pod.common_mounts(POD.volume, POD.config), *tls.mounts(context)]
