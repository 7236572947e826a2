"""Settings that MariaDB and MySQL have in common, apart from their sizes."""

from collections.abc import Mapping

from encbench.api.encryptionmode import InTransit
from encbench.core.certificates import AUTHORITY, CERTIFICATE, KEY
from encbench.core.tls import suite
from encbench.engines.innodb.layout import InnodbLayout

Settings = dict[str, str]

STEADY: Mapping[str, str] = {
    # Every page is read and written past the page cache: the server's memory is its buffer pool's
    # alone, and a scan of the files by the agent evicts nothing.
    "innodb_flush_method": "O_DIRECT",
    # No name service stands between a client and its login.
    "skip_name_resolve": "ON",
    # A crash must not leave a pool that was warmed differently from the other arms'.
    "innodb_buffer_pool_load_at_startup": "OFF",
    "innodb_buffer_pool_dump_at_shutdown": "OFF",
    "max_binlog_size": "256M",
}
BINARY_LOG: Mapping[str, str] = {
    # On in every arm, so that what its encryption costs is measured.
    "log_bin": "binlog",
    "server_id": "1",
}


def places(layout: InnodbLayout) -> Settings:
    """Where the server finds its files, and listens."""
    return {
        "datadir": layout.data,
        "tmpdir": layout.temporary,
        "socket": layout.socket,
        "pid_file": layout.pid_file,
        "port": str(layout.port),
    }


def tls(in_transit: InTransit, layout: InnodbLayout, suites: str) -> Settings:
    """TLS by one version and one suite, required of every client; `suites` is the suite's setting.

    The server needs the CA as well: sysbench's client library sends a certificate of its own
    whether it is asked for or not, and a server without the CA refuses it.
    """
    return {
        "ssl_ca": f"{layout.tls}/{AUTHORITY}",
        "ssl_cert": f"{layout.tls}/{CERTIFICATE}",
        "ssl_key": f"{layout.tls}/{KEY}",
        "tls_version": in_transit.version,
        suites: suite(in_transit),
        # Beside the user's own REQUIRE SSL, because a variable is what a proof can read.
        "require_secure_transport": "ON",
    }


def option_file(group: str, settings: Mapping[str, str], *more: str) -> str:
    """The option file of a server that reads this group."""
    lines = [f"{name}={value}" for name, value in settings.items()]
    return "\n".join([f"[{group}]", *lines, *more, ""])
