"""What the blocks show: intervals, noise floors, the number of blocks, and the verdict.

The trial is the unit, never the per-second sample, and trials are compared only within their block.
All of it is pure. docs/design/0003-verdict.md gives the reasons. On simulated campaigns
tests/calibration shows that the intervals and verdicts keep their error rates.
"""
