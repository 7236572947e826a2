"""Every figure of the report, one row each: its field, its mean, its name in tables and sentences.

Means, verdicts, tables, plots and CSV derive from these rows. A further figure takes one row here
and one field of that name in `TrialView` and in `Row`.
"""

from dataclasses import dataclass
from typing import Literal

from encbench.core.statistics.intervals import Sense

Mean = Literal["geometric", "arithmetic"]
"""Geometric where the report has a ratio of two arms, arithmetic where it has a difference."""
FigureKey = Literal["tps", "latencyAverage", "latencyP95", "cpuPerTransaction", "recovery"]
"""The figures that are judged, as report.json names them."""
Topic = Literal["Recovery", "Latency", "CPU", "Disk", "Client, one replica"]
"""The tables of figures, by their headings."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of each trial, and its mean over the valid blocks of an arm."""

    field: str
    """Of `TrialView` and of `Row`."""
    mean: Mean = "arithmetic"
    in_rows: bool = True
    """False for a figure that only trials and layers have."""
    some: bool = False
    """Only some arms can have it; every block in which all of these do counts."""
    points: str = ""
    """Field of `Row` with the difference from the baseline in percentage points."""
    step: str = ""
    """Field of `LayerStep` with its change from one layer of column encryption to the next."""
    step_stem: str = ""
    """The name of that change in the CSV; empty where the CSV leaves it out."""
    of: str = ""
    """Part of its column name in the CSV: what the mean refers to."""
    topics: tuple[Topic, ...] = ()
    heading: str = ""
    """Heading of its columns in tables, with the unit."""
    digits: int = 1
    """Decimals in tables."""

    @property
    def column(self) -> str:
        """Its column in the CSV."""
        mean = "geometric_mean" if self.mean == "geometric" else "mean"
        return "_".join(part for part in (self.field, self.of, mean) if part)


@dataclass(frozen=True, kw_only=True)
class JudgedFigure(Figure):
    """A figure with an overhead, a noise floor and a verdict of its own."""

    key: FigureKey
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
    whole_step: str = ""
    """Field of `LayerStep` with the whole cost of the layers, where `step` has only a part."""

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
        field="tps",
        mean="geometric",
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
    Figure(field="qps", mean="geometric"),
    Figure(field="new_orders_per_second", mean="geometric", heading="New Orders a second"),
    JudgedFigure(
        field="latency_average_ms",
        mean="geometric",
        step="latency_average",
        step_stem="latency_average",
        topics=("Latency",),
        heading="average latency, ms",
        digits=2,
        key="latencyAverage",
        stem="latency_average",
        overhead="latency_average_overhead",
        verdict="latency_average_verdict",
        phrase="average latency",
    ),
    JudgedFigure(
        field="latency_p95_ms",
        mean="geometric",
        step="latency_p95",
        topics=("Latency",),
        heading="p95 latency, ms",
        digits=2,
        key="latencyP95",
        stem="latency_p95",
        overhead="latency_p95_overhead",
        verdict="latency_p95_verdict",
        phrase="95th percentile of latency",
        short="p95 latency",
    ),
    Figure(
        field="database_cpu_percent",
        points="database_cpu_points",
        of="of_limit",
        topics=("CPU",),
        heading="server CPU, % of limit",
    ),
    Figure(
        field="client_cpu_percent",
        points="client_cpu_points",
        of="of_limit",
        topics=("CPU", "Client, one replica"),
        heading="client CPU, % of limit",
    ),
    Figure(
        field="client_cpu_cores",
        of="per_replica",
        topics=("Client, one replica",),
        heading="client CPU, cores",
        digits=3,
    ),
    Figure(
        field="client_memory_mib",
        of="per_replica",
        topics=("Client, one replica",),
        heading="client memory, MiB",
    ),
    Figure(
        field="client_memory_percent",
        of="of_limit",
        topics=("Client, one replica",),
        heading="client memory, % of limit",
    ),
    Figure(
        field="node_cpu_percent",
        points="node_cpu_points",
        of="of_all_cores",
        topics=("CPU",),
        heading="node CPU, % of all cores",
    ),
    JudgedFigure(
        field="database_cpu_ms_per_transaction",
        mean="geometric",
        step="database_cpu",
        step_stem="server_cpu_per_transaction",
        topics=("CPU",),
        heading="server CPU, ms per transaction",
        digits=3,
        key="cpuPerTransaction",
        stem="cpu_per_transaction",
        overhead="cpu_per_transaction_overhead",
        verdict="cpu_per_transaction_verdict",
        phrase="CPU per transaction",
        tag="CPU",
        whole_step="database_side_cpu",
    ),
    Figure(field="proxy_cpu_percent", some=True, of="of_limit"),
    Figure(
        field="proxy_cpu_ms_per_transaction",
        mean="geometric",
        some=True,
        topics=("CPU",),
        heading="proxy CPU, ms per transaction",
        digits=3,
    ),
    Figure(
        field="database_side_cpu_ms_per_transaction",
        in_rows=False,
        step="database_side_cpu",
        step_stem="server_and_proxy_cpu_per_transaction",
        heading="CPU of server and proxy",
    ),
    Figure(
        field="client_cpu_ms_per_transaction",
        mean="geometric",
        step="client_cpu",
        step_stem="client_cpu_per_transaction",
        topics=("CPU",),
        heading="client CPU, ms per transaction",
        digits=3,
    ),
    Figure(
        field="disk_read_kib_per_transaction",
        topics=("Disk",),
        heading="read from disk, KiB per transaction",
        digits=2,
    ),
    Figure(
        field="disk_write_kib_per_transaction",
        topics=("Disk",),
        heading="written to disk, KiB per transaction",
        digits=2,
    ),
    JudgedFigure(
        field="recovery_seconds",
        mean="geometric",
        topics=("Recovery",),
        heading="start to first answer, s",
        digits=3,
        key="recovery",
        stem="recovery_seconds",
        overhead="recovery_overhead",
        verdict="verdict",
        phrase="recovery time",
        tag="recovery time",
    ),
    Figure(field="stop_seconds", topics=("Recovery",), heading="signal to end, s", digits=3),
    Figure(field="redo_mib", of="at_stop", topics=("Recovery",), heading="log to recover, MiB"),
)
"""In the order of the CSV."""

IN_ROWS = tuple(figure for figure in FIGURES if figure.in_rows)
IN_STEPS = tuple(figure for figure in FIGURES if figure.step)
BY_FIELD = {figure.field: figure for figure in FIGURES}
JUDGED = {figure.key: figure for figure in FIGURES if isinstance(figure, JudgedFigure)}
TPS, RECOVERY = JUDGED["tps"], JUDGED["recovery"]


def judged(*, recovery: bool) -> tuple[JudgedFigure, ...]:
    """The judged figures of a condition; the first is its subject.

    For a recovery workload that is the recovery alone, because the load before the stop only
    shows what the server recovered from.
    """
    usual = tuple(figure for figure in JUDGED.values() if figure is not RECOVERY)
    return (RECOVERY,) if recovery else usual
