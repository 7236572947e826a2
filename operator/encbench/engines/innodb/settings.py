"""Settings that MariaDB and MySQL have in common, and how large a buffer pool their memory bears.

A server takes memory beside its pool, whatever the pool's size; each engine's share was measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from encbench.api.encryptionmode import InTransit
from encbench.core.certificates import AUTHORITY, CERTIFICATE, KEY
from encbench.core.session_memory import SessionMemory
from encbench.core.tls import suite
from encbench.engines.innodb.layout import InnodbLayout

Settings = dict[str, str]

STEADY: Mapping[str, str] = {
    # Reads and writes bypass the page cache: only the buffer pool caches pages, and a scan of
    # the files by the agent evicts nothing.
    "innodb_flush_method": "O_DIRECT",
    # No login waits for a name service.
    "skip_name_resolve": "ON",
    # After a crash, no arm's pool may be warmer than another's.
    "innodb_buffer_pool_load_at_startup": "OFF",
    "innodb_buffer_pool_dump_at_shutdown": "OFF",
    "max_binlog_size": "256M",
}
BINARY_LOG: Mapping[str, str] = {
    # On in every arm, so that what its encryption costs is measured.
    "log_bin": "binlog",
    "server_id": "1",
}

KIBIBYTE, MEBIBYTE = 2**10, 2**20
LEAST_POOL = 16 * MEBIBYTE
LEAST_ROOM = 48 * MEBIBYTE
"""For connections, where the template does not set the pool's size."""


@dataclass(frozen=True)
class Memory:
    """What one engine takes beside its pool, in bytes."""

    beside_pool: int
    """At rest and under a few clients."""
    sessions: SessionMemory
    """For each connection, and for each statement prepared in it."""

    def default_pool(self, memory_bytes: int, connections: int = 0) -> str:
        """Half of the memory, less where the rest would not hold the server and its connections."""
        room = max(connections * self.sessions.connection, LEAST_ROOM)
        rest = memory_bytes - self.beside_pool - room
        return f"{max(min(memory_bytes // 2, rest), LEAST_POOL) // MEBIBYTE}M"

    def largest_pool(self, memory_bytes: int) -> int:
        """Bytes above which the server would sooner or later run out of memory and be killed."""
        return max(min(int(memory_bytes * 0.8), memory_bytes - self.beside_pool), LEAST_POOL)


def places(layout: InnodbLayout) -> Settings:
    """Where the server finds its files, and where it listens."""
    return {
        "datadir": layout.data,
        "tmpdir": layout.temporary,
        "socket": layout.socket,
        "pid_file": layout.pid_file,
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
