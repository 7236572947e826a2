"""How the operator and a testbed's sidecars know each other: names of entries and of files.

The testbed's Secret holds a token and a certificate by the campaign's CA for its agent, and others
for its recorders: a tool's image that gets hold of its recorder's cannot ask the agent for anything
with them. Each sidecar has its own as files. It serves `/v1` by TLS on a port of its own, and
`/metrics` in the clear, where nothing is secret.
"""

from typing import Literal

Sidecar = Literal["agent", "recorder"]

AUTHORITY = "sidecars-ca.crt"
"""Entry with the CA that certifies the sidecars; a database may have another one, of its user's."""
TOKEN = "token"  # noqa: S105 the name of a file
CERTIFICATE = "tls.crt"
KEY = "tls.key"


def certified_name(sidecar: Sidecar, testbed: str) -> str:
    """The name in the certificate. It is in no DNS: a pod's address is not known beforehand."""
    return f"{sidecar}.{testbed}"


def entry_name(sidecar: Sidecar, file: str) -> str:
    """The entry of the testbed's Secret with that file."""
    return f"{sidecar}-{file}"


def mounted(sidecar: Sidecar) -> dict[str, str]:
    """File by entry, as the sidecar's own container mounts them."""
    return {entry_name(sidecar, file): file for file in (TOKEN, CERTIFICATE, KEY)}
