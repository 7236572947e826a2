"""Gathering what a decision over a campaign needs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from encbench.api.base import Model
from encbench.api.conditions import find, is_true
from encbench.api.kinds import OVERHEAD_REPORT, POD
from encbench.api.lifecycle import CLEARED, READY, REPORT_REFUSED, REPORTED
from encbench.kube import labels
from encbench.kube.parsing import Malformed
from encbench.ports import Reader
from encbench.reconcile import objects
from encbench.reconcile.campaign.catchup import catch_up, noting, to_go
from encbench.reconcile.campaign.cleanup import is_late
from encbench.reconcile.campaign.facts import (
    CampaignFound,
    CampaignSeen,
    left_to_live,
    left_to_settle,
)
from encbench.reconcile.campaign.ledger import Misfit
from encbench.reconcile.campaign.resolve import resolve
from encbench.reconcile.deps import Reads
from encbench.reconcile.namespaces import is_ending
from encbench.reconcile.objects import Campaign, Object, OwnKind, Trial, belongs_to, has_ended
from encbench.reconcile.pods import has_run, is_stuck

S = TypeVar("S", bound=Model)
T = TypeVar("T", bound=Model)


async def observe(read: Reads, campaign: Campaign, found: CampaignFound) -> CampaignSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space = read.cluster, campaign.namespace
    now, absences = read.clock.now(), read.presence.absences()
    if campaign.deleting and (is_late(campaign, now, absences) or await is_ending(cluster, space)):
        return CampaignSeen(now, None, {}, {}, is_blind=True, absences=absences)
    if has_ended(campaign) and not campaign.deleting:
        return await _after_the_end(read, campaign)
    if campaign.status.resolved is None and not campaign.deleting:
        if left_to_settle(campaign, now, absences) > 0:
            # Nothing that is read now counts, and whoever applied it waits for a first word.
            return CampaignSeen(now, None, {}, {}, absences=absences)
        return await _before_acceptance(read, campaign, found)
    own, ending, at_work = {labels.CAMPAIGN: campaign.name}, frozenset[str](), tuple[str, ...]()
    misfits: dict[str, Misfit] = {}
    testbeds = await _children(cluster, objects.testbed, campaign, own, misfits)
    trials = await _children(
        cluster, objects.trial, campaign, {**own, labels.ACTIVE: "true"}, misfits
    )
    if campaign.deleting:
        at_work = await _at_work(read, campaign)
    else:
        trials = await catch_up(read, campaign, found.ledger, trials, misfits)
        databases = await cluster.list(POD, space, {**own, labels.COMPONENT: "database"})
        marks = [
            body["metadata"]["labels"] for body in databases if not is_stuck(body, now, absences)
        ]
        # It takes Kubernetes a moment to delete the pods of what is gone.
        ending = frozenset(one[labels.CELL] for one in marks if one[labels.TESTBED] not in testbeds)
    verdict = None
    try:
        verdict = await _verdict(read, campaign)
    except Malformed as error:
        # Of another version, which may be written over or deleted; the step has a deadline.
        if not found.problem:
            found = replace(found, problem=str(error), reason=REPORT_REFUSED)
    return CampaignSeen(
        now=read.clock.now(),
        resolution=None,
        testbeds=testbeds,
        trials=trials,
        found=found,
        ending=ending,
        verdict=verdict,
        misfits=tuple(misfits.values()),
        away=read.services.problem,
        at_work=at_work,
        absences=read.presence.absences(),
    )


async def _at_work(read: Reads, campaign: Campaign) -> tuple[str, ...]:
    """Pods of a deleted campaign that may still upload, or write to a database of others."""
    found = []
    for component in ("client", "load"):
        own = {labels.CAMPAIGN: campaign.name, labels.COMPONENT: component}
        found += await read.cluster.list(POD, campaign.namespace, own)
    # A load that is over stays with its testbed.
    return tuple(
        body["metadata"]["name"]
        for body in found
        if body["metadata"]["labels"][labels.COMPONENT] == "client" or not has_run(body)
    )


async def _before_acceptance(read: Reads, campaign: Campaign, found: CampaignFound) -> CampaignSeen:
    """Of a campaign without a plan only what it names matters: nothing has been made for it."""
    resolution = await resolve(read.cluster, campaign, read.settings.installed)
    return CampaignSeen(
        now=read.clock.now(),
        resolution=resolution,
        testbeds={},
        trials={},
        absences=read.presence.absences(),
        found=found,
        installation=read.settings.installation,
    )


async def _after_the_end(read: Reads, campaign: Campaign) -> CampaignSeen:
    """Of a campaign that is over only the trials matter that are to be deleted."""
    now, trials, is_cleared = read.clock.now(), dict[str, Trial](), False
    left = left_to_live(campaign, now)
    if left is not None and left <= 0 and not is_true(campaign.status.conditions, CLEARED):
        trials, is_cleared = await to_go(read, campaign)
    return CampaignSeen(now, None, testbeds={}, trials=trials, is_cleared=is_cleared)


async def _verdict(read: Reads, campaign: Campaign) -> str | None:
    """Of the report, once it is written; looked for once it was announced.

    One that was announced before there was more to measure has another time.
    """
    announced = find(campaign.status.conditions, REPORTED)
    if announced is None:
        return None
    body = await read.cluster.get(OVERHEAD_REPORT, campaign.namespace, campaign.name)
    if body is None:
        return None
    report = objects.overhead_report(body)
    is_ours = report.spec.campaign_ref.uid == campaign.uid
    is_meant = is_ours and report.status.generated_time == announced.last_transition_time
    is_written = is_meant and is_true(report.status.conditions, READY)
    return report.status.verdict if is_written else None


async def _children(
    cluster: Reader,
    parse: OwnKind[S, T],
    campaign: Campaign,
    own: Mapping[str, str],
    misfits: dict[str, Misfit],
) -> dict[str, Object[S, T]]:
    """Those that fit their model, by name; the others join the misfits."""
    found = {}
    for body in await cluster.list(parse.kind, campaign.namespace, own):
        # An earlier campaign of the same name may still have children that are being deleted.
        if belongs_to(body, campaign.uid):
            with noting(misfits, parse.kind, body):
                found[body["metadata"]["name"]] = parse(body)
    return found
