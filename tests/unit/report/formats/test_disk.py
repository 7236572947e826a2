"""What was read from the disk and written to it, per transaction: from records to tables."""

import csv
import io

import pytest

from encbench.report.document import Report
from encbench.report.formats import tables
from encbench.report.formats.csvrows import csv_rows
from encbench.report.formats.markdown import markdown
from encbench.report.formats.sections import sections
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study


@pytest.fixture(scope="module")
def found() -> Report:
    return report_of(Study(concurrency=(4,), blocks=2, disk=(36.0, 0.0)))


def test_a_row_has_the_mean_of_its_trials(found: Report) -> None:
    for row in found.rows:
        assert row.disk_read_kib_per_transaction == pytest.approx(36.0)
        assert row.disk_write_kib_per_transaction == 0.0, "nothing at all is a figure, too"
    for trial in found.trials:
        assert trial.disk_read_kib_per_transaction == pytest.approx(36.0)


def test_reads_stand_beside_tps(found: Report) -> None:
    (section,) = sections(found)
    (versus,) = section.compared
    titles = [column.title for column in tables.throughput(versus)]
    assert [title for title in titles if "disk" in title] == [
        "read from disk, KiB per transaction: plain",
        "read from disk, KiB per transaction: tde",
    ]
    text = markdown(found)
    assert "### Disk" in text
    assert "| 4 | 36.00 | 36.00 | 0.00 | 0.00 |" in text
    (first, *_) = csv.DictReader(io.StringIO(csv_rows(found)))
    assert float(first["disk_read_kib_per_transaction_mean"]) == pytest.approx(36.0)
    assert float(first["disk_write_kib_per_transaction_mean"]) == 0.0


def test_where_nothing_was_measured_nothing_is_said() -> None:
    blind = report_of(Study(concurrency=(4,), blocks=2, disk=None))
    assert all(row.disk_read_kib_per_transaction is None for row in blind.rows)
    (section,) = sections(blind)
    (versus,) = section.compared
    columns = tables.throughput(versus)
    assert not [column for column in columns if "disk" in column.title]
