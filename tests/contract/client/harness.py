"""A recorder that contract tests drive, real or fake, and its store."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from encbench.adapters.recorder import HttpRecorder
from encbench.ports import Access, Body, Recorder
from encbench.sidecars.recorder.barrier import write_timetable
from encbench.tools.pod import wrapped
from encbench.wire.files import SUMMARY, TIMETABLE
from encbench.wire.recorder import StateAnswer
from encbench.wire.slices import OwnSlots
from tests.support import fake_tool
from tests.support.answers import whole
from tests.support.fake_recorder import FakeClient, FakeRecorder
from tests.support.local_client import FILES, TOKEN, LocalClient, local_client
from tests.support.receiver import STORE, Receiver, receiving
from tests.support.sidecars import access

FAKE_ADDRESS = "10.0.0.7:9473"


class Harness(Protocol):
    """One client under test."""

    recorder: Recorder
    address: str
    access: Access
    receiver: Receiver

    async def wait(self) -> None:
        """Let the tool come to the barrier."""

    async def until(self, state: str) -> Body:
        """Let time pass until this state."""

    def starts(self) -> int:
        """How often the tool was started."""

    def takes_turns(self, start_at: float, slots: OwnSlots) -> bool:
        """Whether the tool runs in these slots and in no others."""


class Real:
    """The adapter with a recorder, a wrapper and a stand-in for the tool as processes."""

    def __init__(self, client: LocalClient, recorder: HttpRecorder, receiver: Receiver) -> None:
        self._client, self.receiver = client, receiver
        self.recorder: Recorder = recorder
        self.address, self.access = client.address, access(TOKEN, "recorder")

    async def wait(self) -> None:
        folder = self._client.folder
        self._client.start_wrapper(wrapped(20, fake_tool.command(folder, 0, 1, 0)))
        await self.until("waiting")

    async def until(self, state: str) -> Body:
        return await _poll(lambda: asyncio.to_thread(self._client.state), state)

    def starts(self) -> int:
        return self._client.output.count("Threads started!")

    def takes_turns(self, start_at: float, slots: OwnSlots) -> bool:
        expected = self._client.folder / "expected"
        expected.mkdir()
        write_timetable(expected, start_at, slots)
        found = self._client.folder / "run" / TIMETABLE
        return found.read_text() == (expected / TIMETABLE).read_text()


class Fake:
    """The fake, which a test's wish for a state drives on."""

    def __init__(self, receiver: Receiver) -> None:
        self._client = FakeClient(token=TOKEN, own_store=STORE)
        self.recorder: Recorder = FakeRecorder({FAKE_ADDRESS: self._client})
        self.address, self.receiver = FAKE_ADDRESS, receiver
        self.access = access(TOKEN, "recorder")

    async def wait(self) -> None:
        self._client.wait()

    async def until(self, state: str) -> Body:
        return await _poll(self._step, state)

    async def _step(self) -> Any:
        now = await self.recorder.state(self.address, self.access)
        whole(StateAnswer, now)
        if now["state"] == "released":
            self._client.run(300.0)
        elif now["state"] == "running":
            summary = json.dumps({"clockOffset": self._client.clock}).encode()
            self._client.finish(files={SUMMARY: summary})
        elif now["state"] == "finished":
            self._client.store(self._upload)
        return now

    def _upload(self, url: str, content: bytes, headers: object) -> int:
        path, _, query = url.removeprefix(f"{STORE}/").partition("?")
        return self.receiver.put(path, query, "*", content)

    def starts(self) -> int:
        return self._client.starts

    def takes_turns(self, start_at: float, slots: OwnSlots) -> bool:
        return (self._client.start_at, self._client.slots) == (start_at, slots)


async def _poll(look: Callable[[], Awaitable[Body]], wanted: str) -> Body:
    async with asyncio.timeout(30):
        while True:
            state = await look()
            if state.get("state") == wanted:
                return state
            await asyncio.sleep(0.02)


@asynccontextmanager
async def real(folder: Path) -> AsyncIterator[Harness]:
    """A recorder as a process whose tool is not there yet."""
    recorder = HttpRecorder(seconds=20)
    with receiving(Receiver()) as receiver, local_client(folder, warmup=0) as client:
        await _listening(client)
        yield Real(client, recorder, receiver)
    await recorder.aclose()


@asynccontextmanager
async def fake() -> AsyncIterator[Harness]:
    """A fake recorder whose tool is not there yet."""
    yield Fake(Receiver())


async def _listening(client: LocalClient) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await asyncio.to_thread(client.metrics)
                return
            except OSError:
                await asyncio.sleep(0.02)


def uploads(receiver: Receiver, query: str = "X-Amz-Signature=5ecre7") -> dict[str, str]:
    """URLs for one client's artefacts."""
    return {name: receiver.url(f"client-0/{name}", query) for name in FILES}
