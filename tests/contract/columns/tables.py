"""TPC-C's tables as our client makes them, with the one row of each that the proof looks at."""

import re

from tests.support.chart import REPO

SCHEMA = REPO / "images/tpcc/tpcc/src/main/resources/io/encbench/tpcc/schema/mysql/tables.sql"
_NAMED = {
    "cfg_name": "'warehouses'",
    "no_o_id": "3000",
    "o_carrier_id": "NULL",
    "i_data": "'gr\u00fcn'",
    "d_name": "''",
}
_VALUES = (
    ("integer", "1"),
    ("decimal", "0.05"),
    ("timestamp", "'2024-01-01 00:00:00'"),
    ("char", "'OE'"),
    ("varchar", "'OE'"),
)


def create() -> list[str]:
    """Statements that make the tables and write the rows."""
    text = re.sub(r"--[^\n]*", "", SCHEMA.read_text(encoding="utf-8"))
    tables = [statement.strip() for statement in text.split(";") if statement.strip()]
    return [*tables, *(_row(table) for table in tables)]


def _row(table: str) -> str:
    name = table.split()[2]
    columns = re.findall(
        r"^  (\w+)\s+(integer|decimal|timestamp|char|varchar)", table, re.MULTILINE
    )
    kinds = dict(_VALUES)
    values = ", ".join(_NAMED.get(column, kinds[kind]) for column, kind in columns)
    return f"INSERT INTO {name} VALUES ({values})"  # noqa: S608
