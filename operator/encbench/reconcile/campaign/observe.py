"""Gathering what a decision over a campaign needs."""

from encbench.admission.gather import Installed
from encbench.api.conditions import is_true
from encbench.api.kinds import OVERHEAD_REPORT, TESTBED, TRIAL
from encbench.kube import labels
from encbench.reconcile import objects
from encbench.reconcile.campaign.facts import Seen
from encbench.reconcile.campaign.resolve import resolve
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Campaign


async def observe(deps: Deps, campaign: Campaign) -> Seen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space = deps.cluster, campaign.namespace
    resolution = None
    if campaign.status.resolved is None:
        installed = Installed(
            proxy=bool(deps.settings.proxy_image), fuse=bool(deps.settings.volume_image)
        )
        resolution = await resolve(cluster, campaign, installed)
    own = {labels.CAMPAIGN: campaign.name}
    testbeds = [objects.testbed(body) for body in await cluster.list(TESTBED, space, own)]
    trials = [objects.trial(body) for body in await cluster.list(TRIAL, space, own)]
    report = await cluster.get(OVERHEAD_REPORT, space, campaign.name)
    ready = False
    if report is not None:
        found = objects.overhead_report(report)
        ready = found.spec.campaign_ref.uid == campaign.uid and is_true(
            found.status.conditions, "Ready"
        )
    # An earlier campaign of the same name may still have children that are being deleted.
    return Seen(
        now=deps.clock.now(),
        resolution=resolution,
        testbeds={t.name: t for t in testbeds if t.spec.campaign_ref.uid == campaign.uid},
        trials={t.name: t for t in trials if t.spec.campaign_ref.uid == campaign.uid},
        report_ready=ready,
    )
