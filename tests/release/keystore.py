"""Java's list of authorities, which remembers when each was added.

Debian makes it when Java is installed, in Java's own format: numbers begin with the highest byte,
and at the end is the SHA-1 of a password that everybody knows, of a phrase, and of the rest.
"""

import hashlib
import struct
from typing import Final

_HEAD: Final = bytes.fromhex("feedfeed00000002")
_CERTIFICATE: Final = 2
_SALT: Final = "changeit".encode("utf-16-be") + b"Mighty Aphrodite"


def dated(store: bytes, epoch: int) -> bytes:
    """The same authorities, all added at that time; as it is where it is something else."""
    body, digest = store[:-20], store[-20:]
    if not store.startswith(_HEAD) or _digest(body) != digest:
        return store
    made, at = bytearray(body), len(_HEAD)
    (number,) = struct.unpack_from(">I", body, at)
    at += 4
    for _ in range(number):
        (kind,) = struct.unpack_from(">I", body, at)
        if kind != _CERTIFICATE:
            return store
        at = _after(body, at + 4, "H")
        struct.pack_into(">Q", made, at, 1000 * epoch)
        at = _after(body, at + 8, "H")
        at = _after(body, at, "I")
    return bytes(made) + _digest(bytes(made))


def _after(body: bytes, at: int, length: str) -> int:
    """Where something ends that begins with its length."""
    (size,) = struct.unpack_from(f">{length}", body, at)
    return int(at + struct.calcsize(f">{length}") + size)


def _digest(body: bytes) -> bytes:
    return hashlib.sha1(_SALT + body, usedforsecurity=False).digest()
