"""`ports.Agent` by HTTP to the agent beside each database."""

from urllib.parse import quote

from encbench.adapters.sidecar import Sidecar
from encbench.wire import agent

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

    async def server(self, address: str, token: str) -> agent.ServerAnswer:
        """See the port. Rejected when the agent does not take the token."""
        answer: agent.ServerAnswer = await self._agents.ask(
            "GET", address, agent.SERVER, token, seconds=self._quick
        )
        return answer

    async def settle(self, address: str, token: str) -> agent.SettleAnswer:
        """See the port. Rejected when the agent does not take the token."""
        answer: agent.SettleAnswer = await self._agents.ask(
            "POST", address, agent.SETTLE, token, seconds=max(SETTLE_SECONDS, self._quick)
        )
        return answer

    async def evidence(
        self, address: str, token: str, marker: str, *, full: bool
    ) -> agent.EvidenceAnswer:
        """See the port. Rejected when the agent does not take the token or the marker."""
        request = agent.EvidenceRequest(marker=marker, full=full)
        answer: agent.EvidenceAnswer = await self._agents.ask(
            *("POST", address, agent.EVIDENCE, token),
            seconds=self._full if full else self._quick,
            body=request,
        )
        return answer

    async def checks(
        self, address: str, token: str, run: str, *, warehouses: int, loaded: bool, seconds: float
    ) -> agent.ChecksAnswer:
        """See the port. Rejected when the agent does not take the token or the request."""
        request = agent.ChecksRequest(
            run=run, warehouses=warehouses, loaded=loaded, seconds=seconds
        )
        answer: agent.ChecksAnswer = await self._agents.ask(
            "POST", address, agent.CHECKS, token, seconds=self._quick, body=request
        )
        return answer

    async def stop(
        self,
        address: str,
        token: str,
        run: str,
        *,
        how: agent.StopWay,
        after: float,
        seconds: float,
    ) -> agent.RecoveryAnswer:
        """See the port. Rejected when the agent does not take the token or the request."""
        request = agent.StopRequest(run=run, stop=how, afterSeconds=after, seconds=seconds)
        answer: agent.RecoveryAnswer = await self._agents.ask(
            "POST", address, agent.RECOVERY, token, seconds=self._quick, body=request
        )
        return answer

    async def stopped(self, address: str, token: str, run: str) -> agent.RecoveryAnswer:
        """See the port. Rejected when the agent does not take the token."""
        answer: agent.RecoveryAnswer = await self._agents.ask(
            "GET", address, f"{agent.RECOVERY}?run={quote(run)}", token, seconds=self._quick
        )
        return answer
