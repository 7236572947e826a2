"""A real server under the real agent and the real load, and a thread that starts it anew.

The thread plays the kubelet's part: it waits until the server's process has ended and starts
it again after a moment, as it does a container.
"""

import os
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from encbench.adapters.agent import HttpAgent
from encbench.engines.registry import engine
from encbench.ports import Access
from encbench.sidecars.agent.api import AgentApi
from encbench.sidecars.agent.control import build
from encbench.sidecars.agent.watched import watched
from encbench.wire import agent as wire
from tests.contract.database.harness import access_of, agent_config
from tests.support import mariadb, mysql, postgres, sidecars
from tests.support.mariadb import MariaDB
from tests.support.postgres import Postgres

GAP = 0.7
"""Seconds between the end of a container and the start of the next one."""


@dataclass
class Kubelet:
    """Starts the server anew each time it has ended, until the context is left."""

    server: MariaDB | Postgres
    starts: int = 0
    error: BaseException | None = None
    _leave: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Kubelet":
        self._thread = threading.Thread(target=self._work)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave.set()
        if self._thread is not None:
            self._thread.join(90)

    def _work(self) -> None:
        try:
            while not self._leave.wait(0.005):
                old = self.server.process
                if old is None or old.poll() is None:
                    continue
                time.sleep(GAP)
                show = threading.Thread(target=self._show, args=(old,))
                show.start()
                # Here and in no thread that ends: the server dies with the one that started it.
                self.starts += 1
                self.server.start()
                show.join()
        except BaseException as error:
            self.error = error
            raise

    def _show(self, old: "subprocess.Popen[bytes]") -> None:
        """The new process in the view of `/proc` as soon as there is one, if the view is ours."""
        while (process := self.server.process) is old or process is None:
            time.sleep(0.0005)
        view = self.server.folder / "proc"
        if isinstance(self.server, MariaDB) and view.is_dir():
            (view / str(process.pid)).symlink_to(Path("/proc", str(process.pid)))
            (view / str(old.pid)).unlink()


def killer(server: MariaDB | Postgres) -> Callable[[int, int], None]:
    """What signals one of the server's processes by the number that the agent sees."""
    if not isinstance(server, Postgres):
        return os.kill

    def kill(process_id: int, number: int) -> None:
        if server.inside("kill", f"-{number}", str(process_id)).returncode:
            raise ProcessLookupError

    return kill


@contextmanager
def running(name: str, mode: dict[str, Any]) -> Iterator[MariaDB | Postgres]:
    """A fresh server of that engine."""
    kinds: dict[str, Any] = {"mariadb": mariadb, "mysql": mysql, "postgresql": postgres}
    with kinds[name].running(mode) as server:
        yield server


@dataclass(frozen=True)
class Agent:
    """The real adapter with a real agent behind it."""

    database: HttpAgent
    address: str
    access: Access

    async def stop(self, run: str, how: wire.StopWay, after: float) -> wire.RecoveryAnswer:
        """Arm it, or ask about it."""
        return await self.database.stop(
            self.address, self.access, run, how=how, after=after, seconds=60
        )

    async def stopped(self, run: str) -> Any:
        """Ask about it."""
        return await self.database.stopped(self.address, self.access, run)

    async def server(self) -> Any:
        """Facts of the server."""
        return await self.database.server(self.address, self.access)


@asynccontextmanager
async def agent(server: MariaDB | Postgres) -> AsyncIterator[Agent]:
    """An agent beside that server."""
    config = agent_config(server)
    api = AgentApi(build(config, watched(config, server.proc), killer(server)))
    database = HttpAgent(quick_seconds=30, full_seconds=60)
    with sidecars.answering(api.answer) as address:
        yield Agent(database, address, access_of(server))
        await database.aclose()


def log_since(server: MariaDB | Postgres, offset: int, process_id: int) -> list[str]:
    """The log of the new process, as the operator takes it from the container's."""
    content = (server.folder / "server.log").read_bytes()[offset:]
    text = content.decode(errors="replace")
    lines = engine(server.engine).log_words.of_process(text, process_id)
    assert lines is not None, text
    return lines
