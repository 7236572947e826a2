"""The operator's view of the outside world, as Protocols.

One adapter and one fake for unit tests implement each of them; both pass the same contract tests.
Every method raises `Unavailable` when the other side cannot be reached or fails: the caller tries
again later and loses nothing. Each method names its other errors.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from encbench.api.kinds import Kind
from encbench.core.certificates import Issued, KeyPair
from encbench.wire import agent, recorder
from encbench.wire.slices import OwnSlots, SlotsAnswer, SlotsOrder

Body = dict[str, Any]
"""A Kubernetes object as JSON."""
Pages = AsyncIterator[Sequence[Body]]
"""Objects in chunks, so that not all of them are in memory at once."""


class Unavailable(Exception):
    """The other side is away for now."""


class NotNow(Unavailable):
    """The other side is there, and says that it does not do this for now."""


class NotLeading(Unavailable):
    """This process may write nothing for now; what it would write to may be there."""


class NoBucket(Unavailable):
    """The store is there, and its bucket is not."""


class NotRestored(Unavailable):
    """The store is there, and this one object lies in an archive class, from which none is read."""


class WebhookFailed(NotNow):
    """The API server is there, but an admission webhook that it asks first is not."""


class Conflict(Exception):
    """The object exists already, or is a different or newer one than the caller assumed."""


class Rejected(Exception):
    """The other side understood and refused; trying again will not help. The text says why."""


class BadQuery(Rejected):
    """Prometheus cannot give raw samples of what was asked for: another selector is needed."""


class NotServed(Rejected):
    """The API server has no such kind: its CRD is not there."""


class NotAuthenticated(Exception):
    """The API server does not know who asks, so it would refuse every other request as well.

    It is no Rejected, for which callers have something else to try. The text says what to do.
    """


class TooLarge(Exception):
    """What was asked for is larger than the caller takes.

    The text names it, what the caller takes and, where it is known, its size.
    """


class Reader(Protocol):
    """The API server, read-only."""

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """The object, or None when there is none."""

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        """All objects with these labels, read in chunks; None means the whole cluster."""

    def pages(self, kind: Kind, namespace: str, labels: Mapping[str, str] | None = None) -> Pages:
        """The same of one namespace, a chunk at a time. Unavailable when it took too long."""

    async def logs(self, namespace: str, pod: str, container: str, lines: int) -> str:
        """The last lines of a container's log; empty when there is none."""


class Cluster(Reader, Protocol):
    """The API server."""

    async def create(self, kind: Kind, body: Body) -> Body:
        """Create by POST. Conflict when the name is taken, Rejected when the server refuses."""

    async def apply(self, kind: Kind, body: Body) -> Body:
        """Server-side apply under the operator's field manager. Rejected when refused."""

    async def apply_status(self, kind: Kind, body: Body) -> Body:
        """Replace the status: `body` is the object as read, with the new `status`.

        A PUT of the status subresource with the resourceVersion that was read, so that overwriting
        a newer version is a Conflict.
        """

    async def patch_metadata(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        labels: Mapping[str, str | None] | None = None,
        finalizers: Sequence[str] | None = None,
        resource_version: str | None = None,
    ) -> Body | None:
        """Merge labels (None removes one) and replace finalizers; None when it is gone."""

    async def delete(self, kind: Kind, namespace: str, name: str, uid: str) -> None:
        """Delete that incarnation in the background; no effect when it is gone already."""

    async def event(
        self, kind: Kind, regarding: Body, reason: str, note: str, *, warning: bool = False
    ) -> None:
        """Record an Event about an object. Best effort: never raises."""


class Store(Protocol):
    """The object store; one bucket, fixed at start."""

    @property
    def bucket(self) -> str:
        """Name of the bucket."""

    async def ensure_bucket(self) -> None:
        """Create the bucket unless it exists."""

    async def put_if_absent(self, key: str, content: bytes, content_type: str) -> None:
        """Store unless the key exists. Conflict when it exists with other content."""

    async def put(self, key: str, content: bytes, content_type: str) -> None:
        """Store, replacing what was there."""

    async def get(self, key: str, limit: int | None = None) -> bytes | None:
        """The content, or None. TooLarge, without reading on, if it has more than `limit` bytes."""

    async def list(self, prefix: str) -> list[str]:
        """All keys under a prefix, in order."""

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete these keys; keys that do not exist are ignored."""

    async def presign_put(self, key: str, seconds: int) -> str:
        """A URL for one PUT of this key with the header `If-None-Match: *`."""


@dataclass(frozen=True)
class Series:
    """Raw samples of one time series: Unix time in seconds and value, in order of time."""

    labels: Mapping[str, str]
    samples: tuple[tuple[float, float], ...]


class SeriesSource(Protocol):
    """What has raw samples."""

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        """The raw samples in [start, end] (Unix seconds) of every series that matches.

        Unavailable when some of them may be missing, BadQuery when the selector is none.
        """


class Metrics(SeriesSource, Protocol):
    """Prometheus."""

    async def timed(self) -> SeriesSource:
        """The same, with its clock as far from ours as it is now.

        Of what is read in pieces no seam jumps then.
        """

    async def check(self) -> None:
        """Ask for something that is not there. Unavailable or Rejected when it does not answer."""


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """An aware datetime in UTC."""


class Certificates(Protocol):
    """The issuer of certificates. It works locally, so it never raises Unavailable."""

    def authority(self, name: str, now: datetime) -> KeyPair:
        """A fresh CA of that name, with a fresh key."""

    def issue(self, authority: KeyPair, name: str, hosts: Sequence[str], now: datetime) -> Issued:
        """Fresh certificates for a server under these host names or addresses, and for its clients.

        Rejected when the authority is not a CA with its key.
        """

    def certify(self, authority: KeyPair, host: str, now: datetime) -> KeyPair:
        """A fresh certificate for a server under that name alone. Rejected as `issue` does."""

    def unpresentable(self, now: datetime) -> KeyPair:
        """A client certificate that TLS 1.3 cannot sign with, so that clients send none."""


@dataclass(frozen=True)
class Access:
    """What a sidecar takes from its caller, and what it has to show."""

    token: str = field(repr=False)
    authority: str = field(repr=False)
    """Certificate of the CA, as PEM."""
    name: str
    """The name that the sidecar's certificate bears."""


class AgentReader(Protocol):
    """What an agent says without doing anything; the arguments are those of `Agent`."""

    async def server(self, address: str, access: Access) -> agent.ServerAnswer:
        """Facts of the server. Unavailable until it answers queries."""

    async def room(self, address: str, access: Access) -> agent.RoomAnswer:
        """How full the volume is, whether the server answers or not.

        Rejected by an agent of an earlier version, whose `server` has it.
        """

    async def stopped(self, address: str, access: Access, run: str) -> agent.RecoveryAnswer:
        """State of that stop of the server, which this never arms; `unknown` if there is none."""


class Agent(AgentReader, Protocol):
    """The agent beside a database. `address` is host:port."""

    async def settle(
        self, address: str, access: Access, asked: agent.SettleRequest | None = None
    ) -> agent.SettleAnswer:
        """Have the server write its changes: `settled`, and the remaining `dirtyPages`.

        This is one round of bounded length: call again until it is settled. `dirtyBytes` is what
        waited to be written before the first round of what is asked, and stays that however often
        it is asked; without that, before the first round since the server was last at rest.
        """

    async def evidence(
        self, address: str, access: Access, marker: str, *, full: bool, seconds: float | None = None
    ) -> agent.EvidenceAnswer:
        """Evidence about the mode in force: catalogue rows and the files that hold the marker.

        A `full` search may take that many seconds, by default a day.
        """

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
        """State of the checks of TPC-C's tables that bear this name.

        The first call starts them and they take minutes, `full` ones many; later calls with that
        name only look.
        Also Unavailable while other checks are in progress.
        """

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
        """Stop the server (`Clean` or `Crash`) `after` seconds from now; the run's state.

        The server has `seconds` to come back. The first call with that name arms the stop; later
        ones only look. Also Unavailable while another stop is in progress.
        """

    async def disarm(self, address: str, access: Access, run: str) -> agent.RecoveryAnswer:
        """Call off that stop unless it has begun; its state.

        Rejected by an agent of an earlier version, which cannot.
        """

    async def begin_slots(self, address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
        """Have the server's counters read at the edges of a block's slots; the run's state.

        The first call with the order's name begins the readings; later ones only look.
        """

    async def slots(self, address: str, access: Access, run: str) -> SlotsAnswer:
        """The readings of that name so far; `unknown` if there are none. This begins none."""


class RecorderReader(Protocol):
    """What a recorder says without doing anything."""

    async def state(self, address: str, access: Access) -> recorder.StateAnswer:
        """State of the run. Unavailable until the tool waits at its barrier."""


class Recorder(RecorderReader, Protocol):
    """The recorder beside a client."""

    async def release(
        self,
        address: str,
        access: Access,
        start_at: float,
        uploads: Mapping[str, str],
        slots: OwnSlots | None = None,
        clock: recorder.ClockOffset | None = None,
        authority: str | None = None,
    ) -> recorder.StateAnswer:
        """Let the tool start at that Unix time, and give the artefacts' URLs. Idempotent.

        `slots` are its turns in an interleaved block. `clock` is the offset that `start_at`
        contains; the summary keeps it. `authority` is the PEM of the CA that certifies the store,
        None where everyone trusts it.
        """


PassEnd = Literal["done", "unavailable", "webhook", "conflict", "rejected", "failed"]
"""How a pass over an object ended: by which error, or without one."""


@dataclass(frozen=True)
class CampaignFigures:
    """Where a campaign is."""

    namespace: str
    name: str
    phase: str
    trials: Mapping[str, int]
    """Number by state: planned, active, succeeded, invalid, failed."""
    ended: str = ""
    """When it was over, by RFC 3339; empty while it is not."""
    hindered: str = ""
    """The reason why it does not go on; empty where it does."""
    end: tuple[str, str] | None = None
    """How it ended, Complete or Failed, and why; None while it has not, or where nothing says."""


class Meter:
    """The operator's own metrics; this meter counts nothing.

    It is no Protocol, because most of what runs, such as the plugin, is not measured. No method
    waits, and none fails for what it is given.
    """

    def passed(self, kind: Kind, seconds: float, end: PassEnd) -> None:
        """A pass over an object of that kind has ended."""

    def failed(self, kind: Kind) -> None:
        """A slow effect of an object of that kind ended in a fault, beside the passes."""

    def asked(self, method: str, resource: str, status: int, seconds: float) -> None:
        """The API server was asked; status 0 means that it did not answer."""

    def campaign(self, figures: CampaignFigures) -> None:
        """Where a campaign is now."""

    def only(self, namespace: str, names: Sequence[str]) -> None:
        """All campaigns of a namespace: what is known of others is forgotten."""

    def gone(self, namespace: str, name: str) -> None:
        """A campaign is no more."""

    def running(
        self, namespace: str, campaign: str, arm: str, trial: str, tps: float | None
    ) -> None:
        """TPS of a trial's clients in their last second; None once it does not run."""

    def ended(self, namespace: str, outcome: str, reason: str) -> None:
        """A trial has ended; the reason is empty where it succeeded."""

    def finished(self, namespace: str, outcome: str, reason: str) -> None:
        """A campaign is over, Complete or Failed, and why."""

    def idle(self, seconds: float) -> None:
        """Seconds in which nothing was measured between two windows, warm-up left out."""
