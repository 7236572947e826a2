"""`kubectl encbench plan`: what a campaign would do, before anything runs."""

import argparse
import contextlib
import json
from dataclasses import replace
from itertools import pairwise
from statistics import median

from encbench.admission.checks import admit
from encbench.api import resources
from encbench.api.conditions import parse_time
from encbench.api.kinds import CAMPAIGN, TRIAL
from encbench.cli import manifests, output
from encbench.cli.connection import connected
from encbench.cli.errors import CommandError
from encbench.cli.manifests import Manifests, Offline
from encbench.cli.outline import ASSUMED, Pace, outline
from encbench.cli.outline_text import Answer, Planned, document, text
from encbench.core.problem import Problem, Reason
from encbench.kube import labels
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Cluster
from encbench.reconcile import objects
from encbench.reconcile.objects import Campaign, Trial

REFUSED = 1
DEFAULT = "default"


async def plan(args: argparse.Namespace) -> int:
    """Print the plan; exit code 0 when nothing would be refused, 1 when something would."""
    given = bool(args.filename or args.kustomize)
    if given == bool(args.campaign):
        raise CommandError(
            "name a campaign of the cluster, or manifests with -f or -k, one of both"
        )
    answer = await (from_manifests(args) if given else from_cluster(args))
    said = text(answer)
    if args.output == "json":
        said = json.dumps(document(answer), ensure_ascii=False, indent=1) + "\n"
    output.write(said.encode(), None)
    return 0 if answer.is_good else REFUSED


# ------------------------------------------------------------------------------ from manifests


async def from_manifests(args: argparse.Namespace) -> Answer:
    """Every campaign of the files; with --live against what the cluster has."""
    async with contextlib.AsyncExitStack() as stack:
        live, namespace = None, args.namespace or DEFAULT
        if args.live:
            live, namespace = await stack.enter_async_context(connected(args.namespace))
        found = await manifests.load(args.filename, args.kustomize, namespace)
        campaigns = tuple([await _planned(found, body, live) for body in found.of(CAMPAIGN)])
    warnings: tuple[str, ...] = ()
    refused = any(refusal.kind == CAMPAIGN.kind for refusal in found.refused)
    if not campaigns and not refused:
        warnings = ("There is no Campaign among the manifests: its parts were checked alone.",)
    return Answer(tuple(found.refused), campaigns, offline=live is None, warnings=warnings)


async def _planned(found: Manifests, body: Body, live: Cluster | None) -> Planned:
    campaign = objects.campaign(body)
    name, namespace = campaign.name, campaign.namespace
    gathered, problems = await admit(Offline(found, live), namespace, name, campaign.spec)
    # What is among the manifests but refused is missing only because of that.
    refused = {(refusal.kind, refusal.name) for refusal in found.refused}
    consequences = {
        (problem.kind.kind, problem.subject): problem
        for problem in problems
        if problem.reason is Reason.NOT_FOUND and (problem.kind.kind, problem.subject) in refused
    }
    said = await _against_live(campaign, live)
    said += [problem for problem in problems if problem not in consequences.values()]
    if consequences:
        first = ", ".join(" ".join(key) for key in consequences)
        text = f"correct first what kubectl apply would refuse: {first}"
        said.append(Problem(CAMPAIGN, Reason.REJECTED, text, name))
    if said:
        return Planned(name, namespace, tuple(said))
    return Planned(name, namespace, outline=outline(campaign.spec, gathered.freeze({})))


async def _against_live(campaign: Campaign, live: Cluster | None) -> list[Problem]:
    """What the API server would say against changing a campaign that is there already."""
    before = await live.get(CAMPAIGN, campaign.namespace, campaign.name) if live else None
    if before is None:
        return []
    bare = {key: value for key, value in campaign.body.items() if key != "status"}
    return [
        Problem(CAMPAIGN, Reason.REJECTED, text, campaign.name)
        for text in resources.problems(CAMPAIGN, bare, before)
    ]


# -------------------------------------------------------------------------------- from a cluster


async def from_cluster(args: argparse.Namespace) -> Answer:
    """A campaign that is applied: as it was accepted, or as it would be now."""
    async with connected(args.namespace) as (cluster, namespace):
        return await in_cluster(cluster, namespace, args.campaign)


async def in_cluster(cluster: Cluster, namespace: str, name: str) -> Answer:
    """See `from_cluster`."""
    body = await cluster.get(CAMPAIGN, namespace, name)
    if body is None:
        raise CommandError(
            f"there is no campaign {name} in namespace {namespace}: name another with -n, or plan "
            "its manifests with -f or -k"
        )
    campaign = objects.campaign(body)
    resolved = campaign.status.resolved
    if resolved is None:
        gathered, problems = await admit(cluster, namespace, name, campaign.spec)
        planned = Planned(name, namespace, problems)
        if not problems:
            planned = replace(planned, outline=outline(campaign.spec, gathered.freeze({})))
        return Answer(campaigns=(planned,), offline=False)
    trials = await _trials(cluster, campaign)
    found = outline(campaign.spec, resolved, pace(trials) or ASSUMED, campaign.status.block_plans)
    planned = Planned(name, namespace, accepted=True, outline=found)
    return Answer(campaigns=(planned,), offline=False)


async def _trials(cluster: Cluster, campaign: Campaign) -> list[Trial]:
    found = []
    own = {labels.CAMPAIGN: campaign.name}
    for body in await cluster.list(TRIAL, campaign.namespace, own):
        with contextlib.suppress(Malformed):
            found.append(objects.trial(body))
    return [trial for trial in found if trial.spec.campaign_ref.uid == campaign.uid]


def pace(trials: list[Trial]) -> Pace | None:
    """What lies between trials, as these have shown; None where there are not two of them.

    The median, so that one long pause does not spoil it.
    """
    begun = [
        (parse_time(trial.status.start_time).timestamp(), _run(trial))
        for trial in trials
        if trial.status.start_time
    ]
    started = sorted(begun)
    gaps = [after - before - run for (before, run), (after, _) in pairwise(started)]
    if not gaps:
        return None
    dead = max(0.0, median(gaps))
    return Pace(dead, f"{dead:.1f} s is the median of this campaign's {len(started)} trials so far")


def _run(trial: Trial) -> float:
    load = trial.spec.workload.load
    return load.warmup_seconds + load.duration_seconds
