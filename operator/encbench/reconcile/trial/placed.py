"""Where a trial's pods run: written down at the release, and held against every later look.

From the release on a node's CPU, a client's clock and the figures are those of these pods. By the
time the record is made, the database may be somewhere else.
"""

from encbench.api import lifecycle as life
from encbench.api.trial import PodPlace, ReleasedPods, TrialSpec
from encbench.database import fuse, proxy
from encbench.reconcile import troubles
from encbench.reconcile.draft import backoff
from encbench.reconcile.objects import Testbed, Trial
from encbench.reconcile.pods import ContainerFacts, PodFacts
from encbench.reconcile.trial import decision
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft
from encbench.reconcile.trial.facts import TrialSeen

_BESIDE = (proxy.NAME, f"init:{fuse.NAME}")
"""Containers of the database's pod, beside the server's, without which no transaction is made.

While one of them restarts the load may wait, or connect anew, and end well: the outage is in its
TPS. The server's own restarts show in its proofs, and a recovery workload wants one.
"""


def knows_its_node(testbed: Testbed, spec: TrialSpec) -> bool:
    """Whether clients can be kept off their database's node, if they have to be."""
    return may_share(testbed, spec) or testbed.status.machine is not None


def may_share(testbed: Testbed, spec: TrialSpec) -> bool:
    """Whether clients may run on their database's node, or it is none of the cluster's."""
    return spec.allow_colocation or testbed.spec.instance.is_external


def keeps_off(seen: TrialSeen, testbed: Testbed) -> bool:
    """Whether the database's pod is on its node, and stays there, for clients to avoid it."""
    pod, machine = seen.database, testbed.status.machine
    if testbed.spec.follows_trials or pod is None or machine is None:
        return False
    return pod.ready and pod.node == machine.node


def in_the_way(seen: TrialSeen, testbed: Testbed, spec: TrialSpec) -> str | None:
    """Which client took its database's node while no pod was there, as a sentence.

    The database, whose volume may be bound to the node, has no room until the client is gone.
    """
    pod, machine = seen.database, testbed.status.machine
    if pod is None or not pod.unschedulable or machine is None or may_share(testbed, spec):
        return None
    there = (client.pod.name for client in seen.clients if client.pod.node == machine.node)
    name = next(there, None)
    taken = f"pod {name} took node {machine.node} while the database's pod was away"
    return None if name is None else f"{taken}, which fits no node now: {pod.unschedulable}"


def needs(seen: TrialSeen, spec: TrialSpec) -> frozenset[str] | None:
    """The nodes; None while one of its pods has none."""
    pods = [client.pod for client in seen.clients]
    if len(pods) != spec.workload.client.replicas:
        return None
    if not seen.is_external:
        if seen.database is None:
            return None
        pods.append(seen.database)
    found = [pod.node for pod in pods]
    return None if None in found else frozenset(node for node in found if node)


def has_all(seen: TrialSeen, spec: TrialSpec) -> bool:
    """Whether no other measurement can begin on its nodes."""
    wanted = needs(seen, spec)
    return wanted is not None and wanted <= seen.found.nodes.used


def note_leased(draft: TrialDraft) -> None:
    """Its nodes are its own, which is written down if it ever had to wait for that."""
    if draft.is_false(life.ALONE):
        draft.condition(life.ALONE, True, "Leased", "no other measurement runs on its nodes")


def await_nodes(draft: TrialDraft) -> TrialDecision:
    """Others may have taken the nodes of a released trial that has not started."""
    message = draft.seen.found.nodes.waits or "another measurement may run on its nodes"
    draft.hold(life.ALONE, life.NODE_IN_USE, message)
    waited = draft.since(life.ALONE)
    return draft.decide(requeue=backoff(waited, decision.POLL, decision.SLOW_POLL))


def pods(seen: TrialSeen) -> ReleasedPods:
    """What the clients are released with."""
    found = [_place(client.pod, client.pod.restarts) for client in seen.clients]
    database = seen.database
    beside = sum(one.restarts for one in _beside(database)) if database is not None else 0
    return ReleasedPods(
        database=None if database is None else _place(database, beside),
        clients=[place for place in found if place is not None],
    )


def _place(pod: PodFacts, restarts: int) -> PodPlace | None:
    if pod.node is None:
        return None
    return PodPlace(uid=pod.uid, node=pod.node, restarts=restarts)


def _beside(pod: PodFacts) -> list[ContainerFacts]:
    return [pod.containers[name] for name in _BESIDE if name in pod.containers]


def restarted(draft: TrialDraft) -> str | None:
    """Which container of a client was started again since the release, as a sentence.

    Clients have no restarts, but a kubelet that cannot start a container in time tries once more
    and counts that. Before the release it disturbs nothing.
    """
    known = draft.status.pods
    before = {place.uid: place.restarts for place in known.clients} if known is not None else {}
    for client in draft.seen.clients:
        if client.pod.restarts > before.get(client.pod.uid, 0):
            return f"{troubles.restarted(client.pod)} while the trial ran"
    return None


def restarted_beside(draft: TrialDraft) -> str | None:
    """Which container beside the server was started again since the release, as a sentence.

    One that has ended is about to be.
    """
    known, pod = draft.status.pods, draft.seen.database
    before = known.database if known is not None else None
    if before is None or pod is None:
        return None
    found = _beside(pod)
    is_down = any(one.exit_code is not None for one in found)
    if not is_down and sum(one.restarts for one in found) <= before.restarts:
        return None
    # The one that is down, or else began last.
    again = max(found, key=lambda one: (one.exit_code is not None, one.running_since or 0.0))
    message = f"{troubles.restart(pod, again)} while the trial ran"
    if again.exit_reason == life.OOM:
        message += f": {troubles.raise_memory(again.name.removeprefix('init:'))}"
    return message


def changed(draft: TrialDraft) -> str | None:
    """What became of a pod since the release, as a sentence; None if all are as they were."""
    return restarted(draft) or replaced(draft) or restarted_beside(draft)


def replaced(draft: TrialDraft) -> str | None:
    """Which pod is not the one of the release, as a sentence; None if all that are there are."""
    known = draft.status.pods
    if known is None:
        return None
    before = {place.uid for place in known.clients}
    if before and any(client.pod.uid not in before for client in draft.seen.clients):
        return "a client pod was replaced while the trial ran"
    return replaced_database(draft)


def replaced_database(draft: TrialDraft) -> str | None:
    """The same of the database alone."""
    known, pod = draft.status.pods, draft.seen.database
    before = known.database if known is not None else None
    if before is None or pod is None or pod.uid == before.uid:
        return None
    if pod.node is not None and pod.node != before.node:
        return f"the database moved from node {before.node} to {pod.node} while the trial ran"
    return "the database pod was replaced while the trial ran"


def database_node(trial: Trial, seen: TrialSeen) -> str | None:
    """The node of the database at the release; of a trial that was not released where it is."""
    known = trial.status.pods
    if known is not None:
        return known.database.node if known.database is not None else None
    return seen.database.node if seen.database is not None else None


def client_nodes(trial: Trial, seen: TrialSeen) -> dict[int, str | None]:
    """The same of each client, by its index."""
    known = trial.status.pods
    if known is not None:
        return {index: place.node for index, place in enumerate(known.clients)}
    return {client.pod.index: client.pod.node for client in reversed(seen.clients)}
