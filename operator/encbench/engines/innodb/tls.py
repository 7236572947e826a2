"""TLS as MySQL's protocol and its two servers have it in common.

The server needs the CA as well: sysbench's client library sends a certificate of its own whether
it is asked for or not, and a server without the CA refuses it.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.certificates import AUTHORITY, CERTIFICATE, KEY
from encbench.engines.innodb.layout import InnodbLayout


def requirement(mode: EncryptionModeSpec) -> str:
    """The clause of CREATE USER and ALTER USER for the benchmark's user."""
    return "REQUIRE NONE" if mode.in_transit is None else "REQUIRE SSL"


def files(layout: InnodbLayout) -> dict[str, str]:
    """The settings that name the server's files."""
    return {
        "ssl_ca": f"{layout.tls}/{AUTHORITY}",
        "ssl_cert": f"{layout.tls}/{CERTIFICATE}",
        "ssl_key": f"{layout.tls}/{KEY}",
    }
