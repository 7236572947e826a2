"""An encrypted value, as docs/design/0007-columns.md lays it out. Standard library only.

The header and the column's names are the additional authenticated data of the cipher. So the
description of the column is as genuine as the value, and the value opens in no other column.
"""

import hashlib
import hmac
import struct
from dataclasses import dataclass

MAGIC = b"\x00ENC"
VERSION = 2
ALGORITHMS = {1: "AES_128_GCM", 2: "SM4_128_GCM"}
"""By the byte in the header, as a mode names them."""
TAG = 16
KEY = 16
_HEADER = struct.Struct(">4sBBBBHH12s")
_COUNTER = 8
_ZEROS = bytes(4)
"""What precedes the counter in the nonce."""
OVERHEAD = _HEADER.size + _COUNTER + TAG
"""How many bytes a value grows by."""
UNBOUND = b"\0"
"""The binding of values that come from no column."""


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
    key_id: bytes
    """Of the proxy's connection, which has a key of its own."""
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
    _, version, algorithm, type_, decimals, flags, charset, key_id = _HEADER.unpack_from(value)
    if version != VERSION:
        raise ValueError(f"its version is {version}")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"its algorithm has the unknown number {algorithm}")
    body = _HEADER.size + _COUNTER
    return Envelope(
        algorithm=ALGORITHMS[algorithm],
        kind=ColumnKind(type=type_, decimals=decimals, flags=flags, charset=charset),
        header=value[: _HEADER.size],
        key_id=key_id,
        nonce=_ZEROS + value[_HEADER.size : body],
        sealed=value[body:],
    )


def binding(table: str, column: str) -> bytes:
    """What a column's values are bound to, by the server's own names for table and column.

    Values of expressions and those with names beyond ASCII are bound to no column.
    """
    plain = all(name and name.isascii() and name.isprintable() for name in (table, column))
    return f"{table}\0{column}".encode() if plain else UNBOUND


def connection_key(mek: bytes, algorithm: str, key_id: bytes) -> bytes:
    """The key of one of the proxy's connections, by HKDF with SHA-256 (RFC 5869)."""
    extracted = hmac.digest(key_id, mek, hashlib.sha256)
    info = f"encbench column {algorithm}\1".encode()
    return hmac.digest(extracted, info, hashlib.sha256)[:KEY]
