"""Which columns are chosen, and what share of a schema they are."""

import re
from typing import Any

import pytest

from encbench.api.columns import Columns
from encbench.core.columns import probes, selection
from encbench.core.columns.schema import SchemaName, entries
from tests.support.chart import REPO

SCHEMA = REPO / "images/tpcc/tpcc/src/main/resources/io/encbench/tpcc/schema/mysql/tables.sql"


def columns(**changes: Any) -> Columns:
    return Columns.model_validate({"method": "confidential", **changes})


def created() -> list[str]:
    """table.column of what our client creates, in its order."""
    text = re.sub(r"--[^\n]*", "", SCHEMA.read_text(encoding="utf-8"))
    found = []
    for statement in re.findall(r"create table (\w+) \((.*?)\n\);", text, re.DOTALL):
        names = re.findall(r"^  (?!primary)(\w+) ", statement[1], re.MULTILINE)
        found += [f"{statement[0]}.{name}" for name in names]
    return found


def test_the_list_of_tpcc_is_its_clients_schema() -> None:
    assert list(selection.all_columns("tpcc")) == created()
    assert len(created()) == 92 + 3, "hist_id and bmsql_config are BenchmarkSQL's own"


@pytest.mark.parametrize(
    ("schema", "ratio", "count", "total"),
    [
        ("tpcc", 0, 0, 95),
        ("tpcc", 20, 21, 95),
        ("tpcc", 50, 44, 95),
        ("tpcc", 100, 95, 95),
        ("sysbench", 0, 0, 4),
        ("sysbench", 20, 1, 4),
        ("sysbench", 50, 2, 4),
        ("sysbench", 100, 4, 4),
    ],
)
def test_each_ratio(schema: SchemaName, ratio: int, count: int, total: int) -> None:
    found = selection.share(schema, columns(ratio=ratio))
    assert (found.count, found.total) == (count, total)
    assert found.fraction == pytest.approx(count / total)


def test_a_class_holds_the_smaller_ones_and_what_it_says() -> None:
    classes = {
        ratio: set(selection.chosen("tpcc", columns(ratio=ratio))) for ratio in (20, 50, 100)
    }
    assert classes[20] < classes[50] < classes[100]
    assert {"bmsql_oorder.o_id", "bmsql_district.d_next_o_id"} <= classes[20]
    more = {"bmsql_item.i_price", "bmsql_oorder.o_entry_d", "bmsql_order_line.ol_quantity"}
    assert more <= classes[50] - classes[20]
    assert "bmsql_customer.c_last" in classes[100] - classes[50]


def test_every_primary_key_is_an_identifier() -> None:
    keys = re.findall(r"primary key \(([^)]*)\)", SCHEMA.read_text(encoding="utf-8"))
    own = {name.strip() for key in keys for name in key.split(",")}
    smallest = {one.name.partition(".")[2] for one in entries("tpcc") if one.ratio == 20}
    assert own | {"d_next_o_id"} == smallest


def test_tables_of_sysbench_are_written_out_for_the_proxy() -> None:
    both = columns(list=["sbtest.c", "sbtest2.k"])
    assert selection.chosen("sysbench", both) == ("sbtest.c", "sbtest2.k")
    assert selection.for_proxy("sysbench", both, 3) == (
        "sbtest1.c",
        "sbtest2.c",
        "sbtest3.c",
        "sbtest2.k",
    )
    assert selection.share("sysbench", both, 3) == selection.Share(4, 12)


def test_the_proxys_file_names_every_table_too() -> None:
    text = selection.file_text("sysbench", columns(list=["sbtest1.c"]), 2)
    assert text == "sbtest1.c\nsbtest1\nsbtest2\n"
    assert selection.file_text("tpcc", columns(ratio=0)) == "", "empty: nothing is rewritten"
    lines = selection.file_text("tpcc", columns(ratio=100)).splitlines()
    assert {probe.table for probe in probes.TPCC} <= set(lines)


@pytest.mark.parametrize(
    ("schema", "name", "said"),
    [
        ("tpcc", "bmsql_customer.c_balanc", "write bmsql_customer.c_balance if that is what"),
        ("tpcc", "bmsql_order.o_id", "bmsql_order.o_id is not a column of TPC-C's tables: write"),
        ("tpcc", "x.y", "leave it out"),
        ("sysbench", "sbtest.d", "write sbtest.id if that is what you mean"),
        ("sysbench", "sbtest4.c", "sbtest4.c is not a column of sysbench's tables"),
        ("sysbench", "sbtest01.c", "sbtest01.c is not a column"),
    ],
)
def test_a_column_that_is_not_there(schema: SchemaName, name: str, said: str) -> None:
    (problem,) = selection.problems(schema, columns(list=[name]), 3)
    assert said in problem.text


def test_names_are_taken_without_regard_to_case() -> None:
    own = columns(list=["BMSQL_Item.I_Price", "bmsql_stock.s_ytd"])
    assert not [*selection.problems("tpcc", own)]
    assert not [*selection.problems("sysbench", columns(list=["SBTEST3.C"]), 3)]
