"""`ports.Recorder` by HTTP to the recorder beside each client."""

from collections.abc import Mapping

from encbench.adapters.sidecar import Sidecar
from encbench.ports import Access
from encbench.wire import recorder
from encbench.wire.recorder import ClockOffset, StateAnswer
from encbench.wire.slices import OwnSlots

SECONDS = 5.0
"""Limit for one answer; a recorder has nothing to compute."""

LARGEST = 16 * 2**10
"""Bytes of an answer, which has some hundred; up to 64 recorders answer at once."""


class HttpRecorder(Sidecar):
    """Asks recorders; close it with `aclose`."""

    title = "recorder"
    largest = LARGEST

    def __init__(self, *, seconds: float = SECONDS) -> None:
        super().__init__(seconds)

    async def state(self, address: str, access: Access) -> StateAnswer:
        """See the port. Unavailable until the tool waits; Rejected for a wrong token."""
        return await self._ask(StateAnswer, "GET", address, recorder.STATE, access)

    async def release(
        self,
        address: str,
        access: Access,
        start_at: float,
        uploads: Mapping[str, str],
        slots: OwnSlots | None = None,
        clock: ClockOffset | None = None,
        authority: str | None = None,
    ) -> StateAnswer:
        """See the port. Unavailable until the tool waits; Rejected for a wrong token or release.

        The first release decides when the tool starts. A later one only replaces the URLs and the
        store's CA, so that a recorder whose URLs or CA have expired can continue.
        """
        request = recorder.ReleaseRequest(
            startAt=start_at, uploads=dict(uploads), authority=authority
        )
        if slots is not None:
            request["slots"] = slots
        if clock is not None:
            request["clock"] = clock
        return await self._ask(StateAnswer, "POST", address, recorder.RELEASE, access, request)
