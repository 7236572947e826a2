"""Certificates: who gets one, and under which names a Secret holds them.

One CA per campaign signs a certificate for each testbed's server and one for its clients. Clients
have one only because sysbench presents a certificate whenever it uses TLS; it grants nothing.
"""

from dataclasses import dataclass, field

FOLDER = "/etc/encbench/tls"
"""The folder of a container's certificates."""
AUTHORITY = "ca.crt"
CERTIFICATE = "tls.crt"
KEY = "tls.key"
CLIENT_CERTIFICATE = "client.crt"
CLIENT_KEY = "client.key"

AUTHORITY_KEY = "ca.key"
"""Beside `AUTHORITY` in the CA's own Secret, which no pod mounts."""


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its private key, both as PEM."""

    certificate: str
    key: str = field(repr=False)


@dataclass(frozen=True)
class Issued:
    """What one testbed gets."""

    authority: str
    """The CA's certificate as PEM; both sides use it to verify each other."""
    server: KeyPair
    client: KeyPair


def authority_name(campaign: str) -> str:
    """Name of the Secret with a campaign's CA."""
    return f"{campaign}-ca"


def host_names(testbed: str, namespace: str) -> tuple[str, ...]:
    """The names by which a testbed's server is reached: its headless Service's and its pod's."""
    pod = f"{testbed}-0.{testbed}"
    return tuple(
        f"{name}{ending}"
        for name in (testbed, pod)
        for ending in ("", f".{namespace}", f".{namespace}.svc")
    )


def entries(issued: Issued) -> dict[str, str]:
    """The entries of a testbed's credentials Secret."""
    return {
        AUTHORITY: issued.authority,
        CERTIFICATE: issued.server.certificate,
        KEY: issued.server.key,
        CLIENT_CERTIFICATE: issued.client.certificate,
        CLIENT_KEY: issued.client.key,
    }


def authority_entries(authority: KeyPair) -> dict[str, str]:
    """The entries of the CA's Secret."""
    return {AUTHORITY: authority.certificate, AUTHORITY_KEY: authority.key}
