"""Bringing real servers to rest: nothing of the benchmark's tables is left to be written."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pg8000.dbapi
import pymysql
import pytest
from pymysql.constants import COMMAND

from encbench.adapters.agent import HttpAgent
from encbench.ports import Rejected
from tests.contract.database.harness import access_of, serving
from tests.support import mariadb, mysql, postgres, sidecars
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.testbeds import PLAINTEXT

Start = Callable[[], AbstractContextManager[Any]]
SERVERS: dict[str, Start] = {
    "mariadb": lambda: mariadb.running(PLAINTEXT),
    "mysql": lambda: mysql.running(PLAINTEXT),
    "postgresql": lambda: postgres.running(PLAINTEXT),
}
CHANGE = {
    "mariadb": "UPDATE sbtest.filling SET pad = REVERSE(pad)",
    "mysql": "UPDATE sbtest.filling SET pad = REVERSE(pad)",
    "postgresql": "UPDATE filling SET pad = reverse(pad)",
}
FIELDS = {"settled", "dirtyPages", "dirtyBytes", "loading", "sessions", "tookSeconds", "clock"}


def fill(server: Any) -> None:
    if server.engine != "postgresql":
        server.fill(4)
        return
    server.admin(
        "CREATE TABLE filling AS SELECT n AS id, repeat(md5(n::text), 6) AS pad "
        "FROM generate_series(1, 20000) n"
    )


def change(server: Any, name: str) -> None:
    """Leave changed pages behind; on a busy machine the server may write them before one looks."""
    for _ in range(10):
        server.admin(CHANGE[name])
        if dirty(server) > 50:
            return
    pytest.fail("the server wrote every change at once")


def dirty(server: Any) -> int:
    """Changed pages of the benchmark's tables that are not in their files."""
    if server.engine == "postgresql":
        server.admin("CREATE EXTENSION IF NOT EXISTS pg_buffercache")
        question = (
            "SELECT count(*) FROM pg_buffercache b JOIN pg_class c "
            "ON b.relfilenode = pg_relation_filenode(c.oid) "
            "WHERE c.relname = 'filling' AND b.isdirty"
        )
    else:
        question = (
            "SELECT COUNT(*) FROM information_schema.INNODB_BUFFER_PAGE "
            "WHERE TABLE_NAME LIKE '%filling%' AND OLDEST_MODIFICATION > 0"
        )
    return int(server.admin(question)[0][0])


@pytest.mark.parametrize("name", SERVERS)
async def test_a_settled_server_has_nothing_left_to_write(name: str) -> None:
    with SERVERS[name]() as server:
        fill(server)
        change(server, name)
        database = HttpAgent()
        try:
            with serving(server) as address:
                access = access_of(server)
                said = await database.settle(address, access)
                # A purge that begins late changes pages again.
                for _ in range(3):
                    if dirty(server):
                        await database.settle(address, access)
                assert dirty(server) == 0
                with pytest.raises(Rejected):
                    await database.settle(address, sidecars.access("wrong"))
        finally:
            await database.aclose()
    assert set(said) == FIELDS
    assert said["settled"] is True
    # Of the whole server: undo logs and system tables are written when it suits it.
    assert (said["dirtyPages"] is None) is (name == "postgresql")
    waited = said["dirtyBytes"]
    assert (waited is None) is (name == "postgresql")
    assert waited is None or waited > 50 * 2**10, "before the server wrote"


OWN = {
    "mariadb": "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'encbench'",
    "mysql": "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'encbench'",
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE usename = 'encbench'",
}
MUCH = "SELECT REPEAT('x', 200) FROM sbtest.filling a, sbtest.filling b"


def lost(server: Any) -> list[Any]:
    """Sessions of a client that says nothing any more: it holds locks, and reads no answer."""
    login = {"user": server.credentials["username"], "password": server.credentials["password"]}
    where = {"host": "127.0.0.1", "port": server.layout.port, "database": "sbtest"}
    if server.engine == "postgresql":
        found = [pg8000.dbapi.connect(**login, **where, ssl_context=False) for _ in range(2)]
        for number, one in enumerate(found):
            one.cursor().execute("UPDATE filling SET pad = 'x' WHERE id = %s", (number + 1,))
        return found
    found = [pymysql.connect(**login, **where) for _ in range(2)]
    found[0].cursor().execute("UPDATE filling SET pad = 'x' ORDER BY id LIMIT 1")
    found[1]._execute_command(COMMAND.COM_QUERY, MUCH)
    return found


@pytest.mark.parametrize("name", SERVERS)
async def test_sessions_of_lost_clients_end_before_the_server_writes(name: str) -> None:
    with SERVERS[name]() as server:
        fill(server)
        if name == "postgresql":
            server.admin("GRANT ALL ON filling TO encbench")
        held, database = lost(server), HttpAgent()
        assert server.admin(OWN[name])[0][0] == len(held)
        try:
            with serving(server) as address:
                said = await database.settle(address, access_of(server))
        finally:
            await database.aclose()
        assert (said["settled"], said["sessions"]) == (True, 0)
        assert said["tookSeconds"] < 30
        assert server.admin(OWN[name])[0][0] == 0


async def test_the_fake_answers_alike() -> None:
    server = FakeServer(token="secret", unwritten=2)
    database = FakeAgent({"db:9472": server})
    said = [await database.settle("db:9472", sidecars.access("secret")) for _ in range(3)]
    assert {frozenset(one) for one in said} == {frozenset(FIELDS)}
    assert [one["settled"] for one in said] == [False, False, True]
    with pytest.raises(Rejected):
        await database.settle("db:9472", sidecars.access("wrong"))
