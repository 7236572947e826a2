"""The confidential proxy in the database's own pod, whatever the engine.

An ordinary container beside the server encrypts chosen columns of results on their way to the
clients, which connect to its port. It gets only the key and the list of columns, as files; it
relays the clients' login and has no password of its own. The agent gets the same two files and the
clients' login, to see what they see.

The list is in the testbed's ConfigMap, because 250 tables of sysbench make 1,000 lines.
"""

from collections.abc import Callable

from encbench.api.columns import Columns
from encbench.api.encryptionmode import EncryptionModeSpec
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
from encbench.database.context import DatabaseContext
from encbench.kube.pods import Part, container_security, mount, resources, secret_volume
from encbench.wire import environment as names

NAME = "proxy"


def mek_of(testbed: str, spec: TestbedSpec) -> SecretEntry | None:
    """Where the key of a testbed's columns is; None where the mode has none."""
    if not spec.mode.has_mek:
        return None
    ref = spec.mode.mek_secret_ref
    if ref is not None:
        return SecretEntry(ref.name, ref.key)
    return SecretEntry(credentials_name(testbed), MEK)


def key_entries(spec: TestbedSpec, random_token: Callable[[int], str]) -> dict[str, str]:
    """Entries of the credentials: a fresh key, where the mode needs one and the user has none."""
    if not spec.mode.has_mek or spec.mode.mek_secret_ref is not None:
        return {}
    return {MEK: random_token(MEK_DIGITS // 2)}


def files(spec: TestbedSpec) -> dict[str, str]:
    """Entries of the testbed's ConfigMap: the columns, one per line."""
    columns, dataset = spec.mode.columns, spec.dataset
    if columns is None:
        return {}
    schema = selection.schema_of(tpcc=dataset.tpcc is not None)
    tables = dataset.sysbench.tables if dataset.sysbench else 1
    return {LIST: selection.file_text(schema, columns, tables)}


def ports(mode: EncryptionModeSpec) -> dict[str, int]:
    """Ports of the Service beside the server's own, by name."""
    return {} if mode.columns is None else {"confidential": PORT}


def volumes(context: DatabaseContext) -> list[Part]:
    """The key and the list; empty in every other mode."""
    mek = mek_of(context.name, context.spec)
    if context.spec.mode.columns is None or mek is None:
        return []
    items = [{"key": LIST, "path": LIST}]
    listed = {"name": context.name, "defaultMode": 0o444, "items": items}
    return [
        secret_volume("mek", mek.secret, {mek.entry: MEK}),
        {"name": "columns", "configMap": listed},
    ]


def containers(context: DatabaseContext) -> list[Part]:
    """The proxy; empty in every other mode."""
    columns = context.spec.mode.columns
    if columns is None:
        return []
    own = columns.resources
    return [
        {
            "name": NAME,
            "image": context.proxy_image,
            "imagePullPolicy": context.proxy_pull_policy,
            "command": command(columns, context.engine.facts.port),
            "ports": [{"name": "confidential", "containerPort": PORT, "protocol": "TCP"}],
            "resources": resources(own.cpu, own.memory),
            "securityContext": container_security(),
            "terminationMessagePolicy": "FallbackToLogsOnError",
            # No probe: each would be a connection to the server, and the proof goes through the
            # proxy anyway.
            "volumeMounts": _files_seen(),
        }
    ]


def command(columns: Columns, server_port: int) -> list[str]:
    """The proxy's command line, without the key."""
    return [
        PROCESS,
        "--listen",
        f"0.0.0.0:{PORT}",
        "--upstream",
        f"127.0.0.1:{server_port}",
        "--mek-file",
        MEK_FILE,
        "--algorithm",
        columns.algorithm,
        "--columns",
        LIST_FILE,
        *([] if columns.strict else ["--permissive"]),
    ]


def agent_environment(mode: EncryptionModeSpec) -> dict[str, str]:
    """Where the agent finds the proxy, the key and the list."""
    if mode.columns is None:
        return {}
    return {names.PROXY_PORT: str(PORT), names.MEK_FILE: MEK_FILE, names.COLUMNS: LIST_FILE}


def agent_mounts(mode: EncryptionModeSpec) -> list[Part]:
    """The agent sees the same files as the proxy."""
    return [] if mode.columns is None else _files_seen()


def agent_entries(mode: EncryptionModeSpec) -> tuple[str, ...]:
    """Entries of the credentials that the agent gets beside its own: the clients' login."""
    return () if mode.columns is None else ("username", "password")


def _files_seen() -> list[Part]:
    return [mount("mek", MEK_FOLDER), mount("columns", LIST_FOLDER)]
