"""When a campaign is expected to end, over the course of its trials."""

from dataclasses import replace
from datetime import timedelta

import pytest

from encbench.api.campaign import LostSet
from encbench.api.conditions import parse_time
from encbench.api.kinds import TRIAL
from encbench.core import plan
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.decision import CampaignDecision
from encbench.reconcile.campaign.facts import CampaignFound, CampaignSeen
from encbench.reconcile.campaign.ledger import Ledger
from encbench.tools.turns import load_seconds
from tests.support import manifests
from tests.unit.reconcile.campaigns import (
    TURNS,
    a_campaign,
    began,
    resolved_of,
    saw,
    the_cell,
    the_testbeds,
    the_trials,
    with_workloads,
)
from tests.unit.reconcile.seen import NOW, ago

LOAD, DEAD = 90.0, 5.0
"""Seconds of the usual trial's load, and what is assumed between two."""


def left(decision: CampaignDecision) -> float:
    """Seconds until the end that it shows."""
    end = decision.status.estimated_completion_time
    assert end is not None
    return (parse_time(end) - NOW).total_seconds()


@pytest.mark.parametrize("ago_released", [1.0, 80.0])
def test_a_trial_whose_clients_wait_at_the_barrier_is_still_to_come(ago_released: float) -> None:
    """Its startTime lies within the warm-up of the trial before it."""
    of = a_campaign(blocks={"min": 1})
    first = ago_released + LOAD + DEAD
    trials = the_trials(of, "Succeeded", None, None)
    *measured, last = trials
    released = began({name: trials[name] for name in measured}, [first, ago_released])
    seen = saw(of, trials={**released, last: trials[last]})
    assert left(decide(of, seen)) == pytest.approx(2 * (LOAD + DEAD) - ago_released, abs=1)


def test_the_last_trial_has_its_time() -> None:
    of = a_campaign(blocks={"min": 1})
    trials = began(the_trials(of, "Succeeded", "Succeeded", None), [191.0, 96.0, 1.0])
    assert left(decide(of, saw(of, trials=trials))) == pytest.approx(LOAD + DEAD, abs=DEAD + 1)


@pytest.mark.parametrize("released", [1, 2, 3])
def test_a_block_begins_once_though_its_trials_write_so_one_by_one(released: int) -> None:
    of = a_campaign(blocks={"min": 2, "interleave": TURNS})
    trials = the_trials(of, *["Succeeded"] * 3, *[None] * 3)
    names = [*trials]
    block = load_seconds(trials[names[3]].spec)
    known = {name: trials[name] for name in names[: 3 + released]}
    trials |= began(known, [block + DEAD] * 3 + [0.0] * released)
    assert left(decide(of, saw(of, trials=trials))) == pytest.approx(block + DEAD, abs=1)


USUAL_LOAD = manifests.SPECS[TRIAL]["workload"]["load"]
LONG = {"load": {**USUAL_LOAD, "duration": "30m"}}


def test_each_workload_takes_its_own_time() -> None:
    """Of two blocks with 3 trials of 90 s and 3 of 30.5 minutes each."""
    of = with_workloads(oltp={}, long=LONG)
    whole = 6 * (LOAD + DEAD) + 6 * (30 + 1800 + DEAD)
    assert left(decide(of, saw(of))) == pytest.approx(whole, abs=1)
    first = began(the_trials(of, *["Succeeded"] * 3), [3 * 97.0, 2 * 97.0, 97.0])
    whole += 12 * 2.0 - 3 * (LOAD + DEAD + 2)
    shown = left(decide(of, saw(of, trials=first)))
    assert shown == pytest.approx(whole, abs=5), "7 s lie between two of them"


RESTORE = 1200.0


@pytest.mark.parametrize("conditions", [1, 3])
def test_data_are_restored_once_for_each_block_number(conditions: int) -> None:
    """Each arm restores its database for the first condition of the number, and for no other."""
    names = [f"oltp-{number}" for number in range(conditions)]
    of = with_workloads(reset="block", **{name: {} for name in names})
    took = ([RESTORE] * 3 + [0.0] * 3 * (conditions - 1)) * 2
    ends = [sum(LOAD + DEAD + one for one in took[place + 1 :]) for place in range(len(took))]
    done = 3 * conditions + 1
    trials = began(
        the_trials(of, *["Succeeded"] * done), [one - ends[done - 1] for one in ends[:done]]
    )
    whole = ends[done - 1] + LOAD + DEAD
    assert left(decide(of, saw(of, trials=trials))) == pytest.approx(whole, abs=1)
    # While the next arm restores the end stays.
    until = NOW + timedelta(seconds=ends[done - 1] - ends[done] - 10)
    later = replace(saw(of, trials=trials), now=until)
    assert left(decide(of, later)) == pytest.approx(whole, abs=1)


@pytest.mark.parametrize("done", [11, 12])
def test_a_late_trial_that_no_restore_follows_does_not_bring_the_end_nearer(done: int) -> None:
    """The last of 12 may wait for a node, or its records be collected."""
    of = with_workloads(reset="block", **{"oltp": {}, "other": {}})
    took = ([RESTORE] * 3 + [0.0] * 3) * 2
    late = LOAD + DEAD + 60
    ago_released = [
        late + sum(LOAD + DEAD + one for one in took[place + 1 : done]) for place in range(done)
    ]
    trials = began(the_trials(of, *["Succeeded"] * (done - 1), None), ago_released)
    shown = left(decide(of, saw(of, trials=trials)))
    assert shown == pytest.approx((12 - done) * (LOAD + DEAD), abs=1)


SET = 3600.0
"""Seconds that a cell's testbeds take."""


@pytest.mark.parametrize("retired", [0, 6])
def test_testbeds_of_a_cell_that_is_done_tell_what_the_next_ones_take(retired: int) -> None:
    """They are gone, and the time until the first trial stands for them."""
    usual = manifests.SPECS[TRIAL]["workload"]
    other = {"sysbench": {**usual["sysbench"], "tables": 77}}
    alone, of = with_workloads(oltp={}), with_workloads(oltp={}, other=other)
    done = [(5 - place) * (LOAD + DEAD) for place in range(6)]
    trials = began(the_trials(alone, *["Succeeded"] * 6), [LOAD + DEAD + one for one in done])
    ledger = Ledger()
    ledger.begin(plan.Attempts(of.spec.blocks, plan.cells(of.spec, resolved_of(of).workloads)))
    for name in [*trials][:retired]:
        ledger.add(trials.pop(name))
    start = ago(SET + 6 * (LOAD + DEAD))
    of = replace(of, status=of.status.model_copy(update={"start_time": start}))
    between = CampaignSeen(NOW, None, {}, trials, CampaignFound(ledger))
    assert left(decide(of, between)) == pytest.approx(SET + 6 * (LOAD + DEAD), abs=1)


@pytest.mark.parametrize("resumed", [6 * (LOAD + DEAD) + 100, 10.0])
def test_a_suspension_counts_as_building_neither_before_nor_after_the_first_trial(
    resumed: float,
) -> None:
    usual = manifests.SPECS[TRIAL]["workload"]
    other = {"sysbench": {**usual["sysbench"], "tables": 77}}
    alone, of = with_workloads(oltp={}), with_workloads(oltp={}, other=other)
    held, is_late = 3000, resumed == 10
    done = [(6 - place) * (LOAD + DEAD) + held * is_late for place in range(6)]
    trials = began(the_trials(alone, *["Succeeded"] * 6), done)
    start = ago(SET + done[0] + held * (not is_late))
    facts = a_campaign({"Accepted": ("True", 9999.0), "Suspended": ("False", resumed)}).status
    known = {"start_time": start, "suspended_seconds": held, "conditions": facts.conditions}
    of = replace(of, status=of.status.model_copy(update=known))
    shown = left(decide(of, CampaignSeen(NOW, None, {}, trials)))
    assert shown == pytest.approx(SET + 6 * (LOAD + DEAD), abs=1)


def test_the_restore_on_new_testbeds_is_none_of_their_time() -> None:
    """It is counted with those of the other block numbers, once for each arm."""
    usual = manifests.SPECS[TRIAL]["workload"]
    other = {"sysbench": {**usual["sysbench"], "tables": 77}}
    of = with_workloads(reset="block", oltp={}, other=other)
    alone, each = with_workloads(reset="block", oltp={}), RESTORE + LOAD + DEAD
    done = [(5 - place) * each + LOAD + DEAD for place in range(6)]
    trials = began(the_trials(alone, *["Succeeded"] * 6), done)
    start = ago(SET + RESTORE + done[0])
    of = replace(of, status=of.status.model_copy(update={"start_time": start}))
    assert left(decide(of, CampaignSeen(NOW, None, {}, trials))) == pytest.approx(
        SET + 6 * each, abs=1
    )


def test_sets_between_two_blocks_do_not_take_the_time_of_their_restore() -> None:
    """With 8 blocks on sets of 2 the third one's first arm has just ended."""
    of = with_workloads(reset="block", oltp={})
    blocks = of.spec.blocks.model_copy(update={"min": 8, "per_testbed": 2})
    of = replace(of, spec=of.spec.model_copy(update={"blocks": blocks}))
    takes = [LOAD + DEAD + RESTORE + (SET if place in (6, 12, 18) else 0) for place in range(24)]
    done = [LOAD + DEAD + sum(takes[place + 1 : 9]) for place in range(9)]
    beds = {
        name: replace(bed, spec=bed.spec.model_copy(update={"generation": 2}))
        for name, bed in the_testbeds(of).items()
    }
    seen = saw(of, trials=began(the_trials(of, *["Succeeded"] * 9), done), testbeds=beds)
    assert left(decide(of, seen)) == pytest.approx(sum(takes[9:]), abs=1)


@pytest.mark.parametrize("built", [1, 3])
def test_testbeds_that_are_built_one_after_the_other_take_the_sum(built: int) -> None:
    of = a_campaign(blocks={"min": 4, "perTestbed": 1}, residency="OnDemand")
    beds = dict(list(the_testbeds(of).items())[:built])
    for number, (name, bed) in enumerate(beds.items()):
        so_far = (built - number) * SET / 3
        status = bed.status.model_copy(update={"ready_time": ago(so_far - SET / 3)})
        beds[name] = replace(bed, created=ago(so_far), status=status)
    whole = 4 * SET - built * SET / 3 + 12 * (LOAD + DEAD)
    assert left(decide(of, saw(of, testbeds=beds))) == pytest.approx(whole, abs=1)


def test_the_set_that_replaces_a_lost_one_takes_its_time() -> None:
    of = a_campaign(blocks={"min": 2})
    beds = {name: replace(bed, created=ago(9 + 40)) for name, bed in the_testbeds(of).items()}
    assert left(decide(of, saw(of, testbeds=beds))) == pytest.approx(6 * (LOAD + DEAD), abs=1)
    lost = LostSet(cell=the_cell(of).name, generation=1, message="it is lost", time=ago(1))
    of = replace(of, status=of.status.model_copy(update={"lost_sets": [lost]}))
    assert left(decide(of, saw(of, testbeds=beds))) == pytest.approx(40 + 6 * (LOAD + DEAD), abs=1)


@pytest.mark.parametrize("parallelism", [1, 2])
def test_no_more_cells_go_on_side_by_side_than_the_campaign_allows(parallelism: int) -> None:
    """A Trial of the first one was deleted while the second one is measured."""
    usual = manifests.SPECS[TRIAL]["workload"]
    other = {"sysbench": {**usual["sysbench"], "tables": 77}}
    first, second = with_workloads(oltp={}), with_workloads(other=other)
    of = with_workloads(oltp={}, other=other)
    of = replace(of, spec=of.spec.model_copy(update={"parallelism": parallelism}))
    beds = {name: replace(bed, created=ago(9 + 40)) for name, bed in the_testbeds(second).items()}
    done = [(5 - place) * (LOAD + DEAD) for place in range(5)]
    seen = CampaignSeen(NOW, None, beds, began(the_trials(first, *["Succeeded"] * 5), done))
    needs = 40 + LOAD + DEAD, 6 * (LOAD + DEAD)
    whole = sum(needs) if parallelism == 1 else max(needs)
    assert left(decide(of, seen)) == pytest.approx(whole, abs=1)
