"""What passes between the operator and a sidecar, and who may take part in it.

The sidecars are real: a recorder as a process, and the agent's application under its own TLS.
"""

import socket
import ssl
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from encbench.adapters.agent import HttpAgent
from encbench.adapters.recorder import HttpRecorder
from encbench.ports import Rejected, Unavailable
from encbench.tools.pod import wrapped
from encbench.wire.files import FILES
from tests.support import certified, fake_tool, sidecars
from tests.support.local_client import TOKEN, LocalClient, local_client
from tests.support.receiver import STORE
from tests.support.wire import tapped

pytestmark = pytest.mark.usefixtures("precedence")

OURS = sidecars.access(TOKEN, "recorder")
UPLOADS = {name: f"{STORE}/{name}?X-Amz-Signature=5ecre7" for name in FILES}


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[LocalClient]:
    """A recorder whose tool waits for its start."""
    with local_client(tmp_path / "pod", wrapped(20, fake_tool.command(tmp_path, 0, 1, 0))) as one:
        one.wait_for("waiting")
        yield one


@pytest.fixture
async def recorder() -> AsyncIterator[HttpRecorder]:
    made = HttpRecorder(seconds=20)
    yield made
    await made.aclose()


async def test_a_listener_sees_neither_token_nor_upload_url(
    waiting: LocalClient, recorder: HttpRecorder
) -> None:
    with tapped(waiting.control_port) as wire:
        where = f"127.0.0.1:{wire.port}"
        said = await recorder.release(where, OURS, time.time() + 60, UPLOADS)
        assert said["state"] == "released"
        seen = bytes(wire.passed)
    assert len(seen) > 1000
    for secret in (TOKEN, "5ecre7", "Bearer", "startAt", "released"):
        assert secret.encode() not in seen


@pytest.mark.parametrize(
    ("access", "error"),
    [
        (sidecars.access("a neighbour's", "recorder"), Rejected),
        (sidecars.access("", "recorder"), Rejected),
        (replace(OURS, name="recorder.study-other"), Unavailable),
        (replace(OURS, name="agent.study-plain"), Unavailable),
        (replace(OURS, authority=certified.authority("another").certificate), Unavailable),
    ],
    ids=["another token", "no token", "another testbed", "another sidecar", "another campaign"],
)
async def test_who_is_not_the_testbeds_is_not_talked_to(
    waiting: LocalClient, recorder: HttpRecorder, access: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await recorder.state(waiting.address, access)  # type: ignore[arg-type]
    with pytest.raises(error):
        await recorder.release(waiting.address, access, time.time(), UPLOADS)  # type: ignore[arg-type]
    assert waiting.state()["state"] == "waiting"


async def test_a_pod_that_has_taken_over_the_address_learns_nothing(recorder: HttpRecorder) -> None:
    """Another testbed's sidecar of the same campaign: its certificate is by the same CA."""
    heard: list[str] = []

    async def listen(request: web.Request) -> web.Response:
        heard.append(await request.text())
        return web.json_response({"state": "waiting"})

    app = web.Application()
    app.router.add_route("*", "/{all:.*}", listen)
    async with sidecars.served(app, "recorder", "study-other") as where:
        with pytest.raises(Unavailable, match="cannot be reached"):
            await recorder.release(where, OURS, time.time(), UPLOADS)
    assert heard == []


def test_nothing_is_said_in_the_clear(waiting: LocalClient) -> None:
    head = f"GET /v1/state HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    for port, answer in ((waiting.control_port, b""), (waiting.port, b"HTTP/1.1 404 ")):
        said = b""
        with (
            socket.create_connection(("127.0.0.1", port), timeout=5) as plain,
            suppress(ConnectionResetError),
        ):
            plain.sendall(head)
            said = plain.recv(64)
        assert b"200 OK" not in said
        assert said.startswith(answer)


def test_no_earlier_version_of_tls(waiting: LocalClient) -> None:
    old = ssl.create_default_context(cadata=certified.authority().certificate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection(("127.0.0.1", waiting.control_port), timeout=5) as plain,
        pytest.raises(ssl.SSLError, match=r"(?i)version"),
    ):
        old.wrap_socket(plain, server_hostname=OURS.name)


def test_callers_that_drip_do_not_keep_the_operator_away(waiting: LocalClient) -> None:
    """Eight of them, with a handshake that they never finish: each has a few seconds in all."""
    dripping = [socket.create_connection(("127.0.0.1", waiting.control_port)) for _ in range(8)]
    began = time.monotonic()
    while waiting.state().get("state") != "waiting":
        for one in dripping:
            try:
                one.send(b"\x16")
            except OSError:
                continue
        time.sleep(0.2)
        assert time.monotonic() - began < 40
    for one in dripping:
        one.close()


async def test_an_agents_connection_is_kept_between_polls() -> None:
    seen: set[tuple[str, int]] = set()

    async def state(request: web.Request) -> web.Response:
        assert request.transport is not None
        seen.add(request.transport.get_extra_info("peername"))
        return web.json_response({"run": "one", "state": "unknown"})

    app = web.Application()
    app.router.add_get("/v1/recovery", state)
    agent = HttpAgent(quick_seconds=20)
    async with sidecars.served(app) as where:
        for _ in range(5):
            await agent.stopped(where, sidecars.access("any"), "one")
        await agent.aclose()
    assert len(seen) == 1
