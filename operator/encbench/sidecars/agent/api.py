"""The agent's HTTP API: authorisation, validation of requests, and errors as sentences.

Blocking work (SQL, files) runs in a thread, so scrapes are answered at once even during a search.
Evidence is gathered for one caller at a time; if the caller disconnects, the search ends.
"""

import asyncio
import hmac
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

from aiohttp import web

from encbench.adapters.sql import SqlError
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.evidence import EvidenceError
from encbench.wire import agent as wire
from encbench.wire.slices import SLICES_PATH, SlotsAnswer, SlotsOrder

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MOST_SLOTS = 20_000
"""Slots in a block."""
_SLOT_TIMES = ("startAt", "warmup", "period", "slice", "settle")
RUN_LENGTH = 128
"""Longest name of a run, in characters."""


class NotRunning(Exception):
    """There is no server process."""


@dataclass(frozen=True)
class AgentParts:
    """The functions behind the API; all but `metrics` may block."""

    token: str
    metrics: Callable[[], bytes]
    health: Callable[[], str | None]
    """None when the server answers a query, or else the reason."""
    server: Callable[[], wire.ServerAnswer]
    """SqlError or NotRunning when there is nothing to describe."""
    is_marker: Callable[[str], bool]
    evidence: Callable[[str, bool, Callable[[], bool]], wire.EvidenceAnswer]
    """Takes marker, full, and a function that returns True to cancel."""
    settle: Callable[[Callable[[], bool]], wire.SettleAnswer]
    """Takes a function that returns True to cancel."""
    checks: Callable[[wire.ChecksRequest], wire.ChecksAnswer]
    """State of that run of checks, begun if necessary; does not block. Busy while another runs."""
    stop: Callable[[wire.StopRequest], wire.RecoveryAnswer]
    """State of that stop of the server, armed if necessary; does not block. Busy likewise."""
    stopped: Callable[[str], wire.RecoveryAnswer]
    """State of the stop of that name; never arms one."""
    slots: Callable[[SlotsOrder], SlotsAnswer]
    """State of the readings of that name, begun if necessary; does not block."""
    slots_read: Callable[[str], SlotsAnswer]
    """State of the readings of that name; never begins any."""


def application(agent: AgentParts) -> web.Application:
    """The routes."""
    routes = _Routes(agent)
    app = web.Application(middlewares=[_authorised(agent.token), _sentences])
    app.router.add_get("/metrics", routes.metrics)
    app.router.add_get("/healthz", routes.health)
    app.router.add_get(wire.SERVER, routes.server)
    app.router.add_post(wire.EVIDENCE, routes.evidence)
    app.router.add_post(wire.SETTLE, routes.settle)
    app.router.add_post(wire.CHECKS, routes.checks)
    app.router.add_post(wire.RECOVERY, routes.recovery)
    app.router.add_get(wire.RECOVERY, routes.recovered)
    app.router.add_post(SLICES_PATH, routes.slots)
    app.router.add_get(SLICES_PATH, routes.slots_read)
    return app


class _Routes:
    def __init__(self, agent: AgentParts) -> None:
        self._agent = agent
        self._one_at_a_time = asyncio.Lock()

    async def metrics(self, _: web.Request) -> web.Response:
        return web.Response(
            body=self._agent.metrics(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    async def health(self, _: web.Request) -> web.Response:
        reason = await asyncio.to_thread(self._agent.health)
        return web.json_response({"ok": True}) if reason is None else _error(503, reason)

    async def server(self, _: web.Request) -> web.Response:
        return web.json_response(await asyncio.to_thread(self._agent.server))

    async def checks(self, request: web.Request) -> web.Response:
        body = await _body(request)
        run, warehouses = body.get("run"), body.get("warehouses")
        loaded, seconds = body.get("loaded", False), body.get("seconds")
        if not _is_run(run):
            return _error(400, _BAD_RUN)
        if not isinstance(warehouses, int) or isinstance(warehouses, bool) or warehouses < 1:
            return _error(400, "warehouses must be a whole number greater than 0")
        if not isinstance(loaded, bool):
            return _error(400, "loaded must be true or false")
        if not _is_number(seconds) or seconds <= 0:
            return _error(400, _BAD_SECONDS)
        return web.json_response(
            self._agent.checks(
                wire.ChecksRequest(run=run, warehouses=warehouses, loaded=loaded, seconds=seconds)
            )
        )

    async def recovery(self, request: web.Request) -> web.Response:
        body = await _body(request)
        run, stop = body.get("run"), body.get("stop")
        after, seconds = body.get("afterSeconds"), body.get("seconds")
        if not _is_run(run):
            return _error(400, _BAD_RUN)
        if stop not in ("Clean", "Crash"):
            return _error(400, "stop must be Clean or Crash")
        if not _is_number(after) or after < 0:
            return _error(400, "afterSeconds must be a number of 0 or more")
        if not _is_number(seconds) or seconds <= 0:
            return _error(400, _BAD_SECONDS)
        return web.json_response(
            self._agent.stop(
                wire.StopRequest(run=run, stop=stop, afterSeconds=after, seconds=seconds)
            )
        )

    async def recovered(self, request: web.Request) -> web.Response:
        return web.json_response(self._agent.stopped(request.query.get("run", "")))

    async def slots(self, request: web.Request) -> web.Response:
        body = await _body(request)
        run, slots = body.get("run"), body.get("slots")
        times = {name: body.get(name) for name in _SLOT_TIMES}
        if not _is_run(run):
            return _error(400, _BAD_RUN)
        if not isinstance(slots, int) or isinstance(slots, bool) or not 1 <= slots <= MOST_SLOTS:
            return _error(400, f"slots must be a whole number from 1 to {MOST_SLOTS}")
        for name, value in times.items():
            if not _is_number(value) or value < 0:
                return _error(400, f"{name} must be a number of 0 or more")
        if not times["settle"] < times["slice"] <= times["period"]:
            return _error(400, "settle must be less than slice, and slice no more than period")
        return web.json_response(self._agent.slots(SlotsOrder(run=run, slots=slots, **times)))

    async def slots_read(self, request: web.Request) -> web.Response:
        return web.json_response(self._agent.slots_read(request.query.get("run", "")))

    async def evidence(self, request: web.Request) -> web.Response:
        body = await _body(request)
        marker, full = body.get("marker"), body.get("full", False)
        if not isinstance(marker, str) or not self._agent.is_marker(marker):
            return _error(400, "marker must be 16 to 128 letters, digits, - or _")
        if not isinstance(full, bool):
            return _error(400, "full must be true or false")
        return await self._alone(lambda gone: self._agent.evidence(marker, full, gone))

    async def settle(self, _: web.Request) -> web.Response:
        return await self._alone(self._agent.settle)

    async def _alone(self, work: Callable[[Callable[[], bool]], object]) -> web.Response:
        """Run the work in a thread, one at a time, and cancel it if its caller disconnects."""
        gone = threading.Event()
        async with self._one_at_a_time:
            task = asyncio.ensure_future(asyncio.to_thread(work, gone.is_set))
            try:
                return web.json_response(await asyncio.shield(task))
            except asyncio.CancelledError:
                gone.set()
                # The next caller must not find the marker's table.
                await asyncio.wait([task])
                raise


_BAD_RUN = f"run must be a name of 1 to {RUN_LENGTH} characters"
_BAD_SECONDS = "seconds must be a number greater than 0"


def _is_run(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 1 <= len(value) <= RUN_LENGTH


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        body = None
    return body if isinstance(body, dict) else {}


@web.middleware
async def _sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Errors as JSON with one sentence."""
    try:
        return await handler(request)
    except (SqlError, NotRunning, Busy) as error:
        return _error(503, str(error))
    except EvidenceError as error:
        return _error(500, str(error))
    except web.HTTPException as error:
        return _error(error.status, f"{request.method} {request.path}: {error.reason}")


def _authorised(token: str) -> Any:
    """Refuse `/v1/` without the token."""
    wanted = f"Bearer {token}".encode()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode()
        if request.path.startswith("/v1/") and not hmac.compare_digest(given, wanted):
            return _error(401, "send the header Authorization: Bearer with this testbed's token")
        return await handler(request)

    return check


def _error(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
