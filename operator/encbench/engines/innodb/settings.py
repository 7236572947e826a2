"""What MariaDB and MySQL have in common: places, settings, and sizes as they write them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from encbench.api.encryptionmode import InTransit
from encbench.core.certificates import AUTHORITY, CERTIFICATE, KEY
from encbench.core.session_memory import SessionMemory
from encbench.core.tls import suite
from encbench.engines.facts import facts
from encbench.engines.layout import ServerLayout
from encbench.engines.memory_fit import LEAST, MEBIBYTE, Pool

Settings = dict[str, str]

POOL = "innodb_buffer_pool_size"
LOAD = "innodb_buffer_pool_load_at_startup"
STATEMENTS = "max_prepared_stmt_count"
MOST_STATEMENTS = "1048576"
"""Prepared statements of all sessions together: the most that every version takes. By default it is
16,382, which sysbench is past at 15 threads on 128 tables."""
STEADY: Mapping[str, str] = {
    # Reads and writes bypass the page cache: only the buffer pool caches pages, and a scan of
    # the files by the agent evicts nothing.
    "innodb_flush_method": "O_DIRECT",
    # No login waits for a name service.
    "skip_name_resolve": "ON",
    # After a crash, no arm's pool may be warmer than another's.
    LOAD: "OFF",
    "innodb_buffer_pool_dump_at_shutdown": "OFF",
    "max_binlog_size": "256M",
}
BINARY_LOG: Mapping[str, str] = {
    # On in every arm, so that what its encryption costs is measured.
    "log_bin": "binlog",
    "server_id": "1",
}

KEEP_BINARY_LOGS: Mapping[str, str] = {
    # No replica needs them: those of a load would be searched by the proof, copied by each reset,
    # and fill the volume in a long campaign.
    "binlog_expire_logs_seconds": "600"
}

_SIZE = re.compile(r"([0-9]+)([KMGTPE]?)", re.IGNORECASE)
_UNITS = {unit: 2 ** (10 * power) for power, unit in enumerate(["", *"KMGTPE"])}


@dataclass(frozen=True, kw_only=True)
class InnodbLayout(ServerLayout):
    """Paths as the server's container sees them."""

    server: str
    """The stem of its socket's and pid file's names."""
    keys: str = "/etc/encbench/keys"
    """The folder of the key file, which only MariaDB takes."""
    port: int = facts("mysql").port

    @property
    def socket(self) -> str:
        """The unix socket, on the volume because server and agent share it."""
        return f"{self.volume}/{self.server}.sock"

    @property
    def server_cnf(self) -> str:
        """The one option file."""
        return f"{self.config}/server.cnf"


def reads_through_page_cache(settings: Mapping[str, str]) -> bool:
    """Whether a server with these settings reads its tables through the page cache.

    Of MariaDB's two settings the newer one, from 11.0, follows the older one.
    """
    buffering = settings.get("innodb_data_file_buffering")
    if buffering is not None:
        return buffering == "ON"
    method = settings.get("innodb_flush_method", STEADY["innodb_flush_method"])
    # Percona Server 5.7 has ALL_O_DIRECT as well, which adds the log.
    return "O_DIRECT" not in method.upper()


def pool(server: str, beside: int, sessions: SessionMemory) -> Pool:
    """The pool of the server of that title, which takes so much beside it."""
    return Pool(
        server=server,
        setting=POOL,
        unit="M",
        parse=parse_size,
        counts="bytes",
        beside=beside,
        sessions=sessions,
        parts=2,
        least_room=48 * MEBIBYTE,
        least_memory=beside + LEAST,
    )


def parse_size(text: str) -> int | None:
    """Bytes in a size as an option file has it, such as 256M; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(match[1]) * _UNITS[match[2].upper()]


def reads_pool_back(settings: Mapping[str, str]) -> bool:
    """Whether a server with these settings of a template begins with the pool of its last stop."""
    return settings.get(LOAD, "OFF").upper() not in ("OFF", "FALSE", "0")


def places(layout: InnodbLayout) -> Settings:
    """Where the server finds its files, and where it listens."""
    return {
        "datadir": layout.data,
        # On the measured volume, because sorting is part of the workload.
        "tmpdir": f"{layout.volume}/tmp",  # noqa: S108 a folder of the volume
        "socket": layout.socket,
        "pid_file": f"{layout.volume}/{layout.server}.pid",
        "port": str(layout.port),
    }


def tls(in_transit: InTransit, layout: InnodbLayout, suites: str) -> Settings:
    """TLS of one version and suite, required of every client; `suites` names the suite's setting.

    The server needs the CA as well: sysbench's client library always sends a certificate of its
    own, and a server without the CA rejects it.
    """
    return {
        "ssl_ca": f"{layout.tls}/{AUTHORITY}",
        "ssl_cert": f"{layout.tls}/{CERTIFICATE}",
        "ssl_key": f"{layout.tls}/{KEY}",
        "tls_version": in_transit.version,
        suites: suite(in_transit),
        # As well as the user's own REQUIRE SSL, because a proof can read a variable.
        "require_secure_transport": "ON",
    }


def option_file(group: str, settings: Mapping[str, str], *more: str) -> str:
    """The option file of a server that reads this group."""
    lines = [f"{name}={value}" for name, value in settings.items()]
    return "\n".join([f"[{group}]", *lines, *more, ""])
