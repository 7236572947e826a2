"""An external database: what its login must look like.

The operator sees only what a client's session sees. Modes may therefore differ in what a client can
show (encryption in transit); the operator can neither set nor inspect what is on the server's
disks. `database` has the testbed's Secret, and `proofs.clients` the proof.
"""

import ssl

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.core import certificates
from encbench.engines.facts import facts
from encbench.kube import secrets
from encbench.ports import Body

USERNAME, PASSWORD = "username", "password"
OWN_CERTIFICATE = (certificates.CLIENT_CERTIFICATE, certificates.CLIENT_KEY)
"""Entries that the user's Secret may have, both or neither."""
LONGEST = 200
"""Most bytes of a name or password; sysbench cuts the lines of its options file near 256."""


def only_server_says(
    instance: InstanceTemplateSpec, mode: EncryptionModeSpec, workload: WorkloadSpec
) -> bool:
    """Whether nothing but the server's word shows that sessions have TLS: no client insists on it.

    sysbench cannot with MySQL's protocol, and the URL of the user's own jar need not. The server
    speaks of its own end: the client may have a session without TLS with a proxy.
    """
    if not instance.is_external or mode.in_transit is None:
        return False
    own_url = mode.driver is not None and mode.driver.jar is not None
    return own_url or (workload.sysbench is not None and facts(instance.engine).driver == "mysql")


def wanted(mode: EncryptionModeSpec) -> dict[str, str]:
    """Entries that the Secret must have for this mode, each with its description."""
    entries = {USERNAME: "the user's name", PASSWORD: "the user's password"}
    if mode.in_transit is not None:
        entries[certificates.AUTHORITY] = "the certificate of the server's CA"
    return entries


def unfit(entry: str, value: str) -> str | None:
    """Why the clients could not use an entry, in words that do not repeat it; None if they can."""
    if entry not in (USERNAME, PASSWORD):
        return _not_certificates(value)
    if not value:
        return "is empty: put the user's there"
    if value.endswith("\n"):
        return "ends with a line break, which would count as part of it: write it without"
    if '"' in value or any(ord(letter) < 32 for letter in value):
        return 'has a " or a control character, which sysbench cannot read: choose another'
    if len(value.encode()) > LONGEST:
        return f"is longer than the {LONGEST} bytes that sysbench can read: choose a shorter one"
    return None


def _not_certificates(pem: str) -> str | None:
    if not pem.strip():
        return "is empty: put the PEM file there"
    if "PRIVATE KEY-----" in pem:
        return "has a private key, which clients must not get: leave only certificates there"
    if "BEGIN TRUSTED CERTIFICATE" in pem:
        return "has a TRUSTED CERTIFICATE, which drivers cannot read: write it as a CERTIFICATE"
    try:
        # Bundles have names of CAs in UTF-8 between the certificates.
        known = pem.encode("ascii", "replace").decode()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=known)
    except ssl.SSLError:
        return (
            "has no certificate that can be read, or a damaged one: put the PEM file of the CA "
            "there"
        )
    return None


def entries_of(secret: Body) -> dict[str, str]:
    """The text entries of the user's Secret; it leaves others out."""
    found: dict[str, str] = {}
    for name in secret.get("data") or {}:
        try:
            value = secrets.entry(secret, name)
        except ValueError:
            continue
        if value is not None:
            found[name] = value
    return found
