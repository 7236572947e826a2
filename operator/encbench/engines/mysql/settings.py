"""The server's option file: the operator's settings, the template's, the mode's, in that order.

The server reads this file and the one that it includes, and no other, so an image's own settings
never take part. The arms differ in `_at_rest` and `_in_transit` only.
"""

from encbench.api.encryptionmode import InTransit
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.testbed import TestbedSpec
from encbench.core.session_memory import SPARE_CONNECTIONS, SessionMemory
from encbench.engines.innodb import settings as innodb
from encbench.engines.innodb.settings import Settings
from encbench.engines.memory_fit import GIBIBYTE, KIBIBYTE, MEBIBYTE, Pool
from encbench.engines.mysql.flavour import FIRST_8, FIRST_8_4, FLAVOURS, Flavour, Number, number
from encbench.engines.mysql.layout import MysqlLayout, keyring_settings

_OFF = ("OFF", "0", "FALSE")
_CHUNK = 128 * MEBIBYTE
"""The server's default. From 8.4 on the default number of a pool's instances follows from it."""


def pool(instance: InstanceTemplateSpec) -> Pool:
    """The pool of this template's server.

    Measured with MySQL 9.7 under eight clients of oltp_read_write with TDE: 188 MiB beside pool and
    log buffer, and 244 more for the performance schema. Each of 256 clients took 481 KiB, 68 more
    with TLS, and 26 for each of 146 prepared statements. No other series was measured.
    """
    given = instance.settings
    default = "64M" if number(instance.version) >= FIRST_8_4 else "16M"
    log_buffer = innodb.parse_size(given.get("innodb_log_buffer_size", default))
    beside = 192 * MEBIBYTE + (log_buffer or 0)
    if given.get("performance_schema", "ON").upper() not in _OFF:
        beside += 256 * MEBIBYTE
    sessions = SessionMemory(connection=576 * KIBIBYTE, statement=26 * KIBIBYTE)
    return innodb.pool(FLAVOURS[instance.engine].facts.title, beside, sessions)


def server_settings(spec: TestbedSpec, layout: MysqlLayout) -> Settings:
    """All settings of the server, later ones over earlier ones."""
    flavour, release = FLAVOURS[spec.instance.engine], number(spec.instance.version)
    return {
        **_defaults(spec.instance, release, spec.max_connections),
        **spec.instance.settings,
        **_owned(spec, layout, release),
        **flavour.quiet,
        **_at_rest(spec, flavour, layout),
        **_in_transit(spec.mode.in_transit, layout, release),
    }


def server_cnf(spec: TestbedSpec, layout: MysqlLayout) -> str:
    """The option file. It holds no secret, because it names the keyring by its file."""
    # The initialising script writes it: paths that depend on the image.
    include = f"!include {layout.program}/places.cnf"
    return innodb.option_file("mysqld", server_settings(spec, layout), include)


def _defaults(instance: InstanceTemplateSpec, release: Number, connections: int) -> Settings:
    """Defaults that a template may override."""
    memory = instance.embedded.resources.memory_bytes
    size = instance.settings.get(innodb.POOL, pool(instance).default(memory, connections))
    return {
        innodb.POOL: size,
        # The server rounds the pool up to chunks of 128M, in 8.0 to whole gigabytes (measured
        # with 9.7: 160M became 256M). It cuts chunks of the pool's size to the pool's size.
        "innodb_buffer_pool_chunk_size": size,
        **(_instances(instance, size) if release >= FIRST_8_4 else {}),
        innodb.STATEMENTS: innodb.MOST_STATEMENTS,
        # Durable at each commit. This is the server's default, but explicit here because it decides
        # the outcome of every write workload.
        "innodb_flush_log_at_trx_commit": "1",
        "sync_binlog": "1",
        **innodb.STEADY,
        # With notes, the default of 5.7 and MariaDB, because these report a recovery.
        "log_error_verbosity": "3",
        **(innodb.KEEP_BINARY_LOGS if release >= FIRST_8 else _of_5_7(connections)),
    }


def _of_5_7(connections: int) -> Settings:
    """What the last series before 8.0 has otherwise by default."""
    return {
        # It counts in days.
        "expire_logs_days": "1",
        # All clients connect at once. By default its queue is for 50 and a fifth of the
        # connections, 900 at most; that of later ones is for all.
        "back_log": str(connections + SPARE_CONNECTIONS),
    }


def _instances(instance: InstanceTemplateSpec, size: str) -> Settings:
    """How many instances a large pool has, as 8.4 and later would have it with chunks of 128M.

    With a chunk of the pool's size it would have but one, whatever the number of cores. Releases
    before 9.3 would count the cores of the node, later ones those of the container's limit.
    """
    whole = innodb.parse_size(size) or 0
    if whole < GIBIBYTE or "innodb_buffer_pool_chunk_size" in instance.settings:
        # Of a chunk of the template's own the server's default is right.
        return {}
    hint = min(whole // (2 * _CHUNK), int(instance.embedded.resources.cores) // 4)
    return {"innodb_buffer_pool_instances": str(min(max(hint, 1), 64))}


def _owned(spec: TestbedSpec, layout: MysqlLayout, release: Number) -> Settings:
    """Settings that a template may not have; `problems` rejects them before anything starts."""
    return {
        **innodb.places(layout),
        "max_connections": str(spec.max_connections + SPARE_CONNECTIONS),
        **innodb.BINARY_LOG,
        # The change buffer holds rows of secondary indexes. It lies in ibdata1, which MySQL cannot
        # encrypt. None is the server's default from 8.4 on.
        "innodb_change_buffering": "none",
        # A folder that an image may lack; nothing imports or exports files.
        "secure_file_priv": "NULL",
        # The server makes no certificates: an arm with TLS gets its own, other arms have none.
        "auto_generate_certs": "OFF",
        # A second protocol with a port and a socket of its own.
        **({"mysqlx": "OFF"} if release >= FIRST_8 else {}),
    }


def _at_rest(spec: TestbedSpec, flavour: Flavour, layout: MysqlLayout) -> Settings:
    """TDE. Empty for plaintext, because each of these is off by default."""
    if spec.mode.tde is None:
        return {}
    own = {setting for settings in flavour.own.values() for setting in settings}
    found = keyring_settings(spec.instance.version, layout)
    for setting, on in flavour.switches(spec.mode).items():
        if on:
            found[f"loose_{setting}" if setting in own else setting] = "ON"
    if "default_table_encryption" in found:
        # Forbids the benchmark's user a table with ENCRYPTION='N'.
        found["table_encryption_privilege_check"] = "ON"
    return found


def _in_transit(in_transit: InTransit | None, layout: MysqlLayout, release: Number) -> Settings:
    """TLS of one version and suite for every client, or none at all."""
    if in_transit is None:
        # Without a version there is no TLS; 8.4 has dropped `ssl`. 5.7 knows only `ssl`.
        return {"tls_version": ""} if release >= FIRST_8_4 else {"ssl": "OFF"}
    suites = "tls_ciphersuites" if in_transit.version == "TLSv1.3" else "ssl_cipher"
    return innodb.tls(in_transit, layout, suites)
