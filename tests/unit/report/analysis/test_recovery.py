"""Recoveries in the report: from the trials' records to every rendering."""

from collections.abc import Container
from typing import Any

import pytest

from encbench.api.workload import Recovery
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.records import RecoveryFacts, ServerProcess, TrialRecord
from encbench.report.analysis.build import build, to_status
from encbench.report.compare.difference import compare
from encbench.report.document import Report
from encbench.report.formats import summary
from encbench.report.formats.csvrows import csv_rows
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study, write

SECONDS = {"plain": 2.0, "plain-control": 2.0}
LONGER = 1.4


def facts(arm: str, block: int) -> RecoveryFacts:
    """Every arm a little slower in odd blocks, all others than the baseline's by much.

    By half a thousandth more or less, because equal ratios would be no evidence.
    """
    longer = LONGER * (1.0005 if block <= 3 else 0.9995)
    seconds = SECONDS.get(arm, 2.0 * longer) * (1.01 if block % 2 else 1.0)
    return RecoveryFacts(
        stop="Crash",
        signal="SIGKILL",
        before=ServerProcess(process_id=7, started_at=1.0),
        after=ServerProcess(process_id=40, started_at=9.0),
        stopped_at=8.0,
        stop_seconds=0.02,
        restart_seconds=1.4,
        recovery_seconds=seconds,
        resolution_seconds=0.025,
        redo_bytes=64 << 20,
        lines=("InnoDB: Starting crash recovery",),
    )


def recovered(*, without: str = "", blocks: Container[int] = (1,)) -> Report:
    """A study of crashes; the arm `without` has no figure in these blocks."""
    index, bucket = write(Study(concurrency=(4,)))
    trials = []
    for entry in index.trials:
        assert entry.key is not None
        record = decode(TrialRecord, bucket[entry.key], entry.key)
        arm, block = record.spec.arm.name, record.spec.block
        found = None if arm == without and block in blocks else facts(arm, block)
        content = encode(record.model_copy(update={"recovery": found}))
        bucket[entry.key] = content
        trials.append(entry.model_copy(update={"digest": digest_of(content)}))
    workloads = {
        name: one.model_copy(update={"recovery": Recovery(stop="Crash")})
        for name, one in index.resolved.workloads.items()
    }
    resolved = index.resolved.model_copy(update={"workloads": workloads})
    index = index.model_copy(update={"trials": tuple(trials), "resolved": resolved})
    return build(index, bucket.__getitem__)


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
