"""What passes through untouched, what is refused, and that a connection goes on afterwards."""

import time
from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

from tests.contract.columns import corpus, wire
from tests.contract.columns.servers import PASSWORD, USER, Server
from tests.contract.columns.wire import DEPRECATE_EOF, Result, ServerError, Wire, execution
from tests.support import confidential
from tests.support.confidential import Proxy, Recorder, is_envelope, opened

NAME = (b"secret", b"name")
LAST_PREPARED = 0xFFFFFFFF
LONGEST = 0xFFFFFF
MASKED = {
    "ssl": 11,
    "zlib": 5,
    "zstd": 26,
    "local files": 7,
    "optional metadata": 25,
    "attributes": 27,
}


@pytest.fixture(scope="module")
def strict(server: Server) -> Iterator[Proxy]:
    with server.proxy() as proxy:
        yield proxy


@pytest.fixture(scope="module")
def through(server: Server) -> Iterator[Proxy]:
    """One without rules."""
    with server.proxy("# none\nplain\n") as proxy:
        yield proxy


def session(made: Wire, recorder: Recorder) -> None:
    """A bit of everything. The number of a prepared statement is set to zero in the record."""
    more = ("CALL scrolls()", "SELECT * FROM types", "DO 1")
    for query in [*corpus.LEAKS[:20], *corpus.TEXT_ONLY[:6], *more]:
        if "RAND" not in query:
            made.query(query)
    with pytest.raises(ServerError):
        made.query("SELECT nothing FROM nowhere")
    number = len(recorder.seen) + 5
    statement = made.prepare("SELECT *, ? FROM types WHERE id > ?")
    assert recorder.seen[number : number + 4] == statement.number.to_bytes(4, "little")
    recorder.seen[number : number + 4] = bytes(4)
    made.execute(statement.number, (b"x", b"1"))
    made.command(wire.LONG_DATA, statement.number.to_bytes(4, "little") + b"\0\0" + b"long")
    made.simple(wire.RESET_STMT, statement.number.to_bytes(4, "little"))
    made.command(wire.CLOSE, statement.number.to_bytes(4, "little"))
    made.simple(wire.PING)
    made.simple(wire.SET_OPTION, b"\0\0")
    made.simple(wire.SET_OPTION, b"\1\0")
    made.simple(2, b"sbtest")
    made.query("SELECT REPEAT('a', 17000000)")
    made.query("SELECT REPEAT('a', 16777215 - 4), 2 UNION SELECT 'b', 3")
    made.simple(wire.RESET_CONNECTION)
    made.query("SELECT 1")


def test_without_rules_every_byte_is_the_server_s(
    server: Server, through: Proxy, capabilities: int
) -> None:
    heard = []
    for port in (server.port, through.port):
        with (
            confidential.recording(port) as recorder,
            server.wire(recorder.port, capabilities) as made,
        ):
            made.simple(wire.PING)
            recorder.clear()
            session(made, recorder)
            heard.append(bytes(recorder.seen))
    assert heard[0] == heard[1]
    assert len(heard[0]) > 30_000_000


def test_what_is_not_understood_is_not_offered(server: Server, through: Proxy) -> None:
    with server.wire() as direct, server.wire(through.port) as made:
        assert made.version == direct.version
        assert direct.offered & sum(1 << bit for bit in MASKED.values())
        assert made.offered & sum(1 << bit for bit in MASKED.values()) == 0
        assert made.offered & DEPRECATE_EOF
        assert made.extended == 0
        assert server.engine == "mysql" or direct.extended != 0


def test_a_client_that_asks_for_it_all_the_same(server: Server, strict: Proxy) -> None:
    greedy = 1 << 5 | 1 << 7 | 1 << 25 | 1 << 27 | 1 << 29
    with server.wire(strict.port, greedy) as made:
        (result,) = made.query("SELECT name FROM secret WHERE id = 1")
    assert is_envelope(result.rows[0][0])


def test_tls_is_refused_in_a_sentence(strict: Proxy) -> None:
    import ssl

    with pytest.raises(pymysql.MySQLError):
        pymysql.connect(
            host="127.0.0.1",
            port=strict.port,
            user=USER,
            password=PASSWORD,
            ssl=ssl.create_default_context(),
        )


def test_a_wrong_password_is_the_server_s_refusal(strict: Proxy) -> None:
    with pytest.raises(ServerError, match="Access denied"):
        Wire(strict.port, USER, "wrong")


def test_another_user(server: Server, strict: Proxy, capabilities: int) -> None:
    with server.wire(strict.port, capabilities) as made:
        statement = made.prepare("SELECT label FROM plain WHERE id = 1")
        made.change_user(USER, PASSWORD)
        assert made.query("SELECT label FROM plain WHERE id = 1")[0].rows == [[b"open"]]
        with pytest.raises(ServerError, match="1243"):
            made.execute(statement.number)
        with pytest.raises(ServerError, match="Access denied"):
            made.change_user(USER, "wrong")


def test_a_common_client(strict: Proxy) -> None:
    """PyMySQL with its own idea of everything."""
    options: dict[str, Any] = {"user": USER, "password": PASSWORD, "database": "sbtest"}
    with pymysql.connect(host="127.0.0.1", port=strict.port, ssl_disabled=True, **options) as made:
        with made.cursor() as cursor:
            cursor.execute("SELECT id, name, num FROM secret WHERE id IN (1, 3) ORDER BY id")
            (one, name, number), empty = cursor.fetchall()
            assert (one, empty) == (1, (3, None, None))
            assert opened(name, NAME).text == f"{corpus.MARKER}one".encode()
            assert opened(number, (b"secret", b"num")).text == f"{corpus.NUMBER}.25".encode()
            cursor.execute("SELECT label FROM plain WHERE label = %s", ("open",))
            assert cursor.fetchone() == ("open",)
        made.ping(reconnect=False)


@pytest.mark.parametrize(
    "number", [0x00, 0x0B, 0x12, 0x13, 0x15, 0x1D, 0x1E, 0x20, 0xFA, 0xFE, 0xFF]
)
def test_a_command_that_is_not_passed_on(server: Server, strict: Proxy, number: int) -> None:
    with server.wire(strict.port) as made:
        with pytest.raises(ServerError, match="does not pass this command on"):
            made.simple(number, b"\1\0\0\0\0\0\0\0\0\0")
        assert made.query("SELECT label FROM plain WHERE id = 1")[0].rows == [[b"open"]]


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1, 2 * LONGEST, 40_000_000])
def test_a_command_of_several_packets_is_refused(
    server: Server, strict: Proxy, length: int
) -> None:
    payload = b"\x03SELECT '".ljust(length - 1, b"x") + b"'"
    with server.wire(strict.port) as made:
        made.sequence = 0
        for start in range(0, length + 1, LONGEST):
            part = payload[start : start + LONGEST]
            made.send(part)
            made.sequence += 1
        with pytest.raises(ServerError, match="16 MiB"):
            raise wire._error(made.packet())
        assert made.query("SELECT label FROM plain WHERE id = 1")[0].rows == [[b"open"]]


@pytest.mark.parametrize("length", [8 << 10, 100_000, 9_000_000])
def test_a_long_statement_passes(server: Server, strict: Proxy, length: int) -> None:
    statement = "SELECT name FROM secret WHERE id = 1 AND name <> '"
    statement = f"{statement.ljust(length, 'x')}'"
    with server.wire(strict.port) as made:
        (result,) = made.query(statement)
    assert opened(result.rows[0][0] or b"", NAME).text == f"{corpus.MARKER}one".encode()


def test_a_row_that_becomes_too_long_is_refused(server: Server, strict: Proxy) -> None:
    just, over = LONGEST - 200, LONGEST + 5
    with server.wire(strict.port) as made:
        (result,) = made.query(f"SELECT REPEAT('a', {just})")
        assert len(opened(result.rows[0][0] or b"").text) == just
        for length in (LONGEST - 20, over, 2 * LONGEST + 9):
            with pytest.raises(ServerError, match="16 MiB"):
                made.query(f"SELECT 1 UNION ALL SELECT REPEAT('a', {length}); SELECT 2")
            assert made.query("SELECT label FROM plain WHERE id = 1")[0].rows == [[b"open"]]


def test_a_row_for_which_there_is_no_memory_is_refused(server: Server) -> None:
    with (
        server.proxy(corpus.COLUMNS, confidential.AES, "--row-memory", "1048576") as proxy,
        server.wire(proxy.port) as made,
    ):
        (result,) = made.query("SELECT REPEAT('a', 500000)")
        assert len(opened(result.rows[0][0] or b"").text) == 500_000
        with pytest.raises(ServerError, match=r"no memory for a row .*--row-memory"):
            made.query("SELECT REPEAT('a', 600000)")
        assert made.query("SELECT label FROM plain WHERE id = 1")[0].rows == [[b"open"]]


def test_local_infile_is_refused(server: Server, strict: Proxy, through: Proxy) -> None:
    for proxy in (strict, through):
        with server.wire(proxy.port, 1 << 7) as made:
            with pytest.raises(ServerError):
                made.query("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE plain")
            assert made.query("SELECT label FROM plain WHERE id = 1")[0].rows == [[b"open"]]


def test_a_client_that_does_not_wait(server: Server, strict: Proxy, capabilities: int) -> None:
    """MariaDB's driver sends several commands at a time; a refused one keeps its place."""
    ask = "SELECT name FROM secret WHERE id = 1"
    with server.wire(strict.port, capabilities) as made:
        sent = b""
        for payload in [
            b"\x03" + ask.encode(),
            b"\x16" + ask.encode(),
            b"\x12\0\0\0\0",
            b"\x03" + b"SELECT label FROM plain WHERE id = 1",
            b"\x0e",
        ]:
            sent += len(payload).to_bytes(3, "little") + b"\0" + payload
        made.socket.sendall(sent)
        (first,) = made.results(binary=False)
        statement = made.prepared()
        with pytest.raises(ServerError, match="does not pass"):
            raise wire._error(made.packet())
        (fourth,) = made.results(binary=False)
        assert made.packet()[0] == wire.OK
        (second,) = made.execute(statement.number)
    both = [opened(one.rows[0][0] or b"", NAME).text for one in (first, second)]
    assert both[0] == both[1]
    assert fourth.rows == [[b"open"]]


def test_many_commands_at_a_time(server: Server, strict: Proxy) -> None:
    """More than fit into the proxy's buffers, and cut anywhere."""
    one = b"\x03SELECT label, name FROM plain JOIN secret USING (id) WHERE id = 1"
    sent = (len(one).to_bytes(3, "little") + b"\0" + one) * 500
    with server.wire(strict.port) as made:
        for start in range(0, len(sent), 7001):
            made.socket.sendall(sent[start : start + 7001])
        for _ in range(500):
            (result,) = made.results(binary=False)
            assert result.rows[0][0] == b"open"
            assert is_envelope(result.rows[0][1])


def test_bytes_that_come_one_at_a_time(server: Server, strict: Proxy) -> None:
    one = b"\x03SELECT label FROM plain WHERE id = 1"
    with server.wire(strict.port) as made:
        for byte in len(one).to_bytes(3, "little") + b"\0" + one:
            made.socket.sendall(bytes([byte]))
            time.sleep(0.001)
        assert made.results(binary=False)[0].rows == [[b"open"]]


def test_the_statement_that_was_prepared_last(server: Server, strict: Proxy) -> None:
    """MariaDB's number for it."""
    if server.engine != "mariadb":
        pytest.skip("another server does not know it")
    with server.wire(strict.port) as made:
        made.prepare("SELECT label, name FROM plain JOIN secret USING (id) WHERE id = 1")
        made.command(wire.EXECUTE, execution(LAST_PREPARED))
        ((row,),) = [result.rows for result in made.results(binary=True)]
    assert row[0] == b"open"
    assert is_envelope(row[1])


def known(server: Server, command: int, text: bytes) -> None:
    """Skip the test where the server itself refuses the command, as later releases do."""
    with server.wire() as direct:
        direct.command(command, text)
        if direct.packet()[0] == wire.ERR:
            pytest.skip("this server does not know the command any more")


def test_definitions_of_a_table(server: Server, strict: Proxy, capabilities: int) -> None:
    known(server, wire.FIELD_LIST, b"secret\0")
    with server.wire(strict.port, capabilities) as made:
        made.command(wire.FIELD_LIST, b"secret\0")
        kinds = {}
        while (packet := made.packet())[0] != wire.EOF:
            assert packet[0] != wire.ERR, packet
            column = wire._definition(packet)
            kinds[column.org_name] = column.kind
        assert kinds[b"name"] == kinds[b"num"] == 0xFD
        assert kinds[b"id"] == 3
        made.simple(wire.PING)


@pytest.mark.parametrize("text", [b"", b"SELECT @@version"], ids=["bare", "with-a-text"])
def test_statements_of_other_sessions_are_encrypted(
    text: bytes, server: Server, strict: Proxy
) -> None:
    """The server ignores the text, so that nothing can follow from it."""
    known(server, wire.PROCESSES, text)
    with server.wire(strict.port) as made:
        made.command(wire.PROCESSES, text)
        (result,) = made.results(binary=False)
    values = [value for row in result.rows for value in row if value is not None]
    assert len(values) >= 6
    assert all(is_envelope(value) for value in values)


def test_a_statement_keeps_its_trust_no_longer_than_it_lives(server: Server, strict: Proxy) -> None:
    """After a reset the server gives the same numbers again."""
    with server.wire(strict.port) as made:
        first = made.prepare("SELECT label FROM plain WHERE id = 1")
        assert made.execute(first.number)[0].rows == [[b"open"]]
        made.simple(wire.RESET_CONNECTION)
        made.query("USE sbtest")
        second = made.prepare(
            "SELECT label FROM (SELECT name AS label FROM secret WHERE id = 1) plain"
        )
        results: list[Result] = made.execute(second.number)
    assert is_envelope(results[0].rows[0][0])
