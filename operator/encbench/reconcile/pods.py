"""What the status of a pod or a Job says."""

from dataclasses import dataclass, field
from datetime import datetime

from encbench.api.conditions import parse_time
from encbench.api.kinds import POD
from encbench.kube import labels
from encbench.ports import Body
from encbench.reconcile.absences import Absences
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed, Trial


@dataclass(frozen=True)
class ContainerFacts:
    """State of one container."""

    name: str
    ready: bool = False
    running: bool = False
    restarts: int = 0
    waiting_reason: str = ""
    waiting_message: str = ""
    exit_code: int | None = None
    last_exit_code: int | None = None
    """Of the run before the last restart."""
    exit_reason: str = ""
    """Of the run that ended last."""
    running_since: float | None = None
    """Unix time; None of one that does not run."""
    ended_at: float | None = None
    """Unix time; None of one that runs, or has not run."""
    last_ended_at: float | None = None
    """Of the run before the last restart."""
    termination_message: str = ""
    image_id: str = ""


@dataclass(frozen=True)
class PodFacts:
    """State of one pod."""

    name: str
    uid: str
    phase: str
    node: str | None
    ip: str | None
    deleting: bool
    unschedulable: str
    """The scheduler's message, empty when it has placed the pod."""
    index: int
    """Completion index of an indexed Job's pod; 0 elsewhere."""
    created: float
    is_silent: bool = False
    """Its node does not answer: the node controller says that the pod is not ready, and the last
    word of its kubelet is that every container is."""
    ends: str | None = None
    """When the time is over that it has to end, RFC 3339; None of a pod that is not deleted."""
    ended_by: str = ""
    """What Kubernetes says of a pod that it has ended itself, as by an eviction; else empty."""
    taken_by: str = ""
    """Why Kubernetes deletes it, such as a preemption; empty where a person or a controller of its
    own does."""
    bare_since: float | None = None
    """Unix time since which a pod that its node has taken lacks its volumes or its network; None of
    others, and where the kubelet does not say."""
    may_begin_since: float | None = None
    """Unix time since which its node has it, with volumes and network as far as the kubelet says;
    None of a pod without a node."""
    spec: Body = field(default_factory=dict, repr=False)
    annotations: dict[str, str] = field(default_factory=dict)
    containers: dict[str, ContainerFacts] = field(default_factory=dict)

    def container(self, name: str) -> ContainerFacts:
        """The container; one that the kubelet has not reported yet is neither ready nor running."""
        return self.containers.get(name, ContainerFacts(name))

    @property
    def is_lost(self) -> bool:
        """Whether its node does not answer, of a pod that is not being deleted."""
        return self.is_silent and not self.deleting

    @property
    def restarts(self) -> int:
        """Restarts of all containers."""
        return sum(container.restarts for container in self.containers.values())

    @property
    def ready(self) -> bool:
        """Whether every container is ready and will be, as far as anything is known of them.

        On a lost node they stay ready in the list, even when Kubernetes has evicted the pod.
        """
        own = [c for c in self.containers.values() if not c.name.startswith("init:")]
        return bool(own) and all(c.ready for c in own) and not (self.is_lost or self.deleting)


def pod_facts(body: Body) -> PodFacts:
    """From the object as read."""
    meta, spec, status = body["metadata"], body.get("spec") or {}, body.get("status") or {}
    containers = [_container(one) for one in status.get("containerStatuses") or []]
    containers += [_container(one, "init:") for one in status.get("initContainerStatuses") or []]
    facts = _conditions(status)
    scheduled = facts.get("PodScheduled", {})
    unschedulable = scheduled.get("message", "") if scheduled.get("status") == "False" else ""
    ends = meta.get("deletionTimestamp")
    deleting = ends is not None
    marks = meta.get("labels") or {}
    return PodFacts(
        name=meta["name"],
        uid=meta["uid"],
        phase=status.get("phase", "Pending"),
        node=spec.get("nodeName"),
        ip=status.get("podIP"),
        deleting=deleting,
        unschedulable=unschedulable,
        index=int(marks.get("batch.kubernetes.io/job-completion-index", "0")),
        created=parse_time(meta["creationTimestamp"]).timestamp(),
        is_silent=_is_lost(status),
        ends=ends,
        bare_since=_bare_since(status, facts),
        may_begin_since=_may_begin_since(facts),
        ended_by=": ".join(status[key] for key in ("reason", "message") if status.get(key)).strip(),
        taken_by=_taken_by(facts.get("DisruptionTarget", {})) if deleting else "",
        spec=spec,
        annotations=dict(meta.get("annotations") or {}),
        containers={container.name: container for container in containers},
    )


def _taken_by(disruption: Body) -> str:
    """From the condition that preemption, eviction and the taint manager set before they delete."""
    if disruption.get("status") != "True":
        return ""
    return ": ".join(disruption[key] for key in ("reason", "message") if disruption.get(key))


def _is_lost(status: Body) -> bool:
    """Whether the node controller says that a pod is not ready, of which every container is."""
    containers = [*(status.get("containerStatuses") or ())]
    containers += status.get("initContainerStatuses") or ()
    is_up = bool(containers) and all(one.get("ready") for one in containers)
    return is_up and _conditions(status).get("Ready", {}).get("status") == "False"


def _conditions(status: Body) -> dict[str, Body]:
    """By type."""
    return {fact["type"]: fact for fact in status.get("conditions") or ()}


def _bare_since(status: Body, facts: dict[str, Body]) -> float | None:
    """The condition is False again of a pod that has ended, and is not there before 1.29."""
    said = facts.get("PodReadyToStartContainers", {})
    if status.get("phase", "Pending") != "Pending" or said.get("status") != "False":
        return None
    return _moment(said.get("lastTransitionTime"))


def _may_begin_since(facts: dict[str, Body]) -> float | None:
    steps = [facts.get("PodScheduled", {}), facts.get("PodReadyToStartContainers", {})]
    moments = [
        _moment(one.get("lastTransitionTime")) for one in steps if one.get("status") == "True"
    ]
    return max((moment for moment in moments if moment is not None), default=None)


def _container(entry: Body, prefix: str = "") -> ContainerFacts:
    state = entry.get("state") or {}
    waiting = state.get("waiting") or {}
    terminated = state.get("terminated") or {}
    last = (entry.get("lastState") or {}).get("terminated") or {}
    return ContainerFacts(
        name=prefix + entry["name"],
        ready=bool(entry.get("ready")),
        running="running" in state,
        running_since=_moment((state.get("running") or {}).get("startedAt")),
        ended_at=_moment(terminated.get("finishedAt")),
        last_ended_at=_moment(last.get("finishedAt")),
        restarts=int(entry.get("restartCount", 0)),
        waiting_reason=waiting.get("reason", ""),
        waiting_message=waiting.get("message", ""),
        exit_code=terminated.get("exitCode"),
        last_exit_code=last.get("exitCode"),
        exit_reason=terminated.get("reason", "") or last.get("reason", ""),
        termination_message=(terminated.get("message") or last.get("message") or "").strip(),
        image_id=entry.get("imageID", ""),
    )


def _moment(time: str | None) -> float | None:
    return None if time is None else parse_time(time).timestamp()


def has_run(body: Body) -> bool:
    """Whether a pod has ended."""
    return (body.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def has_room(body: Body) -> bool:
    """Whether what a pod requests is taken from a node: it is placed and has not ended."""
    return bool(body["spec"].get("nodeName")) and not has_run(body)


ENDING_SLACK = 10.0
"""Seconds that a pod may take beyond the time that Kubernetes has given it to end."""


def is_gone(pod: PodFacts, waited: float) -> bool:
    """Whether a pod should have ended so many seconds ago, and its node does not say if it has."""
    return pod.is_silent and waited > ENDING_SLACK


def is_cut_off(pod: PodFacts, late: float) -> bool:
    """Whether its node does not answer, of a pod that was to have ended so many seconds ago.

    The node controller cannot say so of containers that were not ready before, as where a pod had
    only begun. But each kubelet that answers has killed them by then.
    """
    return pod.node is not None and (pod.is_silent or late > ENDING_SLACK)


def is_stuck(body: Body, now: datetime, absences: Absences) -> bool:
    """Whether a pod that is to go does not: its node is lost, or its grace period is over."""
    # Of a pod it is the time at which the grace period ends.
    until = body["metadata"].get("deletionTimestamp")
    late = until is not None and absences.beyond(parse_time(until), now) > ENDING_SLACK
    return late or _is_lost(body.get("status") or {})


async def all_in_cell(read: Reads, subject: Testbed | Trial, component: str) -> list[Body]:
    """The pods of that component in the subject's cell, also those that are left on lost nodes."""
    spec = subject.spec
    own = {
        labels.COMPONENT: component,
        labels.CAMPAIGN: spec.campaign_ref.name,
        labels.CELL: spec.cell,
    }
    return await read.cluster.list(POD, subject.namespace, own)


async def in_cell(read: Reads, subject: Testbed | Trial, component: str) -> list[Body]:
    """Those of them that are there or will end.

    What is left on a lost node uses nothing that others could have.
    """
    found = await all_in_cell(read, subject, component)
    now, absences = read.clock.now(), read.presence.absences()
    return [body for body in found if not is_stuck(body, now, absences)]


@dataclass(frozen=True)
class JobFacts:
    """State of one Job."""

    uid: str
    succeeded: bool = False
    failed: bool = False
    pods: tuple[PodFacts, ...] = ()
    """Where they were asked for."""

    @property
    def has_ended(self) -> bool:
        """Whether its tool has. A container of others may keep the pod, and so the Job."""
        codes = (pod.container("tool").exit_code for pod in self.pods)
        return self.succeeded or self.failed or any(code is not None for code in codes)


def job_facts(body: Body, *pods: PodFacts) -> JobFacts:
    """From the object as read."""
    conditions = (body.get("status") or {}).get("conditions") or []
    true = {fact["type"] for fact in conditions if fact["status"] == "True"}
    return JobFacts(body["metadata"]["uid"], "Complete" in true, "Failed" in true, pods)
