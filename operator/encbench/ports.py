"""What the operator needs of the outside world, as Protocols.

Each is implemented by one adapter and by one fake for unit tests; both pass the same contract
tests. Every method raises `Unavailable` when the other side cannot be reached or answers with a
fault of its own: the caller tries again later and loses nothing. Other errors are named at the
method.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from encbench.api.kinds import Kind
from encbench.core.certificates import Issued, KeyPair
from encbench.wire import agent, recorder

Body = dict[str, Any]
"""A Kubernetes object as JSON."""


class Unavailable(Exception):
    """The other side is away for now."""


class Conflict(Exception):
    """The object exists already, or is not the one (or not as new) as the caller thought."""


class Rejected(Exception):
    """The other side understood and refused; trying again will not help. The text says why."""


class Reader(Protocol):
    """The API server, for callers that only look."""

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """The object, or None when there is none."""
        ...

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        """All objects with these labels, read in chunks; `namespace=None` is every one watched."""
        ...

    async def logs(self, namespace: str, pod: str, container: str, lines: int) -> str:
        """The last lines of a container's log; empty when there is none."""
        ...


class Cluster(Reader, Protocol):
    """The API server."""

    async def create(self, kind: Kind, body: Body) -> Body:
        """Create by POST. Conflict when the name is taken, Rejected when it is refused."""
        ...

    async def apply(self, kind: Kind, body: Body) -> Body:
        """Server-side apply under the operator's field manager. Rejected when it is refused."""
        ...

    async def apply_status(self, kind: Kind, body: Body) -> Body:
        """Replace the status: `body` is the object as read, with `status` as it shall be.

        A PUT of the status subresource with the resourceVersion that was read, so that a write on
        top of something newer is a Conflict.
        """
        ...

    async def patch_metadata(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        labels: Mapping[str, str | None] | None = None,
        finalizers: Sequence[str] | None = None,
        resource_version: str | None = None,
    ) -> None:
        """Merge labels (None removes one) and replace finalizers; nothing when it is gone."""
        ...

    async def delete(self, kind: Kind, namespace: str, name: str, uid: str) -> None:
        """Delete that incarnation in the background; nothing when it is gone already."""
        ...

    async def event(
        self, kind: Kind, regarding: Body, reason: str, note: str, *, warning: bool = False
    ) -> None:
        """Record an Event about an object. Best effort: never raises."""
        ...


@dataclass(frozen=True)
class Stored:
    """An object in the store."""

    key: str
    digest: str
    """sha256:<hex> of the content."""


class Store(Protocol):
    """The object store; one bucket, fixed at start."""

    @property
    def bucket(self) -> str:
        """Name of the bucket."""
        ...

    async def put_if_absent(self, key: str, content: bytes, content_type: str) -> Stored:
        """Store unless the key exists. Conflict when it exists with other content."""
        ...

    async def put(self, key: str, content: bytes, content_type: str) -> Stored:
        """Store, replacing what was there."""
        ...

    async def get(self, key: str) -> bytes | None:
        """The content, or None."""
        ...

    async def list(self, prefix: str) -> list[str]:
        """All keys under a prefix, in order."""
        ...

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete these keys; those that do not exist are passed over."""
        ...

    async def abort_uploads(self, prefix: str) -> None:
        """Abort the unfinished multipart uploads under a prefix."""
        ...

    async def presign_put(self, key: str, seconds: int) -> str:
        """A URL that takes one PUT of this key with the header `If-None-Match: *`."""
        ...


@dataclass(frozen=True)
class Series:
    """Raw samples of one time series: Unix time in seconds and value, in order of time."""

    labels: Mapping[str, str]
    samples: tuple[tuple[float, float], ...]


class Metrics(Protocol):
    """Prometheus."""

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        """The raw samples in [start, end] (Unix seconds) of every series that matches."""
        ...


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """An aware datetime in UTC."""
        ...


class Certificates(Protocol):
    """Who makes certificates. It asks nobody, so nothing of it is ever away."""

    def authority(self, name: str, now: datetime) -> KeyPair:
        """A fresh CA of that name, with a fresh key."""
        ...

    def issue(self, authority: KeyPair, name: str, hosts: Sequence[str], now: datetime) -> Issued:
        """Fresh certificates for a server under these host names or addresses, and for its clients.

        Rejected when the authority is none.
        """
        ...

    def unpresentable(self, now: datetime) -> KeyPair:
        """A client certificate that TLS 1.3 has no signature for, so that a client sends none."""
        ...


class Agent(Protocol):
    """The agent beside a database. `address` is host:port; `token` authenticates the caller."""

    async def server(self, address: str, token: str) -> agent.ServerAnswer:
        """Facts of the server. Unavailable until it answers queries."""
        ...

    async def settle(self, address: str, token: str) -> agent.SettleAnswer:
        """Have the server write what it has changed: `settled`, and the `dirtyPages` that are left.

        One round of bounded length: to be asked again until it is settled.
        """
        ...

    async def evidence(
        self, address: str, token: str, marker: str, *, full: bool
    ) -> agent.EvidenceAnswer:
        """Evidence about the mode in force: catalogue rows and where the marker was found."""
        ...

    async def checks(
        self, address: str, token: str, run: str, *, warehouses: int, loaded: bool, seconds: float
    ) -> agent.ChecksAnswer:
        """State of the checks of TPC-C's tables that bear this name.

        They begin with the first call and take minutes; every later one with that name only looks.
        Unavailable while others are under way as well.
        """
        ...

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
        """Have the server stopped (`Clean` or `Crash`) that many seconds from now; the run's state.

        It has `seconds` to come back. The first call with that name arms it, every later one only
        looks. Unavailable while another is under way as well.
        """
        ...

    async def stopped(self, address: str, token: str, run: str) -> agent.RecoveryAnswer:
        """State of that stop of the server, which this never arms; `unknown` where there is none.

        Rejected by an agent of a version that knows of no stops.
        """
        ...


class Recorder(Protocol):
    """The recorder beside a client."""

    async def state(self, address: str, token: str) -> recorder.StateAnswer:
        """State of the run. Unavailable until the tool waits at its barrier."""
        ...

    async def release(
        self, address: str, token: str, start_at: float, uploads: Mapping[str, str]
    ) -> recorder.StateAnswer:
        """Let the tool start at that Unix time, and say where the artefacts go. Idempotent."""
        ...
