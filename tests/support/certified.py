"""Certificates for servers and clients of tests, made as the operator makes them."""

import ssl
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from encbench.adapters.certificates import EllipticCertificates
from encbench.core import certificates
from encbench.core.certificates import Issued, KeyPair
from encbench.tools.sysbench import command

LOCAL = ("127.0.0.1", "localhost")
MAKER = EllipticCertificates()


@cache
def authority(name: str = "study") -> KeyPair:
    """The CA of a campaign of that name; the same one within a run of the tests."""
    return MAKER.authority(name, datetime.now(UTC))


def issued(
    hosts: Sequence[str] = LOCAL, by: str = "study", since: datetime | None = None
) -> Issued:
    """What a testbed gets that is reached by these names; valid for ten years, from now."""
    return MAKER.issue(authority(by), "study-tls", hosts, since or datetime.now(UTC))


def context(hosts: Sequence[str] = LOCAL, since: datetime | None = None) -> ssl.SSLContext:
    """A server's side of TLS under these names."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        chain, key = Path(folder, "chain"), Path(folder, "key")
        pair = issued(hosts, since=since).server
        chain.write_text(pair.certificate)
        key.write_text(pair.key)
        made.load_cert_chain(chain, key)
    return made


def server_files(folder: str, made: Issued) -> dict[str, str]:
    """Text by path: what the server's container has in that folder."""
    found = certificates.entries(made)
    names = (certificates.AUTHORITY, certificates.CERTIFICATE, certificates.KEY)
    return {f"{folder}/{name}": found[name] for name in names}


def write_client_files(folder: Path, credentials: Mapping[str, str]) -> None:
    """Make it the working directory of a tool that may use TLS; `credentials` are the Secret's."""
    names = {
        certificates.AUTHORITY: command.AUTHORITY,
        certificates.CLIENT_CERTIFICATE: command.CLIENT_CERTIFICATE,
        certificates.CLIENT_KEY: command.CLIENT_KEY,
    }
    for entry, name in names.items():
        if entry in credentials:
            (folder / name).write_text(credentials[entry])
