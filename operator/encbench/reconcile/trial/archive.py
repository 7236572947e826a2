"""The end of a trial: its record in the bucket, written last and only once.

`trial.json` is put if absent. When it is there already (a crash between the upload and the status
write) it is adopted, so that a trial is counted once and always with the same figures.
"""

from encbench.api.conditions import format_time, parse_time
from encbench.api.trial import TrialStatus
from encbench.core.artefact import Record, decode, digest_of, encode
from encbench.core.evidence import Proof, ProofVerdict, TrialProofsRecord
from encbench.core.naming import trial_prefix
from encbench.core.records import (
    CampaignId,
    MetricsRecord,
    TrialCpu,
    TrialId,
    TrialProofs,
    TrialRecord,
)
from encbench.reconcile.deps import Deps
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import series
from encbench.reconcile.trial.collect import Collected, collect, result_of
from encbench.reconcile.trial.decide import ARCHIVED, COLLECTED, phase
from encbench.reconcile.trial.facts import Seen
from encbench.reconcile.trial.judge import judge
from encbench.reconcile.trial.provenance import gather
from encbench.reconcile.trial.series import WindowMetrics

JSON = "application/json"
RECORD = "trial.json"


async def archive(
    deps: Deps, trial: Trial, seen: Seen, status: TrialStatus, proofs: TrialProofsRecord
) -> TrialStatus:
    """The trial's last status, once everything is in the bucket. Unavailable when it is not yet."""
    key = f"{trial_prefix(trial.spec.storage_prefix, trial.uid)}/{RECORD}"
    content = await deps.store.get(key)
    if content is None:
        record = await _record(deps, trial, seen, status, proofs)
        content = encode(record)
        await deps.store.put_if_absent(key, content, JSON)
    return _last_status(trial, seen, status, decode(TrialRecord, content, key), key, content)


async def _record(
    deps: Deps, trial: Trial, seen: Seen, status: TrialStatus, proofs: TrialProofsRecord
) -> TrialRecord:
    collected = await collect(deps.store, trial, seen)
    found = await _metrics(deps, trial, seen, collected)
    outcome, reason, message = status.outcome, status.reason, status.message
    if outcome is None:
        outcome, reason, message = judge(trial.spec.workload, collected, found)
    artefacts = dict(collected.artefacts)
    artefacts["proofs.json"] = await _put(deps, trial, "proofs.json", proofs)
    if collected.window is not None:
        record = MetricsRecord(
            window=collected.window, series=found.series, node_cores=found.node_cores
        )
        artefacts["metrics.json"] = await _put(deps, trial, "metrics.json", record)
    provenance = await gather(deps, trial, seen)
    artefacts["provenance.json"] = await _put(deps, trial, "provenance.json", provenance)
    result, measurement = None, collected.measurement
    if measurement is not None:
        cores = found.database.cores if found.database else None
        result = result_of(measurement, collected.cpu, cores)
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
            node=found.node,
            client=collected.cpu,
            withheld=found.withheld,
        ),
        transactions=measurement.transactions if measurement else None,
        histogram=measurement.histogram if measurement else None,
        database_node=seen.database.node if seen.database else None,
        clients=collected.clients,
        proofs=TrialProofs(before=_verdict(proofs.before), after=_verdict(proofs.after)),
        start_time=status.start_time,
        completion_time=format_time(seen.now),
        release_at=status.release_at,
        timings=_timings(status, collected, seen),
        artefacts=artefacts,
    )


async def _metrics(deps: Deps, trial: Trial, seen: Seen, collected: Collected) -> WindowMetrics:
    if collected.window is None or seen.testbed is None:
        return WindowMetrics()
    return await series.read(
        deps.metrics,
        trial.namespace,
        trial.spec.testbed_ref.name,
        seen.database.node if seen.database else None,
        seen.testbed.spec.instance.resources.cores,
        collected.window,
    )


async def _put(deps: Deps, trial: Trial, name: str, record: Record) -> str:
    """Store one of the trial's objects; one that an earlier, broken pass left is replaced."""
    content = encode(record)
    prefix = trial_prefix(trial.spec.storage_prefix, trial.uid)
    await deps.store.put(f"{prefix}/{name}", content, JSON)
    return digest_of(content)


def _verdict(proof: Proof | None) -> ProofVerdict | None:
    return ProofVerdict(ok=proof.ok, summary=proof.summary) if proof else None


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
    key: str,
    content: bytes,
) -> TrialStatus:
    draft = Draft(status, now=seen.now, generation=trial.generation)
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
        artefact_digest=digest_of(content),
    )
    draft.set(phase=phase(draft))
    return draft.status
