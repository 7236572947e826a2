"""A sidecar's certificate: its callers speak TLS 1.3, and can verify whom they talk to."""

import ssl
from pathlib import Path

from encbench.wire.sidecar import CERTIFICATE, KEY


def context(folder: Path) -> ssl.SSLContext:
    """The server's side of TLS with the certificate and key in this folder. OSError without."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    # Nothing resumes a session: the operator keeps its connections to agents, and talks to a
    # recorder a few times only.
    made.num_tickets = 0
    made.load_cert_chain(folder / CERTIFICATE, folder / KEY)
    return made
