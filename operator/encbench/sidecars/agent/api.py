"""The agent's HTTP API: authorisation, validation of requests, and errors as sentences.

Blocking work (SQL, files) runs in a thread, so scrapes are answered at once even during a search.
Evidence is gathered for one caller at a time; if the caller disconnects, the search ends.
"""

import asyncio
import hmac
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_type_hints

from aiohttp import web

from encbench.adapters.sql import SqlError
from encbench.engines.marker import is_marker
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.evidence import EvidenceError
from encbench.sidecars.agent.process import NotRunning
from encbench.wire import agent as wire
from encbench.wire.foreign import parsed
from encbench.wire.slices import SLICES_PATH, SlotsAnswer, SlotsOrder

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Asked = TypeVar("Asked")


@dataclass(frozen=True)
class AgentParts:
    """The functions behind the API; all but `metrics` may block."""

    token: str
    metrics: Callable[[], bytes]
    health: Callable[[], str | None]
    """None when the server answers a query, or else the reason."""
    server: Callable[[], wire.ServerAnswer]
    """SqlError or NotRunning when there is nothing to describe."""
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


def public(agent: AgentParts) -> web.Application:
    """The routes that are open to everyone."""
    routes = _Routes(agent)
    app = web.Application(middlewares=[_sentences])
    app.router.add_get("/metrics", routes.metrics)
    app.router.add_get("/healthz", routes.health)
    return app


def application(agent: AgentParts) -> web.Application:
    """The routes that need the token."""
    routes = _Routes(agent)
    app = web.Application(middlewares=[_authorised(agent.token), _sentences])
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
        asked = await _asked(wire.ChecksRequest, request, loaded=False, full=False)
        return web.json_response(self._agent.checks(asked))

    async def recovery(self, request: web.Request) -> web.Response:
        return web.json_response(self._agent.stop(await _asked(wire.StopRequest, request)))

    async def recovered(self, request: web.Request) -> web.Response:
        return web.json_response(self._agent.stopped(request.query.get("run", "")))

    async def slots(self, request: web.Request) -> web.Response:
        asked = await _asked(SlotsOrder, request)
        if not asked["settle"] < asked["slice"] <= asked["period"]:
            raise _Refused("settle must be less than slice, and slice no more than period")
        return web.json_response(self._agent.slots(asked))

    async def slots_read(self, request: web.Request) -> web.Response:
        return web.json_response(self._agent.slots_read(request.query.get("run", "")))

    async def evidence(self, request: web.Request) -> web.Response:
        asked = await _asked(wire.EvidenceRequest, request, full=False)
        return await self._alone(
            lambda gone: self._agent.evidence(asked["marker"], asked["full"], gone)
        )

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


class _Refused(Exception):
    """The request is wrong. The text says what to send."""


_NUMBER = (int, float)
_FIELDS: dict[str, tuple[tuple[type, ...], Callable[[Any], bool], str]] = {
    "run": ((str,), lambda run: 1 <= len(run) <= 128, "a name of 1 to 128 characters"),
    "warehouses": ((int,), lambda count: count >= 1, "a whole number greater than 0"),
    "loaded": ((bool,), lambda _: True, "true or false"),
    "full": ((bool,), lambda _: True, "true or false"),
    "seconds": (_NUMBER, lambda seconds: seconds > 0, "a number greater than 0"),
    "afterSeconds": (_NUMBER, lambda seconds: seconds >= 0, "a number of 0 or more"),
    "startAt": (_NUMBER, lambda moment: moment >= 0, "Unix time in seconds"),
    "slots": ((int,), lambda count: 1 <= count <= 20_000, "a whole number from 1 to 20000"),
    **dict.fromkeys(
        ("warmup", "period", "slice", "settle"),
        (_NUMBER, lambda seconds: seconds >= 0, "a number of 0 or more"),
    ),
    "stop": ((str,), lambda way: way in get_args(wire.StopWay), "Clean or Crash"),
    "marker": ((str,), is_marker, "16 to 128 letters, digits, - or _"),
}
"""By name in the requests of `wire.agent`: its types (a bool is not a number), a check, words."""


async def _asked(kind: type[Asked], request: web.Request, **defaults: object) -> Asked:
    """The request of that kind in the body; _Refused when a field is missing or wrong."""
    try:
        body = parsed(await request.read())
    except ValueError:
        body = None
    given = defaults | (body if isinstance(body, dict) else {})
    for name in get_type_hints(kind):
        types, is_right, words = _FIELDS[name]
        if type(given.get(name)) not in types or not is_right(given[name]):
            raise _Refused(f"{name} must be {words}")
    return kind(**{name: given[name] for name in get_type_hints(kind)})


@web.middleware
async def _sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Errors as JSON with one sentence."""
    try:
        return await handler(request)
    except _Refused as error:
        return _error(400, str(error))
    except (SqlError, NotRunning, Busy) as error:
        return _error(503, str(error))
    except EvidenceError as error:
        return _error(500, str(error))
    except web.HTTPException as error:
        return _error(error.status, f"{request.method} {request.path}: {error.reason}")


def _authorised(token: str) -> Any:
    """Refuse everything without the token."""
    wanted = f"Bearer {token}".encode()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(given, wanted):
            return _error(401, "send the header Authorization: Bearer with this testbed's token")
        return await handler(request)

    return check


def _error(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
