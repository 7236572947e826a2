"""Opening encrypted values: published vectors, and everything that must not open."""

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from encbench.adapters import columncipher
from encbench.adapters.columncipher import NotOpened, open_envelope
from encbench.core.columns.envelope import ColumnKind, Envelope, parse

KEY = bytes(range(16))
HEADER = b"\x00ENC\x01\x01\xfd\x00\x00\x01\x00\x21"
ANY = ColumnKind(253, 0, 1, 33)


def sealed(text: bytes, key: bytes = KEY) -> bytes:
    """A value as the proxy makes it."""
    nonce = bytes(12)
    encryptor = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    encryptor.authenticate_additional_data(HEADER)
    body = encryptor.update(text) + encryptor.finalize()
    return HEADER + nonce + body + encryptor.tag


def test_sm4_by_the_vector_of_rfc_8998() -> None:
    pairs = ("AA", "BB", "CC", "DD", "EE", "FF", "EE", "AA")
    plain = b"".join(bytes.fromhex(pair * 8) for pair in pairs)
    cipher = bytes.fromhex(
        "17F399F08C67D5EE19D0DC9969C4BB7D5FD46FD3756489069157B282BB200735"
        "D82710CA5C22F0CCFA7CBF93D496AC15A56834CBCF98C397B4024A2691233B8D"
    )
    found = Envelope(
        algorithm="SM4_128_GCM",
        kind=ANY,
        header=bytes.fromhex("FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2"),
        nonce=bytes.fromhex("00001234567800000000ABCD"),
        sealed=cipher + bytes.fromhex("83DE3541E4C2B58177E065A9BF7B62EC"),
    )
    key = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
    assert open_envelope(found, key) == plain


def test_aes_by_the_vector_of_gcms_specification() -> None:
    found = Envelope(
        algorithm="AES_128_GCM",
        kind=ANY,
        header=bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        nonce=bytes.fromhex("cafebabefacedbaddecaf888"),
        sealed=bytes.fromhex(
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
            "5bc94fbc3221a5db94fae95ae7121a47"
        ),
    )
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
    assert open_envelope(found, key).hex().startswith("d9313225f88406e5a55909c5aff5269a")


@pytest.mark.parametrize("text", [b"", b"1.50", b"\x00ENC"])
def test_what_the_key_opens(text: bytes) -> None:
    assert open_envelope(parse(sealed(text)), KEY) == text


def test_another_key_opens_nothing() -> None:
    with pytest.raises(NotOpened, match="the mode's key does not open it"):
        open_envelope(parse(sealed(b"1.50")), bytes(16))


@pytest.mark.parametrize("place", [6, 8, 11, 12, 24, -1])
def test_a_single_bit_is_enough(place: int) -> None:
    value = bytearray(sealed(b"1.50"))
    value[place] ^= 1
    with pytest.raises(NotOpened):
        open_envelope(parse(bytes(value)), KEY)


def test_sm4_where_it_is_not_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with an OpenSSL that was built without it, or that is restricted to FIPS 140."""

    def refuse(*_: object) -> None:
        raise UnsupportedAlgorithm("cipher SM4 in GCM mode is not supported by this backend")

    monkeypatch.setattr(columncipher, "Cipher", refuse)
    header = bytes(range(16))
    envelope = Envelope("SM4_128_GCM", ANY, header, header[:12], header * 2)
    with pytest.raises(NotOpened, match="the agent's OpenSSL has no SM4_128_GCM"):
        open_envelope(envelope, KEY)
