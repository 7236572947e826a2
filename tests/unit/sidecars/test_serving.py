"""The little HTTP that the sidecars speak."""

import errno
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from encbench.sidecars import serving
from encbench.sidecars.routes import Request, Response, refusal
from encbench.wire.alive import KEPT_ALIVE
from tests.support import sidecars


class Echo:
    """Answers with what came; counts what was sent."""

    def __init__(self) -> None:
        self.seen: list[Request] = []
        self.sent = threading.Event()

    def answer(self, request: Request) -> Response:
        self.seen.append(request)
        return Response(200, request.body, sent=self.sent.set)


@contextmanager
def served(
    answer: serving.Handler, tls: ssl.SSLContext | None = None, *, kept: float = 0.0
) -> Iterator[int]:
    """The port of a server with those answers, whose thread ends with it."""
    with serving.listen(0) as listener:
        serving.serve(listener, answer, tls, kept=kept)
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take a second or two from a caller's time."""
    monkeypatch.setattr(serving, "_TIMEOUT", 15.0)


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
def port(echo: Echo) -> Iterator[int]:
    with served(echo.answer) as found:
        yield found


def talk(port: int, *pieces: bytes, host: str = "127.0.0.1") -> bytes:
    with socket.create_connection((host, port), timeout=20) as connection:
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
    (seen,) = echo.seen
    assert seen[:4] == ("POST", "/a?b", {"x-one": "1", "content-length": "4"}, b"body")
    assert echo.sent.wait(5)


def test_an_answer_in_pieces() -> None:
    """A long list is never there as a whole."""
    pieces = [b"%d," % number for number in range(1000)]
    with served(lambda _: Response(200, b"[", rest=pieces)) as port:
        answer = talk(port, b"GET / HTTP/1.1\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"Content-Length: %d\r\n" % len(body) in head
    assert body == b"[" + b"".join(pieces)


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n",
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
    idle = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(4)]
    assert b"200 OK" in talk(port, b"GET / HTTP/1.1\r\n\r\n")
    for connection in idle:
        connection.close()


@pytest.mark.parametrize("raw", [b"GET / HTTP/1.1\r\n\r\n", b""], ids=["answered", "gone"])
def test_a_caller_leaves_its_place_to_the_next(
    raw: bytes, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_AT_ONCE", 1)
    with served(echo.answer) as port:
        talk(port, raw)
        assert b"200 OK" in talk(port, b"GET / HTTP/1.1\r\n\r\n")


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6 here")
def test_both_families(port: int) -> None:
    assert b"200 OK" in talk(port, b"GET / HTTP/1.1\r\n\r\n", host="::1")


def test_a_caller_that_drips_has_no_more_time_than_others(
    port: int, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_TIMEOUT", 0.5)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.settimeout(0.1)
        while time.monotonic() - began < 30:
            try:
                connection.sendall(b"x")
                if connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
    assert 0.4 < time.monotonic() - began < 25
    assert echo.seen == []


def test_a_length_in_other_digits(port: int) -> None:
    """Superscripts are digits to Python, and no number."""
    assert b"400" in talk(port, "GET / HTTP/1.1\r\nContent-Length: ²\r\n\r\n".encode("latin-1"))


GET = b"GET / HTTP/1.1\r\nAuthorization: Bearer t0ken\r\n\r\n"


@contextmanager
def controlled(kept: float) -> Iterator[tuple[Echo, ssl.SSLSocket]]:
    """A connection by TLS to a port that wants a token and keeps connections for so long."""
    echo = Echo()

    def answer(request: Request) -> Response:
        return refusal(request, "t0ken") or echo.answer(request)

    with served(answer, sidecars.context("agent"), kept=kept) as port:
        plain = socket.create_connection(("127.0.0.1", port), timeout=20)
        with sidecars.trust().wrap_socket(plain) as connection:
            yield echo, connection


def test_a_connection_is_kept_for_a_while() -> None:
    with controlled(kept=2) as (echo, connection):
        for _ in range(3):
            asked = time.monotonic()
            connection.sendall(GET)
            assert b"Connection: keep-alive" in connection.recv(4096)
        assert len(echo.seen) == 3
        assert connection.recv(1) == b""
        assert time.monotonic() - asked > 1


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 401 "),
        (GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), b"HTTP/1.1 200 "),
        (b"GET /\r\n\r\n", b"HTTP/1.1 400 "),
    ],
)
def test_no_connection_is_kept_for_whoever_is_refused_or_ends_it(
    sent: bytes, answer: bytes
) -> None:
    with controlled(kept=30) as (_, connection):
        connection.sendall(sent)
        said = connection.recv(4096)
        assert said.startswith(answer)
        assert b"Connection: close" in said
        began = time.monotonic()
        assert connection.recv(1) == b""
        assert time.monotonic() - began < 15


@pytest.mark.parametrize("tls", [None, sidecars.context("agent")], ids=["clear", "TLS"])
def test_a_caller_that_hangs_up_is_noticed(tls: ssl.SSLContext | None) -> None:
    began, noticed = threading.Event(), threading.Event()

    def answer(request: Request) -> Response:
        assert not request.is_gone()
        began.set()
        while not request.is_gone():
            time.sleep(0.01)
        noticed.set()
        return Response(200, b"")

    with served(answer, tls) as port:
        plain = socket.create_connection(("127.0.0.1", port), timeout=20)
        with plain if tls is None else sidecars.trust().wrap_socket(plain) as caller:
            caller.sendall(GET)
            assert began.wait(10)
            assert not noticed.wait(0.1)
        assert noticed.wait(10)


def test_a_caller_whose_node_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted, kept = list[socket.socket](), list[int]()
    monkeypatch.setattr(serving, "_has_gone", accepted.append)

    def answer(request: Request) -> Response:
        request.is_gone()
        kept.extend(accepted[0].getsockopt(level, name) for level, name, _ in KEPT_ALIVE)
        return Response(200, b"")

    with served(answer) as port:
        talk(port, GET)
    assert kept == [1, 60, 15, 4]


def test_a_handler_that_fails_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    def answer(_: Request) -> Response:
        raise PermissionError("a file of the server's")

    with served(answer) as port:
        said = talk(port, b"GET / HTTP/1.1\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 500 ")
    assert b"a file" not in said
    assert "a file of the server's" in capsys.readouterr().err


class Flaky(socket.socket):
    """A listener whose first callers are gone before they are accepted."""

    failures = 3

    def accept(self) -> tuple[socket.socket, object]:
        if self.failures:
            self.failures -= 1
            raise ConnectionAbortedError(errno.ECONNABORTED, "aborted")
        return super().accept()


def test_callers_that_are_lost_do_not_end_it(
    echo: Echo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving, "_PAUSE", 0.01)
    with Flaky() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = serving.serve(listener, echo.answer)
        assert b"200 OK" in talk(listener.getsockname()[1], b"GET / HTTP/1.1\r\n\r\n")
        assert capsys.readouterr().err.count("was not answered") == 3
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        assert not thread.is_alive()
