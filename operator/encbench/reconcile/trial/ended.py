"""A trial whose clients have ended: proven again, its tables checked, its log in the bucket."""

from encbench.api import lifecycle as life
from encbench.api.scalars import parse_duration
from encbench.api.trial import Outcome
from encbench.reconcile import checks
from encbench.reconcile.draft import PATIENCE, backoff
from encbench.reconcile.effects.effect import AskChecks, ReleaseClients
from encbench.reconcile.pods import ENDING_SLACK, PodFacts
from encbench.reconcile.trial import decision, placed
from encbench.reconcile.trial.conclude import conclude
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft
from encbench.reconcile.trial.facts import ClientPod, TrialSeen
from encbench.reconcile.troubles import by_its_node, raise_memory, why_deleted

LAST_SAMPLE = 2.5
"""Seconds until a window's last samples are in Prometheus: one scrape interval and its delay, and
one more because the times of conditions are whole seconds."""


def after_run(draft: TrialDraft) -> TrialDecision:
    """The next step of a trial whose clients have ended, or were cut off."""
    recovered = draft.fact(life.RECOVERED)
    if recovered is not None and recovered.status == "False":
        outcome: Outcome = "Failed" if recovered.reason == life.RECOVERY_FAILED else "Invalid"
        return draft.end(outcome, recovered.reason, recovered.message)
    if not draft.known(life.PROVEN_AFTER):
        _judge_mode(draft)
    if draft.status.outcome is not None:
        return draft.decide(requeue=0.0)
    if not draft.known(life.PROVEN_AFTER):
        draft.note_silence()
        wait = backoff(draft.since(life.MEASURED), decision.POLL, decision.SLOW_POLL)
        return draft.decide(*draft.prove("after"), *renew_urls(draft), requeue=wait)
    _note_unchecked(draft)
    if _check_is_open(draft):
        ask = _check(draft)
        if draft.status.outcome is not None:
            return draft.decide(requeue=0.0)
        if not draft.known(life.CONSISTENT):
            draft.note_silence()
            wait = backoff(draft.since(life.PROVEN_AFTER), decision.POLL, decision.SLOW_POLL)
            return draft.decide(*ask, requeue=wait)
    uploaded = len(draft.seen.clients_in("uploaded"))
    all_there = uploaded == draft.spec.workload.client.replicas
    measured = draft.fact(life.MEASURED)
    if measured is not None and measured.status == "False":
        if all_there or draft.since(life.MEASURED) > decision.UPLOAD_AFTER_FAILURE:
            cut = cut_by_its_node(draft.seen)
            if cut is not None:
                # The kubelet said so after the recorder.
                return draft.end("Invalid", life.DISRUPTED, cut)
            reason = life.OOM if measured.reason == life.OOM else life.TOOL_FAILED
            return draft.end("Failed", reason, measured.message)
        return draft.decide(*renew_urls(draft), requeue=decision.SLOW_POLL)
    if not all_there:
        return _await_upload(draft)
    # By our own clock: the client's may be wrong. If ours was set back, it shows no time.
    waited = draft.since(life.MEASURED)
    if 0 <= waited < LAST_SAMPLE:
        return draft.decide(requeue=LAST_SAMPLE - waited)
    return conclude(draft)


def cut_by_its_node(seen: TrialSeen) -> str | None:
    """Which client's tool was stopped with its pod, as by an eviction, as a sentence.

    Its recorder may store the log all the same, in the time that the pod has to end.
    """
    for client in seen.clients:
        if client.pod.ended_by and client.run is not None and client.run.exit_code:
            return f"{by_its_node(client.pod)} while the trial ran"
    return None


def _judge_mode(draft: TrialDraft) -> None:
    """Write down what the second proof found; end a trial that was disrupted before it."""
    seen, made = draft.seen, draft.seen.found.after
    disturbance = placed.replaced_database(draft)
    if disturbance is None and not seen.lost_its_pod:
        disturbance = placed.restarted_beside(draft)
    if disturbance is not None:
        _not_proven(draft, life.DISRUPTED, disturbance)
    elif made is not None:
        # The one restart that was intended has its own proof; any other shows here.
        before = draft.status.server_restarted or draft.status.server_started
        after = made.server_started
        if before is None or after is None or abs(after - before) <= 1.0:
            draft.set_proof(life.PROVEN_AFTER, made.proof)
        else:
            _not_proven(draft, *why_it_restarted(seen.database))
    elif seen.lost_its_pod:
        deleted = f"the database pod was deleted{why_deleted(seen.database)}"
        draft.condition(life.PROVEN_AFTER, False, life.DISRUPTED, deleted)
        draft.end("Invalid", life.DISRUPTED, f"{deleted} before the second proof")
    elif draft.is_overdue("after", draft.since(life.MEASURED)):
        _not_proven(draft, "ProofTimeout", draft.no_proof("after"))


def why_it_restarted(database: PodFacts | None) -> tuple[str, str]:
    """Reason and message of a trial whose server restarted, though it was not to."""
    if database is not None and database.container("server").exit_reason == life.OOM:
        what = "the server ran out of memory and restarted in the trial"
        return life.OOM, f"{what}: {raise_memory('server')}"
    return life.DISRUPTED, "the server restarted while the trial ran"


def _not_proven(draft: TrialDraft, reason: str, message: str) -> None:
    draft.condition(life.PROVEN_AFTER, False, reason, message)
    draft.end("Invalid", reason, message)


def _check_is_open(draft: TrialDraft) -> bool:
    """Whether the dataset's checks stand between this trial and the next one."""
    testbed = draft.seen.testbed
    if testbed is None or checks.due(testbed.spec) is None:
        return False
    return draft.is_true(life.MEASURED) and not draft.known(life.CONSISTENT)


def _note_unchecked(draft: TrialDraft) -> None:
    """Unknown, so that the next trial does not wait for what will not come."""
    testbed = draft.seen.testbed
    why = checks.not_checked(testbed.spec) if testbed else None
    if why is not None and draft.is_true(life.MEASURED):
        draft.condition(life.CONSISTENT, None, life.UNCHECKED, why)


def _check(draft: TrialDraft) -> tuple[AskChecks, ...]:
    """Write down what the checks came to; until then have the agent make them."""
    seen, found = draft.seen, draft.seen.found.checked
    if found is None and draft.is_overdue("checks", draft.since(life.PROVEN_AFTER)):
        found = checks.overdue(seen.found.problem)
    if found is None:
        draft.condition(life.CONSISTENT, None, life.CHECKING, "the agent checks the tables")
        if seen.testbed is None or seen.database is None:
            return ()
        run, full = draft.subject.uid, draft.spec.full_check
        return (AskChecks(seen.testbed, seen.database, run, loaded=False, full=full),)
    draft.condition(life.CONSISTENT, found.ok, found.reason, found.message)
    if not found.ok:
        draft.end("Invalid", found.reason, found.message)
    return ()


def _await_upload(draft: TrialDraft) -> TrialDecision:
    clients = draft.seen.clients
    gone, waited = len(clients) != draft.spec.workload.client.replicas, draft.since(life.MEASURED)
    silent = waited > decision.UPLOAD_AFTER_FAILURE and any(one.pod.is_lost for one in clients)
    over = any(_had_its_time(draft, client) for client in clients)
    if gone or silent or over or any(client.is_lost for client in clients):
        # Nothing more will come. What has come in time is in the bucket.
        return conclude(draft)
    ended = draft.seen.clients_in("finished")
    away = next((c for c in ended if c.run and c.run.away), None)
    tried = f" (pod {away.pod.name}: {away.run.away})" if away and away.run else ""
    if waited > parse_duration(draft.spec.step_deadlines.archive):
        return draft.end(
            "Failed", "ArchiveTimeout", f"the object store did not take the log in time{tried}"
        )
    refused = _refused(draft)
    message = next((c.run.error for c in refused if c.run), "the clients upload their logs")
    if refused or waited > PATIENCE:
        draft.condition(life.COLLECTED, False, "Uploading", message)
        late = f"the object store has not taken the clients' logs yet{tried}"
        why = message if refused else late
        draft.hinder(life.NOT_STORED, why)
        mute = next((client.pod for client in clients if client.run is None), None)
        if mute is not None and not refused:
            # Perhaps with its node, of which a pod whose tool has ended does not tell.
            where = f"of pod {mute.name} on node {mute.node}"
            draft.hinder(life.NO_ANSWER, f"the recorder {where} does not answer")
    return draft.decide(*renew_urls(draft), requeue=backoff(waited, decision.SLOW_POLL))


def _refused(draft: TrialDraft) -> tuple[ClientPod, ...]:
    """The clients whose files the store has refused."""
    return tuple(c for c in draft.seen.clients_in("finished") if c.run and c.run.error)


def renew_urls(draft: TrialDraft) -> tuple[ReleaseClients, ...]:
    """Other URLs for what the store refused: a second release of a client renews only these.

    They may have ended with the session that signed them.
    """
    refused = _refused(draft)
    return (ReleaseClients(refused, draft.status.release_at or 0.0),) if refused else ()


def _had_its_time(draft: TrialDraft, client: ClientPod) -> bool:
    """Whether its pod was deleted, as on a lost node, and its recorder is not heard of any more."""
    return client.run is None and draft.beyond(client.pod.ends) > ENDING_SLACK
