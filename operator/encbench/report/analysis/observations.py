"""What of a condition is observed: which blocks count, and which campaigns are pooled.

A block counts where every arm's trial succeeded and has the figure that is the subject. Sequential
blocks beside interleaved ones are there for comparison, and no other figure is of them. The blocks
of campaigns that are extended stand beside those of the follow-up (`pooled`) once it has all its
blocks, and they are judged only where the plan announced that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.api.testbed import Arm
from encbench.core import plan
from encbench.core.artefact import RecordError
from encbench.core.records import IndexCell, IndexCondition, IndexRecord, IndexTrial
from encbench.core.statistics.rounds import noticed
from encbench.report.analysis import pooled
from encbench.report.analysis.interleaving import CarryOvers, carry_overs
from encbench.report.analysis.pairs import Blocks, Pairs
from encbench.report.document.trial import TrialView
from encbench.report.figures import JUDGED, judged

Earlier = Sequence[tuple[str, Sequence[TrialView]]]
"""Of each campaign that a follow-up is pooled with: its name and its trials of one condition."""


@dataclass(frozen=True)
class Observations:
    """Of one condition. `pairs` are what figures and verdicts rest on."""

    trials: Sequence[TrialView]
    """This campaign's, in the order they ran."""
    lost: Sequence[IndexTrial]
    """Those of its trials that have no record."""
    block_plan: BlockPlan | None
    """The result of the pilot."""
    planned: int
    """Valid blocks that this campaign plans."""
    blocks: Blocks
    """Every block of this campaign that has a record."""
    good: Blocks
    """Those of them that count, the sequential ones beside interleaved ones included."""
    alone: Pairs
    """Those of them that are compared, without other campaigns."""
    solo: Pairs
    """The sequential blocks beside interleaved ones."""
    parts: Sequence[tuple[str, Pairs]]
    """Every campaign that is pooled, by itself, with its name; this one is the last."""
    whole: Pairs
    """The blocks of all of them."""
    pairs: Pairs
    """What is judged, with the carry-overs that verdicts have to hold in spite of."""
    carried: CarryOvers
    """All that were measured in that."""

    @property
    def added(self) -> int:
        """Blocks of earlier campaigns among those that are judged."""
        return len(self.pairs.blocks) - len(self.alone.blocks)

    @property
    def earlier(self) -> list[TrialView]:
        """The trials of these blocks."""
        found = self.pairs.blocks.items()
        return [t for number, of in found if pooled.campaign_of(number) for t in of.values()]


def observations(
    index: IndexRecord,
    cell: IndexCell,
    condition: IndexCondition,
    trials: Sequence[TrialView],
    lost: Sequence[IndexTrial] = (),
    earlier: Earlier = (),
) -> Observations:
    """Of this cell under this condition, from its trials and those of the campaigns it extends.

    `earlier` has only campaigns that may be pooled. RecordError when two trials claim one place.
    """
    spec = index.spec
    block_plan = _block_plan(index, cell, condition)
    planned = block_plan.planned_blocks if block_plan else spec.blocks.min
    is_recovery = index.resolved.workloads[condition.workload].recovery is not None
    blocks, needed = _by_block(trials), judged(recovery=is_recovery)[0].field
    good = _good(cell.arms, blocks, needed)
    external = index.resolved.instances[cell.instance].external is not None
    kept = not spec.blocks.per_testbed and not external
    compared = _compared(spec, good)
    unit = partial(pooled.unit, spec)
    alone = Pairs(compared, cell.arms, unit, kept, external, pooled.campaign_of)
    before = [
        (name, replace(alone, blocks=_compared(spec, _good(cell.arms, _by_block(of), needed))))
        for name, of in earlier
    ]
    # Both or nothing: whoever can watch TPS could otherwise stop at the moment that suits.
    parts = before if len(alone.blocks) >= planned else []
    parts = [*parts, (index.campaign.name, alone)]
    whole = replace(alone, blocks=pooled.joined([one.blocks for _, one in parts]))
    # Only what was announced before the first look may be judged by blocks that were looked at.
    pairs = whole if spec.blocks.looks > 1 else alone
    carried = carry_overs(pairs)
    left = {JUDGED[key].field: noticed(one) for key, one in carried.items()}
    return Observations(
        trials=trials,
        lost=lost,
        block_plan=block_plan,
        planned=planned,
        blocks=blocks,
        good=good,
        alone=alone,
        solo=replace(alone, blocks={n: of for n, of in good.items() if n not in alone.blocks}),
        parts=parts,
        whole=whole,
        pairs=replace(pairs, carried=left),
        carried=carried,
    )


def _block_plan(index: IndexRecord, cell: IndexCell, condition: IndexCondition) -> BlockPlan | None:
    own = (cell.name, condition.workload, condition.concurrency)
    pilots = (p for p in index.block_plans if (p.cell, p.workload, p.concurrency) == own)
    return next(pilots, None)


def _by_block(trials: Sequence[TrialView]) -> Blocks:
    blocks: Blocks = {}
    for trial in trials:
        other = blocks.setdefault(trial.block, {}).setdefault(trial.arm, trial)
        if other is not trial:
            raise RecordError(f"{trial.name} and {other.name} claim the same place in one block")
    return blocks


def _good(arms: Sequence[Arm], blocks: Blocks, field: str) -> Blocks:
    return {number: of for number, of in sorted(blocks.items()) if _counts(arms, of, field)}


def _counts(arms: Sequence[Arm], by_arm: dict[str, TrialView], field: str) -> bool:
    found = [by_arm.get(arm.name) for arm in arms]
    return all(t and t.outcome == "Succeeded" and getattr(t, field) is not None for t in found)


def _compared(spec: CampaignSpec, good: Blocks) -> Blocks:
    """Without the sequential blocks beside interleaved ones, which are there for comparison."""
    return {n: of for n, of in good.items() if not plan.is_solo(spec.blocks, n)}
