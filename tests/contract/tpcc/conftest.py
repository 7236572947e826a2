"""Each engine's server with a small, consistent TPC-C database, and an agent beside it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.contract.database.harness import agent
from tests.contract.tpcc.consistency import Bench
from tests.support import bmsql, mariadb, mysql, postgres
from tests.support.testbeds import PLAINTEXT

ENGINES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "mariadb": lambda: mariadb.running(PLAINTEXT),
    "mysql": lambda: mysql.running(PLAINTEXT),
    "postgresql": lambda: postgres.running(PLAINTEXT),
}


@pytest.fixture(scope="module", params=ENGINES)
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A server of each engine."""
    with ENGINES[request.param]() as running:
        yield running


@pytest.fixture
async def bench(server: Any) -> AsyncIterator[Bench]:
    """The dataset is made anew for each test."""
    server.admin(*bmsql.create())
    async with agent(server, PLAINTEXT) as one:
        yield Bench(server, one)
