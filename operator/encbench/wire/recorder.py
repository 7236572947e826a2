"""The interface of the recorder beside a client, and the records that it leaves.

`GET /v1/state` answers a `StateAnswer`. `POST /v1/release` takes a `ReleaseRequest` and answers
the same. Both need TLS and the bearer token, and answer 503 until the tool waits at its barrier.
When a run ends, the pod's status has a `Termination` and the bucket a `Summary`.
"""

from typing import Literal, NotRequired, TypedDict

from encbench.wire.foreign import printable, said
from encbench.wire.slices import OwnSlots

STATE = "/v1/state"
RELEASE = "/v1/release"

RunStateName = Literal["waiting", "released", "running", "finished", "uploaded"]
"""In the order in which a run passes through them."""


class StateAnswer(TypedDict):
    """The progress of a run."""

    state: RunStateName
    startAt: float | None
    """Unix time at which the tool starts, once it is released."""
    exitCode: int | None
    lastTps: float | None
    digests: dict[str, str]
    """`sha256:<hex>` by file name; empty until the tool has ended."""
    clock: float
    """The recorder's wall clock at the answer, Unix seconds."""
    error: str | None
    """Why the store refused the artefacts; other URLs may help."""
    away: NotRequired[str | None]
    """Why the last try did not reach the store, or why it failed there; it is tried again."""
    window: NotRequired[dict[str, float] | None]
    """Always null, because an operator of 0.1.0 requires the field. Recorders of 0.1.0 give the
    measured window here."""


class ClockOffset(TypedDict):
    """The recorder's wall clock against the operator's, from the last `StateAnswer` before release.

    The answer is taken to have been made in the middle of its round trip, so that the offset is
    uncertain by half of that. A smaller one is given as 0.
    """

    seconds: float
    """The recorder's minus the operator's."""
    roundTrip: float


class ReleaseRequest(TypedDict):
    """Permission to start. A second one only replaces the URLs and the store's CA."""

    startAt: float
    uploads: dict[str, str]
    """Presigned URL by file name, for each of `wire.files.FILES`, and for SLICES with `slots`."""
    slots: NotRequired[OwnSlots]
    """Of an interleaved block: when the tool may run."""
    clock: NotRequired[ClockOffset]
    """What the operator measured and `startAt` contains; the summary keeps it."""
    authority: NotRequired[str | None]
    """PEM of the CA that certifies the store by now, or null where everyone trusts it. Without it
    the recorder keeps the one it has."""


class Termination(TypedDict):
    """The recorder's termination message, at most 4,096 bytes."""

    prefix: str
    digests: dict[str, str]
    error: NotRequired[str]
    """Why not everything is stored."""


def termination_digests(message: str) -> dict[str, str]:
    """By file name, from a `Termination`; empty for any other message."""
    digests = said(message, "digests")
    whole = isinstance(digests, dict) and all(isinstance(one, str) for one in digests.values())
    return digests if whole else {}


def termination_error(message: str) -> str:
    """Why not everything is stored, from a `Termination`; empty if that says nothing."""
    error = said(message, "error")
    return printable(error) if isinstance(error, str) else ""


class MomentStamp(TypedDict):
    """One moment by two clocks, in seconds."""

    unix: float
    monotonic: float


class MeasuredWindow(TypedDict):
    """The measured window by the recorder's wall clock, Unix seconds."""

    start: float
    end: float
    seconds: float
    """Its length by the monotonic clock."""


class OutputDigest(TypedDict):
    """The tool's own output."""

    bytes: int
    digest: str


class ClientMachineRows(TypedDict):
    """The kernel and the first processor, as the container sees them."""

    kernel: str
    cpuModel: str
    aes: NotRequired[bool]
    """Whether the processor lists AES instructions; absent where it lists no flags at all."""


class Summary(TypedDict):
    """`client-<n>/summary.json`; `core.evidence.ClientSummary` reads it."""

    schema: str
    tool: str
    exitCode: int | None
    began: MomentStamp | None
    """When the tool started."""
    loadBegan: MomentStamp | None
    """When its threads did, where it says so."""
    ended: MomentStamp | None
    window: MeasuredWindow | None
    cpuSeconds: float | None
    """CPU time of the tool in the window."""
    cpuLimitCores: float | None
    memoryMaxBytes: int | None
    memoryLimitBytes: int | None
    throttledSeconds: float | None
    """For which its container was throttled in the window, summed over CPUs; in the part before
    the tool's end, where that was no good one."""
    throttledPeriods: float | None
    """Periods of the CPU limit, of 100 ms as a rule, in which that was so."""
    cpuPeriods: float | None
    """Periods in which the container ran."""
    clockSkewSeconds: float | None
    """How far the wall clock moved against the monotonic one during the run."""
    clockOffset: ClockOffset | None
    """As the release had it."""
    machine: ClientMachineRows
    output: OutputDigest
