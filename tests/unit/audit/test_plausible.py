"""Figures that cannot be right whatever was published, and coarse ones that hide an error."""

import pytest

from encbench.audit import render
from encbench.audit.audit import Audit, audit
from encbench.audit.naming import Naming
from encbench.audit.tables import read

PLAIN = Naming("plain", "enc")
RATIO = Naming("plain", "enc", "ratio", "ratio")


def audited(naming: Naming | None, text: str) -> Audit:
    return audit([read("t.csv", text.encode())], naming)


def texts(found: Audit, kind: str) -> list[str]:
    return [finding.text for finding in found.findings if finding.kind == kind]


@pytest.mark.parametrize("cell", ["0", "-1000", "0.00"])
@pytest.mark.parametrize("row", ["8,{},100,5", "8,100,{},5"])
def test_a_figure_of_zero_or_below_is_impossible(cell: str, row: str) -> None:
    table = f"threads,plain,enc,loss\n{row.format(cell)}\n4,50,40,20\n"
    found = audited(Naming("plain", "enc", "loss"), table)
    assert [check.verdict for check in found.checks] == ["impossible", "follows"]
    (text,) = texts(found, "impossible")
    assert text.startswith("t.csv, line 2 (threads 8): ")
    assert "a measured figure is above 0" in text
    assert "1 has an impossible figure" in render.summary(found)


def test_an_impossible_figure_without_a_published_overhead() -> None:
    found = audited(PLAIN, "threads,plain,enc\n8,100,90\n16,100,0\n")
    assert render.summary(found) == (
        "1 overhead computed, because none is published; 1 has an impossible figure."
    )
    (text,) = texts(found, "impossible")
    assert "line 3 (threads 16): enc is 0" in text


def test_a_difference_in_points_may_start_from_zero() -> None:
    found = audited(Naming("plain", "enc", "points", "points"), "plain,enc,points\n0.0,1.5,1.5\n")
    assert not found.findings


def test_equal_keys_with_other_figures() -> None:
    table = "version,threads,plain,enc\n16,8,100,90\n16,16,200,180\n16,8,120,95\n17,8,130,120\n"
    (text,) = texts(audited(PLAIN, table), "twice")
    assert "lines 2 and 4 have the same keys (version 16, threads 8)" in text
    assert "different figures (plain 100 and 120; enc 90 and 95)" in text


@pytest.mark.parametrize("table", ["plain,enc\n100,90\n120,90\n", "host,plain,enc\na,9,8\na,9,8\n"])
def test_rows_without_keys_or_with_the_same_figures_are_no_finding(table: str) -> None:
    assert not audited(PLAIN, table).findings


def test_a_column_s_finest_figure_decides_the_rounding() -> None:
    """A loss of 3.8 % printed as 1.0 among ratios of two decimals does not follow."""
    table = "size,plain,enc,ratio\ns,1000,962,{}\nm,1000,800,1.25\n"
    found = audited(RATIO, table.format("1.0"))
    assert [check.verdict for check in found.checks] == ["coarse", "follows"]
    (text,) = texts(found, "coarse")
    assert "published is 1.0, but 1,000/962 is 1.0395" in text
    assert "only if fewer digits were printed" in text
    assert "ratio 1.0 (good to 0.05)" in text
    assert "1 follows only if printed coarsely" in render.summary(found)
    assert not audited(RATIO, table.format("1.04")).findings
    alone = audited(RATIO, "size,plain,enc,ratio\ns,1000,962,1.0\n")
    assert not alone.findings, "no other figure says that there were two decimals"
    wrong = audited(RATIO, table.format("1.2"))
    assert [check.verdict for check in wrong.checks] == ["contradiction", "follows"]


def test_a_dropped_zero_of_a_measured_figure_is_no_excuse_either() -> None:
    table = "size,plain,enc,loss\ns,10.0,9.65,{}\nm,12.34,6.17,50.0\n"
    naming = Naming("plain", "enc", "loss")
    assert not audited(naming, table.format("3.5")).findings
    assert [f.kind for f in audited(naming, table.format("3.1")).findings] == ["coarse"]


def test_significant_digits_are_a_rounding_too() -> None:
    """1003.7 beside 877.461 has six digits, and no third decimal."""
    table = "size,plain,enc,loss\ns,877.461,800.123,8.81384\nm,1003.7,912.086,{}\n"
    naming = Naming("plain", "enc", "loss")
    assert not audited(naming, table.format("9.12763")).findings
    assert [f.kind for f in audited(naming, table.format("9.2")).findings] == ["contradiction"]


ROUNDED = "size,plain,enc,loss\ns,12300,11100,{}\nm,9800,8800,10.2\nl,11200,10100,9.8\n"


def test_a_column_of_hundreds_may_be_rounded_to_them() -> None:
    """12,349 and 11,051 lose 10.5 %, which 12,300 and 11,100 do not show."""
    naming = Naming("plain", "enc", "loss")
    found = audited(naming, ROUNDED.format("10.5"))
    assert [check.verdict for check in found.checks] == ["coarse", "follows", "follows"]
    (text,) = texts(found, "coarse")
    assert text.endswith(
        "it follows only if all figures were rounded in the column of plain 12,300 (good to 50) "
        "and enc 11,100 (good to 50)."
    )
    assert not audited(naming, ROUNDED.format("9.8")).findings
    wrong = audited(naming, ROUNDED.format("15.5"))
    assert [f.kind for f in wrong.findings] == ["contradiction"]


@pytest.mark.parametrize("other", ["9,8801,8001", "9,9800.0,8800.0", "12,12300,11100", "9,200,180"])
def test_trailing_zeros_by_chance_are_no_rounding(other: str) -> None:
    size, plain, enc = other.split(",")
    loss = 100 * (1 - float(enc) / float(plain))
    table = "size,plain,enc,loss\ns,12300,11100,10.5\nl,10000,9000,10.0\n"
    found = audited(Naming("plain", "enc", "loss"), f"{table}{size},{plain},{enc},{loss:.1f}\n")
    assert [check.verdict for check in found.checks][:2] == ["contradiction", "follows"]


QUEUE = Naming("qps", "eqps", response=("ms", "ems"))
ROWS = ("8,8000,2.0,4000,4.0", "16,16000,2.0,8000,4.0", "32,16000,4.0,8000,8.0")
HEAD = "threads,qps,ms,eqps,ems"


def queued(*rows: str, naming: Naming = QUEUE, head: str = HEAD) -> Audit:
    return audited(naming, "\n".join((head, *rows)) + "\n")


def test_little_s_law_holds() -> None:
    assert not queued(*ROWS).findings


@pytest.mark.parametrize(
    ("wrong", "line", "column"),
    [
        ("16,12000,2.0,8000,4.0", 3, "qps 12,000"),
        ("16,16000,2.0,8000,5.0", 3, "eqps 8,000"),
        ("16,16000,2.3,8000,4.0", 3, "qps 16,000"),
    ],
)
def test_a_row_that_breaks_little_s_law_is_named(wrong: str, line: int, column: str) -> None:
    found = queued(ROWS[0], wrong, ROWS[2])
    (text,) = texts(found, "law")
    assert text.startswith(f"t.csv, line {line} (threads 16): {column} × ")
    assert "where the table has 2,000 ± 5.0 %" in text
    assert "1 breach of Little's law" in render.summary(found)


def test_a_few_percent_of_a_client_s_own_work_do_not_break_it() -> None:
    assert not texts(queued(ROWS[0], "16,15400,2.0,8000,4.0", ROWS[2]), "law")


def test_a_constant_for_each_kind_of_work() -> None:
    rows = [f"reads,{row}" for row in ROWS]
    rows += [f"writes,{n},{n * 250},2.0,{n * 125},4.0" for n in (8, 16, 32)]
    head = f"workload,{HEAD}"
    assert not queued(*rows, head=head).findings
    rows[-1] = "writes,32,4000,2.0,4000,4.0"
    (text,) = texts(queued(*rows, head=head), "law")
    assert "workload writes, threads 32" in text and "qps 4,000" in text


@pytest.mark.parametrize("key", ["Threads", "clients", "Connections", "users"])
def test_the_key_with_the_threads_has_several_names_in_any_case(key: str) -> None:
    found = queued(ROWS[0], "16,16000,2.0,8000,5.0", ROWS[2], head=f"{key},qps,ms,eqps,ems")
    (text,) = texts(found, "law")
    assert f"({key} 16)" in text
    assert any("is on a plateau" in note for note in found.notes)
    assert not any("not checked" in note for note in found.notes)


def test_threads_of_a_client_come_before_the_clients() -> None:
    rows = [f"{n},{row}" for n, row in zip((1, 4, 2), ROWS, strict=True)]
    assert not queued(*rows, head=f"clients,{HEAD}").findings


def test_kinds_of_work_are_distinguished_in_any_case() -> None:
    rows = [f"reads,{row}" for row in ROWS]
    rows += [f"writes,{n},{n * 250},2.0,{n * 125},4.0" for n in (8, 16, 32)]
    assert not queued(*rows, head=f"Workload,{HEAD}").findings


@pytest.mark.parametrize(("key", "cells"), [("size", "124"), ("threads", "abc")])
def test_response_times_without_a_number_of_threads_are_said(key: str, cells: str) -> None:
    rows = [f"{cell},{row.partition(',')[2]}" for cell, row in zip(cells, ROWS, strict=True)]
    found = queued(*rows, head=f"{key},qps,ms,eqps,ems")
    (note,) = [note for note in found.notes if "not checked" in note]
    assert note.startswith("t.csv: Little's law is not checked, because no key says in numbers ")
    assert "concurrency, concurrency_threads, threads, terminals, clients, " in note


def test_where_no_constant_is_to_be_seen_the_range_is_said() -> None:
    rows = [f"{n},1000,{ms},500,{2 * ms}" for n, ms in ((1, 2), (4, 40), (16, 1000))]
    (text,) = texts(queued(*rows), "law")
    assert "goes from 2,000 (line 2) to 62,500 (line 4)" in text
    assert "not of one kind of run" in text


def test_the_studies_table_of_sysbench_obeys_it() -> None:
    head = (
        "instance,workload,threads,plain_qps,encrypted_qps,qps_overhead_percent,plain_response_ms,"
        "encrypted_response_ms,response_increase_percent"
    )
    row = "small,rw,{},{},{},50,{},4.0,100"
    good = [row.format(n, n * 1000, n * 500, "2.0") for n in (8, 16, 32)]
    found = audit([read("study-sysbench-all.csv", "\n".join((head, *good)).encode())], None)
    assert not found.findings
    assert found.counts == {"follows": 6}
    good[1] = row.format(16, 16000, 8000, "2.2")
    broken = audit([read("study-sysbench-all.csv", "\n".join((head, *good)).encode())], None)
    assert {f.kind for f in broken.findings} == {"contradiction", "law"}


def test_rows_that_are_faster_when_encrypted_are_noise() -> None:
    table = "threads,plain,enc\n1,1000,1030\n2,1000,990\n4,1000,1002\n8,10,10\n"
    (note,) = [note for note in audited(PLAIN, table).notes if "higher than" in note]
    assert note.startswith("t.csv: enc of lines 2 and 4 are higher than the plain figure, ")
    assert "by up to 3.0 %" in note
    assert not audited(PLAIN, "threads,plain,enc\n1,1000,990\n8,5000,5000\n").notes


def test_a_latency_that_is_higher_when_encrypted_is_no_sign() -> None:
    naming = Naming("plain", "enc", formula="increase")
    assert not audited(naming, "threads,plain,enc\n1,1000,1030\n2,2000,2300\n").notes


def test_a_plateau_is_where_the_plain_rate_no_longer_grows() -> None:
    table = "size,threads,plain,enc\ns,8,{},50\ns,1,10,9\ns,4,{},40\ns,2,20,18\n"
    (note,) = audited(PLAIN, table.format(77, 75)).notes
    assert "plain is on a plateau (size s from threads 4 to 8)" in note
    assert not audited(PLAIN, table.format(80, 75)).notes


def test_a_plateau_needs_more_threads() -> None:
    assert not audited(PLAIN, "threads,plain,enc\n8,100,90\n9,101,91\n").notes


def test_a_plain_figure_of_several_overheads() -> None:
    table = "mode,threads,plain,enc\na,8,{0},50\nb,8,{1},60\na,64,200,90\nb,64,205,91\n"
    (note,) = audited(PLAIN, table.format("103", "103")).notes
    assert "1 plain figure serves several overheads (103 those of lines 2 and 3)" in note
    assert "not independent" in note
    assert not audited(PLAIN, table.format("103", "104")).notes


def test_the_grammar_of_one_and_of_several() -> None:
    naming = Naming("plain", "enc", "loss")
    one = audited(naming, "plain,enc,loss\n100.00,86.41,13\n100.00,50.00,20\n")
    assert render.summary(one) == (
        "0 of 2 published overheads follow from the figures beside them; 1 contradicts them; "
        "1 is a rounding slip."
    )
    several = audited(naming, "plain,enc,loss\n100.00,86.41,13\n100.00,76.41,23\n")
    assert "; 2 are rounding slips." in render.summary(several)
