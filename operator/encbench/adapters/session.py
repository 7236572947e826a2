"""An aiohttp session that is opened by its first request."""

from aiohttp import ClientResponse, ClientSession, TCPConnector

from encbench.ports import Rejected

_PIECE = 64 * 1024


class HttpClient:
    """Owner of one HTTP session; close it with `aclose`."""

    def __init__(self) -> None:
        self._open: ClientSession | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._open is not None:
            await self._open.close()
            self._open = None

    def _connector(self) -> TCPConnector:
        """How the session connects."""
        return TCPConnector()

    @property
    def _session(self) -> ClientSession:
        """Opened here, because a session belongs to the running event loop."""
        if self._open is None:
            self._open = ClientSession(connector=self._connector())
        return self._open


async def content_of(answer: ClientResponse, limit: int, whose: str) -> bytes:
    """The content. Rejected as soon as it is longer than `limit`, because others may write it."""
    found = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        found += piece
        if len(found) > limit:
            size = f"{limit // 2**20} MiB" if limit >= 2**20 else f"{limit // 2**10} KiB"
            raise Rejected(f"{whose} answered with more than {size}")
    return bytes(found)
