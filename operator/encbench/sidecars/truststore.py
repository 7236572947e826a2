"""`python -m encbench.sidecars.truststore AUTHORITY STORE PASSWORD`: a CA's PEM file, for Java.

An init container of a client whose driver takes no PEM. In the client's own image only keytool
could do it, which takes one certificate for each process: nearly half a second of CPU each, within
the tool's time.
"""

import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    KeySerializationEncryption,
    PrivateFormat,
    pkcs12,
)

from encbench.wire.failure import leave


class NoCertificates(Exception):
    """The PEM file has none that can be read. The text says what to write."""


def make(authority: Path, store: Path, password: str) -> None:
    """Put each certificate of a PEM file, which may be a bundle, into a new PKCS12 file."""
    try:
        found = x509.load_pem_x509_certificates(authority.read_bytes())
    except ValueError as error:
        raise NoCertificates(
            f"{authority} has no certificate that can be read, or a damaged one: put the PEM file "
            "of the CA into the Secret's entry ca.crt"
        ) from error
    named = [
        pkcs12.PKCS12Certificate(one, b"encbench-%d" % number)
        for number, one in enumerate(found, 1)
    ]
    store.parent.mkdir(parents=True, exist_ok=True)
    store.write_bytes(pkcs12.serialize_java_truststore(named, _encryption(password)))


def _encryption(password: str) -> KeySerializationEncryption:
    """As every Java reads it: Java 8 knew no better for years.

    Nothing in the file is a secret, and a client opens it for each connection: one round will do.
    """
    return (
        PrivateFormat.PKCS12.encryption_builder()
        .kdf_rounds(1)
        .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC)
        .hmac_hash(hashes.SHA1())  # noqa: S303 - see above
        .build(password.encode())
    )


def main(arguments: list[str]) -> None:
    """Make it, or exit with 1 and a sentence."""
    authority, store, password = arguments
    try:
        make(Path(authority), Path(store), password)
    except NoCertificates as error:
        leave(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
