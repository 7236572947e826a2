"""`ports.Recorder` by HTTP to the recorder beside each client."""

from collections.abc import Mapping

from encbench.adapters.sidecar import Sidecar
from encbench.wire import recorder

SECONDS = 5.0
"""For one answer; a recorder has nothing to compute."""


class HttpRecorder:
    """Asks recorders; close it with `aclose`."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._recorders = Sidecar("recorder")

    async def aclose(self) -> None:
        """Close what is open."""
        await self._recorders.aclose()

    async def state(self, address: str, token: str) -> recorder.StateAnswer:
        """See the port. Unavailable until the tool waits; Rejected for a wrong token."""
        answer: recorder.StateAnswer = await self._recorders.ask(
            "GET", address, recorder.STATE, token, seconds=self._seconds
        )
        return answer

    async def release(
        self, address: str, token: str, start_at: float, uploads: Mapping[str, str]
    ) -> recorder.StateAnswer:
        """See the port. Unavailable until the tool waits; Rejected for a wrong token or release.

        The first release decides when the tool starts. A later one only replaces the URLs, which
        lets a recorder go on whose URLs have expired.
        """
        request = recorder.ReleaseRequest(startAt=start_at, uploads=dict(uploads))
        answer: recorder.StateAnswer = await self._recorders.ask(
            "POST", address, recorder.RELEASE, token, seconds=self._seconds, body=request
        )
        return answer
