"""The server's settings: the operator's, the mode's, the template's, in that order.

The server reads this file and no other but `postgresql.auto.conf`, which only a superuser writes
and no superuser may log in. Everything that differs between arms is in `_in_transit`; all else is
the same in each.
"""

from encbench.api.encryptionmode import InTransit
from encbench.api.scalars import parse_quantity
from encbench.api.testbed import TestbedSpec
from encbench.core.certificates import CERTIFICATE, KEY
from encbench.core.session_memory import SPARE_CONNECTIONS, SessionMemory
from encbench.core.tls import suite
from encbench.engines.postgresql.layout import PostgresqlLayout

Settings = dict[str, str]

KIBIBYTE, MEBIBYTE, GIBIBYTE = 2**10, 2**20, 2**30

BESIDE_BUFFERS = 64 * MEBIBYTE
"""20 MiB were measured at rest; a worker of autovacuum may take as much again, and more."""
SESSIONS = SessionMemory(connection=3 * MEBIBYTE, statement=9 * KIBIBYTE)
"""2.5 MiB were measured for each of 32 clients of oltp_read_write, what they share not included;
1.7 for each of 256, and 9 KiB for each of 146 prepared statements."""
LEAST_BUFFERS = 16 * MEBIBYTE
LEAST_LOG, MOST_LOG = 80 * MEBIBYTE, GIBIBYTE
"""The server's own `min_wal_size` and `max_wal_size`."""


def default_buffers(memory_bytes: int, connections: int = 0) -> str:
    """A quarter of the memory, as the server's manual advises: it relies on the page cache too.

    Less where the rest would not hold a process for each connection.
    """
    rest = memory_bytes - BESIDE_BUFFERS - connections * SESSIONS.connection
    return f"{max(min(memory_bytes // 4, rest), LEAST_BUFFERS) // MEBIBYTE}MB"


def largest_buffers(memory_bytes: int) -> int:
    """Bytes above which the server would sooner or later be killed for want of memory."""
    return max(min(int(memory_bytes * 0.8), memory_bytes - BESIDE_BUFFERS), LEAST_BUFFERS)


def server_settings(spec: TestbedSpec, layout: PostgresqlLayout) -> Settings:
    """All settings of the server, later ones over earlier ones."""
    return {
        **_defaults(spec),
        **spec.instance.settings,
        **_owned(spec, layout),
        **_in_transit(spec.mode.in_transit, layout),
    }


def server_conf(spec: TestbedSpec, layout: PostgresqlLayout) -> str:
    """The file of settings. It holds no secret: keys are named by their file."""
    lines = [f"{name} = {_quoted(value)}" for name, value in server_settings(spec, layout).items()]
    return "\n".join([*lines, ""])


def openssl_conf(in_transit: InTransit) -> str:
    """OpenSSL's own settings for the server, which has none for the suites of TLS 1.3."""
    return (
        "openssl_conf = main\n"
        "[main]\nssl_conf = tls\n"
        "[tls]\nsystem_default = server\n"
        f"[server]\nCiphersuites = {in_transit.cipher_suite}\n"
    )


def _quoted(value: str) -> str:
    doubled = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _defaults(spec: TestbedSpec) -> Settings:
    """What a template may set otherwise."""
    own = spec.instance.embedded
    log = max(min(int(parse_quantity(own.storage.size)) // 4, MOST_LOG), LEAST_LOG)
    return {
        "shared_buffers": default_buffers(own.resources.memory_bytes, spec.max_connections),
        # Durable at each commit, which is the server's own default; written here because it
        # decides the outcome of every write workload.
        "fsync": "on",
        "synchronous_commit": "on",
        # The server's own default, less where the volume is small.
        "max_wal_size": f"{log // MEBIBYTE}MB",
        # The pod has none, and where the node has some the server would be killed by the first
        # that it touches.
        "huge_pages": "off",
    }


def _owned(spec: TestbedSpec, layout: PostgresqlLayout) -> Settings:
    """What a template may not set; `problems` says so before anything starts."""
    return {
        "data_directory": layout.data,
        "hba_file": layout.host_rules,
        # Empty as initdb makes it, but the server wants to know it.
        "ident_file": f"{layout.data}/pg_ident.conf",
        "listen_addresses": "*",
        "port": str(layout.port),
        "unix_socket_directories": layout.volume,
        "unix_socket_permissions": "0700",
        "max_connections": str(spec.max_connections + SPARE_CONNECTIONS),
        "password_encryption": "scram-sha-256",
        "logging_collector": "off",
        "log_destination": "stderr",
        # The server's own default, by which a line is known to be of which process.
        "log_line_prefix": "%m [%p] ",
        # A server that starts over within the same process would look as if it had never ended.
        "restart_after_crash": "off",
        "shared_preload_libraries": "",
    }


def _in_transit(in_transit: InTransit | None, layout: PostgresqlLayout) -> Settings:
    """TLS of the mode: off entirely, or this version and suite alone."""
    if in_transit is None:
        return {"ssl": "off"}
    made = {
        "ssl": "on",
        "ssl_cert_file": f"{layout.tls}/{CERTIFICATE}",
        "ssl_key_file": f"{layout.tls}/{KEY}",
        "ssl_min_protocol_version": in_transit.version,
        "ssl_max_protocol_version": in_transit.version,
    }
    if in_transit.version == "TLSv1.2":
        made["ssl_ciphers"] = suite(in_transit)
    return made
