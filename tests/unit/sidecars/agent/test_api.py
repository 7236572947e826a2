"""The HTTP API with an agent of plain functions behind it."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from encbench.adapters.sql import SqlError
from encbench.sidecars.agent.api import AgentParts, application, public
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.evidence import EvidenceError
from encbench.sidecars.agent.process import NotRunning
from encbench.wire import agent as wire
from encbench.wire.slices import SlotsAnswer, SlotsOrder, SlotsState

AUTH = {"Authorization": "Bearer secret"}
WISH = {"marker": "encbench-marker-0001", "full": True}


def slots_answer(run: str, state: SlotsState) -> SlotsAnswer:
    return {"run": run, "state": state, "startAt": None, "rows": [], "clock": 1.7e9, "error": None}


@dataclass
class Behind:
    """What the agent does; each may be replaced by a test."""

    health: str | None = None
    error: Exception | None = None
    wished: list[tuple[str, bool]] = field(default_factory=list)
    began: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)
    slow: bool = False
    checked: list[wire.ChecksRequest] = field(default_factory=list)
    ordered: list[wire.StopRequest] = field(default_factory=list)
    timed: list[SlotsOrder] = field(default_factory=list)

    def stop(self, order: wire.StopRequest) -> Any:
        self.ordered.append(order)
        if self.error is not None:
            raise self.error
        return {"run": order["run"], "state": "armed"}

    def checks(self, wish: wire.ChecksRequest) -> Any:
        self.checked.append(wish)
        if self.error is not None:
            raise self.error
        return {"run": wish["run"], "state": "running"}

    def settle(self, _: Callable[[], bool]) -> Any:
        if self.error is not None:
            raise self.error
        return {"settled": True}

    def server(self) -> Any:
        if self.error is not None:
            raise self.error
        return {"version": "10.11"}

    def slots(self, order: SlotsOrder) -> SlotsAnswer:
        self.timed.append(order)
        return slots_answer(order["run"], "running")

    def evidence(self, marker: str, full: bool, cancelled: Callable[[], bool]) -> Any:
        self.wished.append((marker, full))
        self.began.set()
        if self.error is not None:
            raise self.error
        deadline = time.monotonic() + 5
        while self.slow and time.monotonic() < deadline:
            if cancelled():
                self.gone.set()
                raise EvidenceError("nobody waits")
            time.sleep(0.01)
        return {"marker": marker, "full": full}


Start = Callable[..., Awaitable[TestClient[Any, Any]]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    clients: list[TestClient[Any, Any]] = []

    async def go(
        behind: Behind, routes: Callable[[AgentParts], web.Application] = application
    ) -> TestClient[Any, Any]:
        agent = AgentParts(
            token="secret",
            metrics=lambda: b"up 1\n",
            health=lambda: behind.health,
            server=behind.server,
            evidence=behind.evidence,
            settle=behind.settle,
            checks=behind.checks,
            stop=behind.stop,
            stopped=lambda run: {"run": run, "state": "unknown"},
            slots=behind.slots,
            slots_read=lambda run: slots_answer(run, "unknown"),
        )
        server = TestServer(routes(agent))
        client = TestClient(server)
        await client.start_server()
        clients.append(client)
        return client

    yield go
    for client in clients:
        await client.close()


async def test_metrics_and_health_need_no_token(start: Start) -> None:
    behind = Behind()
    client = await start(behind, public)
    metrics = await client.get("/metrics")
    assert metrics.status == 200
    assert metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert await metrics.text() == "up 1\n"
    assert (await client.get("/healthz")).status == 200
    behind.health = "the server sleeps"
    sick = await client.get("/healthz")
    assert sick.status == 503
    assert await sick.json() == {"error": "the server sleeps"}
    assert (await client.get("/v1/server", headers=AUTH)).status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "secret"},
        {"Authorization": "Basic secret"},
    ],
)
async def test_the_rest_needs_the_token(start: Start, headers: dict[str, str]) -> None:
    behind = Behind()
    client = await start(behind)
    assert (await client.get("/v1/server", headers=headers)).status == 401
    assert (await client.get("/metrics", headers=headers)).status == 401
    answer = await client.post("/v1/evidence", json=WISH, headers=headers)
    assert answer.status == 401
    assert "Bearer" in (await answer.json())["error"]
    assert behind.wished == []


async def test_evidence_as_wished(start: Start) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/evidence", json=WISH, headers=AUTH)
    assert (answer.status, await answer.json()) == (200, WISH)
    await client.post("/v1/evidence", json={"marker": WISH["marker"]}, headers=AUTH)
    assert behind.wished == [(WISH["marker"], True), (WISH["marker"], False)]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"no json", b"\xff", b'{"marker": 7}', b'{"marker": "x"}', b"{}"]
)
async def test_what_is_no_wish_is_refused_with_a_sentence(start: Start, body: bytes) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/evidence", data=body, headers=AUTH)
    assert answer.status == 400
    assert "marker must be" in (await answer.json())["error"]
    odd = {**WISH, "full": "yes"}
    assert (await client.post("/v1/evidence", json=odd, headers=AUTH)).status == 400
    assert behind.wished == []


@pytest.mark.parametrize(
    ("error", "status"),
    [(SqlError("away"), 503), (NotRunning("none"), 503), (EvidenceError("disk"), 500)],
)
async def test_errors_are_sentences(start: Start, error: Exception, status: int) -> None:
    client = await start(Behind(error=error))
    for answer in (
        await client.get("/v1/server", headers=AUTH),
        await client.post("/v1/settle", headers=AUTH),
        await client.post("/v1/evidence", json=WISH, headers=AUTH),
    ):
        assert answer.status == status
        assert await answer.json() == {"error": str(error)}
    missing = await client.get("/v1/nothing", headers=AUTH)
    assert missing.status == 404
    assert "error" in await missing.json()


async def test_settling(start: Start) -> None:
    client = await start(Behind())
    answer = await client.post("/v1/settle", headers=AUTH)
    assert (answer.status, await answer.json()) == (200, {"settled": True})
    assert (await client.post("/v1/settle")).status == 401


CHECKS = {"run": "trial-uid", "warehouses": 2, "loaded": False, "full": True, "seconds": 600}


async def test_checks_as_wished(start: Start) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/checks", json=CHECKS, headers=AUTH)
    assert (answer.status, await answer.json()) == (200, {"run": "trial-uid", "state": "running"})
    assert behind.checked == [
        wire.ChecksRequest(run="trial-uid", warehouses=2, loaded=False, full=True, seconds=600)
    ]
    behind.error = Busy("another")
    assert (await client.post("/v1/checks", json=CHECKS, headers=AUTH)).status == 503
    assert (await client.post("/v1/checks", json=CHECKS)).status == 401


async def test_an_operator_of_an_earlier_version_asks_the_quick_conditions(start: Start) -> None:
    behind = Behind()
    client = await start(behind)
    earlier = {name: value for name, value in CHECKS.items() if name != "full"}
    assert (await client.post("/v1/checks", json=earlier, headers=AUTH)).status == 200
    assert [asked["full"] for asked in behind.checked] == [False]


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"run": ""}, "run must be"),
        ({"run": "x" * 129}, "run must be"),
        ({"run": 7}, "run must be"),
        ({"warehouses": 0}, "warehouses must be"),
        ({"warehouses": True}, "warehouses must be"),
        ({"loaded": "no"}, "loaded must be"),
        ({"full": "no"}, "full must be"),
        ({"seconds": 0}, "seconds must be"),
        ({"seconds": None}, "seconds must be"),
    ],
)
async def test_checks_that_cannot_be_meant(
    start: Start, change: dict[str, Any], advice: str
) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/checks", json={**CHECKS, **change}, headers=AUTH)
    assert answer.status == 400
    assert advice in (await answer.json())["error"]
    assert behind.checked == []


async def test_another_request_is_answered_in_the_middle_of_a_search(start: Start) -> None:
    behind = Behind(slow=True)
    client = await start(behind)
    search = asyncio.ensure_future(client.post("/v1/evidence", json=WISH, headers=AUTH))
    await asyncio.to_thread(behind.began.wait, 3)
    assert (await client.get("/v1/recovery", headers=AUTH)).status == 200
    search.cancel()
    await asyncio.to_thread(behind.gone.wait, 3)
    assert behind.gone.is_set()


async def test_one_search_at_a_time(start: Start) -> None:
    behind = Behind(slow=True)
    client = await start(behind)
    first = asyncio.ensure_future(client.post("/v1/evidence", json=WISH, headers=AUTH))
    await asyncio.to_thread(behind.began.wait, 3)
    second = asyncio.ensure_future(client.post("/v1/evidence", json=WISH, headers=AUTH))
    await asyncio.sleep(0.1)
    assert len(behind.wished) == 1
    behind.slow = False
    assert [(await first).status, (await second).status] == [200, 200]
    assert len(behind.wished) == 2


ORDER = {"run": "trial-uid", "stop": "Crash", "afterSeconds": 2.5, "seconds": 600}


async def test_a_stop_is_armed_by_a_post_and_only_looked_at_by_a_get(start: Start) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/recovery", json=ORDER, headers=AUTH)
    assert answer.status == 200
    assert await answer.json() == {"run": "trial-uid", "state": "armed"}
    assert behind.ordered == [
        wire.StopRequest(run="trial-uid", stop="Crash", afterSeconds=2.5, seconds=600)
    ]
    look = await client.get("/v1/recovery", params={"run": "another"}, headers=AUTH)
    assert await look.json() == {"run": "another", "state": "unknown"}
    assert len(behind.ordered) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_nobody_stops_the_server_without_the_token(start: Start, method: str) -> None:
    behind = Behind()
    client = await start(behind)
    assert (await client.request(method, "/v1/recovery", json=ORDER)).status == 401
    assert not behind.ordered


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run": ""}, "run must be"),
        ({"run": "x" * 129}, "run must be"),
        ({"stop": "Kill"}, "stop must be Clean or Crash"),
        ({"stop": None}, "stop must be Clean or Crash"),
        ({"afterSeconds": -1}, "afterSeconds must be"),
        ({"afterSeconds": True}, "afterSeconds must be"),
        ({"seconds": 0}, "seconds must be"),
        ({"seconds": "600"}, "seconds must be"),
    ],
)
async def test_a_stop_that_cannot_be_meant(start: Start, change: dict[str, Any], said: str) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/recovery", json={**ORDER, **change}, headers=AUTH)
    assert answer.status == 400
    assert said in (await answer.json())["error"]
    assert not behind.ordered


async def test_another_stop_has_to_wait(start: Start) -> None:
    behind = Behind(error=Busy("the recovery of x has not ended"))
    client = await start(behind)
    answer = await client.post("/v1/recovery", json=ORDER, headers=AUTH)
    assert answer.status == 503
    assert await answer.json() == {"error": "the recovery of x has not ended"}


SLOTS: SlotsOrder = {
    "run": "trial-1",
    "startAt": 1.7e9,
    "warmup": 5,
    "period": 3.05,
    "slice": 3.0,
    "settle": 0.5,
    "slots": 60,
}


async def test_slots_are_begun_by_a_post_and_only_looked_at_by_a_get(start: Start) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/slices", json=SLOTS, headers=AUTH)
    assert (await answer.json())["state"] == "running"
    assert behind.timed == [SLOTS]
    look = await client.get("/v1/slices", params={"run": "trial-1"}, headers=AUTH)
    assert (await look.json())["state"] == "unknown"
    assert len(behind.timed) == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"slots": 0}, "slots must be a whole number from 1 to 20000"),
        ({"slots": True}, "slots must be"),
        ({"warmup": -1}, "warmup must be a number of 0 or more"),
        ({"startAt": "now"}, "startAt must be Unix time"),
        ({"settle": 3.0}, "settle must be less than slice"),
        ({"period": 2.9}, "slice no more than period"),
    ],
)
async def test_slots_that_cannot_be_meant(start: Start, change: Any, why: str) -> None:
    behind = Behind()
    client = await start(behind)
    answer = await client.post("/v1/slices", json={**SLOTS, **change}, headers=AUTH)
    assert answer.status == 400
    assert why in (await answer.json())["error"]
    assert behind.timed == []
