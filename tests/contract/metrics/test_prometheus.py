"""What only the real adapter does: a live target that goes away, and answers of other servers."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from encbench.adapters import prometheus
from encbench.adapters.prometheus import Prometheus
from encbench.ports import Rejected, Series, Unavailable
from tests.support.prometheus import running_prometheus

Connect = Callable[[str], Prometheus]


class _Answers(BaseHTTPRequestHandler):
    """Says what it is told to, to everybody."""

    status: ClassVar[int] = 200
    text: ClassVar[list[str]] = [""]
    delay: ClassVar[float] = 0

    def do_GET(self) -> None:
        time.sleep(self.delay)
        self.send_response(self.status)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        with suppress(BrokenPipeError):  # who asked may have lost patience
            self.wfile.write(self.text[0].encode())

    do_POST = do_GET  # noqa: N815 - named by the base class

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Starts servers that answer with a text (in a list, to change it). They end with the test."""
    servers: list[ThreadingHTTPServer] = []

    def start(text: str | list[str], status: int = 200, delay: float = 0) -> str:
        body = {"text": [text] if isinstance(text, str) else text, "status": status, "delay": delay}
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Answers,), body))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


async def test_an_answer_without_end_is_refused(
    serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus, "LARGEST", 2**20)
    metrics = Prometheus(serve(" " * (2**20 + 1)))
    with pytest.raises(Rejected, match="more than 1 MiB"):
        await metrics.raw("up", 0, 1)
    await metrics.aclose()


async def _until(find: Callable[[], Awaitable[list[Series]]], least: int) -> Series:
    for _ in range(300):
        found = await find()
        if found and len(found[0].samples) >= least:
            return found[0]
        await asyncio.sleep(0.1)
    raise AssertionError(f"no {least} samples came in")


async def test_a_target_that_vanishes_leaves_no_sample(
    server: Path, serve: Callable[..., str], connect: Connect, tmp_path: Path
) -> None:
    text = ["live 1\n"]
    target = serve(text).removeprefix("http://")
    job = f"{{job_name: t, static_configs: [{{targets: ['{target}']}}]}}"
    often = "{scrape_interval: 100ms, scrape_timeout: 100ms}"
    with running_prometheus(
        server, tmp_path, f"{{global: {often}, scrape_configs: [{job}]}}"
    ) as url:
        metrics = connect(url)
        began = time.time()

        async def read(name: str) -> list[Series]:
            return await metrics.raw(name, began, time.time())

        await _until(lambda: read("live"), 3)
        # Now the scrapes lack the series: Prometheus stores its mark of staleness, a special NaN.
        text[0] = "other 1\n"
        other = await _until(lambda: read("other"), 3)

        (live,) = await read("live")
        assert live.samples[-1][0] < other.samples[0][0]
        assert {value for _, value in live.samples} == {1.0}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("<html>bad gateway</html>", 502),
        ("<html>please log in</html>", 200),
        ("[]", 200),
        ('{"status": "error", "errorType": "unavailable", "error": "starting"}', 503),
        ('{"status": "error", "errorType": "timeout", "error": "too slow"}', 503),
    ],
)
async def test_a_server_that_is_not_itself_is_unavailable(
    serve: Callable[..., str], connect: Connect, text: str, status: int
) -> None:
    with pytest.raises(Unavailable):
        await connect(serve(text, status)).raw("up", 0, 1)


async def test_a_server_that_hangs_is_unavailable(serve: Callable[..., str]) -> None:
    metrics = Prometheus(serve("", delay=10), timeout=0.2)
    with pytest.raises(Unavailable, match="cannot be reached: TimeoutError"):
        await metrics.raw("up", 0, 1)
    await metrics.aclose()
