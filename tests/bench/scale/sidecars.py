"""Recorders and agents at the pods' addresses: HTTP by TLS, with the certificates of the testbeds.

The maintained fakes give the answers; they pass the contract tests of the real ones. How a run goes
in time, and what it stores, is here.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
from aiohttp import web

from encbench.database.pod import AGENT_CONTROL_PORT
from encbench.ports import Access, Rejected, Unavailable
from encbench.tools.pod import RECORDER_CONTROL_PORT
from encbench.wire import agent, recorder
from tests.bench.scale import inputs
from tests.bench.scale.pods import Pods
from tests.support.fake_recorder import IF_ABSENT, FakeClient
from tests.unit.reconcile.clients import Plan, artefacts

LINGER = 10.0
"""Seconds for which a recorder whose files are stored can still be asked."""
AGAIN, ATTEMPTS = 1.0, 60
"""Seconds until an upload is tried again, and how often it is."""
PLAN = Plan(inputs.WARMUP, inputs.DURATION, inputs.TPS)
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - each pod has an address of its own on loopback
_LOOPBACK = "127."

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Seen:
    """What the stand-ins have seen of the operator."""

    late: list[float] = field(default_factory=list)
    """Seconds by which each first release came after its start; below zero where it was early."""
    reactions: list[float] = field(default_factory=list)
    """Seconds from a client that runs to the first question to its recorder."""
    asked: int = 0
    """Requests."""


@dataclass
class Sidecars:
    """Serves them; `run` until cancelled."""

    pods: Pods
    seen: Seen = field(default_factory=Seen)
    ports: tuple[int, int] = (AGENT_CONTROL_PORT, RECORDER_CONTROL_PORT)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Both ports, at every address of loopback."""
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.sni_callback = self._choose
        async with aiohttp.ClientSession() as self._store:
            runners = []
            for port, routes in zip(self.ports, (self._agent(), self._recorder()), strict=True):
                app = web.Application(middlewares=[_errors])
                app.add_routes(routes)
                runner = web.AppRunner(app, access_log=None)
                await runner.setup()
                runners.append(runner)
                await web.TCPSite(runner, _EVERYWHERE, port, ssl_context=tls).start()
            try:
                yield
            finally:
                for task in self._tasks:
                    task.cancel()
                for runner in runners:
                    await runner.cleanup()

    def _choose(self, connection: Any, name: str | None, _: ssl.SSLContext) -> int | None:
        """The certificate of the sidecar that is asked for by its name."""
        found = self.pods.contexts.get(name or "")
        if found is None:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        connection.context = found
        return None

    # -- the agent

    def _agent(self) -> list[web.RouteDef]:
        fake = self.pods.agent

        async def server(request: web.Request) -> web.Response:
            return web.json_response(await fake.server(*self._asked(request)))

        async def room(request: web.Request) -> web.Response:
            return web.json_response(await fake.room(*self._asked(request)))

        async def settle(request: web.Request) -> web.Response:
            return web.json_response(await fake.settle(*self._asked(request)))

        async def evidence(request: web.Request) -> web.Response:
            body: agent.EvidenceRequest = await request.json()
            found = fake.evidence(*self._asked(request), body["marker"], full=body["full"])
            return web.json_response(await found)

        return [
            web.get(agent.SERVER, server),
            web.get(agent.ROOM, room),
            web.post(agent.SETTLE, settle),
            web.post(agent.EVIDENCE, evidence),
        ]

    # -- the recorder

    def _recorder(self) -> list[web.RouteDef]:
        return [web.get(recorder.STATE, self._state), web.post(recorder.RELEASE, self._release)]

    async def _state(self, request: web.Request) -> web.Response:
        address, access = self._asked(request)
        self._note_question(address)
        answer = await self.pods.recorder.state(address, access)
        if answer["state"] == "uploaded":
            self._later(0.0, self.pods.recorder.clients[address])
        return web.json_response(answer)

    async def _release(self, request: web.Request) -> web.Response:
        address, access = self._asked(request)
        body: recorder.ReleaseRequest = await request.json()
        known = self.pods.recorder.clients.get(address)
        is_first = known is not None and known.status == "waiting"
        more = (body.get("slots"), body.get("clock"), body.get("authority"))
        fake = self.pods.recorder
        answer = await fake.release(address, access, body["startAt"], body["uploads"], *more)
        if is_first:
            self.seen.late.append(time.time() - body["startAt"])
            self._spawn(self._run(address))
        return web.json_response(answer)

    def _note_question(self, address: str) -> None:
        client = self.pods.clients.get(address)
        if client is not None and not client.asked:
            client.asked = True
            self.seen.reactions.append(time.time() - client.since)

    async def _run(self, address: str) -> None:
        """The tool from its start to what it leaves in the bucket."""
        client, threads = self.pods.recorder.clients[address], self.pods.clients[address].threads
        assert client.start_at is not None
        await asyncio.sleep(client.start_at - time.time())
        began = time.time()
        client.run(PLAN.tps)
        await asyncio.sleep(PLAN.warmup + PLAN.duration)
        plan = replace(PLAN, threads=threads)
        client.finish(0, files=artefacts(plan, began, client.clock))
        for name, content in client.files.items():
            for _ in range(ATTEMPTS):
                if await self._uploaded(client.uploads[name], content):
                    break
                await asyncio.sleep(AGAIN)
            else:
                return  # The operator ends a trial whose log does not come.
        client.status = "uploaded"
        self._later(LINGER, client)

    async def _uploaded(self, url: str, content: bytes) -> bool:
        try:
            async with self._store.put(url, data=content, headers=IF_ABSENT) as answer:
                return answer.status in (200, 412)
        except aiohttp.ClientError:
            return False

    def _later(self, seconds: float, client: FakeClient) -> None:
        async def end() -> None:
            await asyncio.sleep(seconds)
            await self.pods.end(client)

        self._spawn(end())

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _asked(self, request: web.Request) -> tuple[str, Access]:
        """The pod that is asked, by its address, and the token that came with it."""
        assert request.transport is not None
        address = str(request.transport.get_extra_info("sockname")[0])
        if not address.startswith(_LOOPBACK):
            raise web.HTTPForbidden
        self.seen.asked += 1
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return address, Access(token, "", "")


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The statuses by which the real ones say the same."""
    try:
        return await handler(request)
    except Unavailable as error:
        return web.json_response({"error": str(error)}, status=503)
    except Rejected as error:
        return web.json_response({"error": str(error)}, status=400)
