"""What lies between two trials: medians, and what restores and new testbeds add to them."""

from typing import Any

import pytest

from encbench.reconcile.campaign.ledger import Begun, condition_of
from encbench.reconcile.campaign.pace import Between, Gap, gaps, restores
from tests.unit.reconcile.campaigns import a_campaign, the_trials


def gap(seconds: float, *, pause: bool = False, restores: bool = False) -> Gap:
    return Gap("cell-1", seconds, in_turns=False, is_pause=pause, restores=restores)


def between(*found: Gap) -> dict[str, Any]:
    """The seconds of each kind."""
    of = Between(found)
    usual, more = (one("cell-1", in_turns=False) for one in (of.usual, of.restoring))
    return {"usual": usual, "restoring": more, "anew": of.anew}


@pytest.mark.parametrize(("seconds", "usual"), [(0.5, 0.5), (-3.0, 0.0)])
def test_a_load_that_ends_before_its_planned_end_leaves_no_gap_below_zero(
    seconds: float, usual: float
) -> None:
    assert between(gap(seconds)) == {"usual": usual, "restoring": 0.0, "anew": None}


def test_neither_a_restore_nor_new_testbeds_take_less_than_no_time() -> None:
    quick = between(gap(9.0), gap(5.0, restores=True), gap(4.0, pause=True))
    assert quick == {"usual": 9.0, "restoring": 0.0, "anew": 0.0}
    assert between(gap(9.0), gap(9.5, pause=True))["anew"] == 0.5


@pytest.mark.parametrize(("is_restored", "anew"), [(False, 200.0), (True, 100.0)])
def test_new_testbeds_take_what_is_not_their_restore(is_restored: bool, anew: float) -> None:
    usual = gap(9.0), gap(109.0, restores=True)
    pause = gap(209.0, pause=True, restores=is_restored)
    assert between(*usual, pause) == {"usual": 9.0, "restoring": 100.0, "anew": anew}


def test_a_gap_is_of_its_cell() -> None:
    place = ("cell-1", "oltp", 16)
    starts = [Begun(at, 1, place, 90.0) for at in (0.0, 97.0)]
    (found,) = gaps(starts, a_campaign().spec)
    assert (found.cell, found.seconds) == ("cell-1", 7.0)


def test_the_first_condition_of_a_block_number_restores_the_data_of_each_arm() -> None:
    spec = (of := a_campaign(reset="block")).spec
    (trial,) = the_trials(of, None).values()
    own, block = condition_of(trial), trial.spec.block
    first = Begun(0.0, block, own, 90.0)
    other = first._replace(place=(own[0], "other", own[2]))
    assert restores(trial, [], spec)
    assert restores(trial, [first], spec)
    assert restores(trial, [other._replace(block=block + 1)], spec)
    assert not restores(trial, [other], spec)
    assert not restores(trial, [other, first], spec)
    assert not restores(trial, [], spec.model_copy(update={"reset": "trial"}))
