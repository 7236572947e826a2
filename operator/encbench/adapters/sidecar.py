"""Asking a sidecar of ours over HTTP: JSON in and out, a bearer token, the ports' errors."""

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp

from encbench.ports import Rejected, Unavailable

_REFUSALS = range(400, 500)


class Sidecar:
    """Asks all sidecars of one sort; close it with `aclose`. `title` names it in messages."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._session: aiohttp.ClientSession | None = None

    async def aclose(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def ask(
        self,
        method: str,
        address: str,
        path: str,
        token: str,
        *,
        seconds: float,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        """The answer within that many seconds, a JSON object of the shape in `wire`.

        Rejected when the sidecar understood and refused; Unavailable for everything else.
        """
        where = f"the {self._title} at {address}"
        try:
            async with self._connected().request(
                method,
                f"http://{address}{path}",
                headers={"Authorization": f"Bearer {token}"},
                json=body,
                timeout=aiohttp.ClientTimeout(total=seconds),
            ) as answer:
                content = await _json(answer)
        except TimeoutError as error:
            raise Unavailable(f"{where} did not answer within {seconds:.0f} s") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"{where} cannot be reached: {error}") from error
        if answer.status in _REFUSALS:
            raise Rejected(f"{where} refused: {_reason(content, answer.status)}")
        if answer.status != 200 or not isinstance(content, dict):
            raise Unavailable(f"{where}: {_reason(content, answer.status)}")
        return content

    def _connected(self) -> aiohttp.ClientSession:
        """The session, made at the first call because it belongs to the running event loop.

        Calls are rare and pods come and go: a connection that is kept would mostly be a dead one.
        """
        if self._session is None:
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True))
        return self._session


async def _json(answer: aiohttp.ClientResponse) -> Any:
    """The content, or None when it is no JSON."""
    try:
        return await answer.json(content_type=None)
    except (ValueError, asyncio.IncompleteReadError):
        return None


def _reason(content: Any, status: int) -> str:
    if isinstance(content, dict) and isinstance(content.get("error"), str):
        return str(content["error"])
    return f"answered with status {status}"
