"""A trial's record: every figure and what it rests on, made of what was gathered. Pure."""

from encbench.api.base import ObjectRef
from encbench.api.conditions import find, format_time, parse_time
from encbench.api.lifecycle import CONSISTENT
from encbench.api.trial import TrialResult, TrialStatus
from encbench.core.evidence import Proof, ProofVerdict
from encbench.core.records import CampaignId, TrialCpu, TrialProofs, TrialRecord
from encbench.reconcile.objects import Trial
from encbench.reconcile.starts import serves
from encbench.reconcile.trial.collect import kinds_of, result_of
from encbench.reconcile.trial.facts import TrialSeen
from encbench.reconcile.trial.gathered import Collected, TrialGathered

RECORD = "trial.json"
"""Its name in the trial's folder. It is written last and only once."""


def result(gathered: TrialGathered) -> TrialResult | None:
    """The figures; None where nothing was measured."""
    collected, database = gathered.collected, gathered.metrics.database
    if collected.measurement is None:
        return None
    cores = database.cores if database else None
    return result_of(collected.measurement, collected.cpu, cores, gathered.recovery)


def record(
    trial: Trial, seen: TrialSeen, status: TrialStatus, gathered: TrialGathered
) -> TrialRecord:
    """The record of a trial whose outcome the status says."""
    assert status.outcome is not None  # noqa: S101 - it is judged first
    collected, found, proofs = gathered.collected, gathered.metrics, gathered.proofs
    measurement = collected.measurement
    return TrialRecord(
        trial=ObjectRef(name=trial.name, uid=trial.uid),
        campaign=CampaignId(
            name=trial.spec.campaign_ref.name,
            uid=trial.spec.campaign_ref.uid,
            namespace=trial.namespace,
        ),
        spec=trial.spec,
        outcome=status.outcome,
        reason=status.reason,
        message=status.message,
        window=collected.window,
        result=result(gathered),
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
        recovery=gathered.recovery,
        start_time=status.start_time,
        completion_time=format_time(seen.now),
        release_at=status.release_at,
        timings={**_timings(status, collected, seen), **_reset(trial, seen)},
        artefacts=gathered.artefacts,
    )


def _verdict(proof: Proof | None) -> ProofVerdict | None:
    return ProofVerdict(ok=proof.ok, summary=proof.summary) if proof else None


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
