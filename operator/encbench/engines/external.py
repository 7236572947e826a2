"""A database that encbench does not run: its credentials and its proof.

The operator sees of it what a client's session sees. So a mode may differ in what a client can show
(encryption in transit); what lies on the server's disks can be neither set nor looked at, and every
proof lists that among its exemptions. docs/design/0005-external.md says why all arms of a cell
share one dataset.
"""

from collections.abc import Mapping

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import External
from encbench.core import certificates
from encbench.core.certificates import Pair
from encbench.core.connection import Driver
from encbench.core.evidence import Proof, ProofCheck
from encbench.engines.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.kube import secrets
from encbench.ports import Body

USERNAME, PASSWORD = "username", "password"
OWN_CERTIFICATE = (certificates.CLIENT_CERTIFICATE, certificates.CLIENT_KEY)
"""Entries that the user's Secret may have, both or neither."""
UNSEEN = (
    "the data files, logs and backups of the server",
    "its settings, and that no one else used it",
    "a restart of the server between two sessions",
)
"""What no client's session shows."""
LONGEST = 200
"""Bytes of a name or a password that sysbench's options file carries; it cuts lines near 256."""


def wanted(mode: EncryptionModeSpec) -> dict[str, str]:
    """Entries that the Secret must have for this mode, each with what it is."""
    entries = {USERNAME: "the user's name", PASSWORD: "the user's password"}
    if mode.in_transit is not None:
        entries[certificates.AUTHORITY] = "the certificate of the server's CA"
    return entries


def unfit(entry: str, value: str) -> str | None:
    """Why a login cannot be handed to the clients, in words that do not repeat it."""
    if entry not in (USERNAME, PASSWORD):
        return None if value.strip() else "is empty: put the PEM file there"
    if not value:
        return "is empty: put the user's there"
    if value.endswith("\n"):
        return "ends with a line break, which would be taken for a part of it: write it without"
    if '"' in value or any(ord(letter) < 32 for letter in value):
        return 'has a " or a control character, which sysbench cannot read: choose another'
    if len(value.encode()) > LONGEST:
        return f"is longer than the {LONGEST} bytes that sysbench can read: choose a shorter one"
    return None


def entries_of(secret: Body) -> dict[str, str]:
    """The user's Secret as text; entries that are no text are left out."""
    found: dict[str, str] = {}
    for name in secret.get("data") or {}:
        try:
            value = secrets.entry(secret, name)
        except ValueError:
            continue
        if value is not None:
            found[name] = value
    return found


def credentials_secret(
    context: DatabaseContext,
    driver: Driver,
    given: Mapping[str, str],
    spare: Pair,
    random_token: RandomToken,
) -> Body:
    """The testbed's own Secret, in the form that every client reads, made of the user's.

    sysbench does not start TLS with MySQL's protocol unless it has a client certificate, and a
    server that knows its CA refuses one of another. `spare` is one that is never presented; it
    stands in where the user gives none.
    """
    kept = (USERNAME, PASSWORD, certificates.AUTHORITY, *OWN_CERTIFICATE)
    own = dict(zip(OWN_CERTIFICATE, (spare.certificate, spare.key), strict=True))
    return secrets.secret(
        context.metadata(context.credentials_name),
        {
            **own,
            **{name: given[name] for name in kept if name in given},
            "token": random_token(32),
            "sysbench.conf": _sysbench_conf(driver, given[USERNAME], given[PASSWORD]),
        },
    )


def _sysbench_conf(driver: Driver, username: str, password: str) -> str:
    """In quotation marks, between which sysbench takes everything but one of those."""
    return f'{driver}-user="{username}"\n{driver}-password="{password}"\n'


def prove(external: External, mode: EncryptionModeSpec) -> Proof:
    """What stands against the mode before a client has spoken to the server: nothing that is known.

    It claims nothing either, and has no check but the exemptions. The clients' sessions, which join
    each trial's second proof, are what decides.
    """
    name = "plaintext in transit" if mode.in_transit is None else "TLS"
    return Proof(
        ok=True,
        summary=f"{name} is for the clients' sessions of each trial to prove, for encbench does "
        "not run the server and sees nothing of its files",
        checks=tuple(
            ProofCheck(name=f"exempt: {what}", ok=True, detail="not to be seen through a session")
            for what in UNSEEN
        ),
        evidence={"external": {"host": external.host, "database": external.database}},
    )
