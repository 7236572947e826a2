"""`kubectl encbench plan`: what a campaign would do, before anything runs."""

import argparse
import contextlib
import json
from collections import defaultdict

from encbench.admission import limits
from encbench.admission.campaign import deleted_rows, most_trials, piling_orders
from encbench.admission.checks import admit
from encbench.admission.gather import CampaignParts, Lookup
from encbench.admission.programs import unknown_settings, unusual_loads
from encbench.admission.sizes import sizes
from encbench.api import resources
from encbench.api.campaign import CampaignSpec, Resolved
from encbench.api.kinds import CAMPAIGN, LIMIT_RANGE, NODE, STORAGE_CLASS, TRIAL, Kind
from encbench.cli import connection, fit, installation, manifests, output, ranges
from encbench.cli.connection import connected
from encbench.cli.manifests import Lenient, Manifests, Offline
from encbench.cli.outline import ASSUMED, Pace, outline
from encbench.cli.outline_text import Answer, Planned, document, text
from encbench.cli.output import CommandError
from encbench.core.problem import Problem, Reason
from encbench.kube import labels
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Cluster, Rejected
from encbench.reconcile import objects
from encbench.reconcile.campaign.beside import beside_others
from encbench.reconcile.campaign.ledger import Begun, block_of
from encbench.reconcile.campaign.pace import DEAD_TIME, Between, gaps
from encbench.reconcile.objects import Campaign, Trial
from encbench.text.words import listed

_REMEDY = "name another namespace with -n, or plan its manifests with -f or -k"


async def plan(args: argparse.Namespace) -> int:
    """Print the plan; exit code 0 if nothing would be refused, else 1."""
    if manifests.are_given(args):
        answer = await from_manifests(args)
    else:
        async with connected(args) as (cluster, namespace):
            release = args.release_namespace
            answer = await from_cluster(cluster, namespace, args.campaign, release)
    content = text(answer)
    if args.output == "json":
        content = json.dumps(document(answer), ensure_ascii=False, indent=1) + "\n"
    output.write(content.encode(), None)
    return 0 if answer.is_good else 1


async def from_manifests(args: argparse.Namespace) -> Answer:
    """Every campaign of the files; --live adds what the cluster has."""
    campaigns, warnings = [], list[str]()
    async with manifests.given(args) as (found, live):
        for body in found.of(CAMPAIGN):
            campaigns.append(await _planned(found, body, live, args.release_namespace, warnings))
    if not campaigns and not any(it.kind == CAMPAIGN.kind for it in found.refused):
        warnings.append("The manifests contain no Campaign: their parts were checked alone.")
    said = tuple(dict.fromkeys(warnings))
    return Answer(tuple(found.refused), tuple(campaigns), offline=live is None, warnings=said)


async def _admitted(
    reader: Lookup,
    live: Cluster | None,
    campaign: Campaign,
    release: str | None,
    warnings: list[str],
) -> tuple[CampaignParts, tuple[Problem, ...]]:
    """What the operator would answer; a warning says what the user may not know of that."""
    space, allows = campaign.namespace, None
    if live is not None:
        try:
            _, options = await installation.find(live, space, release)
            allows = limits.installed(options)
        except CommandError as error:
            warnings.append(f"What the installation has and allows was not checked: {error}.")
    found, problems = await admit(Lenient(reader), space, campaign.name, campaign.spec, allows)
    if live is not None and allows is not None and not problems:
        limit = allows.namespace_trials

        def unread(kind: Kind, name: str) -> None:
            warnings.append(
                f"Whether {kind.kind} {name} is left of an earlier campaign was not checked, "
                "because you may not read it."
            )

        try:
            problems = await beside_others(live, campaign, most_trials(found), limit, unread)
        except Rejected:
            warnings.append(
                f"Whether other campaigns of namespace {space} leave room for this one was not "
                "checked, because you may not list them."
            )
    return found, problems


async def _planned(
    found: Manifests, body: Body, live: Cluster | None, release: str | None, warnings: list[str]
) -> Planned:
    campaign = objects.campaign(body)
    reader = Offline(found, live)
    gathered, problems = await _admitted(reader, live, campaign, release, warnings)
    complaints = await _against_live(campaign, live)
    refused = {(refusal.kind, refusal.name) for refusal in found.refused}
    absent = (one for one in problems if one.reason is Reason.NOT_FOUND)
    # A refused manifest is not found only because it was refused.
    lost = [one for one in absent if (one.kind.kind, one.subject) in refused]
    complaints += [problem for problem in problems if problem not in lost]
    if lost:
        causes = ", ".join(dict.fromkeys(f"{one.kind.kind} {one.subject}" for one in lost))
        text = f"first correct what kubectl apply would refuse: {causes}"
        complaints.append(Problem(CAMPAIGN, Reason.REJECTED, text, campaign.name))
    return await _answered(campaign, gathered, tuple(complaints), live)


async def _answered(
    campaign: Campaign, parts: CampaignParts, problems: tuple[Problem, ...], live: Cluster | None
) -> Planned:
    # It is accepted as soon as there is room.
    waits = tuple(one for one in problems if one.reason is Reason.NAMESPACE_FULL)
    problems = tuple(one for one in problems if one not in waits)
    notes = (*waits, *unknown_settings(parts), *piling_orders(parts), *deleted_rows(parts))
    notes += (*unusual_loads(parts), *sizes(parts))
    if problems:
        return Planned(campaign.name, campaign.namespace, problems, notes)
    frozen = parts.freeze({})
    notes += await _misfits(live, campaign.namespace, campaign.spec, frozen)
    shape = outline(campaign.spec, frozen)
    standing = "would wait until others end" if waits else Planned.standing
    return Planned(campaign.name, campaign.namespace, (), notes, standing, shape)


async def _misfits(
    cluster: Cluster | None, namespace: str, spec: CampaignSpec, frozen: Resolved
) -> tuple[Problem, ...]:
    """How the cluster does not suit the campaign, as far as the user may know."""
    found = fit.misfits(spec, frozen, fit.nodes(await _all(cluster, NODE) or ()))
    limits = await _all(cluster, LIMIT_RANGE, namespace) or ()
    found = (*found, *ranges.refusals(spec, frozen, limits))
    classes = await _all(cluster, STORAGE_CLASS)
    if classes is None:
        return found
    return (*found, *fit.without_class(frozen, classes), *fit.keeping_disks(frozen, classes))


async def _all(
    cluster: Cluster | None, kind: Kind, namespace: str | None = None
) -> list[Body] | None:
    """All of them; None without a cluster or the right to list them, which not every user has."""
    try:
        return None if cluster is None else await cluster.list(kind, namespace)
    except Rejected:
        return None


async def _against_live(campaign: Campaign, live: Cluster | None) -> list[Problem]:
    """Why the API server would refuse this change to a campaign that exists already."""
    before = await live.get(CAMPAIGN, campaign.namespace, campaign.name) if live else None
    if before is None:
        return []
    return [
        Problem(CAMPAIGN, Reason.REJECTED, text, campaign.name)
        for text in resources.problems(CAMPAIGN, campaign.body, before)
    ]


async def from_cluster(
    cluster: Cluster, namespace: str, name: str, release: str | None = None
) -> Answer:
    """A campaign in the cluster: as it was accepted, or as it would be now."""
    warnings = list[str]()
    campaign = objects.campaign(await connection.campaign(cluster, namespace, name, _REMEDY))
    spec, status = campaign.spec, campaign.status
    if status.resolved is None:
        gathered, problems = await _admitted(cluster, cluster, campaign, release, warnings)
        planned = await _answered(campaign, gathered, problems, cluster)
    else:
        seen = pace(await _trials(cluster, campaign), spec) or ASSUMED
        shape = outline(spec, status.resolved, seen, status.block_plans)
        still_runs = None if status.completion_time else cluster
        notes = await _misfits(still_runs, namespace, spec, status.resolved)
        planned = Planned(name, namespace, notes=notes, standing="was accepted", outline=shape)
        if notes:
            warnings.append(
                "The specs of this campaign are frozen: a note that asks for a change of one is "
                "about a new campaign."
            )
    return Answer(campaigns=(planned,), offline=False, warnings=tuple(warnings))


async def _trials(cluster: Cluster, campaign: Campaign) -> list[Trial]:
    found = []
    own = {labels.CAMPAIGN: campaign.name}
    for body in await cluster.list(TRIAL, campaign.namespace, own):
        with contextlib.suppress(Malformed):
            found.append(objects.trial(body))
    return [trial for trial in found if trial.spec.campaign_ref.uid == campaign.uid]


def pace(trials: list[Trial], spec: CampaignSpec) -> Pace | None:
    """What has lain between the trials of each cell, new testbeds apart; None if none has two."""
    # Trials of an interleaved block begin together.
    begun = {block_of(trial): one for trial in trials if (one := Begun.of(trial)) is not None}
    cells = defaultdict[str, list[Begun]](list)
    for one in sorted(begun.values()):
        cells[one.place[0]].append(one)
    between = Between(gap for own in cells.values() for gap in gaps(own, spec))
    interleaved = spec.blocks.interleave is not None
    kinds = {False: ""} if not interleaved else {True: " before a block"}
    if interleaved and spec.blocks.solo:
        kinds[False] = " before a solo trial"
    said, unseen = list[str](), list[str]()
    for in_turns, where in kinds.items():
        usual, more = (of("", in_turns=in_turns) for of in (between.usual, between.restoring))
        if between.has_seen(in_turns=in_turns):
            said.append(f"{usual:.1f} s{where}")
        elif not more:
            unseen.append(f", and {DEAD_TIME:g} s{where} are assumed")
        if more:
            said.append(f"{usual + more:.1f} s{where} with a restore")
    if not said:
        return None
    medians = "is the median" if len(said) == 1 else "are the medians"
    source = f"{listed(said)} {medians} of this campaign's {len(begun)} trials so far"
    return Pace(between, source + "".join(unseen))
