"""The part of HTTP/1.1 that the sidecars' callers need: one request after another, small bodies.

A library costs several times the CPU of everything else that a sidecar imports, and a sidecar has a
twentieth of a core: docs/design/0017-sidecar-start.md has the figures. Each connection has a
thread, and each request a few seconds from its first byte to its last. At most `_AT_ONCE`
connections are open on a port; further ones wait to be accepted.
"""

import errno
import select
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable

from encbench.sidecars.routes import Request, Response, error
from encbench.wire.alive import KEPT_ALIVE

_AT_ONCE = 8
_TIMEOUT = 3.0
"""Less than the operator's patience, so that it gets its turn whoever else keeps connecting."""
_HEAD_LIMIT = 16 * 1024
_BODY_LIMIT = 128 * 1024
"""The largest is a release, whose CA of the store may have 64 KiB."""
_LENGTH_DIGITS = 9
_PIECES = 64
"""How many small pieces of an answer are sent together: each piece costs a record of TLS."""
_PAUSE = 0.1
_CLOSED = (errno.EBADF, errno.EINVAL)
"""What a listener says that was closed or shut down."""
_PHRASES = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}

Handler = Callable[[Request], Response]


class BadRequest(Exception):
    """The caller sent a request that we do not support."""


def listen(port: int) -> socket.socket:
    """A socket on every address, of both families if the machine has both."""
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", port))


def serve(
    listener: socket.socket,
    handler: Handler,
    tls: ssl.SSLContext | None = None,
    *,
    kept: float = 0.0,
) -> threading.Thread:
    """Answer requests in daemon threads from now on; by TLS where there is a context.

    A connection whose request got what it asked for stays open for `kept` seconds: whoever is
    refused holds none.
    """
    thread = threading.Thread(target=_accept, args=(listener, handler, tls, kept), daemon=True)
    thread.start()
    return thread


def _accept(
    listener: socket.socket, handler: Handler, tls: ssl.SSLContext | None, kept: float
) -> None:
    slots = threading.BoundedSemaphore(_AT_ONCE)
    while True:
        slots.acquire()
        try:
            connection, _ = listener.accept()
            words = (connection, handler, slots, tls, kept)
            threading.Thread(target=_talk, args=words, daemon=True).start()
        except (OSError, RuntimeError) as reason:
            if isinstance(reason, OSError) and reason.errno in _CLOSED:
                return
            # The caller has gone already, or there are too many files or threads for now.
            sys.stderr.write(f"encbench: a caller was not answered: {reason}\n")
            slots.release()
            time.sleep(_PAUSE)


def _talk(
    accepted: socket.socket,
    handler: Handler,
    slots: threading.BoundedSemaphore,
    tls: ssl.SSLContext | None,
    kept: float,
) -> None:
    until, data = time.monotonic() + _TIMEOUT, b""
    try:
        # A caller whose node is lost would keep its place for as long as its request takes.
        for option in KEPT_ALIVE:
            accepted.setsockopt(*option)
        accepted.settimeout(_TIMEOUT)
        with accepted if tls is None else tls.wrap_socket(accepted, server_side=True) as connection:
            while _answer(connection, handler, data, until, kept=kept > 0):
                data = _begun(connection, kept)
                if not data:
                    return
                until = time.monotonic() + _TIMEOUT
    except OSError as reason:
        sys.stderr.write(f"encbench: a caller went away: {reason}\n")
    finally:
        slots.release()


def _answer(
    connection: socket.socket, handler: Handler, data: bytes, until: float, *, kept: bool
) -> bool:
    """Answer the request that begins with this; whether another one may follow."""
    try:
        request = _read(connection, until, data)
    except BadRequest as reason:
        response, kept = error(400, str(reason)), False
    else:
        response = _handled(handler, request)
        wants_end = request.headers.get("connection", "").lower() == "close"
        kept = kept and response.status == 200 and not wants_end
    connection.settimeout(_TIMEOUT)
    _write(connection, response, kept=kept)
    if response.sent is not None:
        response.sent()
    return kept


def _handled(handler: Handler, request: Request) -> Response:
    try:
        return handler(request)
    except Exception as reason:
        sys.excepthook(type(reason), reason, reason.__traceback__)
        return error(500, "this request failed for a reason that the log of the container says")


def _begun(connection: socket.socket, seconds: float) -> bytes:
    """The first bytes of the next request; empty when none comes."""
    connection.settimeout(seconds)
    try:
        return connection.recv(8192)
    except OSError:
        return b""


def _read(connection: socket.socket, until: float, data: bytes = b"") -> Request:
    """The whole request by then; a caller that sends a letter now and then holds no thread."""
    while b"\r\n\r\n" not in data:
        if len(data) > _HEAD_LIMIT:
            raise BadRequest("the headers are too long")
        data += _receive(connection, until)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] != "HTTP/1.1":
        raise BadRequest("this is not HTTP/1.1")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    length = headers.get("content-length", "0")
    is_number = length.isascii() and length.isdigit() and len(length) <= _LENGTH_DIGITS
    if not is_number or int(length) > _BODY_LIMIT or "transfer-encoding" in headers:
        raise BadRequest(f"a body must say its length, {_BODY_LIMIT} bytes at most")
    while len(body) < int(length):
        body += _receive(connection, until)
    if len(body) > int(length):
        raise BadRequest("a request follows before the last one is answered")
    return Request(words[0], words[1], headers, body, lambda: _has_gone(connection))


def _receive(connection: socket.socket, until: float) -> bytes:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the request took too long")
    connection.settimeout(left)
    data = connection.recv(8192)
    if not data:
        raise BadRequest("the request is not complete")
    return data


def _has_gone(connection: socket.socket) -> bool:
    """Whether the caller has hung up: it sends nothing between its request and the answer."""
    return bool(select.select([connection], [], [], 0)[0])


def _write(connection: socket.socket, response: Response, *, kept: bool) -> None:
    head = (
        f"HTTP/1.1 {response.status} {_PHRASES.get(response.status, 'Other')}\r\n"
        f"Content-Type: {response.content_type}\r\n"
        f"Content-Length: {len(response.content) + sum(map(len, response.rest))}\r\n"
        f"Connection: {'keep-alive' if kept else 'close'}\r\n\r\n"
    )
    connection.sendall(head.encode() + response.content)
    for begin in range(0, len(response.rest), _PIECES):
        connection.sendall(b"".join(response.rest[begin : begin + _PIECES]))
