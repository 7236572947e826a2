"""Blocks that are counted on as trials begin and end, held against counting all of them."""

from random import Random

import pytest

from encbench.core import plan
from encbench.core.plan import Attempts, Past
from encbench.core.tally import BlockRun
from tests.unit.core.plans import campaign, only_cell

ARMS = ("a", "b", "c")


def counted(attempts: list[tuple[int, str, bool]], last: int) -> tuple[int | None, int]:
    """The first open block, and how many trials are missing: by the definition."""
    broken = {block for block, _, bad in attempts if bad}
    started = {(block, arm) for block, arm, _ in attempts}
    left = [
        (block, arm)
        for block in range(1, last + 1)
        for arm in ARMS
        if block not in broken and (block, arm) not in started
    ]
    return (left[0][0] if left else None), len(left)


@pytest.mark.parametrize("seed", range(20))
def test_it_knows_what_counting_everything_would_find(seed: int) -> None:
    random = Random(seed)
    trials = [(block, arm, random.random() < 0.1) for block in range(1, 13) for arm in ARMS]
    if seed % 2:
        random.shuffle(trials)
    run, so_far = BlockRun(len(ARMS), 1), list[tuple[int, str, bool]]()
    for block, arm, bad in trials:
        run.add(block, arm, broken=bad)
        so_far.append((block, arm, bad))
        for last in (1, 6, 12, 15):
            assert (run.first_open(last), run.missing(last)) == counted(so_far, last)


def test_what_is_done_is_left_behind() -> None:
    run = BlockRun(len(ARMS), 1)
    for block in range(1, 1001):
        for arm in ARMS:
            run.add(block, arm, broken=block % 100 == 0 and arm == "b")
    assert run.low == 1001
    assert run.started == {}
    assert len(run.broken) == 10


def test_a_copy_is_its_own() -> None:
    run = BlockRun(len(ARMS), 1)
    run.add(1, "a", broken=False)
    copy = run.copy()
    copy.add(1, "b", broken=True)
    assert (run.low, run.broken, run.started) == (1, set(), {1: {"a"}})


@pytest.mark.parametrize("interleave", [None, {"rounds": 4}])
def test_the_plan_is_the_same_whichever_attempts_were_counted_before(interleave: object) -> None:
    blocks: dict[str, object] = {"min": 3, "maxReplacements": 6}
    if interleave is not None:
        blocks |= {"interleave": interleave, "solo": 2}
    spec = campaign(blocks=blocks)
    cell, random = only_cell(spec, concurrency=[1, 8]), Random(7)
    history, past = Attempts(spec.blocks, [cell]), list[Past]()
    while True:
        whole = plan.next_trial(spec, cell, past)
        counted, left = past[:-3], past[-3:]
        if counted:
            history.add(counted[-1])
        assert plan.next_trial(spec, cell, left, history=history) == whole
        planned = whole.next_trial
        if planned is None:
            break
        end = random.choices(["Succeeded", "Invalid"], [9, 1])[0]
        past.append(
            Past(
                *(cell.name, planned.condition, planned.block, planned.arm.name),
                outcome="Invalid" if end == "Invalid" else "Succeeded",
            )
        )
    assert len(past) > 18
