"""Stopping a database and starting it anew, to make a golden copy or because a trial asks for it.

The start that is wanted is written to the status first; then the StatefulSet is scaled to 0 and,
when its pod is gone, to 1 with the start's name on the pod's template. Whatever is found of this
after a crash of the operator says what is left to do: a pod bears the name of the start that it was
made for. Nothing else of the StatefulSet changes, so that an operator which was upgraded in between
starts the same pod.
"""

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.conditions import format_time
from encbench.api.scalars import parse_duration
from encbench.api.testbed import DataCopy, ServerRun, TestbedStatus
from encbench.core.starts import Start
from encbench.database import golden
from encbench.kube import labels
from encbench.ports import Body
from encbench.reconcile import pods
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Testbed, Trial
from encbench.reconcile.pods import PodFacts

PREPARE = f"init:{golden.NAME}"
ATTEMPTS = 3
"""Failures of the golden copy after which another attempt is not expected to succeed."""


@dataclass(frozen=True)
class SetFacts:
    """The StatefulSet as it was read."""

    body: Body

    @property
    def replicas(self) -> int:
        """How many pods it should have."""
        return int(self.body["spec"].get("replicas", 1))

    @property
    def start(self) -> Start:
        """What its next pod is made for."""
        return _of(self.body["spec"]["template"].get("metadata") or {})

    def scaled(self, replicas: int, start: Start) -> Body:
        """The object to apply: as it is, but for these two. It must not have changed meanwhile."""
        meta = self.body["metadata"]
        spec = copy.deepcopy(self.body["spec"])
        spec["replicas"] = replicas
        template = spec["template"]
        template["metadata"] = {
            **template.get("metadata", {}),
            "annotations": {labels.START: start.name, labels.RESET: start.reset},
        }
        kept = ("name", "namespace", "labels", "ownerReferences", "resourceVersion")
        return {
            "apiVersion": self.body["apiVersion"],
            "kind": self.body["kind"],
            "metadata": {field: meta[field] for field in kept if field in meta},
            "spec": spec,
        }


def _of(metadata: Body) -> Start:
    found = metadata.get("annotations") or {}
    return Start(found.get(labels.START, ""), found.get(labels.RESET, ""))


def start_of(pod: PodFacts) -> Start:
    """What a pod was made for."""
    return _of({"annotations": pod.annotations})


def data_copy(pod: PodFacts) -> DataCopy | None:
    """What its golden copy did; None when the data was left as it was."""
    try:
        said = json.loads(pod.container(PREPARE).termination_message)
    except ValueError:
        return None
    if not isinstance(said, dict) or said.get("action") not in ("copied", "restored"):
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
    order = {trial.name: (trial.created, trial.spec.block, trial.name) for trial in own}
    return min(own, key=lambda trial: order[trial.name], default=None)


@dataclass(frozen=True)
class StartStep:
    """How far the start is."""

    ready: bool = False
    scale: tuple[int, Start] | None = None
    """What to make of the StatefulSet; None when there is nothing to change."""
    message: str = ""
    """What is being waited for."""
    failed: tuple[str, str] | None = None
    """Reason and message when it will come to nothing."""


def bring(
    testbed: Testbed,
    draft: Draft[TestbedStatus],
    wanted: Start,
    *,
    pod: PodFacts | None,
    stateful_set: SetFacts | None,
    server_started: float | None,
) -> StartStep:
    """The next thing to do for the server to run of this start; writes `status.run`."""
    run = draft.status.run
    if run is None or Start(run.start, run.reset) != wanted:
        now = format_time(draft.now)
        run = ServerRun(start=wanted.name, reset=wanted.reset, asked_time=now)
        draft.set(run=run)
    if run.ready_time is not None:
        return StartStep(ready=True)
    if pod is not None and start_of(pod) == wanted and pod.ready and server_started is not None:
        ready = {"ready_time": format_time(draft.now), "restored": data_copy(pod)}
        draft.set(run=run.model_copy(update=ready), server_started=server_started)
        return StartStep(ready=True)
    step = _waiting(wanted, pod, stateful_set)
    late = draft.age(run.asked_time) > parse_duration(testbed.spec.step_deadlines.reset)
    found = pods.trouble([pod]) if pod is not None and start_of(pod) == wanted else None
    hopeless = pod is not None and pod.container(PREPARE).restarts >= ATTEMPTS
    if found is not None and (late or hopeless):
        return StartStep(failed=(found.reason, found.message))
    if late:
        return StartStep(
            failed=("ResetTimeout", f"it took longer than the step may: {step.message}")
        )
    return step


def _waiting(wanted: Start, pod: PodFacts | None, stateful_set: SetFacts | None) -> StartStep:
    if stateful_set is None:
        return StartStep(message="its StatefulSet is not there")
    if pod is not None and start_of(pod) == wanted:
        return StartStep(message="the database is starting")
    replicas = 0 if pod is not None else 1
    message = "the database is being stopped" if pod is not None else "the database is starting"
    if (stateful_set.replicas, stateful_set.start) == (replicas, wanted):
        return StartStep(message=message)
    return StartStep(scale=(replicas, wanted), message=message)
