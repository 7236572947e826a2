"""An external database: what its login must look like.

The operator sees only what a client's session sees. Modes may therefore differ in what a client can
show (encryption in transit); the operator can neither set nor inspect what is on the server's
disks. `database` has the testbed's Secret, and `proofs.clients` the proof.
"""

import os
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.core import certificates
from encbench.core.problem import Reason
from encbench.engines.facts import facts
from encbench.kube import secrets
from encbench.ports import Body

USERNAME, PASSWORD = "username", "password"
OWN_CERTIFICATE = (certificates.CLIENT_CERTIFICATE, certificates.CLIENT_KEY)
"""Entries that the user's Secret may have, both or neither."""
LONGEST = 200
"""Most bytes of a name or password; sysbench cuts the lines of its options file near 256."""

_CONVERT = {
    certificates.AUTHORITY: "convert it with openssl x509 -inform der",
    certificates.CLIENT_CERTIFICATE: "convert it with openssl x509 -inform der",
    certificates.CLIENT_KEY: "convert it with openssl pkey -inform der",
}
"""What to do with entries that are no text, because DER is what they then are."""
_EMPTY = "is empty: put the PEM file there"
_OTHER_KEY = {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}
"""OpenSSL's reasons where it has read both, and they are no pair."""
_MEMORY = Path("/dev/shm")  # noqa: S108 a file system in memory


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


def faults(secret: Body, needed: Mapping[str, str]) -> Iterator[tuple[Reason, str]]:
    """What is wrong with the user's Secret, in words that go after its name and repeat no entry.

    `needed` has the entries that it must have, each with its description.
    """
    there = {name for name, value in (secret.get("data") or {}).items() if value is not None}
    texts = entries_of(secret)
    for entry, meaning in needed.items():
        if entry not in there:
            yield Reason.ENTRY_MISSING, f" has no entry {entry}: add {meaning}"
        elif entry not in texts:
            yield _not_text(entry)
        elif (why := unfit(entry, texts[entry])) is not None:
            yield Reason.ENTRY_INVALID, f": its entry {entry} {why}"
    own = [entry for entry in OWN_CERTIFICATE if entry in there]
    if len(own) == 1:
        both = " and ".join(OWN_CERTIFICATE)
        yield Reason.ENTRY_MISSING, f" has only {own[0]}: add both {both}, or neither"
    elif own:
        yield from _unfit_pair(texts)


def presents(secret: Body) -> bool:
    """Whether the user means clients to present a certificate, whatever is in its entries."""
    return any((secret.get("data") or {}).get(entry) is not None for entry in OWN_CERTIFICATE)


def unfit(entry: str, value: str) -> str | None:
    """Why the clients could not use an entry, in words that do not repeat it; None if they can.

    The two of the client's own certificate are judged together.
    """
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


def _not_text(entry: str) -> tuple[Reason, str]:
    advice = _CONVERT.get(entry, "write it in UTF-8")
    return Reason.ENTRY_INVALID, f": its entry {entry} is not text: {advice}"


def _not_certificates(pem: str) -> str | None:
    if not pem.strip():
        return _EMPTY
    if "PRIVATE KEY-----" in pem:
        return "has a private key, which clients must not get: leave only certificates there"
    if "BEGIN TRUSTED CERTIFICATE" in pem:
        return "has a TRUSTED CERTIFICATE, which drivers cannot read: write it as a CERTIFICATE"
    if not _has_certificates(pem):
        return (
            "has no certificate that can be read, or a damaged one: put the PEM file of the CA "
            "there"
        )
    return None


def _has_certificates(pem: str) -> bool:
    try:
        # Bundles have names of CAs in UTF-8 between the certificates.
        known = pem.encode("ascii", "replace").decode()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=known)
    except ssl.SSLError:
        return False
    return True


def _unfit_pair(texts: Mapping[str, str]) -> Iterator[tuple[Reason, str]]:
    """Why a client could not present the certificate; `texts` lacks entries that are no text."""
    lacking = [entry for entry in OWN_CERTIFICATE if entry not in texts]
    yield from map(_not_text, lacking)
    if not lacking and (found := _no_pair(*(texts[entry] for entry in OWN_CERTIFICATE))):
        yield Reason.ENTRY_INVALID, ": its entry " + " ".join(found)


def _no_pair(certificate: str, key: str) -> tuple[str, str] | None:
    """The entry that is wrong, and why; None where OpenSSL loads the two as a client does."""
    for entry, text in zip(OWN_CERTIFICATE, (certificate, key), strict=True):
        if not text.strip():
            return entry, _EMPTY
    asked: list[str] = []

    def passphrase() -> str:
        asked.append(certificates.CLIENT_KEY)
        return ""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Which keys are too small is for the user's client and server to say.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    # OpenSSL loads the two from files alone.
    with TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        chain, own = (Path(folder, entry) for entry in OWN_CERTIFICATE)
        chain.write_bytes(certificate.encode())
        own.write_bytes(key.encode())
        try:
            context.load_cert_chain(chain, own, passphrase)
        except ssl.SSLError as error:
            return _misfit(certificate, error.reason, is_locked=bool(asked))
    return None


def _misfit(certificate: str, reason: str | None, *, is_locked: bool) -> tuple[str, str]:
    if not _has_certificates(certificate):
        advice = "has no certificate that can be read: put the client's PEM file there"
        return certificates.CLIENT_CERTIFICATE, advice
    if is_locked:
        advice = "has a passphrase, which no client is given: write it without (openssl pkey)"
    elif reason in _OTHER_KEY:
        advice = f"is not the key of {certificates.CLIENT_CERTIFICATE}: put the two of a pair there"
    else:
        advice = "has no private key that can be read: put the client's PEM file there"
    return certificates.CLIENT_KEY, advice


def entries_of(secret: Body) -> dict[str, str]:
    """The text entries of the user's Secret; others, which `faults` judges, are left out."""
    found: dict[str, str] = {}
    for name in secret.get("data") or {}:
        try:
            value = secrets.entry(secret, name)
        except ValueError:
            continue
        if value is not None:
            found[name] = value
    return found
