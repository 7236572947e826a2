"""Encrypted column types: the key for the server, whose extension opens values, and for the agent.

The enclave is a SIMULATION, so the key is a file in the server's own container. No container of a
plain arm has it.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.columns import layout
from encbench.database.context import DatabaseContext
from encbench.database.proxy import mek_of
from encbench.kube.pods import Part, mount, secret_volume
from encbench.wire import environment as names


def volumes(context: DatabaseContext) -> list[Part]:
    """The key; empty in every other mode."""
    key = mek_of(context.name, context.spec)
    if context.spec.mode.enclave is None or key is None:
        return []
    return [secret_volume("mek", key.secret, {key.entry: layout.MEK})]


def mounts(mode: EncryptionModeSpec) -> list[Part]:
    """The key's folder, in containers that open values."""
    return [] if mode.enclave is None else [mount("mek", layout.MEK_FOLDER)]


def agent_environment(mode: EncryptionModeSpec) -> dict[str, str]:
    """Where the agent finds the key."""
    if mode.enclave is None:
        return {}
    return {names.ENCLAVE: "on", names.MEK_FILE: layout.MEK_FILE}
