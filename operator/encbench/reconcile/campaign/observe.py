"""Gathering what a decision over a campaign needs."""

from encbench.admission.gather import Installed
from encbench.api.conditions import is_true
from encbench.api.kinds import OVERHEAD_REPORT, POD, TESTBED, TRIAL
from encbench.api.lifecycle import READY
from encbench.kube import labels
from encbench.reconcile import objects
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.resolve import resolve
from encbench.reconcile.deps import Reads, Settings
from encbench.reconcile.objects import Campaign


async def observe(read: Reads, campaign: Campaign, problem: str = "") -> CampaignSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away.

    `problem` is why the report could not be rendered the last time.
    """
    cluster, space = read.cluster, campaign.namespace
    resolution = None
    if campaign.status.resolved is None and not campaign.deleting:
        resolution = await resolve(cluster, campaign, _installed(read.settings))
    own = {labels.CAMPAIGN: campaign.name}
    testbeds = [objects.testbed(body) for body in await cluster.list(TESTBED, space, own)]
    trials = [objects.trial(body) for body in await cluster.list(TRIAL, space, own)]
    report = await cluster.get(OVERHEAD_REPORT, space, campaign.name)
    ready = False
    if report is not None:
        found = objects.overhead_report(report)
        ready = found.spec.campaign_ref.uid == campaign.uid and is_true(
            found.status.conditions, READY
        )
    # An earlier campaign of the same name may still have children that are being deleted.
    return CampaignSeen(
        now=read.clock.now(),
        resolution=resolution,
        testbeds={t.name: t for t in testbeds if t.spec.campaign_ref.uid == campaign.uid},
        trials={t.name: t for t in trials if t.spec.campaign_ref.uid == campaign.uid},
        report_ready=ready,
        report_problem=problem,
        has_clients=campaign.deleting and await _has_clients(read, campaign),
    )


def _installed(settings: Settings) -> Installed:
    return Installed(proxy=bool(settings.proxy_image), fuse=bool(settings.volume_image))


async def _has_clients(read: Reads, campaign: Campaign) -> bool:
    own = {labels.CAMPAIGN: campaign.name, labels.COMPONENT: "client"}
    return bool(await read.cluster.list(POD, campaign.namespace, own))
