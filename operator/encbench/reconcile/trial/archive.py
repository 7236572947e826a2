"""The end of a trial: its record in the bucket, written last and only once.

`trial.json` is put if absent. When it is there already (a crash between the upload and the status
write, or a second operator) it is adopted, so that a trial is counted once and always with the same
figures.
"""

from dataclasses import dataclass

from encbench.api.base import parse_duration
from encbench.api.conditions import find, format_time, parse_time
from encbench.api.trial import TrialStatus
from encbench.core.evidence import Proof, ProofVerdict, TrialProofsRecord
from encbench.core.records import (
    CampaignId,
    TrialCpu,
    TrialId,
    TrialProofs,
    TrialRecord,
)
from encbench.database.connection import connection
from encbench.ports import Rejected, Unavailable
from encbench.proofs import clients
from encbench.proofs.check import joined
from encbench.reconcile.checks import CONSISTENT
from encbench.reconcile.deps import Deps
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Trial
from encbench.reconcile.starts import serves
from encbench.reconcile.trial import recovery as recoveries
from encbench.reconcile.trial import series
from encbench.reconcile.trial.collect import Collected, collect, kinds_of, result_of
from encbench.reconcile.trial.decision import ARCHIVED, COLLECTED, PROVEN_AFTER, phase
from encbench.reconcile.trial.facts import Seen
from encbench.reconcile.trial.first_stored import key_of, settle, settled
from encbench.reconcile.trial.judge import judge
from encbench.reconcile.trial.proofs import KeptProofs
from encbench.reconcile.trial.provenance import gather
from encbench.reconcile.trial.recovery import KeptRecoveries
from encbench.reconcile.trial.series import WindowMetrics
from encbench.tools.registry import tool

RECORD = "trial.json"


@dataclass(frozen=True)
class Evidence:
    """What was kept of the trials under way."""

    proofs: KeptProofs
    recoveries: KeptRecoveries


async def archive(
    deps: Deps, trial: Trial, seen: Seen, status: TrialStatus, kept: Evidence
) -> TrialStatus:
    """The trial's last status, once everything is in the bucket. Unavailable when it is not yet."""
    found = await settled(deps.store, trial, RECORD, TrialRecord)
    if found is None:
        record = await _record(deps, trial, seen, status, kept)
        found = await settle(deps.store, trial, RECORD, record)
    await kept.proofs.discard(trial)
    return _last_status(trial, seen, status, *found)


async def _record(
    deps: Deps, trial: Trial, seen: Seen, status: TrialStatus, kept: Evidence
) -> TrialRecord:
    collected = await collect(deps.store, trial, seen)
    artefacts = dict(collected.artefacts)
    recovery = None
    stopped = await kept.recoveries.collect(trial, status)
    if stopped is not None:
        recovery, artefacts[recoveries.RECORD] = stopped[0].facts, stopped[1]
    place = _place(trial, seen, collected)
    found = await _metrics(deps, trial, seen, status, collected, place)
    if found.record is not None:
        record, digest = await settle(deps.store, trial, "metrics.json", found.record)
        artefacts["metrics.json"] = digest
        found = series.judge(record, place)
    made = await kept.proofs.collect(trial, status)
    told = _told(trial, seen, collected, made)
    outcome, reason, message = status.outcome, status.reason, status.message
    if outcome is None:
        ours = seen.testbed is None or not seen.testbed.spec.instance.is_external
        outcome, reason, message = judge(
            trial.spec,
            collected,
            told,
            found,
            has_agent=ours,
            has_proxy=place.proxy_limit is not None,
        )
    if told is not None and made.after is not None:
        made = made.model_copy(update={"after": joined(made.after, told)})
    proofs, artefacts["proofs.json"] = await settle(deps.store, trial, "proofs.json", made)
    provenance = await gather(deps, trial, seen)
    _, artefacts["provenance.json"] = await settle(deps.store, trial, "provenance.json", provenance)
    result, measurement = None, collected.measurement
    if measurement is not None:
        cores = found.database.cores if found.database else None
        result = result_of(measurement, collected.cpu, cores, recovery)
    return TrialRecord(
        trial=TrialId(name=trial.name, uid=trial.uid),
        campaign=CampaignId(
            name=trial.spec.campaign_ref.name,
            uid=trial.spec.campaign_ref.uid,
            namespace=trial.namespace,
        ),
        spec=trial.spec,
        outcome=outcome,
        reason=reason,
        message=message,
        window=collected.window,
        result=result,
        cpu=TrialCpu(
            database=found.database,
            proxy=found.proxy,
            node=found.node,
            client=collected.cpu,
            foreign=found.foreign,
            idle=found.idle,
            withheld=found.withheld,
        ),
        transactions=measurement.transactions if measurement else None,
        histogram=measurement.histogram if measurement else None,
        kinds=kinds_of(measurement) if measurement else (),
        database_node=seen.database.node if seen.database else None,
        clients=collected.clients,
        proofs=TrialProofs(before=_verdict(proofs.before), after=_verdict(proofs.after)),
        consistency=_consistency(status),
        disk=found.disk,
        recovery=recovery,
        start_time=status.start_time,
        completion_time=format_time(seen.now),
        release_at=status.release_at,
        timings={**_timings(status, collected, seen), **_reset(trial, seen)},
        artefacts=artefacts,
    )


def _told(trial: Trial, seen: Seen, collected: Collected, made: TrialProofsRecord) -> Proof | None:
    """What the clients say of the mode; None where they measured nothing, or cannot say."""
    if seen.testbed is None or collected.measurement is None:
        return None
    testbed, driven = seen.testbed, tool(trial.spec.workload)
    read = clients.decrypted(testbed.spec, trial.spec.workload, collected.clients, made)
    if not driven.tells_sessions(trial.spec.workload) or clients.hides_sessions(testbed.spec):
        return read
    unverified = driven.unverified(connection(testbed.name, testbed.spec))
    proof = clients.sessions(testbed.spec.mode, collected.clients, unverified)
    return proof if read is None else joined(proof, read)


async def _metrics(
    deps: Deps,
    trial: Trial,
    seen: Seen,
    status: TrialStatus,
    collected: Collected,
    place: series.Place,
) -> WindowMetrics:
    """The window's metrics. Unavailable while Prometheus is away and may still come back."""
    if collected.window is None or seen.testbed is None:
        return WindowMetrics()
    try:
        record = await series.read(deps.metrics, place, collected.window)
    except (Unavailable, Rejected):
        waited = Draft(status, now=seen.now, generation=trial.generation).since(ARCHIVED)
        if waited <= parse_duration(trial.spec.step_deadlines.archive):
            raise
        return WindowMetrics()
    return series.judge(record, place)


def _place(trial: Trial, seen: Seen, collected: Collected) -> series.Place:
    columns = seen.testbed.spec.mode.columns if seen.testbed else None
    return series.Place(
        namespace=trial.namespace,
        campaign=trial.spec.campaign_ref.name,
        testbed=trial.spec.testbed_ref.name,
        node=seen.database.node if seen.database else None,
        limit=seen.testbed.spec.database_cores if seen.testbed else 0.0,
        clients=collected.clients,
        external=seen.testbed.spec.instance.external if seen.testbed else None,
        proxy_limit=columns.resources.cores if columns else None,
    )


def _verdict(proof: Proof | None) -> ProofVerdict | None:
    return ProofVerdict(ok=proof.ok, summary=proof.summary) if proof else None


def _consistency(status: TrialStatus) -> ProofVerdict | None:
    fact = find(status.conditions, CONSISTENT)
    if fact is None or fact.status == "Unknown":
        return None
    return ProofVerdict(ok=fact.status == "True", summary=fact.message)


def _reset(trial: Trial, seen: Seen) -> dict[str, float]:
    """How long the database took to be ready for this trial, and the copying within that."""
    testbed = seen.testbed
    run = testbed.status.run if testbed else None
    if testbed is None or run is None or run.ready_time is None or not serves(testbed, trial):
        return {}
    asked, ready = (parse_time(moment).timestamp() for moment in (run.asked_time, run.ready_time))
    copied = {} if run.restored is None else {"restored": run.restored.seconds}
    return {"databaseStarted": round(ready - asked, 3), **copied}


def _timings(status: TrialStatus, collected: Collected, seen: Seen) -> dict[str, float]:
    timings: dict[str, float] = {}
    released = status.release_at
    if status.start_time and released:
        started = parse_time(status.start_time).timestamp()
        timings["startedToReleased"] = round(max(0.0, released - started), 3)
    if released and collected.window:
        timings["releasedToWindow"] = round(collected.window.start - released, 3)
        timings["windowToArchived"] = round(seen.now.timestamp() - collected.window.end, 3)
    return timings


def _last_status(
    trial: Trial,
    seen: Seen,
    status: TrialStatus,
    record: TrialRecord,
    digest: str,
) -> TrialStatus:
    key = key_of(trial, RECORD)
    draft = Draft(status, now=seen.now, generation=trial.generation)
    after = record.proofs.after
    if after is not None and draft.is_true(PROVEN_AFTER):
        # The clients' part of it was not known when it was set.
        reason = "ModeInForce" if after.ok else "ModeNotInForce"
        draft.condition(PROVEN_AFTER, after.ok, reason, after.summary)
    measured = record.result is not None
    draft.condition(
        COLLECTED,
        measured,
        "Collected" if measured else "NoResult",
        "" if measured else record.message or "",
    )
    draft.condition(ARCHIVED, True, "Archived", f"the record is {key}")
    draft.set(
        outcome=record.outcome,
        reason=record.reason,
        message=record.message,
        window=record.window,
        result=record.result,
        completion_time=record.completion_time,
        artefact_key=key,
        artefact_digest=digest,
    )
    draft.set(phase=phase(draft))
    return draft.status
