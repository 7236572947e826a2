"""The trial's CPU, memory and I/O from Prometheus: raw samples, and what they say of the window."""

from dataclasses import dataclass, field
from typing import Literal

from encbench.api.trial import Window
from encbench.core.records import DatabaseCpu, NodeCpu
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

    series: dict[str, tuple[Sample, ...]] = field(default_factory=dict)
    node_cores: float | None = None
    database: DatabaseCpu | None = None
    node: NodeCpu | None = None
    withheld: Withheld = field(default_factory=dict)


async def read(
    metrics: Metrics, namespace: str, testbed: str, node: str | None, limit: float, window: Window
) -> WindowMetrics:
    """Read and judge the series of a testbed and its node. `limit` is the server's, in cores."""
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
    return _judge(series, float(len(idle)) or None, node, limit, window)


def _judge(
    series: dict[str, tuple[Sample, ...]],
    node_cores: float | None,
    node: str | None,
    limit: float,
    window: Window,
) -> WindowMetrics:
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
    if idle is not None and node and node_cores:
        busy = min(1.0, max(0.0, 1.0 - idle.rate / node_cores))
        of_node = NodeCpu(fraction=busy, cores=node_cores, node=node)
    return WindowMetrics(series, node_cores, database, of_node, withheld)


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
