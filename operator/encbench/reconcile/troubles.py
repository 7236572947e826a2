"""Why a pod does not run, or has ended, in one sentence."""

from dataclasses import dataclass
from datetime import datetime
from math import inf

from encbench.api.lifecycle import (
    IMAGE_PULLING,
    NODE_LOST,
    NOT_STARTED,
    OOM,
    POD_ENDED,
    SETTINGS_REFUSED,
    UNSCHEDULABLE,
)
from encbench.database import fuse, golden, proxy
from encbench.ports import Body
from encbench.reconcile.pods import ContainerFacts, PodFacts
from encbench.tools.pod import REACH, TURNSTILE
from encbench.tools.tpcc import drivers, trust
from encbench.wire.failure import failure
from encbench.wire.initialise import refused_settings

OWN = {
    f"init:{golden.NAME}",
    f"init:{drivers.NAME}",
    f"init:{trust.NAME}",
    f"init:{REACH}",
    "agent",
}
"""Containers with a program of encbench that says itself why it ends."""

INITIALISE = "init:initialise"
"""The database's init container that has the server try its settings."""

_MEMORY = {
    "tool": "client.resources.memory in the Workload",
    "server": "resources.memory in the InstanceTemplate",
    "initialise": "resources.memory in the InstanceTemplate",
    golden.NAME: "resources.memory in the InstanceTemplate",
    proxy.NAME: "columns.resources.memory in the EncryptionMode",
    fuse.NAME: "atRest.volume.gocryptfs.resources.memory in the EncryptionMode",
}
"""What sets the memory of a container of that name."""

_FIXED = ("agent", "recorder", TURNSTILE, REACH, drivers.NAME, trust.NAME)
"""Containers whose memory nothing sets but encbench. One that is killed writes no log."""

_IMAGE_REASONS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")


@dataclass(frozen=True)
class Trouble:
    """Why a pod is not running."""

    reason: str
    message: str


def was_cut_off(pod: PodFacts, since: float) -> bool:
    """Whether a container of it ended with its node, which no runtime saw, after that Unix time."""
    return any(
        one.exit_reason in _UNSEEN and (one.running_since is None or one.running_since > since)
        for one in pod.containers.values()
    )


_UNSEEN = ("Unknown", "ContainerStatusUnknown")
"""What the container runtime, or the kubelet, says of containers that were gone when it began."""

MOUNTING = 30.0
"""Seconds in which a node has a pod's volumes and network as a rule, a cloud's disk included."""

PULLING = 60.0
"""Seconds in which a container begins as a rule where its node has the image."""


def trouble(pods: list[PodFacts], now: datetime) -> Trouble | None:
    """The first thing that keeps one of these pods from running, or None when there is none."""
    for pod in pods:
        if pod.unschedulable:
            return Trouble(UNSCHEDULABLE, _unplaced(pod))
        if pod.is_lost:
            return node_lost(pod)
        if pod.phase == "Failed" and pod.ended_by:
            return Trouble(POD_ENDED, by_its_node(pod))
        if pod.bare_since is not None and now.timestamp() - pod.bare_since > MOUNTING:
            where = f"kubectl events --for pod/{pod.name} says why"
            return Trouble(
                NOT_STARTED, f"pod {pod.name} waits for its volumes or its network: {where}"
            )
        for container in pod.containers.values():
            where = _where(pod, container)
            if container.waiting_reason in _IMAGE_REASONS:
                why = container.waiting_message or container.waiting_reason
                message = f"the image of {where} cannot be pulled: {why}"
                return Trouble("ImagePullFailed", message)
            has_tried = container.name == INITIALISE
            refused = refused_settings(container.termination_message) if has_tried else ()
            if refused:
                settings = ", ".join(f"settings.{setting}" for setting in refused)
                return Trouble(
                    SETTINGS_REFUSED,
                    f"the server refuses {settings}: correct them in the InstanceTemplate, or "
                    "leave them out",
                )
            if container.exit_code or container.waiting_reason == "CrashLoopBackOff":
                reason = OOM if container.exit_reason == OOM else "ContainerFailed"
                return Trouble(reason, f"{where} {_how_it_ended(pod, container)}")
            if container.waiting_reason in ("CreateContainerConfigError", "CreateContainerError"):
                message = f"{where} cannot be created: {container.waiting_message}"
                return Trouble("ContainerFailed", message)
        late = _not_begun(pod, now.timestamp() - PULLING)
        if late is not None:
            return Trouble(IMAGE_PULLING, late)
    return None


SERVING = ("server", proxy.NAME, f"init:{fuse.NAME}")
"""Containers of the database's pod without which no client is answered."""


def fallen(database: PodFacts, since: float, until: float = inf) -> Trouble | None:
    """What answered at one Unix time and ended before the other, though it may run again."""
    known = (database.container(name) for name in SERVING)
    found = [one for one in known if _has_fallen(one, since, until)]
    if not found:
        return None
    # One that ran out of memory may have taken the others with it.
    first = min(found, key=lambda one: one.exit_reason != OOM)
    reason = OOM if first.exit_reason == OOM else "ContainerFailed"
    return Trouble(reason, f"{_where(database, first)} {_how_it_ended(database, first)}")


def _has_fallen(one: ContainerFacts, since: float, until: float) -> bool:
    # Of several ends only the last one has a time.
    ended = one.last_ended_at if one.running else one.ended_at
    if one.restarts <= (1 if one.running else 0) and (ended or 0.0) > until:
        return False
    if one.running:
        # By its node's clock, which may not be that of the API server.
        return one.restarts > 0 and (one.running_since or 0.0) > since
    return one.exit_code is not None or one.restarts > 0


def _not_begun(pod: PodFacts, until: float) -> str | None:
    """Which container had its turn before that Unix time and has not begun, as a sentence.

    A kubelet that pulls says so in an event alone; the container waits meanwhile.
    """
    since = pod.may_begin_since
    if since is None or pod.bare_since is not None or not pod.containers:
        return None
    for one in pod.spec.get("initContainers") or ():
        facts = pod.container(f"init:{one['name']}")
        stays = one.get("restartPolicy") == "Always"
        if facts.exit_code == 0:
            since = max(since, facts.ended_at or 0.0)
        elif stays and facts.ready:
            since = max(since, facts.running_since or 0.0)
        else:
            return _waits(pod, one, facts) if since < until else None
    if since >= until:
        return None
    found = (
        _waits(pod, one, pod.container(one["name"])) for one in pod.spec.get("containers") or ()
    )
    return next(filter(None, found), None)


def _waits(pod: PodFacts, container: Body, facts: ContainerFacts) -> str | None:
    if facts.waiting_reason not in ("ContainerCreating", "PodInitializing"):
        return None
    return (
        f"container {container['name']} of pod {pod.name} has not begun: node {pod.node} may still "
        f"pull {container['image']} (kubectl events --for pod/{pod.name} says so)"
    )


def _unplaced(pod: PodFacts) -> str:
    """The scheduler's words; of a volume that is not there it does not say why."""
    said = f"pod {pod.name} fits no node: {pod.unschedulable}"
    sources = (volume.get("persistentVolumeClaim") for volume in pod.spec.get("volumes") or ())
    claims = " ".join(source["claimName"] for source in sources if source is not None)
    if claims and "persistent" in pod.unschedulable.lower():
        return f"{said} (kubectl describe pvc {claims} says what its volume waits for)"
    return said


def by_its_node(pod: PodFacts) -> str:
    """What there is to say of a pod that its node has ended, or never let begin."""
    return f"node {pod.node} ended pod {pod.name} ({pod.ended_by})"


def why_deleted(pod: PodFacts | None) -> str:
    """What Kubernetes says of a pod that is being deleted, in brackets; empty if nothing."""
    return f" ({pod.taken_by})" if pod is not None and pod.taken_by else ""


def node_lost(pod: PodFacts) -> Trouble:
    """What there is to say of a pod whose node does not answer."""
    return Trouble(NODE_LOST, f"node {pod.node} of pod {pod.name} does not answer")


def cut_off(pod: PodFacts, may: str) -> Trouble:
    """The same where its tool may be at work there: what it `may` do, and what ends the wait."""
    found = node_lost(pod)
    message = (
        f"{found.message}, and its tool may {may}: if the machine is off, delete Node {pod.node}"
    )
    return Trouble(found.reason, message)


def restarted(pod: PodFacts) -> str:
    """Which container of a pod was started again, and how its last run had ended."""
    return restart(pod, max(pod.containers.values(), key=lambda one: one.restarts))


def restart(pod: PodFacts, again: ContainerFacts) -> str:
    """The same of this container of it."""
    how = again.exit_reason or "an error"
    code = again.last_exit_code if again.exit_code is None else again.exit_code
    if code is not None:
        how += f" (exit code {code})"
    return f"container {again.name.removeprefix('init:')} of pod {pod.name} restarted after {how}"


def no_pod(kind: str, name: str, made: int = 0, wanted: int = 1) -> str:
    """What there is to say of a controller that lacks a pod.

    The reason is in its events alone, which outlive a deleted one by an hour.
    """
    found = f"{made} of {wanted} pods" if made else "no pod"
    return f"{kind} {name} has made {found}: kubectl events --for {kind}/{name} says why"


def raise_memory(container: str) -> str:
    """What to do about a container of that name that ran out of memory."""
    return f"raise {_MEMORY[container]}"


def _where(pod: PodFacts, container: ContainerFacts) -> str:
    return f"container {container.name.removeprefix('init:')} in pod {pod.name}"


def _how_it_ended(pod: PodFacts, container: ContainerFacts) -> str:
    """The reason and the code, and why: as a program of ours says it, or else where to look.

    No other text of a container gets into a status, which more people may read than logs.
    """
    how = container.exit_reason or "an error"
    code = container.last_exit_code if container.running else container.exit_code
    if code:
        how += f" (exit code {code})"
    said = failure(container.termination_message) if container.name in OWN else None
    before = " --previous" if container.restarts else ""
    name = container.name.removeprefix("init:")
    if container.exit_reason == OOM and name in _MEMORY:
        return f"ended with {how}: {raise_memory(name)}"
    if container.exit_reason == OOM and name in _FIXED:
        limit = _memory_limit(pod, name)
        return f"ended with {how}: encbench itself sets its limit{limit}, please report it"
    return f"ended with {how}: {said or f'kubectl logs {pod.name} -c {name}{before} says why'}"


def _memory_limit(pod: PodFacts, container: str) -> str:
    """Such as ` of 96Mi`; empty where the pod's spec has none."""
    known: list[Body] = [
        *(pod.spec.get("initContainers") or ()),
        *(pod.spec.get("containers") or ()),
    ]
    own: Body = next((one for one in known if one["name"] == container), {})
    limit = ((own.get("resources") or {}).get("limits") or {}).get("memory")
    return f" of {limit}" if limit else ""
