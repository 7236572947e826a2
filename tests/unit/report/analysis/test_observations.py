"""Which blocks of a condition count, and which campaigns are pooled and judged together."""

from collections.abc import Iterable, Sequence

import pytest

from encbench.api.testbed import Role
from encbench.api.trial import Outcome
from encbench.core.artefact import RecordError
from encbench.core.plan import SOLO
from encbench.core.records import IndexCell, IndexCondition, IndexRecord
from encbench.report.analysis.observations import Observations, observations
from encbench.report.analysis.pooled import STRIDE
from encbench.report.document.trial import TrialView
from tests.data.report.synthetic import Study, write

ROLES: dict[str, Role] = {"plain": "baseline", "plain-control": "control", "tde": "treatment"}
STUDY = Study(name="demo-more-1", concurrency=(4,), blocks=3, seconds=5)


def index(study: Study = STUDY, extensions: int = 0) -> IndexRecord:
    found, _ = write(study)
    blocks = found.spec.blocks.model_copy(update={"extensions": extensions})
    return found.model_copy(update={"spec": found.spec.model_copy(update={"blocks": blocks})})


def block(
    number: int, outcome: Outcome = "Succeeded", tps: float | None = 100.0
) -> list[TrialView]:
    """Three trials; the outcome and the TPS are the treatment's."""
    return [
        TrialView(
            name=f"{arm}-{number}",
            uid="u",
            testbed=arm,
            cell="cell",
            instance="small",
            workload="oltp-read-write",
            concurrency=4,
            arm=arm,
            role=role,
            block=number,
            order=1,
            outcome=outcome if arm == "tde" else "Succeeded",
            home=arm,
            tps=tps if arm == "tde" else 100.0,
            key="k",
            digest="d",
        )
        for arm, role in ROLES.items()
    ]


def blocks(numbers: Iterable[int]) -> list[TrialView]:
    return [trial for number in numbers for trial in block(number)]


def observed(
    of: IndexRecord, trials: Sequence[TrialView], *earlier: Sequence[TrialView]
) -> Observations:
    cell: IndexCell = of.cells[0]
    condition: IndexCondition = cell.conditions[0]
    before = [(f"demo-{number}", trials) for number, trials in enumerate(earlier)]
    return observations(of, cell, condition, trials, (), before)


@pytest.mark.parametrize(
    "broken",
    [block(2, "Invalid"), block(2, "Failed"), block(2, tps=None), block(2)[:2]],
    ids=["Invalid", "Failed", "without a figure", "without a trial"],
)
def test_a_block_counts_where_every_arm_succeeded(broken: Sequence[TrialView]) -> None:
    found = observed(index(), [*block(1), *broken, *block(3)])
    assert [*found.blocks] == [1, 2, 3]
    assert [*found.good] == [*found.alone.blocks] == [*found.pairs.blocks] == [1, 3]


def test_two_trials_cannot_claim_one_place() -> None:
    with pytest.raises(RecordError, match="claim the same place"):
        observed(index(), [*block(1), *block(1)])


def test_sequential_blocks_beside_interleaved_ones_are_compared_with_nothing() -> None:
    of = index(Study(concurrency=(4,), blocks=2, rounds=6, solo=2))
    found = observed(of, blocks((1, 2, SOLO + 1, SOLO + 2)))
    assert [*found.good] == [1, 2, SOLO + 1, SOLO + 2]
    assert [*found.pairs.blocks] == [1, 2]
    assert [*found.solo.blocks] == [SOLO + 1, SOLO + 2]


@pytest.mark.parametrize(
    ("study", "one_set"), [(STUDY, True), (Study(concurrency=(4,), blocks=4, per_testbed=1), False)]
)
def test_testbeds_that_are_rebuilt_are_no_one_set(study: Study, one_set: bool) -> None:
    assert observed(index(study), blocks(range(1, 5))).alone.one_set is one_set


def test_what_is_planned_follows_the_pilot() -> None:
    of = index(Study(concurrency=(4,), blocks=4, precision=0.02, wanted=9))
    found = observed(of, blocks(range(1, 5)))
    assert found.block_plan is not None
    assert (found.planned, found.added) == (9, 0)
    assert observed(of.model_copy(update={"block_plans": ()}), blocks((1,))).planned == 4


# -- pooling: three blocks are planned, and the campaign before has two


BEFORE = blocks((1, 2))
OWN = [1, 2, 3]
WHOLE = [*OWN, STRIDE + 1, STRIDE + 2]


def test_announced_campaigns_are_judged_together() -> None:
    found = observed(index(extensions=1), blocks(OWN), BEFORE)
    assert [name for name, _ in found.parts] == ["demo-0", "demo-more-1"]
    assert [len(of.blocks) for _, of in found.parts] == [2, 3]
    assert [*found.pairs.blocks] == [*found.whole.blocks] == WHOLE
    assert [*found.alone.blocks] == OWN
    assert found.added == 2


def test_what_was_not_announced_is_pooled_and_not_judged() -> None:
    found = observed(index(), blocks(OWN), BEFORE)
    assert [*found.whole.blocks] == WHOLE
    assert [*found.pairs.blocks] == OWN
    assert found.added == 0


@pytest.mark.parametrize("extensions", [0, 1])
@pytest.mark.parametrize("third", [[], block(3, "Invalid")], ids=["missing", "invalid"])
def test_a_follow_up_without_all_its_blocks_is_not_pooled(
    extensions: int, third: Sequence[TrialView]
) -> None:
    found = observed(index(extensions=extensions), [*blocks((1, 2)), *third], BEFORE)
    assert [name for name, _ in found.parts] == ["demo-more-1"]
    assert [*found.whole.blocks] == [*found.pairs.blocks] == [1, 2]


def test_sequential_blocks_do_not_make_a_follow_up_complete() -> None:
    of = index(Study(concurrency=(4,), blocks=2, rounds=6, solo=2), extensions=1)
    found = observed(of, blocks((1, SOLO + 1, SOLO + 2)), blocks((1, 2, SOLO + 1)))
    assert len(found.parts) == 1
    complete = observed(of, blocks((1, 2, SOLO + 1)), blocks((1, 2, SOLO + 1)))
    assert [*complete.pairs.blocks] == [1, 2, STRIDE + 1, STRIDE + 2]


def test_of_earlier_campaigns_valid_blocks_count() -> None:
    more = [*block(1), *block(2, "Invalid"), *block(3)]
    found = observed(index(extensions=2), blocks(OWN), more, BEFORE)
    assert [name for name, _ in found.parts] == ["demo-0", "demo-1", "demo-more-1"]
    assert [*found.pairs.blocks] == [*OWN, STRIDE + 1, STRIDE + 2, 2 * STRIDE + 1, 2 * STRIDE + 3]
