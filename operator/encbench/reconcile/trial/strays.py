"""Strays: clients whose tools run on although their Trial was deleted.

They may load a database of the cell, so none of its trials is released beside them. Kubernetes ends
them within the grace period of their pods. A node that does not answer the API server may run them
until they end by themselves.
"""

from encbench.api.conditions import is_true, parse_time
from encbench.api.kinds import JOB, TESTBED, TRIAL
from encbench.api.lifecycle import FAILED, RELEASED
from encbench.kube import labels
from encbench.ports import Body
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed, Trial, belongs_to, holds
from encbench.reconcile.pods import PodFacts, all_in_cell, is_cut_off, pod_facts
from encbench.reconcile.trial import decision
from encbench.reconcile.trial.decision import TrialDraft
from encbench.reconcile.trial.running import longest
from encbench.tools.pod import may_run


async def look(
    read: Reads, trial: Trial, testbed: Testbed, job: Body | None
) -> tuple[PodFacts, ...]:
    """Those of the cell of this trial, which has that Job, also on lost nodes.

    None is looked for once the trial is released.
    """
    if trial.status.outcome is not None or is_true(trial.status.conditions, RELEASED):
        return ()
    is_external, found = testbed.spec.instance.is_external, []
    for body in await all_in_cell(read, trial, "client"):
        pod = pod_facts(body)
        is_own = job is not None and belongs_to(body, job["metadata"]["uid"])
        if is_own or not pod.container("tool").running or await _has_trial(read, trial, body):
            continue
        if is_external or await _has_server(read, body):
            found.append(pod)
    return tuple(found)


async def _has_trial(read: Reads, trial: Trial, pod: Body) -> bool:
    """Whether the Trial of a client of another Job is there, and not only one of its name."""
    name = pod["metadata"]["labels"].get(labels.TRIAL)
    if name is None:
        return True  # Others gave it our labels.
    if name == trial.name:
        return False
    found = await read.cluster.get(TRIAL, trial.namespace, name)
    if found is None:
        return False
    # Clocks of several API servers may differ, but not what they say of its owner.
    job = await read.cluster.get(JOB, trial.namespace, name)
    if job is None:
        return not _is_older(pod, found)
    return belongs_to(job, found["metadata"]["uid"]) and belongs_to(pod, job["metadata"]["uid"])


async def _has_server(read: Reads, pod: Body) -> bool:
    """Whether the database of that client is there. With its testbed it is lost for good."""
    meta = pod["metadata"]
    name = meta["labels"].get(labels.TESTBED)
    bed = await read.cluster.get(TESTBED, meta["namespace"], name) if name else None
    if bed is None or "deletionTimestamp" in bed["metadata"]:
        return False
    return not _is_older(pod, bed) and not holds(bed, FAILED)


def _is_older(one: Body, other: Body) -> bool:
    first, second = (parse_time(body["metadata"]["creationTimestamp"]) for body in (one, other))
    return first < second


def loading(draft: TrialDraft) -> list[PodFacts]:
    """Those that may be at work still."""
    now = draft.seen.now.timestamp()
    return [pod for pod in draft.seen.strays if now <= latest_end(draft, pod)]


def cut_off(draft: TrialDraft) -> list[PodFacts]:
    """Those of them whose nodes do not answer."""
    return [pod for pod in loading(draft) if is_cut_off(pod, draft.beyond(pod.ends))]


def latest_end(draft: TrialDraft, pod: PodFacts) -> float:
    """Unix time by which its tool has ended by itself.

    It was released before its pod was deleted. It was released before this trial was made as well:
    a namesake is made once the other is gone, and all others while or after that one is measured.
    """
    known = [moment for moment in (draft.subject.created, pod.ends) if moment]
    released = min(parse_time(moment).timestamp() for moment in known)
    lasts = may_run(pod.spec) or longest(draft.spec)
    return released + decision.FARTHEST + lasts + decision.UPLOAD_AFTER_FAILURE
