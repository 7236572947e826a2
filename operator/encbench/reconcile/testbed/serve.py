"""A testbed that is made: its server runs, starts or rests as the trials need it."""

from encbench.api import lifecycle as life
from encbench.api.conditions import format_time
from encbench.api.scalars import parse_duration
from encbench.reconcile.draft import backoff
from encbench.reconcile.stage import may_stop_its_server
from encbench.reconcile.starts import current_start, wanted_start
from encbench.reconcile.testbed.decision import POLL, SETTLED_POLL, TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.starting import bring, ending, scaled


def serve(draft: TestbedDraft) -> TestbedDecision:
    """Have the server run as the trial needs it; without one as it is, or not at all."""
    testbed, trial, neighbours = draft.subject, draft.seen.trial, draft.seen.neighbours
    if testbed.spec.instance.is_external:
        return _ready(draft, "Ready", "ready for trials, as far as encbench can know")
    if not testbed.spec.follows_trials:
        return _keep_ready(draft)
    if trial is None and testbed.spec.residency == "OnDemand":
        return _rest(draft)
    wanted = wanted_start(testbed, trial) if trial else current_start(testbed)
    if wanted == current_start(testbed) and draft.status.run is None:
        return _keep_ready(draft)
    if neighbours and wanted != current_start(testbed):
        message = f"waiting for {', '.join(neighbours)} to stop"
        draft.condition(life.READY, False, life.STARTING, message)
        return draft.decide(requeue=POLL)
    step = bring(draft, wanted)
    if step.failed is not None:
        return draft.fail(step.failed.reason, step.failed.message)
    if step.ready:
        return _keep_ready(draft)
    why = f"for trial {trial.name}" if trial else "anew"
    draft.condition(life.READY, False, life.STARTING, f"starting {why}: {step.message}")
    draft.note_trouble(step.trouble)
    return draft.decide(*scaled(draft, step.scale), requeue=POLL)


def _rest(draft: TestbedDraft) -> TestbedDecision:
    """The server is not needed: it stops, and the testbed is ready once its pod is gone."""
    found = draft.seen.stateful_set
    if found is not None and found.replicas:
        return draft.decide(*scaled(draft, (0, found.start)), requeue=POLL)
    end = ending(draft)
    if end.failed is not None:
        return draft.fail(end.failed.reason, end.failed.message)
    if draft.seen.database is not None:
        draft.note_trouble(end.trouble)
        # Until the first trial nothing else has a deadline.
        limit = parse_duration(draft.spec.step_deadlines.reset)
        if draft.status.ready_time is None and draft.since(life.PROVEN) > limit:
            return draft.fail("ResetTimeout", "the database did not stop within the step's time")
        return draft.decide(requeue=POLL)
    return _ready(draft, life.IDLE, "stopped until a trial needs it")


def _keep_ready(draft: TestbedDraft) -> TestbedDecision:
    if draft.up:
        return _ready(draft, "Ready", "ready for trials")
    trial = draft.seen.trial
    if trial is not None and may_stop_its_server(trial):
        # A recovery may take longer than a start, and the kubelet notices its end last.
        draft.condition(life.READY, False, life.STARTING, f"stopped for trial {trial.name}")
        return draft.decide(requeue=SETTLED_POLL)
    run, (reason, message) = draft.status.run, draft.not_ready
    draft.condition(life.READY, False, life.NOT_READY, message)
    draft.hinder(reason, message)
    # A start that took long is no part of it.
    lost = draft.since(life.READY)
    lost = min(lost, draft.age(run.ready_time)) if run and run.ready_time else lost
    if lost > parse_duration(draft.spec.step_deadlines.provision):
        return draft.fail(life.NOT_READY, message)
    return draft.decide(requeue=backoff(lost, POLL))


def _ready(draft: TestbedDraft, reason: str, message: str) -> TestbedDecision:
    if draft.status.ready_time is None:
        draft.set(ready_time=format_time(draft.seen.now))
    draft.condition(life.READY, True, reason, message)
    return draft.decide(requeue=SETTLED_POLL)
