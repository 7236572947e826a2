"""Requests to a sidecar of ours: JSON in and out, TLS, a bearer token, the ports' errors.

A sidecar proves by its certificate that it is the one of its testbed, wherever its pod is. So
neither a token nor an upload URL ever reaches another pod that has taken over the address.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar, cast

import aiohttp

from encbench.adapters.session import HttpClient, content_of
from encbench.ports import Access, NotNow, Rejected, Unavailable
from encbench.wire.alive import KEPT_ALIVE
from encbench.wire.foreign import most_values, parsed, printable
from encbench.wire.shape import misfit

_REFUSALS, _NOT_NOW = range(400, 500), 503
CONNECT_SECONDS = 10.0
"""Limit for a connection with its handshake: nothing refuses one at the address of a pod that has
gone, and a sidecar with a twentieth of a CPU needs a moment."""
AGAIN_SECONDS = 2.0
"""The same after a question without an answer: while a node is lost, its pods hold up others less.
"""
SILENT = 1000
"""Addresses that are remembered for that."""
KEPT_SECONDS = 15.0
LARGEST = 2**20
"""Bytes of an answer; all settings of a server have a tenth of it. The image beside a sidecar can
write any answer, so there is no more room than a real one needs."""
BYTES_A_VALUE = 32
"""Bytes of the limit for each value of an answer, because two bytes of JSON can become an object of
a hundred. The longest proof has two thirds of the values that its limit allows. A list of slots has
more values than that and a limit of its own."""
READ_SECONDS = 20.0
"""Limit for the content of an answer that has begun. A sidecar sends it as fast as it is read."""
TOGETHER = 64 * 2**20
"""Bytes of all answers larger than `LARGEST` that are read or wait to be parsed: ten of the longest
lists of files, or three of the longest lists of slots."""
CAMPAIGNS = 512
"""CAs whose contexts are kept; each campaign has one. Without its context a campaign has a new
connection for each question."""

Answer = TypeVar("Answer")


class Sidecar(HttpClient):
    """Asks all sidecars of one sort; close it with `aclose`."""

    title: str
    """Names the sidecar in messages."""
    largest: int = LARGEST
    """Bytes of an answer."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._silent: set[str] = set()
        """Addresses whose last question had no answer in time."""
        self._held = 0
        """Bytes of `TOGETHER` that are taken."""
        self._parsing = asyncio.Semaphore()

    async def _ask(
        self,
        kind: type[Answer],
        method: str,
        address: str,
        path: str,
        access: Access,
        body: Mapping[str, object] | None = None,
        seconds: float | None = None,
        largest: int | None = None,
        values: int | None = None,
    ) -> Answer:
        """The answer, a JSON object of that type of `wire`, within that many seconds and bytes.

        It has no more than so many values, by default one for each `BYTES_A_VALUE` of the bytes.
        Rejected when the sidecar understood and refused; NotNow when it says that what it needs is
        away or busy; Unavailable for everything else.
        """
        where, limit = f"the {self.title} at {address}", seconds or self._seconds
        connect = AGAIN_SECONDS if address in self._silent else CONNECT_SECONDS
        try:
            async with self._session.request(
                method,
                f"https://{address}{path}",
                ssl=_context(access.authority),
                server_hostname=access.name,
                headers={"Authorization": f"Bearer {access.token}"},
                json=body,
                timeout=aiohttp.ClientTimeout(total=limit, sock_connect=connect),
                # No sidecar redirects or compresses. The image beside it could: to a place that
                # only the operator reaches, and far beyond any limit.
                allow_redirects=False,
                auto_decompress=False,
            ) as answer:
                self._silent.discard(address)
                size = largest or self.largest
                most = values or size // BYTES_A_VALUE
                return await self._read(kind, answer, size, most, where)
        except aiohttp.ConnectionTimeoutError as error:
            self._did_not_answer(address)
            said = f"cannot be reached: no connection within {connect:.0f} s"
            raise Unavailable(f"{where} {said}") from error
        except TimeoutError as error:
            if limit >= self._seconds:
                # One that is busy for less is there, and its next connection may take as long.
                self._did_not_answer(address)
            raise Unavailable(f"{where} did not answer within {limit:.0f} s") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"{where} cannot be reached: {error}") from error

    def _did_not_answer(self, address: str) -> None:
        if len(self._silent) >= SILENT:
            self._silent.clear()
        self._silent.add(address)

    async def _read(
        self,
        kind: type[Answer],
        answer: aiohttp.ClientResponse,
        largest: int,
        most: int,
        where: str,
    ) -> Answer:
        """What the answer says. Large ones are parsed one by one, and read side by side.

        A sidecar waits three seconds for its caller to read: after that the answer is lost.
        """
        size = min(largest, answer.content_length or largest)
        if size <= LARGEST:
            content = await _content(answer, largest, where)
            return _meant(kind, answer.status, content, most, where)
        if self._held + size > TOGETHER:
            raise Unavailable(f"{where} is asked again: other large answers are being read")
        self._held += size
        try:
            content = await _content(answer, largest, where)
            async with self._parsing:
                # Not in the event loop: 18,000 slots take five seconds.
                meant = partial(_meant, kind, answer.status, content, most, where)
                return await asyncio.to_thread(meant)
        finally:
            self._held -= size

    def _connector(self) -> aiohttp.TCPConnector:
        """Connections are kept between the polls of a wait, and no longer: pods come and go."""
        return aiohttp.TCPConnector(keepalive_timeout=KEPT_SECONDS, socket_factory=_socket)


def _socket(info: aiohttp.AddrInfoType) -> socket.socket:
    """One whose end is noticed whoever it is that goes."""
    family, kind, protocol, *_ = info
    made = socket.socket(family, kind, protocol)
    for option in KEPT_ALIVE:
        made.setsockopt(*option)
    return made


@lru_cache(maxsize=CAMPAIGNS)
def _context(authority: str) -> ssl.SSLContext:
    """TLS 1.3 that trusts this CA alone. The same one each time, so that connections are reused."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.load_verify_locations(cadata=authority)
    return made


async def _content(answer: aiohttp.ClientResponse, largest: int, where: str) -> bytes:
    reading = asyncio.timeout(READ_SECONDS)
    try:
        async with reading:
            return await content_of(answer, largest, where)
    except TimeoutError as error:
        if not reading.expired():
            raise
        said = f"began to answer and did not end within {READ_SECONDS:.0f} s"
        raise Unavailable(f"{where} {said}") from error


def _meant(kind: type[Answer], status: int, content: bytes, most: int, where: str) -> Answer:
    """The JSON object of that type; Rejected, NotNow and Unavailable as `_ask` has them."""
    if most_values(content) > most:
        raise Rejected(f"{where} answered with too many values")
    value = _json(content)
    if status in _REFUSALS:
        raise Rejected(f"{where} refused: {_reason(value, status)}")
    if status == _NOT_NOW:
        raise NotNow(f"{where}: {_reason(value, status)}")
    if status != 200 or not isinstance(value, dict):
        raise Unavailable(f"{where}: {_reason(value, status)}")
    if (wrong := misfit(kind, value)) is not None:
        raise Unavailable(f"{where} answered what it should not: {printable(wrong)}")
    return cast(Answer, value)


def _json(content: bytes) -> Any:
    """The JSON value, or None if it is none."""
    try:
        return parsed(content)
    except ValueError:
        return None


def _reason(content: Any, status: int) -> str:
    if isinstance(content, dict) and isinstance(content.get("error"), str):
        return printable(content["error"])
    return f"answered with status {status}"
