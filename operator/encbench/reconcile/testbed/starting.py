"""Stopping a database and starting it anew, to make a golden copy or because a trial asks for it.

The start that is wanted is written to the status first; then the StatefulSet is scaled to 0 and,
when its pod is gone, to 1 with the start's name on the pod's template. Whatever is found of this
after a crash of the operator says what is left to do: a pod bears the name of the start that it was
made for. Nothing else of the StatefulSet changes but the wish that the pod stays on its node, so
that an operator which was upgraded in between starts the same pod.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from encbench.api.conditions import format_time
from encbench.api.kinds import STATEFUL_SET
from encbench.api.lifecycle import NO_POD
from encbench.api.scalars import parse_duration
from encbench.api.testbed import DataCopy, ServerRun
from encbench.core.starts import Start
from encbench.database import golden
from encbench.kube import labels
from encbench.reconcile import pods, troubles
from encbench.reconcile.effects.effect import Apply
from encbench.reconcile.objects import Testbed, Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.testbed.decision import TestbedDraft
from encbench.reconcile.testbed.facts import TestbedSeen, start_named
from encbench.reconcile.troubles import Trouble
from encbench.wire.foreign import parsed
from encbench.wire.golden import Outcome
from encbench.wire.shape import misfit

PREPARE = f"init:{golden.NAME}"
ATTEMPTS = 3
"""Failures of the golden copy after which another attempt is not expected to succeed."""
_PATIENCE = 60.0
"""Seconds for an earlier pod to go and the next one to be made."""


def data_copy(pod: PodFacts) -> DataCopy | None:
    """What its golden copy did; None when the data was left as it was."""
    try:
        said = parsed(pod.container(PREPARE).termination_message)
    except ValueError:
        return None
    if misfit(Outcome, said) is not None or said["action"] == "kept":
        return None
    return DataCopy(files=said["files"], size_bytes=said["bytes"], seconds=said["seconds"])


def next_served(testbed: Testbed, trials: Sequence[Trial]) -> Trial | None:
    """The trial that the testbed is for now: its oldest one whose record is not stored yet.

    Until then the record may still ask the server for its settings.
    """
    own = [
        trial
        for trial in trials
        if trial.spec.testbed_ref.uid == testbed.uid
        and not trial.deleting
        and labels.ACTIVE in trial.labels
    ]
    return min(own, key=lambda one: (one.created, one.spec.block, one.name), default=None)


@dataclass(frozen=True)
class StartStep:
    """How far the start is."""

    ready: bool = False
    scale: tuple[int, Start] | None = None
    """What to make of the StatefulSet; None when there is nothing to change."""
    message: str = ""
    """What is being waited for."""
    failed: Trouble | None = None
    """Why it will come to nothing."""
    trouble: Trouble | None = None
    """What keeps the pod from running, which may pass."""


def bring(draft: TestbedDraft, wanted: Start) -> StartStep:
    """The next thing to do for the server to run of this start; writes `status.run`."""
    run, pod, started = draft.status.run, draft.seen.database, draft.seen.server_started
    if run is None or Start(run.start, run.reset) != wanted:
        now = format_time(draft.seen.now)
        run = ServerRun(start=wanted.name, reset=wanted.reset, asked_time=now)
        draft.set(run=run)
    if run.ready_time is not None:
        return StartStep(ready=True)
    end = ending(draft)
    if end.failed is not None:
        return end
    waited = draft.without_waits(draft.age(run.asked_time))
    late = waited > parse_duration(draft.spec.step_deadlines.reset)
    found = end.trouble
    if pod is not None and start_named(pod.annotations) == wanted:
        if pod.ready and started is not None:
            ready = {"ready_time": format_time(draft.seen.now), "restored": data_copy(pod)}
            draft.set(run=run.model_copy(update=ready), server_started=started)
            return StartStep(ready=True)
        found = troubles.trouble([pod], draft.seen.now) or end.trouble
    found = found or draft.rejected
    hopeless = pod is not None and pod.container(PREPARE).restarts >= ATTEMPTS
    if found is not None and (late or hopeless):
        return StartStep(failed=found)
    step = _waiting(draft.seen, wanted)
    absent = _absent(draft, wanted) if found is None and waited > _PATIENCE else None
    if late:
        message = f"it took longer than the step may: {step.message}"
        return StartStep(failed=Trouble("ResetTimeout", absent.message if absent else message))
    return replace(step, trouble=found or absent)


def ending(draft: TestbedDraft) -> StartStep:
    """Whether a pod that was deleted does not end in its time because its node is lost.

    If the node is not back after the time that a database may take to start, it is lost for good.
    """
    pod = draft.seen.database
    if pod is None or not pods.is_gone(pod, draft.beyond(pod.ends)):
        return StartStep()
    lost, limit = troubles.node_lost(pod), parse_duration(draft.spec.step_deadlines.provision)
    is_over = draft.beyond(pod.ends) > limit + pods.ENDING_SLACK
    return StartStep(failed=lost) if is_over else StartStep(trouble=lost)


def _absent(draft: TestbedDraft, wanted: Start) -> Trouble | None:
    """That the StatefulSet is to have a pod, and has made none."""
    found = draft.seen.stateful_set
    if draft.seen.database is not None or found is None:
        return None
    if (found.replicas, found.start) != (1, wanted):
        return None
    return Trouble(NO_POD, draft.no_pod)


def scaled(draft: TestbedDraft, scale: tuple[int, Start] | None) -> list[Apply]:
    """The StatefulSet with so many pods, the next of which is made for that start."""
    found, machine = draft.seen.stateful_set, draft.status.machine
    if scale is None or found is None:
        return []
    return [Apply(STATEFUL_SET, found.scaled(*scale, node=machine.node if machine else None))]


def _waiting(seen: TestbedSeen, wanted: Start) -> StartStep:
    pod, found = seen.database, seen.stateful_set
    if found is None:
        return StartStep(message="its StatefulSet is not there")
    if pod is not None and start_named(pod.annotations) == wanted:
        return StartStep(message="the database is starting")
    replicas = 0 if pod is not None else 1
    message = "the database is being stopped" if pod is not None else "the database is starting"
    if (found.replicas, found.start) == (replicas, wanted):
        return StartStep(message=message)
    return StartStep(scale=(replicas, wanted), message=message)
