"""What of a campaign's status is written at once, and what waits for more."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.campaign import CampaignStatus, Progress
from encbench.api.conditions import Condition
from encbench.api.lifecycle import HINDERED
from encbench.reconcile.campaign.estimate import steady
from encbench.reconcile.objects import Campaign
from encbench.reconcile.pacing import TOGETHER, CampaignPacing
from tests.unit.reconcile.campaigns import a_campaign
from tests.unit.reconcile.seen import NOW, ago

BUSY = Progress(planned=9, active=1, succeeded=3)


def under_way(progress: Progress = BUSY) -> Campaign:
    found = a_campaign()
    return replace(found, status=found.status.model_copy(update={"progress": progress}))


def status(**fields: Any) -> CampaignStatus:
    return under_way().status.model_copy(update=fields)


MORE = status(progress=Progress(planned=9, active=2, succeeded=4), step="block 2")


def test_counts_and_steps_are_written_together() -> None:
    pacing, one = CampaignPacing(), under_way()
    assert pacing.delay(one, MORE, NOW) == TOGETHER
    later = MORE.model_copy(update={"step": "block 3"})
    assert pacing.delay(one, later, NOW + timedelta(seconds=3)) == TOGETHER - 3
    assert pacing.delay(one, later, NOW + timedelta(seconds=TOGETHER)) == 0
    assert pacing.delay(one, later, NOW + timedelta(seconds=TOGETHER)) == TOGETHER, "and again"


def test_a_clock_that_was_set_back_delays_nothing() -> None:
    pacing, one = CampaignPacing(), under_way()
    pacing.delay(one, MORE, NOW)
    assert pacing.delay(one, MORE, NOW - timedelta(hours=1)) == 0


@pytest.mark.parametrize(
    "after",
    [
        status(
            conditions=[
                Condition(
                    type=HINDERED, status="True", reason="NoAnswer", last_transition_time=ago(1)
                )
            ]
        ),
        status(phase="Failed"),
        status(storage_prefix="elsewhere"),
        status(progress=BUSY.model_copy(update={"planned": 12})),
        status(progress=BUSY.model_copy(update={"active": 0}), step="archiving the last trials"),
    ],
    ids=["condition", "phase", "plan", "replacement", "last trial"],
)
def test_what_something_depends_on_is_written_at_once(after: CampaignStatus) -> None:
    assert CampaignPacing().delay(under_way(), after, NOW) == 0


def test_while_nothing_is_measured_every_step_is_told() -> None:
    idle = under_way(Progress(planned=9))
    after = idle.status.model_copy(update={"step": "preparing testbeds"})
    assert CampaignPacing().delay(idle, after, NOW) == 0


@pytest.mark.parametrize(
    ("shown", "found", "stays"),
    [
        (-100, -108, True),
        (-100, -112, False),
        (-1000, -1040, True),
        (-1000, -1100, False),
        (None, -100, False),
        (-100, None, False),
    ],
)
def test_the_end_that_is_shown_moves_only_if_people_care(
    shown: float | None, found: float | None, stays: bool
) -> None:
    before, after = (None if one is None else ago(one) for one in (shown, found))
    assert steady(before, after, NOW) == (before if stays else after)
