"""A real agent in front of a real server, served on loopback."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from encbench.adapters.agent import HttpAgent
from encbench.core.columns.layout import MEK, key_of
from encbench.ports import Access, Agent
from encbench.sidecars.agent.api import AgentApi
from encbench.sidecars.agent.config import AgentConfig
from encbench.sidecars.agent.control import build
from encbench.sidecars.agent.watched import watched
from encbench.wire import agent as wire
from tests.support import bmsql, sidecars
from tests.support.answers import whole

MARKER = "encbench-marker-{:032x}"


class Places(Protocol):
    """Where a server's files lie."""

    @property
    def volume(self) -> str: ...
    @property
    def socket(self) -> str: ...


class Server(Protocol):
    """A server on this machine, whichever engine's."""

    @property
    def engine(self) -> str: ...
    @property
    def layout(self) -> Places: ...
    @property
    def credentials(self) -> Mapping[str, str]: ...
    @property
    def proc(self) -> Path: ...


@dataclass(frozen=True)
class ServedAgent:
    """A `ports.Agent` and one server behind it."""

    database: Agent
    address: str
    access: Access
    mode: dict[str, Any]
    """The mode that is in force."""

    async def server(self) -> Any:
        """Facts of the server."""
        answer = await self.database.server(self.address, self.access)
        whole(wire.ServerAnswer, answer)
        return answer

    async def evidence(self, number: int, *, full: bool) -> Any:
        """Evidence by a marker with that number."""
        marker = MARKER.format(number)
        answer = await self.database.evidence(self.address, self.access, marker, full=full)
        whole(wire.EvidenceAnswer, answer)
        return answer


async def checked(one: ServedAgent, run: str, *, loaded: bool = False) -> wire.ChecksAnswer:
    """The answer about the dataset of `bmsql` once the run has ended."""
    async with asyncio.timeout(60):
        while True:
            answer = await one.database.checks(
                *(one.address, one.access, run),
                warehouses=bmsql.WAREHOUSES,
                loaded=loaded,
                full=False,
                seconds=30,
            )
            whole(wire.ChecksAnswer, answer)
            if answer["state"] != "running":
                return answer
            await asyncio.sleep(0.02)


def agent_config(server: Server) -> AgentConfig:
    """The agent's configuration, as the pod would give it."""
    is_inside = server.engine == "postgresql" and MEK in server.credentials
    return AgentConfig(
        engine=server.engine,
        volume=Path(server.layout.volume),
        socket=Path(server.layout.socket),
        port=0,
        control_port=0,
        credentials=Path(),  # `tests.support.sidecars` has the certificate
        token=server.credentials["agent-token"],
        password=server.credentials["agent-password"],
        enclave_key=key_of(server.credentials[MEK]) if is_inside else None,
    )


@contextmanager
def serving(server: Server) -> Iterator[str]:
    """The agent's address, host:port."""
    config = agent_config(server)
    parts = build(config, watched(config, server.proc))
    with sidecars.answering(AgentApi(parts).answer) as address:
        yield address


def access_of(server: Server) -> Access:
    """How its agent is asked."""
    return sidecars.access(server.credentials["agent-token"])


@asynccontextmanager
async def agent(server: Server, mode: dict[str, Any]) -> AsyncIterator[ServedAgent]:
    """The real adapter, the real agent, that server."""
    database = HttpAgent(quick_seconds=30, full_seconds=60)
    try:
        with serving(server) as address:
            yield ServedAgent(database, address, access_of(server), mode)
    finally:
        await database.aclose()
