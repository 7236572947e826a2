"""What a suspended campaign does, and the time that it is suspended."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.kinds import TRIAL
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.ledger import Misfit
from tests.unit.reconcile.campaigns import (
    ACCEPTED,
    ALL,
    TURNS,
    a_campaign,
    deleted,
    in_short,
    made,
    saw,
    the_trials,
)
from tests.unit.reconcile.seen import NOW, Facts, status_of


def test_suspended_it_starts_nothing_more() -> None:
    of = a_campaign(suspend=True)
    for seen in (saw(of), saw(of, testbeds={}), saw(of, "Succeeded"), saw(of, None)):
        decision = decide(of, seen)
        assert made(decision) == []
        assert status_of(decision, "Suspended")[0] == "True"
        assert decision.status.phase == "Suspended"
        assert in_short(decision) == ("False", "Suspended", "")


def test_suspended_it_puts_off_what_has_not_begun() -> None:
    of = a_campaign(suspend=True)
    begun = the_trials(of, None, running={"Released": ("True", 5.0)})
    decision = decide(of, saw(of, trials=begun))
    assert deleted(decision) == []
    assert decision.status.step == "suspended once the running trial is done"
    waiting = the_trials(of, None)
    decision = decide(of, saw(of, trials=waiting))
    assert deleted(decision) == list(waiting)
    assert decision.status.step == "suspended"
    ended = the_trials(of, "Invalid")
    assert deleted(decide(of, saw(of, trials=ended))) == []


def test_suspended_it_ends_no_interleaved_block_that_has_begun() -> None:
    of = a_campaign(suspend=True, blocks={"min": 1, "interleave": TURNS})
    trials = the_trials(of, None, None, None)
    assert deleted(decide(of, saw(of, trials=trials))) == list(trials)
    begun = the_trials(of, None, running={"Released": ("True", 5.0)})
    assert deleted(decide(of, saw(of, trials=trials | begun))) == []


@pytest.mark.parametrize("facts", [{}, {"Complete": ("True", 5.0)}])
@pytest.mark.parametrize("misfits", [(), (Misfit(TRIAL, "odd", "uid", "Trial odd: spec"),)])
def test_what_is_said_of_suspension_is_what_the_spec_says_even_with_no_trial_left(
    facts: Facts, misfits: tuple[Misfit, ...]
) -> None:
    """It was suspended during the last trial, and resumed once that was over."""
    known = {**ACCEPTED, "Suspended": ("True", 60.0), **facts}
    for suspend, said in ((False, ("False", "Resumed")), (True, ("True", "Suspended"))):
        of = a_campaign(known, suspend=suspend)
        decision = decide(of, saw(of, *ALL, testbeds={}, misfits=misfits))
        assert status_of(decision, "Suspended") == said
        ended = {True: "Succeeded", False: "Suspended" if suspend else "Running"}
        assert decision.status.phase == ended[bool(facts)]


def test_suspended_time_does_not_count_for_the_deadline() -> None:
    """Else an upgrade, before which all campaigns are suspended, could end one."""
    suspended = {**ACCEPTED, "Suspended": ("True", 300.0)}
    for limit, stops in ((300, False), (299, True)):
        limited: dict[str, Any] = {"activeDeadlineSeconds": limit}
        asleep = a_campaign(suspended, suspend=True, **limited)
        assert bool(deleted(decide(asleep, saw(asleep)))) == stops
        later = replace(saw(asleep), now=NOW + timedelta(days=1))
        assert bool(deleted(decide(asleep, later))) == stops
        awake = a_campaign(suspended, **limited)
        resumed = decide(awake, saw(awake))
        assert resumed.status.suspended_seconds == 300
        assert bool(deleted(resumed)) == stops
        again = replace(awake, status=resumed.status)
        assert decide(again, saw(again)).status.suspended_seconds == 300
        late = replace(saw(again), now=NOW + timedelta(seconds=1))
        assert deleted(decide(again, late)), "it counts again"


def test_each_suspension_counts_beside_those_before_it() -> None:
    known = {**ACCEPTED, "Suspended": ("True", 100.0)}
    for limit, stops in ((300, False), (299, True)):
        of = a_campaign(known, suspend=True, activeDeadlineSeconds=limit)
        again = replace(of, status=of.status.model_copy(update={"suspended_seconds": 200}))
        assert bool(deleted(decide(again, saw(again)))) == stops
