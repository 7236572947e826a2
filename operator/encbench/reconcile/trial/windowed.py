"""What the series of a trial say of its window."""

from dataclasses import dataclass, field
from typing import Literal

from encbench.api.instancetemplate import External
from encbench.core.records import (
    DatabaseCpu,
    DiskIo,
    MetricsRecord,
    NodeCpu,
    NodeIdle,
    ProxyCpu,
    TrialCpu,
    Withheld,
)
from encbench.core.window import WindowRate, peak, window_rate
from encbench.reconcile.trial import neighbours
from encbench.reconcile.trial.series import MetricsPlace, Process
from encbench.text.rounding import beyond
from encbench.text.words import listed

MAX_ALIGNMENT_ERROR = 0.02
"""Above this estimated error a CPU figure is withheld."""

MAX_STEP = 1.0
"""Seconds by which Prometheus' clock may seem to differ from that one over a window: a busy agent
is late with its answer."""

_Counted = Process | Literal["node"]


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
    misplaced = neighbours.unlabelled(record, node, place.testbed)
    robbed = neighbours.robbed(record, node, place.clients)
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
        elif misplaced is not None:
            others, withheld["foreign"] = None, misplaced
        elif robbed:
            others = tuple(one for one in others if one.node not in robbed)
            if not others:
                withheld["foreign"] = next(iter(robbed.values()))
        if place.in_turns:
            withheld["idle"] = "the block's other databases take turns with this one"
        elif resting is None:
            lacks = "Prometheus lacks the CPU of the campaign's databases on the trial's nodes"
            withheld["idle"] = lacks
    cpu = TrialCpu(
        database=database,
        proxy=_of_proxy(record, place, withheld),
        volume=_process(record, "volume", place.volume_limit, withheld, part_of=database),
        node=of_node,
        foreign=others or (),
        stolen=neighbours.stolen(record, known),
        spare=neighbours.spare(record, known) or None,
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
    memory = peak(record.series.get("proxy_resident_bytes", ()), window.start, window.end)
    return ProxyCpu(**dict(used), memory_max_bytes=None if memory is None else int(memory))


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
    if part_of is not None and part_of.cores and rate.rate:
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
            _whole(record, name) for name in (f"{of}_limit_periods", f"{of}_throttled_periods")
        )
        if ran is not None and held_up is not None and ran.rate > 0:
            found[of] = min(1.0, held_up.rate / ran.rate)
    return found or None


def _disk(record: MetricsRecord) -> DiskIo | None:
    """None unless both directions are known; how bursty they are is no reason to withhold them."""
    read, write = (_whole(record, name) for name in ("database_read_bytes", "database_write_bytes"))
    if read is None or write is None:
        return None
    return DiskIo(read_bytes_per_second=read.rate, write_bytes_per_second=write.rate)


def _whole(record: MetricsRecord, name: str) -> WindowRate | None:
    """The rate of that series, however uncertain; None unless it reaches from edge to edge."""
    rate = window_rate(record.series.get(name, ()), record.window.start, record.window.end)
    return rate if rate is not None and rate.is_whole else None


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
    elif not rate.is_whole:
        withheld[what] = f"Prometheus lacks {_stretches(rate.lost)} of the window"
        return None
    return rate


def _stretches(lost: tuple[float, float]) -> str:
    named = zip(("first", "last"), lost, strict=True)
    return listed([f"the {which} {seconds:,.0f} s" for which, seconds in named if seconds])


def _is_aligned(error: float, withheld: Withheld, what: _Counted) -> bool:
    if error > MAX_ALIGNMENT_ERROR:
        shown, most = beyond(100 * error, 100 * MAX_ALIGNMENT_ERROR, 1), 100 * MAX_ALIGNMENT_ERROR
        withheld[what] = f"alignment error {shown}% is above {most:g}%"
    return error <= MAX_ALIGNMENT_ERROR
