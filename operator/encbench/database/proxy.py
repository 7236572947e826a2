"""The confidential proxy in the database's own pod, whatever the engine.

An ordinary container beside the server encrypts chosen columns of results on their way to the
clients, which connect to its port. It gets only the key and the list of columns, as files; it
relays the clients' login and has no password of its own. The agent gets the same two files and the
clients' login, to see what they see.

The list is in the testbed's ConfigMap, because 250 tables of sysbench make 1,000 lines.

With `upstream: Socket` server, agent and proxy share a folder with the server's socket and nothing
else. A server takes its socket for secure, so caching_sha2_password wants the password of a user
that it does not remember in plaintext there, and the proxy refuses that login. So the agent, with
each look at the columns and therefore before every trial, first logs in at the server's own port,
where client and server encrypt the password between them, and the server remembers the user.
"""

import math
from collections.abc import Callable, Mapping

from encbench.api.columns import Columns
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.scalars import parse_quantity
from encbench.api.testbed import TestbedSpec
from encbench.core.columns import layout, selection
from encbench.core.connection import SecretEntry
from encbench.core.naming import credentials_name
from encbench.database.context import DatabaseContext
from encbench.kube import pods
from encbench.kube.pods import Part, mount
from encbench.wire import environment as names

NAME = "proxy"


def mek_of(testbed: str, spec: TestbedSpec) -> SecretEntry | None:
    """Where the key of a testbed's columns is; None where the mode has none."""
    return SecretEntry(credentials_name(testbed), layout.MEK) if spec.mode.has_mek else None


def key_entries(
    spec: TestbedSpec, random_token: Callable[[int], str], own: Mapping[str, str]
) -> dict[str, str]:
    """Entries of the credentials: where the mode needs a key, the user's own or a fresh one."""
    if not spec.mode.has_mek:
        return {}
    if spec.mode.mek_secret_ref is not None:
        return {layout.MEK: own[layout.MEK]}
    return {layout.MEK: random_token(layout.MEK_DIGITS // 2)}


def files(spec: TestbedSpec) -> dict[str, str]:
    """Entries of the testbed's ConfigMap: the columns, one per line."""
    columns, dataset = spec.mode.proxy, spec.dataset
    if columns is None:
        return {}
    schema = selection.schema_of(tpcc=dataset.tpcc is not None)
    return {layout.LIST: selection.file_text(schema, columns, dataset.tables)}


def ports(mode: EncryptionModeSpec) -> dict[str, int]:
    """Ports of the Service beside the server's own, by name."""
    return {} if mode.proxy is None else {"confidential": layout.PORT}


def volumes(context: DatabaseContext) -> list[Part]:
    """The key, the list and the socket's folder; empty in every other mode."""
    mode, mek = context.spec.mode, mek_of(context.name, context.spec)
    if mode.proxy is None or mek is None:
        return []
    return [
        pods.secret_volume("mek", mek.secret, {mek.entry: layout.MEK}),
        pods.config_map_volume("columns", context.name, layout.LIST),
        *([{"name": "socket", "emptyDir": {}}] if mode.proxy.by_socket else []),
    ]


def server_arguments(mode: EncryptionModeSpec) -> list[str]:
    """What the server's command gets where its socket lies in the folder that the proxy sees."""
    return [f"--socket={layout.SOCKET}"] if _by_socket(mode) else []


def server_mounts(mode: EncryptionModeSpec) -> list[Part]:
    """That folder, in which the server makes its socket."""
    return [mount("socket", layout.SOCKET_FOLDER, read_only=False)] if _by_socket(mode) else []


def containers(context: DatabaseContext) -> list[Part]:
    """The proxy; empty in every other mode."""
    columns = context.spec.mode.proxy
    if columns is None:
        return []
    own = columns.resources
    # No probe: each would be a connection to the server, and the proof goes through the proxy
    # anyway.
    return [
        pods.container(
            NAME,
            context.programs.proxy,
            command(columns, context.engine.facts.port),
            pods.resources(own.cpu, own.memory, context.spec.cpu_share),
            _files_seen(context.spec.mode),
            ports=pods.ports({"confidential": layout.PORT}),
        )
    ]


def command(columns: Columns, server_port: int) -> list[str]:
    """The proxy's command line, without the key."""
    return [
        layout.PROCESS,
        "--listen",
        # Of both families: a cluster's pods may have IPv6 alone.
        f"[::]:{layout.PORT}",
        "--upstream",
        f"unix:{layout.SOCKET}" if columns.by_socket else f"127.0.0.1:{server_port}",
        "--mek-file",
        layout.MEK_FILE,
        "--algorithm",
        columns.algorithm,
        "--columns",
        layout.LIST_FILE,
        "--row-memory",
        str(columns.resources.row_bytes),
        *([] if columns.strict else ["--permissive"]),
        *_workers(columns.resources.cpu),
    ]


def _workers(limit: str) -> list[str]:
    """By itself the proxy has as many as whole cores, and could not use the rest of a limit."""
    cores = parse_quantity(limit)
    return [] if cores == int(cores) else ["--workers", str(math.ceil(cores))]


def agent_environment(context: DatabaseContext) -> dict[str, str]:
    """Where the agent finds the proxy, the key and the list, and the socket where it is theirs."""
    mode = context.spec.mode
    if mode.proxy is None:
        return {}
    own = {names.SOCKET: layout.SOCKET, names.LOGIN_PORT: str(context.engine.facts.port)}
    return {
        names.PROXY_PORT: str(layout.PORT),
        names.MEK_FILE: layout.MEK_FILE,
        names.COLUMNS: layout.LIST_FILE,
        **(own if mode.proxy.by_socket else {}),
    }


def agent_mounts(mode: EncryptionModeSpec) -> list[Part]:
    """The agent sees the same files as the proxy."""
    return [] if mode.proxy is None else _files_seen(mode)


def agent_entries(mode: EncryptionModeSpec) -> tuple[str, ...]:
    """Entries of the credentials that the agent gets beside its own: the clients' login."""
    return () if mode.proxy is None else ("username", "password")


def _by_socket(mode: EncryptionModeSpec) -> bool:
    return mode.proxy is not None and mode.proxy.by_socket


def _files_seen(mode: EncryptionModeSpec) -> list[Part]:
    return [
        mount("mek", layout.MEK_FOLDER),
        mount("columns", layout.LIST_FOLDER),
        *([mount("socket", layout.SOCKET_FOLDER)] if _by_socket(mode) else []),
    ]
