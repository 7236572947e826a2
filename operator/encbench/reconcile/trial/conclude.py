"""The end of a trial: what it left behind is gathered, its outcome judged, its record stored.

The outcome is written down before the record is stored, with the figures, so that nothing counts
the one without the others. The record is put if absent: when it is there already (after a crash, or
by a second operator) it is adopted, so that a trial is counted once and always with the same
figures.
"""

from encbench.api.conditions import format_time
from encbench.api.kinds import JOB
from encbench.api.lifecycle import ARCHIVED, COLLECTED, IN_FORCE, NOT_IN_FORCE, PROVEN_AFTER
from encbench.api.scalars import parse_duration
from encbench.api.trial import TrialStatus
from encbench.core.records import TrialRecord
from encbench.kube.labels import ACTIVE
from encbench.reconcile.backoff import backoff
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import (
    Announce,
    Archive,
    Delete,
    DiscardProofs,
    Gather,
    Retire,
    TrialEffect,
)
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.decision import TrialDecision, decision, end
from encbench.reconcile.trial.facts import TrialSeen
from encbench.reconcile.trial.first_stored import key_of
from encbench.reconcile.trial.gathered import TrialGathered
from encbench.reconcile.trial.judge import judge
from encbench.reconcile.trial.record import RECORD, record, result

STORE_RETRY = 3.0


def conclude(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> TrialDecision:
    """The next step of a trial of which nothing more will come."""
    if draft.is_true(ARCHIVED):
        return decision(draft, *_clear(trial, draft, seen))
    if seen.found.stored is not None:
        return _adopt(trial, draft, seen, *seen.found.stored)
    if seen.found.store_problem:
        message = f"nothing is lost, trying again: {seen.found.store_problem}"
        draft.condition(ARCHIVED, False, "Waiting", message)
    again = backoff(draft.since(ARCHIVED), STORE_RETRY)
    gathered = seen.found.gathered
    if gathered is None:
        late = draft.since(ARCHIVED) > parse_duration(trial.spec.step_deadlines.archive)
        return decision(draft, Gather(seen, without_metrics=late), requeue=again)
    if gathered.unreadable:
        return _reject(trial, draft, seen, gathered.unreadable)
    _judge(trial, draft, seen, gathered)
    made = record(trial, seen, draft.status, gathered)
    return decision(draft, Archive(made), requeue=again)


def _judge(
    trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen, gathered: TrialGathered
) -> None:
    """The outcome, if nothing before has ended the trial, and the figures with it."""
    if draft.status.outcome is None:
        spec = None if seen.testbed is None else seen.testbed.spec
        found = judge(
            trial.spec,
            gathered,
            has_agent=spec is None or not spec.instance.is_external,
            has_proxy=spec is not None and spec.mode.columns is not None,
        )
        end(draft, *found)
    draft.set(window=gathered.collected.window, result=result(gathered))


def _adopt(
    trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen, stored: TrialRecord, digest: str
) -> TrialDecision:
    """The last status, from the record that counts."""
    after, key = stored.proofs.after, key_of(trial, RECORD)
    if after is not None and draft.is_true(PROVEN_AFTER):
        # The clients' part of it was not known when it was set.
        draft.condition(
            PROVEN_AFTER, after.ok, IN_FORCE if after.ok else NOT_IN_FORCE, after.summary
        )
    if stored.result is not None:
        draft.condition(COLLECTED, True, "Collected")
    else:
        draft.condition(COLLECTED, False, "NoResult", stored.message or "")
    draft.condition(ARCHIVED, True, "Archived", f"the record is {key}")
    draft.set(
        outcome=stored.outcome,
        reason=stored.reason,
        message=stored.message,
        window=stored.window,
        result=stored.result,
        completion_time=stored.completion_time,
        artefact_key=key,
        artefact_digest=digest,
    )
    return decision(draft, *_clear(trial, draft, seen, *_news(draft)))


def _reject(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen, why: str) -> TrialDecision:
    """What lies in the bucket is not what the recorder stored: no figure can come of it."""
    end(draft, "Invalid", "ArtefactsLost", why)
    draft.set(completion_time=format_time(seen.now))
    draft.condition(ARCHIVED, True, "Rejected", why)
    return decision(draft, *_clear(trial, draft, seen, *_news(draft)))


def _news(draft: Draft[TrialStatus]) -> list[Announce]:
    status = draft.status
    if status.outcome == "Succeeded":
        return []
    note = f"{status.outcome}: {status.reason}: {status.message}"
    return [Announce(status.outcome or "Failed", note, warning=True)]


def _clear(
    trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen, *news: Announce
) -> list[TrialEffect]:
    """After the end: the Job and its pods go, and so does the label that keeps us watching."""
    effects: list[TrialEffect] = []
    active = ACTIVE in trial.labels
    if active and draft.status.artefact_key is not None:
        effects.append(DiscardProofs())
    if seen.job is not None:
        effects.append(Delete(JOB, trial.namespace, trial.name, seen.job.uid))
    return [*effects, *news, *([Retire()] if active else [])]
