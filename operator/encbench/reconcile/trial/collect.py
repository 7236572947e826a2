"""Reading back what the clients stored, and making figures of it.

Every artefact is read from the bucket, never from a pod: what the report rests on is what lies
there.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from encbench.api.trial import TrialSpec, Turns, Window
from encbench.core.artefact import RecordError, check, decode, digest_of
from encbench.core.evidence import ClientSummary
from encbench.core.records import ClientCpu, ClientFacts
from encbench.core.slices import Slices, SlicesError, of_clients, read_file, unkept
from encbench.ports import Store, TooLarge
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import placed, running
from encbench.reconcile.trial.facts import Collected, TrialSeen
from encbench.reconcile.trial.first_stored import key_of
from encbench.tools.gathering import gather_seconds
from encbench.tools.measurement import Measurement, ParseError, in_slices, merge
from encbench.tools.registry import tool
from encbench.tools.turns import load_seconds, own_slots
from encbench.wire.files import (
    FILES,
    LARGEST,
    LARGEST_JSON,
    MOST_LINES,
    OUTPUT,
    SLICES,
    SUMMARY,
    of_client,
)
from encbench.wire.slices import SlicesFile

MAX_EARLY = 0.7
"""Seconds by which a client may end before its load or its server's planned stop; stamps are not
that exact."""
FAR = 60.0
"""Seconds by which a window may seem to lie outside of its trial: clocks are not that wrong."""


@dataclass(frozen=True)
class _Run:
    """What one client left behind, in order of its index."""

    summary: ClientSummary
    measured: Measurement | ParseError
    """What its output says."""
    skew: float
    """The client's clock minus ours, in seconds."""
    slices: SlicesFile | str | None
    """What its file of slices says, or why it cannot be read; None where arms take no turns."""


def files(spec: TrialSpec) -> tuple[str, ...]:
    """What every client of a trial stores."""
    return FILES if spec.turns is None else (*FILES, SLICES)


def client_key(trial: Trial, index: int, name: str) -> str:
    """Key in the bucket of one client's file."""
    return key_of(trial, of_client(index, name))


async def collect(store: Store, trial: Trial, seen: TrialSeen) -> Collected:
    """Read and check every client's artefacts. Unavailable when the store is away.

    One client after the other: what a client wrote is bounded, all of it together is not.
    """
    artefacts: dict[str, str] = {}
    runs: list[_Run] = []
    missing = ""
    expected = {client.pod.index: client.run.digests or {} for client in seen.clients if client.run}
    for index in range(trial.spec.workload.client.replicas):
        content: dict[str, bytes] = {}
        for name in files(trial.spec):
            key = client_key(trial, index, name)
            try:
                found = await store.get(key, LARGEST_JSON.get(name, LARGEST))
            except TooLarge as error:
                return Collected(artefacts, too_large=str(error))
            if found is None:
                missing = missing or key
            else:
                content[name] = found
        # Not in the event loop: a log of that size takes a second.
        read = asyncio.to_thread(_read, trial, index, content, expected.get(index, {}))
        digests, run = await read
        artefacts |= digests
        if isinstance(run, str):
            return Collected(artefacts, too_large=run)
        runs += [run] if run else []
    if missing:
        return Collected(artefacts, missing=missing)
    if trial.spec.workload.recovery is not None:
        measured = _cut_off(trial, artefacts, runs)
    else:
        measured = _whole(trial, artefacts, runs)
    if isinstance(measured, Collected):
        return measured
    window, parts = measured
    nodes = placed.client_nodes(trial, seen)
    clients = tuple(
        _client_facts(run, part, nodes.get(index))
        for index, (run, part) in enumerate(zip(runs, parts, strict=True))
    )
    whole = Collected(
        *(artefacts, window, merge(parts), clients, _client_cpu(clients)),
        own_clock_moved=_own_clock_moved(seen, runs),
    )
    if trial.spec.turns is None:
        return whole
    return await asyncio.to_thread(_in_turns, trial, trial.spec.turns, whole, runs)


def _in_turns(trial: Trial, turns: Turns, whole: Collected, runs: Sequence[_Run]) -> Collected:
    """What a trial measured in its slots, or why that does not count."""
    kept = [_slices(run) for run in runs]
    skews, start = [run.skew for run in runs], trial.status.release_at or 0.0
    cold = _not_begun(runs, start + trial.spec.workload.load.warmup_seconds)
    if cold is not None:
        return replace(whole, measurement=None, cpu=None, problem=cold)
    missed = unkept(kept, skews, own_slots(trial.spec, turns, trial.name), start)
    if missed is not None:
        return replace(whole, measurement=None, cpu=None, unkept=missed)
    try:
        return _counted(whole, of_clients(kept, skews, len(turns.trials)))
    except (SlicesError, ParseError) as error:
        return Collected(whole.artefacts, whole.window, problem=str(error))


def _slices(run: _Run) -> SlicesFile:
    """Those of an interleaved block; RecordError if the file cannot be read."""
    assert run.slices is not None  # noqa: S101 - arms take turns
    if isinstance(run.slices, str):
        raise RecordError(run.slices)
    return run.slices


def _not_begun(runs: Sequence[_Run], stop: float) -> str | None:
    """The first client whose load had not begun when it was stopped after the warm-up.

    It would connect within its first slot, of which the counted part is then a part at most.
    """
    for index, run in enumerate(runs):
        began = run.summary.load_began
        if began is None and run.summary.machine is None:
            # Its recorder is of an earlier version, which says neither. That it has counted in each
            # slot is seen later.
            continue
        if began is None:
            return f"client {index} did not say when its load began"
        late = began.unix - run.skew - stop
        if late > 0:
            return (
                f"the load of client {index} began {late:.1f} s after load.warmup, in which all "
                "clients of a block connect: make it longer"
            )
    return None


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
        whole_run=whole.measurement,
        cpu=cpu,
        slices=slices,
    )


Measured = tuple[Window, list[Measurement]]
"""The window that all clients share, and what each of them measured."""


def _read(
    trial: Trial, index: int, content: Mapping[str, bytes], expected: Mapping[str, str]
) -> tuple[dict[str, str], _Run | str | None]:
    """Digests of one client's files, and its run: a text if its output has too many lines.

    None if a file is missing. RecordError for what is not as its recorder stored it.
    """
    digests = {}
    for name, stored in content.items():
        if name in expected:
            check(stored, client_key(trial, index, name), expected[name])
        digests[of_client(index, name)] = digest_of(stored)
    if len(content) < len(files(trial.spec)):
        return digests, None
    # BenchmarkSQL 5 writes a status over the one before, with a backspace for each letter.
    output = re.sub(rb"\x08+", b"\x08", content[OUTPUT])
    lines = output.count(b"\n") + output.count(b"\x08")
    if lines > MOST_LINES:
        key = client_key(trial, index, OUTPUT)
        return digests, f"{key} has {lines:,} lines, more than {MOST_LINES:,}"
    summary = decode(ClientSummary, content[SUMMARY], client_key(trial, index, SUMMARY))
    measured = _parsed(trial, output.decode(errors="replace"))
    slices = _read_slices(trial, content[SLICES], index) if SLICES in content else None
    return digests, _Run(summary, measured, _skew(summary), slices)


def _read_slices(trial: Trial, content: bytes, index: int) -> SlicesFile | str:
    """What the file says, or why it cannot be read.

    That counts only where all clients measured: others may have left an empty file.
    """
    slots = 0 if trial.spec.turns is None else trial.spec.turns.rounds
    try:
        return read_file(content, client_key(trial, index, SLICES), slots)
    except RecordError as error:
        return str(error)


def _parsed(trial: Trial, output: str) -> Measurement | ParseError:
    kind, load = tool(trial.spec.workload), trial.spec.workload.load
    try:
        if trial.spec.workload.recovery is None:
            return kind.parse(output)
        assert kind.parse_cut is not None  # noqa: S101 - the API refuses recovery with other tools
        return kind.parse_cut(output, load.warmup_seconds, load.duration_seconds)
    except ParseError as error:
        return error


def _parts(runs: Sequence[_Run]) -> list[Measurement] | ParseError:
    """What all of them measured, or why the first of them has no figures."""
    parts = []
    for run in runs:
        if isinstance(run.measured, ParseError):
            return run.measured
        parts.append(run.measured)
    return parts


def _whole(trial: Trial, artefacts: dict[str, str], runs: Sequence[_Run]) -> Measured | Collected:
    """Of clients that ended by themselves; why there is nothing to measure otherwise."""
    windows = [(run.summary.window, run.skew) for run in runs if run.summary.window]
    start = max((window.start - skew for window, skew in windows), default=0.0)
    end = min((window.end - skew for window, skew in windows), default=0.0)
    parts = _parts(runs)
    if len(windows) < len(runs) or end <= start:
        why = str(parts) if isinstance(parts, ParseError) else "a client has no measured window"
        return Collected(artefacts, problem=why)
    if (misplaced := _misplaced(trial, start, end)) is not None:
        return Collected(artefacts, misplaced=misplaced)
    window = Window(start=start, end=end)
    if isinstance(parts, ParseError):
        return Collected(artefacts, window, problem=str(parts))
    if (left := _left(trial, parts)) is not None:
        return Collected(artefacts, window, problem=left)
    return window, parts


def _left(trial: Trial, parts: Sequence[Measurement]) -> str | None:
    """Which client had fewer threads before its load was over; None where all went on, or may have.

    Its tool reports that as a complete run.
    """
    planned = load_seconds(trial.spec) - gather_seconds(trial.spec)
    for index, part in enumerate(parts):
        early = 0.0 if part.lasted is None else planned - part.lasted
        if early > MAX_EARLY:
            return (
                f"client {index}, or one of its threads, ended by itself {early:.1f} s before its "
                "load was over: event() must return nothing, because a value ends its thread"
            )
    return None


def _misplaced(trial: Trial, start: float, end: float) -> str | None:
    """Why the trial cannot have had that window; None if it can.

    A client's image can have made it up, and Prometheus is asked for all of it.
    """
    begin, longest = trial.status.release_at, running.longest(trial.spec)
    begin = start if begin is None else begin
    if start >= begin - FAR and end <= begin + longest + FAR:
        return None
    return (
        f"the clients' window lies from {start - begin:,.0f} to {end - begin:,.0f} s after the "
        f"release, and it takes {longest:,.0f} s at most: have the clients' clocks adjusted "
        "smoothly, or between runs"
    )


def _cut_off(trial: Trial, artefacts: dict[str, str], runs: Sequence[_Run]) -> Measured | Collected:
    """Of clients whose server was stopped on purpose: what they saw of the planned window.

    It is counted from when the load began, with every thread connected, as the tool's lines and
    its warm-up are.
    """
    load = trial.spec.workload.load
    warmup, duration = load.warmup_seconds, load.duration_seconds
    early = max((_early(run, warmup + duration, trial) for run in runs), default=0.0)
    if early > MAX_EARLY:
        return Collected(artefacts, problem="a client ended before the stop", early=early)
    parts = _parts(runs)
    if isinstance(parts, ParseError):
        return Collected(artefacts, problem=str(parts))
    begins = [began for run in runs if (began := _began(run)) is not None]
    if len(begins) != len(parts):
        return Collected(artefacts, problem="a client ended without having begun")
    last = [began + part.series[-1].second for began, part in zip(begins, parts, strict=True)]
    start, end = max(begins) + warmup, min(last)
    if end <= start:
        return Collected(artefacts, problem="the clients' windows have no second in common")
    if (misplaced := _misplaced(trial, start, end)) is not None:
        return Collected(artefacts, misplaced=misplaced)
    return Window(start=start, end=end), parts


def _began(run: _Run) -> float | None:
    """When a client's load began, by our clock.

    Recorders of earlier versions say only when they started the tool, which then connects.
    """
    began = run.summary.load_began or run.summary.began
    return None if began is None else began.unix - run.skew


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


def _skew(summary: ClientSummary) -> float:
    """The client's clock minus ours, in seconds, as it was measured before the release.

    When it started says nothing about its clock: it may have started late.
    """
    return 0.0 if summary.clock_offset is None else summary.clock_offset.seconds


def _own_clock_moved(seen: TrialSeen, runs: Sequence[_Run]) -> float:
    """Seconds by which our clock was set since the release; 0 where round trips may explain it.

    A client's clock against ours was measured before the release and again when its run had ended.
    By what the two differ, and the client's own clock did not move, ours has. The window is by our
    clock of the release, and Prometheus is asked by our clock of now.
    """
    for index, run in enumerate(runs):
        before, after = run.summary.clock_offset, seen.found.clocks.get(index)
        if before is None or after is None:
            continue
        moved = (run.summary.clock_skew_seconds or 0.0) - (after["seconds"] - before.seconds)
        explained = _uncertainty(before.seconds, before.round_trip)
        explained += _uncertainty(after["seconds"], after["roundTrip"])
        if abs(moved) > explained:
            return moved
    return 0.0


def _uncertainty(offset: float, round_trip: float) -> float:
    """How wrong an offset may be: one that was taken for 0, by its whole round trip."""
    return round_trip / 2 if offset else round_trip


def _client_facts(run: _Run, part: Measurement, node: str | None) -> ClientFacts:
    summary = run.summary
    seconds = summary.window.seconds if summary.window else None
    cores = summary.cpu_seconds / seconds if summary.cpu_seconds is not None and seconds else None
    return ClientFacts(
        tps=part.tps,
        began=_began(run),
        cpu_cores=cores,
        cpu_limit_cores=summary.cpu_limit_cores,
        memory_max_bytes=summary.memory_max_bytes,
        memory_limit_bytes=summary.memory_limit_bytes,
        throttled_seconds=summary.throttled_seconds,
        throttled_periods=summary.throttled_periods,
        cpu_periods=summary.cpu_periods,
        clock_skew_seconds=summary.clock_skew_seconds,
        clock_offset=summary.clock_offset,
        queue=part.queue,
        node=node,
        machine=summary.machine,
        sessions=part.sessions,
        columns=part.columns or None,
    )


def _client_cpu(clients: tuple[ClientFacts, ...]) -> ClientCpu | None:
    cores = [c.cpu_cores for c in clients if c.cpu_cores is not None]
    limits = [c.cpu_limit_cores for c in clients if c.cpu_limit_cores is not None]
    if len(cores) != len(clients) or len(limits) != len(clients) or not clients:
        return None
    return ClientCpu(cores=sum(cores), limit_cores=sum(limits))
