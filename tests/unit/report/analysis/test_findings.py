"""How a figure of several modes was judged, and what the report makes of that."""

import math
from dataclasses import replace

import pytest

from encbench.core.statistics.intervals import Estimate, t_quantile
from encbench.report.analysis.demand import MeasuringPace, demand
from encbench.report.analysis.findings import judge
from encbench.report.document.group import Finding
from encbench.report.figures import TPS
from encbench.report.words import decision

MARGIN = 0.05
PACE = MeasuringPace(rounds=0, counted=9, blocks=1, group=2, least=0, block_seconds=400)


def case(loss: float, half: float, carried: float = 0.0) -> Estimate:
    """Nine blocks whose 95 % interval on the log scale is ±half about the given loss."""
    error = half / t_quantile(0.975, 8)
    mean = math.log1p(-loss)
    return Estimate(n=9, mean=mean, deviation=error * 3, units=9, error=error, carried=carried)


def test_a_finding_of_an_earlier_report_is_read() -> None:
    """It has no obstacle."""
    change = {"estimate": 0.05, "low": 0.01, "high": 0.09}
    stored = {"figure": "tps", "blocks": 9, "change": change}
    found = Finding.model_validate({**stored, "verdict": "Inconclusive", "why": "wide"})
    assert found.obstacle is None


def findings(**measured: Estimate) -> dict[str, Finding]:
    return judge(TPS, measured, None, MARGIN, "modes", 9)


def test_a_small_carry_over_takes_no_blame_for_the_correction() -> None:
    """By itself the mode has a verdict in spite of the carry-over; beside another it has none."""
    one, other = case(0.073, 0.0217, carried=0.0003), case(0.05, 0.05, carried=0.0003)
    alone = findings(one=one)["one"]
    assert (alone.verdict, alone.obstacle) == ("Overhead", None)
    assert alone.overhead_p == pytest.approx(0.033, abs=5e-4)
    found = findings(one=one, other=other)["one"]
    assert found.carried is not None
    assert (found.verdict, found.obstacle) == ("Inconclusive", "Correction")
    assert found.why == (
        "by itself it would be Overhead, but not as one of 2 modes (Holm: p = 0.066)"
    )
    asked = demand(found, one, MARGIN, PACE)
    assert asked is not None and asked.blocks
    said = decision.so(found.model_copy(update={"demand": asked}), None, MARGIN)
    assert said.startswith("So an interval of ±1 % takes about ")


def test_a_carry_over_that_explains_a_claim_is_told() -> None:
    one = case(0.10, 0.02)
    assert findings(one=one)["one"].obstacle is None
    found = findings(one=replace(one, carried=0.04))["one"]
    assert (found.verdict, found.obstacle) == ("Inconclusive", "CarryOver")
    assert "could be up to 4.1 points of it" in found.why
    assert demand(found, one, MARGIN, PACE) is None
    assert decision.so(found, None, MARGIN).startswith(
        "So measure with a longer blocks.interleave.settle"
    )
