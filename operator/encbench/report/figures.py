"""Every figure of the report, one row each: its field, its mean, its name in tables and sentences.

Means, verdicts, tables, plots and CSV derive from these rows. A further figure takes one row here,
a place in `TOPICS`, and one field of that name in `TrialView`, which `report.analysis.views`
computes, and in `Row`. A judged one takes a `FigureKey` and a line in `audit.known` as well:
docs/architecture.md has the list.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from encbench.api.overheadreport import FigureKey
from encbench.core.statistics.intervals import Sense

Mean = Literal["geometric", "arithmetic"]
"""Geometric where the report has a ratio of two arms, arithmetic where it has a difference."""


@dataclass(frozen=True)
class Figure:
    """A figure of each trial, and its mean over the valid blocks of an arm."""

    field: str
    """Of `TrialView` and of `Row`."""
    _: KW_ONLY
    mean: Mean = "arithmetic"
    some: bool = False
    """Only some arms can have it; every block in which all of these do counts."""
    in_points: bool = False
    """Rows have its difference from the baseline, in percentage points."""
    of_everything: bool = False
    """It has no arm of its own: arms that take turns have the same, and no difference."""
    step: str = ""
    """Field of `LayerStep` with its change from one layer of column encryption to the next."""
    step_stem: str = ""
    """The name of that change in the CSV; empty where the CSV leaves it out."""
    of: str = ""
    """Part of its column name in the CSV: what the mean refers to."""
    heading: str = ""
    """Heading of its columns in tables, with the unit."""
    digits: int = 1
    """Decimals in tables."""

    @property
    def points(self) -> str:
        """Field of `Row` with the difference from the baseline; empty without one."""
        return f"{self.field.removesuffix('_percent')}_points" if self.in_points else ""

    @property
    def column(self) -> str:
        """Its column in the CSV."""
        mean = "geometric_mean" if self.mean == "geometric" else "mean"
        return "_".join(part for part in (self.field, self.of, mean) if part)


@dataclass(frozen=True, kw_only=True)
class JudgedFigure(Figure):
    """A figure with an overhead, a noise floor and a verdict of its own."""

    key: FigureKey
    mean: Mean = "geometric"
    sense: Sense = "increase"
    stem: str
    """Prefix of the columns of its change in the CSV."""
    overhead: str
    """Field of `Row` with the change against the baseline."""
    verdict: str
    """Field of `Row` with the verdict."""
    phrase: str
    """Its name in a sentence."""
    short: str = ""
    """Its name in a heading, where the phrase is too long."""
    tag: str = ""
    """Follows an estimate that stands alone. TPS has none, because most campaigns are about it."""

    @property
    def title(self) -> str:
        """`TPS`, `p95 latency`."""
        return self.short or self.phrase

    @property
    def effect(self) -> str:
        """`loss of TPS`, `average latency, increase`."""
        return f"loss of {self.phrase}" if self.sense == "loss" else f"{self.phrase}, increase"


FIGURES = (
    JudgedFigure(
        "tps",
        step="loss",
        step_stem="tps",
        heading="TPS",
        key="tps",
        sense="loss",
        stem="tps",
        overhead="overhead",
        verdict="verdict",
        phrase="TPS",
    ),
    Figure("qps", mean="geometric"),
    Figure("new_orders_per_second", mean="geometric", heading="New Orders a second"),
    Figure("round_trips_per_transaction", heading="round trips a transaction"),
    Figure("cells_per_transaction", heading="result cells a transaction"),
    JudgedFigure(
        "latency_average_ms",
        step="latency_average",
        step_stem="latency_average",
        heading="average latency, ms",
        digits=2,
        key="latencyAverage",
        stem="latency_average",
        overhead="latency_average_overhead",
        verdict="latency_average_verdict",
        phrase="average latency",
        tag="average latency",
    ),
    JudgedFigure(
        "latency_p95_ms",
        step="latency_p95",
        heading="p95 latency, ms",
        digits=2,
        key="latencyP95",
        stem="latency_p95",
        overhead="latency_p95_overhead",
        verdict="latency_p95_verdict",
        phrase="95th percentile of latency",
        short="p95 latency",
        tag="p95 latency",
    ),
    Figure("database_cpu_percent", in_points=True, of="of_limit", heading="server CPU, % of limit"),
    Figure("client_cpu_percent", in_points=True, of="of_limit", heading="client CPU, % of limit"),
    Figure("client_cpu_cores", of="per_replica", heading="client CPU, cores", digits=3),
    Figure("client_memory_mib", of="per_replica", heading="client memory, MiB"),
    Figure("client_memory_percent", of="of_limit", heading="client memory, % of limit"),
    Figure(
        "node_cpu_percent",
        in_points=True,
        of_everything=True,
        of="of_all_cores",
        heading="node CPU, % of all cores",
    ),
    Figure(
        "database_cpu_ms_per_transaction",
        mean="geometric",
        step="database_cpu",
        step_stem="server_cpu_per_transaction",
        heading="server CPU, ms per transaction",
        digits=3,
    ),
    Figure("proxy_cpu_percent", some=True, of="of_limit"),
    Figure(
        "proxy_cpu_ms_per_transaction",
        mean="geometric",
        some=True,
        heading="proxy CPU, ms per transaction",
        digits=3,
    ),
    JudgedFigure(
        "database_side_cpu_ms_per_transaction",
        step="database_side_cpu",
        step_stem="server_and_proxy_cpu_per_transaction",
        heading="database CPU, ms per transaction",
        digits=3,
        key="cpuPerTransaction",
        stem="cpu_per_transaction",
        overhead="cpu_per_transaction_overhead",
        verdict="cpu_per_transaction_verdict",
        phrase="CPU per transaction",
        tag="CPU",
    ),
    JudgedFigure(
        "client_cpu_ms_per_transaction",
        step="client_cpu",
        step_stem="client_cpu_per_transaction",
        heading="client CPU, ms per transaction",
        digits=3,
        key="clientCpuPerTransaction",
        stem="client_cpu_per_transaction",
        overhead="client_cpu_per_transaction_overhead",
        verdict="client_cpu_per_transaction_verdict",
        phrase="client CPU per transaction",
        tag="client CPU",
    ),
    Figure(
        "disk_read_kib_per_transaction", heading="read from disk, KiB per transaction", digits=2
    ),
    Figure(
        "disk_write_kib_per_transaction", heading="written to disk, KiB per transaction", digits=2
    ),
    JudgedFigure(
        "recovery_seconds",
        heading="start to first answer, s",
        digits=3,
        key="recovery",
        stem="recovery_seconds",
        overhead="recovery_overhead",
        verdict="verdict",
        phrase="recovery time",
        tag="recovery time",
    ),
    Figure("stop_seconds", heading="signal to end, s", digits=3),
    Figure("redo_mib", of="at_stop", heading="log to recover, MiB"),
)
"""In the order of the CSV."""

VOLUME = Figure("volume_cpu_percent", some=True)
"""It only says what limited TPS, and has no column: CPU of a file system in the database's pod is
part of the database's."""
FULLEST_NODE = Figure("fullest_node_percent")
"""The same of the node with the least CPU left."""
IN_STEPS = tuple(figure for figure in FIGURES if figure.step)
BY_FIELD = {figure.field: figure for figure in FIGURES}
JUDGED = {figure.key: figure for figure in FIGURES if isinstance(figure, JudgedFigure)}
TPS, CPU, RECOVERY = JUDGED["tps"], JUDGED["cpuPerTransaction"], JUDGED["recovery"]

ON_LATENCY, ON_CPU, ON_DISK, ON_CLIENT = "Latency", "CPU", "Disk", "Client, one replica"
TOPICS = {
    ON_LATENCY: ("latency_average_ms", "latency_p95_ms"),
    ON_CPU: (
        *(f"{one}_cpu_ms_per_transaction" for one in ("database_side", "proxy", "client")),
        *(f"{one}_cpu_percent" for one in ("database", "client", "node")),
    ),
    ON_DISK: ("disk_read_kib_per_transaction", "disk_write_kib_per_transaction"),
    ON_CLIENT: (
        *("client_cpu_cores", "client_memory_mib", "client_memory_percent", "client_cpu_percent"),
    ),
}
"""The tables of figures by heading: their fields, utilisation in percentage points last.
`formats.markdown` says when each is left out of a report that is too long."""


P95 = JUDGED["latencyP95"]
LATENCIES = (JUDGED["latencyAverage"], P95)


def judged(
    *, recovery: bool, as_offered: bool = False, of_queue: bool = False
) -> tuple[JudgedFigure, ...]:
    """The judged figures of a condition; the first is its subject.

    For a recovery workload that is the recovery alone, because the load before the stop only
    shows what the server recovered from. Where the load decides TPS it says nothing, and the
    subject is CPU per transaction: the cost at equal work. `of_queue` leaves out latency: where an
    arm fell behind a rate it is that of a queue, and depends on how long that could grow.
    """
    if recovery:
        return (RECOVERY,)
    left_out = (RECOVERY, *LATENCIES) if of_queue else (RECOVERY,)
    usual = tuple(figure for figure in JUDGED.values() if figure not in left_out)
    if not as_offered:
        return usual
    return (CPU, *(figure for figure in usual if figure not in (TPS, CPU)))
