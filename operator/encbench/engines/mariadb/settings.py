"""The server's option file: the operator's settings, the mode's, the template's, in that order.

The server reads this file and no other, so an image's own settings never take part. The arms
differ in `_at_rest` and `_in_transit` only.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import TestbedSpec
from encbench.core.session_memory import SPARE_CONNECTIONS, SessionMemory
from encbench.engines.innodb import settings as innodb
from encbench.engines.innodb.settings import InnodbLayout, Settings
from encbench.engines.memory_fit import KIBIBYTE, MEBIBYTE
from encbench.wire import alive

POD = InnodbLayout(server="mariadb")
KEY_FILE = "keyfile"
DEFAULT_ALGORITHM = "AES_CTR"
FIRST_SMALL_CHUNKS = (10, 8)
"""The first series whose chunks are a 64th of the pool."""
FIRST_COUNTS_REPLICAS = (11, 4)
"""The first series that drops no binary log by itself unless a replica is connected."""
ALONE: Settings = {"loose_slave_connections_needed_for_purge": "0"}
FIRST_ISOLATES_SNAPSHOTS = (11, 6)
"""The first series that by default refuses a transaction a row which another has changed since its
first read (error 1020). 11.6.2 is the first release of it that does."""
WAITS: Settings = {"loose_innodb_snapshot_isolation": "OFF"}
KEPT_ALIVE: Settings = {
    # A client that is lost is missed in two minutes, by the kernel's defaults in two hours. MySQL
    # has no such settings.
    "tcp_keepalive_time": str(alive.IDLE),
    "tcp_keepalive_interval": str(alive.INTERVAL),
    "tcp_keepalive_probes": str(alive.PROBES),
}

POOL = innodb.pool(
    "MariaDB",
    beside=112 * MEBIBYTE,
    sessions=SessionMemory(connection=320 * KIBIBYTE, statement=20 * KIBIBYTE),
)
"""Measured, whatever the size of the pool: 75 MiB at rest, and 91 (plaintext) to 107 MiB (TDE)
under eight clients of oltp_read_write. 256 clients took 258 KiB each, 42 more with TLS, and 20 KiB
for each of 11 or 146 prepared statements."""


def is_before(version: str, series: tuple[int, int]) -> bool:
    """Whether a version is of an earlier series; 10 alone is the last of 10."""
    number = tuple(int(part) for part in version.split("."))
    return number < series[: len(number)]


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
    """The option file. It holds no secret, because it names keys by their file."""
    return innodb.option_file("mariadbd", server_settings(spec, layout))


def _defaults(spec: TestbedSpec) -> Settings:
    """Defaults that a template may override."""
    instance = spec.instance
    memory = instance.embedded.resources.memory_bytes
    size = instance.settings.get(POOL.setting, POOL.default(memory, spec.max_connections))
    # As for MySQL: the server rounds the pool up to chunks of 128M. Later ones are small.
    whole = {"innodb_buffer_pool_chunk_size": size}
    return {
        POOL.setting: size,
        **(whole if is_before(instance.version, FIRST_SMALL_CHUNKS) else {}),
        innodb.STATEMENTS: innodb.MOST_STATEMENTS,
        # Durable at each commit, which decides the outcome of every write workload. It takes both:
        # InnoDB leaves out its own sync at commit where there is a binary log, because recovery
        # commits what that log holds. By default the server does not sync that log.
        "innodb_flush_log_at_trx_commit": "1",
        "sync_binlog": "1",
        **innodb.STEADY,
        **innodb.KEEP_BINARY_LOGS,
        **KEPT_ALIVE,
        **({} if is_before(instance.version, FIRST_COUNTS_REPLICAS) else ALONE),
        # As earlier ones and MySQL do. A script of sysbench that reads before it writes would have
        # more errors with each thread, until its trials are Invalid.
        **({} if is_before(instance.version, FIRST_ISOLATES_SNAPSHOTS) else WAITS),
    }


def _owned(spec: TestbedSpec, layout: InnodbLayout) -> Settings:
    """Settings that a template may not have; `problems` rejects them before anything starts."""
    return {
        **innodb.places(layout),
        "max_connections": str(spec.max_connections + SPARE_CONNECTIONS),
        # All clients connect at once. One that finds the queue full retries after seconds that
        # double each time. The default is a fifth of the connections.
        "back_log": str(spec.max_connections + SPARE_CONNECTIONS),
        **innodb.BINARY_LOG,
    }


def _at_rest(mode: EncryptionModeSpec, layout: InnodbLayout) -> Settings:
    """TDE. Empty for plaintext, because each of these is off by default."""
    if mode.tde is None:
        return {}
    return {
        "plugin_load_add": "file_key_management",
        "file_key_management_filename": f"{layout.keys}/{KEY_FILE}",
        "file_key_management_encryption_algorithm": mode.tde.algorithm or DEFAULT_ALGORITHM,
        # FORCE rejects a table with ENCRYPTED=NO; ON would create it in plaintext.
        "innodb_encrypt_tables": "FORCE",
        "innodb_encrypt_log": "ON",
        "innodb_encrypt_temporary_tables": "ON",
        # Without threads, the system tablespace and older tables are never encrypted.
        "innodb_encryption_threads": "2",
        "aria_encrypt_tables": "ON",
        "encrypt_binlog": "ON",
        "encrypt_tmp_files": "ON",
        "encrypt_tmp_disk_tables": "ON",
    }


def _in_transit(mode: EncryptionModeSpec, layout: InnodbLayout) -> Settings:
    """TLS of one version and suite for every client, or none at all."""
    if mode.in_transit is None:
        # Explicit, because from 11.4 on the server makes its own certificate and offers TLS.
        return {"ssl": "OFF"}
    # MariaDB takes the suites of both versions here.
    return innodb.tls(mode.in_transit, layout, suites="ssl_cipher")
