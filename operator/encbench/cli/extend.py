"""`kubectl encbench extend`: a follow-up of a complete campaign, with the plan that it froze."""

import argparse
from typing import Any

import yaml

from encbench.admission.extended import Extended, extended
from encbench.admission.follow_up import follow_up, follow_up_name
from encbench.api.base import API_VERSION
from encbench.api.campaign import CampaignSpec
from encbench.api.kinds import CAMPAIGN
from encbench.cli import output
from encbench.cli.connection import campaign
from encbench.cli.outline import outline
from encbench.cli.outline_text import Answer, Planned, text
from encbench.cli.output import CommandError
from encbench.kube.parsing import parse_spec
from encbench.ports import Body, Cluster, Conflict


async def extend(cluster: Cluster, namespace: str, args: argparse.Namespace) -> int:
    """Make the follow-up and print its plan, or print its manifest; the exit code."""
    first = extended(await campaign(cluster, namespace, args.campaign))
    if first.obstacle:
        raise CommandError(first.obstacle)
    made = manifest(first, namespace, args.blocks)
    if args.dry_run:
        output.write(yaml.safe_dump(made, sort_keys=False).encode(), None)
        return 0
    name, spec = made["metadata"]["name"], CampaignSpec.model_validate(made["spec"])
    standing = "was created"
    try:
        await cluster.create(CAMPAIGN, made)
    except Conflict as error:
        # The answer to an earlier attempt, which made it, may have been lost.
        there = await cluster.get(CAMPAIGN, namespace, name)
        if there is None or not _is_the_same(there, spec):
            raise CommandError(
                f"campaign {name} exists already, and a campaign has one follow-up: extend {name} "
                "once it is complete, if its plan allows"
            ) from error
        standing = "exists already with this plan"
    planned = Planned(name, namespace, standing=standing, outline=outline(spec, first.resolved))
    said = text(Answer(campaigns=(planned,), offline=False))
    # Whether the operator accepts it is known in a moment, and not here.
    look = f"kubectl encbench watch {name} -n {namespace}"
    after = f"The operator accepts or refuses it within seconds:\n    {look}\n"
    output.write(f"campaign {name} extends {first.name}\n\n{said}\n{after}".encode(), None)
    return 0


def _is_the_same(there: Body, spec: CampaignSpec) -> bool:
    """But for what may be changed later, of one that stays."""
    later = ("suspend", "active_deadline_seconds", "ttl_seconds_after_finished")
    own = {field: getattr(spec, field) for field in later}
    found = parse_spec(CampaignSpec, there).model_copy(update=own)
    return found == spec and there["metadata"].get("deletionTimestamp") is None


def manifest(first: Extended, namespace: str, blocks: int) -> dict[str, Any]:
    """The follow-up; CommandError where the plan does not allow that number of blocks."""
    try:
        spec = follow_up(first.name, first.uid, first.spec, first.resolved, blocks)
    except ValueError as error:
        raise CommandError(f"--blocks {blocks}: {error}") from error
    return {
        "apiVersion": API_VERSION,
        "kind": CAMPAIGN.kind,
        "metadata": {"name": follow_up_name(first.name, first.spec), "namespace": namespace},
        "spec": spec.to_dict(),
    }
