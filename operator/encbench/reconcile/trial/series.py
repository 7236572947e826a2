"""The trial's CPU, memory and I/O from Prometheus: raw samples, and what they say of the window."""

from dataclasses import dataclass, field
from typing import Literal

from encbench.api.trial import Window
from encbench.core.records import DatabaseCpu, MetricsRecord, NodeCpu
from encbench.core.window import Sample, WindowRate, summed, window_rate
from encbench.ports import Metrics, Series

MAX_ALIGNMENT_ERROR = 0.02
"""Above this estimated error a CPU figure is withheld."""
CONTEXT = 5.0
"""Seconds stored before and after the window, for plots."""

Withheld = dict[Literal["database", "node", "client"], str]

DATABASE_SERIES = {
    "database_cpu_seconds": "encbench_database_cpu_seconds_total",
    "database_resident_bytes": "encbench_database_resident_bytes",
    "database_read_bytes": "encbench_database_read_bytes_total",
    "database_write_bytes": "encbench_database_write_bytes_total",
}


@dataclass(frozen=True)
class WindowMetrics:
    """What Prometheus had of one window."""

    record: MetricsRecord | None = None
    database: DatabaseCpu | None = None
    node: NodeCpu | None = None
    withheld: Withheld = field(default_factory=dict)

    @property
    def has_database(self) -> bool:
        """Whether there is a CPU series of the server at all."""
        return self.record is not None and "database_cpu_seconds" in self.record.series


async def read(
    metrics: Metrics, namespace: str, testbed: str, node: str | None, window: Window
) -> MetricsRecord:
    """Read the series of a testbed and its node."""
    start, end = window.start - CONTEXT, window.end + CONTEXT
    series: dict[str, tuple[Sample, ...]] = {}
    for name, metric in DATABASE_SERIES.items():
        selector = f'{metric}{{namespace="{namespace}",testbed="{testbed}"}}'
        found = await metrics.raw(selector, start, end)
        # A pod that was replaced shows as a second series: no window spans two servers.
        if len(found) == 1:
            series[name] = found[0].samples
    idle: list[Series] = []
    if node:
        selector = f'node_cpu_seconds_total{{mode="idle",node="{node}"}}'
        idle = await metrics.raw(selector, start, end)
        if idle:
            series["node_idle_seconds"] = tuple(summed([one.samples for one in idle]))
    return MetricsRecord(window=window, series=series, node_cores=float(len(idle)) or None)


def judge(record: MetricsRecord, node: str | None, limit: float) -> WindowMetrics:
    """What the series say of their window. `limit` is the server's, in cores."""
    series, window, cores = record.series, record.window, record.node_cores
    withheld: Withheld = {}
    database = None
    rate = _rate(series.get("database_cpu_seconds"), window, withheld, "database")
    if rate is not None:
        database = DatabaseCpu(
            cores=rate.rate,
            limit_cores=limit,
            coverage=rate.coverage,
            alignment_error=rate.alignment_error,
        )
    of_node = None
    idle = _rate(series.get("node_idle_seconds"), window, withheld, "node")
    if idle is not None and node and cores:
        busy = min(1.0, max(0.0, 1.0 - idle.rate / cores))
        of_node = NodeCpu(fraction=busy, cores=cores, node=node)
    return WindowMetrics(record, database, of_node, withheld)


def _rate(
    samples: tuple[Sample, ...] | None,
    window: Window,
    withheld: Withheld,
    what: Literal["database", "node"],
) -> WindowRate | None:
    if samples is None:
        withheld[what] = "Prometheus has no such series"
        return None
    rate = window_rate(samples, window.start, window.end)
    if rate is None:
        withheld[what] = "fewer than two samples in the window, or the counter was reset"
        return None
    if rate.alignment_error > MAX_ALIGNMENT_ERROR:
        withheld[what] = (
            f"alignment error {rate.alignment_error:.1%} is above {MAX_ALIGNMENT_ERROR:.0%}"
        )
        return None
    return rate
