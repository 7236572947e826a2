"""The server's settings: the operator's, the mode's, the template's, in that order.

The server reads this file and `postgresql.auto.conf`, which stays empty because only a superuser
may write it and no superuser may log in. The arms differ in `_in_transit` and `_enclave` only.
Temporary files are in the data directory, on the volume.
"""

import re
from dataclasses import dataclass

from encbench.api.columns import Columns
from encbench.api.encryptionmode import InTransit
from encbench.api.scalars import parse_quantity
from encbench.api.testbed import TestbedSpec
from encbench.core.certificates import CERTIFICATE, KEY
from encbench.core.columns.layout import MEK_FILE
from encbench.core.session_memory import SPARE_CONNECTIONS, SessionMemory
from encbench.core.tls import suite
from encbench.engines.facts import facts
from encbench.engines.layout import ServerLayout
from encbench.engines.memory_fit import KIBIBYTE, MEBIBYTE, Pool
from encbench.engines.postgresql.enclave import EXTENSION
from encbench.wire import alive

Settings = dict[str, str]

LEAST_LOG, MOST_LOG = 80 * MEBIBYTE, 1024 * MEBIBYTE
"""The server's own `min_wal_size` and `max_wal_size`."""

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *(B|kB|MB|GB|TB)?")
_UNITS = {"B": 1, "kB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
_TIME = re.compile(r"([0-9]+)(ms|s|min|h|d)")
_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
_PAGE = 8192
"""What `shared_buffers` without a unit counts."""

AT_REST = 20 * MEBIBYTE
"""Bytes that the server takes beside its pool, as measured."""
WORK_MEMORY = 64 * MEBIBYTE
"""The server's own `maintenance_work_mem`."""


@dataclass(frozen=True, kw_only=True)
class PostgresqlLayout(ServerLayout):
    """Paths as the server's container sees them."""

    port: int = facts("postgresql").port
    key_file: str = MEK_FILE
    """The key of encrypted column types."""

    @property
    def socket(self) -> str:
        """The unix socket, on the volume because server and agent share it."""
        return f"{self.volume}/.s.PGSQL.{self.port}"

    @property
    def server_conf(self) -> str:
        """The one file of settings, beside `postgresql.auto.conf` in the data directory."""
        return f"{self.config}/postgresql.conf"


POD = PostgresqlLayout()


def parse_size(text: str, unit: int = _PAGE) -> int | None:
    """Bytes in a size such as 256MB, or in so many units; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(float(match[1]) * _UNITS.get(match[2], unit))


def parse_seconds(text: str) -> float | None:
    """Seconds in a time such as 5min, as the server says times; None for anything else."""
    match = _TIME.fullmatch(text.strip())
    return None if match is None else int(match[1]) * _SECONDS[match[2]]


_SESSION = 3 * MEBIBYTE


POOL = Pool(
    server="PostgreSQL",
    setting="shared_buffers",
    unit="MB",
    parse=parse_size,
    counts="pages of 8 kB",
    # An autovacuum worker may take as much again as the server at rest, or more.
    beside=64 * MEBIBYTE,
    # Measured under oltp_read_write, shared memory left out: 2.5 MiB for each of 32 clients, 1.7
    # for each of 256, and 9 KiB for each of 146 prepared statements.
    sessions=SessionMemory(connection=_SESSION, statement=9 * KIBIBYTE),
    # A quarter, as the server's manual advises, because it relies on the page cache too.
    parts=4,
    has_processes=True,
)


def server_settings(spec: TestbedSpec, layout: PostgresqlLayout) -> Settings:
    """All settings of the server, later ones over earlier ones."""
    return {
        **_defaults(spec),
        **spec.instance.settings,
        **_owned(spec, layout),
        **_in_transit(spec.mode.in_transit, layout),
        **_enclave(spec.mode.enclave, layout),
    }


def server_conf(spec: TestbedSpec, layout: PostgresqlLayout) -> str:
    """The file of settings. It holds no secret, because it names keys by their file."""
    lines = [f"{name} = {_quoted(value)}" for name, value in server_settings(spec, layout).items()]
    return "\n".join([*lines, ""])


def openssl_conf(in_transit: InTransit) -> str:
    """OpenSSL's settings for TLS 1.3, for whose suites the server has no setting before 18.

    OpenSSL reads them in place of its image's whole configuration.
    """
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
    """Defaults that a template may override."""
    own = spec.instance.embedded
    log = max(min(int(parse_quantity(own.storage.size)) // 4, MOST_LOG), LEAST_LOG)
    return {
        POOL.setting: POOL.default(own.resources.memory_bytes, spec.max_connections),
        # Durable at each commit. This is the server's default, but explicit here because it
        # decides the outcome of every write workload.
        "fsync": "on",
        "synchronous_commit": "on",
        # The server's own default, less where the volume is small.
        "max_wal_size": f"{log // MEBIBYTE}MB",
        # The pod requests none. Where the node has some, the server would be killed as soon as it
        # touches one.
        "huge_pages": "off",
        # A client that is lost is missed in two minutes, by the kernel's defaults in two hours. No
        # tcp_user_timeout: the kernel also ends by it a session whose client is alive and does not
        # read, as one that an interleaved block has stopped in the middle of a long answer.
        "tcp_keepalives_idle": str(alive.IDLE),
        "tcp_keepalives_interval": str(alive.INTERVAL),
        "tcp_keepalives_count": str(alive.PROBES),
    }


def _owned(spec: TestbedSpec, layout: PostgresqlLayout) -> Settings:
    """Settings that a template may not have; `problems` rejects them before anything starts."""
    return {
        "data_directory": layout.data,
        "hba_file": f"{layout.config}/pg_hba.conf",
        # The empty file that initdb makes, because the server insists on one.
        "ident_file": f"{layout.data}/pg_ident.conf",
        "listen_addresses": "*",
        "port": str(layout.port),
        "unix_socket_directories": layout.volume,
        "unix_socket_permissions": "0700",
        "max_connections": str(spec.max_connections + SPARE_CONNECTIONS),
        "password_encryption": "scram-sha-256",
        "logging_collector": "off",
        "log_destination": "stderr",
        # The server's own default. It shows which process wrote a line.
        "log_line_prefix": "%m [%p] ",
        # `log_words` are English. The server's default is the language of the image's environment.
        "lc_messages": "C",
        # A server that restarts within the same process would look as if it had never ended.
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


def _enclave(columns: Columns | None, layout: PostgresqlLayout) -> Settings:
    """The extension with encrypted column types, and what the simulated boundary costs.

    Sessions load it, rather than the server, because plain arms must be free of it. The costs hold
    from the start: the load crosses the boundary as well.
    """
    if columns is None:
        return {}
    return {
        "session_preload_libraries": EXTENSION,
        f"{EXTENSION}.key_file": layout.key_file,
        f"{EXTENSION}.transition_ns": str(columns.boundary.transition_ns),
        f"{EXTENSION}.value_ns": str(columns.boundary.value_ns),
    }
