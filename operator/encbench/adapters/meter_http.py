"""The operator's metrics over HTTP: `GET /metrics`, to whoever may reach the port.

A rendering serves all scrapes of its second, so that scrapes cannot keep the loop from its work
however many there are.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

FRESH = 1.0
"""Seconds for which one rendering answers all scrapes."""
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@asynccontextmanager
async def serving(
    exposition: Callable[[], bytes],
    port: int,
    *,
    host: str | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[int]:
    """Serve it at this address, or at all; the port, a free one for 0. OSError if it is taken."""
    rendered: tuple[float, bytes] = (float("-inf"), b"")

    async def answer(_: web.Request) -> web.Response:
        nonlocal rendered
        if clock() - rendered[0] >= FRESH:
            rendered = (clock(), exposition())
        return web.Response(body=rendered[1], headers={"Content-Type": _TYPE})

    application = web.Application()
    application.router.add_get("/metrics", answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
