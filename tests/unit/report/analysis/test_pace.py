"""How long a block takes, by trials that are begun during the warm-up of the one before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from encbench.api.conditions import format_time
from encbench.api.trial import Window
from encbench.report.analysis.pace import block_seconds, block_times
from encbench.report.analysis.pairs import Blocks
from encbench.report.document.trial import TrialView

ARMS = ("plain", "again", "tde")
BEGIN = 1_767_225_600.0
FIRST, AFTER = 10.0, 15.0
"""From a trial's start to its release where no trial is before it, and from a window's end to the
next release."""
PERIOD = 105.0
"""From one trial's release to the next one's: 30 s of warm-up, 60 s of window, and AFTER. The next
trial begins 2 s after its release."""


@dataclass(frozen=True)
class Machine:
    """When the blocks of a cell run that has one condition or several."""

    conditions: tuple[int, ...] = (4,)
    """By concurrency; a trial of the second takes twice as long as one of the first."""
    blocks: int = 4
    per_testbed: int = 0
    between_sets: float = 300.0
    """From the last window of a set of testbeds to the first trial of the next set."""
    suspended_after: int = 0
    """Block after which nothing happens for an hour."""

    def trials(self) -> list[TrialView]:
        return list(self._trials())

    def _trials(self) -> Iterator[TrialView]:
        begins, release, generation = BEGIN, BEGIN + FIRST, 1
        for block in range(1, self.blocks + 1):
            if self.per_testbed and (block - 1) // self.per_testbed + 1 > generation:
                generation += 1
                begins = release - AFTER + self.between_sets
                release = begins + FIRST
            for place, concurrency in enumerate(self.conditions, 1):
                for arm in ARMS:
                    end = release + place * PERIOD - AFTER
                    window = Window(start=end - 60, end=end)
                    yield trial(arm, concurrency, block, begins, window, generation)
                    begins = end - 88
                    release = end + AFTER
            if block == self.suspended_after:
                begins = release + 3600
                release = begins + FIRST


def trial(
    arm: str, concurrency: int, block: int, begins: float, window: Window, generation: int = 1
) -> TrialView:
    return TrialView(
        name=f"{concurrency}-{block}-{arm}",
        uid="u",
        testbed=arm,
        cell="cell",
        instance="small",
        workload="rw",
        concurrency=concurrency,
        arm=arm,
        role="treatment",
        block=block,
        order=1,
        outcome="Succeeded",
        start_time=format_time(datetime.fromtimestamp(begins, UTC)),
        window=window,
        generation=generation,
        key="k",
        digest="d",
    )


def blocks(trials: Iterable[TrialView], concurrency: int = 4) -> Blocks:
    found: Blocks = {}
    for one in trials:
        if one.concurrency == concurrency:
            found.setdefault(one.block, {})[one.arm] = one
    return found


def seconds(machine: Machine, concurrency: int = 4) -> float:
    trials = machine.trials()
    return block_seconds(blocks(trials, concurrency), block_times(trials), machine.per_testbed)


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_a_trial_s_start_in_the_warm_up_before_it_counts_once(count: int) -> None:
    assert seconds(Machine(blocks=count)) == pytest.approx(3 * PERIOD, abs=5)


def test_a_single_block_lasts_from_its_start_to_its_last_window() -> None:
    assert seconds(Machine(blocks=1)) == FIRST + 3 * PERIOD - AFTER


@pytest.mark.parametrize("per_testbed", [1, 2, 4])
def test_sets_of_testbeds_take_their_time_once_a_set(per_testbed: int) -> None:
    machine = Machine(blocks=4 * per_testbed, per_testbed=per_testbed)
    of_set = FIRST + 3 * per_testbed * PERIOD - AFTER + 300
    # The first block of a set is shorter by most of a trial, because no trial is before it.
    assert seconds(machine) == pytest.approx(of_set / per_testbed, abs=0 if per_testbed < 3 else 25)
    assert seconds(replace(machine, between_sets=900.0)) - seconds(machine) == pytest.approx(
        600 / per_testbed
    )


def test_a_suspended_campaign_has_no_slower_pace() -> None:
    machine = Machine(blocks=6)
    assert seconds(replace(machine, suspended_after=3)) == seconds(machine)


def test_other_conditions_run_between_two_blocks() -> None:
    machine = Machine(conditions=(4, 16), blocks=5)
    assert seconds(machine) == pytest.approx(3 * PERIOD, abs=5)
    assert seconds(machine, 16) == pytest.approx(2 * 3 * PERIOD, abs=5)


def test_a_block_that_is_not_valid_is_no_part_of_the_pace() -> None:
    trials = Machine(blocks=5).trials()
    begins = BEGIN + 5 * 3 * PERIOD
    broken = trial("plain", 4, 6, begins, Window(start=begins + 40, end=begins + 50))
    of = blocks(trials)
    assert block_seconds(of, block_times([*trials, broken]), 0) == block_seconds(
        of, block_times(trials), 0
    )


def test_trials_that_run_at_the_same_time_begin_a_block_together() -> None:
    trials = [
        trial(arm, 4, block, begins, Window(start=begins + 40, end=begins + 380))
        for block, begins in enumerate((BEGIN, BEGIN + 400, BEGIN + 800), 1)
        for arm in ARMS
    ]
    assert block_seconds(blocks(trials), block_times(trials), 0) == 400
    assert block_seconds(blocks(trials[:3]), block_times(trials[:3]), 0) == 380


def test_without_times_there_is_no_pace() -> None:
    unknown = {"start_time": None, "window": None}
    trials = [one.model_copy(update=unknown) for one in Machine().trials()]
    assert block_seconds(blocks(trials), block_times(trials), 0) == 0
