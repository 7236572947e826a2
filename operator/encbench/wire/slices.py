"""Interleaved blocks: what operator, recorder, turnstile and agent say about their slots.

A *slot* is one turn of one arm; slot n begins `warmup + n * period` seconds after the block's start
(`core.timetable`). Times are Unix seconds by the speaker's clock, CPU is in seconds.

The agent answers `POST /v1/slices` (takes `SlotsOrder`) and `GET /v1/slices?run=` with
`SlotsAnswer`. The turnstile writes `SlicesFile`.
"""

from typing import Literal, NotRequired, TypedDict

SLICES_PATH = "/v1/slices"
SLICES_SCHEMA = "encbench.io/slices/v1"
SlotsState = Literal["unknown", "running", "done", "failed"]


class SlotTimes(TypedDict):
    """Where a block's slots lie. Seconds."""

    warmup: float
    """From the start to the first slot's begin."""
    period: float
    """From one slot's begin to the next one's."""
    slice: float
    """Length of a slot."""
    settle: float
    """From a slot's begin until counting begins."""
    slots: int


class OwnSlots(SlotTimes):
    """For a recorder: the slots of the block, and which are those of its arm."""

    own: list[int]


SAME_START = 1.0
"""Seconds by which a block's start may differ from one order to the next of the same run, because
clocks are compared anew for each."""


class SlotsOrder(SlotTimes):
    """For an agent."""

    run: str
    """Name of the run: the same order bears the same name. A name that is not kept ends the run
    before it, and so does a start that differs by more than `SAME_START`. The last three runs are
    kept; of long ones fewer."""
    startAt: float
    """By the agent's clock."""


class LimitPeriods(TypedDict):
    """Periods of a container's CPU limit, of 100 ms as a rule, since the container's start."""

    ran: int
    throttled: int
    """Those of `ran` in which the limit held it up."""


class SlotReading(TypedDict):
    """The server at one moment; counters since its start."""

    at: float
    cpuSeconds: float
    proxyCpuSeconds: NotRequired[float]
    """Where a proxy encrypts columns."""
    volumeCpuSeconds: NotRequired[float]
    """Where a file system in the pod lies beneath the server; a part of `cpuSeconds`."""
    readBytes: int | None
    writeBytes: int | None
    periods: NotRequired[dict[str, LimitPeriods]]
    """Of `database`, `proxy` and `volume`, where the kernel shows them. An agent of an earlier
    version does not read them."""


class SlotRow(TypedDict):
    """The server at the edges of one slot, whichever arm had it."""

    slot: int
    begin: SlotReading
    counted: SlotReading
    end: SlotReading


class SlotsAnswer(TypedDict):
    """The progress of a run."""

    run: str
    state: SlotsState
    startAt: float | None
    """As the order had it, by the agent's clock; None where there is none of that name."""
    rows: list[SlotRow]
    clock: float
    """The agent's, when it answered."""
    error: str | None


class SliceRow(TypedDict):
    """One slot of a client's own arm, as it was kept."""

    slice: int
    """Number of the slot."""
    begin: float
    """When the tool got the signal to continue."""
    counted: float
    """When counting began."""
    end: float
    """When the tool had stopped."""
    transactions: int | None
    """Those that ended in the counted part; None if the tool has no counters, or had not begun."""
    newOrders: int | None
    """TPC-C's New-Orders among them; 0 for another tool."""
    allTransactions: int | None
    """Those that ended in the whole slot."""
    cpuSeconds: float
    """CPU of the tool in the counted part."""


class SlicesFile(TypedDict):
    """`client-<n>/slices.json`."""

    schema: str
    slices: list[SliceRow]
    spanned: NotRequired[int]
    """Transactions whose latency includes a stop, wherever they end; they are not in `latency`."""
    latency: NotRequired[list[tuple[float, float, int]]]
    """Buckets: lower end and upper end in ms, transactions."""
