"""Gathering what a trial left behind, and storing what its record will name.

Every part is put if absent: a pass that is repeated after a crash, or a second operator, comes to
the same figures. The outcome is judged elsewhere, by what is gathered here.
"""

import asyncio
from contextlib import nullcontext
from dataclasses import replace

from encbench.api.conditions import find
from encbench.api.lifecycle import (
    IN_FORCE,
    NOT_IN_FORCE,
    PROVEN_AFTER,
    PROVEN_BEFORE,
    RECOVERED,
    RECOVERY_FAILED,
)
from encbench.api.trial import Window
from encbench.core.artefact import RecordError
from encbench.core.evidence import AgentClockFacts, Proof, TrialProofsRecord
from encbench.core.records import (
    DatabaseCpu,
    DiskIo,
    MetricsRecord,
    ProxyCpu,
    RecoveryRecord,
    TrialCpu,
)
from encbench.core.slices import Slices
from encbench.database.connection import connection
from encbench.ports import Rejected, Unavailable
from encbench.proofs import clients
from encbench.proofs.check import joined
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import (
    clocks,
    neighbours,
    placed,
    provenance,
    recovery,
    series,
    slots,
    windowed,
)
from encbench.reconcile.trial.collect import collect
from encbench.reconcile.trial.facts import (
    Collected,
    Patience,
    TrialFound,
    TrialGathered,
    TrialSeen,
    When,
)
from encbench.reconcile.trial.first_stored import key_of, settle, settled
from encbench.reconcile.trial.series import MetricsPlace
from encbench.reconcile.trial.windowed import WindowMetrics
from encbench.tools.registry import tool
from encbench.wire.foreign import printable

METRICS = "metrics.json"
"""The samples, relative to the trial's folder."""
MANY_SAMPLES = 30_000
"""To read and store that many takes 11 MiB (simulated), and eight trials may be gathered at
once."""
CONDITIONS: dict[When, str] = {"before": PROVEN_BEFORE, "after": PROVEN_AFTER}


class MetricsAway(Unavailable):
    """What a trial left behind was read, and Prometheus does not say what it used."""


def proof_name(when: When) -> str:
    """Name of a single proof in the bucket, where it lies until the trial's record is there."""
    return f"proof-{when}.json"


async def gather(deps: Deps, trial: Trial, seen: TrialSeen, patience: Patience) -> TrialGathered:
    """Everything there is: Unavailable while something is away, RecordError if it is unreadable."""
    async with slots.alone(deps, trial):
        collected = await collect(deps.store, trial, seen)
    artefacts = dict(collected.artefacts)
    stopped = await _recovery(deps, trial, seen.found)
    if stopped is not None:
        artefacts[recovery.RECORD] = stopped[1]
    server = None
    if collected.slices is not None:
        async with slots.alone(deps, trial):
            server = await slots.read(deps, trial, seen, collected.slices)
        if server.digest is not None:
            artefacts[slots.SLOTS] = server.digest
    away = server.away if server else None
    place = _place(trial, seen, collected)
    metrics = WindowMetrics()
    if collected.window is not None and seen.testbed is not None:
        try:
            judged = _judged(deps, trial, seen, place, collected.window, patience)
            metrics, artefacts[METRICS], apart = await judged
            collected = replace(collected, clocks_apart=apart or 0.0)
        except MetricsAway as error:
            if patience == "waits":
                if away is None:
                    raise
                # The agent is asked again soon: it keeps the readings of few blocks.
                raise Unavailable(str(error)) from error
            metrics = WindowMetrics(problem=printable(str(error)))
        else:
            if server is not None:
                cpu = in_slices(metrics.cpu, server.slices, place, server.problem)
                metrics = replace(metrics, cpu=cpu, disk=DiskIo.in_slices(server.slices))
    if away is not None and patience == "waits":
        # Prometheus' figures are stored by now: it may forget them before this comes.
        raise away
    made = await _proofs(deps, trial, seen.found)
    if _is_encrypted_by_class(seen):
        metrics = replace(metrics, cpu=neighbours.with_dm_crypt(metrics.cpu, place.node))
    said = _clients_proof(trial, seen, collected, made)
    if said is not None and made.after is not None:
        made = made.model_copy(update={"after": joined(made.after, said)})
    proofs, artefacts["proofs.json"] = await settle(deps.store, trial, "proofs.json", made)
    facts = await provenance.gather(deps, trial, seen, collected)
    _, artefacts["provenance.json"] = await settle(deps.store, trial, "provenance.json", facts)
    return TrialGathered(
        collected=collected,
        metrics=metrics,
        clients_proof=said,
        proofs=proofs,
        recovery=stopped[0].facts if stopped else None,
        slices=server.slices if server else None,
        artefacts=artefacts,
    )


async def _judged(
    deps: Deps,
    trial: Trial,
    seen: TrialSeen,
    place: MetricsPlace,
    window: Window,
    patience: Patience,
) -> tuple[WindowMetrics, str, float | None]:
    """What is known of the window, and the digest of its samples; MetricsAway without them.

    Also by how much our clock had moved against the agent's when they were read.

    Prometheus is asked for them only once: it may have forgotten them when another part comes.
    Many samples are there one trial at a time, and go before anything else is read.
    """
    has_many = series.expected(place, window) > MANY_SAMPLES
    async with deps.long_block if has_many else nullcontext():
        stored = await settled(deps.store, trial, METRICS, MetricsRecord)
        if stored is None and patience == "none":
            raise MetricsAway("the operator ended while it read the samples")
        if stored is None:
            read = await _read(deps, trial, seen, place, window)
            stored = await settle(deps.store, trial, METRICS, read)
        read, digest = stored
        return await asyncio.to_thread(windowed.judge, read, place), digest, read.clocks_apart


async def _read(
    deps: Deps, trial: Trial, seen: TrialSeen, place: MetricsPlace, window: Window
) -> MetricsRecord:
    try:
        before = await _first_clock(deps, trial, seen.found)
        if before is not None and clocks.needs_agent(seen):
            # While it is silent, each attempt would read the samples anew in vain.
            await clocks.apart(deps, trial, seen, before)
        read = await series.read(deps.metrics, place, window)
        # After them: a clock that was set while they were read counts as well.
        apart = await clocks.apart(deps, trial, seen, before)
    except (Unavailable, Rejected) as error:
        raise MetricsAway(str(error)) from error
    return read.model_copy(update={"clocks_apart": apart})


def in_slices(cpu: TrialCpu, slices: Slices, place: MetricsPlace, problem: str = "") -> TrialCpu:
    """CPU of server, proxy and file system in the counted parts of the trial's own slices.

    `problem` is why the agent's readings are missing, as far as that is known.
    """
    because = f" ({problem})" if problem else ""
    read: dict[str, DatabaseCpu | None] = dict.fromkeys(series.PROCESSES)
    withheld = {of: why for of, why in cpu.withheld.items() if of not in read}
    for of, limit in place.limits.items():
        used = slices.each_second(getattr(row, f"{of}_cpu_seconds") for row in slices.rows)
        if used is not None:
            read[of] = DatabaseCpu(cores=used, limit_cores=limit)
        else:
            whose = series.PROCESSES[of]
            lack = f"there are no readings of the {whose} at the edges of the slices"
            withheld[of] = lack + because
    if (proxy := read["proxy"]) is not None:
        memory = cpu.proxy.memory_max_bytes if cpu.proxy is not None else None
        read["proxy"] = ProxyCpu(**dict(proxy), memory_max_bytes=memory)
    shares = {of: slices.throttled(of) for of in place.limits}
    throttled = {of: share for of, share in shares.items() if share is not None} or None
    return cpu.model_copy(update={**read, "throttled": throttled, "withheld": withheld})


async def _recovery(
    deps: Deps, trial: Trial, found: TrialFound
) -> tuple[RecoveryRecord, str] | None:
    """The record of the intended stop with its digest; None where there is none."""
    there = await settled(deps.store, trial, recovery.RECORD, RecoveryRecord)
    if there is None and found.recovery is not None:
        return await settle(deps.store, trial, recovery.RECORD, found.recovery)
    if there is None and _had_a_record(trial):
        raise RecordError(f"{key_of(trial, recovery.RECORD)} was lost before it could be stored")
    return there


def _had_a_record(trial: Trial) -> bool:
    """Whether what the condition says can only have come of a record.

    That the recovery failed is also said of an agent that never said what came of it.
    """
    fact = find(trial.status.conditions, RECOVERED)
    if fact is None or fact.status == "Unknown":
        return False
    return fact.status == "True" or fact.reason != RECOVERY_FAILED


async def _proofs(deps: Deps, trial: Trial, found: TrialFound) -> TrialProofsRecord:
    """Both proofs, as far as they were made."""
    made: dict[str, Proof | None] = {}
    for when in CONDITIONS:
        there = await settled(deps.store, trial, proof_name(when), TrialProofsRecord)
        kept = found.before if when == "before" else found.after
        stored = there and getattr(there[0], when)
        made[when] = stored or (kept.proof if kept else _from_condition(trial, when))
    return TrialProofsRecord.model_validate(made)


async def _first_clock(deps: Deps, trial: Trial, found: TrialFound) -> AgentClockFacts | None:
    """The agent's when the first proof was made."""
    if found.before is not None:
        return found.before.clock
    there = await settled(deps.store, trial, proof_name("before"), TrialProofsRecord)
    return there[0].clock if there is not None else None


def _from_condition(trial: Trial, when: When) -> Proof | None:
    """The verdict, where the evidence was lost. Its summary alone says what was declared."""
    fact = find(trial.status.conditions, CONDITIONS[when])
    if fact is None or fact.reason not in (IN_FORCE, NOT_IN_FORCE):
        return None
    return Proof(
        ok=fact.status == "True",
        summary=fact.message,
        evidence_lost=True,
        time=fact.last_transition_time,
    )


def _clients_proof(
    trial: Trial, seen: TrialSeen, collected: Collected, made: TrialProofsRecord
) -> Proof | None:
    """What the clients say about the mode; None where they measured nothing, or cannot say."""
    if seen.testbed is None or collected.measurement is None:
        return None
    testbed, driven = seen.testbed, tool(trial.spec.workload)
    read = clients.decrypted(testbed.spec, trial.spec.workload, collected.clients, made)
    if not trial.spec.workload.reports_sessions:
        outside = testbed.spec.instance.is_external
        return clients.silent(testbed.spec.mode) if outside else read
    if clients.hides_sessions(testbed.spec):
        return read
    unverified = driven.unverified(connection(testbed.name, testbed.spec))
    proof = clients.sessions(testbed.spec.mode, collected.clients, unverified)
    return proof if read is None else joined(proof, read)


def _is_encrypted_by_class(seen: TrialSeen) -> bool:
    """Whether the mode's own cipher, and not that of every arm's disk, may be in the kernel."""
    return seen.testbed is not None and seen.testbed.spec.mode.storage_class is not None


def _place(trial: Trial, seen: TrialSeen, collected: Collected) -> series.MetricsPlace:
    mode = seen.testbed.spec.mode if seen.testbed else None
    proxy, volume = (mode.proxy, mode.gocryptfs) if mode else (None, None)
    return series.MetricsPlace(
        namespace=trial.namespace,
        campaign=trial.spec.campaign_ref.name,
        testbed=trial.spec.testbed_ref.name,
        node=placed.database_node(trial, seen),
        limit=seen.testbed.spec.database_cores if seen.testbed else 0.0,
        server_limit=seen.testbed.spec.server_cores if seen.testbed else 0.0,
        clients=collected.clients,
        external=seen.testbed.spec.instance.external if seen.testbed else None,
        proxy_limit=proxy.resources.cores if proxy else None,
        volume_limit=volume.resources.cores if volume else None,
        in_turns=trial.spec.turns is not None,
        testbeds=len(trial.spec.turns.trials) if trial.spec.turns else 1,
        cut_off=trial.spec.workload.recovery is not None,
    )
