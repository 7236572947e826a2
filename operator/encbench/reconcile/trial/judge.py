"""Whether a measured trial counts: rules that are fixed beforehand and never look at its TPS."""

from collections.abc import Iterator

from encbench.api import lifecycle as life
from encbench.api.trial import Outcome, TrialSpec
from encbench.core.records import DiskIo, IdleCpu, TrialCpu
from encbench.core.throttling import running_seconds, throttled_share
from encbench.reconcile.trial.facts import Collected, TrialGathered
from encbench.reconcile.trial.series import Process
from encbench.reconcile.trial.windowed import WindowMetrics
from encbench.text.rounding import beyond
from encbench.tools.measurement import Measurement

STEP = 0.2
"""Seconds by which a clock may move against the monotonic one at any time."""
SLEW = 0.002
"""The share of the window by which it may move in addition; warm-up and start count as well."""

_IN_THE_RUN = "during the run"
_UNREADABLE = (
    "; AppArmor or SELinux of the node may also keep the agent from the file system's process (see "
    "docs/modes.md)"
)

Judgement = tuple[Outcome, str | None, str | None]
"""Outcome, reason and message; the last two are None for a valid trial."""


def judge(
    spec: TrialSpec,
    gathered: TrialGathered,
    *,
    has_agent: bool = True,
    has_proxy: bool = False,
    over_fuse: bool = False,
) -> Judgement:
    """Succeeded, or why not; the first rule that fails is the reason.

    Without an agent beside the database the sessions are the only proof, and a series of its CPU is
    not required. With a proxy between the two it must have worked in the window: clients that
    do not come through it measure another mode. Over a FUSE file system the agent reads that one's
    process as well, which some nodes forbid.

    A restart, a disruption and a failed proof of the server ended the trial before this. Of a
    server without an agent, lost connections are the only sign of a restart. What was not measured
    breaks no rule but that of the lost series; the record says that it is missing.
    """
    broken = next(_broken(spec, gathered, has_agent=has_agent, has_proxy=has_proxy), None)
    if broken is not None:
        reason, message = broken
        missing = not (gathered.metrics.problem or gathered.metrics.several("database"))
        hint = _UNREADABLE if over_fuse and reason == "SeriesLost" and missing else ""
        return "Invalid", reason, f"{message}{hint}"
    if gathered.collected.measurement is None:
        return "Failed", "OutputUnreadable", gathered.collected.problem
    return "Succeeded", None, None


def _broken(
    spec: TrialSpec, gathered: TrialGathered, *, has_agent: bool, has_proxy: bool
) -> Iterator[tuple[str, str]]:
    """The rules that the trial breaks, as reason and message."""
    collected, sessions, metrics = gathered.collected, gathered.clients_proof, gathered.metrics
    yield from _unfit(collected)
    measurement = collected.measurement
    if measurement is None:
        return
    if not has_agent:
        yield from _closed(spec, measurement)
    if sessions is None and not has_agent:
        yield "ProofFailed", "the clients did not say what their sessions negotiated"
    if sessions is not None and not sessions.ok:
        yield "ProofFailed", sessions.summary
    yield from _clock_set(collected)
    if measurement.transactions == 0:
        yield "NoTransactions", "the tool finished no transaction in the window"
        return
    limit, run = spec.workload.max_error_rate, collected.whole_run or measurement
    if run.errors / max(1, run.transactions) > limit:
        message = f"{run.errors} errors in {run.transactions} transactions are more"
        yield "ErrorRate", f"{message} than maxErrorRate {limit:g} allows"
    if has_agent and not metrics.has_database:
        yield "SeriesLost", _lost(metrics, "database", "the database")
    if has_proxy and not metrics.has_proxy:
        yield "SeriesLost", _lost(metrics, "proxy", "the confidential proxy")
    in_turns, most = spec.turns is not None, spec.workload.max_read_kib
    yield from _not_in_memory(most, metrics.disk, measurement, in_turns=in_turns)
    if has_proxy and metrics.cpu.proxy is not None and metrics.cpu.proxy.cores == 0:
        message = "the confidential proxy used no CPU in the window"
        yield "ProofFailed", f"{message}: the clients did not come through it"
    yield from _throttled(spec.limits.client_throttling, collected)
    yield from _foreign(spec.limits.foreign_cpu, metrics.cpu, in_turns=in_turns)
    yield from _not_idle(spec.limits.idle_cpu, metrics.cpu.idle)
    yield from _not_at_rest(spec.limits.idle_cpu, metrics.restarted)


def _unfit(collected: Collected) -> Iterator[tuple[str, str]]:
    """What keeps the clients' files from counting at all."""
    if collected.missing:
        message = f"a client pod ended before its log was stored: {collected.missing} is not there"
        yield "ArtefactsLost", message
    if collected.too_large:
        message = f"{collected.too_large}: have the workload's client print less"
        yield "OutputTooLarge", message
    if collected.early:
        message = f"a client ended by itself {collected.early:.1f} s before the server was stopped"
        yield "NotUnderLoad", message
    if collected.misplaced:
        yield "ClockSet", collected.misplaced
    if collected.unkept or collected.problem:
        # Whoever missed a slot by its clock, which was set, was in time by another.
        yield from _clock_set(collected)
    if collected.unkept:
        yield "SlotMissed", collected.unkept


def _closed(spec: TrialSpec, measurement: Measurement) -> Iterator[tuple[str, str]]:
    """Connections that a TPC-C client lost: what it has connected to since is proven by nothing.

    sysbench ends with a lost connection, and what it counts is what a script does on purpose.
    """
    lost = measurement.reconnects
    if spec.workload.tpcc is not None and lost:
        message = f"the server, or something before it, closed connections: clients made {lost}"
        yield life.DISRUPTED, f"{message} new ones during the run, whose sessions are not proven"


def _lost(metrics: WindowMetrics, of: Process, whose: str) -> str:
    if metrics.problem:
        return f"the CPU series of {whose} in the window could not be read: {metrics.problem}"
    if several := metrics.several(of):
        return (
            f"Prometheus has {several} CPU series of {whose} in the window instead of one: leave "
            "one job that scrapes pods labelled encbench.io/scrape=true"
        )
    return (
        f"Prometheus has no CPU series of {whose} in the window: see that it scrapes pods labelled "
        "encbench.io/scrape=true"
    )


def _clock_set(collected: Collected) -> Iterator[tuple[str, str]]:
    """A clock that moved against the monotonic one: some tools count by it, and so do windows.

    A daemon that adjusts a clock changes its rate by 0.05 % at most, which is allowed for.
    """
    window = collected.window
    length = 0.0 if window is None else window.end - window.start
    clocks = [
        (f"the clock of client {index}", client.clock_skew_seconds or 0.0, _IN_THE_RUN)
        for index, client in enumerate(collected.clients)
    ]
    clocks += [
        ("the operator's clock", collected.own_clock_moved, _IN_THE_RUN),
        (
            "the operator's clock, or that of the database's node,",
            collected.clocks_apart,
            "between the first proof and the reading of the samples",
        ),
    ]
    for whose, moved, when in clocks:
        if abs(moved) > STEP + SLEW * max(0.0, length):
            message = f"{whose} was set by {moved:+.1f} s {when}"
            yield "ClockSet", f"{message}: have its node's time adjusted smoothly, or between runs"


def _not_in_memory(
    limit: float | None, disk: DiskIo | None, measurement: Measurement, *, in_turns: bool
) -> Iterator[tuple[str, str]]:
    if limit is None:
        return
    if disk is None:
        whose = "the agent" if in_turns else "Prometheus"
        message = f"{whose} lacks what the database read from its disk in the window"
        yield "SeriesLost", f"{message}, so maxReadKib {limit:g} cannot be judged"
        return
    read = disk.read_bytes_per_second * measurement.seconds / 1024 / measurement.transactions
    if read > limit:
        yield (
            "NotInMemory",
            f"the database read {beyond(read, limit, 1)} KiB from its disk per transaction, more "
            f"than maxReadKib {limit:g} allows: give its pool more memory, or the load a longer "
            "warmup",
        )


def _throttled(limit: float, collected: Collected) -> Iterator[tuple[str, str]]:
    running = running_seconds(collected.window, collected.slices)
    for index, client in enumerate(collected.clients):
        share = throttled_share(client, running)
        if share is not None and share > limit:
            yield (
                "ClientThrottled",
                f"client {index} was throttled for {beyond(100 * share, 100 * limit, 1)}% of the "
                f"{running:.0f} s in which it ran, more than limits.clientThrottling {limit:g} "
                f"({100 * limit:g}%) allows: give client.resources.cpu more",
            )


def _foreign(limit: float, cpu: TrialCpu, *, in_turns: bool) -> Iterator[tuple[str, str]]:
    # The modes of the other arms, which would say whether they have such ciphers, are not at hand.
    beside = " and other arms' ciphers there" if in_turns else ""
    for node in cpu.foreign:
        if limit < 1 and node.fraction > limit and not node.with_dm_crypt:
            yield (
                "ForeignLoad",
                "others, or interrupts and kernel work of the campaign's own traffic"
                f"{beside}, used {beyond(100 * node.fraction, 100 * limit)}% of node "
                f"{node.node}'s {node.node_cores:g} cores in the window, more than "
                f"limits.foreignCpu {limit:g} ({100 * limit:g}%) allows",
            )


def _not_idle(limit: float, idle: IdleCpu | None) -> Iterator[tuple[str, str]]:
    if idle is not None and limit < 1 and idle.cores > limit * idle.limit_cores:
        most = max(idle.testbeds, key=lambda name: idle.testbeds[name])
        yield (
            "NotIdle",
            f"the campaign's other databases used "
            f"{beyond(idle.cores, limit * idle.limit_cores, 3)} cores in the window, most of them "
            f"{most}: more than limits.idleCpu {limit:g} of {idle.limit_cores:g} cores allows",
        )


def _not_at_rest(limit: float, restarted: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if restarted and limit < 1:
        names = ", ".join(restarted)
        yield "NotIdle", f"other databases of the campaign restarted in the window: {names}"
