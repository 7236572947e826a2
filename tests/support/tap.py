"""A socket that is handed what TCP sends on this machine's interfaces; root alone may have one.

It asks no interface for promiscuous mode. A bridge in that mode hands each frame up and forwards a
copy besides, and the kernel drops both where the first packet of a connection waits for the verdict
of a NetworkPolicy.
"""

import ctypes
import socket
import struct
from collections.abc import Iterable

_ALL = 3  # ETH_P_ALL
_ATTACH_FILTER = 26  # SO_ATTACH_FILTER
_OUTGOING = 4  # PACKET_OUTGOING
_IPV4, _TCP = 0x0800, 6
_TYPE_OF_PACKET = 0xFFFFF004  # SKF_AD_OFF + SKF_AD_PKTTYPE
_WORD, _HALF, _BYTE, _HALF_AFTER, _HEADER = 0x20, 0x28, 0x30, 0x48, 0xB1
_EQUAL, _RETURN = 0x15, 0x06
_SOURCE, _TARGET = 14, 16
"""Offsets of the ports, beyond the header of IP."""


def tap(ports: Iterable[int], *, both: bool = False) -> socket.socket:
    """Frames from these ports, on whatever interface; with `both` also to them.

    A frame that crosses several interfaces comes once from each. A few frames of others may come
    first, before the kernel has the filter.
    """
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL))
    program = b"".join(_instructions(tuple(ports), both))
    held = ctypes.create_string_buffer(program, len(program))
    made.setsockopt(
        socket.SOL_SOCKET,
        _ATTACH_FILTER,
        struct.pack("HP", len(program) // 8, ctypes.addressof(held)),
    )
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**24)
    return made


def _instructions(ports: tuple[int, ...], both: bool) -> Iterable[bytes]:
    """A filter for the kernel (classic BPF): what arrives, by TCP over IPv4, with these ports.

    Source: Documentation/networking/filter.rst of the kernel.
    """
    loads = [_SOURCE, _TARGET] if both else [_SOURCE]
    left = len(loads) * (1 + len(ports))
    """Instructions from here to the one that drops."""
    yield _one(_WORD, _TYPE_OF_PACKET)
    yield _one(_EQUAL, _OUTGOING, yes=left + 5)
    yield _one(_HALF, 12)
    yield _one(_EQUAL, _IPV4, no=left + 3)
    yield _one(_BYTE, 23)
    yield _one(_EQUAL, _TCP, no=left + 1)
    yield _one(_HEADER, 14)
    for load in loads:
        yield _one(_HALF_AFTER, load)
        left -= 1
        for port in ports:
            yield _one(_EQUAL, port, yes=left)
            left -= 1
    yield _one(_RETURN, 0)
    yield _one(_RETURN, 2**18)


def _one(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)
