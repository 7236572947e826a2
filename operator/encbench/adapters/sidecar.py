"""Requests to a sidecar of ours: JSON in and out, TLS, a bearer token, the ports' errors.

A sidecar proves by its certificate that it is the one of its testbed, wherever its pod is. So
neither a token nor an upload URL ever reaches another pod that has taken over the address.
"""

import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

import aiohttp

from encbench.adapters.session import HttpClient, content_of
from encbench.ports import Access, Rejected, Unavailable
from encbench.wire.foreign import parsed
from encbench.wire.shape import misfit

_REFUSALS = range(400, 500)
CONNECT_SECONDS = 10.0
"""Limit for a connection with its handshake: nothing refuses one at the address of a pod that has
gone, and a sidecar with a twentieth of a CPU needs a moment."""
KEPT_SECONDS = 15.0
LARGEST = 16 * 2**20
"""Bytes of an answer. The evidence of a volume with 50,000 files has a third of it."""
CAMPAIGNS = 64
"""CAs whose contexts are kept; each campaign has one."""

Answer = TypeVar("Answer")


class Sidecar(HttpClient):
    """Asks all sidecars of one sort; close it with `aclose`."""

    title: str
    """Names the sidecar in messages."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def _ask(
        self,
        kind: type[Answer],
        method: str,
        address: str,
        path: str,
        access: Access,
        body: Mapping[str, object] | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """The answer within that many seconds, a JSON object of the given type of `wire`.

        Rejected when the sidecar understood and refused; Unavailable for everything else.
        """
        where, limit = f"the {self.title} at {address}", seconds or self._seconds
        try:
            async with self._session.request(
                method,
                f"https://{address}{path}",
                ssl=_context(access.authority),
                server_hostname=access.name,
                headers={"Authorization": f"Bearer {access.token}"},
                json=body,
                timeout=aiohttp.ClientTimeout(total=limit, sock_connect=CONNECT_SECONDS),
            ) as answer:
                content = _json(await content_of(answer, LARGEST, where))
        except aiohttp.ConnectionTimeoutError as error:
            said = f"cannot be reached: no connection within {CONNECT_SECONDS:.0f} s"
            raise Unavailable(f"{where} {said}") from error
        except TimeoutError as error:
            raise Unavailable(f"{where} did not answer within {limit:.0f} s") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"{where} cannot be reached: {error}") from error
        if answer.status in _REFUSALS:
            raise Rejected(f"{where} refused: {_reason(content, answer.status)}")
        if answer.status != 200 or not isinstance(content, dict):
            raise Unavailable(f"{where}: {_reason(content, answer.status)}")
        if (wrong := misfit(kind, content)) is not None:
            raise Unavailable(f"{where} answered what it should not: {wrong}")
        return cast(Answer, content)

    def _connector(self) -> aiohttp.TCPConnector:
        """Connections are kept between the polls of a wait, and no longer: pods come and go."""
        return aiohttp.TCPConnector(keepalive_timeout=KEPT_SECONDS)


@lru_cache(maxsize=CAMPAIGNS)
def _context(authority: str) -> ssl.SSLContext:
    """TLS 1.3 that trusts this CA alone. The same one each time, so that connections are reused."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.load_verify_locations(cadata=authority)
    return made


def _json(content: bytes) -> Any:
    """The JSON value, or None if it is none."""
    try:
        return parsed(content)
    except ValueError:
        return None


def _reason(content: Any, status: int) -> str:
    if isinstance(content, dict) and isinstance(content.get("error"), str):
        return str(content["error"])
    return f"answered with status {status}"
