"""Certificates as those who verify them see them: by OpenSSL at both ends of a socket."""

import socket
import ssl
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from encbench.adapters.certificates import LONGEST, EllipticCertificates
from encbench.core.certificates import Issued, KeyPair, host_names
from encbench.ports import Rejected

NOW = datetime.now(UTC)
HOSTS = host_names("study-c1-tls", "bench")
MAKER = EllipticCertificates()


@pytest.fixture(scope="module")
def authority() -> KeyPair:
    return MAKER.authority("study", NOW)


@pytest.fixture(scope="module")
def issued(authority: KeyPair) -> Issued:
    return MAKER.issue(authority, "study-c1-tls", [*HOSTS, "127.0.0.1"], NOW)


def context(side: int, pair: KeyPair, trusted: str, folder: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(side)
    (folder / "pair.pem").write_text(pair.certificate + pair.key)
    made.load_cert_chain(folder / "pair.pem")
    made.load_verify_locations(cadata=trusted)
    made.verify_flags |= ssl.VERIFY_X509_STRICT
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def handshake(folder: Path, server: Issued, client: Issued, host: str) -> tuple[str, str, int]:
    """Cipher of a connection in which each side verifies the other's certificate by its own CA."""
    served = context(ssl.PROTOCOL_TLS_SERVER, server.server, server.authority, folder)
    asked = context(ssl.PROTOCOL_TLS_CLIENT, client.client, client.authority, folder)
    ours, theirs = socket.socketpair()

    def serve() -> None:
        try:
            with served.wrap_socket(theirs, server_side=True) as there:
                there.recv(1)
        except OSError:
            theirs.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        with asked.wrap_socket(ours, server_hostname=host) as here:
            here.sendall(b".")
            cipher = here.cipher()
    finally:
        ours.close()
        thread.join(10)
    assert cipher is not None
    return cipher


@pytest.mark.parametrize("host", [*HOSTS, "127.0.0.1"])
def test_both_sides_verify_each_other_under_every_name(
    tmp_path: Path, issued: Issued, host: str
) -> None:
    assert handshake(tmp_path, issued, issued, host)[1] == "TLSv1.3"


def test_every_name_by_which_the_server_is_reached_is_there() -> None:
    assert HOSTS == (
        "study-c1-tls",
        "study-c1-tls.bench",
        "study-c1-tls.bench.svc",
        "study-c1-tls-0.study-c1-tls",
        "study-c1-tls-0.study-c1-tls.bench",
        "study-c1-tls-0.study-c1-tls.bench.svc",
    )


def test_another_name_is_refused(tmp_path: Path, issued: Issued) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        handshake(tmp_path, issued, issued, "study-c1-plaintext")


def test_a_certificate_of_another_ca_is_refused(tmp_path: Path, issued: Issued) -> None:
    other = MAKER.issue(MAKER.authority("study", NOW), "study-c1-tls", HOSTS, NOW)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(tmp_path, other, issued, HOSTS[0])


def test_a_server_s_certificate_signs_nothing(tmp_path: Path, issued: Issued) -> None:
    forged = MAKER.issue(issued.server, "study-c1-tls", HOSTS, NOW)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(tmp_path, forged, issued, HOSTS[0])


def test_a_client_s_certificate_serves_nobody(tmp_path: Path, issued: Issued) -> None:
    swapped = Issued(issued.authority, server=issued.client, client=issued.server)
    with pytest.raises(ssl.SSLCertVerificationError, match="purpose"):
        handshake(tmp_path, swapped, issued, HOSTS[0])


def test_they_outlive_every_campaign_and_bear_with_clocks_that_are_behind(
    authority: KeyPair, issued: Issued
) -> None:
    for pem in (authority.certificate, issued.server.certificate, issued.client.certificate):
        found = x509.load_pem_x509_certificate(pem.encode())
        assert found.not_valid_before_utc < NOW - timedelta(hours=12)
        assert found.not_valid_after_utc > NOW + timedelta(days=3000)


def test_nothing_is_issued_twice_alike(authority: KeyPair, issued: Issued) -> None:
    again = MAKER.issue(authority, "study-c1-tls", HOSTS, NOW)
    assert again.authority == issued.authority
    keys = {again.server.key, again.client.key, issued.server.key, issued.client.key}
    assert len(keys) == 4


def test_the_longest_names_fit(authority: KeyPair) -> None:
    MAKER.authority("c" * 63, NOW)
    MAKER.issue(authority, "t" * 52, host_names("t" * 52, "n" * 63), NOW)


@pytest.mark.parametrize("broken", ["certificate", "key", "other"])
def test_what_is_no_ca_is_refused_with_a_reason(authority: KeyPair, broken: str) -> None:
    wrong = {
        "certificate": KeyPair("nothing", authority.key),
        "key": KeyPair(authority.certificate, "nothing"),
        "other": KeyPair(authority.certificate, MAKER.authority("other", NOW).key),
    }[broken]
    with pytest.raises(Rejected, match="campaign's CA"):
        MAKER.issue(wrong, "study-c1-tls", HOSTS, NOW)


def rsa_key() -> str:
    """A key whose parts contradict each other, which shows whether anyone worked them out."""
    numbers = rsa.generate_private_key(65537, 2048).private_numbers()
    wrong = rsa.RSAPrivateNumbers(
        *(numbers.p, numbers.q, numbers.d + 2, numbers.dmp1, numbers.dmq1, numbers.iqmp),
        public_numbers=numbers.public_numbers,
    )
    key = wrong.private_key(unsafe_skip_rsa_key_validation=True)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def test_the_primes_of_an_rsa_key_are_not_tested(authority: KeyPair) -> None:
    """A tenant may have made the Secret, and a key for which that takes for ever."""
    with pytest.raises(Rejected, match="its key does not match its certificate"):
        MAKER.certify(KeyPair(authority.certificate, rsa_key()), "host", NOW)


def test_a_key_with_a_password_is_refused(authority: KeyPair) -> None:
    key = load_pem_private_key(authority.key.encode(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x"))
    with pytest.raises(Rejected, match="cannot be read"):
        MAKER.certify(KeyPair(authority.certificate, locked.decode()), "host", NOW)


@pytest.mark.parametrize("part", ["certificate", "key"])
def test_a_large_pem_is_not_read(authority: KeyPair, part: str) -> None:
    large = replace(authority, **{part: "#" * LONGEST + getattr(authority, part)})
    with pytest.raises(Rejected, match="a PEM of over 4,096 letters"):
        MAKER.certify(large, "host", NOW)
    longest = MAKER.authority("c" * 63, NOW)
    assert max(len(longest.certificate), len(longest.key)) < LONGEST / 4


def test_a_key_is_not_shown_by_accident(authority: KeyPair, issued: Issued) -> None:
    assert "PRIVATE KEY" not in f"{authority!r} {issued!r}"


def test_the_stand_in_for_a_client_certificate_is_on_a_curve_that_tls_1_3_does_not_have() -> None:
    made = MAKER.unpresentable(NOW)
    certificate = x509.load_pem_x509_certificate(made.certificate.encode())
    key = certificate.public_key()
    assert isinstance(key, EllipticCurvePublicKey)
    assert key.curve.name == "secp256k1"
    assert "PRIVATE KEY" in made.key
    assert certificate.not_valid_after_utc > NOW + timedelta(days=3000)
