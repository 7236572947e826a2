"""The plan of a campaign: cells, arms, conditions, and which trial comes next.

Everything here is a pure function of the frozen specs, the seed and the outcomes so far, so a
restarted operator continues exactly where the previous one stopped.

Cells, arms, conditions and blocks are those of docs/glossary.md. The order of each block is drawn
from the campaign's seed (randomised complete blocks; Box, Hunter & Hunter, Statistics for
Experimenters, 2nd ed., ch. 4). When a trial does not succeed, a block with a fresh number replaces
its whole block; the other trials of that block are kept but do not count. Where the data are fresh
for each block number, conditions that have not begun that number leave it out: their arms would be
compared on databases of which some have run more trials than others.

Baseline and A' swap their two testbeds once in every pair of block numbers, so neither depends on
the luck of one placement; the seed decides in which block of the pair. The other arms cannot move.
A replacement sits as its own number says, not as the block that it replaces, so of the valid blocks
a few more may have one seating than the other. Modes do not notice, because their baseline is both
testbeds in each block. Seats that followed from outcomes could change within a block, when a trial
before it turns out not to count or another release goes on, and put both arms on one testbed. With
`blocks.perTestbed` the operator rebuilds all testbeds of a cell after that many blocks; each set
has a *generation*, which is a function of the block's number. A set that was lost with a node adds
one to that of all blocks that are planned later, and leaves its unfinished block to a replacement.
The order in which the testbeds of a set are built is drawn too, because the first ones have the
choice of nodes and of a disk's extents.

With `precision` the first `blocks.min` valid blocks of a condition are its pilot. Afterwards
`core.statistics.precision` decides once how many it gets in all, which is its goal here; until then
nothing is planned beyond the pilot.
"""

import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from encbench.api.campaign import Blocks, CampaignSpec, LostSet, MatrixEntry
from encbench.api.testbed import Arm
from encbench.api.trial import Outcome
from encbench.api.workload import WorkloadSpec
from encbench.core.dataset import dataset_key
from encbench.core.naming import child_name, digest
from encbench.core.starts import is_fresh_by_block
from encbench.core.tally import BlockRun


@dataclass(frozen=True)
class LoadLevel:
    """A workload at one concurrency."""

    workload_ref: str
    concurrency: int


@dataclass(frozen=True)
class Cell:
    """Testbeds that are measured together."""

    name: str
    instance_ref: str
    arms: tuple[Arm, ...]
    conditions: tuple[LoadLevel, ...]

    @property
    def dataset_workload(self) -> str:
        """The workload whose prepare command loads the cell's dataset."""
        return self.conditions[0].workload_ref

    @property
    def max_concurrency(self) -> int:
        """The most client threads that a testbed of this cell serves at once."""
        return max(condition.concurrency for condition in self.conditions)


@dataclass(frozen=True)
class PlannedTrial:
    """One attempt to make."""

    cell: str
    condition: LoadLevel
    block: int
    order: int
    arm: Arm
    seed: int
    seat: Arm
    """The arm whose testbed it runs on: its own, or for baseline and control each other's."""
    generation: int
    """Which set of testbeds, from 1."""
    turns_seed: int | None = None
    """Seed of the order of the slices in an interleaved block; None in a sequential one."""
    last: bool = False
    """Nothing beyond its block is planned on its set of testbeds, unless a pilot or a failure adds
    more."""


@dataclass(frozen=True)
class Past:
    """One attempt that exists; `outcome` is None while it is under way."""

    cell: str
    condition: LoadLevel
    block: int
    arm: str
    outcome: Outcome | None


@dataclass(frozen=True)
class Left:
    """Trials that are still to start, as planned now; during a pilot only the pilot's."""

    trials: Mapping[LoadLevel, int] = field(default_factory=dict)
    """How many, by condition."""
    restored: int = 0
    """Those that have the data restored first: with `reset: block`, of the first condition of each
    block number."""

    @property
    def count(self) -> int:
        """Those of all conditions."""
        return sum(self.trials.values())


@dataclass(frozen=True)
class CellState:
    """How far a cell is. `next_trial` is None when it is done or given up."""

    next_trial: PlannedTrial | None
    together: tuple[PlannedTrial, ...]
    """All trials of its block that are missing, if the block is interleaved; else only itself."""
    exhausted: tuple[LoadLevel, ...]
    """Conditions that used up their replacement blocks without reaching their goal."""
    usual: Left
    solo: Left = Left()
    """Those that are sequential beside interleaved blocks."""
    sets: frozenset[int] = frozenset()
    """The sets of testbeds that serve the blocks of both, counting those that were lost."""

    @property
    def remaining(self) -> int:
        """Trials still to start."""
        return self.usual.count + self.solo.count


def arms(entry: MatrixEntry, baseline: str) -> tuple[Arm, ...]:
    """Baseline, control (A') and one treatment for each other mode, in the entry's order."""
    treatments = [mode for mode in entry.mode_refs if mode != baseline]
    return (
        Arm(name=baseline, role="baseline", mode_ref=baseline),
        Arm(name=child_name(baseline, "control"), role="control", mode_ref=baseline),
        *(Arm(name=mode, role="treatment", mode_ref=mode) for mode in treatments),
    )


def cells(spec: CampaignSpec, workloads: Mapping[str, WorkloadSpec]) -> tuple[Cell, ...]:
    """The cells of the matrix, in the user's order; equal ones are merged."""
    found: dict[tuple[str, str, tuple[Arm, ...]], dict[LoadLevel, None]] = {}
    for entry in spec.matrix:
        entry_arms = arms(entry, spec.baseline_mode_ref)
        for instance in entry.instance_refs:
            for workload_ref in entry.workload_refs:
                workload = workloads[workload_ref]
                key = (instance, dataset_key(workload), entry_arms)
                conditions = found.setdefault(key, {})
                for concurrency in workload.load.concurrency:
                    conditions[LoadLevel(workload_ref, concurrency)] = None
    return tuple(
        Cell(
            name=f"c{digest([instance, dataset, [arm.to_dict() for arm in cell_arms]])[:7]}",
            instance_ref=instance,
            arms=cell_arms,
            conditions=tuple(conditions),
        )
        for (instance, dataset, cell_arms), conditions in found.items()
    )


def _random(*parts: object) -> random.Random:
    return random.Random(digest([str(part) for part in parts]))  # noqa: S311 - not for secrets


def block_order(seed: int, cell: Cell, condition: LoadLevel, block: int) -> tuple[Arm, ...]:
    """The arms in the order in which this block runs them."""
    order = list(cell.arms)
    _random(seed, cell.name, condition.workload_ref, condition.concurrency, block).shuffle(order)
    return tuple(order)


def building_order(seed: int, cell: Cell, generation: int) -> tuple[Arm, ...]:
    """The arms in the order in which the testbeds of this set are built."""
    order = list(cell.arms)
    _random(seed, "testbeds", cell.name, generation).shuffle(order)
    return tuple(order)


def tool_seed(seed: int, cell: Cell, condition: LoadLevel, block: int) -> int:
    """The tool's seed: one per block, so that its arms get the same stream of requests."""
    parts = (seed, "tool", cell.name, condition.workload_ref, condition.concurrency, block)
    return _random(*parts).randrange(1, 2**31)


def own_seed(drawn: int, arm: Arm) -> int:
    """One arm's seed instead of that of its block, where all arms change one dataset.

    With equal requests, the first arm would delete the rows that the others are to delete.
    """
    return _random(drawn, "arm", arm.name).randrange(1, 2**31)


def seats(seed: int, cell: Cell, condition: LoadLevel, block: int) -> dict[str, Arm]:
    """The arm on whose testbed each arm of this block runs."""
    found = {arm.name: arm for arm in cell.arms}
    one, other = (arm for arm in cell.arms if arm.role != "treatment")
    pair, second = divmod(block - 1, 2)
    parts = (seed, "seats", cell.name, condition.workload_ref, condition.concurrency, pair)
    if _random(*parts).randrange(2) != second:
        found[one.name], found[other.name] = other, one
    return found


def generation(blocks: Blocks, block: int) -> int:
    """The set of testbeds that serves a block, from 1.

    Replacements have higher numbers, so a later block never runs on an earlier set.
    """
    return (block - 1) // blocks.per_testbed + 1 if blocks.per_testbed else 1


def _last_of_set(blocks: Blocks, block: int) -> int:
    """The last number that the set of testbeds of this block serves."""
    return generation(blocks, block) * blocks.per_testbed if blocks.per_testbed else sys.maxsize


SOLO = 1000
"""With `interleave`, blocks with higher numbers are sequential."""


def is_interleaved(blocks: Blocks, block: int) -> bool:
    """Whether the trials of this block run at the same time."""
    return blocks.interleave is not None and block <= SOLO


def is_solo(blocks: Blocks, block: int) -> bool:
    """Whether this is a sequential block beside interleaved ones."""
    return blocks.interleave is not None and not is_interleaved(blocks, block)


def block_name(blocks: Blocks, block: int) -> str:
    """What people read of a block's number: `3`, or `solo 1`."""
    return f"solo {block - SOLO}" if is_solo(blocks, block) else str(block)


def sets(blocks: Blocks, usual: int) -> int:
    """How many sets of testbeds serve so many usual blocks and the solo ones, if all are valid."""
    solo = blocks.solo if blocks.interleave is not None else 0
    numbers = chain(range(1, usual + 1), range(SOLO + 1, SOLO + solo + 1))
    return len({generation(blocks, number) for number in numbers})


def unit(blocks: Blocks, block: int) -> int:
    """The independent unit of observation that a block belongs to.

    That is its set of testbeds or, where one set serves the whole campaign, the block itself.
    """
    return generation(blocks, block) if blocks.per_testbed else block


def group(blocks: Blocks) -> int:
    """Blocks that belong together: those of one set of testbeds, or a turn of A and A' each."""
    return blocks.per_testbed or 2


class Attempts:
    """The attempts of these cells so far, added one after the other."""

    def __init__(self, blocks: Blocks, cells: Iterable[Cell]) -> None:
        self._solo_from = SOLO if blocks.interleave is not None else sys.maxsize
        self._runs = {
            (cell.name, condition): (
                BlockRun(len(cell.arms), 1),
                BlockRun(len(cell.arms), SOLO + 1),
            )
            for cell in cells
            for condition in cell.conditions
        }

    def add(self, past: Past) -> None:
        """One more; those of other cells are passed over."""
        runs = self._runs.get((past.cell, past.condition))
        if runs is not None:
            broken = past.outcome in ("Invalid", "Failed")
            runs[past.block > self._solo_from].add(past.block, past.arm, broken=broken)

    def with_attempts(self, cell: Cell, past: Iterable[Past]) -> "Attempts":
        """That of one cell, with more attempts."""
        found = Attempts(Blocks(), ())
        found._solo_from = self._solo_from
        found._runs = {
            (cell.name, condition): (first.copy(), solo.copy())
            for condition in cell.conditions
            for first, solo in [self._runs[cell.name, condition]]
        }
        for attempt in past:
            found.add(attempt)
        return found

    def give_up(self, lost: LostSet) -> None:
        """The block that a lost set leaves unfinished."""
        if lost.workload is None or lost.concurrency is None or lost.block is None:
            return
        runs = self._runs.get((lost.cell, LoadLevel(lost.workload, lost.concurrency)))
        if runs is not None:
            runs[lost.block > self._solo_from].give_up(lost.block)

    def leave_behind(self, cell: Cell, blocks: Blocks) -> None:
        """Give up the cell's open blocks of each set of testbeds after which another was built.

        The blocks of all conditions are finished before the next set is built, so there is one only
        if a Trial of it was deleted. What is missing would run on other testbeds than its other
        arms. Solo blocks are compared with each other, because a usual one may follow them.
        """
        for runs in zip(*(self.runs(cell, one) for one in cell.conditions), strict=True):
            serving = max(generation(blocks, run.newest) for run in runs)
            for run in runs:
                for block in run.unfinished:
                    if generation(blocks, block) < serving:
                        run.give_up(block)

    def leave_out_broken(self, cell: Cell, valid: Callable[[LoadLevel], int], solo: int) -> None:
        """Leave the number of a condition's broken block out of the others that lack it.

        Some testbeds ran a trial of that block and others did not. A condition that has begun the
        number keeps it: no trial of the block before it was missing then. So does one that has its
        `valid` blocks, or `solo` ones, before that number.
        """
        usual, apart = zip(*(self.runs(cell, one) for one in cell.conditions), strict=True)
        ends = [valid(one) for one in cell.conditions]
        _leave_out_broken(usual, ends)
        _leave_out_broken(apart, [SOLO + solo] * len(ends))

    def runs(self, cell: Cell, condition: LoadLevel) -> tuple[BlockRun, BlockRun]:
        """The usual blocks of a condition, and its sequential ones beside interleaved ones."""
        return self._runs[cell.name, condition]


def _leave_out_broken(runs: Sequence[BlockRun], ends: Sequence[int]) -> None:
    """Each run with the last number that it would have if every block were valid."""
    for block in sorted(set().union(*(run.broken for run in runs))):
        for run, end in zip(runs, ends, strict=True):
            if block <= end + run.unused:
                run.leave_out(block)


def next_trial(
    spec: CampaignSpec,
    cell: Cell,
    past: Iterable[Past],
    goals: Mapping[LoadLevel, int] | None = None,
    history: Attempts | None = None,
    lost: Sequence[LostSet] = (),
) -> CellState:
    """What to start next in this cell, after the attempts `past` and those in the history.

    `lost` are the sets of testbeds that were lost so far, those of other cells among them.

    Every condition runs its first block, then every condition its second, and so on. An attempt
    under way counts as done for the order, so `next_trial` is what may follow it. `goals` are the
    numbers of valid blocks for conditions whose pilot is over. A condition whose pilot's last
    trials are still under way keeps its place, and later ones wait too, so that the order does not
    depend on how long archiving a trial takes.
    """
    known = (history or Attempts(spec.blocks, [cell])).with_attempts(cell, past)
    gone = [one for one in lost if one.cell == cell.name]
    for one in gone:
        known.give_up(one)

    def goal(condition: LoadLevel) -> int | None:
        return (goals or {}).get(condition) if spec.precision else spec.blocks.min

    def valid(condition: LoadLevel) -> int:
        return goal(condition) or spec.blocks.min

    if is_fresh_by_block(spec.reset, spec.blocks.per_testbed):
        known.leave_out_broken(cell, valid, spec.blocks.solo or 0)
    known.leave_behind(cell, spec.blocks)
    # Number, its condition's place, and the arms that have begun; None is nothing planned yet.
    open_blocks: list[tuple[int, int, Set[str] | None]] = []
    exhausted: list[LoadLevel] = []
    # The usual blocks of each condition with the last one that is planned, and its solo ones.
    ahead: tuple[dict[LoadLevel, tuple[BlockRun, int]], ...] = ({}, {})
    served = partial(generation, spec.blocks)
    # Conditions are many, and those that are equally far have the same sets.
    spans: set[tuple[int, int]] = set()
    for place, condition in enumerate(cell.conditions):
        usual, solo = known.runs(cell, condition)
        if len(usual.broken) + len(solo.broken) > spec.blocks.max_replacements:
            exhausted.append(condition)
            continue
        last = valid(condition) + usual.unused
        ends = [(usual, last)]
        if spec.blocks.interleave is not None and spec.blocks.solo:
            ends.append((solo, SOLO + spec.blocks.solo + solo.unused))
        for blocks, until_end in zip(ahead, ends, strict=False):
            blocks[condition] = until_end
        # Later blocks are counted but not planned: nothing of them is needed yet.
        firsts = [(run, block, end) for run, end in ends if (block := run.first_open(end))]
        spans |= {(served(one), served(end)) for _, one, end in firsts}
        run, block = next(((run, block) for run, block, _ in firsts), (usual, None))
        if block is not None:
            open_blocks.append((block, place, run.started.get(block, set())))
        if goal(condition) is None:
            open_blocks.append((last + 1, place, None))
    block, place, begun = min(open_blocks, key=lambda entry: entry[:2], default=(0, 0, None))
    first: tuple[PlannedTrial, ...] = ()
    if begun is not None:
        # Drawn for this one alone: a campaign may have hundreds of conditions.
        first = _missing(spec, cell, cell.conditions[place], block, begun, len(gone))
    until = _last_of_set(spec.blocks, block)
    if first and sum(
        run.missing(min(end, until)) for own in ahead for run, end in own.values()
    ) == len(first):
        first = tuple(replace(trial, last=True) for trial in first)
    interleaved = bool(first) and is_interleaved(spec.blocks, first[0].block)
    return CellState(
        next_trial=first[0] if first else None,
        together=first if interleaved else first[:1],
        exhausted=tuple(exhausted),
        usual=_left(spec, ahead[0]),
        solo=_left(spec, ahead[1]),
        sets=frozenset(number + len(gone) for one, end in spans for number in range(one, end + 1)),
    )


def _left(spec: CampaignSpec, ahead: Mapping[LoadLevel, tuple[BlockRun, int]]) -> Left:
    """What is missing of these blocks, each condition's up to the number beside them."""
    trials = {condition: run.missing(end) for condition, (run, end) in ahead.items()}
    if spec.reset != "block" or not ahead:
        return Left(trials)
    runs, ends = zip(*ahead.values(), strict=True)
    begun = max(run.newest for run in runs)
    serving = [run for run in runs if run.newest == begun]
    # A second condition begins a number only once the first one's testbeds have restored for it.
    restored = serving[0].missing(begun) if len(serving) == 1 else 0
    return Left(trials, restored + serving[0].arms * max(0, max(ends) - begun))


def _missing(
    spec: CampaignSpec, cell: Cell, condition: LoadLevel, block: int, begun: Set[str], lost: int
) -> tuple[PlannedTrial, ...]:
    """The trials of a block but those whose arms have begun, after so many `lost` sets."""
    place = (spec.seed, cell, condition, block)
    drawn, seated = tool_seed(*place), seats(*place)
    serving = generation(spec.blocks, block) + lost
    turns_seed = _turns_seed(spec, cell, condition, block)
    return tuple(
        PlannedTrial(
            cell=cell.name,
            condition=condition,
            block=block,
            order=order,
            arm=arm,
            seed=drawn,
            seat=seated[arm.name],
            generation=serving,
            turns_seed=turns_seed,
        )
        for order, arm in enumerate(block_order(*place), 1)
        if arm.name not in begun
    )


def _turns_seed(spec: CampaignSpec, cell: Cell, condition: LoadLevel, block: int) -> int | None:
    if not is_interleaved(spec.blocks, block):
        return None
    parts = ("turns", cell.name, condition.workload_ref, condition.concurrency, block)
    return _random(spec.seed, *parts).randrange(2**31)
