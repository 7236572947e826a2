"""When a campaign of several blocks is done: in turns, solo, and on testbeds made anew."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.campaign import BlockPlan
from encbench.api.conditions import parse_time
from encbench.core import plan
from encbench.reconcile import objects
from encbench.reconcile.campaign import estimate
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.facts import CampaignFound
from encbench.reconcile.campaign.ledger import Ledger
from encbench.reconcile.effects.effect import Create
from encbench.tools.gathering import gather_alone
from tests.unit.reconcile.campaigns import (
    ALL,
    RESOLVED,
    TURNS,
    a_campaign,
    began,
    made,
    saw,
    the_cell,
    the_trials,
)
from tests.unit.reconcile.seen import NOW, ago, with_status

TRIAL_TAKES, ANEW = 95.0, 2400.0


def test_the_end_is_estimated_once_testbeds_are_ready() -> None:
    of = a_campaign()
    eta = decide(of, saw(of)).status.estimated_completion_time
    assert eta == ago(-3 * (30 + 60 + 5))


def test_the_end_of_an_interleaved_block_is_estimated_before_and_while_it_begins() -> None:
    turns = {"slice": "3s", "settle": "500ms", "rounds": 20}
    of = a_campaign(blocks={"min": 1, "interleave": turns})
    block = 30 + 20 * 3 * 3.05 + 5
    first = decide(of, saw(of))
    assert made(first) == ["Trial"] * 3
    assert first.status.estimated_completion_time == ago(-block)
    created = [e.body for e in first.effects if isinstance(e, Create)]
    begun = {body["metadata"]["name"]: objects.trial(with_status(body, {})) for body in created}
    again = decide(of, saw(of, trials=begun)).status.estimated_completion_time
    assert again is not None
    late = (parse_time(again) - parse_time(ago(-block))).total_seconds()
    assert 0 <= late < 5, "clients gather before they begin"


def test_solo_blocks_have_a_pace_of_their_own() -> None:
    """They run one trial after the other, and an interleaved block all of its own at once."""
    of = a_campaign(blocks={"min": 2, "solo": 4, "interleave": TURNS})
    in_turns, solo = 2 * (30 + 20 * 3 * 3.05 + 5), 4 * 3 * TRIAL_TAKES
    assert decide(of, saw(of)).status.estimated_completion_time == ago(-in_turns - solo)
    took = 400.0
    trials = began(the_trials(of, *ALL, *ALL), [took] * 3 + [0.0] * 3)
    measured = decide(of, saw(of, trials=trials)).status.estimated_completion_time
    assert measured == ago(-took - solo)


def test_a_block_of_fewer_arms_takes_less() -> None:
    of = a_campaign(blocks={"min": 2, "interleave": TURNS})
    few = the_cell(of)
    more = replace(few, name="c2", arms=(*few.arms, few.arms[-1]))
    seen = saw(of, trials=began(the_trials(of, *ALL, *ALL), [300.0] * 3 + [0.0] * 3))
    (level,) = few.conditions
    left = {
        cell.name: plan.CellState(None, (), (), plan.Left({level: len(cell.arms)}))
        for cell in (few, more)
    }
    end = estimate.estimate(of, seen, left, (few, more), RESOLVED)
    arm = 20 * 3.05
    assert end == ago(-300 - 300 - (300 + arm))


def test_a_trial_that_has_not_begun_is_still_to_be_waited_for() -> None:
    of = a_campaign(blocks={"min": 1})
    found = decide(of, saw(of, None)).status.estimated_completion_time
    assert found == ago(-3 * 95)


def test_the_end_counts_the_time_that_new_testbeds_take() -> None:
    turns = {"slice": "3s", "settle": "500ms", "rounds": 20}
    of = a_campaign(blocks={"min": 6, "perTestbed": 1, "interleave": turns})
    block, seen = 30 + 20 * 3 * 3.05 + 5, saw(of)
    slow = {bed.name: replace(bed, created=ago(9 + 40)) for bed in seen.testbeds.values()}
    first = decide(of, replace(seen, testbeds=slow)).status.estimated_completion_time
    assert first == ago(-6 * (block + 40) + 40), "none after the last block"


def test_new_testbeds_take_their_time_once_for_each_set_of_sequential_blocks() -> None:
    """Of 6 blocks with 3 arms 4 are left, each with testbeds of its own: 12 trials and 4 sets."""
    of = a_campaign(blocks={"min": 6, "perTestbed": 1})
    second = [2 * TRIAL_TAKES, TRIAL_TAKES, 0.0]
    first = [3 * TRIAL_TAKES + ANEW + one for one in second]
    trials = began(the_trials(of, *["Succeeded"] * 6), [*first, *second])
    seen = saw(of, trials=trials)
    whole = TRIAL_TAKES + 12 * TRIAL_TAKES + 4 * ANEW
    assert decide(of, seen).status.estimated_completion_time == ago(-whole), "3 h, not 20 min"
    # While the next testbeds are made the end stays.
    made_for = TRIAL_TAKES + 1000
    later = replace(seen, now=NOW + timedelta(seconds=made_for))
    assert decide(of, later).status.estimated_completion_time == ago(-whole)


def test_a_set_of_testbeds_serves_blocks_of_every_condition() -> None:
    """Of 8 blocks at 2 concurrencies with 3 arms, 2 of each on a set: 48 trials and 3 more sets."""
    of, oltp = a_campaign(blocks={"min": 8, "perTestbed": 2}), RESOLVED.workloads["oltp"]
    load = oltp.load.model_copy(update={"concurrency": [2, 8]})
    twice = oltp.model_copy(update={"load": load})
    resolved = RESOLVED.model_copy(update={"workloads": {"oltp": twice}})
    of = replace(of, status=of.status.model_copy(update={"resolved": resolved}))
    seen = saw(of)
    slow = {bed.name: replace(bed, created=ago(9 + 40)) for bed in seen.testbeds.values()}
    found = decide(of, replace(seen, testbeds=slow)).status.estimated_completion_time
    assert found == ago(-(48 * TRIAL_TAKES + 3 * 40))


def test_the_condition_with_the_most_blocks_decides_how_many_sets_are_built() -> None:
    """Pilots asked for 8 and 24 blocks, 2 of each on a set: 96 trials and 11 more sets."""
    precision = {"targetHalfWidth": 0.01}
    of = a_campaign(blocks={"min": 8, "max": 40, "perTestbed": 2}, precision=precision)
    oltp = RESOLVED.workloads["oltp"]
    load = oltp.load.model_copy(update={"concurrency": [2, 8]})
    twice = oltp.model_copy(update={"load": load})
    resolved = RESOLVED.model_copy(update={"workloads": {"oltp": twice}})
    (cell,) = plan.cells(of.spec, resolved.workloads)
    plans = [
        BlockPlan(
            cell=cell.name,
            instance="small",
            workload="oltp",
            concurrency=concurrency,
            pilot_blocks=8,
            planned_blocks=count,
        )
        for concurrency, count in ((2, 8), (8, 24))
    ]
    update = {"resolved": resolved, "block_plans": plans}
    of = replace(of, status=of.status.model_copy(update=update))
    seen = saw(of)
    slow = {bed.name: replace(bed, created=ago(9 + 40)) for bed in seen.testbeds.values()}
    found = decide(of, replace(seen, testbeds=slow)).status.estimated_completion_time
    assert found == ago(-(96 * TRIAL_TAKES + 11 * 40))


def test_an_interleaved_block_whose_trials_retire_one_by_one_began_once() -> None:
    turns = {"slice": "3s", "settle": "500ms", "rounds": 20}
    of = a_campaign(blocks={"min": 4, "interleave": turns})
    trials = began(the_trials(of, *ALL, *ALL), [600.0, 599.9, 599.8, 300.0, 299.9, 299.8])
    retired, *others = trials
    ledger = Ledger()
    ledger.begin(plan.Attempts(of.spec.blocks, [the_cell(of)]))
    ledger.add(trials[retired])
    seen = saw(of, trials={name: trials[name] for name in others}, found=CampaignFound(ledger))
    first, second = estimate._starts(the_cell(of).name, seen)
    assert (first.block, second.block) == (1, 2)


def test_clients_that_gather_first_are_part_of_the_end() -> None:
    oltp = RESOLVED.workloads["oltp"]
    client = oltp.client.model_copy(update={"replicas": 4})
    several = oltp.model_copy(update={"client": client})
    resolved = RESOLVED.model_copy(update={"workloads": {"oltp": several}})
    alone = gather_alone(several, max(oltp.load.concurrency))
    assert alone > 1
    of = a_campaign()
    of = replace(of, status=of.status.model_copy(update={"resolved": resolved}))
    found = decide(of, saw(of)).status.estimated_completion_time
    assert found == ago(-3 * (TRIAL_TAKES + alone))


@pytest.mark.parametrize("interleave", [{}, {"slice": "3s", "settle": "500ms", "rounds": 20}])
@pytest.mark.parametrize("kept", [(), ("Succeeded",), ("Succeeded",) * 6])
def test_the_end_stays_while_testbeds_are_made_anew(
    kept: tuple[str, ...], interleave: dict[str, Any]
) -> None:
    turns = {"interleave": interleave} if interleave else {}
    of = a_campaign(blocks={"min": 6, "perTestbed": 1, **turns})
    seen = saw(of, *kept)
    assert decide(of, seen).status.estimated_completion_time is not None
    between = decide(of, replace(seen, testbeds={})).status.estimated_completion_time
    assert (between is not None) == (len(kept) > 1)


def test_an_end_beyond_the_calendar_is_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A duration may have 32 letters: 999999h are 114 years, which thousands of trials repeat."""
    monkeypatch.setattr(estimate, "planned_seconds", lambda *_: 4 * 999_999 * 3600.0)
    of = a_campaign(blocks={"min": 1000})
    assert decide(of, saw(of)).status.estimated_completion_time is None
