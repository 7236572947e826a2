"""A trial while its clients run: whether all of them are there, and how they end."""

from collections.abc import Sequence

from encbench.api.lifecycle import (
    DISRUPTED,
    MEASURED,
    OOM,
    RECOVERED,
    RECOVERY_FAILED,
    RELEASED,
    TOOL_FAILED,
)
from encbench.api.scalars import parse_duration
from encbench.api.trial import TrialStatus
from encbench.reconcile.backoff import backoff
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import ReleaseClients, StopServer, TrialEffect
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import recovery
from encbench.reconcile.trial.decision import (
    POLL,
    SLOW_POLL,
    START_TOGETHER,
    UPLOAD_AFTER_FAILURE,
    TrialDecision,
    decision,
    end,
    is_lost,
    lost_its_pod,
)
from encbench.reconcile.trial.ended import after_run
from encbench.reconcile.trial.facts import ClientPod, RunState, TrialSeen

SELDOM = 15.0
"""Seconds between looks while the tool runs."""
MARGIN = 60.0
"""Seconds for which the load of a recovery workload would run on if its server were not stopped."""
TOGETHER = 2.0
"""Seconds that a start may be late; a later one is put off for all, or was missed by some."""


def while_running(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> TrialDecision:
    """The next step of a trial that was released and has not ended."""
    load, wanted = trial.spec.workload.load, trial.spec.workload.client.replicas
    if lost_its_pod(seen):
        return _disrupted(draft, "the database pod was deleted while the trial ran")
    if len(seen.clients) != wanted or any(c.pod.deleting for c in seen.clients):
        return _disrupted(draft, "a client pod was deleted or replaced while the trial ran")
    if any(c.pod.restarts for c in seen.clients):
        return _disrupted(draft, "a client container restarted while the trial ran")
    _note_recovery(draft, seen)
    runs = [client.run for client in seen.clients]
    ended = [r for r in runs if r and r.state in (RunState.FINISHED, RunState.UPLOADED)]
    if len(ended) == wanted:
        codes = [run.exit_code for run in ended]
        if recovery.is_recovery(trial):
            return _cut_off(trial, draft, seen, codes)
        if all(code == 0 for code in codes):
            draft.condition(MEASURED, True, "Measured", "every client ended normally")
        else:
            draft.condition(MEASURED, False, *_why_the_tool_failed(seen, codes))
        return after_run(trial, draft, seen)
    lost = next((c for c in seen.clients if is_lost(c)), None)
    if lost is not None:
        return _disrupted(draft, f"the recorder of pod {lost.pod.name} died while the trial ran")
    unreleased = tuple(c for c in seen.clients if c.run and c.run.state is RunState.WAITING)
    if unreleased and seen.now.timestamp() - (draft.status.release_at or 0.0) > TOGETHER:
        return _missed_start(trial, draft, seen, everybody=len(unreleased) == wanted)
    planned = (draft.status.release_at or 0.0) + load.warmup_seconds + load.duration_seconds
    left = planned - seen.now.timestamp()
    margin = MARGIN if recovery.is_recovery(trial) else 0.0
    if -left > parse_duration(trial.spec.step_deadlines.overrun) + margin + UPLOAD_AFTER_FAILURE:
        end(draft, "Failed", "Overrun", "the tool did not end in time")
        return decision(draft, requeue=0.0)
    effects = _orders(trial, draft, seen, unreleased, planned)
    return decision(draft, *effects, requeue=POLL if unreleased else _until(left))


def _orders(
    trial: Trial,
    draft: Draft[TrialStatus],
    seen: TrialSeen,
    unreleased: tuple[ClientPod, ...],
    planned: float,
) -> list[TrialEffect]:
    """Tell clients when to start that do not know it yet, and the agent when its server ends."""
    orders: list[TrialEffect] = []
    if unreleased:
        orders.append(ReleaseClients(unreleased, draft.status.release_at or 0.0))
    if seen.database is not None and _may_stop(trial, draft, seen):
        orders.append(StopServer(seen.database, planned))
    return orders


def _note_recovery(draft: Draft[TrialStatus], seen: TrialSeen) -> None:
    """What came of an intended stop, as soon as its record counts."""
    record = seen.found.recovery
    if record is not None and not draft.known(RECOVERED):
        draft.condition(RECOVERED, record.ok, record.reason, record.message)
        if record.facts is not None:
            draft.set(server_restarted=record.facts.after.started_at)


def _may_stop(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> bool:
    """Once no other start can be agreed on, and while there is a load to stop under."""
    if draft.known(RECOVERED) or seen.stopped is None or seen.stopped.state != "unknown":
        return False
    runs = [client.run for client in seen.clients if client.run is not None]
    told = [run for run in runs if run.state is not RunState.WAITING]
    loading = [run for run in told if run.state in (RunState.RELEASED, RunState.RUNNING)]
    return len(told) == trial.spec.workload.client.replicas and bool(loading)


def _cut_off(
    trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen, codes: Sequence[int | None]
) -> TrialDecision:
    """Every client has ended, as the server's stop should have it."""
    state = seen.stopped.state if seen.stopped else ""
    if not draft.known(RECOVERED) and state not in ("armed", "unknown"):
        planned = recovery.planned_stop(trial, draft.status.release_at or 0.0)
        waited = seen.now.timestamp() - planned
        limit = parse_duration(trial.spec.step_deadlines.recovery) + UPLOAD_AFTER_FAILURE
        if waited <= limit:
            return decision(draft, requeue=backoff(max(0.0, waited), POLL, SLOW_POLL))
        why = seen.stop_problem or "it does not say that the server is back"
        draft.condition(RECOVERED, False, RECOVERY_FAILED, f"the agent cannot be asked: {why}")
    if all(code == 0 for code in codes) or (0 in codes and draft.known(RECOVERED)):
        message = "the load ended by itself, so that the server was not stopped under it"
        end(draft, "Invalid", "NotUnderLoad", message)
        return decision(draft, requeue=0.0)
    if draft.known(RECOVERED):
        draft.condition(MEASURED, True, "Measured", "the server's stop has cut off every client")
    else:
        draft.condition(MEASURED, False, *_why_the_tool_failed(seen, codes))
    return after_run(trial, draft, seen)


def _why_the_tool_failed(seen: TrialSeen, codes: Sequence[int | None]) -> tuple[str, str]:
    for client in seen.clients:
        if client.pod.container("tool").exit_reason == OOM:
            return OOM, f"the tool in pod {client.pod.name} ran out of memory: raise its limit"
    failed = next(code for code in codes if code != 0)
    return TOOL_FAILED, f"the tool ended with code {failed}"


def _missed_start(
    trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen, *, everybody: bool
) -> TrialDecision:
    """The operator was away between the release and telling the clients: agree on a new moment."""
    if not everybody:
        return _disrupted(draft, "the clients did not start together")
    if draft.since(RELEASED) > parse_duration(trial.spec.step_deadlines.start):
        end(draft, "Failed", "StartTimeout", "the clients could not be released in time")
    else:
        draft.set(release_at=seen.now.timestamp() + START_TOGETHER)
    return decision(draft, requeue=0.0)


def _until(left: float) -> float:
    """Look seldom while the tool runs, because looking costs CPU, and often around its end.

    What happens to a pod wakes us anyway.
    """
    return max(POLL, min(left, SELDOM)) if left > 0 else POLL


def _disrupted(draft: Draft[TrialStatus], message: str) -> TrialDecision:
    """The trial ends: something came between that has nothing to do with its mode."""
    end(draft, "Invalid", DISRUPTED, message)
    return decision(draft, requeue=0.0)
