"""An aiohttp session that is opened by its first request."""

from aiohttp import ClientSession, TCPConnector


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
