"""The part of HTTP/1.1 that the recorder's callers need: one request per connection, small bodies.

http.server would cost as much CPU at the start as everything else together. Each connection has a
thread, and a few seconds from its first byte to its last. At most `_AT_ONCE` are open on a port;
further ones wait to be accepted.
"""

import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable

from encbench.sidecars.recorder.api import Request, Response

_AT_ONCE = 8
_TIMEOUT = 3.0
"""Less than the operator's patience, so that it gets its turn whoever else keeps connecting."""
_HEAD_LIMIT = 16 * 1024
_BODY_LIMIT = 64 * 1024
_LENGTH_DIGITS = 9
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
    listener: socket.socket, handler: Handler, tls: ssl.SSLContext | None = None
) -> threading.Thread:
    """Answer requests in daemon threads from now on; by TLS where there is a context."""
    thread = threading.Thread(target=_accept, args=(listener, handler, tls), daemon=True)
    thread.start()
    return thread


def _accept(listener: socket.socket, handler: Handler, tls: ssl.SSLContext | None) -> None:
    slots = threading.BoundedSemaphore(_AT_ONCE)
    while True:
        slots.acquire()
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        words = (connection, handler, slots, tls)
        threading.Thread(target=_talk, args=words, daemon=True).start()


def _talk(
    accepted: socket.socket,
    handler: Handler,
    slots: threading.BoundedSemaphore,
    tls: ssl.SSLContext | None,
) -> None:
    until = time.monotonic() + _TIMEOUT
    try:
        accepted.settimeout(_TIMEOUT)
        with accepted if tls is None else tls.wrap_socket(accepted, server_side=True) as connection:
            try:
                response = handler(_read(connection, until))
            except BadRequest as error:
                response = Response(400, f"{error}\n".encode(), "text/plain")
            connection.settimeout(_TIMEOUT)
            _write(connection, response)
        if response.sent is not None:
            response.sent()
    except OSError as error:
        sys.stderr.write(f"encbench recorder: a caller went away: {error}\n")
    finally:
        slots.release()


def _read(connection: socket.socket, until: float) -> Request:
    """The whole request by then; a caller that sends a letter now and then holds no thread."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > _HEAD_LIMIT:
            raise BadRequest("the headers are too long")
        data += _receive(connection, until)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
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
    return Request(words[0], words[1], headers, body[: int(length)])


def _receive(connection: socket.socket, until: float) -> bytes:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the request took too long")
    connection.settimeout(left)
    data = connection.recv(8192)
    if not data:
        raise BadRequest("the request is not complete")
    return data


def _write(connection: socket.socket, response: Response) -> None:
    head = (
        f"HTTP/1.1 {response.status} {_PHRASES.get(response.status, 'Other')}\r\n"
        f"Content-Type: {response.content_type}\r\n"
        f"Content-Length: {len(response.content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    connection.sendall(head.encode() + response.content)
