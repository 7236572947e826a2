"""What each condition's blocks say: four figures, their noise floors, verdicts, and why so many."""

import math
from dataclasses import replace

import pytest

from encbench.api.instancetemplate import External
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.records import TrialRecord
from encbench.core.statistics import intervals, verdict
from encbench.report.analysis.build import build
from encbench.report.document.group import Group
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study, write

CALM = Study(concurrency=(4,))


def group(study: Study) -> Group:
    return report_of(study).groups[0]


FIELDS = {
    "tps": "tps",
    "latencyAverage": "latency_average_ms",
    "latencyP95": "latency_p95_ms",
    "cpuPerTransaction": "database_cpu_ms_per_transaction",
    "clientCpuPerTransaction": "client_cpu_ms_per_transaction",
}


def test_every_figure_has_a_finding_with_a_noise_floor_of_its_own() -> None:
    found = report_of(CALM)
    only = found.groups[0]
    (comparison,) = only.comparisons
    assert [one.figure for one in comparison.findings] == list(FIELDS)
    assert list(only.noise_floors) == list(FIELDS)
    for finding in comparison.findings:
        field = FIELDS[finding.figure]
        by_arm = {
            arm.name: [getattr(t, field) for t in found.trials if t.arm == arm.name]
            for arm in only.arms
        }
        home = {(t.block, t.arm): t.home for t in found.trials}
        sense: intervals.Sense = "loss" if finding.figure == "tps" else "increase"
        arm = intervals.estimate(by_arm["plain"], by_arm["plain-control"])
        blocks = sorted({t.block for t in found.trials})
        here, there = [], []
        for n, block in enumerate(blocks):
            pair = by_arm["plain"][n], by_arm["plain-control"][n]
            swapped = home[block, "plain"] == "plain-control"
            here.append(pair[1] if swapped else pair[0])
            there.append(pair[0] if swapped else pair[1])
        floor = verdict.noise_floor(arm, intervals.estimate(here, there), sense=sense)
        assert floor == pytest.approx(finding.noise_floor, rel=1e-4)
        assert only.noise_floors[finding.figure] == finding.noise_floor
        assert finding.bar == found.spec.margin
        between = intervals.estimate(here, there)
        assert between is not None
        assert finding.luck == pytest.approx(
            math.sqrt(0.75) * abs(between.mean), rel=1e-3, abs=1e-6
        )
        plain = intervals.both(by_arm["plain"], by_arm["plain-control"])
        treated = intervals.estimate(plain, by_arm["tde"])
        assert treated is not None and finding.change is not None
        assert finding.change.estimate == pytest.approx(treated.change(sense), abs=1e-5)
    assert only.noise_floor == only.noise_floors["tps"]


def test_the_first_finding_is_the_comparisons_own() -> None:
    (comparison,) = group(CALM).comparisons
    tps = comparison.finding("tps")
    assert tps is not None
    assert (tps.change, tps.verdict, tps.why, tps.blocks) == (
        comparison.loss,
        comparison.verdict,
        comparison.why,
        comparison.blocks,
    )


def test_rows_have_the_verdicts_of_all_figures() -> None:
    found = group(CALM)
    tde, control = found.row("tde"), found.row("plain-control")
    assert tde.verdict == "Overhead"
    assert tde.latency_average_verdict == "Overhead"
    assert tde.cpu_per_transaction_verdict == "Overhead"
    assert tde.latency_p95_verdict in ("Overhead", "Inconclusive")
    assert control.verdict == "NoiseFloor"
    assert control.cpu_per_transaction_verdict is None


def test_a_figure_that_no_block_has_is_no_data_and_the_others_stay() -> None:
    without = frozenset((4, block, "tde") for block in range(1, 7))
    found = group(replace(CALM, without_cpu=without))
    cpu = found.comparisons[0].finding("cpuPerTransaction")
    assert cpu is not None
    assert (cpu.verdict, cpu.change, cpu.why) == ("NoData", None, "no block has it in every arm")
    assert found.row("tde").cpu_per_transaction_verdict is None
    assert "cpuPerTransaction" not in found.noise_floors
    assert found.comparisons[0].verdict == "Overhead"


# -- several modes


def test_verdicts_are_corrected_for_the_number_of_modes() -> None:
    # Four modes of about the margin's cost; by its own interval each is above the bar.
    loss = {"a": 0.055, "b": 0.055, "c": 0.0551, "d": 0.0549}
    study = Study(
        concurrency=(4,), loss=loss, margin=0.03, noise=0.016, seconds=5, seed=20, per_testbed=1
    )
    findings = {c.arm: c.findings[0] for c in group(study).comparisons}
    for one in findings.values():
        assert one.change is not None and one.change.low is not None
        assert one.change.low > (one.bar or 1)
        assert one.overhead_p is not None
        assert (one.verdict == "Overhead") == (one.overhead_p < 0.05)
    assert [one.verdict for one in findings.values()].count("Overhead") == 1
    assert findings["a"].why == (
        "by itself it would be Overhead, but not as one of 4 modes (Holm: p = 0.084)"
    )
    alone = group(replace(study, loss={"a": 0.055})).comparisons[0]
    assert alone.verdict == "Overhead", "the same trials with no other mode beside them"


def test_a_verdict_among_several_says_that_it_is_corrected() -> None:
    found = group(Study(concurrency=(4,), loss={"a": 0.15, "b": 0.2}))
    assert [c.verdict for c in found.comparisons] == ["Overhead", "Overhead"]
    assert all(c.why.endswith(", also after correction for 2 modes") for c in found.comparisons)


# -- testbeds


def test_luck_of_placement_is_in_the_noise_floor_though_the_arms_take_turns() -> None:
    lucky = group(replace(CALM, blocks=30, placement={"plain-control": 0.06}, noise=0.002))
    assert lucky.placement is not None
    assert lucky.placement.estimate == pytest.approx(0.06, abs=0.003)
    control = lucky.repeat
    assert control is not None
    assert control.low is not None and control.high is not None
    assert -0.03 < control.low < 0 < control.high < 0.03, "by arm it cancels"
    assert lucky.noise_floor == pytest.approx(0.06, abs=0.003), "the reading by testbed has it"
    row = lucky.row("plain-control")
    assert (row.overhead, row.cpu_per_transaction_overhead, row.client_cpu_points) == (None,) * 3


def test_arms_that_share_a_database_of_others_have_no_luck_of_placement() -> None:
    study = replace(CALM, blocks=30, placement={"plain-control": 0.06}, noise=0.002)
    index, bucket = write(study)
    database = {"host": "db", "database": "sbtest", "credentialsSecretRef": {"name": "db"}}
    of_others = {"external": External.model_validate(database)}
    small = index.resolved.instances["small"].model_copy(update=of_others)
    resolved = index.resolved.model_copy(update={"instances": {"small": small}})
    shared = build(index.model_copy(update={"resolved": resolved}), bucket.__getitem__).groups[0]
    assert shared.placement is None
    assert shared.noise_floor is not None
    assert shared.noise_floor < 0.03, "nothing is read by testbed"


def test_luck_of_placement_can_undo_a_verdict_on_one_set_of_testbeds() -> None:
    study = replace(CALM, blocks=12, placement={"plain-control": 0.06}, noise=0.002)
    (kept,) = group(study).comparisons
    assert kept.findings[0].placement is not None
    assert (kept.verdict, kept.loss is not None) == ("Inconclusive", True)
    assert "its interval alone would say Overhead, but the luck of one testbed each" in kept.why
    anew = group(replace(study, per_testbed=1, placement={}))
    assert anew.comparisons[0].findings[0].placement is None
    assert anew.comparisons[0].verdict == "Overhead"


def test_where_a_trial_ran_is_told() -> None:
    found = report_of(CALM)
    homes = {(t.block, t.arm): t.home for t in found.trials}
    swapped = [homes[block, "plain"] == "plain-control" for block in range(1, 7)]
    assert all(one != other for one, other in zip(swapped[::2], swapped[1::2], strict=True))
    assert {home for (_, arm), home in homes.items() if arm == "tde"} == {"tde"}


def test_sets_of_testbeds_are_what_an_interval_rests_on() -> None:
    study = Study(concurrency=(4,), blocks=12, per_testbed=3)
    found = report_of(study)
    only = found.groups[0]
    assert (only.counted_blocks, only.units) == (12, 4)
    assert {t.generation for t in found.trials} == {1, 2, 3, 4}
    tde, plain, again = (
        [t.tps or 0 for t in found.trials if t.arm == arm]
        for arm in ("tde", "plain", "plain-control")
    )
    expected = intervals.estimate(intervals.both(plain, again), tde, [n // 3 for n in range(12)])
    assert expected is not None
    bounds = expected.change_bounds("loss")
    loss = only.row("tde").overhead
    assert bounds is not None and loss is not None
    assert (loss.low, loss.high) == pytest.approx((bounds.low, bounds.high), rel=1e-3)
    assert only.placement is not None
    assert group(replace(study, per_testbed=1)).placement is None


# -- how many blocks, and why


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (CALM, "6 blocks were asked for"),
        (
            replace(CALM, precision=0.02, wanted=9),
            "the pilot of 6 blocks asked for 9 in all to reach ±2 % of the ratio to the baseline: ",
        ),
        (
            replace(CALM, precision=0.02, wanted=127, noise=0.03),
            "capped at 30 blocks where the pilot asked for 127: ±",
        ),
    ],
)
def test_why_there_are_so_many_blocks(study: Study, words: str) -> None:
    found = group(study)
    assert found.blocks_why.startswith(words)
    if study.precision:
        assert found.planned_blocks == found.counted_blocks == min(30, study.wanted)
        assert found.block_plan is not None
        assert found.rows[0].planned_blocks == min(30, study.wanted)
        assert f"±{100 * (found.half_width or 0):.1f} % was reached" in found.blocks_why


def test_the_width_that_was_reached_is_on_the_scale_of_its_target() -> None:
    """CPU per transaction is almost three times that of the baseline, and known to ±2 % of it."""
    study = replace(CALM, precision=0.02, wanted=10, rate=20, noise=0.012, loss={"tde": 0.6})
    found = group(study)
    change = found.comparisons[0].findings[0].change
    assert found.primary == "cpuPerTransaction" and change is not None
    assert change.low is not None and change.high is not None
    assert found.half_width is not None and found.half_width < 0.02
    assert (change.high - change.low) / 2 > 0.022


@pytest.mark.parametrize("difference", [0.0, 0.06])
def test_luck_of_kept_testbeds_is_in_no_width_that_was_reached(difference: float) -> None:
    placement = {"plain-control": difference}
    study = replace(CALM, precision=0.02, wanted=8, noise=0.004, placement=placement)
    found = group(study).half_width
    assert found is not None and found < 0.006
    anew = group(replace(study, per_testbed=1)).half_width
    assert anew is not None and (anew > 0.02) == (difference > 0), "each set is another observation"


def test_a_pilot_that_was_never_over_says_so() -> None:
    index, bucket = write(replace(CALM, precision=0.02, wanted=9))
    early = index.model_copy(update={"block_plans": (), "trials": index.trials[:9]})
    found = build(early, bucket.__getitem__).groups[0]
    assert found.blocks_why == "the pilot of 6 blocks was not completed"
    assert found.planned_blocks == 6


def test_blocks_that_are_missing_are_said() -> None:
    index, bucket = write(replace(CALM, precision=0.02, wanted=9))
    early = index.model_copy(update={"trials": index.trials[:21]})
    found = build(early, bucket.__getitem__).groups[0]
    words = "7 of the 9 blocks that the pilot asked for ±2 % of the ratio to the baseline are valid"
    assert found.blocks_why.startswith(words)


# -- what limited TPS


def test_saturation_is_named() -> None:
    assert {row.saturation for row in group(CALM).rows} == {"Neither"}
    assert {row.saturation for row in group(replace(CALM, concurrency=(64,))).rows} == {
        "DatabaseBound"
    }
    client = group(replace(CALM, client_cpu=0.95)).row("plain")
    assert client.saturation == "ClientBound"
    unknown = frozenset((4, block, "tde") for block in range(1, 7))
    assert group(replace(CALM, without_cpu=unknown)).rows[0].saturation == "NotMeasured"


def test_work_is_equal_when_every_arm_keeps_up() -> None:
    equal, behind, none = (group(replace(CALM, rate=rate)) for rate in (100, 206, None))
    assert (equal.offered_tps, equal.equal_work, equal.primary) == (100, True, "cpuPerTransaction")
    assert (behind.equal_work, behind.primary) == (False, "tps")
    assert (none.offered_tps, none.equal_work, none.primary) == (None, None, "tps")
    assert (equal.kept_up, behind.kept_up, none.kept_up) == (True, False, None)


@pytest.mark.parametrize(
    ("waited", "blocks", "queued"),
    [
        ((29, 29), 6, ()),  # 0.05 s of arrivals, 4 threads and 20 by luck
        ((30, 0), 6, ("tde",)),  # a backlog of the warm-up, which the window works off
        ((0, 30), 6, ("tde",)),  # a queue that grows
        ((0, 30), 3, ("tde",)),
        ((0, 30), 2, ()),  # by chance
    ],
)
def test_latency_of_a_queue_has_no_verdict(
    waited: tuple[int, int], blocks: int, queued: tuple[str, ...]
) -> None:
    study = replace(CALM, rate=100)
    others = {(block, arm): (3, 3) for block in range(1, 7) for arm in ("plain", "tde")}
    long = {(block, "tde"): waited for block in range(1, blocks + 1)}
    found = group(replace(study, queue=others | long))
    assert (found.queued, found.kept_up) == (queued, not queued)
    assert (found.equal_work, found.primary) == (True, "cpuPerTransaction"), "TPS shows nothing"
    row = found.row("tde")
    assert (row.latency_average_verdict is None) is bool(queued)
    assert (row.latency_average_overhead is None) is bool(queued)
    assert row.latency_average_ms is not None, "what was measured is still there"
    assert row.cpu_per_transaction_verdict == "Overhead"


@pytest.mark.parametrize(
    ("lacking", "why"),
    [
        (slice(4, 5), "not every trial has it, so it is shown for none"),
        (slice(None), "no trial has it"),
    ],
)
def test_a_percentile_that_a_trial_lacks_has_no_verdict(lacking: slice, why: str) -> None:
    """Stalls have taken it, and the other blocks are those without stalls."""
    index, bucket = write(CALM)
    entries = list(index.trials)
    for place, entry in list(enumerate(entries))[lacking]:
        assert entry.key is not None
        record = decode(TrialRecord, bucket[entry.key], entry.key)
        assert record.result is not None
        result = record.result.model_copy(update={"latency_p95_ms": None})
        bucket[entry.key] = encode(record.model_copy(update={"result": result}))
        entries[place] = entry.model_copy(update={"digest": digest_of(bucket[entry.key])})
    found = build(index.model_copy(update={"trials": tuple(entries)}), bucket.__getitem__)
    row = found.groups[0].row("tde")
    assert (row.latency_p95_ms, row.latency_p95_verdict) == (None, None)
    assert row.latency_average_verdict is not None
    finding = found.groups[0].comparisons[0].finding("latencyP95")
    assert finding is not None
    assert finding.why == why


def test_latency_has_no_verdict_where_tps_is_below_the_rate() -> None:
    behind = group(replace(CALM, rate=206))
    assert (behind.kept_up, behind.queued) == (False, ())
    assert behind.row("tde").latency_average_verdict is None


def test_work_is_equal_by_what_arrives_in_all_windows() -> None:
    """The mode does 96 % of the rate, known to 1.1 % after six minutes and to 6 % after 12 s."""
    study = replace(CALM, rate=200, noise=0.001)
    found = [group(replace(study, seconds=seconds)).equal_work for seconds in (60, 2)]
    assert found == [False, True]
