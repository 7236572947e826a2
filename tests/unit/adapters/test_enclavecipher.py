"""Values of encrypted column types, sealed and opened by the agent."""

import base64

import pytest

from encbench.adapters.columncipher import NotOpened
from encbench.adapters.enclavecipher import seal, unseal

KEY = bytes(range(16))


@pytest.mark.parametrize("value", [0, 1, -1, 2**31 - 1, -(2**31), "", "a text", "ä" * 60])
def test_what_is_sealed_opens(value: int | str) -> None:
    raw = base64.b64decode(seal(value, KEY))
    assert unseal(raw, KEY) == str(value)
    size = 4 if isinstance(value, int) else len(value.encode())
    assert len(raw) == 32 + size
    assert raw[:4].hex() == ("ec010101" if isinstance(value, int) else "ec010102")


def test_no_nonce_comes_twice() -> None:
    assert len({seal(7, KEY) for _ in range(100)}) == 100


@pytest.mark.parametrize("place", [3, 4, 16, 20, 35])
def test_a_single_bit_matters(place: int) -> None:
    raw = bytearray(base64.b64decode(seal(7, KEY)))
    raw[place] ^= 1
    with pytest.raises(ValueError):
        unseal(bytes(raw), KEY)


def test_another_key_opens_nothing() -> None:
    with pytest.raises(NotOpened, match="the mode's key does not open it"):
        unseal(base64.b64decode(seal("x", KEY)), bytes(16))


@pytest.mark.parametrize("raw", [b"", b"plain", bytes.fromhex("ec010101") + bytes(27)])
def test_what_is_not_a_value(raw: bytes) -> None:
    with pytest.raises(ValueError, match="it is not an encrypted value"):
        unseal(raw, KEY)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7AEBAWRlZmdoaWprbG1ubxpiTo+XuvDrecgYetOuu+C3Laak", "42"),
        ("7AEBAWRlZmdoaWprbG1ub5piTqWVD1sEl49eukhEHWKOj/X0", "-2147483648"),
        ("7AEBAmRlZmdoaWprbG1ub8+EQrQp3PZ2KCzTZ9hENqU=", ""),
    ],
)
def test_the_known_answers_of_the_extension(text: str, value: str) -> None:
    """As in images/postgresql/enclave/sql/values.sql."""
    assert unseal(base64.b64decode(text), KEY) == value
