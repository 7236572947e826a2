"""A load's pod waits for its database, and for the network's leave to reach it."""

import errno
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from encbench.sidecars import reach
from encbench.sidecars.reach import OutOfReach
from encbench.wire import failure

HOST = "127.0.0.1"
V6, V4 = "2001:db8::5", "203.0.113.7"
SILENT = TimeoutError("timed out")
REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
NO_ROUTE = OSError(errno.ENETUNREACH, "Network is unreachable")


def network(monkeypatch: pytest.MonkeyPatch, ends: dict[str, OSError | None]) -> None:
    """The name `database` has these addresses, in this order, and connections to them end so."""

    def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        assert host == "database"
        return [(0, 0, 0, "", (address, port)) for address in ends]

    def connect(place: tuple[str, int], **_: object) -> socket.socket:
        if (error := ends[place[0]]) is not None:
            raise error
        return socket.socket()

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(reach, "_PAUSE_SECONDS", 0)


@pytest.mark.parametrize(
    "ends", [{V6: NO_ROUTE, V4: None}, {V6: REFUSED, V4: None}, {V6: None, V4: SILENT}]
)
def test_one_address_is_enough_for_a_tool_that_gets_there_without_delay(
    ends: dict[str, OSError | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    network(monkeypatch, ends)
    reach.reach("database", 3306, seconds=0)


def test_an_address_that_answers_nothing_would_hold_the_tool_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where a NetworkPolicy has the IPv4 address alone, and the tool begins with IPv6."""
    network(monkeypatch, {V6: SILENT, V4: None})
    with pytest.raises(
        OutOfReach, match=f"no answer from {V6} before they try {V4}, which answers"
    ):
        reach.reach("database", 3306, seconds=0)


def test_each_address_has_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    network(monkeypatch, {V6: SILENT, V4: NO_ROUTE})
    reasons = f"{V6}: timed out; {V4}: Network is unreachable"
    with pytest.raises(OutOfReach, match=f": {reasons}$"):
        reach.reach("database", 3306, seconds=0)


@pytest.fixture
def closed() -> Iterator[socket.socket]:
    """A port of ours on which nothing listens yet: connections are refused."""
    with socket.socket() as server:
        server.bind((HOST, 0))
        yield server


def port(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def test_a_refused_connection_is_tried_again(closed: socket.socket) -> None:
    listening = threading.Timer(0.7, closed.listen)
    before = time.monotonic()
    listening.start()
    reach.reach(HOST, port(closed))
    assert time.monotonic() - before >= 0.7
    listening.join()


def test_a_server_that_listens_is_reached_at_once(
    closed: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "_PAUSE_SECONDS", 60.0)
    closed.listen()
    before = time.monotonic()
    reach.reach(HOST, port(closed), seconds=0)
    assert time.monotonic() - before < 30


def test_nothing_is_waited_for_without_end(closed: socket.socket) -> None:
    with pytest.raises(OutOfReach, match=f"no connection to {HOST}, port {port(closed)}, within"):
        reach.reach(HOST, port(closed), seconds=0)


def test_a_name_that_nobody_knows_yet_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    network(monkeypatch, {V4: None})
    resolve = socket.getaddrinfo
    answers = iter([socket.gaierror(-3, "Temporary failure in name resolution"), None])

    def later(host: str, port: int, **more: int) -> object:
        if (answer := next(answers)) is not None:
            raise answer
        return resolve(host, port, **more)

    monkeypatch.setattr(socket, "getaddrinfo", later)
    reach.reach("database", 3306, seconds=0)
    assert next(answers, "both were asked for") == "both were asked for"


@pytest.mark.parametrize(
    ("error", "within"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "0.2 s"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "0 s"),
    ],
)
def test_dns_that_is_away_has_longer(
    error: OSError, within: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(reach, "_PAUSE_SECONDS", 0.01)
    with pytest.raises(OutOfReach, match=f"no connection to database, port 3306, within {within}"):
        reach.reach("database", 3306, seconds=0, without_names=0.2)


def test_the_database_has_its_time_after_dns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a policy that does not know the new pod yet."""
    network(monkeypatch, {V4: REFUSED})
    resolve = socket.getaddrinfo
    began, asked = time.monotonic(), list[float]()

    def later(host: str, port: int, **more: int) -> object:
        asked.append(time.monotonic() - began)
        if asked[-1] < 0.3:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return resolve(host, port, **more)

    monkeypatch.setattr(socket, "getaddrinfo", later)
    monkeypatch.setattr(reach, "_PAUSE_SECONDS", 0.01)
    with pytest.raises(OutOfReach, match=r"within 0\.2 s: .* refused$"):
        reach.reach("database", 3306, seconds=0.2, without_names=10)
    assert asked[-1] > 0.45


def test_the_reason_is_left_for_the_status(
    closed: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = tmp_path / "termination-log"
    message.touch()
    monkeypatch.setattr(reach, "leave", lambda sentence: failure.leave(sentence, message))
    monkeypatch.setattr(reach.reach, "__defaults__", (0, 0))
    with pytest.raises(SystemExit, match="encbench: no connection to"):
        reach.main([HOST, str(port(closed))])
    assert "no connection" in (failure.failure(message.read_text()) or "")
    assert json.loads(message.read_text())["failure"].endswith("refused")
