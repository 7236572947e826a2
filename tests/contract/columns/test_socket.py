"""The proxy in front of a real server's unix socket: the same answers, and no password in it."""

from collections.abc import Iterator

import pymysql
import pytest

from tests.contract.columns import corpus
from tests.contract.columns.servers import ANYWHERE, PASSWORD, Server
from tests.contract.columns.wire import ServerError, Wire
from tests.support import confidential
from tests.support.confidential import AES, Proxy, is_envelope, opened

NAME = (b"secret", b"name")
REFUSED = 1251


@pytest.fixture(scope="module")
def near(server: Server) -> Iterator[Proxy]:
    """A strict proxy by the server's socket."""
    socket = f"unix:{server.real.layout.socket}"
    with confidential.running(server.folder, socket, corpus.COLUMNS, AES) as proxy:
        assert socket in proxy.announced
        yield proxy


def login(port: int) -> None:
    """As a client does that has no TLS: it encrypts the password under the server's key."""
    pymysql.connect(
        host="127.0.0.1", port=port, user=ANYWHERE, password=PASSWORD, ssl_disabled=True
    ).close()


def test_values_are_encrypted_as_by_tcp(server: Server, near: Proxy) -> None:
    login(server.port)
    query = "SELECT name FROM secret WHERE name IS NOT NULL ORDER BY id"
    direct = [row[0] for row in server.wire().query(query)[0].rows]
    sealed = [row[0] or b"" for row in Wire(near.port, ANYWHERE, PASSWORD).query(query)[0].rows]
    assert all(is_envelope(value) for value in sealed)
    assert [opened(value, NAME).text for value in sealed] == direct


def test_every_statement_of_the_corpus_is_answered(server: Server, near: Proxy) -> None:
    login(server.port)
    with server.proxy() as far:
        by_tcp, by_socket = (Wire(one.port, ANYWHERE, PASSWORD) for one in (far, near))
        for statement in corpus.LEAKS:
            answers = [_answer(one, statement) for one in (by_tcp, by_socket)]
            assert answers[0] == answers[1], statement
            assert not isinstance(answers[0], str), (statement, answers[0])


def _answer(wire: Wire, statement: str) -> object:
    """What does not differ from connection to connection: how many rows, and in what form."""
    try:
        results = wire.query(statement)
    except ServerError as error:
        return str(error)
    return [(len(one.rows), [column.kind for column in one.columns]) for one in results]


def test_the_session_is_one_by_the_socket(server: Server, near: Proxy) -> None:
    login(server.port)
    wire = Wire(near.port, ANYWHERE, PASSWORD)
    hosts = server.real.admin(
        "SELECT host FROM information_schema.processlist "  # noqa: S608
        f"WHERE user = '{ANYWHERE}' ORDER BY id DESC LIMIT 1"
    )
    assert hosts == [("localhost",)]
    wire.socket.close()


def test_a_login_that_the_server_does_not_remember_is_refused_until_it_does(
    server: Server, near: Proxy
) -> None:
    """Otherwise the server would take for the password what the client asks for its key with."""
    server.real.admin("FLUSH PRIVILEGES")
    if server.engine == "mariadb":
        login(near.port)
        return
    with pytest.raises(pymysql.err.OperationalError) as refused:
        login(near.port)
    number, text = refused.value.args
    assert number == REFUSED
    assert "log in once at the server's own port" in text
    login(server.port)
    login(near.port)


def test_a_server_that_is_away_is_named(server: Server) -> None:
    nowhere = confidential.running(server.folder, "unix:/nowhere/mysqld.sock")
    away = pytest.raises(pymysql.err.OperationalError, match="does not reach the server")
    with nowhere as proxy, away:
        login(proxy.port)
