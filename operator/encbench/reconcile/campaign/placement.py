"""The nodes that a campaign's next trial may use, from where its earlier ones ran; pure.

The clients of a cell stay on the nodes where its first ones ran, because a client on another
machine would be one more difference between arms. If their pods fit there no longer, because a node
is away or is being drained, the scheduler chooses anew, and they stay on what it chose. With
`limits.likeNodes` it does not choose anew.
"""

from collections.abc import Iterable

from encbench.api.campaign import Resolved
from encbench.api.lifecycle import NODE_LOST
from encbench.api.testbed import Machine
from encbench.api.trial import PodPlace
from encbench.core.plan import PlannedTrial
from encbench.reconcile.campaign.facts import CampaignSeen, block_of
from encbench.reconcile.objects import Campaign, Testbed, Trial

NO_PLACE = ("Unschedulable", "StartTimeout", NODE_LOST)
"""Reasons of a trial that was never released, for which its clients get other nodes."""


def client_nodes(
    campaign: Campaign, seen: CampaignSeen, planned: PlannedTrial, resolved: Resolved, on: Testbed
) -> list[str]:
    """Where the clients of that trial have to run; nowhere in particular if empty.

    Clients of as many replicas are alike. On the node of its own database none may run, so that
    where arms' databases are on each other's client's node, each arm has a node of its own.
    """
    replicas = resolved.workloads[planned.condition.workload_ref].client.replicas
    own = [
        trial
        for trial in seen.trials.values()
        if trial.spec.cell == planned.cell and trial.spec.workload.client.replicas == replicas
    ]
    machine = on.status.machine
    avoided = None if campaign.spec.allow_colocation or machine is None else machine.node
    released = sorted((t for t in own if t.status.pods is not None), key=_released, reverse=True)
    if released and not campaign.spec.limits.like_nodes and _found_no_place(own, released[0]):
        return []
    for trial in released:
        together = [t for t in released if block_of(t) == block_of(trial)]
        nodes = {place.node for t in together for place in _clients(t)} - {avoided}
        if nodes:
            return sorted(nodes)[:64]
    return []


def machine(campaign: Campaign, beds: Iterable[Testbed]) -> Machine | None:
    """What the node of each of these testbeds has to be like; None where the campaign allows all.

    That is the baseline's, once its node is known.
    """
    if not campaign.spec.limits.like_nodes:
        return None
    return next((bed.status.machine for bed in beds if bed.spec.arm.role == "baseline"), None)


def _released(trial: Trial) -> float:
    return trial.status.release_at or 0.0


def _clients(trial: Trial) -> list[PodPlace]:
    return trial.status.pods.clients if trial.status.pods is not None else []


def _found_no_place(own: Iterable[Trial], last: Trial) -> bool:
    """Whether a trial that came after the last one which was released did not find its nodes."""
    return any(
        trial.status.pods is None
        and trial.status.outcome == "Failed"
        and trial.status.reason in NO_PLACE
        and trial.created >= last.created
        for trial in own
    )
