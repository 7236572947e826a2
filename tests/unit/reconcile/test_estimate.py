"""When a campaign is expected to end, over the course of its trials."""

import pytest

from encbench.api.conditions import parse_time
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.decision import CampaignDecision
from tests.unit.reconcile.seen import NOW
from tests.unit.reconcile.test_campaign_decide import a_campaign, began, saw, the_trials

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
