"""Our own files: every figure that others determine is checked, and each falsified one is found."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from encbench.audit.audit import Audit, audit
from encbench.audit.known import OWN
from encbench.audit.naming import Naming
from encbench.audit.own import COUNTERPARTS
from encbench.audit.tables import read
from encbench.report.analysis.studies import studies
from encbench.report.figures import FIGURES
from encbench.report.formats.csvrows import columns, csv_rows, csv_study
from encbench.report.formats.csvrows import written as csv_written
from encbench.report.formats.render import render
from tests.data.report import golden
from tests.data.report.synthetic import Study

Table = list[dict[str, str]]
LAYERS = golden.FOLDER / "columns"


@cache
def content(name: str) -> bytes:
    return (LAYERS / name).read_bytes()


def rows(name: str) -> Table:
    return list(csv.DictReader(io.StringIO(content(name).decode())))


def written(table: Table) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue().encode()


def audited(**files: bytes) -> Audit:
    return audit(
        [read(f"{name.replace('_', '-')}.csv", data) for name, data in files.items()], None
    )


INTERVALS = [column for one in OWN.intervals for column in (one.estimate, one.low, one.high)]
POINTS = [claim.published for claim in OWN.claims if claim.formula == "points"]
STATED = dict.fromkeys((*INTERVALS, *POINTS, *OWN.alike))
MEASURED = {figure.column for figure in FIGURES}
"""What the trials measured: nothing in the file determines it, but losses, points and steps do
follow from most of it."""
WORDS = {name for name in columns(0.05) if name.endswith("verdict")} | {
    *("instance", "workload", "concurrency_threads", "arm", "role", "mode"),
    *("tps_limited_by", "step_layers", "step_before_arm", "verdict_figure", "step_verdict_figure"),
}


def test_no_column_of_the_report_is_left_out() -> None:
    assert set(columns(0.05)) == {*STATED, *MEASURED, *WORDS, "margin_fraction"}


def test_both_golden_reports_agree_with_themselves() -> None:
    for folder in (golden.FOLDER, LAYERS):
        assert not audited(report=(folder / "report.csv").read_bytes()).findings
    found = audited(report=content("report.csv"))
    assert set(found.counts) == {"follows"}
    assert {check.claim.published for check in found.checks} >= set(POINTS)


@pytest.mark.parametrize(
    "study",
    [Study(concurrency=(4,), blocks=1, rounds=31), Study(concurrency=(4,), blocks=6, rounds=12)],
    ids=["batches", "blocks"],
)
def test_interleaved_reports_agree_with_themselves_too(study: Study) -> None:
    found = audited(report=render(golden.report_of(study))["csv"].content)
    assert not found.findings
    assert set(found.counts) == {"follows"}


def test_a_large_figure_has_no_digit_more_than_others() -> None:
    """One digit more in a column would tighten what is asked of all its rows."""
    assert (
        csv_written(["a", "b"], [[129841.0, 8], [0.0835756, None]]) == "a,b\n129841,8\n0.0835756,\n"
    )


def _falsified(column: str, change: Callable[[float], float]) -> Audit | None:
    """The report with one cell of that column changed; None where the column is empty."""
    table = rows("report.csv")
    filled = [row for row in table if row[column] and float(row[column])]
    if not filled:
        return None
    filled[len(filled) // 2][column] = repr(change(float(filled[len(filled) // 2][column])))
    return audited(report=written(table))


@pytest.mark.parametrize("column", STATED)
def test_every_figure_that_others_determine_is_found_when_falsified(column: str) -> None:
    larger = _falsified(column, lambda value: value + abs(value) * 0.2 + 1)
    if larger is None:
        # TPC-C has no latency; clients of the layers are compared by steps.
        client = "client_cpu_per_transaction"
        empty = (
            *("latency", "recovery", "step_latency"),
            *(f"{client}_noise", f"{client}_increase_fraction_control"),
        )
        assert column.startswith(empty)
        return
    assert [finding for finding in larger.findings if finding.kind == "contradiction"]
    smaller = _falsified(column, lambda value: value - abs(value) * 0.2 - 1)
    assert smaller is not None
    assert smaller.findings


@pytest.mark.parametrize("column", INTERVALS)
def test_a_thousandth_is_enough(column: str) -> None:
    moved = _falsified(column, lambda value: value + 0.001)
    assert moved is None or moved.findings


@pytest.mark.parametrize("column", ["latency_average", "latency_p95"])
def test_latency_s_bounds_and_floors_are_checked_where_there_are_any(column: str) -> None:
    plain = (golden.FOLDER / "report.csv").read_bytes()
    for part in ("increase_fraction_ci95_low", "noise_floor_fraction"):
        table = list(csv.DictReader(io.StringIO(plain.decode())))
        table[1][f"{column}_{part}"] = "0.001"
        assert audited(report=written(table)).findings, part


def test_bounds_that_are_the_wrong_way_round() -> None:
    table = rows("report.csv")
    low, high = "tps_loss_fraction_ci95_low", "tps_loss_fraction_ci95_high"
    table[2][low], table[2][high] = table[2][high], table[2][low]
    (finding,) = audited(report=written(table)).findings
    assert finding.text.startswith("report.csv, line 4 (instance 2x4c32g, workload tpcc, ")
    assert "the lower bound is above the upper" in finding.text


def test_a_bound_without_the_other() -> None:
    table = rows("report.csv")
    table[2]["tps_loss_fraction_ci95_high"] = ""
    (finding,) = audited(report=written(table)).findings
    assert "an estimate and both bounds belong together" in finding.text


def test_a_floor_below_the_control_s_bound() -> None:
    table = rows("report.csv")
    for row in table:
        row["noise_floor_fraction_largest_bound_of_control"] = "0.001"
    found = audited(report=written(table)).findings
    assert len(found) == 4, "one for each condition"
    assert all("below the control's bound" in finding.text for finding in found)


def test_a_floor_that_differs_between_the_arms_of_a_condition() -> None:
    table = rows("report.csv")
    table[0]["noise_floor_fraction_largest_bound_of_control"] = "0.5"
    (finding,) = audited(report=written(table)).findings
    assert "all arms of a condition have one value" in finding.text


def test_a_step_from_an_arm_that_is_not_there_cannot_be_checked() -> None:
    table = rows("report.csv")
    (row, *_) = [row for row in table if row["step_before_arm"] == "swap"]
    row["step_before_arm"] = "absent"
    kinds = {finding.kind for finding in audited(report=written(table)).findings}
    assert kinds == {"unchecked"}


STUDIES = ("tpcc-tps-aes", "client-cpu-aes", "driver-cpu", "ratio-aes")


@pytest.mark.parametrize("name", STUDIES)
def test_every_figure_of_a_study_stands_in_the_report(name: str) -> None:
    report, study = content("report.csv"), f"study-{name}.csv"
    others = {"study_tpcc_tps_aes": content("study-tpcc-tps-aes.csv"), "report": report}
    key = study.removesuffix(".csv").replace("-", "_")
    assert not audited(**others | {key: content(study)}).findings
    columns = [column for column in rows(study)[0] if column in COUNTERPARTS]
    assert columns
    for column in columns:
        table = rows(study)
        table[1][column] = repr(float(table[1][column]) * 1.0001)
        found = audited(**others | {key: written(table)}).findings
        (finding,) = [f for f in found if "no arm of report.csv has this" in f.text]
        assert f"line 3 (instance 2x4c32g, concurrency {table[1]['concurrency']}" in finding.text
        assert column in finding.text


ENCRYPTS = {"columns": golden.HOP | {"ratio": 100}}
ENCLAVE = {"method": "enclave", "ratio": 100}


def test_all_golden_files_agree_with_each_other() -> None:
    tables = [read(path.name, path.read_bytes()) for path in sorted(LAYERS.glob("*.csv"))]
    assert len(tables) == 8
    assert [finding.text for finding in audit(tables, None).findings] == []


@pytest.mark.parametrize(
    "study",
    [
        replace(
            golden.COLUMNS, workloads=("tpcc", "tpcc-read"), instances=("one",), concurrency=(64,)
        ),
        replace(
            golden.COLUMNS,
            workloads=("tpcc-ratio-a", "tpcc-ratio-b"),
            instances=("one",),
            concurrency=(64,),
        ),
        Study(
            blocks=2,
            loss={"aes": 0.1, "sm4": 0.2},
            modes={
                "aes": ENCRYPTS,
                "sm4": {"columns": {**ENCRYPTS["columns"], "algorithm": "SM4_128_GCM"}},
            },
        ),
        Study(
            workloads=("enclave-point",),
            blocks=2,
            loss={"free": 0.2, "all": 0.6},
            modes={
                "free": {"columns": {**ENCLAVE, "enclave": {"transition": "0ns", "value": "0ns"}}},
                "all": {"columns": {**ENCLAVE, "enclave": {}}},
            },
        ),
    ],
    ids=["two workloads", "two with words of tables", "two arms of sysbench", "two of the enclave"],
)
def test_all_files_of_a_report_agree_with_each_other(study: Study) -> None:
    """Tables of two arms state other figures under one condition; only their names say which."""
    report = golden.report_of(study)
    tables = [read(f"study-{one.name}.csv", csv_study(one).encode()) for one in report.studies]
    found = audit([read("report.csv", csv_rows(report).encode()), *tables], None)
    # In these made-up figures arms may have the very same CPU, which is a repeat.
    assert [it.text for it in found.findings if it.kind != "repeat"] == []
    assert len(tables) > 1


def _with_one_response_time(study: Study) -> tuple[list[object], Audit]:
    """The response times of a study of sysbench in which all are 5 ms, and what its audit says."""
    report, same = golden.report_of(study), {"latency_average_ms": 5.0}
    groups = [
        one.model_copy(update={"rows": tuple(row.model_copy(update=same) for row in one.rows)})
        for one in report.groups
    ]
    (table,) = studies(groups, report.resolved)
    assert [column.name for column in table.columns[6:]] == [
        "plain_response_ms",
        "encrypted_response_ms",
        "response_increase_percent",
    ]
    cells: list[object] = [cell for row in table.rows for cell in row[6:]]
    return cells, audited(study_sysbench_all=csv_study(table).encode())


def test_response_times_at_a_fixed_rate_are_in_no_study() -> None:
    """They do not follow from rate and threads, so that they would seem to break Little's law."""
    free = Study(blocks=2, concurrency=(16, 32, 64), loss={"all": 0.1}, modes={"all": ENCRYPTS})
    cells, found = _with_one_response_time(replace(free, concurrency=(4, 16, 32), rate=206))
    assert cells == [None] * 9
    assert not found.findings
    # At 4 threads alone the arms do not keep up, so that there is a loss to recompute.
    assert found.counts == {"follows": 1}
    cells, found = _with_one_response_time(free)
    assert None not in cells
    assert {finding.kind for finding in found.findings} == {"law"}


def test_a_figure_of_two_published_tables_still_has_to_be_one() -> None:
    """`study-` in a name is no excuse for tables whose columns the reader had to name."""
    table = "instance,threads,off,on\nsmall,4,{},90\n"
    naming = Naming(plain="off", encrypted="on")
    tables = [read(f"study-{n}.csv", table.format(off).encode()) for n, off in ((1, 100), (2, 120))]
    (finding,) = audit(tables, naming).findings
    assert finding.kind == "contradiction"


def test_a_published_table_is_not_held_to_our_report() -> None:
    theirs = "instance,concurrency,plaintext_tps,encrypted_100pct_tps,published_overhead_percent\n"
    row = "2x4c32g,64,80223,72248,10\n"
    found = audited(report=content("report.csv"), theirs=(theirs + row).encode())
    assert not found.findings
