"""A trial's CPU, memory and I/O from Prometheus: raw samples around its window.

Memory has no room for all samples of hours, so a window is read in pieces, and of a long one few
samples of each series are kept (`core.window`).
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from encbench.api.instancetemplate import External
from encbench.api.trial import Window
from encbench.core.records import ClientFacts, MetricsRecord, NodeIdle, PodCpu, PodPart
from encbench.core.window import KEPT, Sample, add_counter, add_gauge, pieces, summed
from encbench.ports import BadQuery, Metrics, Series, SeriesSource
from encbench.wire.foreign import printable

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

GAUGES = ("database_resident_bytes", "proxy_resident_bytes")
"""Those of the series here that are no counters."""

UPTIME_SERIES = {"agent_uptime_seconds": "encbench_agent_uptime_seconds"}
"""A clock that is never set, as Prometheus has scraped it."""

PROXY_SERIES = {
    "proxy_cpu_seconds": "encbench_proxy_cpu_seconds_total",
    "proxy_resident_bytes": "encbench_proxy_resident_bytes",
}
"""Of an arm whose clients come through the confidential proxy."""

MODES = ("idle", "iowait", "steal")
"""What the kernel counts of a CPU that is not busy. The chart's Prometheus keeps no others."""

VOLUME_SERIES = {"volume_cpu_seconds": "encbench_volume_cpu_seconds_total"}
"""Of an arm with a file system in the database's pod. The server's series have its CPU too."""

Process = Literal["database", "proxy", "volume"]

PROCESSES: Mapping[Process, str] = {"database": "server", "proxy": "proxy", "volume": "file system"}
"""What CPU is counted of in the database's pod, in words."""


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
    testbeds: int = 1
    """How many are known to have pods on its nodes: those of an interleaved block."""
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


@dataclass(frozen=True)
class _Asked:
    """Prometheus, asked about one window."""

    metrics: SeriesSource
    window: Window

    @property
    def span(self) -> tuple[float, float]:
        """The window with what is stored around it."""
        return self.window.start - CONTEXT, self.window.end + CONTEXT

    async def about(self, selector: str, *, of_gauge: bool = False) -> list[Series]:
        """The series with a sample in the window: around it are pods that went before it."""
        found: dict[tuple[tuple[str, str], ...], list[Sample]] = {}
        for begin, until in pieces(*self.span):
            piece = await self.metrics.raw(selector, begin, until)
            # Not in the event loop: so many samples of all pods take a tenth of a second.
            await asyncio.to_thread(self._add, found, piece, add_gauge if of_gauge else add_counter)
        series = [Series(dict(key), tuple(found[key])) for key in sorted(found)]
        return [one for one in series if self._has(one)]

    def _add(
        self,
        found: dict[tuple[tuple[str, str], ...], list[Sample]],
        piece: Sequence[Series],
        add: Callable[[list[Sample], Sequence[Sample], float, float], None],
    ) -> None:
        for one in piece:
            known = found.setdefault(tuple(sorted(one.labels.items())), [])
            add(known, one.samples, self.window.start, self.window.end)

    async def named(self, query: str) -> list[Series]:
        """The same of a template's own query, whose answers have a bound for the whole window."""
        found = [one for one in await self.metrics.raw(query, *self.span) if self._has(one)]
        return [Series(one.labels, self.thinned(one.samples)) for one in found]

    def thinned(self, samples: Sequence[Sample]) -> tuple[Sample, ...]:
        """Those of a counter that are kept."""
        kept: list[Sample] = []
        add_counter(kept, samples, self.window.start, self.window.end)
        return tuple(kept)

    def _has(self, one: Series) -> bool:
        return any(self.window.start <= time <= self.window.end for time, _ in one.samples)


def expected(place: MetricsPlace, window: Window) -> float:
    """About how many samples `read` keeps of a window."""
    nodes = {node for node in place.nodes if node is not None}
    names = len(_wanted(place)) + len(MODES) * len(nodes) + _pods(place) * place.testbeds
    return names * min(window.end - window.start + 2 * CONTEXT, KEPT)


def _pods(place: MetricsPlace) -> int:
    """How many of a testbed's are asked for: each of its clients has a recorder."""
    clients = max(1, len(place.clients))
    return sum(clients if part in ("recorder", "client") else 1 for part in _parts(place))


async def read(metrics: Metrics, place: MetricsPlace, window: Window) -> MetricsRecord:
    """Read the series of a testbed, of what else the campaign runs there, and of their nodes."""
    asked = _Asked(await metrics.timed(), window)
    own = f'namespace="{place.namespace}",testbed="{place.testbed}"'
    series: dict[str, tuple[Sample, ...]] = {}
    several: dict[str, int] = {}
    left_out: dict[str, str] = {}
    pods: list[PodCpu] = []
    if place.external is not None:
        series = await _named(asked, place.external, left_out)
    for name, metric in _wanted(place).items():
        found = await asked.about(f"{metric}{{{own}}}", of_gauge=name in GAUGES)
        # A pod that was replaced shows as a second series: no window spans two servers.
        if len(found) == 1:
            series[name] = found[0].samples
        elif found:
            several[name] = len(found)
        if name == "database_cpu_seconds":
            pods += _measured(place, found)
    pods += await _beside(asked, place)
    cores = None
    if place.node:
        idle = await _idle(asked, place.node, left_out)
        if idle is not None:
            cores = idle.cores
            series["node_idle_seconds"] = idle.samples
            series["node_waiting_seconds"] = idle.waiting
            series["node_stolen_seconds"] = idle.stolen
    others = sorted({c.node for c in place.clients if c.node and c.node != place.node})
    nodes = [await _idle(asked, node, left_out) for node in others]
    return MetricsRecord(
        window=window,
        series=series,
        several=several or None,
        left_out=left_out or None,
        node_cores=cores,
        pods=tuple(pods),
        client_nodes=tuple(node for node in nodes if node is not None),
    )


def _wanted(place: MetricsPlace) -> dict[str, str]:
    """The testbed's own series, by the name under which they are stored."""
    wanted: dict[str, str] = {}
    if place.external is None:
        wanted = DATABASE_SERIES | UPTIME_SERIES | _periods_series(place)
    if place.proxy_limit is not None:
        wanted |= PROXY_SERIES
    if place.volume_limit is not None:
        wanted |= VOLUME_SERIES
    return wanted


def _parts(place: MetricsPlace) -> tuple[PodPart, ...]:
    return (*PARTS, "client") if place.in_turns or place.cut_off else PARTS


def _measured(place: MetricsPlace, found: Sequence[Series]) -> list[PodCpu]:
    """The testbed's own database, on whichever node its series say it ran.

    A wrong one, or none, is how one knows that the label is missing (`neighbours.unlabelled`).
    """
    ours = [one for one in found if one.labels.get("campaign") == place.campaign]
    return [_pod("database", one) for one in ours]


async def _beside(asked: _Asked, place: MetricsPlace) -> list[PodCpu]:
    """What else the campaign runs on the trial's nodes, or where no label says where."""
    nodes = sorted({re.escape(node) for node in place.nodes if node is not None})
    there = "|".join(["", *nodes]).replace("\\", "\\\\")
    own = f'namespace="{place.namespace}",campaign="{place.campaign}",node=~"{there}"'
    pods: list[PodCpu] = []
    for part in _parts(place):
        others = f',testbed!="{place.testbed}"' if part == "database" else ""
        query = f"encbench_{part}_cpu_seconds_total{{{own}{others}}}"
        pods += [_pod(part, one) for one in await asked.about(query)]
    return pods


def _pod(part: PodPart, one: Series) -> PodCpu:
    testbed, node = one.labels.get("testbed", ""), one.labels.get("node", "")
    return PodCpu(part=part, testbed=testbed, node=node, samples=one.samples)


def _periods_series(place: MetricsPlace) -> dict[str, str]:
    names = (f"{of}_{what}_periods" for of in place.limits for what in ("limit", "throttled"))
    return {name: f"encbench_{name}_total" for name in names}


async def _named(
    asked: _Asked, external: External, left_out: dict[str, str]
) -> dict[str, tuple[Sample, ...]]:
    """The CPU of a database that is not ours, by its template; nothing where that does not fit."""
    if external.database_cpu_query is None:
        return {}
    try:
        found = await asked.named(external.database_cpu_query)
    except BadQuery as error:
        left_out["database_cpu_seconds"] = printable(f"databaseCpuQuery was refused: {error}")
        return {}
    return {"database_cpu_seconds": found[0].samples} if len(found) == 1 else {}


@dataclass(frozen=True)
class _Cpus:
    """A node's CPUs in a piece of the window, as one exporter shows them."""

    names: frozenset[str]
    sums: Mapping[str, Sequence[Sample]]
    """Over all of them, by mode."""


async def _idle(asked: _Asked, node: str, left_out: dict[str, str]) -> NodeIdle | None:
    """One series a CPU and mode; so many CPUs are the node's cores.

    A node may have several exporters: another release's, or the cluster's. They are scraped at
    different times, so their series have no sum, and one of them is enough. If they differ in their
    CPUs, they are of several nodes with one name, as a view of several clusters has them. Each
    piece is summed by itself, because all series of a large node for hours are more than the
    operator's memory.
    """
    selector = f'node_cpu_seconds_total{{cpu!="",mode=~"{"|".join(MODES)}",node="{node}"}}'
    exporters: dict[frozenset[tuple[str, str]], list[_Cpus]] = {}
    for begin, until in pieces(*asked.span):
        piece = await asked.metrics.raw(selector, begin, until)
        # Not in the event loop: the CPUs of a large node take a tenth of a second or more.
        for target, cpus in (await asyncio.to_thread(_by_exporter, asked, piece)).items():
            exporters.setdefault(target, []).append(cpus)
    if len({_names(shown) for shown in exporters.values()}) > 1:
        left_out[node] = (
            f"the exporters of node {node} differ in the CPUs they show, so Prometheus may have "
            "several nodes of that name"
        )
        return None
    found = [_together(asked.window, node, shown) for shown in exporters.values()]
    return max(found, key=lambda one: len(one.samples), default=None)


def _by_exporter(asked: _Asked, found: Sequence[Series]) -> dict[frozenset[tuple[str, str]], _Cpus]:
    targets: dict[frozenset[tuple[str, str]], list[Series]] = {}
    for one in found:
        target = frozenset(item for item in one.labels.items() if item[0] not in ("cpu", "mode"))
        targets.setdefault(target, []).append(one)
    return {
        target: _Cpus(
            frozenset(one.labels["cpu"] for one in own),
            {mode: asked.thinned(_summed(own, mode)) for mode in MODES},
        )
        for target, own in targets.items()
    }


def _summed(cpus: Sequence[Series], mode: str) -> list[Sample]:
    return summed([one.samples for one in cpus if one.labels["mode"] == mode])


def _names(shown: Sequence[_Cpus]) -> frozenset[str]:
    return frozenset[str]().union(*(one.names for one in shown))


def _together(window: Window, node: str, shown: Sequence[_Cpus]) -> NodeIdle:
    """Of the pieces with all CPUs: the sum over fewer is another counter."""
    names = _names(shown)
    sums: dict[str, list[Sample]] = {mode: [] for mode in MODES}
    for one in shown:
        if one.names == names:
            for mode, samples in one.sums.items():
                add_counter(sums[mode], samples, window.start, window.end)
    idle, waiting, stolen = (tuple(sums[mode]) for mode in MODES)
    cores = float(len(names))
    return NodeIdle(node=node, cores=cores, samples=idle, waiting=waiting, stolen=stolen)
