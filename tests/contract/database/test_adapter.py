"""What the adapter makes of answers that no healthy agent gives."""

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from aiohttp import web

from encbench.adapters import agent, sidecar
from encbench.adapters.agent import HttpAgent
from encbench.ports import Rejected, Unavailable
from encbench.sidecars import serving
from encbench.sidecars.routes import said
from encbench.wire.shape import misfit
from encbench.wire.slices import SlotsAnswer
from tests.support import sidecars

MARKER = "encbench-marker-0001"
ASKED: list[object] = []
"""What the last echo was asked."""


async def answer(request: web.Request) -> web.StreamResponse:
    """As the token says."""
    token = request.headers["Authorization"].removeprefix("Bearer ")
    if token == "slow":
        await asyncio.sleep(30)
    if token == "echo":
        ASKED[:] = [{"path": request.path, "body": await request.json()}]
        return web.json_response({})
    if token == "stuck":
        begun = web.StreamResponse()
        await begun.prepare(request)
        await asyncio.sleep(30)
        return begun
    if token == "endless":
        return await endless(request)
    if token == "many":
        return web.Response(text=f"[{'{},' * 2**17}0]")
    if token == "packed":
        packed = gzip.compress(b'{"error": "unpacked"}')
        return web.Response(status=503, body=packed, headers={"Content-Encoding": "gzip"})
    if token == "elsewhere":
        raise web.HTTPFound(f"{request.path}-elsewhere")
    status, _, text = token.partition(" ")
    return web.Response(status=int(status), text=text)


async def endless(request: web.Request) -> web.StreamResponse:
    """As much as the caller takes, within reason: TLS that is closed takes everything."""
    said = web.StreamResponse()
    await said.prepare(request)
    with suppress(ConnectionError):
        for _ in range(64):
            await said.write(b" " * 2**20)
            await asyncio.sleep(0)
    return said


@pytest.fixture
async def address() -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/v1/{name}", answer)
    async with sidecars.served(app) as found:
        yield found


@pytest.fixture
async def database() -> AsyncIterator[HttpAgent]:
    made = HttpAgent(quick_seconds=20, full_seconds=20)
    yield made
    await made.aclose()


@pytest.mark.parametrize(
    ("token", "error", "text"),
    [
        ('503 {"error": "it starts"}', Unavailable, "it starts"),
        ("502 <html>", Unavailable, "status 502"),
        ("200 <html>", Unavailable, "status 200"),
        ("200 []", Unavailable, "status 200"),
        ("200 ", Unavailable, "status 200"),
        ('400 {"error": "no marker"}', Rejected, "no marker"),
        ("404 nothing", Rejected, "status 404"),
        ("endless", Rejected, "more than .* MiB"),
        ("many", Rejected, "too many values"),
        ("packed", Unavailable, "status 503"),
        ("elsewhere", Unavailable, "status 302"),
    ],
)
async def test_odd_answers(
    database: HttpAgent,
    address: str,
    token: str,
    error: type[Exception],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agent, "LARGEST_LIST", 2**20)
    with pytest.raises(error, match=text):
        await database.server(address, sidecars.access(token))
    with pytest.raises(error, match=text):
        await database.evidence(address, sidecars.access(token), MARKER, full=True)


async def test_an_agent_that_does_not_answer_is_given_up(address: str) -> None:
    database, access = HttpAgent(quick_seconds=0.3, full_seconds=0.4), sidecars.access("slow")
    with pytest.raises(Unavailable, match="did not answer within"):
        await database.server(address, access)
    with pytest.raises(Unavailable, match="did not answer within"):
        await database.evidence(address, access, MARKER, full=True)
    await database.aclose()


async def test_the_address_of_a_pod_that_has_gone_is_given_up_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing refuses a connection there: as at a queue that is full, none is ever made."""
    monkeypatch.setattr(sidecar, "CONNECT_SECONDS", 0.2)
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(3):
            one = stack.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        agent = HttpAgent(quick_seconds=60)
        where = f"127.0.0.1:{full.getsockname()[1]}"
        with pytest.raises(Unavailable, match="cannot be reached: no connection within 0 s"):
            await agent.server(where, sidecars.access("x"))
        # From then on it has less time, until it answers.
        monkeypatch.setattr(sidecar, "CONNECT_SECONDS", 60.0)
        monkeypatch.setattr(sidecar, "AGAIN_SECONDS", 0.2)
        with pytest.raises(Unavailable, match="cannot be reached: no connection within 0 s"):
            await agent.server(where, sidecars.access("x"))
        await agent.aclose()


async def test_a_reason_is_short_and_harmless(database: HttpAgent, address: str) -> None:
    said = '400 {"error": "it \\u001b[2Jsays\\n%s"}' % ("x" * 4000)
    with pytest.raises(Rejected) as refused:
        await database.server(address, sidecars.access(said))
    assert "refused: it  [2Jsays xxx" in str(refused.value)
    assert len(str(refused.value)) < 1100


async def test_a_large_answer_is_read_alone(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others do not wait for one that never ends."""
    monkeypatch.setattr(sidecar, "READ_SECONDS", 3.0)
    asking = HttpAgent(quick_seconds=20, full_seconds=20)
    stuck = [
        asyncio.create_task(asking.evidence(address, sidecars.access("stuck"), MARKER, full=True))
        for _ in range(2)
    ]
    await has_room(asking, 2)
    with pytest.raises(Unavailable, match="catalogue is missing"):
        await asking.evidence(address, sidecars.access("echo"), MARKER, full=True)
    assert not any(one.done() for one in stuck)
    for one in stuck:
        with pytest.raises(Unavailable, match="began to answer and did not end within 3 s"):
            await one
    await asking.aclose()


async def has_room(asking: HttpAgent, answers: int) -> None:
    """Return once so many answers are being read that have a list's room."""
    async with asyncio.timeout(20):
        while asking._held < answers * agent.LARGEST_LIST:  # noqa: ASYNC110 - it sets no event
            await asyncio.sleep(0.01)


LONG = SlotsAnswer(run="run", state="done", startAt=1.0, rows=[], clock=1.0, error="x" * 12 * 2**20)
"""More than there is room for between an agent and its caller."""


async def test_a_large_answer_is_read_at_once(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent would not wait. It is parsed beside the event loop, which has more to do."""
    monkeypatch.setattr(serving, "_TIMEOUT", 10.0)
    asking, parsing = HttpAgent(quick_seconds=20, full_seconds=20), list[threading.Thread]()

    def slow(*value: Any) -> str | None:
        parsing.append(threading.current_thread())
        time.sleep(0.4)
        return misfit(*value)

    monkeypatch.setattr(sidecar, "misfit", slow)
    stuck = asyncio.create_task(
        asking.evidence(address, sidecars.access("stuck"), MARKER, full=True)
    )
    await has_room(asking, 1)
    with sidecars.answering(lambda _: said(LONG)) as long:
        asked = (asking.slots(long, sidecars.access("token"), "run") for _ in range(3))
        answers = await asyncio.gather(*asked)
    assert [len(answer["error"] or "") for answer in answers] == [12 * 2**20] * 3
    assert len(parsing) == 3
    assert threading.main_thread() not in parsing
    assert not stuck.done()
    stuck.cancel()
    await asking.aclose()


async def test_large_answers_have_room_together(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecar, "TOGETHER", 2 * agent.LARGEST_LIST)
    asking = HttpAgent(quick_seconds=20, full_seconds=20)
    stuck = [
        asyncio.create_task(asking.evidence(address, sidecars.access("stuck"), MARKER, full=True))
        for _ in range(2)
    ]
    await has_room(asking, 2)
    with sidecars.answering(lambda _: said(LONG)) as long:
        with pytest.raises(Unavailable, match="asked again: other large answers are being read"):
            await asking.slots(long, sidecars.access("token"), "run")
        stuck[0].cancel()
        await asyncio.wait(stuck[:1])
        assert (await asking.slots(long, sidecars.access("token"), "run"))["state"] == "done"
    stuck[1].cancel()
    await asking.aclose()


async def test_what_is_asked(database: HttpAgent, address: str) -> None:
    """The answer is none of an agent's, which the error says; the request is what counts here."""
    with pytest.raises(Unavailable, match="catalogue is missing"):
        await database.evidence(address, sidecars.access("echo"), MARKER, full=True)
    (asked,) = ASKED
    body = {"marker": MARKER, "full": True, "seconds": 20}
    assert asked == {"body": body, "path": "/v1/evidence"}
