"""Blocks, windows and sets of testbeds that are few, short, lost or missing."""

import re
from dataclasses import replace

import pytest

from encbench.api.campaign import LostSet
from encbench.core.records import CampaignEnd, IndexRecord
from encbench.report.analysis.build import build
from encbench.report.analysis.caveats import Facts, blocks
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study, write
from tests.unit.report.analysis.caveats.studies import CALM, outside, text_of, titles


def short_windows(engine: str, *, of_others: bool = False) -> str:
    """What is said of windows of 20 s of such a server."""
    found = report_of(Study(concurrency=(16,), blocks=2, seconds=20))
    facts = Facts(found.spec, found.resolved, found.groups, found.trials, (), found.provenance, ())
    instances = outside(facts) if of_others else found.resolved.instances
    own = {"small": instances["small"].model_copy(update={"engine": engine})}
    facts = replace(facts, resolved=found.resolved.model_copy(update={"instances": own}))
    return " ".join(caveat.text for caveat in blocks.short_window(facts))


def test_a_short_window_may_miss_or_catch_autovacuum() -> None:
    assert "Checkpoints, autovacuum, purges and flushing come in" in short_windows("postgresql")
    assert "Checkpoints, purges and flushing come in" in short_windows("mariadb")


def test_a_short_window_of_postgresql_is_one_after_a_checkpoint() -> None:
    """Which the agent requests before each proof, except of servers that others run."""
    assert "begins right after a checkpoint" in short_windows("postgresql")
    assert "begins right after a checkpoint" not in short_windows("mariadb")
    of_others = short_windows("postgresql", of_others=True)
    assert "autovacuum" in of_others
    assert "begins right after a checkpoint" not in of_others


def test_the_two_testbeds_of_the_baseline_mode_are_compared() -> None:
    lucky = replace(CALM, placement={"plain-control": 0.04}, noise=0.002)
    said = text_of(lucky, "Each mode ran on one testbed")
    assert "The baseline mode's two testbeds differed by up to 4.1 % [3.8, 4.4] %." in said
    other = text_of(replace(lucky, placement={"plain": 0.04}), "Each mode ran on one testbed")
    found = re.search(r"differed by up to (\S+) % \[(\S+), (\S+)\] %", other)
    assert found is not None
    estimate, low, high = map(float, found.groups())
    assert 0 < low < estimate < high


def test_two_testbeds_in_one_block_are_compared_without_an_interval() -> None:
    one = replace(CALM, blocks=1, noise=0.0, placement={"plain": 0.04})
    assert "differed by up to 4.2 %. The" in text_of(one, "Each mode ran on one testbed")


def test_why_intervals_are_wide_is_said() -> None:
    said = text_of(replace(CALM, precision=0.001, wanted=40), "Intervals are wider than asked for")
    assert "capped at 30 blocks where the pilot asked for 40: ±" in said
    assert said.endswith(". Raise blocks.max, or measure longer windows on a quieter machine.")
    study = replace(CALM, precision=0.001, wanted=8)
    said = text_of(study, "Intervals are wider than asked for")
    assert said.endswith(" % was reached. Measure longer windows on a quieter machine.")


def test_a_floor_is_how_far_an_interval_reaches_and_no_difference() -> None:
    """By testbed two blocks say almost nothing: −0.1 [−71.0, 41.4] %."""
    study = Study(concurrency=(4,), blocks=2, noise=0.03)
    said = text_of(study, "The noise floor is wider than the margin")
    assert said.startswith(
        "The interval of the baseline against itself reaches up to ±71.0 % (its estimate is −0.1 %)"
        ", and to the margin of 3 % or beyond in 1 of 1 condition."
    )
    anew = replace(study, blocks=4, noise=0.06, per_testbed=1)
    assert "reaches up to ±" in text_of(anew, "The noise floor is wider than the margin")


@pytest.mark.parametrize(
    ("lost", "title"),
    [(0, "A deadline ended the campaign"), (1, "Fewer valid blocks than planned")],
)
def test_a_deadline_that_ended_a_campaign_is_one_caveat(lost: int, title: str) -> None:
    """Beside the missing blocks that it explains; by itself where only solo blocks are missing."""
    index, bucket = write(CALM)
    end = CampaignEnd(reason="DeadlineExceeded", message="took longer")
    late = {"end": end, "trials": index.trials[: len(index.trials) - lost]}
    found = build(index.model_copy(update=late), bucket.__getitem__)
    (serious,) = [one for one in found.caveats if one.weight == "serious"]
    assert serious.title == title
    assert "only if the figures had no part in when it ended." in serious.text
    assert found.headlines[0].verdict == "Overhead"


def test_lost_testbeds_are_a_note_that_says_why() -> None:
    title, why = "Testbeds were lost and built anew", "testbed tde was lost: its node is gone"

    def said(study: Study, sets: int = 1) -> str:
        index, bucket = write(study)
        place = {"cell": index.cells[0].name, "message": why, "time": index.generated_time}
        lost = tuple(LostSet.model_validate({**place, "generation": n + 1}) for n in range(sets))
        found = build(index.model_copy(update={"lost_sets": lost}), bucket.__getitem__)
        assert found.lost_sets == lost
        return next(one.text for one in found.caveats if one.title == title)

    moved, several = replace(CALM, lost_in=3), "Counted blocks of one instance ran on 2 sets. "
    assert said(moved).startswith(f"1 set of testbeds: {why}. A block")
    assert several in said(moved)
    assert f"{why}; 2 more are in report.json. A" in said(moved, 5)
    assert several not in said(replace(moved, per_testbed=1)), "each block had a set of its own"
    assert several not in said(replace(moved, lost_in=1)), "all that count are on one set"
    assert title not in titles(CALM)


def test_the_modes_of_a_campaign_that_lost_testbeds_ran_on_few() -> None:
    lost = replace(CALM, lost_in=3)
    assert "Each mode ran on few testbeds" in titles(lost)
    (group,) = report_of(lost).groups
    assert [block.block for block in group.blocks if block.counted] == [1, 2, 4, 5, 6, 7]


def test_missing_blocks_say_how_the_campaign_ended() -> None:
    index, bucket = write(CALM)
    short = index.model_copy(update={"trials": index.trials[:-1]})
    end = CampaignEnd(reason="TestbedFailed", message="testbed tde: LoadFailed: no room")
    title = "Fewer valid blocks than planned"

    def said(found: IndexRecord) -> list[str]:
        caveats = build(found, bucket.__getitem__).caveats
        return [one.text for one in caveats if one.title == title]

    (text,) = said(short.model_copy(update={"end": end}))
    assert text.endswith(" It ended with TestbedFailed: testbed tde: LoadFailed: no room.")
    (before,) = said(short)
    assert "It ended" not in before, "of an earlier release"
