"""`ports.Runner` by HTTP to the recorder beside each client."""

from collections.abc import Mapping
from typing import Any

import aiohttp

from encbench.ports import Body, Rejected, Unavailable

SECONDS = 5.0
"""For one answer; a recorder has nothing to compute."""

_REFUSALS = range(400, 500)


class Recorder:
    """Asks recorders; close it with `aclose`."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._timeout = aiohttp.ClientTimeout(total=seconds)
        self._session: aiohttp.ClientSession | None = None

    async def aclose(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def state(self, address: str, token: str) -> Body:
        """See the port. Unavailable until the tool waits; Rejected for a wrong token."""
        return await self._ask("GET", address, "/v1/state", token, None)

    async def release(
        self, address: str, token: str, start_at: float, uploads: Mapping[str, str]
    ) -> Body:
        """See the port. Unavailable until the tool waits; Rejected for a wrong token or release.

        The first release decides when the tool starts. A later one only replaces the URLs, which
        lets a recorder go on whose URLs have expired.
        """
        wish = {"startAt": start_at, "uploads": dict(uploads)}
        return await self._ask("POST", address, "/v1/release", token, wish)

    async def _ask(
        self, method: str, address: str, path: str, token: str, body: Body | None
    ) -> Body:
        url = f"http://{address}{path}"
        headers = {"Authorization": f"Bearer {token}"}
        try:
            async with self._connected().request(
                method, url, headers=headers, json=body, timeout=self._timeout
            ) as answer:
                content = await _json(answer)
        except TimeoutError as error:
            raise Unavailable(
                f"the recorder at {address} did not answer within {self._timeout.total:.0f} s"
            ) from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"the recorder at {address} cannot be reached: {error}") from error
        if answer.status in _REFUSALS:
            raise Rejected(f"the recorder at {address} refused: {_reason(content, answer.status)}")
        if answer.status != 200 or not isinstance(content, dict):
            raise Unavailable(f"the recorder at {address}: {_reason(content, answer.status)}")
        return content

    def _connected(self) -> aiohttp.ClientSession:
        """The session, made at the first call because it belongs to the running event loop.

        The recorder answers one request a connection, so none is kept.
        """
        if self._session is None:
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True))
        return self._session


async def _json(answer: aiohttp.ClientResponse) -> Any:
    """The content, or None when it is no JSON."""
    try:
        return await answer.json(content_type=None)
    except ValueError:
        return None


def _reason(content: Any, status: int) -> str:
    if isinstance(content, dict) and isinstance(content.get("error"), str):
        return str(content["error"])
    return f"answered with status {status}"
