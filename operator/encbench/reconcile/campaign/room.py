"""The room that a cell takes on nodes and disks, from the pods that would be built for it; pure.

`plan` shows it. The requests are those of the real builders, so agent, recorder, proxy and file
system are counted as the scheduler counts them. Only sizes matter here, so names are stand-ins.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, Resolved
from encbench.api.kinds import INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.api.testbed import Arm, TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.core.plan import Cell, LoadLevel, PlannedTrial
from encbench.database import pod
from encbench.database.connection import connection, loading
from encbench.database.context import DatabaseContext
from encbench.kube.nodes import PodRequest, larger, least_node, requested, total
from encbench.kube.pods import NO_IMAGE, Part, Programs
from encbench.reconcile import objects
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.objects import Testbed
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.registry import tool

_META = {"name": "plan", "namespace": "plan", "uid": "plan"}
_PROGRAMS = Programs(NO_IMAGE)
"""Room is a matter of requests, whatever the images are."""


@dataclass(frozen=True)
class Needed:
    """Equal pods that an arm has at once."""

    role: Literal["database", "load", "client"]
    kind: Kind
    """Of the object that says how large they are and where they may run."""
    subject: str
    """Its name."""
    own: int
    """Pods of this arm."""
    arms: int
    """Arms that run at once."""
    pod: Part
    """The spec of one."""

    @property
    def count(self) -> int:
        """Pods of all arms that run at once."""
        return self.own * self.arms

    @property
    def request(self) -> PodRequest:
        """CPU and memory that one requests, with its sidecars."""
        return requested(self.pod)


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
    """What a cell takes during its measurements, and its loads before them."""

    databases: PodRoom | None
    """None: the database is not encbench's."""
    loads: PodRoom | None
    """Loads that run side by side where nodes have room for all beside the databases; the others
    wait. None: there is but one."""
    clients: PodRoom
    together_millicores: int
    """Requests of all pods that run at once, each arm's own."""
    together_bytes: int
    volumes: int
    """Volumes that exist at once; the databases that are stopped keep theirs."""
    volume_size: str | None


def room(spec: CampaignSpec, resolved: Resolved, cell: Cell) -> CellRoom:
    """The largest pods of the cell's arms and workloads, how many run at once, and their sum."""
    pods = needed(spec, resolved, cell)
    everything = _together(pods)
    storage = resolved.instances[cell.instance_ref].storage
    clients = _pods([one for one in pods if one.role == "client"])
    assert clients is not None  # noqa: S101 - a cell has a condition
    loads = [one for one in pods if one.role == "load" and one.arms > 1]
    return CellRoom(
        databases=_pods([one for one in pods if one.role == "database"]),
        loads=_pods(loads),
        clients=clients,
        together_millicores=everything.millicores,
        together_bytes=everything.bytes,
        volumes=len(cell.arms) if storage is not None else 0,
        volume_size=storage.size if storage is not None else None,
    )


def needed(spec: CampaignSpec, resolved: Resolved, cell: Cell) -> tuple[Needed, ...]:
    """The pods of each arm and workload."""
    campaign = objects.campaign({"metadata": _META, "spec": spec.to_dict()})
    plan = CellPlan(campaign, resolved, cell)
    beds = {arm.name: _testbed(plan, arm) for arm in cell.arms}
    return (*_databases(spec, cell, beds.values()), *_clients(plan, beds))


def _pods(needed: Sequence[Needed]) -> PodRoom | None:
    if not needed:
        return None
    most = reduce(larger, (one.request for one in needed))
    node = least_node(most)
    return PodRoom(
        count=max(one.count for one in needed),
        millicores=most.millicores,
        bytes=most.bytes,
        node_cores=node.cores,
        node_gibibytes=node.gibibytes,
    )


def _together(needed: Sequence[Needed]) -> PodRequest:
    """What databases and clients request at once, under the workload that needs most."""
    sums: dict[tuple[str, str], PodRequest] = {}
    for one in needed:
        key = one.role, one.subject
        before, own = sums.get(key, PodRequest(0, 0)), total(*[one.request] * one.own)
        sums[key] = total(before, own) if one.arms > 1 else larger(before, own)
    databases = [asked for (role, _), asked in sums.items() if role == "database"]
    clients = [asked for (role, _), asked in sums.items() if role == "client"]
    return total(*databases, reduce(larger, clients))


def _databases(spec: CampaignSpec, cell: Cell, beds: Iterable[Testbed]) -> Iterator[Needed]:
    """Databases, unless they are not encbench's, and the Jobs that load the dataset."""
    running = len(cell.arms) if spec.residency == "Resident" else 1
    for bed in beds:
        if not bed.spec.instance.is_external:
            own = pod.spec(_context(bed.spec))
            yield Needed("database", INSTANCE_TEMPLATE, cell.instance_ref, 1, running, own)
        job = tool(bed.spec.dataset).load_job(_load_context(bed))
        template = job["spec"]["template"]["spec"]
        beside = 1 if bed.spec.instance.is_external else running
        yield Needed("load", WORKLOAD, cell.dataset_workload, 1, beside, template)


def _testbed(plan: CellPlan, arm: Arm) -> Testbed:
    body = children.testbed(plan, arm)
    return objects.testbed({**body, "metadata": {**body["metadata"], "uid": "plan"}})


def _context(spec: TestbedSpec) -> DatabaseContext:
    return DatabaseContext("plan", "plan", {}, spec, _PROGRAMS)


def _clients(plan: CellPlan, beds: Mapping[str, Testbed]) -> Iterator[Needed]:
    """The clients of each workload and arm."""
    cell = plan.cell
    levels = {level.workload_ref: level for level in cell.conditions}
    together = len(cell.arms) if plan.campaign.spec.blocks.interleave else 1
    for name, level in levels.items():
        for arm in cell.arms:
            bed = beds[arm.name]
            body = children.trial(plan, _planned(cell, level, arm), bed)
            job = tool(plan.resolved.workloads[name]).trial_job(
                _trial_context(TrialSpec.model_validate(body["spec"]), bed)
            )
            count, template = job["spec"]["parallelism"], job["spec"]["template"]
            yield Needed("client", WORKLOAD, name, count, together, template["spec"])


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


def _load_context(bed: Testbed) -> LoadContext:
    return LoadContext(
        testbed=bed.name,
        namespace="plan",
        owner={"uid": "plan"},
        spec=bed.spec,
        connection=loading(bed.name, bed.spec),
        credentials_secret="plan",  # noqa: S106 - a name that nothing uses
        programs=_PROGRAMS,
    )


def _trial_context(spec: TrialSpec, bed: Testbed) -> TrialContext:
    return TrialContext(
        name="plan",
        namespace="plan",
        owner={"uid": "plan"},
        spec=spec,
        connection=connection(bed.name, bed.spec),
        credentials_secret="plan",  # noqa: S106 - a name that nothing uses
        programs=_PROGRAMS,
        store="",
    )
