"""TLS: the one suite that a mode allows, and what a session reports that it negotiated.

Names are OpenSSL's, because every server that encbench starts reports those. In TLS 1.3 they equal
the API's names. A suite of TLS 1.2 also names key exchange and kind of certificate, which here are
always ephemeral Diffie-Hellman on an elliptic curve and ECDSA (`adapters.certificates`).
"""

from encbench.api.base import Model
from encbench.api.encryptionmode import CipherSuite, InTransit

NONE = "none"
"""Stands for version and suite of a session that is not encrypted."""

_TLS12: dict[CipherSuite, str] = {
    "TLS_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
}


class TlsSession(Model):
    """What one client process negotiated, in the terms of the server's own catalogue."""

    tls: str
    """Version such as TLSv1.3, or `none`."""
    cipher: str
    """Suite by OpenSSL's name, or `none`."""

    def __str__(self) -> str:
        """For a sentence."""
        return "no TLS" if self == PLAIN else f"{self.tls} with {self.cipher}"


PLAIN = TlsSession(tls=NONE, cipher=NONE)
"""A session that is not encrypted."""


def suite(in_transit: InTransit) -> str:
    """The one suite that the mode allows, by OpenSSL's name."""
    if in_transit.version == "TLSv1.2":
        return _TLS12[in_transit.cipher_suite]
    return in_transit.cipher_suite


def expected(in_transit: InTransit | None) -> TlsSession:
    """What each session of a mode must have negotiated."""
    if in_transit is None:
        return PLAIN
    return TlsSession(tls=in_transit.version, cipher=suite(in_transit))
