"""One trial of the report, and the block that it ran in.

A long interleaved campaign has hundreds of thousands of rounds and slots, so they are dataclasses
without a dict, which have a sixth of a model's size. Only those of a report.json are validated.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from encbench.api.base import Model
from encbench.api.scalars import Name, Time
from encbench.api.testbed import Role
from encbench.api.trial import Outcome, Window
from encbench.core.evidence import ProofVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """One slice of a trial of an interleaved block: the counted part of one round."""

    __pydantic_config__: ClassVar[Any] = Model.model_config

    slot: int
    """Place in the block's timetable, from 0; the next slot is another arm's."""
    seconds: float
    transactions: int
    all_transactions: int
    """Those of the whole slot."""
    database_cpu_seconds: float | None = None
    proxy_cpu_seconds: float | None = None
    database_side_cpu_seconds: float | None = None
    """Server and proxy together; the server alone where there is no proxy."""
    client_cpu_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotView:
    """A trial's server in one slot of its block, its own or another arm's: begin to next begin."""

    __pydantic_config__: ClassVar[Any] = Model.model_config

    slot: int
    seconds: float
    cpu_seconds: float
    read_kib: float | None = None
    write_kib: float | None = None


class SlowestClient(Model):
    """The replica of a trial's client with the fewest transactions a second."""

    index: int
    node: str | None = None
    tps: float
    percent_of_mean: float
    """Of the mean over all replicas."""


class TrialView(Model):
    """One trial with the figures that the report derives from its record."""

    name: str
    uid: str
    testbed: str
    cell: Name
    instance: Name
    workload: Name
    concurrency: int
    arm: Name
    role: Role
    block: int
    """From 1; `blocks.solo` from 1001. Numbers above the planned ones of either are
    replacements."""
    order: int
    """Place within the block, from 1."""
    outcome: Outcome
    reason: str | None = None
    message: str | None = None
    counted: bool = False
    """It succeeded, and so did every other trial of its block."""
    start_time: Time | None = None
    server_started: float | None = None
    """Start of the server process that the run began on, Unix time by the clock of the database's
    node; None of a run that never began, of an external database, and where it is not known."""
    window: Window | None = None
    """What all clients measured in, by the operator's clock."""
    tps: float | None = None
    qps: float | None = None
    new_orders_per_second: float | None = None
    """Of TPC-C only, as are the three below."""
    round_trips_per_transaction: float | None = None
    """Retries included; a batch is one round trip, as is a commit."""
    cells_per_transaction: float | None = None
    """Values in the rows of its results."""
    skipped_percent: float | None = None
    """Of the districts that Deliveries came to, those without an order to deliver; None where no
    Delivery ran, or the client does not count them."""
    latency_average_ms: float | None = None
    latency_p95_ms: float | None = None
    latency_percentiles_ms: dict[str, float] = Field(default_factory=dict)
    """From the histogram, by percentile: `{"50": 12.1, "99.9": 80.4}`. A percentile with
    fewer than ten transactions beyond it is left out."""
    errors: int | None = None
    """In the window: failures that must be rare, such as deadlocks."""
    database_cpu_percent: float | None = None
    """Of the server's own limit, without a file system in its pod where that is known apart."""
    client_cpu_percent: float | None = None
    """Of the limit, over all replicas."""
    client_cpu_cores: float | None = None
    """The mean over all replicas, as are the two below."""
    client_memory_mib: float | None = None
    """Peak resident memory."""
    client_memory_percent: float | None = None
    """Peak resident memory as a share of its limit."""
    start_spread_ms: float | None = None
    """Between the first and the last start of several replicas, by the operator's clock; each
    client's own is known to within half of the round trip that asked for it."""
    slowest_client: SlowestClient | None = None
    """None where there is one only, or where threads or rate do not divide evenly."""
    queue: tuple[int, int] | None = None
    """At an offered rate, the transactions that waited in the clients when the window began and
    when it ended."""
    node_cpu_percent: float | None = None
    """Of all cores of the database's node, whoever used them."""
    database_cpu_ms_per_transaction: float | None = None
    """Of the server and a file system in its pod, without a proxy."""
    proxy_cpu_percent: float | None = None
    """Of the limit of the proxy that encrypts columns; None where there is none, or no figure."""
    volume_cpu_percent: float | None = None
    """The same of a file system in the database's pod; None where there is none, or no figure."""
    proxy_cpu_ms_per_transaction: float | None = None
    database_side_cpu_ms_per_transaction: float | None = None
    """Server and proxy together; the server alone where there is no proxy."""
    client_cpu_ms_per_transaction: float | None = None
    """Of the tool over all replicas, its driver included."""
    restored_seconds: float | None = None
    """How long restoring its golden copy took; None if none was restored."""
    disk_read_kib_per_transaction: float | None = None
    """What the database read from its disk, not the page cache; near 0 the data was in memory."""
    disk_write_kib_per_transaction: float | None = None
    """Written past the page cache, or made dirty in it to be written later."""
    unwritten_mib: float | None = None
    """Changed pages that the server had not written when it was first asked to after the run. None
    where its engine does not count them, where they were not asked for, or where the agent ended
    during the run."""
    recovery_seconds: float | None = None
    """For recovery workloads: from the new server's start to its first answer."""
    stop_seconds: float | None = None
    """From the signal until the server was gone."""
    redo_mib: float | None = None
    """Size of the log that the data files lacked at the stop."""
    cpu_withheld: dict[str, str] = Field(default_factory=dict)
    """Why a CPU figure is absent, by whose CPU it is."""
    throttled_seconds: float | None = None
    """For which CPU limits held the clients back in the window, summed over CPUs and replicas."""
    throttled_percent: float | None = None
    """Of the time in which it ran, of the client pod that was throttled most."""
    held_up_percent: dict[Literal["database", "proxy", "volume"], float] | None = None
    """Of the periods of its CPU limit, those in which the limit held the server up, the proxy, or
    the file system in its pod; None where none is known."""
    foreign_cpu_percent: float | None = None
    """The share of a node's cores that anything but the campaign's own databases, clients and
    sidecars used; the largest over the nodes of database and clients to which limits.foreignCpu
    applies. None where it was not measured, or applies to none."""
    foreign_with_dm_crypt_percent: float | None = None
    """The same of the node of a database whose mode names a StorageClass. It includes dm-crypt's
    kernel threads, or may include another cipher in the kernel, so limits.foreignCpu does not apply
    there. None of other modes."""
    stolen_cpu_percent: float | None = None
    """The share of a node's cores that the hypervisor gave to other machines; the largest over the
    nodes. None where it was not measured."""
    fullest_node: str | None = None
    """Of the nodes of database and clients the one with the least CPU left."""
    fullest_node_percent: float | None = None
    """The share of its cores that was used or stolen."""
    idle_cpu_percent: float | None = None
    """CPU of the campaign's other databases together, as a share of one instance's limit; None
    where it was not measured."""
    home: Name | None = None
    """The arm whose testbed it ran on: baseline and control take turns on theirs."""
    generation: int = 1
    """The set of testbeds that it ran on, from 1; see `blocks.perTestbed`."""
    colocated: bool = False
    """A client ran on the database's node."""
    consistent: bool | None = None
    """Whether TPC-C's tables were consistent afterwards; None if not checked."""
    proof_before: ProofVerdict | None = None
    proof_after: ProofVerdict | None = None
    rounds: tuple[RoundView, ...] = ()
    """Of an interleaved block, in order; every arm has as many."""
    slots: tuple[SlotView, ...] = ()
    """Of an interleaved block: every slot in order, also those in which its clients were stopped;
    empty where the agent did not read all of them."""
    spanned: int | None = None
    """Transactions that are in no latency because a stop interrupted them. Before they were counted
    wherever they end, those of them that ended in a counted part."""
    block_cpu_ms_per_transaction: float | None = None
    """All of the server's CPU while the block ran by all of its transactions: work that it did
    while its clients were stopped is part of this figure only."""
    key: str
    """Of its record in the bucket."""
    digest: str
    """Of that record."""
    series: tuple[tuple[float, float], ...] = ()
    """TPS of all clients, thinned: seconds since the window's begin, transactions a second."""


class Block(Model):
    """One block as it ran."""

    block: int
    solo: bool = False
    """Sequential, to be compared with the interleaved ones; it is in no other figure."""
    counted: bool
    why: str | None = None
    """Why it does not count."""
    trials: tuple[str, ...]
    """Names in the order in which they ran."""
