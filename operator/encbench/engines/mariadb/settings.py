"""The server's option file: the operator's settings, the mode's, the template's, in that order.

The server reads this file and no other, so an image's own settings never take part. Everything that
differs between arms is in `_encryption`; all else is the same in each.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import TestbedSpec
from encbench.engines.mariadb.layout import Layout

Settings = dict[str, str]

SPARE_CONNECTIONS = 16
"""Beside the clients' own: the agent's, a person's, and those of an earlier run that end late."""

MEBIBYTE = 2**20


LEAST_POOL = 16 * MEBIBYTE
BESIDE_POOL = 112 * MEBIBYTE
"""What the server takes beside its pool: 75 MiB at rest, and 91 (plaintext) to 107 MiB (TDE) were
measured under eight clients of oltp_read_write, whatever the size of the pool."""
CONNECTIONS_ROOM = 48 * MEBIBYTE
"""For more clients than those, where nobody has said how large the pool shall be."""


def default_buffer_pool(memory_bytes: int) -> str:
    """Half of the memory, less where the rest would not hold the server itself."""
    rest = memory_bytes - BESIDE_POOL - CONNECTIONS_ROOM
    return f"{max(min(memory_bytes // 2, rest), LEAST_POOL) // MEBIBYTE}M"


def largest_buffer_pool(memory_bytes: int) -> int:
    """Bytes above which the server would sooner or later be killed for want of memory."""
    return max(min(int(memory_bytes * 0.8), memory_bytes - BESIDE_POOL), LEAST_POOL)


def server_settings(spec: TestbedSpec, layout: Layout) -> Settings:
    """All settings of the server, later ones over earlier ones."""
    return {
        **_defaults(spec),
        **spec.instance.settings,
        **_owned(spec, layout),
        **_encryption(spec.mode, layout),
    }


def server_cnf(spec: TestbedSpec, layout: Layout) -> str:
    """The option file. It holds no secret: keys are named by their file."""
    lines = [f"{name}={value}" for name, value in server_settings(spec, layout).items()]
    return "\n".join(["[mariadbd]", *lines, ""])


def _defaults(spec: TestbedSpec) -> Settings:
    """What a template may set otherwise."""
    return {
        "innodb_buffer_pool_size": default_buffer_pool(spec.instance.resources.memory_bytes),
        # Durable at each commit, which is the server's own default; written here because it
        # decides the outcome of every write workload.
        "innodb_flush_log_at_trx_commit": "1",
        # Every page is read and written past the page cache: the server's memory is its buffer
        # pool's alone, and a scan of the files by the agent evicts nothing.
        "innodb_flush_method": "O_DIRECT",
        # No name service stands between a client and its login.
        "skip_name_resolve": "ON",
        # A crash must not leave a pool that was warmed differently from the other arms'.
        "innodb_buffer_pool_load_at_startup": "OFF",
        "innodb_buffer_pool_dump_at_shutdown": "OFF",
        # Binary logs that no replica will ask for are dropped after an hour, else a long campaign
        # fills the volume.
        "max_binlog_size": "256M",
        "binlog_expire_logs_seconds": "3600",
    }


def _owned(spec: TestbedSpec, layout: Layout) -> Settings:
    """What a template may not set; `problems` says so before anything starts."""
    return {
        "datadir": layout.data,
        "tmpdir": layout.temporary,
        "socket": layout.socket,
        "pid_file": layout.pid_file,
        "port": str(layout.port),
        "max_connections": str(spec.max_connections + SPARE_CONNECTIONS),
        # On in every arm, so that what its encryption costs is measured.
        "log_bin": "binlog",
        "server_id": "1",
    }


def _encryption(mode: EncryptionModeSpec, layout: Layout) -> Settings:
    """The mode. Nothing at all for plaintext: each of these is off by the server's default."""
    if mode.at_rest is None:
        return {}
    return {
        "plugin_load_add": "file_key_management",
        "file_key_management_filename": layout.key_file,
        "file_key_management_encryption_algorithm": mode.at_rest.algorithm,
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
