"""`ports.Agent` by HTTP to the agent beside each database."""

from urllib.parse import quote

from encbench.adapters.sidecar import Sidecar
from encbench.ports import Access
from encbench.wire import agent
from encbench.wire.slices import SLICES_PATH, SlotsAnswer, SlotsOrder

QUICK_SECONDS = 60.0
"""Limit for facts of the server, or for a marker in its own file: seconds on a busy server."""
STOP_SECONDS = 5.0
"""Limit for the order to stop the server and for how that goes, which an agent says without asking
anything. A pass over the trial waits for it, and the next one asks again."""
SETTLE_SECONDS = 180.0
"""Limit for one round in which a server writes its changes; see `sidecars.agent.server`."""
FULL_SECONDS = 24 * 3600.0
"""Limit for a search through every file of the volume, where its caller sets none."""

LARGEST_PROOF = 8 * 2**20
"""Bytes of a proof by one file. Encrypted column types of 10,000 tables have 150,000 values, three
fifths of what this allows; the catalogue of as many tables has a quarter of the bytes."""
LARGEST_LIST = 16 * 2**20
"""Bytes of a list of a volume's files. 10,000 tables of PostgreSQL have 60,000 files and 6 MiB."""
LARGEST_SLOTS = 24 * 2**20
"""Bytes of the slots of a block. 1,000 rounds of 18 arms with a proxy and a file system, each with
its limit, have 17 MiB, and 19 from an earlier agent, which writes spaces between them."""
MOST_SLOT_VALUES = 1_250_000
"""Values of such a list: the same block has 954,000, which take 90 MiB once they are parsed."""


class HttpAgent(Sidecar):
    """Asks agents; close it with `aclose`. Times are in seconds."""

    title = "agent"

    def __init__(
        self, *, quick_seconds: float = QUICK_SECONDS, full_seconds: float = FULL_SECONDS
    ) -> None:
        super().__init__(quick_seconds)
        self._full, self._told = full_seconds, min(STOP_SECONDS, quick_seconds)

    async def server(self, address: str, access: Access) -> agent.ServerAnswer:
        """See the port. Rejected when the agent does not take the token."""
        return await self._ask(agent.ServerAnswer, "GET", address, agent.SERVER, access)

    async def room(self, address: str, access: Access) -> agent.RoomAnswer:
        """See the port. Rejected when the agent does not take the token, or is an earlier one."""
        return await self._ask(agent.RoomAnswer, "GET", address, agent.ROOM, access)

    async def settle(
        self, address: str, access: Access, asked: agent.SettleRequest | None = None
    ) -> agent.SettleAnswer:
        """See the port. Rejected when the agent does not take the token or the request."""
        where = ("POST", address, agent.SETTLE, access, asked)
        seconds = max(SETTLE_SECONDS, self._seconds)
        return await self._ask(agent.SettleAnswer, *where, seconds=seconds)

    async def evidence(
        self, address: str, access: Access, marker: str, *, full: bool, seconds: float | None = None
    ) -> agent.EvidenceAnswer:
        """See the port. Rejected when the agent does not take the token or the marker."""
        where = ("POST", address, agent.EVIDENCE, access)
        limit = (seconds or self._full) if full else self._seconds
        body = agent.EvidenceRequest(marker=marker, full=full, seconds=limit)
        largest = LARGEST_LIST if full else LARGEST_PROOF
        return await self._ask(agent.EvidenceAnswer, *where, body, limit, largest)

    async def checks(
        self,
        address: str,
        access: Access,
        run: str,
        *,
        warehouses: int,
        loaded: bool,
        full: bool,
        seconds: float,
    ) -> agent.ChecksAnswer:
        """See the port. Rejected when the agent does not take the token or the request."""
        body = agent.ChecksRequest(
            run=run, warehouses=warehouses, loaded=loaded, full=full, seconds=seconds
        )
        return await self._ask(agent.ChecksAnswer, "POST", address, agent.CHECKS, access, body)

    async def stop(
        self,
        address: str,
        access: Access,
        run: str,
        *,
        how: agent.StopWay,
        after: float,
        seconds: float,
    ) -> agent.RecoveryAnswer:
        """See the port. Rejected when the agent does not take the token or the request."""
        body = agent.StopRequest(run=run, stop=how, afterSeconds=after, seconds=seconds)
        where = ("POST", address, agent.RECOVERY, access)
        return await self._ask(agent.RecoveryAnswer, *where, body, self._told)

    async def stopped(self, address: str, access: Access, run: str) -> agent.RecoveryAnswer:
        """See the port. Rejected when the agent does not take the token."""
        where = ("GET", address, _recovery(run), access)
        return await self._ask(agent.RecoveryAnswer, *where, seconds=self._told)

    async def disarm(self, address: str, access: Access, run: str) -> agent.RecoveryAnswer:
        """See the port. Rejected when the agent does not take the token, or knows no disarming."""
        where = ("DELETE", address, _recovery(run), access)
        return await self._ask(agent.RecoveryAnswer, *where)

    async def begin_slots(self, address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
        """See the port. Rejected when the agent does not take the token or the order."""
        return await self._slots("POST", address, SLICES_PATH, access, order)

    async def slots(self, address: str, access: Access, run: str) -> SlotsAnswer:
        """See the port. Rejected when the agent does not take the token."""
        path = f"{SLICES_PATH}?run={quote(run)}"
        return await self._slots("GET", address, path, access)

    async def _slots(
        self, method: str, address: str, path: str, access: Access, order: SlotsOrder | None = None
    ) -> SlotsAnswer:
        where = (method, address, path, access, order)
        return await self._ask(SlotsAnswer, *where, largest=LARGEST_SLOTS, values=MOST_SLOT_VALUES)


def _recovery(run: str) -> str:
    """The path of what an agent knows of that run's stop."""
    return f"{agent.RECOVERY}?run={quote(run)}"
