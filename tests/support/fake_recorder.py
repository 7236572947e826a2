"""An in-memory `ports.Recorder` for unit tests of everything that asks a recorder.

It passes the same contract tests as the real adapter with a real recorder (tests/contract/client).
Time does not pass by itself: a test says what happens to each client (`wait`, `run`, `finish`) and
hands the artefacts to its store with `store`, as the recorder does by presigned URLs.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from encbench.ports import Access, Rejected, Unavailable
from encbench.wire.files import FILES, SLICES
from encbench.wire.recorder import ClockOffset, RunStateName, StateAnswer
from encbench.wire.slices import OwnSlots

IF_ABSENT = {"If-None-Match": "*"}

Upload = Callable[[str, bytes, Mapping[str, str]], int]
"""PUT of a content to a URL with headers; the HTTP status. `FakeStore.upload` is one."""


@dataclass
class FakeClient:
    """One recorder with its tool; every field may be changed at any time."""

    token: str
    status: RunStateName | None = None
    """The state's name; None before the tool waits."""
    start_at: float | None = None
    slots: OwnSlots | None = None
    clock: ClockOffset | None = None
    """What the release said of this client's clock."""
    authority: str | None = None
    """The CA of the store, from the latest release."""
    uploads: dict[str, str] = field(default_factory=dict)
    exit_code: int | None = None
    last_tps: float | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    """The artefacts, once the tool has ended."""
    error: str | None = None
    clock_offset: float = 0.0
    """This client's clock minus everyone else's, in seconds."""
    own_store: str = ""
    """URL of the bucket that it uploads to; empty where a test has none in mind."""
    away: bool = False
    """The recorder cannot be reached."""
    starts: int = 0
    """How often the tool was started."""

    def wait(self) -> None:
        """The tool waits at the barrier."""
        self.status = "waiting"

    def run(self, tps: float | None = None) -> None:
        """The time to start has come."""
        assert self.status == "released"
        self.status, self.last_tps, self.starts = "running", tps, self.starts + 1

    def finish(self, exit_code: int | None = 0, files: Mapping[str, bytes] | None = None) -> None:
        """The tool has ended; `files` are its artefacts, by default empty ones."""
        self.status, self.exit_code = "finished", exit_code
        names = FILES if self.slots is None else (*FILES, SLICES)
        self.files = {name: (files or {}).get(name, b"") for name in names}

    def store(self, upload: Upload) -> None:
        """Try to store every artefact once, as the recorder would."""
        assert self.status == "finished"
        if self.error is not None:
            return
        for name, content in self.files.items():
            status = upload(self.uploads[name], content, IF_ABSENT)
            if status in (403, 404):
                self.error = f"the object store refused {name}: {status}"
            if status not in (200, 412):
                return
        self.status = "uploaded"

    @property
    def digests(self) -> dict[str, str]:
        """Digest by file; empty until the tool has ended."""
        return {
            name: f"sha256:{hashlib.sha256(content).hexdigest()}"
            for name, content in self.files.items()
        }


@dataclass
class FakeRecorder:
    """A `ports.Recorder`; `clients` by address and `calls` are for tests."""

    clients: dict[str, FakeClient] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Each call that came, as method and address."""
    clock: Callable[[], float] = time.time

    async def state(self, address: str, access: Access) -> StateAnswer:
        """See the port."""
        return self._snapshot(self._find("state", address, access))

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
        """See the port."""
        client = self._find("release", address, access)
        files = FILES if slots is None else (*FILES, SLICES)
        if set(uploads) != set(files):
            raise Rejected(f"the recorder at {address} refused: uploads must name {files}")
        if client.own_store and not all(
            url.startswith(f"{client.own_store}/") for url in uploads.values()
        ):
            raise Rejected(
                f"the recorder at {address} refused: a URL must be in {client.own_store}"
            )
        client.uploads, client.error, client.authority = dict(uploads), None, authority
        if client.status == "waiting":
            client.status, client.start_at = "released", start_at
            client.slots, client.clock = slots, clock
        return self._snapshot(client)

    def _find(self, method: str, address: str, access: Access) -> FakeClient:
        self.calls.append((method, address))
        client = self.clients.get(address)
        if client is None or client.away:
            raise Unavailable(f"the recorder at {address} cannot be reached")
        if access.token != client.token:
            raise Rejected(f"the recorder at {address} refused: the token is missing or wrong")
        if client.status is None:
            raise Unavailable(f"the recorder at {address}: the tool does not wait yet")
        return client

    def _snapshot(self, client: FakeClient) -> StateAnswer:
        assert client.status is not None
        return {
            "state": client.status,
            "startAt": client.start_at,
            "exitCode": client.exit_code,
            "lastTps": client.last_tps,
            "digests": client.digests,
            "clock": self.clock() + client.clock_offset,
            "error": client.error,
            "away": None,
            "window": None,
        }
