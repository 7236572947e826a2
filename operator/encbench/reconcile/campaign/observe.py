"""Gathering what a decision over a campaign needs."""

from typing import TypeVar

from encbench.admission.gather import Installed
from encbench.api.base import Model
from encbench.api.conditions import is_true
from encbench.api.kinds import OVERHEAD_REPORT, POD
from encbench.api.lifecycle import READY
from encbench.kube import labels
from encbench.kube.parsing import Malformed
from encbench.ports import Reader
from encbench.reconcile import objects
from encbench.reconcile.campaign.cleanup import is_late
from encbench.reconcile.campaign.facts import CampaignSeen, Misfit
from encbench.reconcile.campaign.resolve import resolve
from encbench.reconcile.deps import Reads
from encbench.reconcile.namespaces import is_ending
from encbench.reconcile.objects import Campaign, Object, OwnKind, belongs_to

S = TypeVar("S", bound=Model)
T = TypeVar("T", bound=Model)


async def observe(read: Reads, campaign: Campaign, problem: str = "") -> CampaignSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away.

    `problem` is why the report could not be rendered the last time.
    """
    cluster, space, settings, resolution = read.cluster, campaign.namespace, read.settings, None
    now = read.clock.now()
    if campaign.deleting and (is_late(campaign, now) or await is_ending(cluster, space)):
        return CampaignSeen(now, None, {}, {}, is_blind=True)
    if campaign.status.resolved is None and not campaign.deleting:
        installed = Installed(
            proxy=bool(settings.proxy_image),
            fuse=bool(settings.volume_image),
            turnstile=bool(settings.turnstile_image),
            allowed=settings.allowed,
            namespace_trials=settings.namespace_trials,
            images=settings.images,
        )
        resolution = await resolve(cluster, campaign, installed)
    own = {labels.CAMPAIGN: campaign.name}
    misfits: list[Misfit] = []
    testbeds = await _children(cluster, objects.testbed, campaign, misfits)
    trials = await _children(cluster, objects.trial, campaign, misfits)
    body = await cluster.get(OVERHEAD_REPORT, space, campaign.name)
    is_ready = False
    if body is not None:
        report = objects.overhead_report(body)
        is_ours = report.spec.campaign_ref.uid == campaign.uid
        is_ready = is_ours and is_true(report.status.conditions, READY)
    clients = []
    if campaign.deleting:
        clients = await cluster.list(POD, space, {**own, labels.COMPONENT: "client"})
    # An earlier campaign of the same name may still have children that are being deleted.
    return CampaignSeen(
        now=read.clock.now(),
        resolution=resolution,
        testbeds={t.name: t for t in testbeds if t.spec.campaign_ref.uid == campaign.uid},
        trials={t.name: t for t in trials if t.spec.campaign_ref.uid == campaign.uid},
        report_ready=is_ready,
        report_problem=problem,
        misfits=tuple(misfits),
        away=read.services.problem,
        clients=tuple(body["metadata"]["name"] for body in clients),
    )


async def _children(
    cluster: Reader, parse: OwnKind[S, T], campaign: Campaign, misfits: list[Misfit]
) -> list[Object[S, T]]:
    """Those that fit their model; the others join the misfits."""
    found = []
    for body in await cluster.list(
        parse.kind, campaign.namespace, {labels.CAMPAIGN: campaign.name}
    ):
        try:
            found.append(parse(body))
        except Malformed as error:
            meta = body["metadata"]
            if belongs_to(body, campaign.uid):
                misfits.append(Misfit(parse.kind, meta["name"], meta["uid"], str(error)))
    return found
