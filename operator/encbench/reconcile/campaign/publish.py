"""Publishing the report: the index, its renderings in the bucket, and the OverheadReport.

The rendering is a function of the bucket alone; this module only decides what the index names. The
index names finished trials by key and digest, so a rendering can be repeated at any time.
"""

import asyncio
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from encbench.api.campaign import LostSet, Resolved
from encbench.api.conditions import find, format_time, parse_time, with_condition
from encbench.api.kinds import OVERHEAD_REPORT
from encbench.api.lifecycle import READY, REPORTED
from encbench.api.overheadreport import MAX_TABLES, Artefact, Artefacts
from encbench.core import plan, records
from encbench.core.artefact import RecordError, check, decode, digest_of, encode
from encbench.core.evidence import DiskFacts, ProofRecord
from encbench.core.naming import INDEX, proof_key, storage_prefix
from encbench.ports import Conflict, Rejected, Unavailable
from encbench.proofs import volume
from encbench.reconcile import objects
from encbench.reconcile.campaign import children, scripts
from encbench.reconcile.campaign.ledger import LedgerLine
from encbench.reconcile.campaign.orphans import orphans
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects.cluster import perform
from encbench.reconcile.effects.effect import Create, Publish
from encbench.reconcile.objects import Campaign
from encbench.report.analysis.bucket import ObjectMissing
from encbench.report.analysis.build import build, to_status
from encbench.report.document import Report

if TYPE_CHECKING:
    from encbench.report.formats.render import Rendering


_RENDERER = ThreadPoolExecutor(1, "render")
"""One report after the other: each holds all records of its campaign in memory. It has a thread of
its own, because it waits for reads of the store, which need threads too."""


async def publish(deps: Deps, campaign: Campaign, order: Publish) -> None:
    """Write everything. Unavailable or RecordError when it cannot be done yet."""
    index = await _index(deps, campaign, order)
    prefix = f"{index.storage.prefix}/report"
    index_key = f"{index.storage.prefix}/{INDEX}"
    content = encode(index)
    await deps.store.put(index_key, content, "application/json")
    report, renderings = await _render(deps, index)
    stored: dict[str, Artefact] = {}
    tables: list[Artefact] = []
    for kind, rendering in renderings.items():
        key = f"{prefix}/{rendering.name}"
        await deps.store.put(key, rendering.content, rendering.content_type)
        stored[kind] = Artefact(key=key, digest=digest_of(rendering.content))
        if kind not in ("html", "markdown", "csv", "json"):
            tables.append(stored[kind])
    index_file = Artefact(key=index_key, digest=digest_of(content))
    artefacts = Artefacts(
        bucket=deps.store.bucket,
        index=index_file,
        html=stored["html"],
        markdown=stored["markdown"],
        csv=stored["csv"],
        json_=stored["json"],
        tables=tables[:MAX_TABLES],
    )
    await _write_report(deps, campaign, report, artefacts)


async def _index(deps: Deps, campaign: Campaign, order: Publish) -> records.IndexRecord:
    status = order.status
    prefix, resolved = status.storage_prefix or "", status.resolved or Resolved()
    cells = plan.cells(campaign.spec, resolved.workloads)
    ran = sorted(order.lines, key=_when)
    testbeds = []
    for cell in cells:
        of = children.CellPlan(campaign, resolved, cell)
        sets = _sets(of, ran, status.lost_sets)
        for generation, arm in itertools.product(sets, cell.arms):
            name = children.testbed_name(of, arm, generation)
            found, disk = await _proof(deps, proof_key(prefix, name))
            place = {"cell": cell.name, "arm": arm.name, "generation": generation}
            testbeds.append(records.IndexTestbed(name=name, proof=found, disk=disk, **place))
    # The time that the status gives, so that rendering again gives the same bytes: with two
    # operators at once one may write the files and the other the digests.
    rendering = find(status.conditions, REPORTED)
    begun = rendering.last_transition_time if rendering else format_time(order.now)
    return records.IndexRecord(
        campaign=records.CampaignId(
            name=campaign.name, uid=campaign.uid, namespace=campaign.namespace
        ),
        spec=campaign.spec,
        resolved=resolved,
        storage=records.IndexStorage(bucket=deps.store.bucket, prefix=prefix),
        cells=tuple(records.IndexCell.of(cell) for cell in cells),
        trials=tuple(_entry(trial) for trial in ran),
        orphans=await orphans(deps.store, prefix, ran),
        testbeds=tuple(testbeds),
        block_plans=tuple(status.block_plans),
        extends=await _earlier(deps, campaign),
        scripts=await scripts.store(deps, campaign, resolved, prefix),
        start_time=status.start_time,
        generated_time=begun,
        end=order.end,
        lost_sets=tuple(status.lost_sets) or None,
        operator_version=deps.settings.version,
    )


def _sets(
    of: children.CellPlan, ran: Sequence[LedgerLine], lost: Sequence[LostSet]
) -> Sequence[int]:
    """Numbers of a cell's sets: those that were lost, and those on which a block has begun.

    With `perTestbed` they have gaps, because the numbers of solo blocks begin far beyond those of
    the others, and because a lost set moves all later ones.
    """
    blocks, cell = of.campaign.spec.blocks, of.cell
    gone = {one.generation for one in lost if one.cell == cell.name}
    if not blocks.per_testbed:
        return range(1, len(gone) + 2)
    own = [trial for trial in ran if trial.place[0] == cell.name]
    used = {trial.testbed for trial in own}
    planned = {plan.generation(blocks, trial.block) for trial in own}
    begun = {
        number
        for number in {first + moved for first in planned for moved in range(len(gone) + 1)}
        if any(children.testbed_name(of, arm, number) in used for arm in cell.arms)
    }
    return sorted(gone | (begun or {len(gone) + 1}))


async def _earlier(deps: Deps, campaign: Campaign) -> tuple[records.IndexEarlier, ...]:
    """The indexes of the campaigns that a follow-up continues; the last one names the others.

    RecordError if the last one is not what it was when the follow-up was accepted.
    """
    extends = campaign.spec.extends
    if extends is None:
        return ()
    prefix = storage_prefix(campaign.namespace, extends.name, extends.uid)
    key = f"{prefix}/{INDEX}"
    content = await deps.store.get(key)
    if content is None:
        raise RecordError(f"the bucket has no {key}, the index of the campaign that is extended")
    if campaign.status.extended_index is not None:
        check(content, key, campaign.status.extended_index)
    last = decode(records.IndexRecord, content, key)
    wanted = records.CampaignId(name=extends.name, uid=extends.uid, namespace=campaign.namespace)
    if last.campaign != wanted:
        raise RecordError(
            f"{key} is of campaign {last.campaign.name} with UID {last.campaign.uid}, not of "
            f"{extends.name} with UID {extends.uid}"
        )
    own = records.IndexEarlier(campaign=last.campaign, key=key, digest=digest_of(content))
    return (*last.extends, own)


def _when(trial: LedgerLine) -> tuple[float, str, str]:
    """In the order of the runs; what never ran stands where it was created, between those two."""
    return (trial.release_at or parse_time(trial.created).timestamp(), trial.created, trial.name)


def _entry(trial: LedgerLine) -> records.IndexTrial:
    found = records.IndexTrial(
        name=trial.name,
        outcome=trial.outcome or "Failed",
        reason=trial.reason,
        key=trial.key,
        digest=trial.digest,
    )
    if found.is_recorded:
        return found
    cell, workload, concurrency = trial.place
    place = {"cell": cell, "workload": workload, "concurrency": concurrency}
    own = {"block": trial.block, "arm": trial.arm, "message": trial.message}
    return found.model_copy(update={**place, **own})


async def _proof(
    deps: Deps, key: str
) -> tuple[records.IndexProof, DiskFacts | None] | tuple[None, None]:
    """A testbed's proof, and what its evidence has of the disk."""
    content = await deps.store.get(key)
    if content is None:
        return None, None
    proof = decode(ProofRecord, content, key).proof
    found = records.IndexProof(
        ok=proof.ok,
        summary=proof.summary,
        on_trust=proof.on_trust,
        key=key,
        digest=digest_of(content),
    )
    return found, volume.disk(proof.evidence)


async def _render(deps: Deps, index: records.IndexRecord) -> tuple[Report, dict[str, "Rendering"]]:
    """In a thread: plots take seconds, and watches must not starve meanwhile."""
    loop = asyncio.get_running_loop()

    def load(key: str) -> bytes:
        content = asyncio.run_coroutine_threadsafe(deps.store.get(key), loop).result()
        if content is None:
            raise ObjectMissing(key)
        return content

    def work() -> tuple[Report, dict[str, "Rendering"]]:
        # Imported here for its weight: plotting libraries that nothing else needs.
        from encbench.report.formats.render import render  # noqa: PLC0415

        report = build(index, load)
        return report, render(report)

    return await loop.run_in_executor(_RENDERER, work)


async def _write_report(
    deps: Deps, campaign: Campaign, report: Report, artefacts: Artefacts
) -> None:
    cluster = deps.cluster
    await perform(cluster, campaign, Create(OVERHEAD_REPORT, children.report(campaign)))
    there = await cluster.get(OVERHEAD_REPORT, campaign.namespace, campaign.name)
    if there is None:
        raise Unavailable("the OverheadReport was deleted while it was written")
    found = objects.overhead_report(there)
    conditions = with_condition(
        found.status.conditions,
        READY,
        True,
        "Rendered",
        "the report is in the bucket",
        now=deps.clock.now(),
        generation=found.generation,
    )
    own = {"conditions": list(conditions), "observed_generation": found.generation}
    status = to_status(report).model_copy(update={"artefacts": artefacts, **own})
    try:
        await cluster.apply_status(OVERHEAD_REPORT, found.with_status(status))
    except Conflict as error:
        raise Conflict(f"the OverheadReport could not be written: {error}") from error
    except Rejected as error:
        raise Rejected(f"the OverheadReport could not be written: {error}") from error
