"""Opening encrypted values: published vectors, and everything that must not open."""

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from encbench.adapters import columncipher
from encbench.adapters.columncipher import NotOpened, open_envelope, opened
from encbench.core.columns.envelope import (
    UNBOUND,
    ColumnKind,
    Envelope,
    binding,
    connection_key,
    parse,
)

KEY = bytes(range(16))
KEY_ID = b"randomrandom"
HEADER = b"\x00ENC\x02\x01\xfd\x00\x00\x01\x00\x21" + KEY_ID
BOUND = binding("secret", "bal")
ANY = ColumnKind(253, 0, 1, 33)


def sealed(text: bytes, key: bytes = KEY) -> bytes:
    """A value as the proxy makes it."""
    own = connection_key(key, "AES_128_GCM", KEY_ID)
    encryptor = Cipher(algorithms.AES(own), modes.GCM(bytes(12))).encryptor()
    encryptor.authenticate_additional_data(HEADER + BOUND)
    body = encryptor.update(text) + encryptor.finalize()
    return HEADER + bytes(8) + body + encryptor.tag


def test_sm4_by_the_vector_of_rfc_8998() -> None:
    pairs = ("AA", "BB", "CC", "DD", "EE", "FF", "EE", "AA")
    plain = b"".join(bytes.fromhex(pair * 8) for pair in pairs)
    cipher = bytes.fromhex(
        "17F399F08C67D5EE19D0DC9969C4BB7D5FD46FD3756489069157B282BB200735"
        "D82710CA5C22F0CCFA7CBF93D496AC15A56834CBCF98C397B4024A2691233B8D"
    )
    key = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
    nonce = bytes.fromhex("00001234567800000000ABCD")
    authenticated = bytes.fromhex("FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2")
    sealed_text = cipher + bytes.fromhex("83DE3541E4C2B58177E065A9BF7B62EC")
    assert opened("SM4_128_GCM", key, nonce, authenticated, sealed_text) == plain


def test_aes_by_the_vector_of_gcms_specification() -> None:
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
    nonce = bytes.fromhex("cafebabefacedbaddecaf888")
    authenticated = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    sealed_text = bytes.fromhex(
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
        "5bc94fbc3221a5db94fae95ae7121a47"
    )
    plain = opened("AES_128_GCM", key, nonce, authenticated, sealed_text)
    assert plain.hex().startswith("d9313225f88406e5a55909c5aff5269a")


@pytest.mark.parametrize("text", [b"", b"1.50", b"\x00ENC"])
def test_what_the_key_opens(text: bytes) -> None:
    assert open_envelope(parse(sealed(text)), BOUND, KEY) == text


def test_another_key_opens_nothing() -> None:
    with pytest.raises(NotOpened, match="the mode's key does not open it"):
        open_envelope(parse(sealed(b"1.50")), BOUND, bytes(16))


@pytest.mark.parametrize("other", [binding("secret", "name"), binding("plain", "bal"), UNBOUND])
def test_it_opens_in_its_own_column_alone(other: bytes) -> None:
    with pytest.raises(NotOpened, match="as a value of this column"):
        open_envelope(parse(sealed(b"1.50")), other, KEY)


@pytest.mark.parametrize(
    "value",
    [
        "00454e430201f6028021003f72616e646f6d72616e646f6d0000000000000001"
        "2af4b740bada3bf4229f5a8370e15a006eeb99228ab3",
        "00454e430202f6028021003f72616e646f6d72616e646f6d0000000000000001"
        "058cd6ddaa13793e41fa13a8b39c56f3f0fd29df5b80",
    ],
)
def test_the_known_answer_of_proxy_and_driver(value: str) -> None:
    key = bytes.fromhex("0123456789abcdeffedcba9876543210")
    assert open_envelope(parse(bytes.fromhex(value)), BOUND, key) == b"-10.05"


@pytest.mark.parametrize("place", [6, 8, 11, 12, 23, 24, 31, 32, -1])
def test_a_single_bit_is_enough(place: int) -> None:
    value = bytearray(sealed(b"1.50"))
    value[place] ^= 1
    with pytest.raises(NotOpened):
        open_envelope(parse(bytes(value)), BOUND, KEY)


def test_sm4_where_it_is_not_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with an OpenSSL that was built without it, or that is restricted to FIPS 140."""

    def refuse(*_: object) -> None:
        raise UnsupportedAlgorithm("cipher SM4 in GCM mode is not supported by this backend")

    monkeypatch.setattr(columncipher, "Cipher", refuse)
    header = bytes(range(16))
    envelope = Envelope("SM4_128_GCM", ANY, header, KEY_ID, header[:12], header * 2)
    with pytest.raises(NotOpened, match="the agent's OpenSSL has no SM4_128_GCM"):
        open_envelope(envelope, BOUND, KEY)
