"""When a pilot is over, and what it fixes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.api.kinds import TRIAL
from encbench.core.plan import Cell, LoadLevel
from encbench.core.plan import arms as arms_of
from encbench.core.plan import seats as seats_of
from encbench.reconcile.campaign.ledger import LedgerLine, line
from encbench.reconcile.campaign.precision import block_plans, goals
from encbench.reconcile.objects import trial
from tests.support import manifests
from tests.unit.reconcile.seen import with_status

Blocks = Mapping[int, tuple[float | str | None, ...]]
"""By block, on the testbeds of baseline, control and treatment: TPS, an outcome, or None while it
runs."""

NUMBERS = {1: (100, 101, 95), 2: (100, 100, 95), 3: (100, 99, 95), 4: (100, 100, 95)}
QUIET: Blocks = {**NUMBERS}
LOUD: Blocks = {1: (100, 104, 95), 2: (100, 96, 95), 3: (100, 103, 95), 4: (100, 97, 95)}


def spec(**fields: object) -> CampaignSpec:
    return CampaignSpec.model_validate(
        {
            "matrix": [{"instanceRefs": ["i"], "modeRefs": ["tde"], "workloadRefs": ["w"]}],
            "baselineModeRef": "plain",
            "blocks": {"min": 4, "max": 9},
            "precision": {"targetHalfWidth": 0.05},
            **fields,
        }
    )


def cell(*concurrency: int) -> Cell:
    found = arms_of(spec().matrix[0], "plain")
    return Cell("c1", "i", found, tuple(LoadLevel("w", n) for n in concurrency or (8,)))


def trials(blocks: Blocks, concurrency: int = 8, *, by_arm: bool = False) -> list[LedgerLine]:
    """`by_arm`: the figures are those of the arms, whichever testbeds these are on."""
    found, arms = [], cell().arms
    for block, figures in blocks.items():
        seats = seats_of(spec().seed, cell(), LoadLevel("w", concurrency), block)
        for seat, figure in zip(arms, figures, strict=False):
            arm = seat if by_arm else next(one for one in arms if seats[one.name] == seat)
            own: dict[str, Any] = {
                "block": block,
                "arm": arm.to_dict(),
                "concurrency": concurrency,
                "workloadRef": "w",
                "instanceRef": "i",
            }
            body = manifests.body(TRIAL, f"t{concurrency}-{block}-{arm.name}", "ns", **own)
            status: dict[str, object] = {}
            if isinstance(figure, str):
                status = {"outcome": figure}
            elif figure is not None:
                more = {"qps": 1.0, "latencyAverageMs": 1.0, "latencyP95Ms": 1.0, "errors": 0}
                status = {"outcome": "Succeeded", "result": {"tps": float(figure), **more}}
            found.append(line(trial(with_status(body, {}, **status))))
    return found


def planned(blocks: Blocks, known: tuple[BlockPlan, ...] = ()) -> list[BlockPlan]:
    return block_plans(spec(), [cell()], trials(blocks), known)


def test_a_quiet_pilot_is_enough() -> None:
    (plan,) = planned(QUIET)
    assert (plan.pilot_blocks, plan.planned_blocks, plan.wanted_blocks) == (4, 4, 4)
    assert (plan.cell, plan.instance, plan.workload, plan.concurrency) == ("c1", "i", "w", 8)
    assert not plan.capped


def test_as_many_interleaved_blocks_are_planned_as_are_judged_as_blocks() -> None:
    """The intervals of fewer are of batches of rounds, whose spread the pilot does not show."""
    turns = {"slice": "2s", "settle": "500ms", "rounds": 5}
    for more, most, wanted in (({}, 9, 6), ({}, 5, 4), ({"perTestbed": 1}, 9, 4)):
        blocks = {"min": 4, "max": most, "interleave": turns, **more}
        (plan,) = block_plans(spec(blocks=blocks), [cell()], trials(QUIET), ())
        assert (plan.wanted_blocks, plan.planned_blocks) == (4, wanted)


def test_a_louder_one_asks_for_more() -> None:
    # Of the control ln 1.04, .96, 1.03, .97: s = 0.04084; (3.182 · 0.04084 / 0.05)² = 6.8
    (plan,) = planned(LOUD)
    # Seven, rounded up to a whole pair, in which baseline and control swap their testbeds.
    assert (plan.planned_blocks, plan.widest_arm, plan.spread) == (8, "plain-control", 0.0408437)
    assert goals([plan], cell()) == {LoadLevel("w", 8): 8}
    assert goals([plan], replace(cell(), name="c2")) == {}


def test_at_a_fixed_rate_without_cpu_it_is_latency_that_asks_for_more() -> None:
    """TPS is as offered, with next to no spread; the report judges by latency."""
    lines = [replace(one, figure=100.0, latency=one.figure) for one in trials(LOUD)]
    (plan,) = block_plans(spec(), [cell()], lines, ())
    assert (plan.planned_blocks, plan.spread) == (8, 0.0408437)
    quiet = [replace(one, cpu=1.0) for one in lines]
    (by_cpu,) = block_plans(spec(), [cell()], quiet, ())
    assert by_cpu.planned_blocks == 4


def test_a_mode_is_compared_with_both_arms_of_the_baseline() -> None:
    """Their mean varies half as much as the first of them, and so does what the mode is to it."""
    varied = {1: 1.04, 2: 0.96, 3: 1.03, 4: 0.97}
    (plan,) = planned({n: (100 * x, 100, 95 / x) for n, x in varied.items()})
    assert plan.widest_arm == "tde"
    assert plan.spread == pytest.approx(1.5 * 0.0408437, rel=1e-5)


def test_nothing_is_fixed_before_every_trial_of_the_pilot_has_its_figure() -> None:
    assert planned({**QUIET, 4: (100, 100)}) == []
    assert planned({**QUIET, 4: (100, 100, None)}) == []
    assert planned({}) == []


def test_a_broken_block_is_no_part_of_it() -> None:
    broken = {**LOUD, 2: (100, "Invalid", 95)}
    assert planned(broken) == []
    (plan,) = planned({**broken, 5: (100, 96, 95)})
    assert plan == planned(LOUD)[0]


def test_what_was_fixed_stays_whatever_becomes_of_its_trials() -> None:
    known = tuple(planned(LOUD))
    assert planned(QUIET, known) == list(known)
    assert planned({**LOUD, 5: (100, 200, 95)}, known) == list(known)
    assert planned({}, known) == list(known)


def test_each_condition_has_its_own() -> None:
    both = [*trials(QUIET, 8), *trials(LOUD, 16)]
    found = block_plans(spec(), [cell(8, 16)], both, ())
    assert [(p.concurrency, p.planned_blocks) for p in found] == [(8, 4), (16, 8)]


def test_without_precision_there_is_nothing_to_fix() -> None:
    plain = spec(precision=None)
    assert block_plans(plain, [cell()], trials(LOUD), ()) == []


def test_with_sets_of_testbeds_their_spread_decides() -> None:
    sets = spec(blocks={"min": 8, "max": 99, "perTestbed": 2})
    blocks: Blocks = {n + 1: (100, 104 if n % 4 < 2 else 96, 95) for n in range(8)}
    apart = spec(blocks={"min": 8, "max": 99})
    (of_sets,) = block_plans(sets, [cell()], trials(blocks, by_arm=True), ())
    (of_blocks,) = block_plans(apart, [cell()], trials(blocks), ())
    assert of_sets.planned_blocks > 2 * of_blocks.planned_blocks


def test_a_difference_between_the_baseline_s_two_testbeds_asks_for_no_blocks() -> None:
    """It is in the baseline of every block alike, whichever of the two arms is on which testbed."""
    unlike: Blocks = {n: (one, 1.05 * again, mode) for n, (one, again, mode) in NUMBERS.items()}
    (found,), (alike,) = planned(unlike), planned(QUIET)
    assert (found.planned_blocks, found.spread) == (alike.planned_blocks, alike.spread)
    again = spec(blocks={"min": 4, "max": 99, "perTestbed": 1})
    (of_sets,) = block_plans(again, [cell()], trials(unlike), ())
    assert of_sets.planned_blocks > 2 * alike.planned_blocks, "each set is luck of its own"
