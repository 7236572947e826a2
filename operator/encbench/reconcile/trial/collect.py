"""Reading back what the clients stored, and making figures of it.

Every artefact is read from the bucket, never from a pod: what the report rests on is what lies
there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from encbench.api.trial import TrialSpec, Window
from encbench.core.artefact import check, decode, digest_of
from encbench.core.evidence import ClientSummary
from encbench.core.records import ClientCpu, ClientFacts
from encbench.core.slices import Slices, SlicesError, of_clients, read_file
from encbench.ports import Store
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.facts import Collected, TrialSeen
from encbench.reconcile.trial.first_stored import key_of
from encbench.tools.measurement import Measurement, ParseError, in_slices
from encbench.tools.registry import Tool, tool
from encbench.wire.files import FILES, OUTPUT, SLICES, SUMMARY, of_client

MAX_LATENESS = 3.0
"""Seconds by which a client may start late; one that is further off has another clock."""
MAX_EARLY = 0.7
"""Seconds by which a client may end before its server's planned stop; stamps are not that exact."""


@dataclass(frozen=True)
class _Run:
    """What one client left behind, in order of its index."""

    summary: ClientSummary
    output: str
    skew: float
    """The client's clock minus ours, in seconds."""


def files(spec: TrialSpec) -> tuple[str, ...]:
    """What every client of a trial stores."""
    return FILES if spec.turns is None else (*FILES, SLICES)


def client_key(trial: Trial, index: int, name: str) -> str:
    """Key in the bucket of one client's file."""
    return key_of(trial, of_client(index, name))


async def collect(store: Store, trial: Trial, seen: TrialSeen) -> Collected:
    """Read and check every client's artefacts. Unavailable when the store is away."""
    stored = await _read(store, trial, seen)
    artefacts = {name: digest_of(one) for name, one in stored.items() if one is not None}
    replicas = range(trial.spec.workload.client.replicas)
    names = [of_client(index, name) for index in replicas for name in files(trial.spec)]
    missing = next((name for name in names if stored[name] is None), None)
    if missing is not None:
        return Collected(artefacts, missing=key_of(trial, missing))
    runs = []
    for index in replicas:
        key = client_key(trial, index, SUMMARY)
        summary = decode(ClientSummary, stored[of_client(index, SUMMARY)] or b"", key)
        output = (stored[of_client(index, OUTPUT)] or b"").decode(errors="replace")
        runs.append(_Run(summary, output, _skew(summary, trial.status.release_at)))
    kind = tool(trial.spec.workload)
    if trial.spec.workload.recovery is not None:
        found = _cut_off(trial, artefacts, runs)
    else:
        found = _whole(kind, artefacts, runs)
    if isinstance(found, Collected):
        return found
    window, parts = found
    nodes = {client.pod.index: client.pod.node for client in reversed(seen.clients)}
    clients = tuple(
        _client_facts(run, part, nodes.get(index))
        for index, (run, part) in enumerate(zip(runs, parts, strict=True))
    )
    whole = Collected(artefacts, window, kind.merge(parts), clients, _client_cpu(clients))
    if trial.spec.turns is None:
        return whole
    kept = [
        read_file(stored[of_client(index, SLICES)] or b"", client_key(trial, index, SLICES))
        for index in replicas
    ]
    try:
        skews = [run.skew for run in runs]
        return _counted(whole, of_clients(kept, skews, len(trial.spec.turns.trials)))
    except SlicesError as error:
        return Collected(artefacts, window, problem=str(error))


async def _read(store: Store, trial: Trial, seen: TrialSeen) -> dict[str, bytes | None]:
    """The clients' files by name; None for one that is not there.

    RecordError for one that is not what its recorder says that it stored.
    """
    found: dict[str, bytes | None] = {}
    expected = {client.pod.index: client.run.digests or {} for client in seen.clients if client.run}
    for index in range(trial.spec.workload.client.replicas):
        for name in files(trial.spec):
            key = client_key(trial, index, name)
            content = found[of_client(index, name)] = await store.get(key)
            digest = expected.get(index, {}).get(name)
            if content is not None and digest is not None:
                check(content, key, digest)
    return found


def _counted(whole: Collected, slices: Slices) -> Collected:
    """The part of a run that the slices of its own arm count."""
    assert whole.measurement is not None  # noqa: S101 - it was parsed
    cpu = whole.cpu and whole.cpu.model_copy(
        update={"cores": slices.client_cpu_seconds / slices.seconds}
    )
    return replace(
        whole,
        window=Window(start=slices.rows[0].counted, end=slices.rows[-1].end),
        measurement=in_slices(whole.measurement, slices),
        cpu=cpu,
        slices=slices,
    )


Measured = tuple[Window, list[Measurement]]
"""The window that all clients share, and what each of them measured."""


def _whole(kind: Tool, artefacts: dict[str, str], runs: Sequence[_Run]) -> Measured | Collected:
    """Of clients that ended by themselves; why there is nothing to measure otherwise."""
    windows = [
        Window(start=run.summary.window.start - run.skew, end=run.summary.window.end - run.skew)
        for run in runs
        if run.summary.window
    ]
    start = max((window.start for window in windows), default=0.0)
    end = min((window.end for window in windows), default=0.0)
    if len(windows) < len(runs) or end <= start:
        return Collected(artefacts, problem="a client ended before its measured window began")
    window = Window(start=start, end=end)
    try:
        return window, [kind.parse(run.output) for run in runs]
    except ParseError as error:
        return Collected(artefacts, window, problem=str(error))


def _cut_off(trial: Trial, artefacts: dict[str, str], runs: Sequence[_Run]) -> Measured | Collected:
    """Of clients whose server was stopped on purpose: what they saw of the planned window.

    It is counted from the tool's start, which is what its lines count from.
    """
    kind, load = tool(trial.spec.workload), trial.spec.workload.load
    warmup, duration = load.warmup_seconds, load.duration_seconds
    early = max((_early(run, warmup + duration, trial) for run in runs), default=0.0)
    if early > MAX_EARLY:
        return Collected(artefacts, problem="a client ended before the stop", early=early)
    assert kind.parse_cut is not None  # noqa: S101 - the API refuses recovery with other tools
    try:
        parts = [kind.parse_cut(run.output, warmup, duration) for run in runs]
    except ParseError as error:
        return Collected(artefacts, problem=str(error))
    begins = [run.summary.began.unix - run.skew for run in runs if run.summary.began is not None]
    if len(begins) != len(parts):
        return Collected(artefacts, problem="a client ended without having begun")
    last = [began + part.series[-1].second for began, part in zip(begins, parts, strict=True)]
    window = Window(start=max(begins) + warmup, end=min(last))
    if window.end <= window.start:
        return Collected(artefacts, problem="the clients' windows have no second in common")
    return window, parts


def _early(run: _Run, planned: float, trial: Trial) -> float:
    """Seconds by which a client ended before its server's planned stop.

    By how long it ran and by when it ended, whichever is less: one that started late ran for less,
    and one whose clock is a little off seems to end at another time.
    """
    began, ended = run.summary.began, run.summary.ended
    if began is None or ended is None:
        return 0.0
    ran = ended.monotonic - began.monotonic
    return planned - max(ran, began.unix - run.skew + ran - (trial.status.release_at or 0.0))


def _skew(summary: ClientSummary, release_at: float | None) -> float:
    """The client's clock minus ours, in seconds; 0 where a late start may explain all of it.

    It was to start at `release_at` by its own clock, and stamped when it did.
    """
    if summary.began is None or release_at is None:
        return 0.0
    apart = summary.began.unix - release_at
    return apart if abs(apart) > MAX_LATENESS else 0.0


def _client_facts(run: _Run, part: Measurement, node: str | None) -> ClientFacts:
    summary = run.summary
    seconds = summary.window.seconds if summary.window else None
    cores = summary.cpu_seconds / seconds if summary.cpu_seconds is not None and seconds else None
    return ClientFacts(
        tps=part.tps,
        cpu_cores=cores,
        cpu_limit_cores=summary.cpu_limit_cores,
        memory_max_bytes=summary.memory_max_bytes,
        memory_limit_bytes=summary.memory_limit_bytes,
        throttled_seconds=summary.throttled_seconds,
        clock_skew_seconds=run.skew or summary.clock_skew_seconds,
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
