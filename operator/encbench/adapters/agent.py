"""`ports.Database` by HTTP to the agent beside each database."""

import asyncio
from typing import Any

import aiohttp

from encbench.ports import Body, Rejected, Unavailable

QUICK_SECONDS = 60.0
"""Facts of the server, or a marker in its own file: seconds at most on a busy server."""
FULL_SECONDS = 900.0
"""A search through every file of the volume."""

_REFUSALS = range(400, 500)


class AgentDatabase:
    """Asks agents; close it with `aclose`. Times are in seconds."""

    def __init__(
        self, *, quick_seconds: float = QUICK_SECONDS, full_seconds: float = FULL_SECONDS
    ) -> None:
        self._quick = aiohttp.ClientTimeout(total=quick_seconds)
        self._full = aiohttp.ClientTimeout(total=full_seconds)
        self._session: aiohttp.ClientSession | None = None

    async def aclose(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def server(self, address: str, token: str) -> Body:
        """See the port. Rejected when the agent does not take the token."""
        return await self._ask("GET", address, "/v1/server", token, self._quick, None)

    async def evidence(self, address: str, token: str, marker: str, *, full: bool) -> Body:
        """See the port. Rejected when the agent does not take the token or the marker."""
        timeout = self._full if full else self._quick
        wish = {"marker": marker, "full": full}
        return await self._ask("POST", address, "/v1/evidence", token, timeout, wish)

    async def _ask(
        self,
        method: str,
        address: str,
        path: str,
        token: str,
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 the client's own, not a cancel scope
        body: Body | None,
    ) -> Body:
        url = f"http://{address}{path}"
        headers = {"Authorization": f"Bearer {token}"}
        try:
            async with self._connected().request(
                method, url, headers=headers, json=body, timeout=timeout
            ) as answer:
                content = await _json(answer)
        except TimeoutError as error:
            raise Unavailable(
                f"the agent at {address} did not answer within {timeout.total:.0f} s"
            ) from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"the agent at {address} cannot be reached: {error}") from error
        if answer.status in _REFUSALS:
            raise Rejected(f"the agent at {address} refused: {_reason(content, answer.status)}")
        if answer.status != 200 or not isinstance(content, dict):
            raise Unavailable(f"the agent at {address}: {_reason(content, answer.status)}")
        return content

    def _connected(self) -> aiohttp.ClientSession:
        """The session, made at the first call because it belongs to the running event loop.

        Calls are rare and agents come and go: a connection that is kept would mostly be a dead one.
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
