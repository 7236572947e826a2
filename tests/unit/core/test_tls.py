"""Which suite a mode asks for."""

import pytest

from encbench.api.encryptionmode import CipherSuite, InTransit, TlsVersion
from encbench.core.tls import PLAIN, TlsSession, expected, suite


@pytest.mark.parametrize(
    ("version", "cipher", "name"),
    [
        ("TLSv1.3", "TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
        ("TLSv1.3", "TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
        ("TLSv1.3", "TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"),
        ("TLSv1.2", "TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        ("TLSv1.2", "TLS_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"),
        ("TLSv1.2", "TLS_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"),
    ],
)
def test_every_suite_has_a_name_in_both_versions(
    version: TlsVersion, cipher: CipherSuite, name: str
) -> None:
    mode = InTransit(version=version, cipher_suite=cipher)
    assert suite(mode) == name
    assert expected(mode) == TlsSession(tls=version, cipher=name)


def test_no_tls_is_expected_as_strictly() -> None:
    assert expected(None) == PLAIN
    assert str(PLAIN) == "no TLS"
