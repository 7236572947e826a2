"""Do the intervals hold what they promise, and the verdicts? Simulated campaigns say.

`make calibration` prints the figures of 2,000 campaigns of each kind, `make test-full` those of
10,000. The draws are seeded: the same figures each time. With 2,000 campaigns a share is known to
±1 % (two standard errors of a coverage of 95 % or of an error of 5 %).
"""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.calibration.campaigns import Design, Outcome, compared, order_of, planned_order, run
from tests.calibration.machine import Noise
from tests.calibration.turns import Interleaved, SlotNoise, TurnsOutcome, run_turns

CAMPAIGNS = 2000
MANY = 10_000
SEED = 20260101

QUIET, CALM, USUAL = Noise(0.02), Noise(0.03), Noise(0.07)
ROUGH, POINT_SELECT = Noise(0.14), Noise(0.26)
LUCKY = CALM.with_placement(0.015)
SWITCHING = Noise(0.08, drift=0.1, wave=0.1, memory=0.5, rho=0.3, speeds=1.6)
REMEMBERING = Noise(0.08, drift=0.0, wave=0.0, memory=1.0, rho=0.9)
UNEQUAL = replace(CALM, treated=2.0)
PRECISE = Design(target=0.005, margin=0.01)

Say = Callable[[str], None]

SCENARIOS = {
    "quiet (repeats differ by 2 %)": (QUIET, Design()),
    "calm (3 %)": (CALM, Design()),
    "calm, testbeds built anew each block": (CALM, Design(per_testbed=1)),
    "usual (7 %)": (USUAL, Design()),
    "rough (14 %)": (ROUGH, Design()),
    "point select (26 %)": (POINT_SELECT, Design()),
    "six blocks, no precision asked for": (USUAL, Design(target=None)),
    "three modes": (CALM, Design(modes=3)),
    "three modes, testbeds built anew": (CALM, Design(modes=3, per_testbed=1)),
    "testbeds' luck 1.5 %, built anew each block": (LUCKY, Design(per_testbed=1)),
    "the same, every second block": (LUCKY, Design(pilot=8, per_testbed=2)),
    "machine of two speeds, 1 to 1.6": (SWITCHING, Design()),
    "two speeds, six blocks": (SWITCHING, Design(target=None)),
    "two speeds, testbeds built anew": (SWITCHING, Design(per_testbed=1)),
    "AR(1) noise alone, 0.9 from trial to trial": (REMEMBERING, Design(per_testbed=1)),
    "mode twice as noisy as plaintext": (UNEQUAL, Design()),
    "twice as noisy, testbeds built anew": (UNEQUAL, Design(per_testbed=1)),
    "fixed rate: CPU per transaction": (CALM, Design(sense="increase", per_testbed=1)),
}
"""What a user may meet. Everywhere the interval has to hold."""

KEPT = {
    "luck 1.5 %": (LUCKY, Design()),
    "luck 0.5 %, very little noise": (Noise(0.005, placement=0.005), Design(target=None, pilot=12)),
    "luck 1.5 %, noise 1 %, target 0.5 %, margin 1 %": (Noise(0.01, placement=0.015), PRECISE),
    "luck 3 %, three modes, margin 2 %": (CALM.with_placement(0.03), Design(modes=3, margin=0.02)),
    "luck 1.5 %, mode twice as noisy": (UNEQUAL.with_placement(0.015), Design()),
    "luck 3 %, machine of two speeds": (SWITCHING.with_placement(0.03), Design()),
}
"""One set of testbeds for the whole campaign, with luck. The interval does not hold, as its report
says; the verdict has to."""


SLOTS = SlotNoise()
TURNS = {
    "one block of 40 rounds": (SLOTS, Interleaved()),
    "two blocks of 20": (SLOTS, Interleaved(blocks=2, rounds=20)),
    "six blocks of 10": (SLOTS, Interleaved(blocks=6, rounds=10)),
    "six blocks of 10, testbeds built anew": (
        replace(SLOTS, placement=0.015),
        Interleaved(blocks=6, rounds=10, rebuilt=True),
    ),
    "machine of two speeds, 1 to 1.6": (replace(SLOTS, speeds=1.6), Interleaved()),
    "mode twice as noisy as plaintext": (replace(SLOTS, treated=2.0), Interleaved()),
    "the mode's work slows the next slot by 0.5 %": (SLOTS, Interleaved(carry=0.005)),
}
"""Interleaved blocks, where the interval has to hold."""

CARRYING = {
    "testbeds' luck 1.5 %": (replace(SLOTS, placement=0.015), Interleaved()),
    "the mode's work slows the next slot by 1 %": (SLOTS, Interleaved(carry=0.01)),
    "the mode's work slows the next slot by 2 %": (SLOTS, Interleaved(carry=0.02)),
    "the mode's work slows the next slot by 5 %": (SLOTS, Interleaved(carry=0.05)),
}
"""Where it does not, as the report says: luck never varies, and a stopped arm's work is charged to
the others. The verdict has to."""


@pytest.fixture(
    scope="module",
    params=[CAMPAIGNS, pytest.param(MANY, marks=pytest.mark.full)],
    ids="{:,} campaigns".format,
)
def campaigns(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture(scope="module")
def outcomes(campaigns: int) -> dict[str, Outcome]:
    return {name: run(*scenario, campaigns, SEED) for name, scenario in SCENARIOS.items()}


def slack(campaigns: int) -> float:
    """Two standard errors of a share of 5 %: where a test is exact, its figure scatters about 5 %.

    No scenario may be wrong more often than that even where the true cost is the margin itself.
    """
    return 2 * math.sqrt(0.05 * 0.95 / campaigns)


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Print past pytest's capture: these figures are the point of the exercise."""

    def out(text: str) -> None:
        with capsys.disabled():
            print(text)

    return out


def _table(outcomes: dict[str, Outcome]) -> str:
    width = max(map(len, outcomes))
    count = next(iter(outcomes.values())).campaigns
    lines = [
        "",
        f"{count:,} simulated campaigns of each kind; margin 5 %, target ±2 % and 6 to 30 blocks, "
        "unless another is named. Verdicts are wrong if the modes cost just the margin.",
        f"{'':{width}}  95 % covers  half-width  blocks  capped  wrong Overhead  wrong Equivalent  "
        "naive covers  naive wrong",
    ]
    lines += [
        f"{name:{width}}  {one.coverage:11.1%}  {one.half_width:10.1%}  {one.blocks:6.1f}  "
        f"{one.capped:6.0%}  {one.wrong_overhead:14.1%}  "
        f"{one.wrong_equivalent:16.1%}  {one.naive_coverage:12.1%}  {one.naive_overhead:11.1%}"
        for name, one in outcomes.items()
    ]
    return "\n".join(lines)


def _hold(outcomes: dict[str, Outcome]) -> None:
    for name, one in outcomes.items():
        limit = 0.05 + slack(one.campaigns)
        assert one.wrong_overhead <= limit, name
        assert one.wrong_equivalent <= limit, name
        assert one.overhead <= 0.05, name


def test_the_interval_covers_and_wrong_verdicts_are_rare(
    outcomes: dict[str, Outcome], say: Say
) -> None:
    say(_table(outcomes))
    for name, one in outcomes.items():
        # 93 % is the limit of 10,000 campaigns; of fewer, the share scatters more by chance.
        less_known = slack(one.campaigns) - slack(MANY)
        assert 0.93 - less_known <= one.coverage <= 0.97, name
    _hold(outcomes)


def test_luck_of_placement_makes_no_verdict(campaigns: int, say: Say) -> None:
    # The limit of a campaign on one set of testbeds, which its report has a caveat for: what never
    # varies is in no interval. The placement interval keeps it from making a verdict.
    found = {name: run(*scenario, campaigns, SEED) for name, scenario in KEPT.items()}
    say(_table(found))
    assert found["luck 1.5 %"].coverage < 0.80
    assert found["luck 0.5 %, very little noise"].equivalent > 0.5, "else it would never say it"
    _hold(found)


def _turns_table(outcomes: dict[str, TurnsOutcome]) -> str:
    width = max(map(len, outcomes))
    count = next(iter(outcomes.values())).campaigns
    lines = [
        "",
        f"{count:,} simulated campaigns of interleaved blocks of each kind, three arms, slices of "
        "3 s; margin 5 %.",
        f"{'':{width}}  95 % covers  half-width  wrong Overhead  wrong Equivalent  "
        "carry-over noticed  correlation noticed",
    ]
    lines += [
        f"{name:{width}}  {one.coverage:11.1%}  {one.half_width:10.1%}  "
        f"{one.wrong_overhead:14.1%}  {one.wrong_equivalent:16.1%}  {one.carried:18.1%}  "
        f"{one.correlated:19.1%}"
        for name, one in outcomes.items()
    ]
    return "\n".join(lines)


def test_interleaved_blocks_hold_what_they_promise(campaigns: int, say: Say) -> None:
    found = {name: run_turns(*scenario, campaigns, SEED) for name, scenario in TURNS.items()}
    say(_turns_table(found))
    limit = 0.05 + slack(campaigns)
    for name, one in found.items():
        assert 0.93 <= one.coverage <= 0.97, name
        assert max(one.wrong_overhead, one.wrong_equivalent) <= limit, name
        assert one.carried <= limit or "slows the next" in name, name


def test_what_interleaving_cannot_see_is_noticed(campaigns: int, say: Say) -> None:
    found = {name: run_turns(*scenario, campaigns, SEED) for name, scenario in CARRYING.items()}
    say(_turns_table(found))
    for name, one in found.items():
        assert max(one.wrong_overhead, one.wrong_equivalent) <= 0.05 + slack(campaigns), name
    lucky, *_, carried = found.values()
    assert lucky.coverage < 0.80
    assert carried.coverage < 0.93
    assert carried.carried > 0.5


def test_two_campaigns_of_one_cost_are_not_said_to_differ(campaigns: int, say: Say) -> None:
    kept = Design(pilot=24, target=None, cost=0.08)
    anew = replace(kept, per_testbed=1)
    for luck in (0.0, 0.015, 0.03):
        shares = [
            compared(CALM.with_placement(luck), designs, campaigns, SEED)
            for designs in ((kept, kept), (kept, anew), (anew, anew))
        ]
        said = ", ".join(f"{share:.1%}" for share in shares)
        say(f"compare, luck {luck:.1%}: a difference of nothing in {said} (kept, one kept, anew)")
        assert max(shares) <= 0.05 + slack(campaigns), luck


def test_without_the_rule_three_modes_give_false_alarms(outcomes: dict[str, Outcome]) -> None:
    # That the rule finds nothing is its doing, and not the simulation's: the bare interval does.
    one, three = outcomes["calm (3 %)"], outcomes["three modes"]
    assert one.overhead_by_interval >= 0.015
    assert three.overhead_by_interval >= 0.05


def test_the_noise_is_that_of_the_machines_measured(outcomes: dict[str, Outcome]) -> None:
    for name, (noise, _) in SCENARIOS.items():
        if not noise.placement and noise.speeds == 1:
            assert outcomes[name].cv == pytest.approx(noise.cv, rel=0.25), name


def test_the_naive_estimator_fails_on_the_same_draws(outcomes: dict[str, Outcome]) -> None:
    for name in ("usual (7 %)", "rough (14 %)", "point select (26 %)"):
        assert outcomes[name].naive_coverage < 0.60, name
    assert outcomes["rough (14 %)"].naive_overhead > 0.10
    assert outcomes["point select (26 %)"].naive_overhead > 0.20


def test_a_real_cost_is_found_and_a_small_one_is_ruled_out(say: Say) -> None:
    # Else a rule that never says anything would pass.
    large = run(CALM, Design(cost=0.12, per_testbed=1), CAMPAIGNS, SEED)
    kept = run(CALM, Design(cost=0.12), CAMPAIGNS, SEED)
    small = run(QUIET, Design(cost=0.01, per_testbed=1), CAMPAIGNS, SEED)
    say(
        f"\na cost of 12 % on a calm machine: {large.overhead:.1%} Overhead, interval covers "
        f"{large.coverage:.1%} ({kept.overhead:.1%} on one set of testbeds); of 1 % on a quiet "
        f"one: {small.equivalent:.1%} Equivalent, {small.overhead:.1%} Overhead"
    )
    assert large.overhead >= 0.95
    assert kept.overhead >= 0.85
    assert 0.93 <= large.coverage <= 0.97
    assert small.equivalent >= 0.90
    assert small.overhead == 0


def test_a_pilot_of_two_is_too_small(say: Say) -> None:
    # Why the API refuses precision with fewer than four blocks.
    two, four = (run(Noise(0.01), Design(pilot=n), CAMPAIGNS, SEED) for n in (2, 4))
    say(f"\na pilot of two blocks: covers {two.coverage:.1%}; of four: {four.coverage:.1%}")
    assert two.coverage < 0.93
    assert 0.93 <= four.coverage <= 0.97


@pytest.mark.parametrize("seed", [0, 1, 17])
def test_the_order_is_the_planners(seed: int) -> None:
    for design in (Design(), Design(modes=3)):
        assert order_of(design, seed, 30) == planned_order(design, seed, 30)
