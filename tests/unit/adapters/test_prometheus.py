"""A Prometheus whose clock is wrong, and one that does not answer as it should.

By a wrong clock, a window has the samples of that time by our clock.
"""

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from encbench.adapters import prometheus
from encbench.adapters.prometheus import Prometheus
from encbench.api.trial import Window
from encbench.ports import BadQuery, Rejected, Unavailable
from encbench.reconcile.trial import series
from encbench.reconcile.trial.series import MetricsPlace
from tests.support import certified

Start = Callable[[float], Awaitable[Prometheus]]
RATE = 0.5
_RANGE = re.compile(r".+\[(\d+)ms\]")
Answer = Callable[[web.Request], Awaitable[web.Response]]
Serving = Callable[[Answer], Awaitable[Prometheus]]


@pytest.fixture
async def serving() -> AsyncIterator[Serving]:
    """Servers that give all requests an answer."""
    servers: list[TestServer] = []
    clients: list[Prometheus] = []

    async def go(answer: Answer) -> Prometheus:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        servers.append(TestServer(app))
        await servers[-1].start_server()
        clients.append(Prometheus(str(servers[-1].make_url(""))))
        return clients[-1]

    yield go
    for client in clients:
        await client.aclose()
    for server in servers:
        await server.close()


@pytest.fixture
def start(serving: Serving) -> Start:
    """Servers that scraped a counter every second; its value is RATE times the true time.

    They are wrong by more than a busy machine's round trip explains.
    """

    async def go(ahead: float) -> Prometheus:
        async def query(request: web.Request) -> web.Response:
            form = await request.post()
            asked = str(form["query"])
            if asked == "time()":
                now = time.time() + ahead
                return _success("scalar", [now, f"{now:.3f}"])
            end, length = float(str(form["time"])), _RANGE.fullmatch(asked)
            assert length is not None
            begin = end - int(length[1]) / 1000
            seconds = range(int(begin - ahead), int(end - ahead) + 2)
            samples = [[s + ahead, str(RATE * s)] for s in seconds if begin <= s + ahead <= end]
            return _success("matrix", [{"metric": {"a": "b"}, "values": samples}])

        return await serving(query)

    return go


async def test_a_ca_that_is_made_anew_is_trusted_from_then_on(tmp_path: Path) -> None:
    async def query(request: web.Request) -> web.Response:
        now = time.time()
        asked = str((await request.post())["query"])
        return _success(*("scalar", [now, str(now)]) if asked == "time()" else ("matrix", []))

    app = web.Application()
    app.router.add_post("/api/v1/query", query)
    server, ca_file = TestServer(app), tmp_path / "ca.crt"
    await server.start_server(ssl=certified.context())
    metrics = Prometheus(str(server.make_url("")), ca_file=ca_file)
    for text, answers in (
        ("", False),
        (certified.authority("another").certificate, False),
        (f"# Főtanúsítvány\n{certified.issued().authority}", True),
        ("no certificate", False),
    ):
        ca_file.write_text(text)
        if answers:
            assert await metrics.raw("cpu", 0, 1) == []
        else:
            with pytest.raises(Unavailable, match="cannot be reached"):
                await metrics.raw("cpu", 0, 1)
    await metrics.aclose()
    await server.close()


def _success(kind: str, result: object) -> web.Response:
    data = {"resultType": kind, "result": result}
    return web.json_response({"status": "success", "data": data})


@pytest.mark.parametrize("ahead", [300.0, -300.0, 5.0, -3.3, 0.0])
async def test_samples_have_our_time(start: Start, ahead: float) -> None:
    metrics = await start(ahead)
    end = float(int(time.time()) - 5)
    (found,) = await metrics.raw("cpu", end - 60, end)
    assert len(found.samples) in (60, 61), "the edges are between two samples, or on one"
    for at, value in found.samples:
        assert end - 60 <= at <= end
        assert value == pytest.approx(RATE * at, abs=0.4), "of that moment, not of another"


@pytest.mark.parametrize("ahead", [0.0, 300.0, -3.3])
async def test_hours_are_asked_for_in_pieces(
    start: Start, monkeypatch: pytest.MonkeyPatch, ahead: float
) -> None:
    """The answer about all of it would be larger than is read of one."""
    monkeypatch.setattr(prometheus, "LARGEST", 2**14)
    metrics = await start(ahead)
    end = float(int(time.time()) - 5)
    (found,) = await metrics.raw("cpu", end - 7200, end)
    assert found.labels == {"a": "b"}
    times = [at for at, _ in found.samples]
    assert len(times) in (7200, 7201)
    assert all(0.9 < after - before < 1.1 for before, after in pairwise(times)), "each once"


async def test_a_window_in_pieces_has_no_seam_though_the_clock_seems_to_change(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a server under load answers late."""
    metrics = await start(40.0)
    end = float(int(time.time()) - 5)
    window, place = Window(start=end - 400, end=end), MetricsPlace("ns", "study", "bed", None, 2, 2)
    measured = count(40)

    async def ahead() -> float:
        return float(next(measured))

    monkeypatch.setattr(metrics, "_ahead", ahead)
    record = await series.read(metrics, place, window)
    found = record.series["database_cpu_seconds"]
    assert len(found) in (410, 411)
    rates = [(v2 - v1) / (t2 - t1) for (t1, v1), (t2, v2) in pairwise(found)]
    assert rates == pytest.approx([RATE] * len(rates))


async def test_more_than_the_operator_can_hold_is_refused(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus, "MOST", 1000)
    metrics = await start(0.0)
    with pytest.raises(BadQuery, match="'cpu' has more than 1,000 samples"):
        await metrics.raw("cpu", 1.7e9, 1.7e9 + 7200)


async def test_large_answers_are_parsed_beside_the_event_loop_and_one_by_one(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 s of a node with 256 CPUs take a second, for which nothing else would go on."""
    real, threads, under_way = prometheus._data, list[threading.Thread](), list[int]()
    busy: set[int] = set()

    def data(url: str, status: int, content: bytes, *, whole: bool = False) -> Any:
        threads.append(threading.current_thread())
        busy.add(id(content))
        under_way.append(len(busy))
        time.sleep(0.05)
        try:
            return real(url, status, content, whole=whole)
        finally:
            busy.remove(id(content))

    metrics = await start(0.0)
    end = float(int(time.time()) - 5)
    await metrics.raw("cpu", end - 60, end)
    monkeypatch.setattr(prometheus, "_data", data)
    await metrics.raw("cpu", end - 60, end)
    monkeypatch.setattr(prometheus, "SMALL", 100)
    await asyncio.gather(*(metrics.raw("cpu", end - 60, end) for _ in range(3)))
    small, *large = threads
    assert small is threading.main_thread()
    assert len(large) == 3
    assert threading.main_thread() not in large
    assert under_way == [1, 1, 1, 1]


async def test_a_clock_that_the_round_trip_explains_is_right(start: Start) -> None:
    metrics = await start(0.0)
    await metrics.raw("cpu", 1.7e9, 1.7e9 + 10)
    assert metrics._known is not None
    assert metrics._known[1] == 0.0


async def test_it_is_asked_again(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that was set in the meantime is seen at the next question."""
    metrics = await start(40.0)
    monkeypatch.setattr(prometheus, "ASK_AGAIN", -1.0)
    metrics._known = (time.monotonic(), 0.0)
    end = float(int(time.time()) - 5)
    (found,) = await metrics.raw("cpu", end - 10, end)
    assert found.samples[0][1] == pytest.approx(RATE * found.samples[0][0], abs=0.4)


async def test_a_server_without_a_time_is_unavailable(start: Start) -> None:
    metrics = await start(0.0)

    async def odd(*_: object) -> tuple[int, bytes]:
        return 200, b'{"status": "success", "data": {"resultType": "scalar", "result": []}}'

    metrics._answer = odd  # type: ignore[assignment, method-assign]
    with pytest.raises(Unavailable, match="what time it has"):
        await metrics.raw("cpu", 0, 1)


@pytest.fixture
def answering(serving: Serving) -> Serving:
    """A server that knows its time and gives all other queries this answer."""

    async def go(answer: Answer) -> Prometheus:
        async def query(request: web.Request) -> web.Response:
            if (await request.post()).get("query") != "time()":
                return await answer(request)
            now = time.time()
            return _success("scalar", [now, f"{now:.3f}"])

        return await serving(query)

    return go


@pytest.mark.parametrize("kind", ["warnings", "infos"])
async def test_a_part_of_the_samples_counts_as_none(answering: Serving, kind: str) -> None:
    """A store behind Thanos is away. It also warns of a time of which no store has anything."""
    said = ["no StoreAPIs matched", "store-1: connection refused"]

    async def part(_: web.Request) -> web.Response:
        data = {"resultType": "matrix", "result": [{"metric": {}, "values": [[1.5, "1"]]}]}
        return web.json_response({"status": "success", "data": data, kind: said})

    metrics = await answering(part)
    if kind == "warnings":
        with pytest.raises(Unavailable, match=r"part of its samples: no Store.*; store-1: conn"):
            await metrics.raw("cpu", 0, 10)
    else:
        assert len(await metrics.raw("cpu", 0, 10)) == 1
    await metrics.check()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_nothing_is_asked_where_a_redirection_points(answering: Serving, status: int) -> None:
    """There it would be a GET, which has no query."""
    asked: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"Location": "/login?next=query"})

    metrics = await answering(elsewhere)
    with pytest.raises(Unavailable, match=r"redirects to /login\?next=query: set prom"):
        await metrics.check()
    assert asked == ["/api/v1/query"]


@pytest.mark.parametrize(
    ("status", "kind"), [(400, BadQuery), (422, Rejected), (503, Unavailable), (403, Unavailable)]
)
async def test_only_a_bad_query_will_never_be_answered(
    answering: Serving, status: int, kind: type[Exception]
) -> None:
    async def error(_: web.Request) -> web.Response:
        body = {"status": "error", "errorType": "some", "error": "why"}
        return web.json_response(body, status=status)

    metrics = await answering(error)
    with pytest.raises(kind, match="some: why") as caught:
        await metrics.raw("cpu", 0, 10)
    assert caught.type is kind
