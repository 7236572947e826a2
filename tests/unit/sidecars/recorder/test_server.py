"""The little HTTP that the recorder speaks."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from encbench.sidecars.recorder import server
from encbench.sidecars.recorder.api import Request, Response


class Echo:
    """Answers with what came; counts what was sent."""

    def __init__(self) -> None:
        self.seen: list[Request] = []
        self.sent = threading.Event()

    def answer(self, request: Request) -> Response:
        self.seen.append(request)
        return Response(200, request.body, sent=self.sent.set)


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
def port(echo: Echo) -> Iterator[int]:
    listener = server.listen(0)
    server.serve(listener, echo.answer)
    yield listener.getsockname()[1]
    listener.close()


def talk(port: int, *pieces: bytes, host: str = "127.0.0.1") -> bytes:
    with socket.create_connection((host, port), timeout=5) as connection:
        for piece in pieces:
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def test_a_request_in_pieces(port: int, echo: Echo) -> None:
    answer = talk(
        port, b"POST /a?b HTTP/1.1\r\nX-One: ", b"1\r\nContent-Length: 4\r\n\r\nbo", b"dy"
    )
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"Connection: close\r\n\r\nbody")
    assert echo.seen == [Request("POST", "/a?b", {"x-one": "1", "content-length": "4"}, b"body")]
    assert echo.sent.wait(5)


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 20000,
    ],
)
def test_what_is_no_request(port: int, echo: Echo, raw: bytes) -> None:
    assert talk(port, raw).startswith(b"HTTP/1.1 400 ")
    assert echo.seen == []


def test_slow_callers_do_not_keep_others_away(port: int, echo: Echo) -> None:
    idle = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(4)]
    assert b"200 OK" in talk(port, b"GET / HTTP/1.1\r\n\r\n")
    for connection in idle:
        connection.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6 here")
def test_both_families(port: int) -> None:
    assert b"200 OK" in talk(port, b"GET / HTTP/1.1\r\n\r\n", host="::1")


def test_a_caller_that_drips_has_no_more_time_than_others(
    port: int, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_TIMEOUT", 0.5)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.settimeout(0.1)
        while time.monotonic() - began < 5:
            try:
                connection.sendall(b"x")
                if connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
    assert 0.4 < time.monotonic() - began < 2
    assert echo.seen == []


def test_a_length_in_other_digits(port: int) -> None:
    """Superscripts are digits to Python, and no number."""
    assert b"400" in talk(port, "GET / HTTP/1.1\r\nContent-Length: ²\r\n\r\n".encode("latin-1"))
