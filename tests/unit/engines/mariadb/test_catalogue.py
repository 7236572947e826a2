"""Rows of the catalogue, kinds of files, the marker's table."""

from typing import Any

import pytest

from encbench.database.children import generate
from encbench.engines.innodb import marker
from encbench.engines.mariadb import catalogue
from encbench.engines.marker import is_marker, table_name
from encbench.engines.registry import engine
from tests.support.testbeds import PLAINTEXT, TLS, counting_tokens, spec_of_testbed


@pytest.mark.parametrize(
    ("row", "encrypted", "busy"),
    [
        (("t", 1, 1, None, 0), True, False),
        (("t", 1, 0, None, 0), False, False),
        (("t", 0, 0, None, 0), False, False),
        (("t", 1, 1, 17, 0), True, True),
        (("t", 1, 1, None, 1), True, True),
        (("t", None, None, None, None), False, False),
    ],
)
def test_tablespaces(row: tuple[object, ...], encrypted: bool, busy: bool) -> None:
    (space,) = catalogue.catalogue([], [], [row], [])["tablespaces"]
    assert space == {"name": "t", "encrypted": encrypted, "busy": busy}
    assert catalogue.busy([row]) is busy


def test_variables_and_plugins() -> None:
    made = catalogue.catalogue([("log_bin", "ON")], [("p", "ACTIVE")], [], [])
    assert made["variables"] == {"log_bin": "ON"}
    assert made["plugins"] == {"p": "ACTIVE"}


def test_tables_of_other_engines() -> None:
    made = catalogue.catalogue([], [], [], [("sbtest1", "MyISAM")])
    assert made["otherTables"] == {"sbtest1": "MyISAM"}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("data/ib_logfile0", "redo"),
        ("data/undo001", "undo"),
        ("data/ibdata1", "system"),
        ("data/ibtmp1", "system"),
        ("data/aria_log.00000001", "aria-log"),
        ("data/aria_log_control", "other"),
        ("data/mysql/global_priv.MAD", "aria"),
        ("data/mysql/global_priv.MAI", "aria"),
        ("data/binlog.000001", "binlog"),
        ("data/binlog.index", "other"),
        ("data/sbtest/sbtest1.ibd", "table"),
        ("data/#ib_16384_0.dblwr", "doublewrite"),
        ("data/sbtest/sbtest1.frm", "other"),
        ("tmp/#sql-1-1.MAD", "aria"),
        ("initialised", "other"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert catalogue.kind_of(path) == kind


def test_the_table_does_not_bear_the_marker() -> None:
    text = "encbench-marker-" + "0" * 32
    table = table_name(text)
    assert text not in table
    assert marker.table_file(table) == f"sbtest/{table}.ibd"
    assert table != table_name(text + "1")
    statements = [*marker.plant(table, text), marker.drop(table)]
    assert all(text not in statement for statement, _ in statements)


@pytest.mark.parametrize("text", ["short", "a b" * 10, "x" * 129, "'" * 20, "é" * 20])
def test_what_is_no_marker(text: str) -> None:
    assert not is_marker(text)


def test_statements_at_start_may_run_again_and_stand_on_a_line_each() -> None:
    made = generate(counting_tokens())
    lines = engine("mariadb").init_sql(made, spec_of_testbed(PLAINTEXT)).splitlines()
    assert all(line.endswith(";") and line.count(";") == 1 for line in lines)
    assert all("IF NOT EXISTS" in line for line in lines if line.startswith("CREATE"))
    assert lines[0].startswith("SET SESSION sql_log_bin=0")


@pytest.mark.parametrize(("mode", "clause"), [(PLAINTEXT, "REQUIRE NONE"), (TLS, "REQUIRE SSL")])
def test_the_benchmark_s_user_must_use_tls_where_the_mode_says_so(
    mode: dict[str, Any], clause: str
) -> None:
    statements = engine("mariadb").init_sql(generate(counting_tokens()), spec_of_testbed(mode))
    (line,) = [one for one in statements.splitlines() if "CREATE USER" in one and "'%'" in one]
    assert line.endswith(f" {clause};")
