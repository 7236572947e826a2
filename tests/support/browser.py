"""Headless Chromium over its DevTools protocol: what a page shows, says and asks for.

Chromium is Debian's; nothing but the tests that open a browser needs it, and they install it.
Source of the protocol: https://chromedevtools.github.io/devtools-protocol/.
"""

import asyncio
import base64
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.support import debian

_FLAGS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--no-first-run",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    # The page is our own and this may be root in a container, where the sandbox cannot start.
    "--no-sandbox",
    "about:blank",
)
_START_SECONDS = 30.0
_ANSWER_SECONDS = 30.0


def executable() -> str:
    """Path of Chromium, installed from Debian's archive where it is not there yet."""
    debian.install("chromium", "fonts-liberation")
    found = shutil.which("chromium")
    assert found is not None, "Debian's package chromium brings no program chromium"
    return found


@dataclass
class Heard:
    """What happened while a page was open."""

    console: list[str] = field(default_factory=list)
    """Everything that was logged: by scripts, by the browser about the page, and exceptions."""
    requests: list[str] = field(default_factory=list)
    """URLs that were asked for, the page's own first."""


class Page:
    """One tab."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._loaded = asyncio.Event()
        self.heard = Heard()

    async def open(self, url: str) -> None:
        """Load the page, its fonts and plots included; what it does is in `heard`."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.call(f"{domain}.enable")
        self.heard = Heard()
        self._loaded.clear()
        await self.call("Page.navigate", url=url)
        await asyncio.wait_for(self._loaded.wait(), _ANSWER_SECONDS)
        await self.evaluate("document.fonts.ready.then(() => true)")

    async def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, a promise's included."""
        said = await self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    async def look(self, *, width: int, height: int, scheme: str, media: str = "screen") -> None:
        """Size of the window in CSS pixels, colour scheme (light or dark), screen or print."""
        await self.call(
            *("Emulation.setDeviceMetricsOverride",),
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.call("Emulation.setEmulatedMedia", media=media, features=features)

    async def screenshot(self) -> bytes:
        """The whole page, however long, as PNG."""
        size = (await self.call("Page.getLayoutMetrics"))["cssContentSize"]
        return await self.clipped(size)

    async def clipped(self, area: dict[str, float]) -> bytes:
        """A part of the page, given by x, y, width and height in CSS pixels, as PNG."""
        clip = {**area, "scale": 1}
        shot = await self.call(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )
        return base64.b64decode(shot["data"])

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol and its answer."""
        self._number += 1
        number = self._number
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(answer, _ANSWER_SECONDS)

    async def listen(self) -> None:
        """Take what the browser says, until it is gone."""
        async for message in self._socket:
            said = message.json()
            if "id" in said:
                answer = self._answers.pop(said["id"])
                if "error" in said:
                    answer.set_exception(AssertionError(said["error"]["message"]))
                else:
                    answer.set_result(said["result"])
            else:
                self._event(said["method"], said["params"])

    def _event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Network.requestWillBeSent":
            self.heard.requests.append(params["request"]["url"])
        elif method == "Log.entryAdded":
            self.heard.console.append(f"{params['entry']['level']}: {params['entry']['text']}")
        elif method == "Runtime.consoleAPICalled":
            words = [str(arg.get("value", arg.get("description"))) for arg in params["args"]]
            self.heard.console.append(f"{params['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            self.heard.console.append(f"exception: {params['exceptionDetails']['text']}")


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Page]:
    """Chromium with one empty tab; it ends with the context."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            executable(),
            f"--user-data-dir={profile}",
            *_FLAGS,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            port = await _port(Path(profile) / "DevToolsActivePort")
            async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
                async with session.get("/json/list") as answer:
                    tabs = await answer.json()
                (url,) = [t["webSocketDebuggerUrl"] for t in tabs if t["type"] == "page"]
                async with session.ws_connect(url, max_msg_size=0) as socket:
                    page = Page(socket)
                    listening = asyncio.create_task(page.listen())
                    yield page
                    listening.cancel()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _port(file: Path) -> int:
    """The port that Chromium chose, once it has written it down."""
    async with asyncio.timeout(_START_SECONDS):
        while True:
            written = _lines(file)
            if written:
                return int(written[0])
            await asyncio.sleep(0.05)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []
