"""What callers send to recorder and agent, and what those may answer to the operator."""

import asyncio
import json
import math
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any

import pytest
from aiohttp import web
from hypothesis import strategies as st

from encbench.adapters.agent import HttpAgent
from encbench.adapters.recorder import HttpRecorder
from encbench.ports import Rejected, Unavailable
from encbench.sidecars import serving
from encbench.sidecars.agent.api import AgentApi, AgentParts
from encbench.sidecars.recorder.api import Api
from encbench.sidecars.recorder.run import Run
from encbench.sidecars.routes import Request, Response, said
from encbench.wire import agent as wire
from encbench.wire.files import FILES
from encbench.wire.recorder import StateAnswer
from encbench.wire.shape import misfit
from encbench.wire.slices import SlotsAnswer
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import binaries, documents
from tests.support import sidecars

AUTH = {"authorization": "Bearer t0ken"}
SLOTS = {"warmup": 1.0, "period": 3.0, "slice": 2.5, "settle": 0.5, "slots": 4}
URLS = {name: f"http://store/{name}" for name in (*FILES, "slices.json")}
RELEASES = [
    {"startAt": 1.7e9, "uploads": {name: URLS[name] for name in FILES}},
    {"startAt": 1.7e9, "uploads": URLS, "slots": {**SLOTS, "own": [0, 2]}}
    | {"clock": {"seconds": 0.1, "roundTrip": 0.2}},
]
BODY = json.dumps(RELEASES[0]).encode()
HEAD = b"POST /v1/release HTTP/1.1\r\nAuthorization: Bearer t0ken\r\n"
REQUESTS = [
    b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /v1/state HTTP/1.1\r\nAuthorization: Bearer t0ken\r\n\r\n",
    HEAD + f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY,
]


def waiting() -> Run:
    run = Run()
    run.wait()
    return run


def test_requests_to_the_recorder(budget: Budget) -> None:
    """Bytes of a connection: an answer or `BadRequest`, from which comes one."""

    def check(sent: bytes) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)
            theirs.sendall(sent[: 2**17])
            theirs.shutdown(socket.SHUT_WR)
            with suppress(serving.BadRequest, ConnectionError):
                request = serving._read(ours, time.monotonic() + 5)
                answer = Api(waiting(), "t0ken", "http://store").answer(request)
                assert answer.status in range(200, 600)

    lengths = [HEAD + f"Content-Length: {n}\r\n\r\n".encode("latin-1") for n in ("²", "9" * 5000)]
    budget.spend(check, binaries(REQUESTS), lengths)


def test_releases(budget: Budget) -> None:
    """A release that is taken is one that the recorder can carry out."""

    def check(body: bytes) -> None:
        run = waiting()
        answer = Api(run, "t0ken", "http://store").answer(
            Request("POST", "/v1/release", AUTH, body)
        )
        assert answer.status in (200, 400)
        json.loads(answer.content)
        if answer.status == 200:
            assert run.start_at is not None
            assert math.isfinite(run.start_at)
            assert all(url.startswith("http://store/") for url in run.uploads.values())

    odd = [b'{"startAt": 1e999}', b'{"startAt": NaN}', b"[" * 60_000]
    whole = json.dumps({**RELEASES[0], "startAt": 10**290}).replace("0" * 290, "0" * 400).encode()
    budget.spend(check, documents(RELEASES), [*odd, whole])


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


AGENT_REQUESTS: dict[str, dict[str, object]] = {
    wire.CHECKS: {"run": "a", "warehouses": 2, "loaded": True, "full": False, "seconds": 5.0},
    wire.RECOVERY: {"run": "a", "stop": "Crash", "afterSeconds": 1.5, "seconds": 60},
    wire.EVIDENCE: {"marker": "encbench-marker-0001", "full": True},
    "/v1/slices": {**SLOTS, "run": "a", "startAt": 1.7e9},
}


def test_requests_to_the_agent(budget: Budget) -> None:
    seen: list[Any] = []

    def keep(*asked: Any) -> Any:
        seen.append(asked[0] if isinstance(asked[0], dict) else asked[:2])
        return {}

    def respond(*asked: Any) -> Response:
        return said(keep(*asked))

    asked_for = {field.name for field in fields(AgentParts)} - {"token"}
    answers = {"slots": respond, "slots_read": respond}
    parts = AgentParts(**{**dict.fromkeys(asked_for, keep), **answers}, token="t0ken")
    api = AgentApi(parts)

    def check(asked: tuple[str, bytes]) -> None:
        seen.clear()
        path, body = asked
        assert api.answer(Request("POST", path, AUTH, body)).status in (200, 400)
        json.dumps(seen, allow_nan=False)

    each = [st.tuples(st.just(path), documents([one])) for path, one in AGENT_REQUESTS.items()]
    deep = [(path, b"[" * 100_000) for path in AGENT_REQUESTS]
    endless = (wire.RECOVERY, b'{"run": "a", "stop": "Crash", "afterSeconds": 1e999, "seconds": 1}')
    budget.spend(check, st.one_of(each), [*deep, endless])


STATE = {"state": "uploaded", "startAt": 1.7e9}
STATE |= {"exitCode": 0, "lastTps": 1.5, "digests": {"output.log": "sha256:0"}}
STATE |= {"clock": 1.7e9, "error": None}
READING = {"at": 1.0, "cpuSeconds": 0.5, "readBytes": 1, "writeBytes": None}
READ = {"run": "a", "state": "done", "startAt": 1.0, "clock": 2.0, "error": None}
READ |= {"rows": [{"slot": 0, "begin": READING, "counted": READING, "end": READING}]}


def test_answers_to_the_operator(budget: Budget, loop: asyncio.AbstractEventLoop) -> None:
    """What a sidecar answers is what `wire` declares, or the sidecar counts as away."""
    content = [b""]

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=content[0])

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    served = sidecars.served(app)
    address = loop.run_until_complete(served.__aenter__())
    recorder, agent, access = HttpRecorder(), HttpAgent(), sidecars.access("t0ken")

    def check(body: bytes) -> None:
        content[0] = body
        with suppress(Unavailable, Rejected):
            state = loop.run_until_complete(recorder.state(address, access))
            assert misfit(StateAnswer, state) is None
            assert math.isfinite(state["clock"])
        with suppress(Unavailable, Rejected):
            slots = loop.run_until_complete(agent.slots(address, access, "a"))
            assert misfit(SlotsAnswer, slots) is None
            assert all(math.isfinite(row["begin"]["at"]) for row in slots["rows"])

    budget.spend(check, documents([STATE, READ]), [b"{}", b'{"digests": 1}', b"[" * 100_000])
    loop.run_until_complete(recorder.aclose())
    loop.run_until_complete(agent.aclose())
    loop.run_until_complete(served.__aexit__(None, None, None))
