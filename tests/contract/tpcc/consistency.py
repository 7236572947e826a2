"""Databases of TPC-C that an agent asks for the conditions of consistency."""

import asyncio
from dataclasses import dataclass
from typing import Any

from encbench.reconcile.checks import judge
from tests.contract.database.harness import ServedAgent, agent
from tests.support.testbeds import PLAINTEXT


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
