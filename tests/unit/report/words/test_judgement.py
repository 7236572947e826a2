"""Why a verdict is what it is: the words of each obstacle."""

import pytest

from encbench.api.campaign import BlockPlan, Precision
from encbench.api.overheadreport import FigureVerdict, Interval
from encbench.core.statistics.verdict import Obstacle
from encbench.report.document.group import Finding
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from encbench.report.words.judgement import by_arm, is_better, why, why_so_many_blocks
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

MARGIN = 0.03


def finding(
    low: float | None,
    high: float | None,
    told: Obstacle | FigureVerdict,
    placement: tuple[float, float] | None = None,
    carried: float | None = None,
) -> Finding:
    middle = 0.05 if low is None or high is None else (low + high) / 2
    ends = placement or (None, None)
    is_verdict = told in ("Overhead", "Equivalent")
    return Finding(
        figure="latencyAverage",
        blocks=6,
        change=Interval(estimate=middle, low=low, high=high),
        placement=Interval(estimate=middle, low=ends[0], high=ends[1]) if placement else None,
        carried=carried,
        overhead_p=0.07,
        equivalent_p=0.08,
        verdict=told if is_verdict else "Inconclusive",
        obstacle=None if is_verdict else told,
        why="",
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            finding(None, None, "NoInterval").model_copy(update={"blocks": 1}),
            "one block gives no interval",
        ),
        # Of two campaigns, or on one set of testbeds.
        (
            finding(None, None, "NoInterval").model_copy(update={"blocks": 2}),
            "2 blocks are too few for an interval",
        ),
        (
            finding(0.04, 0.06, "Overhead"),
            "95 % interval [4.0, 6.0] % lies above the margin of 3 %, also after",
        ),
        (
            finding(0.04, 0.06, "Overhead", (0.035, 0.065)),
            "above the margin of 3 %, and so does the placement interval, also after",
        ),
        (finding(-0.01, 0.02, "Equivalent"), "95 % interval [−1.0, 2.0] % lies inside ±3 %"),
        (
            finding(0.04, 0.06, "Correction"),
            "would be Overhead, but not as one of 2 modes (Holm: p = 0.07)",
        ),
        (
            finding(-0.01, 0.02, "Correction"),
            "be Equivalent, but not as one of 2 modes (Holm: p = 0.08)",
        ),
        # A carry-over was noticed, and a claim held in spite of it.
        (
            finding(0.04, 0.06, "Correction", (0.035, 0.065), carried=0.002),
            "would be Overhead, but not as one of 2",
        ),
        (
            finding(0.04, 0.06, "Placement", (0.01, 0.09)),
            "would say Overhead, but the luck of one testbed each could explain that: placement "
            "interval [1.0, 9.0] %",
        ),
        (finding(-0.01, 0.02, "Placement", (-0.06, 0.07)), "would say Equivalent, but the luck"),
        (
            finding(0.04, 0.06, "CarryOver", (0.035, 0.065), carried=0.031),
            "would say Overhead, but who ran before shows in the baseline: what one arm leaves "
            "behind for the next could be up to 3.1 points of it",
        ),
        (
            finding(-0.1, -0.05, "BetterThanBaseline"),
            "average latency is lower than the baseline's by more than the margin of 3 %: neither",
        ),
        (
            finding(-0.1, -0.01, "BetterThanBaseline"),
            "latency was lower than the baseline's, possibly by more than the margin of 3 %",
        ),
        (
            finding(-0.1, -0.05, "Placement", (-0.4, 0.2)),
            "alone would say that it costs no more than the margin, but the luck of one testbed",
        ),
        (
            finding(-0.1, -0.05, "CarryOver", carried=0.2),
            "alone would say that it costs no more than the margin, but who ran before shows",
        ),
        (
            finding(-0.1, -0.05, "Correction"),
            "alone would say that it costs no more than the margin, but not as one of 2 modes (Ho",
        ),
        (
            finding(-0.01, 0.02, "KernelCipher"),
            "latency leaves out any cipher in the node's kernel, such as dm-crypt, so that it can",
        ),
        (
            finding(0.05, 0.05, "NoSpread"),
            "have almost the same ratio: so coarse a figure does not show how it scatters",
        ),
        (
            finding(0.01, 0.06, "TooWide"),
            "[1.0, 6.0] % lies neither above the margin of 3 % nor inside ±3 %",
        ),
    ],
)
def test_why(found: Finding, words: str) -> None:
    assert words in why(found, MARGIN, "2 modes")


def test_a_correction_that_failed_by_little_shows_it() -> None:
    found = finding(0.04, 0.06, "Correction").model_copy(update={"overhead_p": 0.0504})
    assert "(Holm: p = 0.0504)" in why(found, MARGIN, "2 modes")


@pytest.mark.parametrize(
    ("target", "half_width", "words"),
    [
        (0.02, 0.0204, "±2.04 % was reached, not ±2 % of the ratio"),
        (0.002, 0.0024, "±0.24 % was reached, not ±0.2 %"),
        (0.02, 0.035, "±3.5 % was reached, not ±2 %"),
        (0.02, 0.018, "±1.8 % was reached, which is within ±2 %"),
        (0.02, None, "no interval was reached, not ±2 %"),
    ],
)
def test_what_a_cap_reached(target: float, half_width: float | None, words: str) -> None:
    precision = {"precision": Precision(target_half_width=target)}
    spec = report_of(Study(loss={})).spec.model_copy(update=precision)
    plan = BlockPlan(
        **{"cell": "c", "instance": "small", "workload": "oltp", "concurrency": 4},
        **{"pilot_blocks": 6, "planned_blocks": 30, "wanted_blocks": 40, "capped": True},
    )
    assert words in why_so_many_blocks(spec, plan, 30, half_width, 0)


@pytest.mark.parametrize(
    ("found", "margin", "words"),
    [
        (finding(0.0026, 0.0034, "TooWide"), 0.003, "[0.26, 0.34] % lies neither above the margin"),
        (finding(0.0503, 0.08, "Overhead"), 0.05, "[5.03, 8.00] % lies above the margin of 5 %"),
        (finding(0.0497, 0.08, "TooWide"), 0.05, "[4.97, 8.00] % lies neither above the margin"),
        (finding(-0.01, 0.0201, "TooWide"), 0.02, "[−1.00, 2.01] % lies neither above the margin"),
        (finding(0.0031, 0.0034, "Overhead"), 0.003, "[0.31, 0.34] % lies above the margin of 0.3"),
        (finding(-0.0004, 0.0024, "Equivalent"), 0.0025, "[−0.040, 0.240] % lies inside ±0.25 %"),
        (
            finding(0.0031, 0.0034, "Placement", (0.0029, 0.0036)),
            0.003,
            "placement interval [0.29, 0.36] %",
        ),
    ],
)
def test_beside_a_small_margin_there_are_enough_decimals(
    found: Finding, margin: float, words: str
) -> None:
    assert words in why(found, margin, "")


def test_what_does_not_count_is_told_by_arm() -> None:
    """A rule may hit one mode more often than another, and a reader has to see that."""
    report = report_of(
        Study(concurrency=(4,), blocks=3, always={"tde": ("Invalid", "ClientThrottled")})
    )
    said = by_arm(report.trials)
    assert said.startswith("plain 0 of ")
    assert "tde 3 of 3" in said
    assert f"By arm: {said}." in markdown(report).replace("\\", "")
    assert f"By arm: {said}." in page(report)


@pytest.mark.parametrize(
    ("placement", "carried", "expected"),
    [
        (None, None, True),
        ((-0.07, -0.035), None, True),
        ((-0.3, 0.2), None, False),
        (None, 0.01, True),
        (None, 0.02, False),
    ],
)
def test_what_luck_or_carry_over_could_explain_is_not_better(
    placement: tuple[float, float] | None, carried: float | None, expected: bool
) -> None:
    found = finding(-0.06, -0.045, "BetterThanBaseline", placement, carried)
    assert is_better(found, MARGIN) is expected
    assert not is_better(found.model_copy(update={"obstacle": "Correction"}), MARGIN)


def test_what_the_cipher_s_own_cpu_could_undo_is_not_better() -> None:
    assert is_better(finding(-0.1, -0.05, "BetterThanBaseline"), MARGIN)
    assert not is_better(finding(-0.1, -0.05, "KernelCipher"), MARGIN)
