"""Encrypted values as bytes, and the key as text."""

import pytest

from encbench.core.columns.envelope import (
    OVERHEAD,
    UNBOUND,
    ColumnKind,
    bears_magic,
    binding,
    parse,
)
from encbench.core.columns.layout import key_of, unfit

KEY_ID = b"randomrandom"
HEADER = b"\x00ENC" + bytes([2, 2, 246, 2]) + b"\x80\x01" + b"\x00\x3f" + KEY_ID
WHOLE = HEADER + bytes(range(8)) + b"xyz" + b"t" * 16


def test_an_envelope_is_read_as_it_is_laid_out() -> None:
    found = parse(WHOLE)
    assert found.algorithm == "SM4_128_GCM"
    assert found.kind == ColumnKind(type=246, decimals=2, flags=0x8001, charset=63)
    assert found.header == HEADER
    assert found.key_id == KEY_ID
    assert found.nonce == bytes(4) + bytes(range(8))
    assert found.sealed == b"xyz" + b"t" * 16
    assert len(WHOLE) == OVERHEAD + 3


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"plain", "no envelope"),
        (b"", "no envelope"),
        (WHOLE[: OVERHEAD - 1], "47 bytes"),
        (WHOLE[:4] + b"\x01" + WHOLE[5:], "version is 1"),
        (WHOLE[:5] + b"\x09" + WHOLE[6:], "unknown number 9"),
    ],
)
def test_what_is_no_envelope(value: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse(value)


def test_a_value_is_bound_to_names_that_every_session_writes_alike() -> None:
    assert binding("bmsql_customer", "c_last") == b"bmsql_customer\0c_last"
    for names in (("", ""), ("t", ""), ("", "c"), ("kunde", "größe"), ("t", "c\0d")):
        assert binding(*names) == UNBOUND


def test_what_is_cut_still_bears_the_magic() -> None:
    assert bears_magic(WHOLE[:10])
    assert not bears_magic(b"ENC")


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_key(end: str) -> None:
    text = "00112233445566778899aAbBcCdDeEfF" + end
    assert unfit(text) is None
    assert key_of(text)[:2] == b"\x00\x11"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0011", "has 4 hex digits"),
        ("", "has 0 hex digits"),
        ("0" * 64, "has 64 hex digits"),
        ("secret-key-of-mine-0123456789abc", "is not written in hex digits"),
        (" " + "0" * 31, "is not written in hex digits"),
        ("0" * 32 + "\n\n", "is not written"),
    ],
)
def test_what_is_no_key_is_said_without_repeating_it(text: str, why: str) -> None:
    said = unfit(text)
    assert said is not None
    assert why in said
    assert text.strip() == "" or text.strip() not in said
    with pytest.raises(ValueError, match="32 hex digits") as caught:
        key_of(text)
    assert text.strip() == "" or text.strip() not in str(caught.value)
