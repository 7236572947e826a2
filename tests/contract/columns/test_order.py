"""Commands that come when no one asked for them: no answer is taken for another command's.

What would show a chosen value is sent so that the server answers it and the proxy, if it had not
seen it, would judge the answer by what the client asks next.
"""

import time
from collections.abc import Iterator

import pytest

from tests.contract.columns import corpus, wire
from tests.contract.columns.servers import EXPIRED, PASSWORD, USER, Server
from tests.contract.columns.wire import ServerError, Wire, execution, packed
from tests.support import confidential
from tests.support.confidential import Recorder, is_envelope

SLOW = "SELECT name AS label FROM secret WHERE SLEEP(0.2) = 0 AND name = 'Marker7Qxone'"
SPOOF = "SELECT label FROM (SELECT name AS label FROM secret) plain"
FAILING = corpus.ERRORS[0]
HANDLES_EXPIRED = 1 << 22
SECRET = corpus.MARKER.encode()


@pytest.fixture(scope="module", params=["strict", "permissive"])
def recorder(request: pytest.FixtureRequest, server: Server) -> Iterator[Recorder]:
    """What a proxy sends."""
    more = () if request.param == "strict" else ("--permissive",)
    with (
        server.proxy(corpus.COLUMNS, confidential.AES, *more) as proxy,
        confidential.recording(proxy.port) as made,
    ):
        yield made


def asked(statement: str) -> bytes:
    """A query's packet."""
    return packed(bytes([wire.QUERY]) + statement.encode())


def login(port: int, early: bytes) -> Wire:
    """A login that has commands in one go with it, of a user whom MySQL remembers."""
    Wire(port, USER, PASSWORD).socket.close()
    return Wire(port, USER, PASSWORD, early=early)


def test_a_query_that_comes_with_the_login(server: Server, recorder: Recorder) -> None:
    recorder.clear()
    with login(recorder.port, asked(SLOW)) as made:
        for _ in range(20):
            made.command(wire.PING)
        (result,) = made.results(binary=False)
        assert is_envelope(result.rows[0][0])
        for _ in range(20):
            assert made.packet()[0] == wire.OK
    assert SECRET not in recorder.seen


def test_its_answer_is_not_judged_as_another_statement_s(
    server: Server, recorder: Recorder
) -> None:
    recorder.clear()
    with login(recorder.port, asked(SLOW) + asked("SELECT @@version")) as made:
        (first,), (second,) = made.results(binary=False), made.results(binary=False)
    assert is_envelope(first.rows[0][0])
    assert not is_envelope(second.rows[0][0])
    assert SECRET not in recorder.seen


def test_a_query_that_comes_with_another_user(server: Server, recorder: Recorder) -> None:
    """It is there before the answer to the server's question, whose place it cannot take."""
    with server.wire(recorder.port) as made:
        recorder.clear()
        with pytest.raises(ServerError, match="cannot read this handshake"):
            made.change_user(USER, PASSWORD, early=asked(SLOW))
    assert SECRET not in recorder.seen


@pytest.mark.parametrize("recorder", ["strict"], indirect=True)
def test_an_error_that_comes_unasked_has_no_text(server: Server, recorder: Recorder) -> None:
    recorder.clear()
    with login(recorder.port, asked(FAILING)) as made:
        time.sleep(0.5)
        with pytest.raises(ServerError, match="withholds"):
            made.results(binary=False)
    assert SECRET not in recorder.seen


@pytest.mark.parametrize("follows", ["a query", "another user"])
def test_rows_that_come_behind_an_answer_s_end(
    server: Server, recorder: Recorder, follows: str
) -> None:
    """MySQL says that a cursor is open, opens none for an explanation, and sends its rows."""
    if server.engine != "mysql":
        pytest.skip("another server says so of no function's cursor")
    explained = "SELECT label FROM plain WHERE scrolled() = 1 AND label <> 'Marker7Qxone'"
    with server.wire(recorder.port) as made:
        number = made.prepare(f"EXPLAIN ANALYZE {explained}").number
        recorder.clear()
        opening = packed(bytes([wire.EXECUTE]) + execution(number, cursor=wire.WITH_CURSOR))
        change = packed(made.change(USER))
        second = change if follows == "another user" else asked("SELECT @@version")
        made.socket.sendall(opening + second)
        made.results(binary=True, opens=True)
        with pytest.raises(ServerError, match="cannot read what the server answered"):
            made.results(binary=False)
    assert SECRET not in recorder.seen


@pytest.mark.parametrize("length", [0, 1, 5])
def test_long_data_that_is_too_short_is_refused(
    server: Server, recorder: Recorder, length: int
) -> None:
    """MySQL answers it, where long data has no answer."""
    recorder.clear()
    with server.wire(recorder.port) as made:
        short = packed(bytes([wire.LONG_DATA]) + bytes(length))
        made.socket.sendall(short + asked(SPOOF) + asked("SELECT @@version"))
        with pytest.raises(ServerError, match="does not pass this command on"):
            made.results(binary=False)
        with pytest.raises(ConnectionError):
            made.packet()
    assert SECRET not in recorder.seen


@pytest.mark.parametrize("recorder", ["strict"], indirect=True)
def test_a_password_that_has_expired_ends_the_session(server: Server, recorder: Recorder) -> None:
    """MariaDB answers long data in such a session, too."""
    new = "PASSWORD('another')" if server.engine == "mariadb" else "'another'"
    data = packed(bytes([wire.LONG_DATA]) + bytes(6))
    recorder.clear()
    with pytest.raises(ServerError, match=r"1862|cannot read what the server answered"):
        made = Wire(recorder.port, EXPIRED, PASSWORD, capabilities=HANDLES_EXPIRED)
        made.socket.sendall(
            data + asked(f"SET PASSWORD = {new}") + asked(SPOOF) + asked("SELECT @@version")
        )
        for _ in range(3):
            made.results(binary=False)
    assert SECRET not in recorder.seen
