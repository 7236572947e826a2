"""One builder for each child of a campaign; names are functions of the plan."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from encbench.api.base import Model, ObjectRef
from encbench.api.campaign import Resolved
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import OVERHEAD_REPORT, TESTBED, TRIAL, Kind
from encbench.api.overheadreport import OverheadReportSpec
from encbench.api.testbed import MAX_AVOIDED, Arm, Dataset, Machine, TestbedSpec
from encbench.api.trial import TrialSpec, Turns
from encbench.core.certificates import KeyPair, authority_entries, authority_name
from encbench.core.naming import child_name, digest, storage_prefix
from encbench.core.plan import Cell, PlannedTrial, block_order, own_seed
from encbench.kube.labels import ACTIVE, labels, metadata
from encbench.kube.labels import TESTBED as TESTBED_LABEL
from encbench.kube.secrets import secret
from encbench.ports import Body
from encbench.reconcile.objects import Campaign, Testbed

OWN_CONNECTIONS = 20
"""Connections that a testbed needs beyond its clients': the agent, a person, sysbench's prepare. It
fails with `TooFewConnections` where the server allows fewer, and the server is set to allow
`core.session_memory.SPARE_CONNECTIONS` more."""

NAME_DIGITS = 16
"""Hex digits of the hash in names of Trials that are cut. Names of campaigns may differ in their
last letters only, such as a date, which are cut off. With 8 digits two of 100,000 Trials of such
campaigns would probably have one name."""
EARLIER_DIGITS = 8
"""The same of campaigns that an earlier release accepted."""


@dataclass(frozen=True)
class CellPlan:
    """A cell of a campaign, and the specs that are measured."""

    campaign: Campaign
    resolved: Resolved
    cell: Cell


def testbed_name(plan: CellPlan, arm: Arm, generation: int = 1) -> str:
    """Name of the testbed of one arm of a cell; a set that is built anew has names of its own.

    Cells' names are of one length, so the set's number cannot be taken for a part of the arm's. The
    testbed's Service has the name too, so it begins with a letter (DNS-1035), whereas a campaign's
    own may begin with a digit. An external database has no Service. Its testbeds keep the names
    that 0.1.0 gave them, because the data would be loaded anew for others.
    """
    campaign, cell = plan.campaign.name, plan.cell
    mark = f"g{generation}" if generation > 1 else ""
    has_service = not plan.resolved.instances[cell.instance_ref].is_external
    letter = ("t",) if has_service and campaign[0].isdigit() else ()
    return child_name(*letter, campaign, f"{cell.name}{mark}", arm.name, limit=40)


def trial_name(campaign: Campaign, planned: PlannedTrial) -> str:
    """Name of one attempt, which an operator of a later release gives it as well."""
    condition = planned.condition
    return child_name(
        campaign.name,
        planned.cell,
        digest([condition.workload_ref])[:8],
        f"t{condition.concurrency}",
        f"b{planned.block:02d}",
        planned.order,
        planned.arm.name,
        digits=campaign.status.name_digits or EARLIER_DIGITS,
    )


def authority(campaign: Campaign, made: KeyPair) -> Body:
    """The Secret with the campaign's CA. No pod mounts it; it goes with the campaign."""
    own = labels("authority", campaign=campaign.name)
    meta = metadata(authority_name(campaign.name), campaign.namespace, own, campaign.owner)
    return secret(meta, authority_entries(made))


def testbed(
    plan: CellPlan,
    arm: Arm,
    generation: int = 1,
    *,
    near: Sequence[str] = (),
    avoid: Sequence[str] = (),
) -> Body:
    """The Testbed of one arm in one set.

    `near` are the nodes of the set's other databases, and `avoid` those of other cells.
    """
    campaign, resolved, cell = plan.campaign, plan.resolved, plan.cell
    workload = resolved.workloads[cell.dataset_workload]
    instance, mode = resolved.instances[cell.instance_ref], resolved.modes[arm.mode_ref]
    dataset = Dataset(
        sysbench=workload.sysbench,
        tpcc=workload.tpcc,
        script_config_map=resolved.scripts.get(cell.dataset_workload),
        client=workload.client,
    )
    spec = TestbedSpec(
        campaign_ref=ObjectRef(name=campaign.name, uid=campaign.uid),
        cell=cell.name,
        instance_ref=cell.instance_ref,
        arm=arm,
        generation=generation,
        instance=instance,
        mode=mode,
        dataset=dataset,
        max_connections=cell.max_concurrency + OWN_CONNECTIONS,
        near=list(near),
        avoid=list(avoid[:MAX_AVOIDED]),
        cpu_share=_cpu_share(plan),
        plain_volume=_plain_volume(plan, mode),
        reset=campaign.spec.reset,
        residency=campaign.spec.residency,
        cache=campaign.spec.cache,
        step_deadlines=campaign.spec.step_deadlines,
        spec_hash=digest([instance.to_dict(), mode.to_dict(), dataset.to_dict()]),
    )
    name = testbed_name(plan, arm, generation)
    own = labels("testbed", campaign=campaign.name, cell=cell.name, arm=arm.name)
    return _child(TESTBED, campaign, name, own, spec)


def _cpu_share(plan: CellPlan) -> int:
    """How many databases request together the CPU of one."""
    interleave = plan.campaign.spec.blocks.interleave
    shared = interleave is not None and interleave.database_cpu == "Shared"
    return len(plan.cell.arms) if shared else 1


def _plain_volume(plan: CellPlan, mode: EncryptionModeSpec) -> bool:
    """Whether the mode leaves its volume unencrypted beside one that encrypts it by its class.

    Where no arm does that, all of them may lie on disks that the cluster encrypts by itself.
    """
    others = (plan.resolved.modes[arm.mode_ref] for arm in plan.cell.arms)
    by_class = any(one.storage_class is not None for one in others)
    return by_class and (mode.volume is None or not mode.encrypts_at_rest)


def _full_check(plan: CellPlan) -> bool:
    """Whether a workload of the cell, all of which share the dataset, wants it checked in full."""
    workloads = plan.resolved.workloads
    used = (workloads[level.workload_ref].tpcc for level in plan.cell.conditions)
    return any(tpcc is not None and tpcc.full_check == "AtEnd" for tpcc in used)


def _turns(plan: CellPlan, planned: PlannedTrial) -> Turns | None:
    """What the trials of an interleaved block know of each other."""
    campaign, seed = plan.campaign, planned.turns_seed
    interleave = campaign.spec.blocks.interleave
    if interleave is None or seed is None:
        return None
    order = block_order(campaign.spec.seed, plan.cell, planned.condition, planned.block)
    siblings = [replace(planned, order=n, arm=arm) for n, arm in enumerate(order, 1)]
    return Turns(
        slice_seconds=interleave.slice_seconds,
        settle_seconds=interleave.settle_seconds,
        rounds=interleave.rounds,
        seed=seed,
        trials=[trial_name(campaign, sibling) for sibling in siblings],
    )


def trial(
    plan: CellPlan,
    planned: PlannedTrial,
    on: Testbed,
    *,
    after: str | None = None,
    client_nodes: Sequence[str] = (),
    avoid: Sequence[str] = (),
    machine: Machine | None = None,
) -> Body:
    """The Trial of one attempt; `after` names the one that it must let finish.

    `client_nodes` are where its clients have to run, `avoid` are nodes of other cells, and
    `machine` is what its database's node has to be like.
    """
    campaign, resolved, condition = plan.campaign, plan.resolved, planned.condition
    workload = resolved.workloads[condition.workload_ref]
    is_tpcc, is_external = workload.tpcc is not None, on.spec.instance.is_external
    drawn = own_seed(planned.seed, planned.arm) if is_external else None
    spec = TrialSpec(
        campaign_ref=ObjectRef(name=campaign.name, uid=campaign.uid),
        testbed_ref=ObjectRef(name=on.name, uid=on.uid),
        # The Testbed is gone when the report is made, and its proof lies under a plain name. Of an
        # external database it is a sentence that the next release may write otherwise.
        testbed_proof=None if is_external else on.status.proof_digest,
        cell=planned.cell,
        instance_ref=on.spec.instance_ref,
        workload_ref=condition.workload_ref,
        arm=planned.arm,
        block=planned.block,
        order=planned.order,
        concurrency=condition.concurrency,
        # By a seed TPC-C draws more than rows: what a look by name finds is to be the same in arms.
        seed=planned.seed if is_tpcc or drawn is None else drawn,
        terminal_seed=drawn if is_tpcc else None,
        turns=_turns(plan, planned),
        after=after,
        full_check=planned.last and _full_check(plan),
        workload=workload,
        script_config_map=resolved.scripts.get(condition.workload_ref),
        limits=campaign.spec.limits,
        allow_colocation=campaign.spec.allow_colocation,
        client_nodes=list(client_nodes),
        # Those that have to run somewhere have no choice.
        avoid=[] if client_nodes else list(avoid[:MAX_AVOIDED]),
        machine=machine,
        storage_prefix=storage_prefix(campaign.namespace, campaign.name, campaign.uid),
        step_deadlines=campaign.spec.step_deadlines,
        spec_hash=digest([on.spec.spec_hash, workload.to_dict()]),
    )
    own = labels("trial", campaign=campaign.name, cell=planned.cell, arm=planned.arm.name)
    own[ACTIVE] = "true"
    if on.spec.follows_trials:
        # By this the testbed finds its trials, and is woken by what happens to them.
        own[TESTBED_LABEL] = on.name
    return _child(TRIAL, campaign, trial_name(campaign, planned), own, spec)


def report(campaign: Campaign) -> Body:
    """The OverheadReport; it bears the campaign's name."""
    spec = OverheadReportSpec(campaign_ref=ObjectRef(name=campaign.name, uid=campaign.uid))
    own = labels("report", campaign=campaign.name)
    return _child(OVERHEAD_REPORT, campaign, campaign.name, own, spec)


def _child(kind: Kind, campaign: Campaign, name: str, own: dict[str, str], spec: Model) -> Body:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": metadata(name, campaign.namespace, own, campaign.owner),
        "spec": spec.to_dict(),
    }
