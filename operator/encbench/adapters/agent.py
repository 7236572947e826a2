"""`ports.Agent` by HTTP to the agent beside each database."""

from urllib.parse import quote

from encbench.adapters.sidecar import Sidecar
from encbench.ports import Body

QUICK_SECONDS = 60.0
"""Facts of the server, or a marker in its own file: seconds at most on a busy server."""
SETTLE_SECONDS = 180.0
"""Writing what a server has changed: one round of it; see `sidecars.agent.settle`."""
FULL_SECONDS = 900.0
"""A search through every file of the volume."""


class HttpAgent:
    """Asks agents; close it with `aclose`. Times are in seconds."""

    def __init__(
        self, *, quick_seconds: float = QUICK_SECONDS, full_seconds: float = FULL_SECONDS
    ) -> None:
        self._quick = quick_seconds
        self._full = full_seconds
        self._agents = Sidecar("agent")

    async def aclose(self) -> None:
        """Close what is open."""
        await self._agents.aclose()

    async def server(self, address: str, token: str) -> Body:
        """See the port. Rejected when the agent does not take the token."""
        return await self._agents.ask("GET", address, "/v1/server", token, seconds=self._quick)

    async def settle(self, address: str, token: str) -> Body:
        """See the port. Rejected when the agent does not take the token."""
        return await self._agents.ask(
            "POST", address, "/v1/settle", token, seconds=max(SETTLE_SECONDS, self._quick)
        )

    async def evidence(self, address: str, token: str, marker: str, *, full: bool) -> Body:
        """See the port. Rejected when the agent does not take the token or the marker."""
        seconds = self._full if full else self._quick
        wish = {"marker": marker, "full": full}
        return await self._agents.ask(
            "POST", address, "/v1/evidence", token, seconds=seconds, body=wish
        )

    async def checks(
        self, address: str, token: str, run: str, *, warehouses: int, loaded: bool, seconds: float
    ) -> Body:
        """See the port. Rejected when the agent does not take the token or the wish."""
        wish = {"run": run, "warehouses": warehouses, "loaded": loaded, "seconds": seconds}
        return await self._agents.ask(
            "POST", address, "/v1/checks", token, seconds=self._quick, body=wish
        )

    async def stop(
        self, address: str, token: str, run: str, *, how: str, after: float, seconds: float
    ) -> Body:
        """See the port. Rejected when the agent does not take the token or the wish."""
        wish = {"run": run, "stop": how, "afterSeconds": after, "seconds": seconds}
        return await self._agents.ask(
            "POST", address, "/v1/recovery", token, seconds=self._quick, body=wish
        )

    async def stopped(self, address: str, token: str, run: str) -> Body:
        """See the port. Rejected when the agent does not take the token."""
        return await self._agents.ask(
            "GET", address, f"/v1/recovery?run={quote(run)}", token, seconds=self._quick
        )
