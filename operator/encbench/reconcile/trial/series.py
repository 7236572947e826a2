"""The trial's CPU, memory and I/O from Prometheus: raw samples, and what they say of the window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from encbench.api.instancetemplate import External
from encbench.api.trial import Window
from encbench.core.records import (
    ClientFacts,
    DatabaseCpu,
    DiskIo,
    MetricsRecord,
    NodeCpu,
    NodeIdle,
    PodCpu,
    PodPart,
    ProxyCpu,
    TrialCpu,
    Withheld,
)
from encbench.core.window import Sample, WindowRate, joined, pieces, summed, window_rate
from encbench.ports import BadQuery, Metrics, Series
from encbench.reconcile.trial import neighbours
from encbench.wire.foreign import printable

MAX_ALIGNMENT_ERROR = 0.02
"""Above this estimated error a CPU figure is withheld."""
CONTEXT = 5.0
"""Seconds stored before and after the window, for plots."""

PARTS: tuple[PodPart, ...] = ("database", "proxy", "agent", "recorder")
"""The campaign's own processes; the tool's CPU is in its summary, but for other arms' clients, and
of a client that lost its server."""

DATABASE_SERIES = {
    "database_cpu_seconds": "encbench_database_cpu_seconds_total",
    "database_resident_bytes": "encbench_database_resident_bytes",
    "database_read_bytes": "encbench_database_read_bytes_total",
    "database_write_bytes": "encbench_database_write_bytes_total",
}

UPTIME_SERIES = {"agent_uptime_seconds": "encbench_agent_uptime_seconds"}
"""A clock that is never set, as Prometheus has scraped it."""
MAX_STEP = 1.0
"""Seconds by which Prometheus' clock may seem to differ from that one over a window: a busy agent
is late with its answer."""

PROXY_SERIES = {
    "proxy_cpu_seconds": "encbench_proxy_cpu_seconds_total",
    "proxy_resident_bytes": "encbench_proxy_resident_bytes",
}
"""Of an arm whose clients come through the confidential proxy."""

_MODES = ("idle", "iowait", "steal")
"""What the kernel counts of a CPU that is not busy."""

VOLUME_SERIES = {"volume_cpu_seconds": "encbench_volume_cpu_seconds_total"}
"""Of an arm with a file system in the database's pod. The server's series have its CPU too."""

Process = Literal["database", "proxy", "volume"]
_Counted = Process | Literal["node"]

PROCESSES: Mapping[Process, str] = {"database": "server", "proxy": "proxy", "volume": "file system"}
"""What CPU is counted of in the database's pod, in words."""


@dataclass(frozen=True)
class WindowMetrics:
    """What Prometheus had of one window."""

    record: MetricsRecord | None = None
    cpu: TrialCpu = field(default_factory=TrialCpu)
    """But for the clients', which is in their summaries."""
    disk: DiskIo | None = None
    restarted: tuple[str, ...] = ()
    """Testbeds of the campaign's other databases that were to rest and restarted in the window."""
    problem: str = ""
    """Why it could not be asked."""

    @property
    def has_database(self) -> bool:
        """Whether there is a CPU series of the server at all."""
        return self.record is not None and "database_cpu_seconds" in self.record.series

    @property
    def has_proxy(self) -> bool:
        """The same of the proxy."""
        return self.record is not None and "proxy_cpu_seconds" in self.record.series

    def several(self, of: Process) -> int:
        """How many CPU series there were of that process, if more than one; else 0."""
        found = self.record.several if self.record is not None else None
        return (found or {}).get(f"{of}_cpu_seconds", 0)


@dataclass(frozen=True)
class MetricsPlace:
    """Whose window it is, and where its pods ran."""

    namespace: str
    campaign: str
    testbed: str
    node: str | None
    """Of the database."""
    limit: float
    """What the server may use, in cores, with a file system in its pod."""
    server_limit: float
    """The same without it, so that a rule is as strict in all arms."""
    clients: tuple[ClientFacts, ...] = ()
    external: External | None = None
    """Set where the database is external."""
    proxy_limit: float | None = None
    """What the confidential proxy may use, in cores; None where there is none."""
    volume_limit: float | None = None
    """The same of the file system in the database's pod."""
    in_turns: bool = False
    """Whether other arms' clients ran in the window too, as in an interleaved block."""
    cut_off: bool = False
    """Whether the clients lost their server, as a recovery has it: their summaries have no CPU."""

    @property
    def limits(self) -> dict[Process, float]:
        """What each process may use, in cores, of those that are there."""
        found = {"database": self.limit, "proxy": self.proxy_limit, "volume": self.volume_limit}
        return {of: limit for of in PROCESSES if (limit := found[of]) is not None}

    @property
    def nodes(self) -> tuple[str | None, ...]:
        """The database's, and the clients'."""
        return (self.node, *(client.node for client in self.clients))


async def read(metrics: Metrics, place: MetricsPlace, window: Window) -> MetricsRecord:
    """Read the series of a testbed, of what else the campaign runs, and of their nodes."""
    start, end = window.start - CONTEXT, window.end + CONTEXT
    own = f'namespace="{place.namespace}",testbed="{place.testbed}"'
    series: dict[str, tuple[Sample, ...]] = {}
    several: dict[str, int] = {}
    left_out: dict[str, str] = {}
    wanted: dict[str, str] = {}
    if place.external is None:
        wanted = DATABASE_SERIES | UPTIME_SERIES | _periods_series(place)
    else:
        series = await _named(metrics, place.external, window, start, end, left_out)
    if place.proxy_limit is not None:
        wanted |= PROXY_SERIES
    if place.volume_limit is not None:
        wanted |= VOLUME_SERIES
    for name, metric in wanted.items():
        found = _of(window, await metrics.raw(f"{metric}{{{own}}}", start, end))
        # A pod that was replaced shows as a second series: no window spans two servers.
        if len(found) == 1:
            series[name] = found[0].samples
        elif found:
            several[name] = len(found)
    pods: list[PodCpu] = []
    parts: tuple[PodPart, ...] = PARTS
    if place.in_turns or place.cut_off:
        parts = (*PARTS, "client")
    for part in parts:
        all_own = f'namespace="{place.namespace}",campaign="{place.campaign}"'
        query = f"encbench_{part}_cpu_seconds_total{{{all_own}}}"
        for one in _of(window, await metrics.raw(query, start, end)):
            testbed, node = one.labels.get("testbed", ""), one.labels.get("node", "")
            pods.append(PodCpu(part=part, testbed=testbed, node=node, samples=one.samples))
    cores = None
    if place.node:
        idle = await _idle(metrics, place.node, start, end, left_out)
        if idle is not None:
            cores = idle.cores
            series["node_idle_seconds"] = idle.samples
            series["node_waiting_seconds"] = idle.waiting
            series["node_stolen_seconds"] = idle.stolen
    others = sorted({c.node for c in place.clients if c.node and c.node != place.node})
    nodes = [await _idle(metrics, node, start, end, left_out) for node in others]
    return MetricsRecord(
        window=window,
        series=series,
        several=several or None,
        left_out=left_out or None,
        node_cores=cores,
        pods=tuple(pods),
        client_nodes=tuple(node for node in nodes if node is not None),
    )


def _periods_series(place: MetricsPlace) -> dict[str, str]:
    names = (f"{of}_{what}_periods" for of in place.limits for what in ("limit", "throttled"))
    return {name: f"encbench_{name}_total" for name in names}


async def _named(
    metrics: Metrics,
    external: External,
    window: Window,
    start: float,
    end: float,
    left_out: dict[str, str],
) -> dict[str, tuple[Sample, ...]]:
    """The CPU of a database that is not ours, by its template; nothing where that does not fit."""
    if external.database_cpu_query is None:
        return {}
    try:
        found = _of(window, await metrics.raw(external.database_cpu_query, start, end))
    except BadQuery as error:
        left_out["database_cpu_seconds"] = printable(f"databaseCpuQuery was refused: {error}")
        return {}
    return {"database_cpu_seconds": found[0].samples} if len(found) == 1 else {}


def _of(window: Window, found: Sequence[Series]) -> list[Series]:
    """Those with a sample in the window: around it there may be pods that went before it."""

    def inside(one: Series) -> bool:
        return any(window.start <= time <= window.end for time, _ in one.samples)

    return [one for one in found if inside(one)]


@dataclass(frozen=True)
class _Cpus:
    """A node's CPUs in a piece of the window, as one exporter shows them."""

    names: frozenset[str]
    sums: Mapping[str, Sequence[Sample]]
    """Over all of them, by mode."""


async def _idle(
    metrics: Metrics, node: str, start: float, end: float, left_out: dict[str, str]
) -> NodeIdle | None:
    """One series a CPU and mode; so many CPUs are the node's cores.

    A node may have several exporters: another release's, or the cluster's. They are scraped at
    different times, so their series have no sum, and one of them is enough. If they differ in their
    CPUs, they are of several nodes with one name, as a view of several clusters has them. Each
    piece is summed by itself, because all series of a large node for hours are more than the
    operator's memory.
    """
    selector = f'node_cpu_seconds_total{{cpu!="",mode=~"{"|".join(_MODES)}",node="{node}"}}'
    exporters: dict[frozenset[tuple[str, str]], list[_Cpus]] = {}
    for begin, until in pieces(start, end):
        for target, cpus in _by_exporter(await metrics.raw(selector, begin, until)).items():
            exporters.setdefault(target, []).append(cpus)
    if len({_names(shown) for shown in exporters.values()}) > 1:
        left_out[node] = (
            f"the exporters of node {node} differ in the CPUs they show, so Prometheus may have "
            "several nodes of that name"
        )
        return None
    found = [_together(node, shown) for shown in exporters.values()]
    return max(found, key=lambda one: len(one.samples), default=None)


def _by_exporter(found: Sequence[Series]) -> dict[frozenset[tuple[str, str]], _Cpus]:
    targets: dict[frozenset[tuple[str, str]], list[Series]] = {}
    for one in found:
        target = frozenset(item for item in one.labels.items() if item[0] not in ("cpu", "mode"))
        targets.setdefault(target, []).append(one)
    return {
        target: _Cpus(
            frozenset(one.labels["cpu"] for one in own),
            {mode: summed([o.samples for o in own if o.labels["mode"] == mode]) for mode in _MODES},
        )
        for target, own in targets.items()
    }


def _names(shown: Sequence[_Cpus]) -> frozenset[str]:
    return frozenset[str]().union(*(one.names for one in shown))


def _together(node: str, shown: Sequence[_Cpus]) -> NodeIdle:
    """Of the pieces with all CPUs: the sum over fewer is another counter."""
    names = _names(shown)
    sums: dict[str, list[Sample]] = {mode: [] for mode in _MODES}
    for one in shown:
        if one.names == names:
            for mode, samples in one.sums.items():
                joined(sums[mode], samples)
    idle, waiting, stolen = (tuple(sums[mode]) for mode in _MODES)
    cores = float(len(names))
    return NodeIdle(node=node, cores=cores, samples=idle, waiting=waiting, stolen=stolen)


def clock_step(record: MetricsRecord) -> float:
    """Seconds by which Prometheus' clock was set in the window; 0 where it was not, or is unknown.

    The times of samples are Prometheus'. If its clock was set between two of them, every rate is
    wrong by as much.
    """
    start, end = record.window.start, record.window.end
    samples = record.series.get("agent_uptime_seconds", ())
    inside = [(at, uptime) for at, uptime in samples if start <= at <= end]
    if len(inside) < 2:
        return 0.0
    (first, before), (last, after) = inside[0], inside[-1]
    step = (last - first) - (after - before)
    return step if abs(step) > max(MAX_STEP, MAX_ALIGNMENT_ERROR * (last - first)) else 0.0


def judge(record: MetricsRecord, place: MetricsPlace) -> WindowMetrics:
    """What the series say of their window."""
    if step := clock_step(record):
        why = f"Prometheus' clock was set by {step:+.1f} s, or the agent answered as late"
        unknown: Withheld = {"database": why, "node": why, "foreign": why, "idle": why}
        return WindowMetrics(record, TrialCpu(withheld=unknown | dict.fromkeys(place.limits, why)))
    node, left_out = place.node, record.left_out or {}
    withheld: Withheld = {}
    database = _process(record, "database", place.limit, withheld)
    if place.external is not None and "database_cpu_seconds" not in record.series:
        refused = left_out.get("database_cpu_seconds")
        withheld["database"] = refused or _not_available(place.external)
    known = neighbours.nodes(record, node)
    of_node = _of_node(record, known.get(node or ""), withheld)
    ambiguous = [left_out[name] for name in place.nodes if name in left_out]
    if node in left_out:
        withheld["node"] = left_out[node]
    others = neighbours.foreign(record, node, place.testbed, place.clients)
    resting, again = None, tuple[str, ...]()
    if place.external is not None:
        withheld |= _UNSEEN
    else:
        if not place.in_turns:
            resting = neighbours.idle(record, place.testbed, place.server_limit, place.nodes)
            again = neighbours.restarted(record, place.testbed, place.nodes)
        if others is None:
            lacks = "Prometheus lacks the CPU of a node, of our pods or of a client"
            withheld["foreign"] = ambiguous[0] if ambiguous else lacks
        if place.in_turns:
            withheld["idle"] = "the block's other databases take turns with this one"
        elif resting is None:
            withheld["idle"] = "Prometheus has no CPU of the campaign's databases"
    cpu = TrialCpu(
        database=database,
        proxy=_of_proxy(record, place, withheld),
        volume=_process(record, "volume", place.volume_limit, withheld, part_of=database),
        node=of_node,
        foreign=others or (),
        stolen=neighbours.stolen(record, known),
        idle=resting,
        throttled=_throttled(record, place),
        withheld=withheld,
    )
    return WindowMetrics(record, cpu, _disk(record), again)


def _of_node(record: MetricsRecord, node: NodeIdle | None, withheld: Withheld) -> NodeCpu | None:
    unused = _read(record, "node_idle_seconds", withheld, "node")
    if unused is None or node is None:
        return None
    busy = neighbours.busy(record, node) or 0.0
    error = unused.alignment_error
    if busy and unused.rate:
        # The error is one of idle cores, and busy ones are shown.
        error *= unused.rate / busy
    if not _is_aligned(error, withheld, "node"):
        return None
    return NodeCpu(fraction=busy / node.cores, cores=node.cores, node=node.node)


def _of_proxy(record: MetricsRecord, place: MetricsPlace, withheld: Withheld) -> ProxyCpu | None:
    used, window = _process(record, "proxy", place.proxy_limit, withheld), record.window
    if used is None:
        return None
    memory = [
        int(value)
        for time, value in record.series.get("proxy_resident_bytes", ())
        if window.start <= time <= window.end
    ]
    return ProxyCpu(**dict(used), memory_max_bytes=max(memory, default=None))


def _process(
    record: MetricsRecord,
    what: Process,
    limit: float | None,
    withheld: Withheld,
    part_of: DatabaseCpu | None = None,
) -> DatabaseCpu | None:
    """What it used; None where there is no such process, because it has no limit.

    The error of a part is judged by its whole, because the part may have little to do.
    """
    if limit is None:
        return None
    rate = _read(record, f"{what}_cpu_seconds", withheld, what)
    if rate is None:
        return None
    error = rate.alignment_error
    if part_of is not None and part_of.cores:
        error *= rate.rate / part_of.cores
    if not _is_aligned(error, withheld, what):
        return None
    return DatabaseCpu(
        cores=rate.rate,
        limit_cores=limit,
        coverage=rate.coverage,
        alignment_error=rate.alignment_error,
    )


_UNSEEN: Withheld = {
    "node": "others run the database, on a machine that Prometheus does not know",
    "foreign": "what else uses an external database's machine is not known",
    "idle": "all arms share one external database",
}
"""Of an external database."""


def _not_available(external: External) -> str:
    if external.database_cpu_query is None:
        return "others run the database, and its template names no databaseCpuQuery"
    return "databaseCpuQuery did not give exactly one series with samples in the window"


def _throttled(record: MetricsRecord, place: MetricsPlace) -> dict[Process, float] | None:
    """Nothing of what was not read, or did not run."""
    found: dict[Process, float] = {}
    for of in place.limits:
        ran, held_up = (
            window_rate(record.series.get(name, ()), record.window.start, record.window.end)
            for name in (f"{of}_limit_periods", f"{of}_throttled_periods")
        )
        if ran is not None and held_up is not None and ran.rate > 0:
            found[of] = min(1.0, held_up.rate / ran.rate)
    return found or None


def _disk(record: MetricsRecord) -> DiskIo | None:
    """None unless both directions are known; how bursty they are is no reason to withhold them."""
    read, write = (
        window_rate(record.series.get(name, ()), record.window.start, record.window.end)
        for name in ("database_read_bytes", "database_write_bytes")
    )
    if read is None or write is None:
        return None
    return DiskIo(read_bytes_per_second=read.rate, write_bytes_per_second=write.rate)


def _read(
    record: MetricsRecord, name: str, withheld: Withheld, what: _Counted
) -> WindowRate | None:
    """The rate of that series, however uncertain; or what there is to say in `withheld`."""
    if name not in record.series:
        several = (record.several or {}).get(name, 0)
        how_many = f"{several} such series instead of one" if several else "no such series"
        withheld[what] = f"Prometheus has {how_many}"
        return None
    rate = window_rate(record.series[name], record.window.start, record.window.end)
    if rate is None:
        withheld[what] = "fewer than two samples in the window, or the counter was reset"
    return rate


def _is_aligned(error: float, withheld: Withheld, what: _Counted) -> bool:
    if error > MAX_ALIGNMENT_ERROR:
        withheld[what] = f"alignment error {error:.1%} is above {MAX_ALIGNMENT_ERROR:.0%}"
    return error <= MAX_ALIGNMENT_ERROR
