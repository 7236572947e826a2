"""What the adapter makes of answers that no healthy agent gives."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from encbench.adapters.agent import HttpAgent
from encbench.ports import Rejected, Unavailable
from tests.support import sidecars

MARKER = "encbench-marker-0001"


async def answer(request: web.Request) -> web.Response:
    """As the token says."""
    token = request.headers["Authorization"].removeprefix("Bearer ")
    if token == "slow":
        await asyncio.sleep(1)
    if token == "echo":
        return web.json_response({"path": request.path, "body": await request.json()})
    status, _, text = token.partition(" ")
    return web.Response(status=int(status), text=text)


@pytest.fixture
async def address() -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/v1/{name}", answer)
    async with sidecars.served(app) as found:
        yield found


@pytest.fixture
async def database() -> AsyncIterator[HttpAgent]:
    made = HttpAgent(quick_seconds=0.3, full_seconds=0.4)
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
        ("slow", Unavailable, "did not answer within"),
    ],
)
async def test_odd_answers(
    database: HttpAgent, address: str, token: str, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        await database.server(address, sidecars.access(token))
    with pytest.raises(error, match=text):
        await database.evidence(address, sidecars.access(token), MARKER, full=True)


async def test_what_is_asked(database: HttpAgent, address: str) -> None:
    said = await database.evidence(address, sidecars.access("echo"), MARKER, full=True)
    wish = {"marker": MARKER, "full": True}
    assert json.dumps(said, sort_keys=True) == json.dumps(
        {"body": wish, "path": "/v1/evidence"}, sort_keys=True
    )
