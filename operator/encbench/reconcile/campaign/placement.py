"""The nodes that a campaign's next trial may use, from where its earlier ones ran; pure.

The clients of a cell stay on the nodes where its first ones ran, because a client on another
machine would be one more difference between arms. If their pods fit there no longer, because a node
is away or is being drained, the scheduler chooses anew, and they stay on what it chose. With
`limits.likeNodes` it does not choose anew.
"""

from collections.abc import Iterable

from encbench.api.campaign import Resolved
from encbench.api.testbed import Machine
from encbench.core.plan import PlannedTrial
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import Stays, stay_key, stay_of
from encbench.reconcile.objects import Campaign, Testbed


def client_nodes(
    campaign: Campaign, seen: CampaignSeen, planned: PlannedTrial, resolved: Resolved, on: Testbed
) -> list[str]:
    """Where the clients of that trial have to run; nowhere in particular if empty.

    Clients of as many replicas and one placement are alike. On the node of its own database none
    may run, so that where arms' databases are on each other's client's node, each arm has a node of
    its own.
    """
    key = stay_key(planned.cell, resolved.workloads[planned.condition.workload_ref].client)
    stays = seen.found.ledger.stays.get(key, Stays()).copy()
    for trial in seen.trials.values():
        if stay_of(trial) == key:
            stays.add(trial)
    place = on.status.machine
    avoided = None if campaign.spec.allow_colocation or place is None else place.node
    released = sorted(stays.by_nodes.values(), key=lambda stay: stay.release_at, reverse=True)
    minds = campaign.spec.limits.like_nodes
    if released and not minds and stays.failed >= max(stay.created for stay in released):
        return []
    for stay in released:
        together = (other.nodes for other in released if other.block == stay.block)
        nodes = {node for one in together for node in one} - {avoided}
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
