"""What the operator serves over HTTP: its metrics, and the kubelet's question whether it is alive.

Each is for whoever may reach its port. A rendering of the metrics serves all scrapes of its second,
so that scrapes cannot keep the loop from its work however many there are.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

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

    async with _page("/metrics", answer, host, port) as taken:
        yield taken


@asynccontextmanager
async def alive(url: str) -> AsyncIterator[None]:
    """Answer at that URL for as long as the event loop turns. OSError if its port is taken."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="alive\n")

    place = urlsplit(url)
    async with _page(place.path, answer, place.hostname, place.port or 80):
        yield


@asynccontextmanager
async def _page(
    path: str,
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]],
    host: str | None,
    port: int,
) -> AsyncIterator[int]:
    application = web.Application()
    application.router.add_get(path, answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
