"""Why a verdict is what it is: the first obstacle, and its words."""

import pytest

from encbench.api.overheadreport import Interval, Verdict
from encbench.report.document.group import Finding
from encbench.report.words.judgement import JudgementReason, reason, why

MARGIN = 0.03


def finding(
    low: float | None, high: float | None, floor: float | None, verdict: Verdict = "Inconclusive"
) -> Finding:
    interval = Interval(estimate=0.05, low=low, high=high)
    return Finding(
        figure="latencyAverage",
        blocks=6,
        change=interval,
        change90=interval,
        noise_floor=floor,
        bar=None if floor is None else max(floor, MARGIN),
        overhead_p=0.07,
        equivalent_p=0.08,
        verdict=verdict,
        why="",
    )


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        (finding(None, None, None), JudgementReason.NO_INTERVAL, "one block gives no interval"),
        (
            finding(0.04, 0.06, 0.02, "Overhead"),
            JudgementReason.ABOVE_THE_BAR,
            "above the noise floor",
        ),
        (
            finding(-0.01, 0.02, 0.02, "Equivalent"),
            JudgementReason.WITHIN_THE_MARGIN,
            "inside ±3 %",
        ),
        (
            finding(0.04, 0.06, 0.02),
            JudgementReason.CORRECTION,
            "would be Overhead, but not as one of 2",
        ),
        (
            finding(-0.01, 0.02, None),
            JudgementReason.CORRECTION,
            "be Equivalent, but not as one of 2",
        ),
        (
            finding(0.04, 0.06, None),
            JudgementReason.NO_NOISE_FLOOR,
            "no noise floor to compare with",
        ),
        (
            finding(0.02, 0.06, 0.04),
            JudgementReason.NOISE_OVER_MARGIN,
            "±4.0 % is wider than the margin",
        ),
        (
            finding(0.035, 0.06, 0.04),
            JudgementReason.NOISE_OVER_MARGIN,
            "±4.0 % is wider than the margin",
        ),
        (
            finding(-0.1, -0.05, 0.02),
            JudgementReason.BETTER_THAN_BASELINE,
            "average latency is lower than",
        ),
        (finding(0.01, 0.06, 0.02), JudgementReason.TOO_WIDE, "too wide to lie on one side"),
    ],
)
def test_reason(found: Finding, expected: JudgementReason, words: str) -> None:
    assert reason(found, MARGIN) is expected
    assert words in why(found, MARGIN, "2 modes")
