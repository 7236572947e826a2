"""The confidential proxy in the database's own pod, whatever the engine.

An ordinary container beside the server: it encrypts chosen columns of results on their way to the
clients, who are given its port. It gets the key and the list of columns as files and nothing else;
the server's password is the clients', whose login it relays. The agent gets the same two files, and
the clients' own login, to see what they see.

The list lies in the testbed's ConfigMap, for 250 tables of sysbench's make 1,000 lines.
"""

from collections.abc import Callable

from encbench.api.columns import Columns
from encbench.api.testbed import TestbedSpec
from encbench.core.columns import selection
from encbench.core.columns.layout import (
    LIST,
    LIST_FILE,
    LIST_FOLDER,
    MEK,
    MEK_DIGITS,
    MEK_FILE,
    MEK_FOLDER,
    PORT,
    PROCESS,
)
from encbench.core.connection import SecretEntry
from encbench.core.naming import credentials_name
from encbench.engines.context import DatabaseContext
from encbench.engines.innodb.layout import PORT as SERVER_PORT
from encbench.kube.pods import container_security, mount, resources, secret_volume
from encbench.ports import Body

NAME = "proxy"
FAMILY = ("mariadb", "mysql", "percona")
"""Engines whose protocol the proxy speaks."""
_AGENT_LOGIN = {"username": "username", "password": "password"}


def mek_of(testbed: str, spec: TestbedSpec) -> SecretEntry | None:
    """Where the key of a testbed's columns lies; None where the mode has none."""
    if not spec.mode.has_mek:
        return None
    ref = spec.mode.mek_secret_ref
    if ref is not None:
        return SecretEntry(ref.name, ref.key)
    return SecretEntry(credentials_name(testbed), MEK)


def entries(spec: TestbedSpec, random_token: Callable[[int], str]) -> dict[str, str]:
    """Entries of the credentials: a fresh key where the mode wants one and the user gives none."""
    if not spec.mode.has_mek or spec.mode.mek_secret_ref is not None:
        return {}
    return {MEK: random_token(MEK_DIGITS // 2)}


def files(context: DatabaseContext) -> dict[str, str]:
    """Entries of the testbed's ConfigMap: the columns, one a line."""
    columns = context.spec.mode.columns
    if columns is None:
        return {}
    dataset = context.spec.dataset
    schema = selection.schema_of(tpcc=dataset.tpcc is not None)
    tables = dataset.sysbench.tables if dataset.sysbench else 1
    return {LIST: selection.file_text(schema, columns, tables)}


def ports(context: DatabaseContext) -> list[tuple[str, int]]:
    """Ports of the Service beside the server's own."""
    return [] if context.spec.mode.columns is None else [("confidential", PORT)]


def beside(context: DatabaseContext, spec: Body) -> Body:
    """The pod's spec with the proxy in it; as it is in every other mode."""
    columns = context.spec.mode.columns
    mek = mek_of(context.name, context.spec)
    if columns is None or mek is None:
        return spec
    return {
        **spec,
        "containers": [
            *(_with_sight(entry) for entry in spec["containers"]),
            _proxy(context, columns),
        ],
        "volumes": [
            *(_with_login(volume) for volume in spec["volumes"]),
            secret_volume("mek", mek.secret, {mek.entry: MEK}),
            {
                "name": "columns",
                "configMap": {
                    "name": context.name,
                    "defaultMode": 0o444,
                    "items": [{"key": LIST, "path": LIST}],
                },
            },
        ],
    }


def command(columns: Columns) -> list[str]:
    """The proxy's command line; the key is in none of it."""
    return [
        PROCESS,
        "--listen",
        f"0.0.0.0:{PORT}",
        "--upstream",
        f"127.0.0.1:{SERVER_PORT}",
        "--mek-file",
        MEK_FILE,
        "--algorithm",
        columns.algorithm,
        "--columns",
        LIST_FILE,
        *([] if columns.strict else ["--permissive"]),
    ]


def _proxy(context: DatabaseContext, columns: Columns) -> Body:
    own = columns.resources
    return {
        "name": NAME,
        "image": context.proxy_image,
        "imagePullPolicy": context.proxy_pull_policy,
        "command": command(columns),
        "ports": [{"name": "confidential", "containerPort": PORT, "protocol": "TCP"}],
        "resources": resources(own.cpu, own.memory),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        # No probe: each would be a connection to the server, and the proof goes through it anyway.
        "volumeMounts": _sight(),
    }


def _sight() -> list[Body]:
    return [mount("mek", MEK_FOLDER), mount("columns", LIST_FOLDER)]


def _with_sight(container: Body) -> Body:
    """The agent sees key and list, and where the proxy is."""
    if container["name"] != "agent":
        return container
    environment = {
        "ENCBENCH_PROXY_PORT": str(PORT),
        "ENCBENCH_MEK_FILE": MEK_FILE,
        "ENCBENCH_COLUMNS": LIST_FILE,
    }
    return {
        **container,
        "env": [
            *container["env"],
            *({"name": name, "value": value} for name, value in environment.items()),
        ],
        "volumeMounts": [*container["volumeMounts"], *_sight()],
    }


def _with_login(volume: Body) -> Body:
    """The agent's credentials with the benchmark user's beside them."""
    if volume["name"] != "agent-credentials":
        return volume
    secret = volume["secret"]
    more = [{"key": key, "path": path} for key, path in _AGENT_LOGIN.items()]
    return {**volume, "secret": {**secret, "items": [*secret["items"], *more]}}
