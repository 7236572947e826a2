"""Each engine's server with a small, consistent TPC-C database, and an agent beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from encbench.reconcile.checks import judge
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


async def contradicted(server: Any, run: str) -> set[str]:
    """The names of those of all fourteen conditions that rows of one warehouse contradict."""
    async with agent(server, PLAINTEXT) as one, asyncio.timeout(60):
        while True:
            answer = await one.database.checks(
                *(one.address, one.access, run), warehouses=1, loaded=False, full=True, seconds=50
            )
            if judge(answer, full=True) is not None:
                assert answer["state"] == "done", answer
                return {check["name"] for check in answer["checks"] if check["rows"]}
            await asyncio.sleep(0.1)


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
