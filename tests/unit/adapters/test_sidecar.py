"""How sidecars are reached."""

import json
import socket
from datetime import UTC, datetime
from typing import NoReturn

import aiohttp
import pytest
from aiohttp import web

from encbench.adapters import sidecar
from encbench.adapters.agent import (
    LARGEST_PROOF,
    LARGEST_SLOTS,
    MOST_SLOT_VALUES,
    QUICK_SECONDS,
    STOP_SECONDS,
    HttpAgent,
)
from encbench.adapters.certificates import EllipticCertificates
from encbench.adapters.sidecar import BYTES_A_VALUE
from encbench.api.columns import Columns
from encbench.ports import Access, NotNow, Rejected, Unavailable
from encbench.sidecars import serving
from encbench.sidecars.agent.__main__ import KEPT_SECONDS
from encbench.sidecars.routes import Response
from encbench.wire.slices import LimitPeriods, SlotReading, SlotRow, SlotsAnswer
from tests.support import sealed, sidecars
from tests.support.testbeds import ENCLAVE

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def test_the_operator_is_the_first_to_close_a_connection() -> None:
    """Else its next question could meet the end of one."""
    assert sidecar.KEPT_SECONDS < KEPT_SECONDS


async def test_a_lost_node_is_noticed_while_an_answer_is_awaited() -> None:
    agent = HttpAgent()
    made = agent._session.connector
    try:
        assert made is not None
        factory = made._socket_factory  # type: ignore[attr-defined]
        with factory((socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ())) as one:
            assert one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            idle, interval, count = (
                one.getsockopt(socket.IPPROTO_TCP, option)
                for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
        assert idle + interval * count <= 120
    finally:
        await agent.aclose()


async def test_what_a_pass_asks_an_agent_about_a_stop_ends_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent, limits, connects = HttpAgent(), list[float](), list[float]()

    def request(*_: object, timeout: aiohttp.ClientTimeout, **__: object) -> NoReturn:
        limits.append(timeout.total or 0.0)
        connects.append(timeout.sock_connect or 0.0)
        raise TimeoutError

    monkeypatch.setattr(agent._session, "request", request)
    monkeypatch.setattr(sidecar, "_context", lambda _: None)
    access = Access("token", "authority", "name")
    for asked in (
        agent.stop("bed:1", access, "run", how="Crash", after=9.0, seconds=60.0),
        agent.stopped("bed:1", access, "run"),
        agent.server("bed:1", access),
        agent.server("bed:1", access),
    ):
        with pytest.raises(Unavailable, match="did not answer"):
            await asked
    assert limits == [STOP_SECONDS, STOP_SECONDS, QUICK_SECONDS, QUICK_SECONDS]
    often = [sidecar.CONNECT_SECONDS] * 3
    assert connects == [*often, sidecar.AGAIN_SECONDS], "one that is busy for 5 s is there"
    await agent.aclose()


async def test_a_redirection_is_not_followed() -> None:
    """It could lead to a place that only the operator reaches, with a testbed's token."""
    asked: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=307, headers={"Location": "/elsewhere"})

    app, agent = web.Application(), HttpAgent()
    app.router.add_route("*", "/{path:.*}", handler)
    async with sidecars.served(app) as address:
        with pytest.raises(Unavailable, match="answered with status 307"):
            await agent.server(address, sidecars.access("token"))
    await agent.aclose()
    assert len(asked) == 1 and "/elsewhere" not in asked


@pytest.mark.parametrize(("status", "error"), [(400, Rejected), (500, Unavailable), (503, NotNow)])
def test_one_that_is_there_but_cannot_now_is_told_apart(
    status: int, error: type[Exception]
) -> None:
    content = b'{"error": "the server is busy"}'
    with pytest.raises(error, match="the server is busy") as raised:
        sidecar._meant(dict, status, content, LARGEST_PROOF, "the agent")
    assert raised.type is error


def test_connections_are_reused_however_many_campaigns_are_under_way() -> None:
    made = EllipticCertificates()
    names = [f"campaign-{number}" for number in range(100)]
    authorities = [made.authority(name, NOW).certificate for name in names]
    first = [sidecar._context(one) for one in authorities]
    assert all(sidecar._context(one) is it for one, it in zip(authorities, first, strict=True))


def test_a_trial_s_proof_has_room_for_every_table_with_encrypted_types() -> None:
    most = 10_000
    columns = Columns.model_validate(ENCLAVE["columns"])
    content = json.dumps(sealed.evidence(columns, most)).encode()
    assert sum(map(content.count, b"[{,")) < 0.67 * LARGEST_PROOF / BYTES_A_VALUE
    assert len(content) < 0.67 * LARGEST_PROOF


NO_ROWS = SlotsAnswer(run="r", state="done", startAt=1.0, rows=[], clock=1.0, error=None)


def the_longest_block() -> Response:
    """The slots of 1,000 rounds of 18 arms with all readings, spaced as by an earlier agent."""
    reading = SlotReading(
        at=1_900_000_000.123456,
        cpuSeconds=12345.678901,
        proxyCpuSeconds=12345.678901,
        volumeCpuSeconds=12345.678901,
        readBytes=9_123_456_789_012,
        writeBytes=9_123_456_789_012,
        periods={
            of: LimitPeriods(ran=1_234_567, throttled=123_456)
            for of in ("database", "proxy", "volume")
        },
    )
    row = json.dumps(SlotRow(slot=17_999, begin=reading, counted=reading, end=reading)).encode()
    head, _, tail = json.dumps(NO_ROWS).encode().partition(b"[]")
    return Response(200, head + b"[" + row, rest=[*[b", " + row] * 17_999, b"]" + tail])


async def test_the_longest_block_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    long, lengths = the_longest_block(), list[int]()
    content = long.content + b"".join(long.rest)

    def parsed(content: bytes) -> SlotsAnswer:
        """It would take five seconds."""
        lengths.append(len(content))
        return NO_ROWS

    monkeypatch.setattr(sidecar, "parsed", parsed)
    monkeypatch.setattr(serving, "_TIMEOUT", 15.0)
    agent = HttpAgent()
    try:
        with sidecars.answering(lambda _: long) as address:
            await agent.slots(address, sidecars.access("token"), "r")
    finally:
        await agent.aclose()
    assert lengths == [len(content)]
    assert len(content) < 0.8 * LARGEST_SLOTS
    assert sum(map(content.count, b"[{,")) < 0.8 * MOST_SLOT_VALUES
