"""The plan is a pure function: what comes next, in what order, and when it gives up."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from encbench.api.campaign import CampaignSpec, LostSet
from encbench.api.testbed import Arm
from encbench.api.trial import Outcome
from encbench.core import plan
from encbench.core.dataset import dataset_key
from encbench.core.plan import Cell, LoadLevel, Past, PlannedTrial
from tests.unit.core.plans import campaign, only_cell, played, run_to_the_end, succeeds, workload


def test_the_baseline_is_measured_a_second_time_on_a_testbed_of_its_own() -> None:
    cell = only_cell(campaign())
    assert [(arm.name, arm.role, arm.mode_ref) for arm in cell.arms] == [
        ("plain", "baseline", "plain"),
        ("plain-control", "control", "plain"),
        ("tde", "treatment", "tde"),
    ]


def test_every_block_has_one_trial_of_each_arm() -> None:
    spec = campaign()
    past = run_to_the_end(spec, only_cell(spec))
    counts = Counter((attempt.block, attempt.arm) for attempt in past)
    arms = ("plain", "plain-control", "tde")
    assert counts == {(block, arm): 1 for block in (1, 2, 3) for arm in arms}


def test_a_block_is_finished_before_the_next_begins() -> None:
    spec = campaign()
    blocks = [attempt.block for attempt in run_to_the_end(spec, only_cell(spec))]
    assert blocks == sorted(blocks)


def test_the_seed_decides_the_order_and_nothing_else_does() -> None:
    def order(seed: int) -> list[str]:
        spec = campaign(seed=seed, blocks={"min": 20})
        return [attempt.arm for attempt in run_to_the_end(spec, only_cell(spec))]

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_the_order_differs_between_blocks() -> None:
    spec = campaign(blocks={"min": 30})
    cell = only_cell(spec)
    orders = {
        tuple(arm.name for arm in plan.block_order(1, cell, cell.conditions[0], block))
        for block in range(1, 31)
    }
    assert len(orders) == 6, "all six orders of three arms turn up in thirty blocks"


def test_the_order_in_which_testbeds_are_built_is_drawn_for_each_set() -> None:
    cell = only_cell(campaign())
    orders = [plan.building_order(1, cell, generation) for generation in range(1, 31)]
    assert len(set(orders)) == 6, "all six orders of three arms turn up in thirty sets"
    assert orders == [plan.building_order(1, cell, generation) for generation in range(1, 31)]
    assert len({plan.building_order(seed, cell, 1) for seed in range(30)}) == 6
    other = replace(cell, name="c7654321")
    assert orders != [plan.building_order(1, other, generation) for generation in range(1, 31)]


def test_arms_of_a_block_share_the_tools_seed_and_blocks_do_not() -> None:
    spec = campaign()
    cell = only_cell(spec)
    condition = cell.conditions[0]
    seeds = [plan.tool_seed(spec.seed, cell, condition, block) for block in (1, 2, 3)]
    own = {plan.own_seed(seed, arm) for seed in seeds for arm in cell.arms}
    assert len(own | set(seeds)) == len(seeds) * (1 + len(cell.arms))
    assert len(set(seeds)) == 3
    past: list[Past] = []
    first = plan.next_trial(spec, cell, past).next_trial
    assert first is not None
    past.append(Past(cell.name, condition, 1, first.arm.name, "Succeeded"))
    second = plan.next_trial(spec, cell, past).next_trial
    assert second is not None
    assert first.seed == second.seed == seeds[0]


def test_conditions_have_orders_and_seeds_of_their_own() -> None:
    spec = in_turns(min=20)
    cell = only_cell(spec, concurrency=[1, 8])
    for drawn in (plan.block_order, plan.tool_seed, plan.seats):
        one, other = (
            [drawn(spec.seed, cell, condition, block) for block in range(1, 21)]
            for condition in cell.conditions
        )
        assert one != other
    turns = {(one.condition, one.block): one.turns_seed for _, one in played(spec, cell)}
    assert len(set(turns.values())) == 2 * 20


def test_a_cell_s_most_clients_are_those_of_any_condition() -> None:
    assert only_cell(campaign(), concurrency=[4, 64, 16]).max_concurrency == 64


def test_an_invalid_trial_ends_its_block_and_a_fresh_one_replaces_it() -> None:
    spec = campaign()
    cell = only_cell(spec)

    def outcome(planned: PlannedTrial) -> Outcome:
        return "Invalid" if (planned.block, planned.order) == (2, 2) else "Succeeded"

    past = run_to_the_end(spec, cell, outcome)
    by_block = Counter(attempt.block for attempt in past)
    assert by_block == {1: 3, 2: 2, 3: 3, 4: 3}, "the broken block is not finished"


def test_replacements_are_capped() -> None:
    spec = campaign()
    cell = only_cell(spec)
    past = run_to_the_end(spec, cell, lambda planned: "Failed")
    state = plan.next_trial(spec, cell, past)
    assert len(past) == 3, "the first block and two replacements"
    assert state.exhausted == cell.conditions
    assert state.remaining == 0


def test_a_restarted_operator_goes_on_where_the_other_stopped() -> None:
    spec = campaign()
    cell = only_cell(spec)
    whole = run_to_the_end(spec, cell)
    for done in range(len(whole)):
        planned = plan.next_trial(spec, cell, reversed(whole[:done])).next_trial
        assert planned is not None
        assert (planned.block, planned.arm.name) == (whole[done].block, whole[done].arm)


def test_remaining_counts_down_to_nothing() -> None:
    spec = campaign()
    cell = only_cell(spec)
    whole = run_to_the_end(spec, cell)
    left = [plan.next_trial(spec, cell, whole[:done]).remaining for done in range(len(whole) + 1)]
    assert left == list(range(9, -1, -1))


def lasts(
    spec: CampaignSpec,
    cell: Cell,
    outcome: Callable[[PlannedTrial], Outcome] = succeeds,
    goals: Mapping[LoadLevel, int] | None = None,
) -> set[tuple[int, int]]:
    """Concurrency and block of the trials after which nothing more was planned."""
    found = [planned for _, planned in played(spec, cell, outcome, goals)]
    marked = {(one.condition.concurrency, one.block) for one in found if one.last}
    for one in found:
        # All arms of a block, so that every database is among them.
        assert one.last == ((one.condition.concurrency, one.block) in marked)
    return marked


def test_the_last_block_of_a_cell_is_known_as_such() -> None:
    spec = campaign()
    assert lasts(spec, only_cell(spec)) == {(4, 3)}
    assert lasts(spec, only_cell(spec, concurrency=[4, 8])) == {(8, 3)}


@pytest.mark.parametrize(
    ("blocks", "marked"),
    [
        ({"min": 4, "perTestbed": 1}, {(8, 1), (8, 2), (8, 3), (8, 4)}),
        ({"min": 9, "perTestbed": 2}, {(8, 2), (8, 4), (8, 6), (8, 8), (8, 9)}),
        (
            {"min": 8, "perTestbed": 2, "interleave": {"slice": "3s"}, "solo": 3},
            {(8, 2), (8, 4), (8, 6), (8, 8), (8, 1002), (8, 1003)},
        ),
    ],
)
def test_the_last_block_of_each_set_of_testbeds_is_known_as_such(
    blocks: dict[str, Any], marked: set[tuple[int, int]]
) -> None:
    """Each set has databases of its own."""
    spec = campaign(blocks=blocks)
    assert lasts(spec, only_cell(spec, concurrency=[4, 8])) == marked


def test_what_replaces_the_last_block_is_the_last_one() -> None:
    spec = campaign()

    def fails(planned: PlannedTrial) -> Outcome:
        return "Invalid" if (planned.block, planned.order) == (3, 3) else "Succeeded"

    assert lasts(spec, only_cell(spec), fails) == {(4, 3), (4, 4)}


def test_the_end_of_a_pilot_may_be_the_end() -> None:
    spec = campaign(precision={"targetHalfWidth": 0.02}, blocks={"min": 4})
    cell = only_cell(spec)
    assert lasts(spec, cell) == {(4, 4)}
    assert lasts(spec, cell, goals={cell.conditions[0]: 6}) == {(4, 6)}


def test_conditions_take_turns_within_a_block() -> None:
    spec = campaign(blocks={"min": 2})
    cell = only_cell(spec, concurrency=[1, 8])
    past = run_to_the_end(spec, cell)
    turns = list(dict.fromkeys((attempt.block, attempt.condition.concurrency) for attempt in past))
    assert turns == [(1, 1), (1, 8), (2, 1), (2, 8)]


def test_workloads_with_the_same_tables_share_a_cell() -> None:
    spec = campaign(
        matrix=[
            {"instanceRefs": ["small"], "modeRefs": ["tde"], "workloadRefs": ["rw", "ro", "other"]}
        ]
    )
    read_only = workload().model_copy(
        update={
            "sysbench": workload().sysbench_test.model_copy(update={"script": "oltp_read_only"})
        }
    )
    other = workload().model_copy(
        update={"sysbench": workload().sysbench_test.model_copy(update={"tables": 9})}
    )
    cells = plan.cells(spec, {"rw": workload(), "ro": read_only, "other": other})
    assert [[c.workload_ref for c in cell.conditions] for cell in cells] == [
        ["rw", "ro"],
        ["other"],
    ]
    assert len({cell.name for cell in cells}) == 2


def test_options_of_the_run_alone_do_not_ask_for_tables_of_their_own() -> None:
    def key(**options: str) -> str:
        sysbench = workload().sysbench_test.model_copy(update={"options": options})
        return dataset_key(workload().model_copy(update={"sysbench": sysbench}))

    assert key(**{"range-size": "10"}) == key()
    assert key(**{"create-secondary": "off"}) != key()


def test_trials_of_other_cells_are_left_out() -> None:
    spec = campaign()
    cell = only_cell(spec)
    foreign = Past("another", LoadLevel("rw", 4), 1, "plain", "Failed")
    assert plan.next_trial(spec, cell, [foreign]).remaining == 9


# -- turns on testbeds, and testbeds built anew


def test_baseline_and_control_take_turns_on_their_testbeds() -> None:
    spec = campaign(blocks={"min": 40})
    past = played(spec, only_cell(spec))
    seats = {(planned.block, planned.arm.name): planned.seat.name for _, planned in past}
    for block in range(1, 41):
        pair = {seats[block, "plain"], seats[block, "plain-control"]}
        assert pair == {"plain", "plain-control"}, "each on one of the two"
        assert seats[block, "tde"] == "tde", "nobody else can be there"
    swapped = [seats[block, "plain"] == "plain-control" for block in range(1, 41)]
    pairs = list(zip(swapped[::2], swapped[1::2], strict=True))
    assert all(one != other for one, other in pairs), "once each in every pair of blocks"
    assert {one for one, _ in pairs} == {True, False}, "a coin says who begins"


def test_the_seed_decides_who_sits_where() -> None:
    def seats(seed: int) -> list[str]:
        spec = campaign(seed=seed, blocks={"min": 40})
        return [planned.seat.name for _, planned in played(spec, only_cell(spec))]

    assert seats(1) == seats(1)
    assert seats(1) != seats(2)


def test_one_set_of_testbeds_serves_all_blocks_unless_asked_otherwise() -> None:
    spec = campaign(blocks={"min": 40})
    assert {planned.generation for _, planned in played(spec, only_cell(spec))} == {1}
    assert plan.unit(spec.blocks, 7) == 7


def test_testbeds_are_built_anew_every_few_blocks() -> None:
    spec = campaign(blocks={"min": 9, "perTestbed": 2})
    cell = only_cell(spec, concurrency=[1, 8])

    def outcome(planned: PlannedTrial) -> Outcome:
        broken = (planned.block, planned.condition.concurrency) in {(2, 8), (5, 1)}
        return "Invalid" if broken and planned.order == 3 else "Succeeded"

    past = played(spec, cell, outcome)
    sets = [planned.generation for _, planned in past]
    assert sets == sorted(sets), "an earlier set is never needed again"
    by_block = {planned.block: planned.generation for _, planned in past}
    assert by_block == {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4, 9: 5, 10: 5}
    assert plan.unit(spec.blocks, 4) == plan.unit(spec.blocks, 3) == 2


def test_a_block_whose_set_is_gone_is_not_completed_on_another_one() -> None:
    """As when a Trial of an early block was deleted."""
    spec = campaign(blocks={"min": 9, "perTestbed": 2})
    cell = only_cell(spec)
    past = run_to_the_end(spec, cell)
    begun, deleted = past[: 4 * 3 + 1], past[1]
    assert begun[-1].block == 5
    state = plan.next_trial(spec, cell, [one for one in begun if one != deleted])
    assert state.next_trial is not None
    assert (state.next_trial.block, state.next_trial.generation) == (5, 3), "it goes on"
    assert state.remaining == 2 + 4 * 3 + 3, "another block replaces the first one"
    again = plan.next_trial(spec, cell, [one for one in begun if one != begun[-2]])
    assert again.next_trial is not None
    assert again.next_trial.block == 5
    here = plan.next_trial(spec, cell, [one for one in past[:5] if one != deleted])
    assert here.next_trial is not None
    assert (here.next_trial.block, here.next_trial.generation) == (1, 1), "its set is there"
    alone = campaign(blocks={"min": 9})
    same = plan.next_trial(alone, cell, [one for one in begun if one != deleted])
    assert same.next_trial is not None
    assert same.next_trial.block == 1, "one set serves all blocks"


def test_a_set_is_gone_for_every_condition_of_its_cell() -> None:
    spec = campaign(blocks={"min": 9, "perTestbed": 2})
    cell = only_cell(spec, concurrency=[1, 8])
    past = run_to_the_end(spec, cell)
    first = next(place for place, one in enumerate(past) if one.block == 5)
    begun, last = past[: first + 1], past[first - 1]
    assert (last.block, last.condition) != (4, begun[-1].condition)
    state = plan.next_trial(spec, cell, [one for one in begun if one != last])
    assert state.next_trial is not None
    assert (state.next_trial.block, state.next_trial.generation) == (5, 3), "it goes on"


def lost_set(cell: Cell, level: LoadLevel | None = None, block: int | None = None) -> LostSet:
    return LostSet(
        cell=cell.name,
        generation=1,
        workload=level.workload_ref if level else None,
        concurrency=level.concurrency if level else None,
        block=block,
        message="its node does not answer",
        time="2030-01-01T00:00:00Z",
    )


def test_after_a_loss_an_unfinished_block_is_replaced_on_another_set() -> None:
    spec = campaign(blocks={"min": 3})
    cell = only_cell(spec, concurrency=[1, 8])
    begun = run_to_the_end(spec, cell)[:4]
    assert [one.condition.concurrency for one in begun] == [1, 1, 1, 8]
    usual = plan.next_trial(spec, cell, begun)
    assert usual.next_trial is not None
    assert (usual.next_trial.block, usual.next_trial.generation) == (1, 1)

    lost = [lost_set(cell, usual.next_trial.condition, block=1)]
    state = plan.next_trial(spec, cell, begun, lost=lost)
    planned = state.next_trial
    assert planned is not None
    assert (planned.block, planned.condition.concurrency, planned.generation) == (2, 1, 2)
    assert state.remaining == usual.remaining + 1, "one of its trials had been run"
    history = plan.Attempts(spec.blocks, [cell])
    for one in begun:
        history.add(one)
    assert plan.next_trial(spec, cell, [], history=history, lost=lost) == state
    assert plan.next_trial(spec, cell, [], history=history) == usual, "it is as it was"


def test_a_loss_between_blocks_costs_none_and_one_in_another_cell_nothing() -> None:
    spec = campaign(blocks={"min": 3})
    cell = only_cell(spec)
    first = run_to_the_end(spec, cell)[:3]
    state = plan.next_trial(spec, cell, first, lost=[lost_set(cell)])
    assert state.next_trial is not None
    assert (state.next_trial.block, state.next_trial.generation) == (2, 2)
    assert state.remaining == 6
    elsewhere = lost_set(replace(cell, name="c0000000"), cell.conditions[0], block=2)
    usual = plan.next_trial(spec, cell, first)
    assert plan.next_trial(spec, cell, first, lost=[elsewhere]) == usual


def test_blocks_that_were_lost_count_as_replaced() -> None:
    spec = campaign(blocks={"min": 3, "maxReplacements": 1})
    cell = only_cell(spec)
    lost = [lost_set(cell, cell.conditions[0], block) for block in (1, 2)]
    assert plan.next_trial(spec, cell, [], lost=lost[:1]).exhausted == ()
    assert plan.next_trial(spec, cell, [], lost=lost).exhausted == cell.conditions


def test_sets_that_were_lost_come_before_those_of_later_blocks() -> None:
    spec = campaign(blocks={"min": 9, "perTestbed": 2})
    cell = only_cell(spec)
    found = run_to_the_end(spec, cell)[:6]
    lost = [lost_set(cell, cell.conditions[0], block=2)]
    assert {one.block for one in found} == {1, 2}
    sets = []
    while (one := plan.next_trial(spec, cell, found, lost=lost).next_trial) is not None:
        sets.append(one.generation)
        found.append(Past(cell.name, one.condition, one.block, one.arm.name, "Succeeded"))
    assert sets == sorted(sets)
    assert sets[0] == 3, "set 1 was lost, so the next two blocks have set 3"


# -- a pilot


PRECISE: dict[str, object] = {
    "blocks": {"min": 4, "max": 9, "maxReplacements": 2},
    "precision": {"targetHalfWidth": 0.02},
}


def test_nothing_is_planned_beyond_a_pilot() -> None:
    spec = campaign(**PRECISE)
    cell = only_cell(spec)
    past = run_to_the_end(spec, cell)
    assert Counter(attempt.block for attempt in past) == {1: 3, 2: 3, 3: 3, 4: 3}
    state = plan.next_trial(spec, cell, past)
    assert (state.next_trial, state.remaining, state.exhausted) == (None, 0, ())


def test_after_the_pilot_the_goal_is_measured_and_its_order_is_that_of_a_plan_without() -> None:
    spec = campaign(**PRECISE)
    cell = only_cell(spec)
    goals = {cell.conditions[0]: 7}
    past = run_to_the_end(spec, cell, goals=goals)
    fixed = campaign(blocks={"min": 7, "maxReplacements": 2})
    assert past == run_to_the_end(fixed, cell)
    assert plan.next_trial(spec, cell, past[:-1], goals).remaining == 1


def test_a_condition_with_its_blocks_stops_while_others_go_on() -> None:
    spec = campaign(**PRECISE)
    cell = only_cell(spec, concurrency=[1, 8])
    low, high = cell.conditions
    past = run_to_the_end(spec, cell, goals={low: 4, high: 6})
    last = [attempt.condition.concurrency for attempt in past if attempt.block > 4]
    assert last == [8] * 6


def test_the_sets_to_come_are_those_of_the_condition_with_the_most_blocks() -> None:
    spec = campaign(blocks={"min": 4, "max": 40, "perTestbed": 1}, precision=PRECISE["precision"])
    cell = only_cell(spec, concurrency=[1, 8])
    low, high = cell.conditions
    assert plan.next_trial(spec, cell, []).sets == {1, 2, 3, 4}, "the pilot's"
    goals = {low: 4, high: 7}
    past = run_to_the_end(spec, cell, goals=goals)
    begun = [attempt for attempt in past if attempt.block <= 4]
    assert plan.next_trial(spec, cell, begun, goals).sets == {5, 6, 7}
    assert plan.next_trial(spec, cell, past[:-1], goals).sets == {7}
    assert plan.next_trial(spec, cell, past, goals).sets == frozenset()


def test_data_are_to_be_restored_for_the_first_condition_of_each_number() -> None:
    spec = campaign(reset="block", **PRECISE)
    cell = only_cell(spec, concurrency=[1, 8])
    low, high = cell.conditions
    goals = {low: 4, high: 6}
    past = run_to_the_end(spec, cell, goals=goals)
    openers = {attempt.block: attempt.condition for attempt in reversed(past)}
    opens = [openers[attempt.block] == attempt.condition for attempt in past]
    left = [
        plan.next_trial(spec, cell, past[:done], goals).usual.restored
        for done in range(len(past) + 1)
    ]
    assert left == [sum(opens[done:]) for done in range(len(past) + 1)]
    assert plan.next_trial(campaign(**PRECISE), cell, [], goals).usual.restored == 0


def test_solo_blocks_have_sets_to_come() -> None:
    blocks = {"min": 4, "perTestbed": 1, "solo": 2, "interleave": {}}
    spec = campaign(blocks=blocks)
    cell = only_cell(spec)
    assert plan.next_trial(spec, cell, []).sets == {1, 2, 3, 4, 1001, 1002}


def test_others_wait_for_a_pilot_whose_last_trial_is_under_way() -> None:
    spec = campaign(**PRECISE)
    cell = only_cell(spec, concurrency=[1, 8])
    low, high = cell.conditions
    whole = run_to_the_end(spec, cell, goals={low: 6, high: 6})
    pilot = [attempt for attempt in whole if attempt.block <= 4]
    under_way = [*pilot[:-1], replace(pilot[-1], outcome=None)]
    first = plan.next_trial(spec, cell, under_way, {low: 6}).next_trial
    assert first is not None, "block 5 of the first comes before block 5 of the second anyway"
    assert (first.block, first.condition) == (5, low)
    started = [*under_way, *(a for a in whole if a.block == 5 and a.condition == low)]
    assert plan.next_trial(spec, cell, started, {low: 6}).next_trial is None, "not block 6 yet"


def test_a_broken_block_of_a_pilot_is_replaced_before_it_is_over() -> None:
    spec = campaign(**PRECISE)
    cell = only_cell(spec)
    past = run_to_the_end(spec, cell, lambda p: "Invalid" if p.block == 2 else "Succeeded")
    assert Counter(attempt.block for attempt in past) == {1: 3, 2: 1, 3: 3, 4: 3, 5: 3}


def test_of_all_conditions_only_the_first_open_block_is_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = campaign(blocks={"min": 1000})
    cell = only_cell(spec, concurrency=[1, 2])
    ordered = []

    def order(*place: Any) -> Any:
        ordered.append(place[2:])
        return usual(*place)

    usual = plan.block_order
    monkeypatch.setattr(plan, "block_order", order)
    state = plan.next_trial(spec, cell, [])
    assert state.remaining == 2 * 1000 * 3
    assert ordered == [(cell.conditions[0], 1)]


def every_first_block(
    spec: CampaignSpec,
    cell: Cell,
    past: list[Past],
    goals: Mapping[LoadLevel, int],
    lost: list[LostSet],
) -> list[PlannedTrial]:
    """What is missing of the first open block, by planning that of each condition and each arm."""
    known = plan.Attempts(spec.blocks, [cell]).with_attempts(cell, past)
    for one in lost:
        known.give_up(one)
    blocks: list[tuple[int, int, list[PlannedTrial]]] = []
    for place, condition in enumerate(cell.conditions):
        usual, solo = known.runs(cell, condition)
        if len(usual.broken) + len(solo.broken) > spec.blocks.max_replacements:
            continue
        goal = goals.get(condition) if spec.precision else spec.blocks.min
        last = (goal or spec.blocks.min) + len(usual.broken)
        ends = [(usual, last)]
        if spec.blocks.solo:
            ends.append((solo, plan.SOLO + spec.blocks.solo + len(solo.broken)))
        block = next((block for run, end in ends if (block := run.first_open(end))), None)
        if block is not None:
            order = enumerate(plan.block_order(spec.seed, cell, condition, block), 1)
            trials = [planned_alone(spec, cell, condition, block, *one, len(lost)) for one in order]
            begun = {p.arm for p in past if (p.condition, p.block) == (condition, block)}
            blocks.append((block, place, [one for one in trials if one.arm.name not in begun]))
        if goal is None:
            blocks.append((last + 1, place, []))
    return min(blocks, key=lambda one: one[:2], default=(0, 0, []))[2]


def planned_alone(
    spec: CampaignSpec, cell: Cell, condition: LoadLevel, block: int, n: int, arm: Arm, lost: int
) -> PlannedTrial:
    return PlannedTrial(
        cell=cell.name,
        condition=condition,
        block=block,
        order=n,
        arm=arm,
        seed=plan.tool_seed(spec.seed, cell, condition, block),
        seat=plan.seats(spec.seed, cell, condition, block)[arm.name],
        generation=plan.generation(spec.blocks, block) + lost,
        turns_seed=plan._turns_seed(spec, cell, condition, block),
    )


ENDS: tuple[Outcome | None, ...] = ("Succeeded", "Invalid", "Failed", None)
BLOCKS_OF_ALL_KINDS: list[dict[str, Any]] = [
    {"blocks": {"min": 8, "maxReplacements": 2, "perTestbed": 2}},
    {"blocks": {"min": 2, "maxReplacements": 2, "interleave": {}, "solo": 2}},
    {"blocks": {"min": 4, "max": 8, "maxReplacements": 3}, "precision": {"targetHalfWidth": 0.01}},
]


@pytest.mark.parametrize("number", range(60))
def test_what_is_missing_is_that_of_the_first_open_block_of_all(number: int) -> None:
    draw = Random(number)
    spec = campaign(seed=number + 1, **BLOCKS_OF_ALL_KINDS[number % 3])
    cell = only_cell(spec, concurrency=[1, 2, 4, 8][: draw.randint(1, 4)])
    goals: dict[LoadLevel, int] = {}
    lost: list[LostSet] = []
    past: list[Past] = []
    while True:
        state = plan.next_trial(spec, cell, past, goals, lost=lost)
        missing = every_first_block(spec, cell, past, goals, lost)
        together = [replace(one, last=False) for one in state.together]
        assert together == (
            missing if missing and missing[0].turns_seed is not None else missing[:1]
        )
        if not missing:
            if not spec.precision or len(goals) == len(cell.conditions):
                return
            goals |= {one: draw.randint(4, 8) for one in cell.conditions}
            continue
        done, end = missing[0], draw.choices(ENDS, weights=(8, 1, 1, 2))[0]
        past.append(Past(cell.name, done.condition, done.block, done.arm.name, end))
        if len(lost) < 2 and draw.random() < 0.05:
            lost.append(lost_set(cell, done.condition, done.block))


def in_turns(**blocks: object) -> CampaignSpec:
    return campaign(blocks={"min": 2, "maxReplacements": 1, "interleave": {}, **blocks})


def test_an_interleaved_block_is_planned_as_a_whole() -> None:
    spec = in_turns()
    cell = only_cell(spec)
    state = plan.next_trial(spec, cell, [])
    assert [planned.order for planned in state.together] == [1, 2, 3]
    assert {planned.arm.name for planned in state.together} == {arm.name for arm in cell.arms}
    assert len({planned.turns_seed for planned in state.together}) == 1
    one = Past(cell.name, cell.conditions[0], 1, state.together[1].arm.name, None)
    left = plan.next_trial(spec, cell, [one]).together
    assert [planned.order for planned in left] == [1, 3], "an operator ended in between"
    sequential = plan.next_trial(campaign(), cell, [])
    assert [planned.turns_seed for planned in sequential.together] == [None]


def test_blocks_take_turns_in_orders_of_their_own() -> None:
    spec = in_turns(min=4)
    cell = only_cell(spec)
    seeds = {planned.block: planned.turns_seed for _, planned in played(spec, cell)}
    assert sorted(seeds) == [1, 2, 3, 4]
    assert len(set(seeds.values())) == 4


def test_solo_blocks_are_sequential_and_come_last() -> None:
    spec = in_turns(solo=2)
    cell = only_cell(spec)
    runs = [(planned.block, planned.turns_seed is None) for _, planned in played(spec, cell)]
    whole = [(block, block > plan.SOLO) for block in (1, 2, 1001, 1002) for _ in cell.arms]
    assert runs == whole


def test_a_broken_block_is_replaced_by_one_of_its_own_kind() -> None:
    for broken, instead in ((1, 3), (1001, 1002)):
        spec = in_turns(solo=1)

        def outcome(planned: PlannedTrial, broken: int = broken) -> Outcome:
            return "Invalid" if planned.block == broken else "Succeeded"

        past = run_to_the_end(spec, only_cell(spec), outcome)
        assert sorted({p.block for p in past}) == sorted({1, 2, 1001, instead})


def test_a_solo_block_that_a_lost_set_left_is_replaced_by_a_solo_one() -> None:
    spec = in_turns(solo=2)
    cell = only_cell(spec)
    begun = [one for one in run_to_the_end(spec, cell) if one.block <= 1001][:-1]
    lost = [lost_set(cell, cell.conditions[0], block=1001)]
    state = plan.next_trial(spec, cell, begun, lost=lost)
    assert state.next_trial is not None
    assert (state.next_trial.block, state.next_trial.generation) == (1002, 2)
    assert (state.usual.count, state.solo.count) == (0, 2 * 3)
