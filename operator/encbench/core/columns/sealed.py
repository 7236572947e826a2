"""A value of an encrypted column type, as images/postgresql/enclave/src/envelope.h lays it out.

    header (4, authenticated) | nonce (12) | ciphertext | tag (16)

The agent imports this module: the standard library only.
"""

import struct
from typing import Literal, NamedTuple

ValueKind = Literal["enc_int4", "enc_text"]
HEADERS: dict[ValueKind, bytes] = {
    "enc_int4": bytes.fromhex("ec010101"),
    "enc_text": bytes.fromhex("ec010102"),
}
NONCE, TAG = 12, 16
_HEADER = 4
_NUMBER = struct.Struct(">i")


class SealedValue(NamedTuple):
    """One value."""

    kind: ValueKind
    header: bytes
    nonce: bytes
    sealed: bytes
    """Ciphertext and tag."""


def parse(raw: bytes) -> SealedValue:
    """The value in its parts; ValueError says in words what is wrong with it."""
    header = raw[:_HEADER]
    kind = next((kind for kind, own in HEADERS.items() if own == header), None)
    if kind is None or len(raw) < _HEADER + NONCE + TAG:
        raise ValueError("it is not an encrypted value")
    return SealedValue(kind, header, raw[_HEADER : _HEADER + NONCE], raw[_HEADER + NONCE :])


def plaintext(value: int | str) -> tuple[ValueKind, bytes]:
    """The kind of a value, and the bytes that are sealed."""
    if isinstance(value, int):
        return "enc_int4", _NUMBER.pack(value)
    return "enc_text", value.encode()


def shown(kind: ValueKind, opened: bytes) -> str:
    """An opened value as a client prints it; ValueError where it has another length."""
    if kind == "enc_text":
        return opened.decode()
    if len(opened) != _NUMBER.size:
        raise ValueError("an encrypted integer has four bytes")
    return str(_NUMBER.unpack(opened)[0])
