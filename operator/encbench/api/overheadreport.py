"""OverheadReport: the result of a campaign, written by the operator.

The rows are what people read with kubectl; every raw figure behind them lies in the bucket.
"""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, ObjectRef, optional
from encbench.api.conditions import Conditions
from encbench.api.scalars import Bool, Int, Name, Number, Time, Word
from encbench.api.testbed import Role

Verdict = Literal["Baseline", "NoiseFloor", "Overhead", "Equivalent", "Inconclusive", "NoData"]
FigureVerdict = Literal["Overhead", "Equivalent", "Inconclusive"]
FigureKey = Literal[
    "tps",
    "latencyAverage",
    "latencyP95",
    "cpuPerTransaction",
    "clientCpuPerTransaction",
    "recovery",
]
"""The figures that are judged."""
Saturation = Literal[
    "DatabaseBound",
    "ClientBound",
    "Both",
    "ProxyBound",
    "VolumeBound",
    "NodeBound",
    "Neither",
    "NotMeasured",
]


class OverheadReportSpec(Model):
    """The subject of the report."""

    campaign_ref: ObjectRef = Field(description="The campaign.")


class Interval(Model):
    """An estimate with its 95 % confidence interval, all as fractions: 0.08 is 8 %."""

    estimate: Number = Field(description="Point estimate.")
    low: Number | None = optional("Lower bound; absent with fewer than two observations.")
    high: Number | None = optional("Upper bound; absent with fewer than two observations.")


class Row(Model):
    """One instance, workload, concurrency and arm: means over the valid blocks.

    The baseline's figures are of both its arms, with which the others are compared.
    """

    instance: Name = Field(description="InstanceTemplate.")
    workload: Name = Field(description="Workload.")
    concurrency: Int = Field(description="Client threads in total.")
    arm: Name = Field(description="Arm.")
    role: Role = Field(description="baseline, control (A') or treatment.")
    blocks: Int
    """Valid blocks of the condition. Where a figure was withheld, fewer are behind it:
    findings[].blocks in report.json."""
    planned_blocks: Int | None = optional("Valid blocks that were planned.")
    tps: Number | None = optional("Transactions per second.")
    qps: Number | None = optional("Queries per second; absent if the tool does not count them.")
    new_orders_per_second: Number | None = None
    """TPC-C: tpmC / 60, New-Orders only; tps counts all transactions."""
    round_trips_per_transaction: Number | None = None
    """TPC-C: requests per transaction after which the client waits, retries included; a batch is
    one, as is a commit."""
    cells_per_transaction: Number | None = None
    """TPC-C: values per transaction in the rows of its results."""
    latency_average_ms: Number | None = optional("Average latency, milliseconds.")
    latency_p95_ms: Number | None = optional("95th percentile, milliseconds.")
    database_cpu_percent: Number | None = None
    """CPU of the server, percent of its limit; without gocryptfs in its pod where that is known."""
    database_cpu_points: Number | None = None
    """The same against the baseline, percentage points."""
    client_cpu_percent: Number | None = optional("CPU of the clients, percent of their limit.")
    client_cpu_points: Number | None = optional("The same against the baseline, percentage points.")
    client_cpu_cores: Number | None = None
    """CPU of one client replica, cores; the mean over all replicas."""
    client_memory_mib: Number | None = None
    """Largest resident memory of one client replica, MiB; the mean over all replicas."""
    client_memory_percent: Number | None = optional("The same, percent of its limit.")
    node_cpu_percent: Number | None = None
    """CPU of the database's node, percent of all its cores."""
    node_cpu_points: Number | None = optional("The same against the baseline, percentage points.")
    database_cpu_ms_per_transaction: Number | None = None
    """CPU of the server per transaction, milliseconds: with gocryptfs in its pod, without a
    proxy."""
    proxy_cpu_percent: Number | None = None
    """CPU of the proxy that encrypts columns, percent of its limit."""
    proxy_cpu_ms_per_transaction: Number | None = None
    """CPU of that proxy per transaction, milliseconds; not part of the server's."""
    database_side_cpu_ms_per_transaction: Number | None = None
    """CPU of the database per transaction, milliseconds: of the server, of gocryptfs in its pod,
    and of the proxy."""
    client_cpu_ms_per_transaction: Number | None = None
    """CPU of the clients per transaction, including the driver's, milliseconds."""
    disk_read_kib_per_transaction: Number | None = None
    """KiB that the database read from its disk per transaction; near 0, the data was in memory."""
    disk_write_kib_per_transaction: Number | None = None
    """KiB that the database wrote per transaction, to its disk or into the page cache before it."""
    recovery_seconds: Number | None = None
    """Recovery workloads: from the start of the new server process to its first answered query,
    seconds."""
    stop_seconds: Number | None = None
    """Recovery workloads: from the signal until the server was gone, seconds."""
    redo_mib: Number | None = None
    """Recovery workloads: log that the data files lacked at the stop, MiB."""
    overhead: Interval | None = None
    """Loss of TPS against the baseline, paired by block, as a fraction; absent where every arm kept
    up with a fixed rate, or think times pace the load."""
    latency_average_overhead: Interval | None = None
    """Increase of average latency, as a fraction; absent where an arm fell behind load.rate."""
    latency_p95_overhead: Interval | None = None
    """Increase of the 95th percentile, as a fraction; absent where an arm fell behind load.rate, or
    where stops of an interleaved block may have moved it in a trial."""
    cpu_per_transaction_overhead: Interval | None = None
    """Increase of the CPU per transaction of server and proxy together, as a fraction."""
    client_cpu_per_transaction_overhead: Interval | None = None
    """Increase of client CPU per transaction, as a fraction."""
    recovery_overhead: Interval | None = optional("Increase of recoverySeconds, as a fraction.")
    verdict: Verdict
    """Verdict on the figure that `figure` names: Overhead, Equivalent, Inconclusive, or why there
    is none. It is corrected for the number of modes (Holm), as are the others."""
    figure: FigureKey | None = None
    """The figure of `verdict`: tps, recovery for a recovery workload, and cpuPerTransaction where
    every arm kept up with a fixed rate or think times pace the load, because TPS is as offered."""
    latency_average_verdict: FigureVerdict | None = optional("Verdict on average latency.")
    latency_p95_verdict: FigureVerdict | None = optional("Verdict on the 95th percentile.")
    cpu_per_transaction_verdict: FigureVerdict | None = None
    """Verdict on the CPU per transaction of server and proxy together."""
    client_cpu_per_transaction_verdict: FigureVerdict | None = None
    """Verdict on client CPU per transaction."""
    saturation: Saturation | None = None
    """The limit of TPS: the server's CPU, the clients' CPU, both, else the CPU of the confidential
    proxy or of gocryptfs, else a node without CPU left, or none of them."""


class Artefact(Model):
    """One object in the bucket."""

    key: Annotated[str, Field(max_length=1024)] = Field(description="Key in the bucket.")
    digest: Annotated[str, Field(max_length=80)] = Field(description="sha256:<hex> of its content.")


MAX_TABLES = 256
"""CSV files beside the rows that the status names; a campaign has a few for each mode."""


class Artefacts(Model):
    """The rendered report and the index of everything behind it."""

    bucket: Annotated[str, Field(max_length=63)] = Field(description="Bucket.")
    index: Artefact = Field(description="Index of all trials with the digests of their records.")
    html: Artefact = Field(description="The page for people.")
    markdown: Artefact = Field(description="Tables in the shape of the published studies.")
    csv: Artefact = Field(description="The rows.")
    json_: Artefact = Field(alias="json", description="The whole report.")
    tables: Annotated[list[Artefact], Field(max_length=MAX_TABLES)] = Field(default_factory=list)
    """The other CSV files, such as the studies' tables; empty in reports of earlier releases."""


class InvalidCount(Model):
    """How many trials did not count, and why."""

    reason: Word = Field(description="One word that gives the reason.")
    count: Int = Field(description="Trials.")


class CaveatTitle(Model):
    """One thing that could be wrong with the figures; the page says what, and what to do."""

    weight: Literal["serious", "note"]
    """Serious where a figure may mislead, a note where a reader should know of it."""
    title: Annotated[str, Field(max_length=256)] = Field(description="What it is.")


MAX_HEADLINE = 2048
"""Letters of the headline."""
MAX_ROWS = 900
"""Rows in the status; report.json has all of them. The schema allows 2,048, but with names of full
length those exceed the 1.5 MiB that etcd accepts in one request."""


class OverheadReportStatus(Model):
    """The report."""

    observed_generation: Int | None = optional("Generation that the operator has processed.")
    conditions: Conditions = Field(default_factory=list, description="Ready.")
    headline: Annotated[str, Field(max_length=MAX_HEADLINE)] = ""
    """The answer in one sentence."""
    overhead: Word = ""
    """The first treatment's overhead with its interval, for kubectl get."""
    verdict: Annotated[str, Field(max_length=32)] = ""
    """The first treatment's verdict, for kubectl get."""
    margin: Annotated[Number, Field(gt=0, lt=1)] | None = None
    """The campaign's margin as a fraction, by which verdicts go; absent in earlier reports."""
    noise_floor: Annotated[Number, Field(ge=0)] | None = None
    """Largest absolute bound of A' against A, by arm and by testbed, over all rows, as a fraction:
    of the figure of the verdict."""
    rows: Annotated[list[Row], Field(max_length=2048)] = Field(default_factory=list)
    """The figures: the first 900 rows in the order of the plan. report.json has all rows."""
    invalid: Annotated[list[InvalidCount], Field(max_length=64)] = Field(default_factory=list)
    """Trials that did not count, by reason: the first 64 reasons. report.json has all."""
    colocated: Bool = Field(False, description="Client and database shared a node.")
    caveats: Annotated[list[CaveatTitle], Field(max_length=64)] = Field(default_factory=list)
    """What could be wrong with the figures, serious things first: at most 64. report.json has all,
    with what each means."""
    artefacts: Artefacts | None = optional("Location of the report in the bucket.")
    generated_time: Time | None = optional("When the report was rendered.")
