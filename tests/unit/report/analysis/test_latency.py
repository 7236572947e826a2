"""Percentiles of latency: of one trial, and over blocks."""

import math
from itertools import pairwise

import pytest

from encbench.core.statistics.histogram import percentile
from encbench.report.analysis.latency import BEYOND, PERCENTILES, distributions, percentiles
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

EVEN = tuple((float(ms), 100) for ms in range(1, 1001))


def test_every_percentile_with_enough_transactions_beyond_it() -> None:
    found = percentiles(EVEN)
    assert list(found) == list(PERCENTILES)
    assert found == {name: percentile(EVEN, float(name)) for name in PERCENTILES}


@pytest.mark.parametrize(("count", "last"), [(19, None), (20, "50"), (999, "95"), (1001, "99")])
def test_a_percentile_needs_transactions_beyond_it(count: int, last: str | None) -> None:
    found = percentiles([(1.0, count)])
    assert (list(found)[-1] if found else None) == last
    assert all(count * (1 - float(name) / 100) >= BEYOND for name in found)


def test_no_histogram_no_percentiles() -> None:
    assert percentiles(()) == {}


def test_over_blocks_they_are_geometric_means_of_the_trials() -> None:
    report = report_of(Study(blocks=3, concurrency=(4,)))
    (group,) = report.groups
    assert [own.arm for own in group.latency] == [arm.name for arm in group.arms]
    for own in group.latency:
        trials = [t for t in report.trials if t.arm == own.arm]
        assert own.blocks == 3
        for name, value in own.percentiles_ms.items():
            logs = [math.log(t.latency_percentiles_ms[name]) for t in trials]
            assert value == pytest.approx(math.exp(sum(logs) / 3), rel=1e-5)
        assert list(own.percentiles_ms.values()) == sorted(own.percentiles_ms.values())


def test_a_block_that_does_not_count_is_left_out() -> None:
    report = report_of(Study(blocks=2, concurrency=(4,), fail={(4, 1, "tde"): ("Invalid", "X")}))
    (group,) = report.groups
    assert {own.blocks for own in group.latency} == {2}
    assert len(group.blocks) == 3


def test_worse_stalls_never_show_more_percentiles() -> None:
    """Nor do they leave out their block, as the others are those without stalls."""
    report = report_of(Study(blocks=3, concurrency=(4,)))
    (group,) = report.groups
    trials = {trial.name: trial for trial in report.trials}
    stalled = next(trial for trial in report.trials if trial.arm == "tde")
    shown = []
    for missing in (0.0, 0.0002, 0.002, 0.01, 0.02, 0.06, 0.12, 0.13, 1.0):
        left = {"latency_percentiles_ms": percentiles(EVEN, missing)}
        found = distributions(group, trials | {stalled.name: stalled.model_copy(update=left)})
        assert all(own.blocks == 3 for own in found)
        shown.append([name for own in found for name in own.percentiles_ms])
    assert all(set(worse) <= set(better) for better, worse in pairwise(shown))
    assert set(shown[6]) == {"50"}
    assert shown[7:] == [[], []]
