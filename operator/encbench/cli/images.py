"""`kubectl encbench images`: every image that a campaign's pods have, for mirroring."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from encbench.admission import limits, references
from encbench.admission.gather import CampaignParts, Lookup, frozen_parts, gather_parts
from encbench.admission.images import Images
from encbench.api.kinds import CAMPAIGN
from encbench.cli import installation, manifests, output
from encbench.cli.connection import campaign, connected
from encbench.cli.manifests import Offline
from encbench.cli.output import CommandError
from encbench.ports import Body, Cluster
from encbench.reconcile import objects

_REMEDY = "name another namespace with -n, or its manifests with -f or -k"

Found = dict[str, list[str]]
"""The uses of each image."""


@dataclass(frozen=True)
class Installation:
    """The images of an installation; by default what is known without one."""

    images: Images = field(default_factory=Images)
    operator: str = ""
    turnstile: str = ""
    proxy: str = ""
    volume: str = ""


async def images(args: argparse.Namespace) -> int:
    """Print the images, each with what it is for; the exit code."""
    given = manifests.are_given(args)
    if given:
        found = await from_manifests(args)
    else:
        async with connected(args) as (cluster, namespace):
            release = args.release_namespace
            found = await from_cluster(cluster, namespace, release, args.campaign)
    output.write(_written(found, args.output).encode(), None)
    if given and not args.live:
        output.say(
            "Without --live these are the chart's default servers and tools, and images of the "
            "installation itself are left out."
        )
    return 0


async def from_manifests(args: argparse.Namespace) -> Found:
    """The images of every campaign in the files; --live adds what the cluster has."""
    async with manifests.given(args) as (loaded, live):
        if loaded.refused:
            raise CommandError(
                "first correct what kubectl apply would refuse: "
                + "; ".join(
                    f"{it.kind} {it.name}: {', '.join(it.problems)}" for it in loaded.refused
                )
            )
        if not loaded.of(CAMPAIGN):
            raise CommandError(
                "the manifests contain no Campaign: name the files with one and its parts"
            )
        found: Found = {}
        for body in loaded.of(CAMPAIGN):
            own = Installation()
            if live is not None:
                # Each campaign has the operator of its own namespace.
                space = body["metadata"]["namespace"]
                own = await installed(live, space, args.release_namespace)
            parts = await _parts(Offline(loaded, live), body)
            _add(found, needed(parts, own))
    return found


async def from_cluster(cluster: Cluster, namespace: str, release: str | None, name: str) -> Found:
    """The images of a campaign in the cluster: as it was frozen, or as it would be."""
    body = await campaign(cluster, namespace, name, _REMEDY)
    found: Found = {}
    own = await installed(cluster, namespace, release)
    _add(found, needed(await _parts(cluster, body), own))
    return found


async def installed(cluster: Cluster, namespace: str, release: str | None) -> Installation:
    """The images of the operator that watches the namespace; CommandError without one."""
    _, options = await installation.find(cluster, namespace, release)
    return Installation(
        limits.installed(options).images,
        options.image,
        options.turnstile_image,
        options.proxy_image,
        options.volume_image,
    )


async def _parts(reader: Lookup, body: Body) -> CampaignParts:
    one = objects.campaign(body)
    if one.status.resolved is not None:
        return frozen_parts(one.namespace, one.name, one.spec, one.status.resolved)
    found = await gather_parts(reader, one.namespace, one.name, one.spec)
    absent = [it.text for it in references.check(found) if it.kind in found.parts]
    if absent:
        raise CommandError(f"images of campaign {one.name} are not known: {'; '.join(absent)}")
    return found


def needed(parts: CampaignParts, own: Installation) -> Iterator[tuple[str, str]]:
    """Each image with its use, but those that the installation lacks or is not known to have."""
    whole = parts.with_images(own.images)
    for name, instance in whole.instances.items():
        if instance.image is not None:
            yield instance.image, f"server of InstanceTemplate {name}"
    for name, workload in whole.workloads.items():
        if workload.client.image is not None:
            yield workload.client.image, f"client of Workload {name}"
        if workload.load_image is not None:
            yield workload.load_image, f"load of Workload {name}"
    sidecars = [(own.operator, "agent and recorder")]
    if parts.campaign.blocks.interleave is not None:
        sidecars.append((own.turnstile, "turnstile of interleaved blocks"))
    for name, mode in parts.modes.items():
        if mode.proxy is not None:
            sidecars.append((own.proxy, f"proxy of EncryptionMode {name}"))
        if mode.gocryptfs is not None:
            sidecars.append((own.volume, f"file system of EncryptionMode {name}"))
    yield from ((image, use) for image, use in sidecars if image)


def _add(found: Found, more: Iterator[tuple[str, str]]) -> None:
    for image, use in more:
        uses = found.setdefault(image, [])
        if use not in uses:
            uses.append(use)


def _written(found: Found, style: str) -> str:
    if style == "json":
        return json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    if style == "name":
        return "".join(f"{image}\n" for image in found)
    width = max(len("IMAGE"), *map(len, found))
    rows = [("IMAGE", "FOR"), *((image, ", ".join(uses)) for image, uses in found.items())]
    return "".join(f"{image:<{width}}  {use}\n" for image, use in rows)
