"""Reading back what the clients stored, and making figures of it.

Every artefact is read from the bucket, never from a pod: what the report rests on is what lies
there.
"""

from encbench.api.trial import TrialResult, Window
from encbench.core.artefact import check, decode, digest_of
from encbench.core.evidence import ClientSummary, ClientWindow
from encbench.core.figures import RECOVERY_SECONDS, STOP_SECONDS
from encbench.core.records import ClientCpu, ClientFacts, KindRecord, RecoveryFacts
from encbench.ports import Store
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.facts import TrialSeen
from encbench.reconcile.trial.first_stored import key_of
from encbench.reconcile.trial.gathered import Collected
from encbench.tools.measurement import Measurement, ParseError
from encbench.tools.registry import tool
from encbench.wire.files import FILES, OUTPUT, SUMMARY, of_client

MAX_LATENESS = 3.0
"""Seconds by which a client may start late; one that is further off has another clock."""
MAX_EARLY = 0.7
"""Seconds by which a client may end before its server's planned stop; stamps are not that exact."""


def client_key(trial: Trial, index: int, name: str) -> str:
    """Key in the bucket of one client's file."""
    return key_of(trial, of_client(index, name))


async def collect(store: Store, trial: Trial, seen: TrialSeen) -> Collected:
    """Read and check every client's artefacts. Unavailable when the store is away."""
    artefacts: dict[str, str] = {}
    summaries: list[ClientSummary] = []
    outputs: list[str] = []
    missing: list[str] = []
    expected = {client.pod.index: client.run.digests or {} for client in seen.clients if client.run}
    for index in range(trial.spec.workload.client.replicas):
        for name in FILES:
            key = client_key(trial, index, name)
            content = await store.get(key)
            if content is None:
                missing.append(key)
                continue
            digest = expected.get(index, {}).get(name)
            if digest is not None:
                check(content, key, digest)
            artefacts[of_client(index, name)] = digest_of(content)
            if name == SUMMARY:
                summaries.append(decode(ClientSummary, content, key))
            elif name == OUTPUT:
                outputs.append(content.decode(errors="replace"))
    if missing:
        return Collected(artefacts, missing=missing[0])
    skews = [_skew(summary, trial.status.release_at) for summary in summaries]
    if trial.spec.workload.recovery is not None:
        return _cut_off(trial, seen, artefacts, summaries, outputs, skews)
    windows = [_shifted(s.window, skew) for s, skew in zip(summaries, skews, strict=True)]
    start = max((w.start for w in windows if w), default=0.0)
    end = min((w.end for w in windows if w), default=0.0)
    if None in windows or end <= start:
        return Collected(artefacts, problem="a client ended before its measured window began")
    window = Window(start=start, end=end)
    kind = tool(trial.spec.workload)
    try:
        parts = [kind.parse(output) for output in outputs]
    except ParseError as error:
        return Collected(artefacts, window, problem=str(error))
    clients = tuple(
        _client_facts(summary, part, skew, seen, index)
        for index, (summary, part, skew) in enumerate(zip(summaries, parts, skews, strict=True))
    )
    return Collected(artefacts, window, kind.merge(parts), clients, _client_cpu(clients))


def _cut_off(
    trial: Trial,
    seen: TrialSeen,
    artefacts: dict[str, str],
    summaries: list[ClientSummary],
    outputs: list[str],
    skews: list[float],
) -> Collected:
    """Of clients whose server was stopped on purpose: what they saw of the planned window.

    It is counted from the tool's start, which is what its lines count from.
    """
    kind, load = tool(trial.spec.workload), trial.spec.workload.load
    planned = load.warmup_seconds + load.duration_seconds
    early = max(
        (_early(s, skew, planned, trial) for s, skew in zip(summaries, skews, strict=True)),
        default=0.0,
    )
    if early > MAX_EARLY:
        return Collected(artefacts, problem="a client ended before the stop", early=early)
    assert kind.parse_cut is not None  # noqa: S101 - the API refuses recovery with other tools
    warmup, duration = load.warmup_seconds, load.duration_seconds
    try:
        parts = [kind.parse_cut(output, warmup, duration) for output in outputs]
    except ParseError as error:
        return Collected(artefacts, problem=str(error))
    begins = [
        s.began.unix - skew for s, skew in zip(summaries, skews, strict=True) if s.began is not None
    ]
    if len(begins) != len(parts):
        return Collected(artefacts, problem="a client ended without having begun")
    last = [began + part.series[-1].second for began, part in zip(begins, parts, strict=True)]
    window = Window(start=max(begins) + warmup, end=min(last))
    if window.end <= window.start:
        return Collected(artefacts, problem="the clients' windows have no second in common")
    clients = tuple(
        _client_facts(summary, part, skew, seen, index)
        for index, (summary, part, skew) in enumerate(zip(summaries, parts, skews, strict=True))
    )
    return Collected(artefacts, window, kind.merge(parts), clients, _client_cpu(clients))


def _early(summary: ClientSummary, skew: float, planned: float, trial: Trial) -> float:
    """Seconds by which a client ended before its server's planned stop.

    By how long it ran and by when it ended, whichever is less: one that started late ran for less,
    and one whose clock is a little off seems to end at another time.
    """
    if summary.began is None or summary.ended is None:
        return 0.0
    ran = summary.ended.monotonic - summary.began.monotonic
    ended = summary.began.unix - skew + ran - (trial.status.release_at or 0.0)
    return planned - max(ran, ended)


def _skew(summary: ClientSummary, release_at: float | None) -> float:
    """The client's clock minus ours, in seconds; 0 where a late start may explain all of it.

    It was to start at `release_at` by its own clock, and stamped when it did.
    """
    if summary.began is None or release_at is None:
        return 0.0
    apart = summary.began.unix - release_at
    return apart if abs(apart) > MAX_LATENESS else 0.0


def _shifted(window: ClientWindow | None, skew: float) -> Window | None:
    if window is None:
        return None
    return Window(start=window.start - skew, end=window.end - skew)


def _client_facts(
    summary: ClientSummary, part: Measurement, skew: float, seen: TrialSeen, index: int
) -> ClientFacts:
    seconds = summary.window.seconds if summary.window else None
    cores = summary.cpu_seconds / seconds if summary.cpu_seconds is not None and seconds else None
    node = next((c.pod.node for c in seen.clients if c.pod.index == index), None)
    return ClientFacts(
        tps=part.tps,
        cpu_cores=cores,
        cpu_limit_cores=summary.cpu_limit_cores,
        memory_max_bytes=summary.memory_max_bytes,
        memory_limit_bytes=summary.memory_limit_bytes,
        throttled_seconds=summary.throttled_seconds,
        clock_skew_seconds=skew or summary.clock_skew_seconds,
        node=node,
        sessions=part.sessions,
        columns=part.columns or None,
    )


def _client_cpu(clients: tuple[ClientFacts, ...]) -> ClientCpu | None:
    cores = [c.cpu_cores for c in clients if c.cpu_cores is not None]
    limits = [c.cpu_limit_cores for c in clients if c.cpu_limit_cores is not None]
    if len(cores) != len(clients) or len(limits) != len(clients) or not clients:
        return None
    return ClientCpu(cores=sum(cores), limit_cores=sum(limits))


def result_of(
    measurement: Measurement,
    cpu: ClientCpu | None,
    database: float | None,
    recovery: RecoveryFacts | None = None,
) -> TrialResult:
    """The figures for the trial's status."""
    extra = dict(measurement.extra)
    if recovery is not None:
        extra[RECOVERY_SECONDS] = recovery.recovery_seconds
        extra[STOP_SECONDS] = recovery.stop_seconds
    return TrialResult(
        tps=_shown(measurement.tps),
        qps=_if_known(measurement.qps),
        latency_average_ms=_if_known(measurement.latency_average_ms),
        latency_p95_ms=_if_known(measurement.latency_p95_ms),
        errors=measurement.errors,
        database_cpu_cores=_if_known(database),
        client_cpu_cores=_if_known(cpu.cores if cpu else None),
        extra={name: _shown(value) for name, value in extra.items()},
    )


def kinds_of(measurement: Measurement) -> tuple[KindRecord, ...]:
    """The kinds of transactions as the trial's record has them."""
    return tuple(
        KindRecord(
            name=kind.name,
            transactions=kind.transactions,
            errors=kind.errors,
            latency_average_ms=_if_known(kind.latency_average_ms),
            latency_p95_ms=_if_known(kind.latency_p95_ms),
        )
        for kind in measurement.kinds
    )


def _if_known(value: float | None) -> float | None:
    return None if value is None else _shown(value)


def _shown(value: float) -> float:
    """Six significant digits: far below the noise, and no longer than a table has room for."""
    return float(f"{value:.6g}")
