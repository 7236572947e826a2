"""Gathering what a decision over a campaign needs."""

from encbench.admission.gather import Installed
from encbench.api.conditions import is_true
from encbench.api.kinds import OVERHEAD_REPORT, POD, TESTBED, TRIAL
from encbench.api.lifecycle import READY
from encbench.kube import labels
from encbench.reconcile import objects
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.resolve import resolve
from encbench.reconcile.deps import Reads
from encbench.reconcile.namespaces import is_ending
from encbench.reconcile.objects import Campaign


async def observe(read: Reads, campaign: Campaign, problem: str = "") -> CampaignSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away.

    `problem` is why the report could not be rendered the last time.
    """
    cluster, space, settings, resolution = read.cluster, campaign.namespace, read.settings, None
    if campaign.deleting and await is_ending(cluster, space):
        return CampaignSeen(read.clock.now(), None, {}, {}, namespace_ends=True)
    if campaign.status.resolved is None and not campaign.deleting:
        installed = Installed(
            proxy=bool(settings.proxy_image),
            fuse=bool(settings.volume_image),
            turnstile=bool(settings.turnstile_image),
        )
        resolution = await resolve(cluster, campaign, installed)
    own = {labels.CAMPAIGN: campaign.name}
    testbeds = [objects.testbed(body) for body in await cluster.list(TESTBED, space, own)]
    trials = [objects.trial(body) for body in await cluster.list(TRIAL, space, own)]
    body = await cluster.get(OVERHEAD_REPORT, space, campaign.name)
    is_ready = False
    if body is not None:
        report = objects.overhead_report(body)
        is_ours = report.spec.campaign_ref.uid == campaign.uid
        is_ready = is_ours and is_true(report.status.conditions, READY)
    has_clients = False
    if campaign.deleting:
        clients = {**own, labels.COMPONENT: "client"}
        has_clients = bool(await cluster.list(POD, space, clients))
    # An earlier campaign of the same name may still have children that are being deleted.
    return CampaignSeen(
        now=read.clock.now(),
        resolution=resolution,
        testbeds={t.name: t for t in testbeds if t.spec.campaign_ref.uid == campaign.uid},
        trials={t.name: t for t in trials if t.spec.campaign_ref.uid == campaign.uid},
        report_ready=is_ready,
        report_problem=problem,
        has_clients=has_clients,
    )
