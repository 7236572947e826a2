"""`kubectl encbench logs`: what the containers of a campaign's pods said last."""

import argparse
from collections.abc import Iterator

from encbench.api.kinds import POD
from encbench.cli import output
from encbench.cli.connection import campaign
from encbench.cli.output import CommandError
from encbench.kube import labels
from encbench.ports import Body, Cluster


async def logs(cluster: Cluster, namespace: str, args: argparse.Namespace) -> int:
    """Print the last lines of each container that has said something; the exit code."""
    await campaign(cluster, namespace, args.campaign)
    wanted = {labels.CAMPAIGN: args.campaign}
    wanted |= {labels.TRIAL: args.trial} if args.trial else {}
    pods = await cluster.list(POD, namespace, wanted)
    if not pods:
        whose = f"trial {args.trial}" if args.trial else f"campaign {args.campaign}"
        raise CommandError(f"{whose} has no pods: they go when a trial or the campaign ends")
    for pod in sorted(pods, key=lambda body: str(body["metadata"]["name"])):
        name = pod["metadata"]["name"]
        for container in _containers(pod):
            said = await cluster.logs(namespace, name, container, args.lines)
            if said:
                text = f"==> {name} {container}\n{said.rstrip()}\n\n"
                output.write(text.encode(), None)
    return 0


def _containers(pod: Body) -> Iterator[str]:
    """In the order in which they start."""
    for group in ("initContainers", "containers"):
        for container in pod["spec"].get(group, []):
            yield container["name"]
