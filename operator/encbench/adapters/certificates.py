"""`ports.Certificates` with the `cryptography` library: ECDSA on P-256, which every engine takes.

The certificates of one testbed cost a quarter of a millisecond of CPU. RSA keys would cost 33 ms
each: more than a second in all on a busy node, where the operator may get only the twentieth of a
core that it requests. Certificates take part in handshakes only, and those are over before a window
begins, unless a user's own script connects within its transactions: their cost is then that of
P-256.

Serial numbers and keys are random, from the library's own source; the time is an argument.
"""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from encbench.core.certificates import Issued, KeyPair
from encbench.ports import Rejected

EARLIER = timedelta(days=1)
"""Nodes' clocks may be behind the operator's."""
VALID = timedelta(days=3650)
"""Longer than any campaign, because certificates are not renewed."""
CLIENT = "encbench"
"""Subject of certificates that are known by other names, or by none."""
LONGEST = 4 * 1024
"""Letters of a PEM that is read; ours have less than a quarter."""

_SIGNATURE = hashes.SHA256()


class EllipticCertificates:
    """Makes authorities and signs certificates; keeps no state."""

    def authority(self, name: str, now: datetime) -> KeyPair:
        """See `ports.Certificates`."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _subject(name)
        builder = (
            _builder(subject, subject, key, now)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
        )
        return _pair(builder, key, key)

    def issue(self, authority: KeyPair, name: str, hosts: Sequence[str], now: datetime) -> Issued:
        """See `ports.Certificates`."""
        certificate, key = _loaded(authority)
        names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
        server = _leaf(certificate, key, name, now, ExtendedKeyUsageOID.SERVER_AUTH, names)
        client = _leaf(certificate, key, CLIENT, now, ExtendedKeyUsageOID.CLIENT_AUTH)
        return Issued(authority=authority.certificate, server=server, client=client)

    def certify(self, authority: KeyPair, host: str, now: datetime) -> KeyPair:
        """See `ports.Certificates`."""
        certificate, key = _loaded(authority)
        names = x509.SubjectAlternativeName([_general_name(host)])
        return _leaf(certificate, key, CLIENT, now, ExtendedKeyUsageOID.SERVER_AUTH, names)

    def unpresentable(self, now: datetime) -> KeyPair:
        """See `ports.Certificates`: RFC 8446, section 4.2.3, has no scheme for this curve."""
        key, subject = ec.generate_private_key(ec.SECP256K1()), _subject(CLIENT)
        return _pair(_builder(subject, subject, key, now), key, key)


def _leaf(
    issuer: x509.Certificate,
    signing: ec.EllipticCurvePrivateKey,
    name: str,
    now: datetime,
    purpose: x509.ObjectIdentifier,
    names: x509.SubjectAlternativeName | None = None,
) -> KeyPair:
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key())
    builder = (
        _builder(_subject(name), issuer.subject, key, now)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(own, critical=False)
    )
    if names is not None:
        builder = builder.add_extension(names, critical=False)
    return _pair(builder, key, signing)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLIER)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _pair(
    builder: x509.CertificateBuilder,
    key: ec.EllipticCurvePrivateKey,
    signing: ec.EllipticCurvePrivateKey,
) -> KeyPair:
    certificate = builder.sign(signing, _SIGNATURE)
    return KeyPair(
        certificate=certificate.public_bytes(serialization.Encoding.PEM).decode("ascii"),
        key=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode("ascii"),
    )


def _loaded(authority: KeyPair) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """The pair, which lies in a Secret that others may have made.

    Whether the primes of an RSA key are such is not checked, because that may take for ever; no RSA
    key is used.
    """
    if max(len(authority.certificate), len(authority.key)) > LONGEST:
        raise Rejected(f"the campaign's CA cannot be used: a PEM of over {LONGEST:,} letters")
    try:
        certificate = x509.load_pem_x509_certificate(authority.certificate.encode())
        key = serialization.load_pem_private_key(
            authority.key.encode(), password=None, unsafe_skip_rsa_key_validation=True
        )
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Rejected(f"the campaign's CA cannot be read: {error}") from error
    if (
        not isinstance(key, ec.EllipticCurvePrivateKey)
        or key.public_key() != certificate.public_key()
    ):
        raise Rejected("the campaign's CA cannot be used: its key does not match its certificate")
    return certificate, key


def _subject(name: str) -> x509.Name:
    """X.509 allows 64 characters; names of testbeds and campaigns are shorter."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
