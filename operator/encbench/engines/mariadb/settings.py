"""The server's option file: the operator's settings, the mode's, the template's, in that order.

The server reads this file and no other, so an image's own settings never take part. Everything that
differs between arms is in `_at_rest` and `_in_transit`; all else is the same in each.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import TestbedSpec
from encbench.core.session_memory import SPARE_CONNECTIONS, SessionMemory
from encbench.engines.innodb.layout import InnodbLayout
from encbench.engines.innodb.memory import KIBIBYTE, MEBIBYTE, Memory
from encbench.engines.innodb.options import MOST_STATEMENTS
from encbench.engines.innodb.settings import (
    BINARY_LOG,
    STEADY,
    Settings,
    option_file,
    places,
    tls,
)

DEFAULT_ALGORITHM = "AES_CTR"

MEMORY = Memory(
    beside_pool=112 * MEBIBYTE,
    sessions=SessionMemory(connection=320 * KIBIBYTE, statement=20 * KIBIBYTE),
)
"""75 MiB at rest, and 91 (plaintext) to 107 MiB (TDE) were measured under eight clients of
oltp_read_write, whatever the size of the pool. 256 clients took 258 KiB each without prepared
statements, and 20 KiB for each of 11 or 146 of these; TLS 42 KiB more."""


def server_settings(spec: TestbedSpec, layout: InnodbLayout) -> Settings:
    """All settings of the server, later ones over earlier ones."""
    return {
        **_defaults(spec),
        **spec.instance.settings,
        **_owned(spec, layout),
        **_at_rest(spec.mode, layout),
        **_in_transit(spec.mode, layout),
    }


def server_cnf(spec: TestbedSpec, layout: InnodbLayout) -> str:
    """The option file. It holds no secret: keys are named by their file."""
    return option_file("mariadbd", server_settings(spec, layout))


def _defaults(spec: TestbedSpec) -> Settings:
    """What a template may set otherwise."""
    memory = spec.instance.embedded.resources.memory_bytes
    return {
        "innodb_buffer_pool_size": MEMORY.default_pool(memory, spec.max_connections),
        "max_prepared_stmt_count": MOST_STATEMENTS,
        # Durable at each commit, which is the server's own default; written here because it decides
        # the outcome of every write workload.
        "innodb_flush_log_at_trx_commit": "1",
        **STEADY,
        # Binary logs that no replica will ask for are dropped after an hour; otherwise a long
        # campaign fills the volume.
        "binlog_expire_logs_seconds": "3600",
    }


def _owned(spec: TestbedSpec, layout: InnodbLayout) -> Settings:
    """What a template may not set; `problems` says so before anything starts."""
    return {
        **places(layout),
        "max_connections": str(spec.max_connections + SPARE_CONNECTIONS),
        # All clients connect at once, and one that finds no place in the queue tries again after
        # seconds that double each time. The default is a fifth of the connections.
        "back_log": str(spec.max_connections + SPARE_CONNECTIONS),
        **BINARY_LOG,
    }


def _at_rest(mode: EncryptionModeSpec, layout: InnodbLayout) -> Settings:
    """TDE. Nothing at all for plaintext: each of these is off by the server's default."""
    if mode.tde is None:
        return {}
    return {
        "plugin_load_add": "file_key_management",
        "file_key_management_filename": layout.key_file,
        "file_key_management_encryption_algorithm": mode.tde.algorithm or DEFAULT_ALGORITHM,
        # FORCE refuses a table with ENCRYPTED=NO, where ON would make it in plaintext.
        "innodb_encrypt_tables": "FORCE",
        "innodb_encrypt_log": "ON",
        "innodb_encrypt_temporary_tables": "ON",
        # Without threads the system tablespace and what existed before are never encrypted.
        "innodb_encryption_threads": "2",
        "aria_encrypt_tables": "ON",
        "encrypt_binlog": "ON",
        "encrypt_tmp_files": "ON",
        "encrypt_tmp_disk_tables": "ON",
    }


def _in_transit(mode: EncryptionModeSpec, layout: InnodbLayout) -> Settings:
    """TLS by one version and one suite for every client, or none at all."""
    if mode.in_transit is None:
        # Written out, because from 11.4 on the server makes itself a certificate and offers TLS.
        return {"ssl": "OFF"}
    # MariaDB takes the names of both versions here.
    return tls(mode.in_transit, layout, suites="ssl_cipher")
