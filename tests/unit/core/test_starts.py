"""The promise of `reset: block`: arms are compared on databases with the same history."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from encbench.api.campaign import CampaignSpec
from encbench.api.trial import Outcome
from encbench.core import plan
from encbench.core.plan import Attempts, Cell, Past, PlannedTrial
from encbench.core.starts import is_fresh_by_block, start_for
from tests.unit.core.plans import campaign, only_cell, played, run_to_the_end, succeeds

Ends = Callable[[PlannedTrial], Outcome]


def by_chance(seed: int) -> Ends:
    random = Random(seed)
    return lambda _: "Invalid" if random.random() < 0.07 else "Succeeded"


def in_the_first_condition(cell: Cell, block: int, order: int) -> Ends:
    place = (cell.conditions[0], block, order)

    def end(planned: PlannedTrial) -> Outcome:
        is_it = (planned.condition, planned.block, planned.order) == place
        return "Failed" if is_it else "Succeeded"

    return end


def unequal(spec: CampaignSpec, cell: Cell, outcome: Ends) -> list[tuple[int, int]]:
    """Concurrency and number of the valid blocks whose arms ran on unequal histories."""
    since_start: dict[str, tuple[object, int]] = {}
    histories = defaultdict(set)
    ends = defaultdict(list)
    for past, planned in played(spec, cell, outcome):
        start = start_for(spec.reset, spec.residency, spec.cache, trial="one", block=planned.block)
        data = (planned.generation, start.reset)
        known, trials = since_start.get(planned.seat.name, (None, 0))
        trials = trials if known == data else 0
        since_start[planned.seat.name] = (data, trials + 1)
        place = (planned.condition.concurrency, planned.block)
        histories[place].add((data, trials))
        ends[place].append(past.outcome)
    valid = [place for place, of in ends.items() if of == ["Succeeded"] * len(cell.arms)]
    return [place for place in valid if len(histories[place]) > 1]


CASES = {
    "block": {"reset": "block"},
    "on demand": {"reset": "block", "residency": "OnDemand"},
    "fresh testbeds": {"blocks": {"min": 6, "maxReplacements": 9, "perTestbed": 1}},
    "both": {"reset": "block", "blocks": {"min": 8, "maxReplacements": 9, "perTestbed": 2}},
    "interleaved": {
        "reset": "block",
        "blocks": {"min": 4, "maxReplacements": 9, "interleave": {"rounds": 4}, "solo": 3},
    },
}


@pytest.mark.parametrize("fields", CASES.values(), ids=CASES)
@pytest.mark.parametrize("seed", range(8))
def test_arms_of_a_valid_block_have_the_same_history(fields: dict[str, object], seed: int) -> None:
    spec = campaign(**{"blocks": {"min": 6, "maxReplacements": 9}, **fields})
    cell = only_cell(spec, concurrency=[1, 4, 8])
    assert unequal(spec, cell, by_chance(seed)) == []


@pytest.mark.parametrize("pilot", [{}, {"precision": {"targetHalfWidth": 0.05}}], ids=bool)
def test_later_conditions_leave_out_the_number_of_a_broken_block_and_get_one_more(
    pilot: dict[str, object],
) -> None:
    """Those of a pilot too, after which a condition's number of blocks is known."""
    spec = campaign(reset="block", blocks={"min": 4, "max": 30, "maxReplacements": 2}, **pilot)
    cell = only_cell(spec, concurrency=[1, 8])
    past = run_to_the_end(spec, cell, in_the_first_condition(cell, block=2, order=2))
    numbers = {
        level.concurrency: list(dict.fromkeys(p.block for p in past if p.condition == level))
        for level in cell.conditions
    }
    assert numbers == {1: [1, 2, 3, 4, 5], 8: [1, 3, 4, 5]}
    assert len(past) == 2 + 2 * 4 * 3, "two trials of the broken block, and all that count"


def test_what_is_left_out_is_no_replacement() -> None:
    spec = campaign(reset="block", blocks={"min": 4, "maxReplacements": 1})
    cell = only_cell(spec, concurrency=[1, 4, 8])
    breaks = {(1, 1), (4, 2), (8, 3)}

    def end(planned: PlannedTrial) -> Outcome:
        place = (planned.condition.concurrency, planned.block)
        return "Failed" if place in breaks and planned.order == 1 else "Succeeded"

    past = run_to_the_end(spec, cell, end)
    assert plan.next_trial(spec, cell, past).exhausted == ()
    assert len(past) == 3 + 3 * 4 * 3


def test_a_condition_that_has_begun_the_number_keeps_it() -> None:
    """Where a trial turns out not to count while the next one is under way."""
    spec = campaign(reset="block")
    cell = only_cell(spec, concurrency=[1, 8])
    whole = [past for past, _ in played(spec, cell)]
    late, under_way = whole[2], whole[3]
    assert (late.block, under_way.block) == (1, 1)
    assert late.condition != under_way.condition
    past = [*whole[:2], replace(late, outcome="Invalid"), under_way]
    planned = plan.next_trial(spec, cell, past).next_trial
    assert planned is not None
    assert (planned.condition, planned.block) == (under_way.condition, 1)


def test_where_data_are_not_fresh_for_a_number_none_is_left_out() -> None:
    blocks = {"min": 8, "maxReplacements": 2}
    for fields in ({"reset": "trial"}, {}, {"blocks": {**blocks, "perTestbed": 2}}):
        spec = campaign(**{"blocks": blocks, **fields})
        cell = only_cell(spec, concurrency=[1, 8])
        past = run_to_the_end(spec, cell, in_the_first_condition(cell, block=2, order=1))
        of_second = [one.block for one in past if one.condition == cell.conditions[1]]
        assert sorted(set(of_second)) == list(range(1, 9))
    assert not is_fresh_by_block("trial", 1)


def test_where_nothing_broke_the_plan_is_that_without_a_reset() -> None:
    plans = []
    for reset in ("none", "block"):
        spec = campaign(reset=reset)
        cell = only_cell(spec, concurrency=[1, 8])
        plans.append([planned for _, planned in played(spec, cell, succeeds)])
    assert plans[0] == plans[1]


def test_it_goes_on_the_same_after_a_restart_and_counts_down_to_nothing() -> None:
    spec = campaign(reset="block", blocks={"min": 5, "maxReplacements": 9})
    cell = only_cell(spec, concurrency=[1, 4, 8])
    past = run_to_the_end(spec, cell, by_chance(3))
    assert any(one.outcome == "Invalid" for one in past)
    history, counted = Attempts(spec.blocks, [cell]), 0
    for number in range(len(past) + 1):
        state = plan.next_trial(spec, cell, past[:number])
        assert plan.next_trial(spec, cell, past[number - 1 :: -1] if number else []) == state
        assert plan.next_trial(spec, cell, past[counted:number], history=history) == state
        if number < len(past):
            planned = state.next_trial
            assert planned is not None
            own = (planned.condition, planned.block, planned.arm.name)
            assert own == (past[number].condition, past[number].block, past[number].arm)
        while counted < number - 2:
            history.add(past[counted])
            counted += 1
    assert state.remaining == 0


@pytest.mark.parametrize("fields", [{"reset": "block"}, {"perTestbed": 1}], ids=str)
def test_a_condition_that_is_done_has_no_block_for_one_that_breaks_later(
    fields: dict[str, object],
) -> None:
    blocks = {"min": 6, "max": 30, "maxReplacements": 3, "perTestbed": fields.get("perTestbed", 0)}
    precision = {"targetHalfWidth": 0.05}
    spec = campaign(blocks=blocks, precision=precision, reset=fields.get("reset", "none"))
    cell = only_cell(spec, concurrency=[1, 8])
    goals = dict(zip(cell.conditions, (6, 20), strict=True))
    breaks = {(8, 2), (8, 15), (8, 17)}

    def end(planned: PlannedTrial) -> Outcome:
        place = (planned.condition.concurrency, planned.block)
        return "Failed" if place in breaks and planned.order == 1 else "Succeeded"

    past = run_to_the_end(spec, cell, end, goals)
    state = plan.next_trial(spec, cell, past, goals)
    assert (state.exhausted, state.remaining) == ((), 0)
    assert valid_blocks(cell, past) == [6, 20]


@pytest.mark.parametrize("fields", CASES.values(), ids=CASES)
@pytest.mark.parametrize("seed", range(8))
def test_whatever_breaks_each_condition_has_its_blocks_and_no_more(
    fields: dict[str, object], seed: int
) -> None:
    spec = campaign(**{"blocks": {"min": 6, "maxReplacements": 9}, **fields})
    cell = only_cell(spec, concurrency=[1, 4, 8])
    past = run_to_the_end(spec, cell, by_chance(seed))
    assert plan.next_trial(spec, cell, past).exhausted == ()
    solo = spec.blocks.solo if spec.blocks.interleave is not None else 0
    assert valid_blocks(cell, past) == [spec.blocks.min + solo] * 3


def valid_blocks(cell: Cell, past: list[Past]) -> list[int]:
    """How many blocks of each condition are whole and valid."""
    ends = defaultdict(list)
    for one in past:
        ends[one.condition, one.block].append(one.outcome)
    whole = ["Succeeded"] * len(cell.arms)
    return [
        sum(found == whole for (condition, _), found in ends.items() if condition == own)
        for own in cell.conditions
    ]
