"""A relay on loopback that keeps what passes: what one sees who listens between two pods."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Wire:
    """The relay's port, and everything that went through it either way."""

    port: int
    passed: bytearray = field(default_factory=bytearray)
    turns: int = 0
    """How often a client sent something after the server's last answer, or first of all."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    ways: list[threading.Thread] = field(default_factory=list)
    """Each passes on what one side of a connection says, and ends with it."""

    def wait(self) -> None:
        """Wait until all connections so far are over, because their last words count too."""
        for way in self.ways:
            way.join(timeout=10)


@dataclass
class _Talk:
    """One connection."""

    asking: bool = False


@contextmanager
def tapped(port: int) -> Iterator[Wire]:
    """A relay to that port of this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    wire = Wire(listener.getsockname()[1])
    threading.Thread(target=_accept, args=(listener, port, wire), daemon=True).start()
    try:
        yield wire
    finally:
        listener.close()


def _accept(listener: socket.socket, port: int, wire: Wire) -> None:
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        far = socket.create_connection(("127.0.0.1", port))
        talk = _Talk()
        for pair in ((near, far), (far, near)):
            asks = pair[0] is near
            way = threading.Thread(target=_pass, args=(*pair, wire, talk, asks), daemon=True)
            way.start()
            wire.ways.append(way)


def _pass(
    source: socket.socket, target: socket.socket, wire: Wire, talk: _Talk, asks: bool
) -> None:
    try:
        while data := source.recv(65536):
            with wire.lock:
                wire.passed += data
                wire.turns += asks and not talk.asking
                talk.asking = asks
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        target.close()
