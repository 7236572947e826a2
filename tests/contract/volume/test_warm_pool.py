"""A server that keeps its pool across a stop: nothing is measured before it is back."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.agent import HttpAgent
from tests.contract.database.harness import access_of, serving
from tests.support import mariadb, mysql
from tests.support.testbeds import PLAINTEXT

KEPT = {
    "innodb_buffer_pool_dump_at_shutdown": "ON",
    "innodb_buffer_pool_dump_pct": "100",
    "innodb_buffer_pool_load_at_startup": "ON",
}
SERVERS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "mariadb": lambda: mariadb.running(PLAINTEXT, overrides=KEPT),
    "mysql": lambda: mysql.running(PLAINTEXT, overrides=KEPT),
}
READ = "SHOW GLOBAL STATUS LIKE 'Innodb_pages_read'"
PAGE = 16 * 1024


@pytest.mark.parametrize("name", SERVERS)
async def test_after_a_start_a_settled_server_has_its_pages(name: str) -> None:
    with SERVERS[name]() as server:
        await settled(server)
        server.fill(8)
        server.stop()
        server.start()
        await settled(server)
        before = pages_read(server)
        server.admin("SELECT COUNT(pad), MAX(pad) FROM sbtest.filling")
        held = (Path(server.layout.data) / "sbtest" / "filling.ibd").stat().st_size / PAGE
        # The last reads are still under way when the server says that it has asked for all.
        assert pages_read(server) - before < held / 10


def pages_read(server: Any) -> int:
    return int(server.admin(READ)[0][1])


async def settled(server: Any) -> None:
    """Ask until the agent says that the server is at rest."""
    database = HttpAgent()
    try:
        with serving(server) as address:
            for _ in range(60):
                said = await database.settle(address, access_of(server))
                if said["settled"]:
                    assert said["loading"] is False
                    return
    finally:
        await database.aclose()
    pytest.fail("the server did not come to rest")
