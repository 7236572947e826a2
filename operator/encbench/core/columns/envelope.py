"""An encrypted value, as docs/design/0007-columns.md lays it out. Standard library only.

The header is the additional authenticated data of the cipher, so its description of the column is
as genuine as the value.
"""

import struct
from dataclasses import dataclass

MAGIC = b"\x00ENC"
VERSION = 1
ALGORITHMS = {1: "AES_128_GCM", 2: "SM4_128_GCM"}
"""By the byte in the header, as a mode names them."""
TAG = 16
_HEADER = struct.Struct(">4sBBBBHH")
_NONCE = 12
OVERHEAD = _HEADER.size + _NONCE + TAG
"""How many bytes a value grows by."""


@dataclass(frozen=True)
class ColumnKind:
    """A column as the server describes it."""

    type: int
    """MySQL's type code."""
    decimals: int
    flags: int
    charset: int
    """The collation's number."""


@dataclass(frozen=True)
class Envelope:
    """One value."""

    algorithm: str
    kind: ColumnKind
    header: bytes
    nonce: bytes
    sealed: bytes
    """Ciphertext and tag."""


def bears_magic(value: bytes) -> bool:
    """Whether a value looks like an envelope; `parse` may still reject it."""
    return value.startswith(MAGIC)


def parse(value: bytes) -> Envelope:
    """The envelope; ValueError says in words what is wrong with it."""
    if not bears_magic(value):
        raise ValueError("it is no envelope")
    if len(value) < OVERHEAD:
        raise ValueError(f"it has {len(value)} bytes, too few for an envelope")
    _, version, algorithm, type_, decimals, flags, charset = _HEADER.unpack_from(value)
    if version != VERSION:
        raise ValueError(f"its version is {version}")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"its algorithm has the unknown number {algorithm}")
    body = _HEADER.size + _NONCE
    return Envelope(
        algorithm=ALGORITHMS[algorithm],
        kind=ColumnKind(type=type_, decimals=decimals, flags=flags, charset=charset),
        header=value[: _HEADER.size],
        nonce=value[_HEADER.size : body],
        sealed=value[body:],
    )
