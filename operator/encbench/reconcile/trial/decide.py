"""What to do next with a trial: a chain of pure checks over what was seen.

`Pending -> Preparing -> Running -> Collecting -> Archiving -> Succeeded | Invalid | Failed` is
derived from conditions, which are independent facts. Every end is written down as `outcome` first
and then archived; the trial is over when `Archived` is True.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.base import parse_duration
from encbench.api.conditions import find, format_time, is_true
from encbench.api.trial import Outcome, TrialStatus
from encbench.core.instances import is_external
from encbench.reconcile import checks, pods
from encbench.reconcile.checks import CONSISTENT, Checked
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Trial
from encbench.reconcile.patience import patience
from encbench.reconcile.starts import serves
from encbench.reconcile.trial import recovery
from encbench.reconcile.trial.facts import ClientFacts, RunState, Seen

PREPARED, PROVEN_BEFORE, RELEASED = "Prepared", "ProvenBefore", "Released"
MEASURED, PROVEN_AFTER = "Measured", "ProvenAfter"
COLLECTED, ARCHIVED = "Collected", "Archived"
RECOVERED = recovery.RECOVERED
MARGIN = 60.0
"""Seconds for which the load of a recovery workload would run on if its server were not stopped."""

OOM = "OOMKilled"
"""The kubelet's word for a container that exceeded its memory."""
TOOL_FAILED = "ToolFailed"
START_TOGETHER = 0.3
"""Seconds between the release and the common start: enough for one HTTP call to each client."""
TOGETHER = 2.0
"""Seconds that a start may be late; a later one is put off for all, or was missed by some."""
LAST_SAMPLE = 2.5
"""Seconds until a window's last samples are in Prometheus: one scrape interval and its delay, and
one more because the times of conditions are whole seconds."""
UPLOAD_AFTER_FAILURE = 60.0
"""Seconds that a failed tool's log has to reach the bucket before the trial ends without it."""
POLL = 0.2
"""Seconds between looks while something is due at any moment."""
SLOW_POLL = 1.0


@dataclass(frozen=True)
class Decision:
    """The status to write, and what to do after it is written."""

    status: TrialStatus
    create_job: bool = False
    release: tuple[ClientFacts, ...] = ()
    """Clients to release."""
    archive: bool = False
    """Collect what there is, store the record and conclude."""
    requeue: float | None = None


def decide(trial: Trial, seen: Seen) -> Decision:
    """The next step; pure."""
    draft = Draft(trial.status, now=seen.now, generation=trial.generation)
    if trial.status.start_time is None:
        draft.set(start_time=format_time(seen.now))
    if trial.status.outcome is not None:
        if _log_may_still_come(draft, seen):
            return _decision(draft, requeue=SLOW_POLL)
        return _decision(draft, archive=True)
    if _end_without_testbed(draft, seen):
        return _decision(draft, requeue=0.0)
    if not draft.is_true(RELEASED):
        return _before_release(trial, draft, seen)
    if not draft.known(MEASURED):
        return _while_running(trial, draft, seen)
    return _after_run(trial, draft, seen)


def phase(draft: Draft[TrialStatus]) -> str:
    """The phase for eyes, from the conditions."""
    status = draft.status
    if draft.is_true(ARCHIVED) and status.outcome:
        return status.outcome
    if status.outcome:
        return "Archiving"
    if draft.known(PROVEN_AFTER):
        return "Collecting"
    if draft.is_true(RELEASED):
        return "Running"
    return "Preparing"


def end(draft: Draft[TrialStatus], outcome: Outcome, reason: str, message: str) -> None:
    """Write down how the trial ends."""
    draft.set(outcome=outcome, reason=reason, message=message[:4096])


def _decision(
    draft: Draft[TrialStatus],
    *,
    create_job: bool = False,
    release: tuple[ClientFacts, ...] = (),
    archive: bool = False,
    requeue: float | None = None,
) -> Decision:
    draft.set(phase=phase(draft))
    return Decision(draft.status, create_job, release, archive, requeue)


def _log_may_still_come(draft: Draft[TrialStatus], seen: Seen) -> bool:
    """After a run whose result does not count the raw log is worth a moment's wait."""
    uploading = any(c.run and c.run.state is RunState.FINISHED for c in seen.clients)
    return draft.known(MEASURED) and uploading and draft.since(MEASURED) < UPLOAD_AFTER_FAILURE


def _end_without_testbed(draft: Draft[TrialStatus], seen: Seen) -> bool:
    testbed = seen.testbed
    if testbed is None or testbed.deleting:
        end(draft, "Failed", "TestbedGone", "the testbed was deleted")
        return True
    if is_true(testbed.status.conditions, "Failed"):
        end(draft, "Failed", "TestbedFailed", f"testbed {testbed.name} failed")
        return True
    return False


def _before_release(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    deadlines = trial.spec.step_deadlines
    waited = draft.age(draft.status.start_time)
    _prove_before(draft, seen, _served(trial, draft, seen), parse_duration(deadlines.proof))
    if draft.status.outcome:
        return _decision(draft, requeue=0.0)
    trouble = _check_clients(trial, draft, seen)
    if seen.job is not None and seen.job.failed:
        end(draft, "Failed", *(trouble or ("ClientFailed", "a client pod failed before the start")))
        return _decision(draft, requeue=0.0)
    if waited > parse_duration(deadlines.start) and not draft.is_true(PREPARED):
        reason, message = trouble or ("StartTimeout", "the clients were not ready to start in time")
        end(draft, "Failed", reason, message)
        return _decision(draft, requeue=0.0)
    if draft.is_true(PREPARED) and draft.is_true(PROVEN_BEFORE):
        draft.set(release_at=seen.now.timestamp() + START_TOGETHER)
        draft.condition(RELEASED, True, "Released", "the clients were told when to start")
        return _decision(draft, requeue=0.0)
    wait = patience(waited, POLL, SLOW_POLL)
    return _decision(draft, create_job=seen.job is None, requeue=wait)


def _served(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> float:
    """Seconds for which the testbed has been what the trial needs: the proof's deadline is of that.

    Until then the testbed has deadlines of its own, and waits at most for a neighbour's record.
    """
    waited = draft.age(draft.status.start_time)
    testbed = seen.testbed
    if testbed is None or not testbed.spec.follows_trials:
        return waited
    if serves(testbed, trial):
        run = testbed.status.run
        return min(waited, draft.age(run.ready_time)) if run and run.ready_time else waited
    deadlines = trial.spec.step_deadlines
    if waited > parse_duration(deadlines.archive) + parse_duration(deadlines.reset):
        ready = find(testbed.status.conditions, "Ready")
        why = ready.message if ready else "nothing is known of it"
        end(draft, "Failed", "StartTimeout", f"testbed {testbed.name} did not get ready: {why}")
    return 0.0


def _prove_before(draft: Draft[TrialStatus], seen: Seen, waited: float, deadline: float) -> None:
    if draft.is_true(PROVEN_BEFORE):
        return
    if seen.testbed is not None:
        for fact in seen.testbed.status.conditions:
            if fact.type == "Proven" and fact.status == "False":
                end(draft, "Invalid", "ProofFailed", fact.message)
                return
    if seen.proof is not None:
        _set_proof(draft, PROVEN_BEFORE, seen)
        draft.set(server_started=seen.server_started)
        if not seen.proof.ok:
            end(draft, "Invalid", "ProofFailed", seen.proof.summary)
    elif waited > deadline:
        end(draft, "Failed", "ProofTimeout", _no_proof(seen))


def _set_proof(draft: Draft[TrialStatus], kind: str, seen: Seen) -> None:
    proof = seen.proof
    if proof is not None:
        reason = "ModeInForce" if proof.ok else "ModeNotInForce"
        draft.condition(kind, proof.ok, reason, proof.summary)


def _no_proof(seen: Seen) -> str:
    return f"the mode could not be proven in time: {seen.proof_problem or 'no answer'}"


def _check_clients(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> tuple[str, str] | None:
    """Set `Prepared`; gives back what keeps the clients from starting."""
    wanted = trial.spec.workload.client.replicas
    waiting = [c for c in seen.clients if c.run is not None and c.run.state is RunState.WAITING]
    if len(waiting) == wanted:
        draft.condition(PREPARED, True, "Waiting", f"{wanted} client(s) wait for the start")
        return None
    found = pods.trouble([client.pod for client in seen.clients])
    if found is not None:
        draft.condition(PREPARED, False, found.reason, found.message)
        return found.reason, found.message
    message = f"{len(waiting)} of {wanted} client(s) are ready to start"
    draft.condition(PREPARED, False, "Starting", message)
    return None


def _while_running(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    load, wanted = trial.spec.workload.load, trial.spec.workload.client.replicas
    if _lost_its_pod(seen):
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
        return _decision(draft, requeue=0.0)
    lost = next((c for c in seen.clients if _is_lost(c)), None)
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
        return _decision(draft, requeue=0.0)
    return _decision(draft, release=unreleased, requeue=POLL if unreleased else _until(left))


def _note_recovery(draft: Draft[TrialStatus], seen: Seen) -> None:
    """What came of an intended stop, as soon as it is known."""
    record = seen.stopped.record if seen.stopped else None
    if record is not None and not draft.known(RECOVERED):
        draft.condition(RECOVERED, record.ok, record.reason, record.message)
        if record.facts is not None:
            draft.set(server_restarted=record.facts.after.started_at)


def _cut_off(
    trial: Trial, draft: Draft[TrialStatus], seen: Seen, codes: Sequence[int | None]
) -> Decision:
    """Every client has ended, as the server's stop should have it."""
    state = seen.stopped.state if seen.stopped else ""
    if not draft.known(RECOVERED) and state not in ("armed", "unknown"):
        planned = recovery.planned_stop(trial, draft.status.release_at or 0.0)
        waited = seen.now.timestamp() - planned
        limit = parse_duration(trial.spec.step_deadlines.recovery) + UPLOAD_AFTER_FAILURE
        if waited <= limit:
            return _decision(draft, requeue=patience(max(0.0, waited), POLL, SLOW_POLL))
        why = seen.stop_problem or "it does not say that the server is back"
        draft.condition(RECOVERED, False, recovery.FAILED, f"the agent cannot be asked: {why}")
    if all(code == 0 for code in codes) or (0 in codes and draft.known(RECOVERED)):
        message = "the load ended by itself, so that the server was not stopped under it"
        end(draft, "Invalid", "NotUnderLoad", message)
    elif draft.known(RECOVERED):
        draft.condition(MEASURED, True, "Measured", "the server's stop has cut off every client")
    else:
        draft.condition(MEASURED, False, *_why_the_tool_failed(seen, codes))
    return _decision(draft, requeue=0.0)


def _lost_its_pod(seen: Seen) -> bool:
    """Whether the database is gone; an external one never had a pod."""
    if seen.testbed is not None and is_external(seen.testbed.spec.instance):
        return False
    return seen.database is None or seen.database.deleting


def _why_the_tool_failed(seen: Seen, codes: Sequence[int | None]) -> tuple[str, str]:
    for client in seen.clients:
        if client.pod.container("tool").exit_reason == OOM:
            return OOM, f"the tool in pod {client.pod.name} ran out of memory: raise its limit"
    failed = next(code for code in codes if code != 0)
    return TOOL_FAILED, f"the tool ended with code {failed}"


def _missed_start(
    trial: Trial, draft: Draft[TrialStatus], seen: Seen, *, everybody: bool
) -> Decision:
    """The operator was away between the release and telling the clients: agree on a new moment."""
    if not everybody:
        return _disrupted(draft, "the clients did not start together")
    if draft.since(RELEASED) > parse_duration(trial.spec.step_deadlines.start):
        end(draft, "Failed", "StartTimeout", "the clients could not be told to start in time")
    else:
        draft.set(release_at=seen.now.timestamp() + START_TOGETHER)
    return _decision(draft, requeue=0.0)


def _until(left: float) -> float:
    """Look seldom while the tool runs, for looking costs CPU, and often around its end."""
    return max(POLL, min(left, 5.0)) if left > 0 else POLL


def _is_lost(client: ClientFacts) -> bool:
    """Whether the recorder ended without having stored everything."""
    code = client.pod.container("recorder").exit_code
    return code != 0 and (code is not None or client.pod.phase == "Failed")


def _disrupted(draft: Draft[TrialStatus], message: str) -> Decision:
    end(draft, "Invalid", "Disrupted", message)
    return _decision(draft, requeue=0.0)


def _after_run(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    if draft.is_false(RECOVERED):
        fact = next(c for c in draft.status.conditions if c.type == RECOVERED)
        outcome: Outcome = "Failed" if fact.reason == recovery.FAILED else "Invalid"
        end(draft, outcome, fact.reason, fact.message)
        return _decision(draft, requeue=0.0)
    if not draft.known(PROVEN_AFTER):
        _prove_after(trial, draft, seen)
        wait = patience(draft.since(MEASURED), POLL, SLOW_POLL)
        return _decision(draft, requeue=0.0 if draft.known(PROVEN_AFTER) else wait)
    _note_unchecked(draft, seen)
    if _check_is_open(draft, seen):
        _check(trial, draft, seen)
        wait = patience(draft.since(PROVEN_AFTER), POLL, SLOW_POLL)
        return _decision(draft, requeue=0.0 if draft.known(CONSISTENT) else wait)
    uploaded = [c for c in seen.clients if c.run and c.run.state is RunState.UPLOADED]
    all_there = len(uploaded) == trial.spec.workload.client.replicas
    if draft.is_false(MEASURED):
        if all_there or draft.since(MEASURED) > UPLOAD_AFTER_FAILURE:
            measured = next(c for c in draft.status.conditions if c.type == MEASURED)
            end(draft, "Failed", OOM if measured.reason == OOM else TOOL_FAILED, measured.message)
            return _decision(draft, requeue=0.0)
        return _decision(draft, requeue=SLOW_POLL)
    if not all_there:
        return _await_upload(trial, draft, seen)
    # By our own clock: the client's may be wrong.
    wait = LAST_SAMPLE - draft.since(MEASURED)
    if wait > 0:
        return _decision(draft, requeue=wait)
    return _decision(draft, archive=True)


def _prove_after(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> None:
    if seen.proof is not None:
        # The one restart that was intended has its own proof; any other shows here.
        before = draft.status.server_restarted or draft.status.server_started
        after = seen.server_started
        if before is not None and after is not None and abs(after - before) > 1.0:
            killed = seen.database is not None and seen.database.container("server").exit_reason
            reason, message = "Disrupted", "the server restarted while the trial ran"
            if killed == OOM:
                reason, message = OOM, "the server ran out of memory and restarted in the trial"
            draft.condition(PROVEN_AFTER, False, reason, message)
            end(draft, "Invalid", reason, message)
            return
        _set_proof(draft, PROVEN_AFTER, seen)
        if not seen.proof.ok:
            end(draft, "Invalid", "ProofFailed", seen.proof.summary)
    elif _lost_its_pod(seen):
        draft.condition(PROVEN_AFTER, False, "Disrupted", "the database pod was deleted")
        end(draft, "Invalid", "Disrupted", "the database pod was deleted before the second proof")
    elif draft.since(MEASURED) > parse_duration(trial.spec.step_deadlines.proof):
        draft.condition(PROVEN_AFTER, False, "ProofTimeout", _no_proof(seen))
        end(draft, "Invalid", "ProofTimeout", _no_proof(seen))


def _check_is_open(draft: Draft[TrialStatus], seen: Seen) -> bool:
    """Whether the dataset's checks stand between this trial and the next one."""
    if seen.testbed is None or checks.due(seen.testbed.spec) is None:
        return False
    return draft.is_true(MEASURED) and not draft.known(CONSISTENT)


def _note_unchecked(draft: Draft[TrialStatus], seen: Seen) -> None:
    """Unknown, so that the next trial does not wait for what will not come."""
    why = checks.not_checked(seen.testbed.spec) if seen.testbed else None
    if why is not None and draft.is_true(MEASURED):
        draft.condition(CONSISTENT, None, "NotChecked", why)


def _check(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> None:
    found = seen.checked
    if found is None and draft.since(PROVEN_AFTER) > parse_duration(
        trial.spec.step_deadlines.proof
    ):
        why = seen.check_problem or "stepDeadlines.proof is too short for them"
        message = f"the consistency queries did not come to an end in time: {why}"
        found = Checked(False, checks.CHECK_TIMEOUT, message)
    if found is not None:
        draft.condition(CONSISTENT, found.ok, found.reason, found.message)
        if not found.ok:
            end(draft, "Invalid", found.reason, found.message)


def _await_upload(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    gone = len(seen.clients) != trial.spec.workload.client.replicas
    if gone or any(_is_lost(client) for client in seen.clients):
        # Nothing more will come. What has come in time is in the bucket.
        return _decision(draft, archive=True)
    if draft.since(MEASURED) > parse_duration(trial.spec.step_deadlines.archive):
        end(draft, "Failed", "ArchiveTimeout", "the object store did not take the log in time")
        return _decision(draft, requeue=0.0)
    refused = tuple(
        c for c in seen.clients if c.run and c.run.state is RunState.FINISHED and c.run.error
    )
    message = next((c.run.error for c in refused if c.run), "the clients upload their logs")
    draft.condition(COLLECTED, False, "Uploading", message)
    # A URL that the store no longer takes is replaced: a second release only renews the URLs.
    return _decision(draft, release=refused, requeue=patience(draft.since(MEASURED), SLOW_POLL))
