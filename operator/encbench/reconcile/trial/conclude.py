"""The end of a trial: what it left behind is gathered, its outcome judged, its record stored.

The record is put if absent: when it is there already (after a crash, or by a second operator) it is
adopted, so that a trial is counted once and always with the same figures. Outcome and figures come
into the status from the record that counts, all at once. Only an end that was decided before there
was a record stands there first.
"""

from encbench.api import lifecycle as life
from encbench.api.conditions import format_time
from encbench.api.kinds import JOB
from encbench.api.scalars import parse_duration
from encbench.core.records import TrialRecord
from encbench.core.window import KEPT
from encbench.kube.labels import ACTIVE
from encbench.reconcile.draft import backoff
from encbench.reconcile.effects import effect as do
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft
from encbench.reconcile.trial.facts import Patience, TrialGathered
from encbench.reconcile.trial.first_stored import key_of
from encbench.reconcile.trial.judge import judge
from encbench.reconcile.trial.record import RECORD, record, result
from encbench.tools.turns import load_seconds

STORE_RETRY = 3.0


def conclude(draft: TrialDraft) -> TrialDecision:
    """The next step of a trial of which nothing more will come."""
    found, gathered = draft.seen.found, draft.seen.found.gathered
    if draft.is_true(life.ARCHIVED):
        return draft.decide(*_clear(draft))
    if found.stored is not None:
        return _adopt(draft, *found.stored)
    if found.store_problem:
        message = f"nothing is lost, trying again: {found.store_problem}"
        draft.condition(life.ARCHIVED, False, "Waiting", message)
        draft.hinder(life.NOT_STORED, found.store_problem)
    waited = draft.since(life.ARCHIVED)
    limit = parse_duration(draft.spec.step_deadlines.archive)
    if found.store_problem and waited > 2 * limit:
        return _give_up(draft, found.store_problem)
    again = backoff(waited, STORE_RETRY)
    if gathered is None:
        # Prometheus and agent get the first half of the time: the store has one of its own.
        patience = _patience(draft, waited, limit)
        return draft.decide(do.Gather(draft.seen, patience), requeue=again)
    if gathered.unreadable:
        # What lies in the bucket is not what the recorder stored: no figure can come of it.
        draft.end("Invalid", "ArtefactsLost", gathered.unreadable)
        draft.set(completion_time=format_time(draft.seen.now))
        draft.condition(life.ARCHIVED, True, "Rejected", gathered.unreadable)
        return draft.decide(*_clear(draft, *_news(draft)))
    announced = draft.status
    _judge(draft, gathered)
    made = record(draft.subject, draft.seen, draft.status, gathered)
    draft.status = announced
    return draft.decide(do.Archive(made), requeue=again)


def _patience(draft: TrialDraft, waited: float, limit: float) -> Patience:
    """How long Prometheus and the agent are waited for, once the samples are to be read.

    Of a long window the status says first that it is read. Nothing else is left of an operator that
    ended over it, perhaps for lack of memory, as the next one may. What is away has a time of its
    own, from when it is missed first, and a new operator that reads meanwhile does not renew it.
    """
    patience: Patience = "waits" if waited <= limit else "once"
    has_all = draft.status.release_at is None or load_seconds(draft.spec) <= KEPT
    if has_all or draft.seen.found.store_problem:
        return patience
    if not draft.is_false(life.ARCHIVED):
        draft.condition(life.ARCHIVED, None, life.READING, "the samples of a long window are read")
    # A restart says nothing about memory, so the samples are given up late.
    return "none" if waited > 2 * limit else patience


def _give_up(draft: TrialDraft, problem: str) -> TrialDecision:
    """Without a record in the bucket a trial counts for nothing, whatever came of it."""
    message = f"its record could not be stored within twice stepDeadlines.archive: {problem}"
    draft.end("Failed", "ArchiveTimeout", message)
    draft.set(completion_time=format_time(draft.seen.now), window=None, result=None)
    draft.condition(life.ARCHIVED, True, "GivenUp", message)
    return draft.decide(*_clear(draft, *_news(draft)))


def _judge(draft: TrialDraft, gathered: TrialGathered) -> None:
    """The outcome, if nothing before has ended the trial, and the figures with it."""
    if draft.status.outcome is None:
        testbed = draft.seen.testbed
        mode = testbed.spec.mode if testbed is not None else None
        found = judge(
            draft.spec,
            gathered,
            has_agent=not draft.seen.is_external,
            has_proxy=mode is not None and mode.proxy is not None,
            over_fuse=mode is not None and mode.gocryptfs is not None,
        )
        draft.end(*found)
    draft.set(window=gathered.collected.window, result=result(gathered))


def _adopt(draft: TrialDraft, stored: TrialRecord, digest: str) -> TrialDecision:
    """The last status, from the record that counts."""
    after, key = stored.proofs.after, key_of(draft.subject, RECORD)
    if after is not None and draft.is_true(life.PROVEN_AFTER):
        # The clients' part of it was not known when it was set.
        reason = life.IN_FORCE if after.ok else life.NOT_IN_FORCE
        draft.condition(life.PROVEN_AFTER, after.ok, reason, after.summary)
    if stored.result is not None:
        draft.condition(life.COLLECTED, True, "Collected")
    else:
        draft.condition(life.COLLECTED, False, "NoResult", stored.message or "")
    draft.condition(life.ARCHIVED, True, "Archived", f"the record is {key}")
    same = ("outcome", "reason", "message", "window", "result", "completion_time")
    draft.set(artefact_key=key, artefact_digest=digest, **{f: getattr(stored, f) for f in same})
    return draft.decide(*_clear(draft, *_news(draft)))


def _news(draft: TrialDraft) -> list[do.Announce]:
    status = draft.status
    if status.outcome == "Succeeded":
        return []
    note = f"{status.outcome}: {status.reason}: {status.message}"
    return [do.Announce(status.outcome or "Failed", note, warning=True)]


def _clear(draft: TrialDraft, *news: do.Announce) -> list[do.TrialEffect]:
    """After the end: the Job and its pods go, and so does the label that keeps us watching."""
    trial, job, effects = draft.subject, draft.seen.job, list[do.TrialEffect]()
    active = ACTIVE in trial.labels
    if job is not None:
        effects.append(do.Delete(JOB, trial.namespace, trial.name, job.uid))
    return [*effects, *news, *([do.Retire()] if active else [])]
