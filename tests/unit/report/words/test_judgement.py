"""Why a verdict is what it is: the first obstacle, and its words."""

import pytest

from encbench.api.overheadreport import Interval, Verdict
from encbench.report.document.group import Finding
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from encbench.report.words.judgement import JudgementReason, by_arm, reason, why
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

MARGIN = 0.03


def finding(
    low: float | None,
    high: float | None,
    verdict: Verdict = "Inconclusive",
    placement: tuple[float, float] | None = None,
    carried: float | None = None,
) -> Finding:
    interval = Interval(estimate=0.05, low=low, high=high)
    ends = placement or (None, None)
    return Finding(
        figure="latencyAverage",
        blocks=6,
        change=interval,
        placement=Interval(estimate=0.05, low=ends[0], high=ends[1]) if placement else None,
        carried=carried,
        overhead_p=0.07,
        equivalent_p=0.08,
        verdict=verdict,
        why="",
    )


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        (
            finding(None, None).model_copy(update={"blocks": 1}),
            JudgementReason.NO_INTERVAL,
            "one block gives no interval",
        ),
        # Of two campaigns, or on one set of testbeds.
        (
            finding(None, None).model_copy(update={"blocks": 2}),
            JudgementReason.NO_INTERVAL,
            "2 blocks are too few for an interval",
        ),
        (
            finding(0.04, 0.06, "Overhead"),
            JudgementReason.ABOVE_THE_MARGIN,
            "95 % interval [4.0, 6.0] % lies above the margin of 3 %, also after",
        ),
        (
            finding(0.04, 0.06, "Overhead", (0.035, 0.065)),
            JudgementReason.ABOVE_THE_MARGIN,
            "above the margin of 3 %, and so does the placement interval, also after",
        ),
        (
            finding(-0.01, 0.02, "Equivalent"),
            JudgementReason.WITHIN_THE_MARGIN,
            "95 % interval [−1.0, 2.0] % lies inside ±3 %",
        ),
        (finding(0.04, 0.06), JudgementReason.CORRECTION, "would be Overhead, but not as one of 2"),
        (finding(-0.01, 0.02), JudgementReason.CORRECTION, "be Equivalent, but not as one of 2"),
        (
            finding(0.04, 0.06, placement=(0.035, 0.065)),
            JudgementReason.CORRECTION,
            "would be Overhead, but not as one of 2",
        ),
        (
            finding(0.04, 0.06, placement=(0.01, 0.09)),
            JudgementReason.PLACEMENT,
            "would say Overhead, but the luck of one testbed each could explain that: placement "
            "interval [1.0, 9.0] %",
        ),
        (
            finding(-0.01, 0.02, placement=(-0.06, 0.07)),
            JudgementReason.PLACEMENT,
            "would say Equivalent, but the luck",
        ),
        (
            finding(0.04, 0.06, placement=(0.035, 0.065), carried=0.031),
            JudgementReason.CARRY_OVER,
            "what one arm leaves behind for the next could be up to 3.1 points of it",
        ),
        (
            finding(-0.1, -0.05),
            JudgementReason.BETTER_THAN_BASELINE,
            "average latency is lower than",
        ),
        (
            finding(0.01, 0.06),
            JudgementReason.TOO_WIDE,
            "[1.0, 6.0] % lies neither above the margin of 3 % nor inside ±3 %",
        ),
    ],
)
def test_reason(found: Finding, expected: JudgementReason, words: str) -> None:
    assert reason(found, MARGIN) is expected
    assert words in why(found, MARGIN, "2 modes")


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
