"""The gap between two trials that `kubectl encbench plan NAME` goes by."""

from typing import Any

import pytest

from encbench.cli.outline import ASSUMED, outline
from encbench.cli.outline_text import _time
from encbench.cli.plan import pace
from encbench.reconcile.objects import Campaign, Trial
from tests.unit.reconcile.campaigns import (
    TURNS,
    a_campaign,
    began,
    resolved_of,
    the_trials,
    with_workloads,
)

LOAD, BLOCK = 90.0, 30 + 20 * 3 * 3.05 + 0.05
"""Seconds of the load of a trial by itself, and of an interleaved block."""


def after(of: Campaign, *takes: float, arms: int = 1) -> list[Trial]:
    """The first trials, or blocks of so many trials, each as long before the next one as said."""
    ago = [sum(takes[place:]) for place in range(len(takes) + 1) for _ in range(arms)]
    return list(began(the_trials(of, *["Succeeded"] * len(ago)), ago).values())


def the_time(of: Campaign, trials: list[Trial]) -> tuple[float, str]:
    """Seconds between the trials of the whole plan, and what is said of them."""
    found = outline(of.spec, resolved_of(of), pace(trials, of.spec) or ASSUMED)
    return found.time.between_trials_seconds, " ".join(_time(found).split())


def test_two_trials_are_enough() -> None:
    """The second one's startTime lies within the warm-up of the first."""
    of = a_campaign()
    seconds, said = the_time(of, after(of, LOAD + 12))
    assert seconds == pytest.approx(3 * 12)
    assert "12.0 s is the median of this campaign's 2 trials so far. Not counted" in said


def test_new_testbeds_are_no_gap() -> None:
    turns = {"perTestbed": 1, "interleave": TURNS}
    of = a_campaign(blocks={"min": 6, **turns})
    assert pace(after(of, BLOCK + 2400, BLOCK + 2400, arms=3), of.spec) is None
    of = a_campaign(blocks={"min": 8, **turns, "perTestbed": 2})
    found = pace(after(of, BLOCK + 7, BLOCK + 2400, BLOCK + 7, arms=3), of.spec)
    assert found is not None
    assert "7.0 s before a block is the median of this campaign's 4 trials" in found.source


def test_blocks_and_solo_trials_have_gaps_of_their_own() -> None:
    of = a_campaign(blocks={"min": 2, "solo": 4, "interleave": TURNS})
    blocks = after(of, BLOCK + 20, arms=3)
    guards = 6 * (3.05 - 2.5) * 20
    seconds, said = the_time(of, blocks)
    assert seconds == pytest.approx(2 * 20 + guards + 12 * 5)
    assert "20.0 s before a block is the median of this campaign's 2 trials so far, and 5 s" in said
    ago = [LOAD * 2 + 14, LOAD + 7, 0.0]
    first = ago[0] + BLOCK + 7
    trials = began(the_trials(of, *["Succeeded"] * 9), [first + BLOCK + 20] * 3 + [first] * 3 + ago)
    seconds, said = the_time(of, list(trials.values()))
    assert seconds == pytest.approx(2 * 20 + guards + 12 * 7)
    assert "20.0 s before a block and 7.0 s before a solo trial are the medians" in said


@pytest.mark.parametrize(
    ("reset", "names", "takes", "between"),
    [
        ("trial", 1, [1200.0] * 4, 6 * 1200),
        ("block", 1, [1200.0] * 4, 6 * 1200),
        ("block", 2, [1200.0, 1200.0, 7.0, 7.0, 7.0], 6 * 1200 + 6 * 7),
    ],
)
def test_restores_are_counted_once_they_have_been_seen(
    reset: str, names: int, takes: list[float], between: float
) -> None:
    workloads: dict[str, Any] = {f"oltp-{number}": {} for number in range(names)}
    of = with_workloads(reset=reset, **workloads)
    seconds, said = the_time(of, after(of, *(LOAD + one for one in takes)))
    assert seconds == pytest.approx(between)
    assert "restoring the data" not in said
    assert f"restoring the data before each {reset}" in the_time(of, [])[1]
