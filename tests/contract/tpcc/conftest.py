"""Each engine's server with a small, consistent TPC-C database, and an agent beside it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.contract.database.harness import ServedAgent, agent
from tests.support import bmsql, mariadb, mysql, postgres

PLAINTEXT: dict[str, Any] = {}
ENGINES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "mariadb": lambda: mariadb.running(PLAINTEXT),
    "mysql": lambda: mysql.running(PLAINTEXT),
    "postgresql": lambda: postgres.running(PLAINTEXT),
}


@dataclass(frozen=True)
class Bench:
    """One engine with its dataset."""

    server: Any
    agent: ServedAgent

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Statements in the benchmark's database; rows of the last one."""
        rows: list[tuple[Any, ...]] = self.server.admin(*statements)
        return rows


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
