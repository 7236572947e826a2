"""What is wrong with the login of an external database: the client's own certificate."""

import base64
from functools import cache

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from encbench.core.certificates import KeyPair
from encbench.core.problem import Reason
from encbench.engines.external import faults, presents
from tests.support import certified

CRT, KEY = "client.crt", "client.key"
DER = b"\x30\x82\x01\xff"
LOCKED = BestAvailableEncryption(b"hunter2")


@cache
def pair() -> KeyPair:
    return certified.issued().client


def pem(
    key: PrivateKeyTypes,
    how: KeySerializationEncryption = NoEncryption(),  # noqa: B008 it has no state
    form: PrivateFormat = PrivateFormat.PKCS8,
) -> str:
    return key.private_bytes(Encoding.PEM, form, how).decode()


def said(entries: dict[str, str | bytes]) -> list[tuple[Reason, str]]:
    data = {
        name: base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()
        for name, text in entries.items()
    }
    found = [*faults({"data": data}, {})]
    letters = [line for text in entries.values() for line in str(text).split("\n") if len(line) > 9]
    assert not [text for _, text in found if any(line in text for line in letters)]
    return found


def with_key(key: str) -> dict[str, str | bytes]:
    return {CRT: pair().certificate, KEY: key}


def test_a_pair_that_a_client_can_present() -> None:
    certificate, key = pair().certificate, pair().key
    own = load_pem_private_key(key.encode(), None)
    traditional = pem(own, form=PrivateFormat.TraditionalOpenSSL)
    for first, second in (
        (certificate, key),
        (certificate, traditional),
        (certificate.replace("\n", "\r\n"), key.replace("\n", "\r\n")),
        (f"Bag Attributes: b\N{LATIN SMALL LETTER U WITH DIAERESIS}\n{certificate}", key),
        (certificate + certified.authority().certificate, certificate + key),
    ):
        assert said({CRT: first, KEY: second}) == []


def test_the_key_is_the_certificate_s_and_has_no_passphrase() -> None:
    own = load_pem_private_key(pair().key.encode(), None)
    another = ec.generate_private_key(ec.SECP256R1())
    larger = rsa.generate_private_key(65537, 2048)
    for key in (another, larger):
        assert said(with_key(pem(key))) == [
            (
                Reason.ENTRY_INVALID,
                ": its entry client.key is not the key of client.crt: put the two of a pair there",
            )
        ]
    for form in (PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL):
        ((reason, text),) = said(with_key(pem(own, LOCKED, form)))
        assert reason is Reason.ENTRY_INVALID
        assert text.startswith(": its entry client.key has a passphrase, which no client is given")


@pytest.mark.parametrize(
    ("entries", "reason", "text"),
    [
        ({CRT: "x"}, Reason.ENTRY_MISSING, " has only client.crt: add both client.crt and"),
        ({KEY: DER}, Reason.ENTRY_MISSING, " has only client.key: add both client.crt and"),
        ({CRT: "", KEY: ""}, Reason.ENTRY_INVALID, ": its entry client.crt is empty"),
        ({CRT: "x", KEY: " \n"}, Reason.ENTRY_INVALID, ": its entry client.key is empty"),
        ({CRT: "x", KEY: "x"}, Reason.ENTRY_INVALID, ": its entry client.crt has no certificate"),
        (
            {CRT: DER, KEY: "x"},
            Reason.ENTRY_INVALID,
            ": its entry client.crt is not text: convert it with openssl x509 -inform der",
        ),
        (
            {CRT: "x", KEY: DER},
            Reason.ENTRY_INVALID,
            ": its entry client.key is not text: convert it with openssl pkey -inform der",
        ),
    ],
)
def test_what_is_no_pair(entries: dict[str, str | bytes], reason: Reason, text: str) -> None:
    ((found, words),) = said(entries)
    assert found is reason
    assert words.startswith(text)


def test_the_two_are_not_taken_for_each_other() -> None:
    ((_, text),) = said({CRT: pair().key, KEY: pair().certificate})
    assert text.startswith(": its entry client.crt has no certificate that can be read")
    ((_, text),) = said(with_key(pair().certificate))
    assert text.startswith(": its entry client.key has no private key that can be read")


def test_a_certificate_is_meant_to_be_presented_whatever_is_in_it() -> None:
    assert presents({"data": {CRT: base64.b64encode(DER).decode()}})
    assert not presents({"data": {"username": "Ym9i", CRT: None}})
    assert not presents({})
    assert not [*faults({"data": {CRT: None}}, {})]
