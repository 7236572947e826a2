"""Clients without the key, before a strict proxy that encrypts every column of the bank.

What they write arrives, what they read opens with the key to what the server has, and an error is
an error. A dump is refused, because it would hold ciphertext for data.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag

from tests.contract.columns.servers import PASSWORD, USER, Server
from tests.contract.columns.wire import Wire
from tests.contract.conformance import bank
from tests.contract.conformance.bank import all_columns, fresh
from tests.contract.conformance.clients import CLIENTS, DUMPS, Ask, dump
from tests.contract.conformance.outcomes import OUTCOMES, REFUSED, WORKS
from tests.support.confidential import Proxy, is_envelope, opened
from tests.support.subset import chosen

READS = [
    "SELECT id, name, email, born, active, remark FROM customers ORDER BY id",
    "SELECT * FROM accounts ORDER BY id",
    "SELECT a.kind, COUNT(*), SUM(a.balance), MAX(c.name) FROM accounts a "
    "JOIN customers c ON c.id = a.customer_id GROUP BY a.kind ORDER BY 1",
    "SELECT holder, balance FROM holdings ORDER BY account_id",
    "SELECT name FROM customers UNION SELECT purpose FROM transfers ORDER BY 1",
    "SHOW TABLES",
    "DESCRIBE customers",
]
ADDED = (
    "INSERT INTO customers (id, name, email) VALUES (50, 'Neu Marker7Q', 'neu@Marker7Q.example')"
)
CALLED = "CALL transfer(10, 12, 1.25, 'Marker7Q by a client', @remaining, @holder)"


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """A strict proxy before a new bank, all of whose columns are chosen."""
    fresh(server)
    with server.proxy(all_columns(server)) as running:
        yield running
        assert running.said == ""


class Judge:
    """Compares what a client got with what the server says itself."""

    def __init__(self, server: Server) -> None:
        self.wire = Wire(server.port, USER, PASSWORD, database=bank.DATABASE)

    def equal(self, rows: list[list[bytes | None]], statement: str) -> None:
        """The rows are envelopes of that statement's values."""
        (direct,) = self.wire.query(statement)
        origins = [column.origin for column in direct.columns]
        assert rows
        assert [[*map(_text, row, origins)] for row in rows] == direct.rows

    def count(self, table: str, condition: str) -> int:
        query = f"SELECT COUNT(*) FROM {table} WHERE {condition}"  # noqa: S608
        (direct,) = self.wire.query(query)
        return int(direct.rows[0][0] or b"")


def _text(value: bytes | None, origin: tuple[bytes, bytes]) -> bytes | None:
    """What an envelope of that column holds, or one of none."""
    if value is None:
        return None
    assert is_envelope(value), value
    try:
        return opened(value, origin).text
    except InvalidTag:
        return opened(value).text


@pytest.mark.parametrize(
    "name", chosen(CLIENTS, *(name for name, one in CLIENTS.items() if one.engine != "mysql"))
)
def test_a_client_works(server: Server, proxy: Proxy, tmp_path: Path, name: str) -> None:
    assert OUTCOMES[name].outcome == WORKS
    client = CLIENTS[name]
    if client.engine not in {None, server.engine}:
        pytest.skip("it cannot log in to this engine's accounts")
    judge = Judge(server)
    with client.start(proxy.port, tmp_path) as ask:
        for statement in READS:
            answer = ask(statement)
            assert answer.error is None, statement
            judge.equal(answer.rows, statement)
        writes(ask, judge)
        if client.parameters:
            parameters(ask, judge)


def writes(ask: Ask, judge: Judge) -> None:
    """Changes, a transaction that is taken back, a procedure, and an error."""
    assert ask(ADDED).error is None
    assert judge.count("customers", "name = 'Neu Marker7Q'") == 1
    for statement in ("BEGIN", "DELETE FROM customers WHERE id = 50", "ROLLBACK"):
        assert ask(statement).error is None
    assert judge.count("customers", "id = 50") == 1
    number, text = ask(ADDED).error or (0, "")
    assert number == 1062
    assert "withholds the text of this error" in text
    assert "Marker7Q" not in text
    called = ask(CALLED)
    assert called.error is None
    judge.equal(
        called.rows, "SELECT id, iban, balance FROM accounts WHERE id IN (10, 12) ORDER BY id"
    )
    given = ask("SELECT @remaining, @holder")
    judge.equal(
        given.rows,
        "SELECT balance, name FROM accounts JOIN customers ON customers.id = customer_id "
        "WHERE accounts.id = 10",
    )
    assert judge.count("transfers", "purpose = 'Marker7Q by a client' AND amount = 1.25") == 1


def parameters(ask: Ask, judge: Judge) -> None:
    """Statements with values apart from their text."""
    added = ask(
        "INSERT INTO customers (id, name, born) VALUES (?, ?, ?)",
        (51, "Par Marker7Q ☃", "1999-12-31"),
    )
    assert added.error is None
    found = ask("SELECT id, name, born, active FROM customers WHERE id > ? ORDER BY id", (49,))
    judge.equal(
        found.rows, "SELECT id, name, born, active FROM customers WHERE id > 49 ORDER BY id"
    )
    many = ask("SELECT * FROM accounts WHERE iban LIKE ? ORDER BY id", ("DE00%",))
    judge.equal(many.rows, "SELECT * FROM accounts ORDER BY id")


@pytest.mark.parametrize(
    "program", chosen(DUMPS, *(name for name, (*_, engine) in DUMPS.items() if engine != "mysql"))
)
def test_a_dump_is_refused(server: Server, proxy: Proxy, tmp_path: Path, program: str) -> None:
    assert OUTCOMES["mysqldump"].outcome == REFUSED
    if DUMPS[program][2] not in {None, server.engine}:
        pytest.skip("it cannot log in to this engine's accounts")
    done = dump(proxy.port, tmp_path, program)
    assert done.returncode != 0
    assert "1235" in done.stderr
    assert "confidential-proxy serves no dumps" in done.stderr
    assert "INSERT" not in done.stdout


def test_a_dump_passes_where_nothing_is_encrypted(server: Server, tmp_path: Path) -> None:
    fresh(server)
    which = "mysqldump" if server.engine == "mariadb" else "MySQL's mysqldump"
    with server.proxy("# none\ncustomers\n") as proxy:
        through, direct = (
            dump(port, tmp_path / str(port), which) for port in (proxy.port, server.port)
        )
    assert through.returncode == direct.returncode == 0, through.stderr
    # The last line has the time.
    assert through.stdout.splitlines()[:-1] == direct.stdout.splitlines()[:-1]
    assert "Ada Marker7Q Byron" in through.stdout
