"""Recoveries in the report: from the trials' records to every rendering."""

from typing import Any

import pytest

from encbench.report.analysis.build import to_status
from encbench.report.compare.difference import compare
from encbench.report.document import Report
from encbench.report.formats import summary
from encbench.report.formats.csvrows import csv_rows
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.unit.report.analysis.recoveries import LONGER, recovered


@pytest.fixture(scope="module")
def report() -> Report:
    return recovered()


def test_a_recovery_without_data_stands_in_the_table_of_recoveries() -> None:
    said = summary.text(to_status(recovered(without="tde", blocks=range(1, 100))))
    assert "RECOVERY S" in said
    assert "TPS LOSS  " not in said


def test_seconds_are_what_is_compared_and_nothing_else(report: Report) -> None:
    (group,) = report.groups
    assert group.primary == "recovery"
    assert list(group.noise_floors) == ["recovery"]
    for comparison in group.comparisons:
        (finding,) = comparison.findings
        assert finding.figure == "recovery"
        assert comparison.loss == finding.change
        assert comparison.loss is not None
        assert comparison.loss.estimate == pytest.approx(LONGER - 1, abs=1e-4)
        assert comparison.verdict == "Overhead"
    for row in group.rows:
        assert row.recovery_seconds is not None
        assert row.redo_mib == 64.0
        assert row.stop_seconds == 0.02
        assert row.overhead is None
        assert row.latency_p95_overhead is None
        assert row.saturation is None
        assert row.tps is not None


def test_a_block_in_which_one_arm_has_no_figure_does_not_count() -> None:
    arm = recovered().groups[0].comparisons[0].arm
    whole, less = recovered().groups[0], recovered(without=arm).groups[0]
    assert less.counted_blocks == whole.counted_blocks - 1


def test_a_report_without_data_is_compared_by_recovery_all_the_same(report: Report) -> None:
    nothing = recovered(without="tde", blocks=range(1, 9))
    assert nothing.groups[0].counted_blocks == 0
    (pair,) = compare(nothing, report).pairs
    assert [delta.figure.key for delta in pair.deltas] == ["recovery"]
    assert [delta.a for delta in pair.deltas] == [None]


def test_every_rendering_says_seconds(report: Report) -> None:
    arm = report.groups[0].comparisons[0].arm
    told: dict[str, Any] = {"md": markdown(report), "html": page(report)}
    for text in told.values():
        assert "start to first answer, s" in text
        assert "log to recover, MiB" in text
    assert f"increase = {arm}/plain − 1" in told["md"]
    assert "Recovery time, increase" in told["html"], "the plot"
    assert "recovery time" in told["html"]
    assert "### Latency" not in told["md"]
    header = csv_rows(report).splitlines()[0].split(",")
    assert "recovery_seconds_geometric_mean" in header
    assert "recovery_seconds_noise_floor_fraction" in header
    status = to_status(report)
    assert "longer to answer again" in status.headline
    assert status.overhead.startswith("40.0 %")
    assert status.overhead.endswith("recovery time")


def test_other_studies_have_no_word_of_it() -> None:
    usual = report_of(Study(concurrency=(4,)))
    assert "first answer" not in markdown(usual)
    assert "Recovery" not in page(usual)
