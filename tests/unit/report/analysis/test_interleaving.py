"""What turns may have done to the figures, against figures computed by hand."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.overheadreport import Interval
from encbench.api.testbed import Arm
from encbench.core.plan import block_name
from encbench.core.statistics.intervals import t_quantile
from encbench.report.analysis.interleaving import carry_overs, interleaving
from encbench.report.analysis.pairs import Pairs
from encbench.report.document.interleaving import Interleaving, excludes_zero
from encbench.report.document.trial import RoundView, SlotView, TrialView
from encbench.report.figures import JUDGED, judged
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

ARMS = (
    Arm(name="plain", role="baseline", mode_ref="plain"),
    Arm(name="again", role="control", mode_ref="plain"),
    Arm(name="tde", role="treatment", mode_ref="tde"),
)
TURNS = "ptc tpc cpt ctp"
"""The arm of each slot by its letter, round by round; c is the control."""
PERIOD = 3.05


def trial(
    arm: Arm,
    tps: Sequence[float],
    *,
    block: int = 1,
    turns: str = TURNS,
    stopped: float = 0.03,
    spanned: int = 0,
) -> TrialView:
    """An arm with these TPS, 4 ms of CPU a transaction, and so much CPU in each stopped slot."""
    letter = {"plain": "p", "again": "c", "tde": "t"}[arm.name]
    own = [n for n, who in enumerate(turns.replace(" ", "")) if who == letter]
    rounds = [
        RoundView(
            slot=slot,
            seconds=2.5,
            transactions=round(2.5 * rate),
            all_transactions=round(3 * rate),
            database_cpu_seconds=0.004 * 2.5 * rate,
            database_side_cpu_seconds=0.004 * 2.5 * rate,
            client_cpu_seconds=0.5,
        )
        for slot, rate in zip(own, tps, strict=True)
    ]
    used = {one.slot: 0.004 * one.all_transactions for one in rounds}
    slots = [
        SlotView(
            slot=slot,
            seconds=PERIOD,
            cpu_seconds=used.get(slot, stopped),
            read_kib=0.0,
            write_kib=20 * PERIOD if slot in used else 2 * PERIOD,
        )
        for slot in range(len(turns.replace(" ", "")))
    ]
    everything = sum(one.all_transactions for one in rounds)
    return TrialView(
        name=f"{arm.name}-{block}",
        uid="u",
        testbed=arm.name,
        cell="cell",
        instance="small",
        workload="rw",
        concurrency=4,
        arm=arm.name,
        role=arm.role,
        block=block,
        order=1,
        outcome="Succeeded",
        home=arm.name,
        tps=sum(one.transactions for one in rounds) / (2.5 * len(rounds)),
        database_cpu_ms_per_transaction=4.0,
        database_side_cpu_ms_per_transaction=4.0,
        block_cpu_ms_per_transaction=1000 * sum(one.cpu_seconds for one in slots) / everything,
        rounds=tuple(rounds),
        slots=tuple(slots),
        spanned=spanned,
        key="k",
        digest="d",
    )


def found(*blocks: Mapping[str, TrialView], per_testbed: int = 0) -> Interleaving:
    by_number = {number: dict(of) for number, of in enumerate(blocks, 1)}
    one_set = per_testbed == 0
    pairs = Pairs(by_number, ARMS, lambda n: n if one_set else (n - 1) // per_testbed, one_set)
    solo, judging = replace(pairs, blocks={}), judged(recovery=False)
    turns = interleaving(pairs, solo, judging, carry_overs(pairs))
    assert turns is not None
    return turns


def block(
    plain: Sequence[float],
    again: Sequence[float],
    tde: Sequence[float],
    tde_stopped: float = 0.03,
    turns: str = TURNS,
) -> dict[str, TrialView]:
    p, c, t = ARMS
    return {
        "plain": trial(p, plain, spanned=10, turns=turns),
        "again": trial(c, again, turns=turns),
        "tde": trial(t, tde, stopped=tde_stopped, turns=turns),
    }


def test_cpu_over_the_whole_block_has_the_work_of_stopped_servers() -> None:
    turns = found(block([100] * 4, [100] * 4, [100] * 4, tde_stopped=0.15))
    plain, again, tde = turns.work
    # Two rounds, the shortest batch: 600 transactions take 2.4 s, and four stopped slots 0.12 s.
    assert plain.slices_cpu_ms == 4.0
    assert plain.block_cpu_ms == pytest.approx(4.2)
    assert plain.block_over_slices == Interval(estimate=0.05, low=0.05, high=0.05)
    assert plain.against_baseline is None
    assert again.block_over_slices == plain.block_over_slices
    assert tde.block_cpu_ms == pytest.approx(5.0)
    assert tde.block_over_slices is not None
    assert tde.block_over_slices.estimate == pytest.approx(0.25)
    assert tde.against_baseline is not None
    assert tde.against_baseline.estimate == pytest.approx(1.25 / 1.05 - 1, rel=1e-5)
    assert excludes_zero(tde.against_baseline)


def test_rates_are_of_own_slots_and_of_stopped_ones() -> None:
    plain, _, tde = found(block([100] * 4, [100] * 4, [100] * 4, tde_stopped=0.15)).work
    assert plain.running_cores == pytest.approx(1.2 / PERIOD, rel=1e-5)
    assert plain.stopped_cores == pytest.approx(0.03 / PERIOD, rel=1e-5)
    assert tde.stopped_cores == pytest.approx(0.15 / PERIOD, rel=1e-5)
    assert plain.running_write_kib_per_second == pytest.approx(20)
    assert plain.stopped_write_kib_per_second == pytest.approx(2)
    assert plain.stopped_read_kib_per_second == 0


def test_a_histogram_that_stops_keep_stalls_from_is_too_low() -> None:
    """Four threads under way at each of five stops, at 100 TPS: 40 ms by Little's law."""
    blocks = block([100] * 4, [100] * 4, [100] * 4)
    for arm, spanned in (("plain", 20), ("again", 16), ("tde", 0)):
        latency = {"latency_average_ms": 32.0, "spanned": spanned}
        blocks[arm] = blocks[arm].model_copy(update=latency)
    plain, again, tde = found(blocks).work
    assert plain.latency_too_low == pytest.approx(0.2)
    assert again.latency_too_low == 0.0, "32 ms by the same law"
    assert tde.latency_too_low == 0.0, "an earlier client counted fewer"


def test_a_percentile_that_stops_could_move_is_left_out() -> None:
    few, many = (report_of(replace(TURN_STUDY, spanned=share)) for share in (0.001, 0.05))
    assert all(trial.latency_p95_ms and trial.latency_percentiles_ms for trial in few.trials)
    for trial in many.trials:
        assert trial.latency_p95_ms is None
        assert set(trial.latency_percentiles_ms) <= {"50", "75"}
        assert trial.latency_average_ms is not None
    finding = many.groups[0].comparisons[0].finding("latencyP95")
    assert finding is not None
    assert finding.why == "stops may have moved it in a trial, so it is shown for none"


def test_transactions_without_latency_are_counted() -> None:
    plain, _, tde = found(block([100] * 4, [100] * 4, [100] * 4)).work
    assert (plain.transactions, plain.spanned, plain.spanned_share) == (1000, 10, 0.01)
    assert (tde.spanned, tde.spanned_share) == (0, 0)


def test_who_ran_before_shows_in_the_baseline_s_slots() -> None:
    # A slot after the treatment's has 4 % less: control in rounds 1 and 4, plain in 2 and 4.
    turns = found(block([100, 96, 100, 96], [96, 100, 100, 96], [100] * 4))
    tps, cpu, _ = turns.carry_over
    # Only round 2 has a slot of either kind: plain's after the treatment, control's after plain's.
    assert (tps.figure, cpu.figure) == ("tps", "cpuPerTransaction")
    assert tps.change.estimate == pytest.approx(0.96 - 1, rel=1e-5)
    assert cpu.change.estimate == pytest.approx(0, abs=1e-9)


def test_what_moved_tps_may_have_moved_latency_as_well() -> None:
    timed = {
        arm: one.model_copy(update={"latency_average_ms": 40.0})
        for arm, one in block([100] * 4, [100] * 4, [90] * 4).items()
    }
    cpu = JUDGED["cpuPerTransaction"].field
    pairs = Pairs({1: timed}, ARMS, lambda n: n, carried={"tps": 0.02, cpu: 0.01})
    for field, carried in (("tps", 0.02), ("latency_average_ms", 0.02), (cpu, 0.01)):
        one = pairs.estimate(field, "tde")
        assert one is not None and one.carried == carried


def test_a_block_with_an_unknown_slot_says_nothing_of_carry_over() -> None:
    torn = block([100] * 4, [100] * 4, [100] * 4)
    first, *rest = torn["tde"].rounds
    moved = replace(first, slot=40)
    torn["tde"] = torn["tde"].model_copy(update={"rounds": (moved, *rest)})
    assert found(torn).carry_over == ()


def test_what_blocks_of_one_set_share_is_one_observation() -> None:
    """Of CPU over the whole block as of carry-over: two sets have one degree of freedom."""
    slow, fast = [100, 96, 100, 96], [100, 100, 100, 100]
    of = [
        block(first, [96, 100, 100, 96], [100] * 4, tde_stopped=stopped)
        for first, stopped in ((slow, 0.05), (slow, 0.05), (fast, 0.15), (fast, 0.15))
    ]
    sets = found(*of, per_testbed=2)
    apart = sets.work[2].against_baseline, sets.carry_over[0].change
    # Four stopped slots beside 2.4 s of CPU for the transactions of two rounds.
    by_set = (2.6 / 2.52, 3.0 / 2.52), (0.96, 1.0)
    for change, ends in zip(apart, by_set, strict=True):
        assert change is not None and None not in (change.low, change.high)
        logs = [math.log(end) for end in ends]
        half = t_quantile(0.975, 1) * abs(logs[1] - logs[0]) / 2
        middle = sum(logs) / 2
        assert change.estimate == pytest.approx(math.expm1(middle), abs=0.002)
        assert change.high == pytest.approx(math.expm1(middle + half), abs=0.02)


def test_neighbours() -> None:
    up, down = 100 * math.exp(0.01), 100 * math.exp(-0.01)
    # Counted transactions are whole, so that there must be many.
    many = [1000 * rate for rate in (up, up, down, down)]
    one = block([100_000] * 4, [100_000] * 4, many)
    turns = found(one, one)
    control, tde = turns.neighbours
    # Two series of four: of products 1, -1 and 1 each; 2 / 8 by 6 pairs of 8 values.
    assert (tde.arm, tde.round_pairs) == ("tde", 6)
    assert tde.rounds == pytest.approx(1 / 3, rel=1e-3)
    assert (tde.observations, tde.observation_pairs, tde.matters) == (None, 0, False)
    assert (control.arm, control.rounds) == ("again", None), "no spread, no autocorrelation"


def test_where_blocks_are_the_observations_their_neighbours_are_blocks() -> None:
    rates = [1.02, 1.01, 1.0, 0.99, 0.98, 0.97]
    turns = found(*(block([1000] * 4, [1000] * 4, [1000 * rate] * 4) for rate in rates))
    (tde,) = [one for one in turns.neighbours if one.arm == "tde"]
    assert (tde.round_pairs, tde.observation_pairs) == (18, 5)
    assert tde.observations is not None
    # Deviations of 2.5, 1.5, 0.5 and so on: products of 8.75 in all by squares of 17.5.
    assert tde.observations == pytest.approx(8.75 / 17.5 * 6 / 5, rel=0.01)


def test_the_neighbours_of_a_set_of_testbeds_are_other_sets() -> None:
    """What blocks on one set share is that set's luck, of which intervals know."""
    luck = [1.02, 0.98, 1.01, 0.99, 1.02, 0.98]
    rates = [rate for rate in luck for _ in range(2)]
    of = [block([1000] * 4, [1000] * 4, [1000 * rate] * 4) for rate in rates]
    for per_testbed, pairs, matters in ((0, 11, False), (2, 5, False)):
        (tde,) = [one for one in found(*of, per_testbed=per_testbed).neighbours if one.arm == "tde"]
        assert (tde.observation_pairs, tde.matters) == (pairs, matters)
    assert tde.observations is not None
    assert tde.observations < -0.5, "the sets alternate"


def test_without_a_server_s_readings_the_rest_is_there() -> None:
    blind = {
        arm: one.model_copy(update={"slots": (), "block_cpu_ms_per_transaction": None})
        for arm, one in block([100] * 4, [100] * 4, [100] * 4).items()
    }
    turns = found(blind)
    assert [work.block_cpu_ms for work in turns.work] == [None] * 3
    assert [work.block_over_slices for work in turns.work] == [None] * 3
    assert [work.stopped_cores for work in turns.work] == [None] * 3
    assert turns.work[0].transactions == 1000


def changed(
    turns: Mapping[str, TrialView], change: Callable[[int, RoundView], dict[str, Any]]
) -> dict[str, TrialView]:
    """With the rounds' figures that `change` gives for each round and its number."""
    return {
        arm: one.model_copy(
            update={
                "rounds": tuple(
                    replace(row, **change(number, row)) for number, row in enumerate(one.rounds)
                )
            }
        )
        for arm, one in turns.items()
    }


def slowed(turns: Mapping[str, TrialView], server: float, client: float) -> dict[str, TrialView]:
    """Every second slice of each arm with so many times the CPU."""
    return changed(
        turns,
        lambda number, row: {
            "database_cpu_seconds": (row.database_cpu_seconds or 0) * server ** (number % 2),
            "client_cpu_seconds": row.client_cpu_seconds * client ** (number % 2),
        },
    )


def test_the_machine_s_speed_is_what_server_and_client_feel_alike() -> None:
    even = block([100] * 4, [100] * 4, [80] * 4)
    assert (found(even).speed_spread, found(even).speed_slices) == (0.0, 12)
    # Of each trial two slices are half of ln 1.1 above its mean and two below: 4 / 3 of a quarter.
    both = found(slowed(even, server=1.1, client=1.1)).speed_spread
    assert both == pytest.approx(math.log(1.1) / math.sqrt(3), rel=1e-5)
    assert found(slowed(even, server=1.1, client=1.0)).speed_spread == 0.0
    assert found(slowed(even, server=1.1, client=0.9)).speed_spread == 0.0


def test_a_spread_of_few_slices_or_of_unknown_cpu_is_not_told() -> None:
    short = found(block([100] * 3, [100] * 3, [100] * 3, turns="ptc tpc cpt"))
    assert (short.speed_spread, short.speed_slices) == (None, 9)
    slow = found(block([100] * 4, [100] * 4, [79] * 4))
    assert slow.speed_slices == 8, "198 transactions a slice are too few"
    even = block([100] * 4, [100] * 4, [100] * 4)
    blind = found(changed(even, lambda *_: {"database_cpu_seconds": None}))
    assert (blind.speed_spread, blind.speed_slices) == (None, 0)


# ------------------------------------------------------------------- of whole reports

PROXIED = dict.fromkeys(("plain", "plain-control", "tde"), 3.0)

TURN_STUDY = Study(concurrency=(4,), blocks=1, rounds=30)
QUIET = dict.fromkeys(("plain", "plain-control", "tde"), 0.0)


def titles(study: Study) -> set[str]:
    return {caveat.title for caveat in report_of(study).caveats}


ABOUT_TURNS = {
    "Sequential blocks give another answer",
    "CPU per transaction depends on what is counted",
    "Servers work while their clients are stopped",
    "Neighbouring observations are alike",
    "Who ran before shows",
    "Latency leaves out interrupted transactions",
    "The machine's speed changes",
}


def test_a_sequential_campaign_has_none_of_this() -> None:
    found = report_of(Study(concurrency=(4,), blocks=2))
    assert found.groups[0].interleaving is None
    assert not ABOUT_TURNS & {caveat.title for caveat in found.caveats}


@pytest.mark.parametrize(
    ("study", "expected"),
    [
        (replace(TURN_STUDY, background=QUIET), ""),
        (TURN_STUDY, "Servers work while their clients are stopped"),
        (
            replace(TURN_STUDY, background={"tde": 0.1}),
            "CPU per transaction depends on what is counted",
        ),
        (
            replace(TURN_STUDY, background={"plain": 0.1, "plain-control": 0.1}),
            "CPU per transaction depends on what is counted",
        ),
        (replace(TURN_STUDY, carry=0.05), "Who ran before shows"),
        (replace(TURN_STUDY, sticky=0.95, rounds=100), "Neighbouring observations are alike"),
        (replace(TURN_STUDY, spanned=0.05), "Latency leaves out interrupted transactions"),
        (replace(TURN_STUDY, speed=0.08), "The machine's speed changes"),
        # Its transactions are of five kinds, whose mix differs from slice to slice.
        (replace(TURN_STUDY, speed=0.08, tpcc=True, background=QUIET), ""),
        (
            replace(TURN_STUDY, solo=6, solo_loss=0.1, noise=0.004),
            "Sequential blocks give another answer",
        ),
    ],
)
def test_caveats_about_turns(study: Study, expected: str) -> None:
    own = titles(study) & ABOUT_TURNS
    if expected:
        assert expected in own
    else:
        assert own == set()


def test_a_verdict_holds_in_spite_of_carry_over() -> None:
    """Only one that was noticed counts against a verdict."""
    quiet, moved = (report_of(replace(TURN_STUDY, carry=carry)) for carry in (0.0, 0.05))
    (of_quiet,), (of_moved,) = quiet.groups[0].comparisons, moved.groups[0].comparisons
    assert {finding.carried for finding in of_quiet.findings} == {None}
    tps = of_moved.finding("tps")
    turns = moved.groups[0].interleaving
    assert tps is not None and tps.carried is not None and turns is not None
    change = turns.carry_over[0].change
    assert change.low is not None and change.high is not None
    widest = max(abs(math.log1p(end)) for end in (change.low, change.high))
    assert tps.carried == pytest.approx(math.expm1(widest), rel=1e-3)
    # The losses are alike; what the arms leave behind takes the certainty away.
    before = of_quiet.finding("tps")
    assert before is not None and None not in (before.overhead_p, tps.overhead_p)
    assert (tps.overhead_p or 0) > (before.overhead_p or 0)


def test_solo_blocks_are_compared_and_are_in_nothing_else() -> None:
    study = replace(TURN_STUDY, solo=3)
    with_solo, without = report_of(study).groups[0], report_of(TURN_STUDY).groups[0]
    assert with_solo.rows == without.rows
    assert with_solo.latency == without.latency
    plan = report_of(study).spec.blocks
    assert [(block_name(plan, b.block), b.solo, b.counted) for b in with_solo.blocks] == [
        ("1", False, True),
        ("solo 1", True, True),
        ("solo 2", True, True),
        ("solo 3", True, True),
    ]
    turns = with_solo.interleaving
    assert turns is not None
    check = turns.solo[0]
    assert (check.arm, check.figure, check.blocks) == ("tde", "tps", 3)
    assert check.interleaved == with_solo.comparisons[0].loss
    a, b, apart = check.solo, check.interleaved, check.difference
    assert None not in (a.low, a.high, b.low, b.high, apart.low, apart.high)
    assert apart.estimate == pytest.approx(b.estimate - a.estimate, abs=1e-6)
    # MOVER: how far each end reaches, as the root of the sum of both squares.
    below = math.hypot(b.estimate - (b.low or 0), (a.high or 0) - a.estimate)
    assert apart.low == pytest.approx(apart.estimate - below, abs=1e-5)


def test_both_readings_of_the_server_leave_the_proxy_out() -> None:
    turns = report_of(replace(TURN_STUDY, proxy=PROXIED, background=QUIET)).groups[0].interleaving
    assert turns is not None
    for work in turns.work:
        assert work.slices_cpu_ms is not None and work.block_over_slices is not None
        ratio = (work.block_cpu_ms or 0.0) / work.slices_cpu_ms
        assert ratio - 1 == pytest.approx(work.block_over_slices.estimate, abs=0.003)


def test_rows_have_what_the_arm_s_own_slices_had() -> None:
    """The node's CPU is of all arms alike, so that it has no difference."""
    found = report_of(TURN_STUDY).groups[0]
    tde, comparison = found.row("tde"), found.comparisons[0]
    assert comparison.loss is not None and tde.tps is not None
    plain = found.row("plain").tps
    assert plain is not None
    assert 1 - tde.tps / plain == pytest.approx(comparison.loss.estimate, abs=1e-5)
    assert tde.client_cpu_cores == pytest.approx((tde.client_cpu_percent or 0) / 100 * 2, rel=1e-4)
    assert (tde.node_cpu_percent, tde.node_cpu_points) != (None, None)
    assert tde.node_cpu_points is None and tde.database_cpu_points is not None


def test_cpu_of_several_clients_is_shown_of_one() -> None:
    one, three = (
        report_of(replace(TURN_STUDY, more_clients=more)).trials[0].client_cpu_cores
        for more in ((), ((0.0, 1.0), (0.0, 1.0)))
    )
    assert one is not None and three == pytest.approx(one / 3, rel=1e-4)
