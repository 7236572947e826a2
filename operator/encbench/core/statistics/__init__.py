"""What the blocks show: intervals, noise floors, the number of blocks, and the verdict.

The trial is the unit, never the per-second sample, and trials are compared only within their block.
Each file has one subject:

- `intervals`: the paired interval on log-ratios of one arm against the baseline;
- `verdict`: noise floor, and what may be said about all modes of one condition (Holm);
- `precision`: how many blocks a pilot asks for (two stages);
- `saturation`: what limited the throughput.

All of it is pure. docs/design/0003-verdict.md gives the reasons. On simulated
campaigns tests/calibration shows that the intervals and verdicts keep their error rates.
"""

from encbench.core.statistics.intervals import (
    EQUIVALENCE_LEVEL,
    LEVEL,
    Bounds,
    Estimate,
    Sense,
    estimate,
    geometric_mean,
    t_quantile,
)
from encbench.core.statistics.verdict import Judgement, Verdict, judge, noise_floor

__all__ = [
    "EQUIVALENCE_LEVEL",
    "LEVEL",
    "Bounds",
    "Estimate",
    "Judgement",
    "Sense",
    "Verdict",
    "estimate",
    "geometric_mean",
    "judge",
    "noise_floor",
    "t_quantile",
]
