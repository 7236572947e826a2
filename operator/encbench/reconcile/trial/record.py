"""A trial's record: every figure and what it rests on, made of what was gathered. Pure."""

from encbench.api.base import ObjectRef
from encbench.api.conditions import find, format_time, parse_time
from encbench.api.lifecycle import CONSISTENT
from encbench.api.trial import TrialResult, TrialStatus
from encbench.core.evidence import Proof, ProofVerdict
from encbench.core.figure_names import PROXY_CPU, RECOVERY_SECONDS, STOP_SECONDS
from encbench.core.records import CampaignId, KindRecord, TrialProofs, TrialRecord
from encbench.core.statistics.rounding import rounded, rounded_if_known
from encbench.reconcile.objects import Trial
from encbench.reconcile.starts import serves
from encbench.reconcile.trial import placed
from encbench.reconcile.trial.facts import Collected, TrialGathered, TrialSeen
from encbench.tools.measurement import TransactionKind

RECORD = "trial.json"
"""Its name in the trial's folder. It is written last and only once."""


def result(gathered: TrialGathered) -> TrialResult | None:
    """The figures; None where nothing was measured."""
    measurement, recovery = gathered.collected.measurement, gathered.recovery
    if measurement is None:
        return None
    database, client = gathered.metrics.cpu.database, gathered.collected.cpu
    proxy = gathered.metrics.cpu.proxy
    extra = dict(measurement.extra)
    if recovery is not None:
        extra[RECOVERY_SECONDS] = recovery.recovery_seconds
        extra[STOP_SECONDS] = recovery.stop_seconds
    if proxy is not None:
        extra[PROXY_CPU] = proxy.cores
    return TrialResult(
        tps=rounded(measurement.tps),
        qps=rounded_if_known(measurement.qps),
        latency_average_ms=rounded_if_known(measurement.latency_average_ms),
        latency_p95_ms=rounded_if_known(measurement.latency_p95_ms),
        errors=measurement.errors,
        database_cpu_cores=rounded_if_known(database.cores if database else None),
        client_cpu_cores=rounded_if_known(client.cores if client else None),
        extra={name: rounded(value) for name, value in extra.items()},
    )


def record(
    trial: Trial, seen: TrialSeen, status: TrialStatus, gathered: TrialGathered
) -> TrialRecord:
    """The record of a trial whose outcome the status says."""
    assert status.outcome is not None  # noqa: S101 - it is judged first
    collected, metrics, proofs = gathered.collected, gathered.metrics, gathered.proofs
    measurement, owner = collected.measurement, trial.spec.campaign_ref
    return TrialRecord(
        trial=ObjectRef(name=trial.name, uid=trial.uid),
        campaign=CampaignId(name=owner.name, uid=owner.uid, namespace=trial.namespace),
        spec=trial.spec,
        outcome=status.outcome,
        reason=status.reason,
        message=status.message,
        window=collected.window,
        result=result(gathered),
        cpu=metrics.cpu.model_copy(update={"client": collected.cpu}),
        transactions=measurement.transactions if measurement else None,
        histogram=measurement.histogram if measurement else None,
        slices=gathered.slices,
        kinds=tuple(map(_kind, measurement.kinds)) if measurement else (),
        database_node=placed.database_node(trial, seen),
        clients=collected.clients,
        proofs=TrialProofs(before=_verdict(proofs.before), after=_verdict(proofs.after)),
        consistency=_consistency(status),
        disk=metrics.disk,
        dirty_bytes=proofs.after.dirty_bytes if proofs.after else None,
        recovery=gathered.recovery,
        start_time=status.start_time,
        completion_time=format_time(seen.now),
        release_at=status.release_at,
        server_started=status.server_started,
        timings={**_timings(status, collected, seen), **_reset(trial, seen)},
        artefacts=gathered.artefacts,
    )


def _kind(kind: TransactionKind) -> KindRecord:
    return KindRecord(
        name=kind.name,
        transactions=kind.transactions,
        errors=kind.errors,
        latency_average_ms=rounded_if_known(kind.latency_average_ms),
        latency_p95_ms=rounded_if_known(kind.latency_p95_ms),
    )


def _verdict(proof: Proof | None) -> ProofVerdict | None:
    if proof is None:
        return None
    return ProofVerdict(
        ok=proof.ok,
        summary=proof.summary,
        on_trust=proof.on_trust,
        evidence_lost=proof.evidence_lost,
    )


def _consistency(status: TrialStatus) -> ProofVerdict | None:
    fact = find(status.conditions, CONSISTENT)
    if fact is None or fact.status == "Unknown":
        return None
    return ProofVerdict(ok=fact.status == "True", summary=fact.message)


def _reset(trial: Trial, seen: TrialSeen) -> dict[str, float]:
    """How long the database took to be ready for this trial, and the copying within that."""
    testbed = seen.testbed
    run = testbed.status.run if testbed else None
    if testbed is None or run is None or run.ready_time is None or not serves(testbed, trial):
        return {}
    asked, ready = (parse_time(moment).timestamp() for moment in (run.asked_time, run.ready_time))
    copied = {} if run.restored is None else {"restored": run.restored.seconds}
    return {"databaseStarted": round(ready - asked, 3), **copied}


def _timings(status: TrialStatus, collected: Collected, seen: TrialSeen) -> dict[str, float]:
    timings: dict[str, float] = {}
    released = status.release_at
    if status.start_time and released:
        started = parse_time(status.start_time).timestamp()
        timings["startedToReleased"] = round(max(0.0, released - started), 3)
    if released and collected.window:
        timings["releasedToWindow"] = round(collected.window.start - released, 3)
        timings["windowToArchived"] = round(seen.now.timestamp() - collected.window.end, 3)
    return timings
