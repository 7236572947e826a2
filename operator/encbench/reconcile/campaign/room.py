"""The room that a cell takes on nodes and disks, from the pods that would be built for it; pure.

`plan` shows it. The requests are those of the real builders, so agent, recorder, proxy and file
system are counted as the scheduler counts them. Only sizes matter here, so names are stand-ins.
"""

from collections.abc import Iterator
from functools import reduce

from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, Resolved
from encbench.api.testbed import Arm, TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.core.plan import Cell, LoadLevel, PlannedTrial
from encbench.database import pod
from encbench.database.connection import connection
from encbench.database.context import DatabaseContext
from encbench.kube.nodes import PodRequest, larger, least_node, requested
from encbench.reconcile import objects
from encbench.reconcile.campaign import children
from encbench.reconcile.objects import Testbed
from encbench.tools.context import TrialContext
from encbench.tools.registry import tool

_META = {"name": "plan", "namespace": "plan", "uid": "plan"}


class PodRoom(Model):
    """Equal pods that run at once."""

    count: int
    millicores: int
    """Request of one pod, its sidecars included."""
    bytes: int
    node_cores: int
    """Cores and GiB of the least node that holds one of them."""
    node_gibibytes: int


class CellRoom(Model):
    """What a cell takes during its measurements."""

    databases: PodRoom | None
    """None: the database is not encbench's."""
    clients: PodRoom
    volumes: int
    """Volumes that exist at once; the databases that are stopped keep theirs."""
    volume_size: str | None


def room(spec: CampaignSpec, resolved: Resolved, cell: Cell) -> CellRoom:
    """The largest pods of the cell's arms and workloads, and how many run at once."""
    campaign = objects.campaign({"metadata": _META, "spec": spec.to_dict()})
    beds = {arm.name: _testbed(campaign, resolved, cell, arm) for arm in cell.arms}
    clients, databases = list(_clients(campaign, resolved, cell, beds)), None
    storage = resolved.instances[cell.instance_ref].storage
    if storage is not None:
        running = len(beds) if spec.residency == "Resident" else 1
        own = [requested(pod.spec(_context(bed.spec))) for bed in beds.values()]
        databases = _pods(running, own)
    return CellRoom(
        databases=databases,
        clients=_pods(max(count for count, _ in clients), [one for _, one in clients]),
        volumes=len(beds) if storage is not None else 0,
        volume_size=storage.size if storage is not None else None,
    )


def _pods(count: int, requests: list[PodRequest]) -> PodRoom:
    most = reduce(larger, requests)
    node = least_node(most)
    return PodRoom(
        count=count,
        millicores=most.millicores,
        bytes=most.bytes,
        node_cores=node.cores,
        node_gibibytes=node.gibibytes,
    )


def _testbed(campaign: objects.Campaign, resolved: Resolved, cell: Cell, arm: Arm) -> Testbed:
    body = children.testbed(campaign, resolved, cell, arm)
    return objects.testbed({**body, "metadata": {**body["metadata"], "uid": "plan"}})


def _context(spec: TestbedSpec) -> DatabaseContext:
    return DatabaseContext("plan", "plan", {}, spec, agent_image="", agent_pull_policy="Always")


def _clients(
    campaign: objects.Campaign, resolved: Resolved, cell: Cell, beds: dict[str, Testbed]
) -> Iterator[tuple[int, PodRequest]]:
    """For each workload and arm, how many clients run at once and what one requests."""
    levels = {level.workload_ref: level for level in cell.conditions}
    for level in levels.values():
        for arm in cell.arms:
            bed = beds[arm.name]
            body = children.trial(campaign, resolved, cell, _planned(cell, level, arm), bed)
            job = tool(resolved.workloads[level.workload_ref]).trial_job(
                _trial_context(TrialSpec.model_validate(body["spec"]), bed)
            )
            together = len(cell.arms) if campaign.spec.blocks.interleave else 1
            pods, template = job["spec"]["parallelism"], job["spec"]["template"]
            yield together * pods, requested(template["spec"])


def _planned(cell: Cell, level: LoadLevel, arm: Arm) -> PlannedTrial:
    return PlannedTrial(
        cell=cell.name,
        condition=level,
        block=1,
        order=1,
        arm=arm,
        seed=1,
        seat=arm,
        generation=1,
        turns_seed=1,
    )


def _trial_context(spec: TrialSpec, bed: Testbed) -> TrialContext:
    return TrialContext(
        name="plan",
        namespace="plan",
        owner={"uid": "plan"},
        spec=spec,
        connection=connection(bed.name, bed.spec),
        credentials_secret="plan",  # noqa: S106 - a name that nothing uses
        sidecar_image="",
        sidecar_pull_policy="Always",
        store="",
    )
